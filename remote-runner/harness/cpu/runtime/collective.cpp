// Warp collectives: lanes that a mask names wait for each other; the last one works out what each of them gets.
#include <cstdio>
#include <cstring>

#include "block.h"
#include "strict.h"

namespace ks {

unsigned long long BlockRunner::collective(int kind, unsigned mask, unsigned long long value, int argument, int width,
                                           const char* file, unsigned line) {
  Fibre* me = current_;
  const unsigned index = linear(threadIdx), lane = index & 31u, bit = 1u << lane;
  if (!(mask & bit)) {
    char text[400];
    snprintf(text, sizeof text, "%s:%u: lane %u calls a warp function whose mask 0x%08x does not name it", file, line,
             lane, mask);
    fail(719, text);
  }
  Warp& warp = warp_[index >> 5];
  me->wait = Wait::collective;
  me->kind = kind;
  me->mask = mask;
  me->value = value;
  me->argument = argument;
  me->width = width;
  me->warp = index >> 5;
  me->lane = lane;
  me->file = file;
  me->line = line;
  warp.lane[lane] = me;
  warp.waiting |= bit;
  const unsigned left = threads_ - (index & ~31u), group = mask & (left >= 32 ? ~0u : (1u << left) - 1u);
  ++collective_count_;
  leave();
  if ((warp.waiting & group) == group) {
    ++suspended_;
    if (complete(warp, group)) {
      // The others are in the ready queue in lane order, and so is this lane: take its turn out of the queue's order.
      resume(pick());
      return me->result;
    }
    --suspended_;
  }
  suspend();
  return me->result;
}

unsigned BlockRunner::active_mask(const char* file, unsigned line) {
  Fibre* me = current_;
  const unsigned index = linear(threadIdx);
  me->wait = Wait::active;
  me->warp = index >> 5;
  me->lane = index & 31u;
  me->file = file;
  me->line = line;
  warp_[me->warp].lane[me->lane] = me;
  warp_[me->warp].waiting |= 1u << me->lane;
  ++active_count_;
  suspend();
  return unsigned(me->result);
}

namespace {

/** The value that `lane` of `group` gets. A source lane that takes no part yields ones: undefined on a GPU, visible
 * here. */
unsigned long long shuffled(const Warp& warp, unsigned group, unsigned lane) {
  const Fibre& f = *warp.lane[lane];
  const int width = f.width, first = int(lane) & ~(width - 1), argument = f.argument & 31;
  int from = int(lane);
  switch (Collective(f.kind)) {
    case Collective::shfl_idx: from = first | (argument & (width - 1)); break;
    case Collective::shfl_up: from = int(lane) - argument >= first ? int(lane) - argument : int(lane); break;
    case Collective::shfl_down: from = int(lane) + argument < first + width ? int(lane) + argument : int(lane); break;
    default: {
      // A partner in an earlier segment is read, one in a later segment is not.
      const int partner = int(lane) ^ argument;
      from = partner < first + width ? partner : int(lane);
    }
  }
  if (from < 0 || from > 31 || !(group >> from & 1u)) return ~0ull;
  return warp.lane[from]->value;
}

unsigned long long reduced(Collective kind, const Warp& warp, unsigned group) {
  bool first = true;
  unsigned sum = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    const unsigned v = unsigned(warp.lane[lane]->value);
    if (first) {
      sum = v;
      first = false;
      continue;
    }
    switch (kind) {
      case Collective::add_unsigned: sum += v; break;
      case Collective::min_unsigned: sum = v < sum ? v : sum; break;
      case Collective::max_unsigned: sum = v > sum ? v : sum; break;
      case Collective::min_signed: sum = int(v) < int(sum) ? v : sum; break;
      case Collective::max_signed: sum = int(v) > int(sum) ? v : sum; break;
      case Collective::bit_and: sum &= v; break;
      case Collective::bit_or: sum |= v; break;
      default: sum ^= v;
    }
  }
  return sum;
}

}  // namespace

/** Lets the lanes of `group` go if all of them wait in the same function with the same mask. */
bool BlockRunner::complete(Warp& warp, unsigned group) {
  Fibre* any = nullptr;
  unsigned ones = 0;
  bool same = true;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    Fibre* f = warp.lane[lane];
    if (!any) any = f;
    if (f->wait != Wait::collective || f->mask != any->mask || f->kind != any->kind) return false;
    if (f->value) ones |= 1u << lane;
    same &= f->value == any->value;
  }
  if (strict::is_on) strict::warp_barrier(any->warp, group);
  const Collective kind = Collective(any->kind);
  unsigned long long uniform = 0;
  switch (kind) {
    case Collective::sync:
    case Collective::match_any:
    case Collective::shfl_idx:
    case Collective::shfl_up:
    case Collective::shfl_down:
    case Collective::shfl_xor: break;
    case Collective::ballot: uniform = ones; break;
    case Collective::all: uniform = ones == group; break;
    case Collective::any: uniform = ones != 0; break;
    case Collective::match_all: uniform = same ? group : 0u; break;
    default: uniform = reduced(kind, warp, group);
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    Fibre* f = warp.lane[lane];
    if (kind >= Collective::shfl_idx && kind <= Collective::shfl_xor) {
      f->result = shuffled(warp, group, lane);
    } else if (kind == Collective::match_any) {
      unsigned equal = 0;
      for (unsigned other = 0; other < 32; ++other) {
        if (group >> other & 1u && warp.lane[other]->value == f->value) equal |= 1u << other;
      }
      f->result = equal;
    } else {
      f->result = uniform;
    }
  }
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(group >> lane & 1u)) continue;
    ready_.push(warp.lane[lane]);
    --suspended_;
    --collective_count_;
  }
  warp.waiting &= ~group;
  return true;
}

bool BlockRunner::resolve_collectives() {
  unsigned at_barrier[32] = {};
  for (Fibre* f = at_barrier_.head; f; f = f->next) {
    const unsigned index = linear(f->thread);
    at_barrier[index >> 5] |= 1u << (index & 31u);
  }
  bool any = false;
  for (unsigned w = 0; w < warps_; ++w) {
    Warp& warp = warp_[w];
    for (unsigned left = warp.waiting; left;) {
      const unsigned lane = unsigned(__builtin_ctz(left));
      Fibre* f = warp.lane[lane];
      const unsigned group = f->mask & (warp.waiting | at_barrier[w]);
      left &= ~(1u << lane);
      if (f->wait != Wait::collective || group & at_barrier[w]) continue;
      if (complete(warp, group)) {
        any = true;
        left &= ~group;
      }
    }
  }
  return any;
}

bool BlockRunner::resolve_active_masks() {
  for (unsigned w = 0; w < warps_; ++w) {
    Warp& warp = warp_[w];
    for (unsigned left = warp.waiting; left; left &= left - 1) {
      Fibre* f = warp.lane[__builtin_ctz(left)];
      if (f->wait != Wait::active) continue;
      unsigned group = 0;
      for (unsigned rest = left; rest; rest &= rest - 1) {
        Fibre* g = warp.lane[__builtin_ctz(rest)];
        if (g->wait == Wait::active && g->line == f->line && strcmp(g->file, f->file) == 0) group |= 1u << g->lane;
      }
      for (unsigned rest = group; rest; rest &= rest - 1) {
        Fibre* g = warp.lane[__builtin_ctz(rest)];
        g->result = group;
        g->wait = Wait::none;
        ready_.push(g);
        --suspended_;
        --active_count_;
      }
      warp.waiting &= ~group;
      left = (left & ~group) | (left & -left);
    }
  }
  return true;
}

}  // namespace ks
