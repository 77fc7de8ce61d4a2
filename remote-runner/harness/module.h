// Device code without its host code: a module whose kernels are launched as a plan says, by this program alone.
//
// Every slot has a copy of the module that is loaded anew before each sample: what device code keeps in variables of its own
// does not outlive the call.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "driver.h"

struct PlanArgument {
  int buffer;  // -1: a value, -2: a null pointer
  size_t offset;
  size_t bytes;
  unsigned long long bits;
};

// A launch, or a memset where kernel is -1: then `arguments` has the buffer, `bits` of it the value of every byte.
struct PlanStep {
  int kernel;
  driver::LaunchConfig config;
  driver::LaunchAttribute cluster;
  int maxShared, carveout, nonPortableCluster;  // below -1: as it is
  std::vector<PlanArgument> arguments;
};

struct LoadedModule {
  driver::Module module = nullptr;
  std::vector<driver::Function> functions;
};

class PlannedModule {
 public:
  std::vector<PlanStep> steps;

  bool isOpen() const { return !image.empty(); }
  bool has(int kernel) const { return kernel >= 0 && (size_t)kernel < names.size(); }

  // The driver reads a cubin's own length.
  bool open(std::vector<char> bytes, std::vector<std::string> kernels) {
    image = std::move(bytes);
    names = std::move(kernels);
    return !image.empty();
  }

  void resize(size_t slots) {
    for (; loaded.size() > slots; loaded.pop_back()) unload(loaded.back());
    loaded.resize(slots);
  }

  // Anew, with the attributes that the plan asks for. What fails is told with the driver's code.
  int load(size_t slot) {
    LoadedModule& m = loaded[slot];
    unload(m);
    if (int code = driver::moduleLoadData(&m.module, image.data())) return code;
    for (const std::string& name : names) {
      driver::Function function = nullptr;
      if (int code = driver::moduleGetFunction(&function, m.module, name.c_str())) return code;
      m.functions.push_back(function);
    }
    for (const PlanStep& step : steps) {
      if (step.kernel < 0) continue;
      const std::pair<int, int> wanted[] = {{driver::maxShared, step.maxShared},
                                            {driver::carveout, step.carveout},
                                            {driver::nonPortableCluster, step.nonPortableCluster}};
      for (auto [attribute, value] : wanted)
        if (value >= -1)
          if (int code = driver::funcSetAttribute(m.functions[step.kernel], attribute, value)) return code;
    }
    return driver::success;
  }

  // The first step whose arguments are not what its kernel takes, by the sizes that the driver tells; -1 where all are.
  int misfit(size_t slot) const {
    for (size_t i = 0; i < steps.size(); ++i) {
      const PlanStep& step = steps[i];
      if (step.kernel < 0) continue;
      const driver::Function function = loaded[slot].functions[step.kernel];
      size_t offset, size;
      for (size_t a = 0; a < step.arguments.size(); ++a) {
        const PlanArgument& argument = step.arguments[a];
        const size_t given = argument.buffer == -1 ? argument.bytes : sizeof(void*);
        if (driver::funcGetParamInfo(function, a, &offset, &size) != driver::success || size != given) return (int)i;
      }
      if (driver::funcGetParamInfo(function, step.arguments.size(), &offset, &size) != driver::invalidValue) return (int)i;
    }
    return -1;
  }

  // Enqueues one kernel. @param values of its arguments, in 8 bytes each
  int launch(size_t slot, const PlanStep& step, unsigned long long* values, void* stream) const {
    void* parameters[64];
    for (size_t i = 0; i < step.arguments.size(); ++i) parameters[i] = &values[i];
    driver::LaunchConfig config = step.config;
    driver::LaunchAttribute cluster = step.cluster;
    config.stream = stream;
    config.attributes = config.attributeCount ? &cluster : nullptr;
    return driver::launchKernelEx(&config, loaded[slot].functions[step.kernel], parameters, nullptr);
  }

 private:
  std::vector<char> image;
  std::vector<std::string> names;
  std::vector<LoadedModule> loaded;

  static void unload(LoadedModule& m) {
    if (m.module) driver::moduleUnload(m.module);
    m.module = nullptr;
    m.functions.clear();
  }
};
