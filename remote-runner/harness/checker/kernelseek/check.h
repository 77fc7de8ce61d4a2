// For checker programs of a task, `"compare": { "check": "file.cpp" }`: the file defines the one function below.
//
//   #include <kernelseek/check.h>
//
//   bool kernelseek::check(const Call& call) {
//     const Array& path = call.output();             // what a kernel left in the argument that names this checker
//     const Array& weights = call.argument("w");     // as it was before the call
//     …
//     return path.size() > 0 || call.fail("the path is empty for n = %lld", call.integer("n"));
//   }
//
// It runs after every run of a candidate, and once for the original, whose own result it must accept.
#pragma once
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../keeper_types.h"

namespace kernelseek {

// The elements of an argument. Flat indices count in row-major order, whatever the strides.
class Array {
 public:
  Array(Dtype dtype, const char* first, std::vector<size_t> shape, std::vector<size_t> strides)
      : dtype_(dtype), first_(first), shape_(std::move(shape)), strides_(std::move(strides)) {
    for (size_t extent : shape_) size_ *= extent;
  }

  size_t size() const { return size_; }
  size_t rank() const { return shape_.size(); }
  size_t extent(size_t dimension) const { return shape_.at(dimension); }
  // In elements.
  size_t stride(size_t dimension) const { return strides_.at(dimension); }
  bool isFloating() const { return isReal(dtype_); }

  // An element as a number; integers beyond 2^53 lose digits: use integer().
  double operator[](size_t index) const {
    const size_t at = position(index);
    return isFloating() ? loadReal(dtype_, first_, at) : (double)loadInteger(dtype_, first_, at);
  }
  long long integer(size_t index) const {
    const size_t at = position(index);
    return isFloating() ? (long long)loadReal(dtype_, first_, at) : (long long)loadInteger(dtype_, first_, at);
  }
  // The first element in memory, for those who know the type: `data<float>()`.
  template <typename T>
  const T* data() const {
    if (sizeof(T) != sizeOf(dtype_)) throw std::invalid_argument("data<T>() with a type of another size");
    return reinterpret_cast<const T*>(first_);
  }

 private:
  size_t position(size_t index) const {
    if (index >= size_) throw std::out_of_range("index " + std::to_string(index) + " of " + std::to_string(size_));
    size_t at = 0;
    for (size_t d = shape_.size(); d-- > 0;) at += index % shape_[d] * strides_[d], index /= shape_[d];
    return at;
  }

  Dtype dtype_;
  const char* first_;
  std::vector<size_t> shape_, strides_;
  size_t size_ = 1;
};

// One run of a kernel: what it was given, what it left, what is expected.
class Call {
 public:
  // What the kernel left in the argument that is to be checked, or in another output.
  const Array& output() const { return output(checked_); }
  const Array& output(const std::string& name) const { return find(outputs_, name, "output"); }
  // What the original, or the reference, left there.
  const Array& expected() const { return expected(checked_); }
  const Array& expected(const std::string& name) const { return find(expected_, name, "output"); }
  // An input, or what an inout argument held before the call.
  const Array& argument(const std::string& name) const { return find(arguments_, name, "input"); }

  // A scalar argument or a variable of the scenario; the name of a dtype as text.
  double number(const std::string& name) const { return std::strtod(text(name).c_str(), nullptr); }
  long long integer(const std::string& name) const { return std::strtoll(text(name).c_str(), nullptr, 10); }
  const std::string& text(const std::string& name) const { return find(values_, name, "scalar or variable"); }

  // Says why the output is refused, as printf does; always false.
  [[gnu::format(printf, 2, 3)]] bool fail(const char* format, ...) const {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    why_ = line;
    return false;
  }

 private:
  friend class Checker;

  template <typename Value>
  static const Value& find(const std::map<std::string, Value>& all, const std::string& name, const char* what) {
    const auto found = all.find(name);
    if (found == all.end()) throw std::out_of_range("no " + std::string(what) + " is called " + name);
    return found->second;
  }

  std::string checked_;
  std::map<std::string, Array> outputs_, expected_, arguments_;
  std::map<std::string, std::string> values_;
  mutable std::string why_;
};

// Is the output right?
bool check(const Call& call);

}  // namespace kernelseek
