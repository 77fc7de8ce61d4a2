// CUDA C++ for a host compiler: what nvcc includes before every source file.
#ifndef KS_CUDA_RUNTIME_H
#define KS_CUDA_RUNTIME_H
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <utility>

#include "ks/language.h"
#include "vector_functions.h"
#include "cuda_runtime_api.h"
#include "ks/launch.h"
#include "ks/sync.h"
#include "ks/atomics.h"
#include "ks/math.h"
#include "ks/integer.h"

#endif
