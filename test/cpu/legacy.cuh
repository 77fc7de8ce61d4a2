#pragma once
#define FROM_HEADER(kernel) kernel<<<1, 7>>>
#define LAUNCH_ALL(kernel, threads, ...) \
  do {                                   \
    FROM_TWO(kernel, threads)            \
    (__VA_ARGS__);                       \
  } while (0)
#define FROM_TWO(kernel, threads) kernel<<<1, threads>>>
