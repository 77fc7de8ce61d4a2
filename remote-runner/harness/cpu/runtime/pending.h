// Which work a GPU might still be doing. Here everything has happened when a call returns; beside a GPU only that has which the
// program waits for, by streams, events and synchronisation.
#pragma once
#include <map>

#include "../include/cuda_runtime_api.h"

namespace ks {
namespace pending {

/** By the number of a stream: how many of its operations come before something. */
typedef std::map<unsigned long long, unsigned long long> Before;

/** The number of a new stream. @param is_blocking whether it and the legacy stream wait for each other */
unsigned long long open(bool is_blocking);
/** It is destroyed; what was put into it may go on. */
void close(unsigned long long stream);

/** An operation is put into a stream. */
void work(cudaStream_t stream);
/** What has happened when a stream comes to this point, as an event remembers it. */
Before moment(cudaStream_t stream);
/** What is put into a stream from now on comes after that. */
void wait(cudaStream_t stream, const Before& moment);
/** Whatever the program does from now on comes after that. */
void host_waits(const Before& moment);
void host_waits_for_all();

}  // namespace pending
}  // namespace ks

extern "C" {
/** For harness/host.cpp: whether work may be going on elsewhere when this stream is done. Asking is waiting for all of it. */
KS_EXPORT bool ks_unjoined(cudaStream_t stream);
}
