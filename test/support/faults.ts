// Candidates that go wrong, each in its own way, and the verdict each deserves on either target.
import type { Status } from '../../remote-runner/protocol.js';

export interface Fault {
  name: string;
  /** What makes it so, put in place of the original's body of `affine`; the kernel stays above it. */
  source: string;
  cpu: Status[];
  cuda: Status[];
  /** Part of the message, as a regular expression. */
  says?: RegExp;
}

const entry = 'extern "C" void affine(const float* x, float* y, float a, int n, cudaStream_t stream)';
const head = '#include <cuda_runtime.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n';
const kernel = (body: string): string =>
  `__global__ void k(const float* x, float* y, float a, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n${body}\n}\n`;
const launch = 'k<<<(n + 255) / 256, 256, 0, stream>>>(x, y, a, n);';
const good = kernel('  if (i < n) y[i] = a * x[i] + 1.f;');
const withKernel = (body: string): string => `${head}${kernel(body)}${entry} { ${launch} }\n`;
const withHost = (body: string): string => `${head}${good}${entry} { ${body} }\n`;

export const faults: Fault[] = [
  {
    name: 'wrong in one element',
    source: withKernel('  if (i < n) y[i] = a * x[i] + (i == n - 1 ? 1.01f : 1.f);'),
    cpu: ['wrong'],
    cuda: ['wrong'],
    says: /y\[\d+\]: expected/,
  },
  {
    name: 'leaves the tail unwritten',
    source: withKernel('  if (i < n - 3) y[i] = a * x[i] + 1.f;'),
    cpu: ['wrong'],
    cuda: ['wrong'],
  },
  { name: 'does nothing', source: withHost('(void)x; (void)y;'), cpu: ['wrong'], cuda: ['wrong'] },
  {
    name: 'does not compile',
    source: withKernel('  if (i < n) y[i] = a * z[i] + 1.f;'),
    cpu: ['compile_error'],
    cuda: ['compile_error'],
    says: /affine\.cu:7/,
  },
  { name: 'entry missing', source: `${head}${good}`, cpu: ['compile_error'], cuda: ['compile_error'] },
  {
    name: 'kernel loops for ever',
    source: withKernel('  while (((volatile const float*)x)[0] < 1e30f) {}\n  if (i < n) y[i] = a * x[i] + 1.f;'),
    cpu: ['timeout'],
    cuda: ['timeout'],
  },
  {
    name: 'host loops for ever',
    source: withHost('for (volatile int go = 1; go;) {}'),
    cpu: ['timeout'],
    cuda: ['timeout'],
  },
  {
    name: 'loops for ever while it is loaded',
    source: `${head}${good}__attribute__((constructor)) static void spin() { for (volatile int go = 1; go;) {} }\n${entry} { ${launch} }\n`,
    cpu: ['timeout'],
    cuda: ['timeout'],
  },
  {
    name: 'writes one element past the end',
    source: withKernel('  if (i <= n) y[i] = i < n ? a * x[i] + 1.f : 0.f;'),
    cpu: ['finding'],
    cuda: ['finding'],
    says: /right after the end of y/,
  },
  {
    name: 'writes one element before the start',
    source: withKernel('  if (i < n) y[i] = a * x[i] + 1.f;\n  if (i == 0) y[-1] = 3.f;'),
    cpu: ['finding'],
    cuda: ['finding'],
  },
  {
    name: 'reads past the end of its input',
    source: withKernel('  if (i < n) y[i] = a * x[i] + 1.f + (i == n - 1 ? 0.f * x[n] : 0.f);'),
    cpu: ['wrong'],
    cuda: ['wrong'],
    says: /got nan/,
  },
  {
    name: 'skips the work when the address is the last one’s',
    source: withHost(
      `static const float *last_x, *last_y; if (x == last_x && y == last_y) return; last_x = x; last_y = y; ${launch}`,
    ),
    cpu: ['wrong', 'nondeterministic'],
    cuda: ['wrong', 'nondeterministic'],
  },
  {
    name: 'writes far out of bounds',
    source: withKernel('  if (i < n) y[i + (1ll << 40)] = a * x[i] + 1.f;'),
    cpu: ['crash'],
    cuda: ['crash'],
  },
  {
    name: 'dereferences null on the host',
    source: withHost(`${launch} *(volatile int*)8 = 1;`),
    cpu: ['crash'],
    cuda: ['crash'],
  },
  {
    name: 'changes its input',
    source: withKernel('  if (i < n) { y[i] = a * x[i] + 1.f; const_cast<float*>(x)[i] = 0.f; }'),
    cpu: ['finding'],
    cuda: ['finding'],
    says: /input x/,
  },
  {
    name: 'prints a megabyte',
    source: withHost(`for (int i = 0; i < 20000; ++i) printf("%060d\\n", i); ${launch}`),
    cpu: ['correct'],
    cuda: ['correct'],
  },
  {
    name: 'launch with too many threads',
    source: withHost('k<<<(n + 4095) / 4096, 4096, 0, stream>>>(x, y, a, n);'),
    cpu: ['launch_error'],
    cuda: ['launch_error'],
  },
  {
    name: 'launch with too much shared memory',
    source: withHost('k<<<(n + 255) / 256, 256, 1 << 20, stream>>>(x, y, a, n);'),
    cpu: ['launch_error'],
    cuda: ['launch_error'],
  },
  { name: 'ends the process', source: withHost('exit(0);'), cpu: ['crash'], cuda: ['crash'], says: /exit code 0/ },
  { name: 'aborts', source: withHost('abort();'), cpu: ['crash'], cuda: ['crash'], says: /SIGABRT/ },
  {
    name: 'answers in the harness’s place',
    source: withHost('for (int fd = 3; fd < 7; ++fd) dprintf(fd, "ran 0.001 0.001 0 0\\nok\\n"); (void)x; (void)y;'),
    cpu: ['finding', 'wrong', 'crash'],
    cuda: ['finding', 'wrong', 'crash'],
  },
  {
    name: 'writes out of bounds in later calls only',
    source: `${head}${good}__global__ void past(float* y) { *y = 3.f; }\n${entry} { static int calls; ${launch} if (++calls > 4) past<<<1, 1, 0, stream>>>(y + n); }\n`,
    cpu: ['finding'],
    cuda: ['finding'],
    says: /timed call \d+: .*right after the end of y/,
  },
  {
    name: 'leaves a process behind that holds every descriptor',
    source: withHost('if (fork() == 0) { setsid(); execlp("sleep", "sleep", "20", (char*)0); _exit(1); } abort();'),
    cpu: ['crash'],
    cuda: ['crash'],
    says: /SIGABRT/,
  },
  {
    name: 'overwrites all memory it can reach',
    source: `${head}#include <stdint.h>\n#include <string.h>\n${good}${entry} {
  ${launch}
  cudaStreamSynchronize(stream);
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[512];
  uintptr_t starts[4096], ends[4096]; int count = 0;
  while (maps && fgets(line, sizeof line, maps) && count < 4096) {
    unsigned long s, e; char mode[8];
    if (sscanf(line, "%lx-%lx %7s", &s, &e, mode) == 3 && mode[1] == 'w' && mode[3] == 's') { starts[count] = s; ends[count++] = e; }
  }
  for (int i = 0; i < count; ++i) memset((void*)starts[i], 0x41, ends[i] - starts[i]);
  maps = fopen("/proc/self/maps", "r"); count = 0;
  while (maps && fgets(line, sizeof line, maps) && count < 4096) {
    unsigned long s, e; char mode[8];
    if (sscanf(line, "%lx-%lx %7s", &s, &e, mode) == 3 && mode[1] == 'w') { starts[count] = s; ends[count++] = e; }
  }
  for (int i = 0; i < count; ++i) memset((void*)starts[i], 0x41, ends[i] - starts[i]);
}
`,
    cpu: ['crash', 'wrong', 'finding', 'timeout'],
    cuda: ['crash', 'wrong', 'finding', 'timeout'],
  },
];
