// Reads a layout from the commands: where each argument lies, what it is filled with, how it is compared.
#pragma once
#include <cstdio>
#include <string>

#include "keeper_state.h"

inline bool comparerNamed(const std::string& name, Comparer* out) {
  if (name == "elements") *out = Comparer::elements;
  else if (name == "set") *out = Comparer::set;
  else if (name == "sorted") *out = Comparer::sorted;
  else if (name == "check") *out = Comparer::check;
  else return false;
  return true;
}

inline bool readLayout(State& state, size_t count) {
  state.buffers.clear();
  for (size_t i = 0; i < count; ++i) {
    Buffer b;
    char dtype[32], role[16], how[16];
    char comparer[16];
    size_t rank;
    if (std::scanf("%zu %zu %zu %zu %31s %15s %15s %lld %lld %lf %lf %15s %zu", &b.offset, &b.bytes, &b.fence, &b.skip, dtype, role,
                   how, &b.p1, &b.p2, &b.rtol, &b.atol, comparer, &rank) != 13)
      return false;
    if (!comparerNamed(comparer, &b.comparer)) return false;
    b.fill = how;
    const std::string r = role;
    b.role = r == "input" ? Role::input : r == "output" ? Role::output : r == "inout" ? Role::inout : Role::workspace;
    if (!dtypeNamed(dtype, &b.dtype) || rank > 16) return false;
    b.shape.resize(rank);
    b.strides.resize(rank);
    for (size_t d = 0; d < rank; ++d)
      if (std::scanf("%zu %zu", &b.shape[d], &b.strides[d]) != 2) return false;
    if (b.offset + b.bytes > state.segmentSize || b.bytes < 2 * b.fence || b.bytes % 8 != 0) return false;
    if (b.elements() && (b.position(b.elements() - 1) + 1) * sizeOf(b.dtype) > b.bytes - 2 * b.fence) return false;
    state.buffers.push_back(b);
  }
  state.kept.assign(count, false);
  state.handedOut.assign(count, 0);
  return true;
}
