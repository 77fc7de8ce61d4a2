// A bare kernel with its launch, where launches stand only in main or in functions that copy from the host.
import type { Term } from '../../kernel/term.js';
import { expandMacro } from '../../kernel/preprocess.js';
import { tokenize } from '../../kernel/tokens.js';
import type { HostFunction, Kernel, KernelFile, Launch, Parameter } from '../../kernel/types.js';
import { parseType, resolveDtype, sizeOf } from '../dtype.js';
import { kernelOf } from './entry.js';
import { express, type Resolve } from './express.js';
import type { Bodies } from './reach.js';
import { axisTerms, HostScope, termOf } from './scope.js';

export interface Bare {
  kernel: Kernel;
  /** As the task names it, template arguments included. */
  name: string;
  fn?: HostFunction;
  launch?: Launch;
  /** In its place where nothing launches the kernel. */
  imagined?: Launch;
  /** Host name → scenario variable. */
  variables: Map<string, string>;
  /** Scalars of the kernel that are no variables: their value. */
  values: Map<string, number | string>;
  grid?: string[];
  block?: string[];
  shared?: string;
}

/** The first launch of a kernel of the file, or its first kernel if nothing launches. */
export function chooseBare(file: KernelFile, bodies: Bodies): Bare | undefined {
  for (const launch of file.launches) {
    const kernel = kernelOf(file, launch, () => undefined);
    const index = file.launches.indexOf(launch);
    const fn = file.hostFunctions.find((f) => f.launches.includes(index));
    if (kernel && fn) return withLaunch(file, bodies, kernel, launch, fn);
  }
  const [kernel] = file.kernels;
  if (!kernel) return undefined;
  const isFree = (p: Parameter) => isInteger(p.type);
  const variables = new Map(kernel.parameters.filter(isFree).map((p) => [p.name, p.name]));
  return { kernel, name: kernel.qualifiedName, variables, values: new Map(), imagined: imaginedLaunch(kernel) };
}

/** One thread per element of the first size, in blocks of 256: for kernels that nothing launches. */
function imaginedLaunch(kernel: Kernel): Launch {
  const { range } = kernel;
  const piece = (text: string) => ({ text, range });
  const size = kernel.parameters.find((p) => isInteger(p.type))?.name;
  return {
    kernel: kernel.name,
    grid: piece(size === undefined ? '1' : `ceil_div(${size}, 256)`),
    block: piece('256'),
    arguments: kernel.parameters.map((p) => piece(p.name)),
    range,
    calleeRange: range,
    configRange: range,
  };
}

function isInteger(type: string): boolean {
  const parsed = parseType(type);
  const dtype = parsed?.kind === 'scalar' ? resolveDtype(parsed.base) : undefined;
  return dtype !== undefined && !['float', 'double', 'half', '__nv_bfloat16', 'bool'].includes(dtype);
}

function withLaunch(file: KernelFile, bodies: Bodies, kernel: Kernel, launch: Launch, fn: HostFunction): Bare {
  const body = bodies.of(fn.range);
  const variables = new Map<string, string>();
  const values = new Map<string, number | string>();
  const template = launch.templateArguments === undefined ? '' : `<${launch.templateArguments}>`;
  const name = kernel.qualifiedName.replaceAll('(anonymous)::', '') + template;
  const bare: Bare = { kernel, name, fn, launch, variables, values };
  const scope = new HostScope(bodies.code, file, body, new Map());
  const kernelText = bodies.code.tokens.filter(
    (t) => t.start >= kernel.range.startIndex && t.end <= kernel.range.endIndex,
  );
  const scalars = kernel.parameters.map((p, i) => ({ p, text: launch.arguments[i]?.text ?? p.default ?? '' }));
  // Plain names first: `n` passed as it is makes n a variable, whatever main sets it to.
  for (const { p, text } of scalars) {
    const term = isInteger(p.type) ? termOf(text) : undefined;
    if (term?.kind !== 'name') continue;
    // A constant that the kernel also reads by name cannot vary.
    const isFixed =
      kernelText.some((t) => t.text === term.name) && p.name !== term.name && fixed(bodies, file, term.name);
    if (isFixed) values.set(p.name, scope.bound(term)?.high ?? 0);
    else if (!variables.has(term.name)) variables.set(term.name, p.name);
    else values.set(p.name, variables.get(term.name) ?? p.name);
  }
  const resolve = resolver(bodies, file, bare, fn);
  for (const { p, text } of scalars) {
    const term = termOf(text);
    if (parseType(p.type)?.kind !== 'scalar' || values.has(p.name) || [...variables.values()].includes(p.name))
      continue;
    const value = term && express(term, resolve, sizeOfType);
    const number = scope.bound(term);
    if (value !== undefined && /[a-z]/i.test(value)) values.set(p.name, value);
    else if (number && number.low === number.high) values.set(p.name, number.low);
  }
  const axes = (text: string, names: Resolve): string[] | undefined => {
    // A grid that is one name is a choice of the launcher, not a size of the data.
    const texts = axisTerms(text, body).map((t) => t && express(t, t.kind === 'name' ? resolve : names, sizeOfType));
    return texts.every((t) => t !== undefined) ? texts : undefined;
  };
  const blockNames = new Set(tokenize(launch.block.text).map((t) => t.text));
  for (const t of axisTerms(launch.block.text, body)) if (t) namesOf(t).forEach((n) => blockNames.add(n));
  // `nx` of `nx / TILE`, set to a number in main and unknown to the kernel and its block: a size.
  const isSize = (n: string): boolean => {
    const [definition, ...others] = body.definitions.get(n) ?? [];
    const isLiteral = definition?.terms.length === 1 && scope.bound(definition.terms[0]) !== undefined;
    const depends = definition?.terms[0] ? namesOf(definition.terms[0]).length > 0 : true;
    return isLiteral && !depends && others.length === 0 && !blockNames.has(n) && !kernelText.some((t) => t.text === n);
  };
  const written = axes(launch.grid.text, (n) => {
    if (!variables.has(n) && isSize(n)) variables.set(n, n);
    return resolve(n);
  });
  // Without a size nothing varies: whatever the grid is computed from, a number says it.
  const numbers =
    variables.size > 0 ? [] : scope.axes(launch.grid.text).map((i) => (i?.low === i?.high ? i?.high : undefined));
  const isFixed = numbers.length > 0 && numbers.every((n) => n !== undefined);
  bare.grid = written ?? (isFixed ? numbers.map(String) : undefined);
  bare.block = axes(launch.block.text, resolve);
  const shared = launch.shared && launch.shared.text !== '0' ? termOf(launch.shared.text) : undefined;
  if (shared) bare.shared = express(shared, resolve, sizeOfType);
  return bare;
}

