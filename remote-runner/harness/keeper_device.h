// What the driver's management library says of a GPU: clocks and why they are held back. Read, never set.
#pragma once
#include <dlfcn.h>

#include <cstdio>

class DeviceWatch {
 public:
  // Says nothing where there is no such library or device: the clocks are then unknown.
  void open(const char* uuid) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    auto initialise = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    auto find = reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByUUID"));
    clock_ = reinterpret_cast<Clock>(dlsym(library, "nvmlDeviceGetClockInfo"));
    reasons_ = reinterpret_cast<Reasons>(dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons"));
    // Its name in drivers before 535.
    if (!reasons_) reasons_ = reinterpret_cast<Reasons>(dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons"));
    if (!initialise || !find || initialise() != 0 || find(uuid, &device_) != 0) device_ = nullptr;
  }

  // `device SM_MHZ MEMORY_MHZ REASONS`, the last one NVML's bits in hexadecimal; 0 MHz for what the driver does not tell.
  void print() const {
    unsigned sm = 0, memory = 0;
    unsigned long long reasons = 0;
    if (device_ && clock_ && clock_(device_, 1, &sm) != 0) sm = 0;
    if (device_ && clock_ && clock_(device_, 2, &memory) != 0) memory = 0;
    if (device_ && reasons_ && reasons_(device_, &reasons) != 0) reasons = 0;
    std::printf("device %u %u %llx\n", sm, memory, reasons);
  }

 private:
  using Clock = int (*)(void*, int, unsigned*);
  using Reasons = int (*)(void*, unsigned long long*);
  void* device_ = nullptr;
  Clock clock_ = nullptr;
  Reasons reasons_ = nullptr;
};
