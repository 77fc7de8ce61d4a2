// Which kernels a host function leads to: what ties a task to kernels, and a kernel to a new task. Pure.
import type { KernelFile } from '../kernel/types.js';
import type { TaskOutline } from './task-outline.js';

/** True when the task is about this kernel: it launches it, names it, or does not say which one in this file. */
export function concerns(outline: TaskOutline, kernel: string, file: KernelFile): boolean {
  if (outline.kernel !== undefined) return outline.kernel === kernel;
  const { entry } = outline;
  if (entry === undefined || !file.hostFunctions.some((f) => f.name === entry)) return true;
  return launchedFrom(entry, file).has(kernel);
}

/** Names of the kernels that a host function launches, itself or through functions of this file that it calls. */
function launchedFrom(entry: string, file: KernelFile): Set<string> {
  const kernels = new Set<string>();
  const seen = new Set<string>();
  const open = [entry];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const f of file.hostFunctions) {
      if (f.name !== name) continue;
      open.push(...f.calls);
      for (const i of f.launches) {
        const callee = file.launches[i]?.kernel.split('::').at(-1);
        if (callee !== undefined) kernels.add(callee.trim());
      }
    }
  }
  return kernels;
}

/**
 * The file as far as it is about one kernel: only host functions that lead to it may be the entry of its task. Where none
 * does, the kernel stands alone.
 */
export function focusOn(file: KernelFile, kernel: string): KernelFile {
  const leads = file.hostFunctions.filter((f) => launchedFrom(f.name, file).has(kernel));
  const entries = new Set(leads.filter((f) => f.name !== 'main').map((f) => f.signature));
  const silent = file.hostFunctions.filter((f) => launchedFrom(f.name, file).size === 0 || f.name === 'main');
  const hostFunctions = file.hostFunctions.filter((f) => entries.has(f.signature) || silent.includes(f));
  if (entries.size > 0) return { ...file, hostFunctions };
  return { ...file, hostFunctions, kernels: file.kernels.filter((k) => k.name === kernel) };
}
