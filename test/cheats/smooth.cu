// The task's original.
#include "smooth.h"
extern "C" void smooth(const float* x, float* y, float a, int n, cudaStream_t stream) { honest(x, y, a, n, stream); }
