// cub's operators.
#ifndef KS_CUB_THREAD_THREAD_OPERATORS_CUH
#define KS_CUB_THREAD_THREAD_OPERATORS_CUH
#include "../../ks/cub_common.h"

#endif
