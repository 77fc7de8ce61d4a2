// __CUDA_ARCH__. nvcc compiles a file for the host, where it is not defined, and for the device, where it is; here one compilation
// serves both. So the name is defined where device code asks: in the bodies of device functions, in macros, and in conditions
// around nothing but macros and device functions. Conditions around code for the host see it undefined, as nvcc's host side does.
import { preprocess } from '../../../src/kernel/preprocess.js';
import { SourceText } from '../../../src/kernel/text.js';
import { matchBrackets, tokenize, type Token } from '../../../src/kernel/tokens.js';
import { evaluateCondition, type MacroValue } from './conditions.js';
import type { Edit } from './edits.js';
import { standsFor, type JobNames } from './job-names.js';
import { deviceBodies, type DeviceBody } from './scopes.js';

/** What the device of this target says about itself: compute capability 9.0. The headers define KS_CUDA_ARCH alike. */
const ARCHITECTURE = 900;

const CONDITIONAL = /^#\s*(ifdef|ifndef|if|elifdef|elifndef|elif|else|endif)\b\s*([\s\S]*)/;
const NAME = /\b__CUDA_ARCH__\b/g;
const DEVICE_ONLY = new Set(['__global__', '__device__', '__constant__', '__managed__']);

interface Group {
  directives: Token[];
  /** From the #if to behind its #endif. */
  start: number;
  end: number;
}

/** Gives __CUDA_ARCH__ its other name wherever it is defined. */
export function rewriteArchitecture(text: string, names: JobNames): Edit[] {
  if (!text.includes('__CUDA_ARCH__')) return [];
  const source = new SourceText(text);
  const tokens = tokenize(text);
  const { live } = preprocess(source, tokens);
  const bodies = deviceBodies(live, matchBrackets(live), names);
  const inDeviceCode = (offset: number): boolean => bodies.some((b) => offset >= b.start && offset < b.end);
  const edits: Edit[] = [];
  const rename = (token: Token): void => {
    for (const match of token.text.matchAll(NAME)) {
      const start = token.start + match.index;
      edits.push({ start, end: start + match[0].length, text: 'KS_CUDA_ARCH' });
    }
  };
  for (const token of tokens) {
    if (token.kind === 'name' && token.text === '__CUDA_ARCH__' && inDeviceCode(token.start)) rename(token);
    if (token.kind === 'directive' && /^#\s*define\b/.test(token.text)) rename(token);
  }
  for (const group of groupsOf(tokens)) if (seesDevice(group, tokens, bodies, names)) group.directives.forEach(rename);
  return edits;
}

/** Stretches that the preprocessor leaves out, as far as can be told: nothing in them is compiled. */
export function inactiveRanges(text: string, names: JobNames): { start: number; end: number }[] {
  const source = new SourceText(text);
  const tokens = tokenize(text);
  const groups = groupsOf(tokens);
  if (groups.length === 0) return [];
  const { live } = preprocess(source, tokens);
  const bodies = deviceBodies(live, matchBrackets(live), names);
  const inactive: { start: number; end: number }[] = [];
  for (const group of groups) {
    const isDevice =
      group.directives.some((d) => d.text.includes('__CUDA_ARCH__')) && seesDevice(group, tokens, bodies, names);
    let isTaken: boolean | undefined = false;
    group.directives.forEach((directive, i) => {
      const [, word = '', condition = ''] = CONDITIONAL.exec(directive.text) ?? [];
      if (word === 'endif') return;
      const holds =
        word === 'else' ? true : evaluateCondition(word, condition, (name) => valueOf(name, isDevice, names));
      if (isTaken === true || holds === false)
        inactive.push({ start: directive.end, end: group.directives[i + 1]?.start ?? group.end });
      if (holds === true) isTaken = true;
    });
  }
  return inactive;
}

const DEFINED = new Set(['__CUDACC__', '__NVCC__', '__KERNELSEEK_CPU__', '__GNUC__', '__linux__', '__cplusplus']);
/** Compilers and systems that are not this one. */
const ABSENT =
  /^(?:__INTELLISENSE__|_MSC_VER|_WIN32|WIN32|_WIN64|__HIP\w*|__CUDACC_RTC__|__CUDACC_DEBUG__|__SYCL\w*|__OPENCL\w*)$/;

/** What a macro is, where it is one of the compiler's or the build's, or is defined nowhere in the job. */
function valueOf(name: string, isDevice: boolean, names: JobNames): MacroValue {
  if (name === '__CUDA_ARCH__') return isDevice ? ARCHITECTURE : 'unset';
  const given = names.defines[name];
  if (given !== undefined) return /^-?\d+$/.test(given) ? Number(given) : 'set';
  if (DEFINED.has(name)) return 'set';
  if (ABSENT.test(name)) return 'unset';
  // A name that the system's headers may define, or that a file of the job does, perhaps under a condition.
  return /^_[_A-Z]/.test(name) || names.macros.has(name) || !/^[A-Z][A-Z0-9]*_[A-Z0-9_]*$/.test(name)
    ? undefined
    : 'unset';
}

function seesDevice(group: Group, tokens: readonly Token[], bodies: readonly DeviceBody[], names: JobNames): boolean {
  if (!group.directives.some((d) => /\b__CUDA_ARCH__\b/.test(d.text))) return false;
  if (bodies.some((b) => group.start >= b.start && group.start < b.end)) return true;
  const inside = tokens.filter((t) => t.start >= group.start && t.end <= group.end);
  if (inside.some((t) => t.kind === 'directive' && /^#\s*include/.test(t.text))) return false;
  return statements(inside.filter((t) => t.kind !== 'directive')).every((words) =>
    standsFor(words, DEVICE_ONLY, names),
  );
}

/** The words of each statement or definition, without what its braces hold. */
function statements(tokens: readonly Token[]): string[][] {
  const partners = matchBrackets([...tokens]);
  const found: string[][] = [];
  let words: string[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const { text } = tokens[i]!;
    const close = text === '{' ? partners.get(i) : undefined;
    if (close !== undefined) i = close;
    else words.push(text);
    if (close === undefined && text !== ';') continue;
    if (words.some((w) => w !== ';')) found.push(words);
    words = [];
  }
  return words.length > 0 ? [...found, words] : found;
}

/** Every #if … #endif with its directives; inner ones come first. */
function groupsOf(tokens: readonly Token[]): Group[] {
  const groups: Group[] = [];
  const open: Token[][] = [];
  for (const token of tokens) {
    const word = token.kind === 'directive' ? CONDITIONAL.exec(token.text)?.[1] : undefined;
    if (word === undefined) continue;
    if (word.startsWith('if')) open.push([token]);
    else open.at(-1)?.push(token);
    if (word !== 'endif') continue;
    const directives = open.pop();
    if (directives) groups.push({ directives, start: directives[0]!.start, end: token.end });
  }
  return groups;
}
