// How levels, statuses and lists read in a sentence.
import type { Status } from '../../remote-runner/protocol.js';
import type { Level } from './types.js';

/** A level in a sentence: `memory hierarchy`. */
export const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  objective: 'objective and measurement',
  algorithm: 'algorithm',
  'data-movement': 'data movement',
  decomposition: 'decomposition',
  'memory-hierarchy': 'memory hierarchy',
  instructions: 'instructions',
  overlap: 'overlap and scheduling',
  compiler: 'compiler',
  launch: 'launch and runtime',
  'shape-dtype': 'shape and dtype',
};

/** What a candidate did that failed; statuses that say nothing about it are absent. */
export const FAILURE_WORDS: Readonly<Partial<Record<Status, string>>> = {
  wrong: 'gave wrong results',
  compile_error: 'did not compile',
  launch_error: 'could not be launched',
  crash: 'crashed',
  timeout: 'ran out of time',
  out_of_memory: 'ran out of memory',
  nondeterministic: 'did not repeat its results',
  finding: 'broke a rule of measurement',
};

/** `a`, `a and b`, `a, b and c` */
export function listed(items: readonly string[]): string {
  const head = items.slice(0, -1);
  const last = items.at(-1) ?? '';
  return head.length === 0 ? last : `${head.join(', ')} and ${last}`;
}

const LONGEST_QUOTE = 160;

/** Text of a model or person inside a sentence: one line, at most 160 characters, in quotation marks. */
export function quoted(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}“”]+/gu, ' ').trim();
  // By code points, so that no character is cut in two.
  const characters = [...line];
  return `“${characters.length > LONGEST_QUOTE ? `${characters.slice(0, LONGEST_QUOTE).join('').trimEnd()}…` : line}”`;
}
