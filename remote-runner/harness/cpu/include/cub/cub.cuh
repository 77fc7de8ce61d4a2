// cub for blocks and warps, written for this target: the toolkit's own is made of inline PTX. Device-wide algorithms are unsupported.
#ifndef KS_CUB_CUB_CUH
#define KS_CUB_CUB_CUH
#include "block/block_discontinuity.cuh"
#include "block/block_exchange.cuh"
#include "block/block_histogram.cuh"
#include "block/block_load.cuh"
#include "block/block_merge_sort.cuh"
#include "block/block_radix_sort.cuh"
#include "block/block_reduce.cuh"
#include "block/block_scan.cuh"
#include "block/block_store.cuh"
#include "warp/warp_reduce.cuh"
#include "warp/warp_scan.cuh"

#endif
