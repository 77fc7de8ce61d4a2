// Which kernel a task with `kernel` means: the launch names it as C++ does, so one name must mean one kernel. And how its
// arguments are passed to it.
import type { Kernel } from '../kernel/types.js';
import { bind } from './call.js';
import { parseType } from './dtype.js';
import { nearest, show } from './message.js';
import type { TaskFile } from './schema.js';
import { TaskError } from './types.js';

const plainName = (k: Kernel): string => k.qualifiedName.replaceAll('(anonymous)::', '');

/**
 * The call of the kernel without its configuration, `name(arguments)`, with the casts that its parameters need; undefined where
 * the kernel is not in the sources.
 * @param kernels those of the task's sources; a kernel may also come from a header, which is not read here
 * @param hasHeaders whether the sources include files of their own
 * @throws TaskError listing the signatures when none or several fit the name and the arguments
 */
export function resolveKernel(
  task: Pick<TaskFile, 'kernel' | 'arguments'>,
  kernels: Kernel[],
  hasHeaders: boolean,
): string | undefined {
  if (task.kernel === undefined) return undefined;
  const [, name = '', template] = /^(?:::)?([\w:]+)\s*(<.*)?$/s.exec(task.kernel) ?? [];
  const alike = kernels.filter((k) => plainName(k) === name || plainName(k).endsWith(`::${name}`));
  if (alike.length === 0) {
    if (hasHeaders) return undefined;
    const near = nearest(name, kernels.map(plainName));
    const remedy = near === undefined ? `there are ${list(kernels) || 'none'}` : `did you mean ${show(near)}?`;
    throw new TaskError('$.kernel', `the sources have no kernel ${show(name)}: ${remedy}`);
  }
  const exact = alike.filter(
    (k) => plainName(k) === name && (template === undefined || k.templateParameters.length > 0),
  );
  const fitting = exact.flatMap((k) => passed(k, task) ?? []);
  if (fitting.length === 1) return `${task.kernel}(${fitting[0]})`;
  if (exact.length === 1 && alike.length === 1) return undefined;
  throw new TaskError(
    '$.kernel',
    `${show(task.kernel)} with these arguments means ${fitting.length === 0 ? 'none' : 'several'} of ${list(alike)}: ` +
      'write its namespace, and its parameters as "arguments"',
  );
}

const list = (kernels: Kernel[]): string => kernels.map((k) => k.signature).join(', ');

/** The argument list, or undefined where the task's arguments do not fit. */
function passed(kernel: Kernel, task: Pick<TaskFile, 'arguments'>): string | undefined {
  const listed = task.arguments.filter((a) => parseType(a.type)?.kind !== 'stream');
  if (listed.length !== kernel.parameters.length) return undefined;
  const bindings = new Map<string, Set<string>>();
  const texts = listed.map((a, i) => bind(a, kernel.parameters[i]!, kernel, bindings));
  const fits = texts.every((t) => t !== undefined) && [...bindings.values()].every((types) => types.size === 1);
  return fits ? texts.join(', ') : undefined;
}
