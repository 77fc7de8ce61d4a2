// The rest of a checker program, behind the task's own file: maps what it may see and answers the runner, a line for a line.
//
// fd 0: commands.  fd 1: answers.  fd 3: what workers were handed.  fd 4: expected values.  fd 5 and up: results, one for each
// worker. Nothing here can be written to.
#pragma once
#include <kernelseek/check.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <exception>
#include <iostream>

namespace kernelseek {

class Checker {
 public:
  explicit Checker(int workers) : handedOut_(map(3)), expected_(map(4)) {
    for (int i = 0; i < workers; ++i) results_.push_back(map(5 + i));
  }

  // `scenario ARGUMENTS VALUES`, then ARGUMENTS lines `NAME DTYPE ROLE FIRST RANK [EXTENT STRIDE]…`, where FIRST is the place of
  // the first element, and VALUES lines `NAME TEXT`.
  void scenario() {
    size_t arguments, values;
    std::cin >> arguments >> values;
    regions_.clear();
    values_.clear();
    while (arguments-- > 0) {
      Region r;
      std::string dtype;
      size_t rank;
      std::cin >> r.name >> dtype >> r.role >> r.first >> rank;
      if (!dtypeNamed(dtype.c_str(), &r.dtype)) std::exit(3);
      for (size_t extent, stride; rank > 0; --rank) {
        std::cin >> extent >> stride;
        r.shape.push_back(extent), r.strides.push_back(stride);
      }
      regions_.push_back(r);
    }
    while (values-- > 0) {
      std::string name, text;
      std::cin >> name >> std::ws;
      std::getline(std::cin, text);
      values_[name] = text;
    }
  }

  // `check NAME WORKER`: what that worker left; -1 stands for what lay there before any call.
  std::string check() {
    std::string name;
    int worker;
    std::cin >> name >> worker;
    if (worker >= (int)results_.size()) std::exit(3);
    const char* results = worker < 0 ? handedOut_ : results_[worker];
    Call call;
    call.checked_ = name;
    call.values_ = values_;
    for (const Region& r : regions_) {
      const auto array = [&](const char* base) { return Array(r.dtype, base + r.first, r.shape, r.strides); };
      const bool result = r.role == "output" || r.role == "inout";
      if (r.role == "input" || r.role == "inout") call.arguments_.emplace(r.name, array(handedOut_));
      if (result) call.outputs_.emplace(r.name, array(results)), call.expected_.emplace(r.name, array(expected_));
    }
    try {
      if (kernelseek::check(call)) return "pass";
    } catch (const std::exception& error) {
      return oneLine("error ", error.what());
    }
    return oneLine("fail ", call.why_.empty() ? "it does not say why" : call.why_);
  }

 private:
  struct Region {
    std::string name, role;
    Dtype dtype;
    size_t first;
    std::vector<size_t> shape, strides;
  };

  static const char* map(int fd) {
    struct stat status;
    if (fstat(fd, &status) != 0) std::exit(3);
    void* address = mmap(nullptr, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (address == MAP_FAILED) std::exit(3);
    return static_cast<const char*>(address);
  }

  static std::string oneLine(const char* verb, std::string text) {
    for (char& c : text)
      if ((unsigned char)c < 32) c = ' ';
    return verb + text;
  }

  const char *handedOut_, *expected_;
  std::vector<const char*> results_;
  std::vector<Region> regions_;
  std::map<std::string, std::string> values_;
};

}  // namespace kernelseek

int main(int count, char** argument) {
  // What the checker itself prints is no answer.
  FILE* answers = fdopen(dup(1), "w");
  dup2(2, 1);
  if (!answers) return 3;
  kernelseek::Checker checker(count == 2 ? std::atoi(argument[1]) : 0);
  for (std::string verb; std::cin >> verb;) {
    std::string answer = "ok";
    if (verb == "scenario") checker.scenario();
    else if (verb == "check") answer = checker.check();
    else return 3;
    std::fprintf(answers, "%s\n", answer.c_str());
    std::fflush(answers);
  }
}
