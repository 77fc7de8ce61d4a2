// Tasks that a test writes down beside what it expects of them.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { prepareTask, type PreparedTask } from '../../src/runner/prepare.js';
import { testParser } from './grammar.js';

/**
 * @param folder below which a folder for it is made
 * @param files by name; the source is `k.cu`
 * @param task without `source`
 */
export async function inlineTask(
  folder: string,
  files: Record<string, string | Buffer>,
  task: Record<string, unknown>,
): Promise<PreparedTask> {
  const root = await mkdtemp(path.join(folder, 'task-'));
  for (const [name, contents] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(root, name)), { recursive: true });
    await writeFile(path.join(root, name), contents);
  }
  const file = path.join(root, 'k.task.json');
  await writeFile(file, JSON.stringify({ source: 'k.cu', ...task }));
  return prepareTask(file, { parser: testParser, root });
}

/** A bare kernel over `n` threads, as a whole file with the host function `run`. */
export const kernelFile = (parameters: string, body: string, names: string): string => `
#include <cuda_runtime.h>
__global__ void k(${parameters}) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ${body}
}
void run(${parameters}, cudaStream_t stream) {
  k<<<(n + 255) / 256, 256, 0, stream>>>(${names});
}
`;
