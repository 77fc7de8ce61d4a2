// An argument as it lies in the segments: a fenced region with elements at their strides.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "keeper_types.h"

enum class Role { input, output, inout, workspace };
// `check`: a program of the task's own decides, outside this process.
enum class Comparer { elements, set, sorted, check };

struct Buffer {
  size_t offset, bytes, fence;  // of the fenced region in the segments; fence bytes on each side
  size_t skip;                  // elements from the end of the front fence to the first one of the argument
  Dtype dtype;
  Role role;
  std::string fill;
  long long p1, p2;  // integers: low, high; offsets: total
  std::vector<char> contents;  // of a file that fills it
  double rtol, atol;
  Comparer comparer;
  std::vector<size_t> shape, strides;  // strides in elements

  size_t elements() const {
    size_t n = 1;
    for (size_t s : shape) n *= s;
    return n;
  }
  // Position, in elements from the end of the front fence, of element i in row-major order.
  size_t position(size_t i) const {
    size_t p = skip;
    for (size_t d = shape.size(); d-- > 0;) p += i % shape[d] * strides[d], i /= shape[d];
    return p;
  }
  bool contiguous() const {
    size_t expected = 1;
    for (size_t d = shape.size(); d-- > 0;) {
      if (shape[d] != 1 && strides[d] != expected) return false;
      expected *= shape[d];
    }
    return true;
  }
  // Bytes of the region before which and from which on nothing belongs to the argument.
  size_t first() const { return fence + skip * sizeOf(dtype); }
  size_t end() const { return elements() ? fence + (position(elements() - 1) + 1) * sizeOf(dtype) : first(); }
  size_t rowLength() const { return shape.empty() ? 1 : shape.back(); }
  bool result() const { return role == Role::output || role == Role::inout; }
};
