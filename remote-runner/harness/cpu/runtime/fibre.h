// One flow of execution of a block: the stack it runs on, and what it waits for.
#pragma once
#include "../include/ks/abi.h"
#include "context.h"

namespace ks {

enum class Wait : unsigned char {
  none,
  barrier,
  collective,
  active
};

struct Fibre {
  Context context;
  Fibre* next = nullptr;
  uint3 thread{};
  Wait wait = Wait::none;
  int kind = 0, argument = 0, width = 32;
  unsigned mask = 0, line = 0, warp = 0, lane = 0;
  unsigned long long value = 0, result = 0;
  const char* file = nullptr;
  char *memory = nullptr, *base = nullptr, *top = nullptr;
  size_t bytes = 0;

  Fibre() = default;
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;
  ~Fibre();
  /** Gives it a stack with a guard page below; ends the process when there is no memory. `index` sets stacks apart. */
  void allocate(size_t index);
};

/** An intrusive queue of fibres. */
struct Queue {
  Fibre *head = nullptr, *tail = nullptr;
  void push(Fibre* fibre);
  Fibre* pop();
  void append(Queue& other);
};

/** CUDA's number of a thread in its block: x first. Warps are made of 32 consecutive ones. */
inline unsigned linear(uint3 t) { return t.x + blockDim.x * (t.y + blockDim.y * t.z); }

}  // namespace ks
