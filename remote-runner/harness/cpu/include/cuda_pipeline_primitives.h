// Part of cuda_pipeline.h here.
#ifndef KS_CUDA_PIPELINE_PRIMITIVES_H
#define KS_CUDA_PIPELINE_PRIMITIVES_H
#include "cuda_pipeline.h"

#endif
