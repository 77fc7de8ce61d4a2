// cub's pairs and operators.
#ifndef KS_CUB_UTIL_TYPE_CUH
#define KS_CUB_UTIL_TYPE_CUH
#include "../ks/cub_common.h"

#endif
