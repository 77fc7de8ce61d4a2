// What the fields of a task mean together, and what this version cannot do yet: refused, never silently ignored.
import { resolveArguments } from './arguments.js';
import { evaluateAt } from './at.js';
import { DTYPE_NAMES, parseType, resolveDtype } from './dtype.js';
import { refusedFlags } from './flags.js';
import { resolveLaunch } from './launch.js';
import { nearest, show } from './message.js';
import { expandScenarios } from './scenarios.js';
import type { TaskArgument, TaskFile } from './schema.js';
import { TaskError } from './types.js';

/** Every error of a task whose structure is sound. */
export function checkTask(task: TaskFile): TaskError[] {
  const errors = [
    ...checkStart(task),
    ...task.arguments.flatMap((a, i) => checkArgument(a, `$.arguments[${i}]`, task)),
    ...checkNames(task),
    ...checkJudges(task),
    ...checkUnsupported(task),
    ...refusedFlags(task.build.flags).map((f) => new TaskError(`$.build.flags[${f.index}]`, f.message)),
  ];
  return errors.length > 0 ? errors : checkScenarios(task);
}

/** Resolves everything for every scenario, so that a task that validates also runs. */
function checkScenarios(task: TaskFile): TaskError[] {
  const errors = new Map<string, TaskError>();
  const attempt = (what: () => unknown): void => {
    try {
      what();
    } catch (error) {
      if (!(error instanceof TaskError)) throw error;
      // The same mistake shows in every scenario: once is enough.
      if (!errors.has(error.path)) errors.set(error.path, error);
    }
  };
  attempt(() => {
    for (const scenario of expandScenarios(task)) {
      const { variables } = scenario;
      task.arguments.forEach((_, i) => attempt(() => resolveArguments(task, scenario, i)));
      attempt(() => task.launch && resolveLaunch(task.launch, variables));
      attempt(() => task.work?.flops !== undefined && evaluateAt('$.work.flops', task.work.flops, variables));
      attempt(() => task.work?.bytes !== undefined && evaluateAt('$.work.bytes', task.work.bytes, variables));
    }
  });
  return [...errors.values()];
}

/** What is wrong with how a task says what to call. */
export function checkStart(task: Pick<TaskFile, 'entry' | 'call' | 'kernel' | 'launch'>): TaskError[] {
  const entry = task.entry !== undefined || task.call !== undefined;
  if (entry && (task.kernel !== undefined || task.launch !== undefined)) {
    const extra = task.kernel !== undefined ? 'kernel' : 'launch';
    const remedy = 'keep "entry" (a host function that launches) or "kernel" with "launch"';
    return [new TaskError(`$.${extra}`, `stands beside "${task.entry !== undefined ? 'entry' : 'call'}": ${remedy}`)];
  }
  if (entry) return [];
  if (task.kernel !== undefined && task.launch !== undefined) return [];
  if (task.kernel !== undefined) {
    return [new TaskError('$.launch', 'is missing: a bare kernel needs "launch": { "grid": […], "block": […] }')];
  }
  if (task.launch !== undefined) return [new TaskError('$.kernel', 'is missing: name the kernel that "launch" starts')];
  return [
    new TaskError(
      '$',
      'has no "entry": name the host function that launches, or give "kernel" and "launch" for a bare kernel',
    ),
  ];
}

function checkArgument(argument: TaskArgument, at: string, task: TaskFile): TaskError[] {
  const errors: TaskError[] = [];
  const refuse = (field: keyof TaskArgument, why: string) => {
    if (argument[field] !== undefined) errors.push(new TaskError(`${at}.${field}`, why));
  };
  const type = parseType(argument.type);
  if (type === undefined) {
    const remedy =
      'write a dtype or a pointer to one, such as "const float*" or "int"; for other parameters give "call"';
    return [new TaskError(`${at}.type`, `${show(argument.type)} is not understood: ${remedy}`)];
  }
  if (type.kind === 'stream') return [];
  if (resolveDtype(type.base) === undefined && !holdsDtype(type.base, task)) {
    errors.push(new TaskError(`${at}.type`, unknownDtype(type.base, task)));
  }
  if (type.kind === 'scalar') {
    for (const field of [
      'shape',
      'strides',
      'offset',
      'align',
      'role',
      'fill',
      'tolerance',
      'rtol',
      'atol',
      'compare',
    ] as const) {
      refuse(
        field,
        `belongs to buffers, but ${show(argument.type)} is a scalar: remove it, or make the type a pointer`,
      );
    }
    return errors;
  }
  refuse('value', 'belongs to scalars: use "fill" for buffers');
  if (argument.shape === undefined) {
    errors.push(new TaskError(`${at}.shape`, 'is missing: a buffer needs its extents, for example ["rows", "cols"]'));
  }
  if (argument.strides !== undefined && argument.strides.length !== argument.shape?.length) {
    errors.push(
      new TaskError(
        `${at}.strides`,
        `has ${argument.strides.length} extents, "shape" has ${argument.shape?.length ?? 0}`,
      ),
    );
  }
  if (argument.align !== undefined && !Number.isInteger(Math.log2(argument.align))) {
    errors.push(new TaskError(`${at}.align`, `${argument.align} must be a power of two`));
  }
  const role = argument.role ?? 'input';
  if (argument.role === undefined && !type.isConst) {
    errors.push(
      new TaskError(
        `${at}.role`,
        'is missing: say "output", "inout", "workspace" or "input", since the pointer is not const',
      ),
    );
  } else if (role !== 'input' && type.isConst) {
    errors.push(
      new TaskError(`${at}.role`, `"${role}" needs a pointer that can be written: remove const from the type`),
    );
  }
  if (role === 'input' || role === 'workspace') {
    for (const field of ['tolerance', 'rtol', 'atol', 'compare'] as const) {
      refuse(field, `belongs to outputs, but the role is "${role}"`);
    }
  }
  if (role === 'output' || role === 'workspace')
    refuse('fill', `belongs to inputs: an argument with role "${role}" is overwritten`);
  for (const field of ['rtol', 'atol'] as const) {
    if (argument.tolerance?.[field] !== undefined) refuse(field, `stands also in "tolerance": keep one of the two`);
  }
  if (typeof argument.compare === 'object') {
    for (const field of ['tolerance', 'rtol', 'atol'] as const) {
      refuse(field, 'stands beside a checker program, which decides alone: remove one of the two');
    }
  }
  return errors;
}

