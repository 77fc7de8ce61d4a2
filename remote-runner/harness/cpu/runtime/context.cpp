// Context switch: callee-saved registers and floating-point control go to the old stack, and come from the new one.
#include "context.h"

#include <cstdint>
#include <cstring>

#if defined(__APPLE__)
#define KS_BEGIN(NAME) ".text\n.p2align 4\n.globl _" NAME "\n_" NAME ":\n.cfi_startproc\n"
#else
#define KS_BEGIN(NAME) ".text\n.p2align 4\n.globl " NAME "\n.type " NAME ", %function\n" NAME ":\n.cfi_startproc\n"
#endif
#define KS_END ".cfi_endproc\n"

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" {
/** Saves the caller's registers on its stack, whose pointer goes to *save; then takes those at `load`. */
void ks_switch(void** save, void* load);
/** Saves the caller like ks_switch, and calls function(argument) on the same stack. */
void ks_guard(void** save, void (*function)(void*), void* argument);
}

// The control words are compared before they are loaded: storing them is cheap, loading one stalls the pipeline.
#if defined(__x86_64__)
#define KS_SAVE                                                                                            \
  "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n  subq $8, %rsp\n" \
  "  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"                                                                   \
  "  movq %rsp, (%rdi)\n"
asm(KS_BEGIN("ks_switch") KS_SAVE
    "  movl (%rsp), %eax\n  movzwl 4(%rsp), %ecx\n"
    "  movq %rsi, %rsp\n"
    // Bits 0 to 5 of MXCSR are flags of exceptions that have happened, not control.
    "  xorl (%rsp), %eax\n  testl $0xffc0, %eax\n  jne 3f\n"
    "1:\n  cmpw 4(%rsp), %cx\n  jne 4f\n"
    "2:\n  addq $8, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    "3:\n  ldmxcsr (%rsp)\n  jmp 1b\n"
    "4:\n  fldcw 4(%rsp)\n  jmp 2b\n" KS_END);
asm(KS_BEGIN("ks_guard") KS_SAVE
    ".cfi_def_cfa_offset 64\n"
    "  movq %rdx, %rdi\n  callq *%rsi\n"
    "  addq $56, %rsp\n"
    ".cfi_def_cfa_offset 8\n"
    "  ret\n" KS_END);
#else
#define KS_SAVE                                                                                                 \
  "  stp x29, x30, [sp, #-176]!\n"                                                                              \
  "  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n  stp x23, x24, [sp, #48]\n"                           \
  "  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"                                                      \
  "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n" \
  "  mrs x10, fpcr\n  str x10, [sp, #160]\n"                                                                    \
  "  mov x9, sp\n  str x9, [x0]\n"
asm(KS_BEGIN("ks_switch") KS_SAVE
    "  mov sp, x1\n"
    "  ldr x11, [sp, #160]\n  cmp x10, x11\n  b.eq 1f\n  msr fpcr, x11\n1:\n"
    "  ldp x19, x20, [sp, #16]\n  ldp x21, x22, [sp, #32]\n  ldp x23, x24, [sp, #48]\n"
    "  ldp x25, x26, [sp, #64]\n  ldp x27, x28, [sp, #80]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
    "  ldp x29, x30, [sp], #176\n"
    "  ret\n" KS_END);
asm(KS_BEGIN("ks_guard") KS_SAVE
    ".cfi_def_cfa_offset 176\n.cfi_offset x29, -176\n.cfi_offset x30, -168\n"
    "  mov x0, x2\n  blr x1\n"
    "  ldp x29, x30, [sp], #176\n"
    ".cfi_def_cfa_offset 0\n.cfi_restore x29\n.cfi_restore x30\n"
    "  ret\n" KS_END);
#endif

void ks::prepare(Context& context, char*, char* top, void (*entry)()) {
  char* end = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t(15));
#if defined(__x86_64__)
  // Control words, six registers, the entry as return address, and a null return address above it for whoever walks
  // the stack. At entry the stack pointer is 8 below a multiple of 16, as after a call.
  void** frame = reinterpret_cast<void**>(end) - 9;
  memset(frame, 0, 9 * sizeof(void*));
  frame[0] = reinterpret_cast<void*>(uintptr_t(0x37f) << 32 | 0x1f80);
  frame[7] = reinterpret_cast<void*>(entry);
#else
  void** frame = reinterpret_cast<void**>(end - 176);
  memset(frame, 0, 176);
  frame[1] = reinterpret_cast<void*>(entry);
#endif
  context.state = frame;
}

void ks::switch_to(Context& from, Context& to) { ks_switch(&from.state, to.state); }

void ks::guard(Context& context, void (*function)(void*), void* argument) {
  ks_guard(&context.state, function, argument);
}

namespace {

#if defined(__x86_64__)
constexpr unsigned long long default_control = 0x37full << 32 | 0x1f80;
unsigned long long control() {
  unsigned mxcsr;
  unsigned short word;
  asm volatile("stmxcsr %0" : "=m"(mxcsr));
  asm volatile("fnstcw %0" : "=m"(word));
  return (unsigned long long)word << 32 | (mxcsr & 0xffc0u);
}
void set_control(unsigned long long value) {
  const unsigned mxcsr = unsigned(value);
  const unsigned short word = (unsigned short)(value >> 32);
  asm volatile("ldmxcsr %0" : : "m"(mxcsr));
  asm volatile("fldcw %0" : : "m"(word));
}
#else
constexpr unsigned long long default_control = 0;
unsigned long long control() {
  unsigned long long value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
void set_control(unsigned long long value) { asm volatile("msr fpcr, %0" : : "r"(value)); }
#endif

}  // namespace

#else
#include <fenv.h>
#include <ucontext.h>

// The ucontext_t lives as long as its fibre, which is as long as its OS thread.
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

void ks::guard(Context& context, void (*function)(void*), void* argument) {
  volatile bool called = false;
  getcontext(place(context));  // returns once more when somebody switches to it
  if (called) return;
  called = true;
  function(argument);
}

namespace {

constexpr unsigned long long default_control = FE_TONEAREST;
unsigned long long control() { return (unsigned long long)fegetround(); }
void set_control(unsigned long long value) { fesetround(int(value)); }

}  // namespace

#endif

ks::DefaultFloatControl::DefaultFloatControl() : saved_(control()) { reset(); }

ks::DefaultFloatControl::~DefaultFloatControl() {
  if (control() != saved_) set_control(saved_);
}

void ks::DefaultFloatControl::reset() {
  if (control() != default_control) set_control(default_control);
}
