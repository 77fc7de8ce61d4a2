// One flow of execution of a block: the stack it runs on, and what it waits for.
#pragma once
#include <memory>
#include <vector>

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
  /** The bytes [base, top) are its stack. */
  char *base = nullptr, *top = nullptr;
  /** Unique among the fibres of its OS thread; 0 is the one on the OS thread's own stack. */
  unsigned id = 0;
};

/** The fibres of an OS thread, each with a stack of its own. They are kept for the blocks to come. */
class Fibres {
 public:
  Fibres() = default;
  Fibres(const Fibres&) = delete;
  Fibres& operator=(const Fibres&) = delete;
  ~Fibres();
  /** One more, with a guard page below its stack; ends the process when there is no memory. */
  Fibre* add();
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

 private:
  std::vector<std::unique_ptr<Fibre>> all_;
  std::vector<char*> slabs_;
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