function unknownDtype(base: string, task: TaskFile): string {
  if (/fp8|float8|e4m3|e5m2/i.test(base)) return `${show(base)} is not supported yet: 8-bit floating types come later`;
  const variables = new Set(
    [...task.scenarios, ...task.heldOut].flatMap((s) => [...Object.keys(s), ...Object.keys(s.grid ?? {})]),
  );
  const near = nearest(base, [...DTYPE_NAMES, ...variables]);
  const remedy =
    near !== undefined ? `did you mean "${near}"?` : 'use a dtype, or a variable that every scenario sets to one';
  return `${show(base)} is neither a dtype nor a scenario variable that holds one: ${remedy}`;
}

function holdsDtype(name: string, task: TaskFile): boolean {
  return [...task.scenarios, ...task.heldOut].some((s) => {
    const values = s.grid?.[name] ?? [s[name]];
    return values.some((v) => typeof v === 'string' && resolveDtype(v) !== undefined);
  });
}

/** Names the trampoline would have to declare, but C++ or we already mean something by. */
const RESERVED = new Set(
  'auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for friend goto if inline int long mutable namespace new nullptr operator private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while'.split(
    ' ',
  ),
);

function checkNames(task: TaskFile): TaskError[] {
  const errors: TaskError[] = [];
  const seen = new Map<string, number>();
  task.arguments.forEach((argument, i) => {
    const at = `$.arguments[${i}].name`;
    const isStream = parseType(argument.type)?.kind === 'stream';
    const first = seen.get(argument.name);
    if (first !== undefined)
      errors.push(new TaskError(at, `"${argument.name}" is already argument ${first}: names are unique`));
    else seen.set(argument.name, i);
    if (RESERVED.has(argument.name))
      errors.push(new TaskError(at, `"${argument.name}" is a C++ keyword: choose another name`));
    if (argument.name === 'stream' && !isStream) {
      errors.push(new TaskError(at, '"stream" is reserved for the cudaStream_t that is supplied: choose another name'));
    }
    if (isStream && i !== task.arguments.length - 1) {
      errors.push(
        new TaskError(`$.arguments[${i}].type`, 'a cudaStream_t is supplied last: for another place give "call"'),
      );
    }
  });
  const written = task.arguments.some((a) => a.role === 'output' || a.role === 'inout');
  if (!written)
    errors.push(new TaskError('$.arguments', 'has no output: give one argument the role "output" or "inout"'));
  return errors;
}

/** What decides must not be what is judged. */
function checkJudges(task: TaskFile): TaskError[] {
  const named = [
    { file: task.reference, at: '$.reference' },
    ...task.arguments.flatMap(({ compare }, i) =>
      typeof compare === 'object' ? [{ file: compare.check, at: `$.arguments[${i}].compare.check` }] : [],
    ),
  ];
  return named
    .filter(({ file }) => task.sources.some((s) => plain(s) === plain(file)))
    .map(
      ({ file, at }) => new TaskError(at, `${show(file)} is one of the sources that may be edited: name another file`),
    );
}

const plain = (file: string): string => file.replace(/(^|\/)(\.\/)+/g, '$1');

function checkUnsupported(task: TaskFile): TaskError[] {
  const errors: TaskError[] = [];
  if (task.compare.length > 0) {
    errors.push(new TaskError('$.compare', 'is not supported yet: remove it, nothing but the original is timed'));
  }
  if (task.objective.over !== 'original') {
    errors.push(new TaskError('$.objective.over', `${show(task.objective.over)} is not supported yet: use "original"`));
  }
  return errors;
}