function namesOf(term: Term): string[] {
  switch (term.kind) {
    case 'name':
      return [term.name];
    case 'call':
      return term.operands.flatMap(namesOf);
    case 'unary':
      return namesOf(term.operand);
    case 'binary':
      return [...namesOf(term.left), ...namesOf(term.right)];
    case 'choice':
      return [term.condition, term.then, term.otherwise].flatMap(namesOf);
    case 'element':
      return [term.base, ...namesOf(term.index)];
    case 'number':
    case 'sizeof':
      return [];
  }
}

function fixed(bodies: Bodies, file: KernelFile, name: string): boolean {
  return file.constants.some((c) => c.name === name) || bodies.code.macros.some((m) => m.name === name);
}

function sizeOfType(type: string): number | undefined {
  const dtype = resolveDtype(type);
  return dtype && sizeOf(dtype);
}

/** Names of the launching function: variables, local definitions, constants, macros; its own parameters become variables. */
function resolver(bodies: Bodies, file: KernelFile, bare: Bare, fn: HostFunction): Resolve {
  const body = bodies.of(fn.range);
  return (name) => {
    const variable = bare.variables.get(name);
    if (variable !== undefined) return { variable };
    const member = /^(\w+)\.([xyz])$/.exec(name);
    const terms = body.definitions.get(member?.[1] ?? name)?.at(-1)?.terms;
    const axis = member ? 'xyz'.indexOf(member[2] ?? 'x') : 0;
    const one: Term = { kind: 'number', value: 1 };
    if (terms && (member || terms.length === 1)) {
      const term = terms[axis] ?? (member ? one : undefined);
      return term && { term };
    }
    const constant = file.constants.find((c) => c.name === name);
    if (constant) return { term: { kind: 'number', value: constant.value } };
    const macro = bodies.code.macros.find((m) => m.name === name && m.parameters === undefined);
    const term = macro && termOf(expandMacro(macro, []));
    if (term) return { term };
    if (fn.parameters.some((p) => p.name === name && isInteger(p.type))) {
      bare.variables.set(name, name);
      return { variable: name };
    }
    return undefined;
  };
}

/** Bytes that the launching function allocates for a buffer: `cudaMalloc(&d_x, bytes)`. */
export function allocatedBytes(bodies: Bodies, bare: Bare, scope: HostScope, parameter: string): number | undefined {
  const { fn, launch, kernel } = bare;
  const index = kernel.parameters.findIndex((p) => p.name === parameter);
  const passed = tokenize(launch?.arguments[index]?.text ?? '').find((t) => t.kind === 'name')?.text;
  if (!fn || passed === undefined) return undefined;
  const { tokens, partners } = bodies.code;
  for (const call of bodies.of(fn.range).calls) {
    const [target, bytes] = call.arguments;
    if (!/^cudaMalloc(Managed|Async|Host)?$/.test(call.name) || !target || !bytes) continue;
    if (tokens[target.to - 1]?.text !== passed && !tokens.slice(target.from, target.to).some((t) => t.text === passed))
      continue;
    const text = tokens
      .slice(bytes.from, bytes.to)
      .map((t) => t.text)
      .join(' ');
    const size = partners.size > 0 ? scope.bound(termOf(text)) : undefined;
    if (size && size.low === size.high) return size.high;
  }
  return undefined;
}
