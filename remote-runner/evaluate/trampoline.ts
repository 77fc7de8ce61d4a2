// Generates the C++ that includes the candidate's sources and makes the calls: one `ks_call_N` per set of dtypes and constants.
// It lives in the candidate's translation unit, so that linkage, namespaces, templates and a `main` in the file do not matter.
import type { ResolvedArgument, Scenario, Value } from '../../src/task/types.js';

export interface CallPlan {
  /** C++ source of the trampoline. */
  source: string;
  /** Which ks_call_N a scenario uses. */
  groupOf: Map<string, number>;
  groups: number;
  /** Variables passed at run time, in the order of their slots after the arguments. */
  runtimeVariables: string[];
}

export type Callee =
  | { kind: 'call'; expression: string }
  /** Bare kernel: `attn<128>` and the list `(q, k, o)` that is passed to it, by default all of them; its configuration comes in seven further slots (grid, block, dynamic shared memory). */
  | { kind: 'kernel'; name: string; passed?: string; largeShared: boolean };

const identifiers = (text: string): Set<string> => new Set(text.match(/[A-Za-z_]\w*/g) ?? []);

/** Variables that stand inside angle brackets must be constants of the compiler. */
function constantVariables(expression: string, variables: string[]): string[] {
  const inside = [...expression.matchAll(/<([^;]*)>/g)].map((m) => m[1] ?? '').join(' ');
  const used = identifiers(inside);
  return variables.filter((v) => used.has(v));
}

const literal = (value: Value): { type: string; text: string } => {
  if (typeof value === 'boolean') return { type: 'bool', text: String(value) };
  if (typeof value === 'string') return { type: 'auto', text: value };
  if (!Number.isInteger(value)) return { type: 'double', text: value.toPrecision(17) };
  const wide = Math.abs(value) > 0x7fffffff;
  return { type: wide ? 'long long' : 'int', text: wide ? `${value}LL` : String(value) };
};

const floating16 = new Set(['half', '__nv_bfloat16']);

/**
 * @param sources paths of the sources to include, as seen from the trampoline's folder
 * @param scenarios with their resolved arguments; all have the same names in the same order
 */
export function planCalls(
  sources: string[],
  callee: Callee,
  scenarios: { scenario: Scenario; arguments: ResolvedArgument[] }[],
): CallPlan {
  const first = scenarios[0];
  if (!first) throw new Error('a task has at least one scenario');
  const passed =
    callee.kind === 'kernel' ? (callee.passed ?? `(${first.arguments.map((a) => a.name).join(', ')})`) : '';
  const expression = callee.kind === 'call' ? callee.expression : callee.name + passed;
  const argumentNames = new Set(first.arguments.map((a) => a.name));
  const names = Object.keys(first.scenario.variables).filter(
    (n) => identifiers(expression).has(n) && !argumentNames.has(n),
  );
  const dtypes = names.filter((n) => typeof first.scenario.variables[n] === 'string');
  const constants = constantVariables(
    expression,
    names.filter((n) => !dtypes.includes(n)),
  );
  const runtimeVariables = names.filter((n) => !dtypes.includes(n) && !constants.includes(n));
  // An argument that a template argument names must be a constant too; its slot is simply not read.
  const constantArguments = constantVariables(
    expression,
    first.arguments.filter((a) => a.kind === 'scalar').map((a) => a.name),
  );

  const bodies: string[] = [];
  const groupOfBody = new Map<string, number>();
  const groupOf = new Map<string, number>();
  for (const { scenario, arguments: args } of scenarios) {
    const lines: string[] = [];
    for (const name of dtypes) lines.push(`using ${name} = ${String(scenario.variables[name])};`);
    for (const name of constants) {
      const { type, text } = literal(scenario.variables[name]!);
      lines.push(`constexpr ${type} ${name} = ${text};`);
    }
    args.forEach((a, i) => {
      if (a.kind === 'buffer')
        lines.push(`${a.isConst ? 'const ' : ''}${a.dtype}* ${a.name} = *(${a.dtype}**)ks_a[${i}];`);
      else if (constantArguments.includes(a.name)) lines.push(`constexpr ${a.dtype} ${a.name} = ${a.value};`);
      else if (floating16.has(a.dtype)) lines.push(`${a.dtype} ${a.name} = ${a.dtype}(*(float*)ks_a[${i}]);`);
      else lines.push(`${a.dtype} ${a.name} = *(${a.dtype}*)ks_a[${i}];`);
    });
    runtimeVariables.forEach((name, i) => {
      const { type } = literal(scenario.variables[name]!);
      const slot = `ks_a[${args.length + i}]`;
      lines.push(
        type === 'double' ? `double ${name} = *(double*)${slot};` : `${type} ${name} = (${type})*(long long*)${slot};`,
      );
    });
    lines.push('cudaStream_t stream = (cudaStream_t)ks_stream; (void)stream;');
    if (callee.kind === 'call') lines.push(`${expression};`);
    else lines.push(...launchLines(callee, passed, args.length + runtimeVariables.length));
    // The host program has a runtime of its own and would miss the error of a bad launch.
    lines.push('return (int)cudaPeekAtLastError();');
    const body = lines.map((l) => `  ${l}\n`).join('');
    let group = groupOfBody.get(body);
    if (group === undefined) {
      group = bodies.length;
      groupOfBody.set(body, group);
      bodies.push(body);
    }
    groupOf.set(scenario.id, group);
  }
  const source =
    // What the calls themselves need, and no more: these headers take nvcc longer than most kernels.
    ['cuda_runtime.h', ...headersOf(bodies)].map((h) => `#include <${h}>\n`).join('') +
    '#define main ks_main_of_the_file\n' +
    sources.map((s) => `#include "${s}"\n`).join('') +
    '#undef main\n' +
    bodies
      .map(
        (body, i) =>
          `extern "C" __attribute__((visibility("default"))) int ks_call_${i}(void** ks_a, void* ks_stream) {\n  (void)ks_a;\n${body}}\n`,
      )
      .join('');
  return { source, groupOf, groups: bodies.length, runtimeVariables };
}

function headersOf(bodies: string[]): string[] {
  const text = bodies.join('');
  return [
    ...(/\bhalf\b/.test(text) ? ['cuda_fp16.h'] : []),
    ...(/\b__nv_bfloat16\b/.test(text) ? ['cuda_bf16.h'] : []),
  ];
}

function launchLines(callee: Extract<Callee, { kind: 'kernel' }>, passed: string, slot: number): string[] {
  const value = (i: number): string => `(unsigned)*(unsigned long long*)ks_a[${slot + i}]`;
  return [
    `dim3 ks_grid(${value(0)}, ${value(1)}, ${value(2)}), ks_block(${value(3)}, ${value(4)}, ${value(5)});`,
    `unsigned ks_shared = ${value(6)};`,
    ...(callee.largeShared
      ? [`cudaFuncSetAttribute(${callee.name}, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)ks_shared);`]
      : []),
    `${callee.name}<<<ks_grid, ks_block, ks_shared, stream>>>${passed};`,
  ];
}
