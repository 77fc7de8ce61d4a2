// Where tools that watch stacks (sanitizers, a race detector) learn of switches. Builds with KS_STRICT define the
// functions; in all others they are empty and cost nothing.
#pragma once
#include "fibre.h"

namespace ks {

#if defined(KS_STRICT)
/** On the stack of `from`, which will be resumed: `to` is next. */
void before_switch(Fibre& from, Fibre& to);
/** On the stack of `now`, when it starts as well as when it is resumed. */
void after_switch(Fibre& now);
/** On the stack of `from`, whose emulated thread has failed: `to`, perhaps the same, goes on below its frames. */
void before_abandon(Fibre& from, Fibre& to);
/** The frames on the stack of `fibre` are given up; it starts afresh when it is next used. */
void abandoned(Fibre& fibre);
/** Sets the bounds of the calling OS thread's own stack. */
void find_own_stack(Fibre& fibre);
#else
inline void before_switch(Fibre&, Fibre&) {}
inline void after_switch(Fibre&) {}
inline void before_abandon(Fibre&, Fibre&) {}
inline void abandoned(Fibre&) {}
inline void find_own_stack(Fibre&) {}
#endif

/** Leaves the stack of `from` for that of `to`; returns when `from` is resumed. */
inline void switch_fibres(Fibre& from, Fibre& to) {
  before_switch(from, to);
  switch_to(from.context, to.context);
  after_switch(from);
}

}  // namespace ks
