// Context switch: callee-saved registers go to the old stack, and come back from the new one.
#include "context.h"

#include <cstdint>
#include <cstring>

#if defined(__APPLE__)
#define KS_SYMBOL "_ks_switch"
#define KS_TYPE
#else
#define KS_SYMBOL "ks_switch"
#define KS_TYPE ".type ks_switch, %function\n"
#endif

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" void ks_switch(void** save, void* load);

#if defined(__x86_64__)
asm(".text\n.p2align 4\n.globl " KS_SYMBOL "\n" KS_TYPE KS_SYMBOL ":\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n");
#else
asm(".text\n.p2align 4\n.globl " KS_SYMBOL "\n" KS_TYPE KS_SYMBOL ":\n"
    "  stp x29, x30, [sp, #-160]!\n"
    "  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n  stp x23, x24, [sp, #48]\n"
    "  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
    "  mov x9, sp\n  str x9, [x0]\n"
    "  mov sp, x1\n"
    "  ldp x19, x20, [sp, #16]\n  ldp x21, x22, [sp, #32]\n  ldp x23, x24, [sp, #48]\n"
    "  ldp x25, x26, [sp, #64]\n  ldp x27, x28, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  ldp x29, x30, [sp], #160\n"
    "  ret\n");
#endif

void ks::prepare(Context& context, char*, char* top, void (*entry)()) {
  char* end = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
#if defined(__x86_64__)
  // Six registers, the entry as return address, and a null return address above it for whoever walks the stack. At
  // entry the stack pointer is 8 below a multiple of 16, as after a call.
  void** frame = reinterpret_cast<void**>(end) - 8;
  memset(frame, 0, 8 * sizeof(void*));
  frame[6] = reinterpret_cast<void*>(entry);
#else
  void** frame = reinterpret_cast<void**>(end - 160);
  memset(frame, 0, 160);
  frame[1] = reinterpret_cast<void*>(entry);
#endif
  context.state = frame;
}

void ks::switch_to(Context& from, Context& to) { ks_switch(&from.state, to.state); }

#else
#include <ucontext.h>

// The ucontext_t lives as long as its fibre, which is as long as the process.
static ucontext_t* place(ks::Context& context) {
  if (!context.state) context.state = new ucontext_t();
  return static_cast<ucontext_t*>(context.state);
}

void ks::prepare(Context& context, char* base, char* top, void (*entry)()) {
  ucontext_t* u = place(context);
  getcontext(u);
  u->uc_stack.ss_sp = base;
  u->uc_stack.ss_size = size_t(top - base);
  u->uc_link = nullptr;
  makecontext(u, entry, 0);
}

void ks::switch_to(Context& from, Context& to) { swapcontext(place(from), place(to)); }

#endif
