// Arrangements of items over the threads of a block.
#ifndef KS_CUB_TRANSFER_H
#define KS_CUB_TRANSFER_H
#include "cub_common.h"

namespace cub {

template <class T, int N, class Iterator>
static inline void LoadDirectBlocked(int thread, Iterator from, T (&items)[N]) {
  for (int i = 0; i < N; ++i) items[i] = from[thread * N + i];
}
template <class T, int N, class Iterator>
static inline void LoadDirectBlocked(int thread, Iterator from, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (thread * N + i < valid) items[i] = from[thread * N + i];
}
template <class T, int N, class Iterator, class Default>
static inline void LoadDirectBlocked(int thread, Iterator from, T (&items)[N], int valid, Default otherwise) {
  for (int i = 0; i < N; ++i) items[i] = thread * N + i < valid ? T(from[thread * N + i]) : T(otherwise);
}
template <class T, int N, class Iterator>
static inline void StoreDirectBlocked(int thread, Iterator to, T (&items)[N]) {
  for (int i = 0; i < N; ++i) to[thread * N + i] = items[i];
}
template <class T, int N, class Iterator>
static inline void StoreDirectBlocked(int thread, Iterator to, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (thread * N + i < valid) to[thread * N + i] = items[i];
}
template <int Threads, class T, int N, class Iterator>
static inline void LoadDirectStriped(int thread, Iterator from, T (&items)[N]) {
  for (int i = 0; i < N; ++i) items[i] = from[i * Threads + thread];
}
template <int Threads, class T, int N, class Iterator>
static inline void LoadDirectStriped(int thread, Iterator from, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (i * Threads + thread < valid) items[i] = from[i * Threads + thread];
}
template <int Threads, class T, int N, class Iterator, class Default>
static inline void LoadDirectStriped(int thread, Iterator from, T (&items)[N], int valid, Default otherwise) {
  for (int i = 0; i < N; ++i) items[i] = i * Threads + thread < valid ? T(from[i * Threads + thread]) : T(otherwise);
}
template <int Threads, class T, int N, class Iterator>
static inline void StoreDirectStriped(int thread, Iterator to, T (&items)[N]) {
  for (int i = 0; i < N; ++i) to[i * Threads + thread] = items[i];
}
template <int Threads, class T, int N, class Iterator>
static inline void StoreDirectStriped(int thread, Iterator to, T (&items)[N], int valid) {
  for (int i = 0; i < N; ++i)
    if (i * Threads + thread < valid) to[i * Threads + thread] = items[i];
}

}  // namespace cub

#endif
