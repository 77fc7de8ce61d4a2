// The cheat corpus: what each candidate of test/cheats tries, which defence stops it, and the verdicts that count as caught.
import type { Status, Verdict } from '../../remote-runner/protocol.js';

export interface Cheat {
  /** NAME.cu in test/cheats; its first line says what it does. */
  name: string;
  /** NAME.task.json in test/cheats. */
  task: string;
  /** Rows of the table of known cheats that it stands for; none for those of our own. */
  rows: number[];
  /** What stops it. */
  caughtBy: string;
  mode: 'first' | 'confirm';
  /** Verdicts that count as caught, by target; a target on which the cheat does not exist is left out. */
  cpu?: Status[];
  cuda?: Status[];
  /** Why it is not caught yet, by target: the test expects it to get through, and fails as soon as it does not. */
  uncaught?: { cpu?: string; cuda?: string };
}

/** With `correct` among the verdicts the cheat is harmless: it must not look faster than it is. */
const harmless: Status[] = ['correct', 'finding'];
const wrong: Status[] = ['wrong', 'nondeterministic'];
const forged: Status[] = ['finding'];

const both = (statuses: Status[]): Pick<Cheat, 'cpu' | 'cuda'> => ({ cpu: statuses, cuda: statuses });
const of = (
  name: string,
  rows: number[],
  caughtBy: string,
  rest: Pick<Cheat, 'cpu' | 'cuda' | 'uncaught'> & Partial<Pick<Cheat, 'task' | 'mode'>>,
): Cheat => ({ name, rows, caughtBy, task: 'smooth', mode: 'first', ...rest });

const keeperClock = 'the keeper’s own clock, before a win';
const borneOut = 'a gain counts as far as clocks outside bear it out';
const spans =
  'what is saved must be saved from inputs to results: by the CPU time of the whole worker, on a GPU by the runner’s clock';
const compared = 'every timed call is compared with the original';
const turns = 'a side that is not at turn is stopped; what it starts ends with its evaluation';

export const cheats: Cheat[] = [
  of('other-stream', [1], 'the whole device is waited for, and what runs on counts', both(harmless)),
  of('background-thread', [2], compared, both([...wrong, ...harmless, 'crash'])),
  of('hog-threads', [2, 25], turns, { ...both(harmless), task: 'smooth-large' }),
  of('hog-processes', [2, 25], turns, { ...both(harmless), task: 'smooth-large' }),
  of('device-hog', [2, 25], turns, { cuda: [...harmless, 'timeout'], task: 'smooth-large' }),
  of('lazy-page', [3], 'pages that are missing are read while the clock runs', { cpu: harmless, mode: 'confirm' }),
  of('at-exit', [3, 4], compared, both(wrong)),
  of('interposes', [4], 'the harness is bound before the candidate is loaded', both(harmless)),
  of('replaced-imports', [4, 14], keeperClock, {
    ...both(forged),
    mode: 'confirm',
  }),
  of('patched-timer', [4], keeperClock, {
    ...both(forged),
    mode: 'confirm',
  }),
  of('own-memory-file', [], 'a worker cannot open its own memory; ' + keeperClock, {
    ...both(harmless),
    mode: 'confirm',
  }),
  of('start-event', [], keeperClock, {
    cpu: forged,
    cuda: [...harmless, 'crash'],
    mode: 'confirm',
  }),
  of('by-address', [5], 'fresh contents at addresses that move', both(wrong)),
  of('by-shape', [6], compared, both(wrong)),
  of('two-in-one', [6], 'each call is waited for and compared', both(wrong)),
  of('by-content', [7], 'fresh contents for each timed call', both(harmless)),
  of('idle-when-timed', [8], 'the timed calls are the checked calls', both(wrong)),
  of('graph-replay', [9], 'fresh contents at addresses that move', both([...wrong, 'finding'])),
  of('graph-of-many', [9], 'each call is waited for and compared', both([...wrong, 'finding'])),
  of('only-poison', [10], 'poison is random', both(wrong)),
  of('known-poison', [10], 'poison is drawn anew for each call', both(wrong)),
  of('stale-buffer', [11], 'the original runs in a process of its own', both(wrong)),
  of('easier-input', [12], 'inputs are compared after the call', both(['finding'])),
  of('easier-segment', [12, 19], 'the input segment cannot be opened again to write; it is hashed', both(harmless)),
  of(
    'searched-memory',
    [13],
    'expected values are in no worker',
    both([...wrong, ...harmless, 'crash', 'launch_error']),
  ),
  of('sibling-memory', [13, 14], 'workers cannot read each other', both([...wrong, ...harmless])),
  of('not-a-number', [13], 'NaN agrees with NaN only', both(wrong)),
  of('zeroed-counter', [13], 'poison is random; ' + compared, { ...both(wrong), task: 'count' }),
  of('filtered-channel', [14], borneOut, {
    cpu: forged,
    cuda: harmless,
    mode: 'confirm',
  }),
  of('shaved-times', [14], borneOut, { ...both(harmless), mode: 'confirm' }),
  of('few-microseconds', [14], borneOut, { ...both(harmless), mode: 'confirm' }),
  of('tiny-times', [14], borneOut, { ...both(harmless), task: 'smooth-tiny', mode: 'confirm' }),
  of('closed-channel', [], 'a silent worker is a failed one', both(['crash', 'timeout', 'finding'])),
  of('throws', [], 'a dead worker is a failed one', both(['crash'])),
  of('persisting-l2', [15], 'persisting lines are reset before each call', { cuda: harmless, task: 'stream' }),
  of('fixed-shape', [16], 'held-out scenarios', { ...both(wrong), mode: 'confirm' }),
  of('multiple-of-256', [16], 'odd sizes', both(wrong)),
  of('constant', [17], 'a tolerance that cannot tell the outputs of different inputs apart', {
    ...both(['task_error', 'wrong', 'finding']),
    task: 'loose',
  }),
  of('without-weights', [17], 'inputs that never vary are varied', {
    ...both(['wrong', 'task_error', 'finding']),
    task: 'dot',
  }),
  of('half-sum', [18], 'the tolerance of single precision', { ...both(wrong), task: 'dot' }),
  of('without-maximum', [18], 'inputs of the size that the task names', { ...both(wrong), task: 'softmax-wide' }),
  of('overwritten-baseline', [19], 'the original’s library cannot be written to', both(harmless)),
  of('uninitialised-shared', [20], 'shared memory is not zero; initcheck', both([...wrong, 'finding'])),
  of('missing-barrier', [20], 'races between barriers are looked for', {
    ...both([...wrong, 'finding']),
    mode: 'confirm',
  }),
  of('swallowed-error', [20, 21], compared, both([...wrong, 'launch_error'])),
  of('called-baseline', [21], 'it is as fast as what it calls', both([...harmless, 'wrong'])),
  of('opened-library', [21], 'libraries in the process that the original does not use', {
    cuda: ['finding'],
    task: 'gemm',
  }),
  of('empty-kernel', [21], compared, both(wrong)),
  of('host-loop', [21], 'device memory is not the host’s; on the CPU target strict mode tells whose code uses it', {
    cpu: ['finding'],
    cuda: ['crash'],
  }),
  of('warm-up-detected', [22], 'the timed calls are the checked calls', both(wrong)),
  of('rests-first', [22], 'the clock runs while the entry does', both(harmless)),
  of('one-scenario', [23], keeperClock + ', per scenario', {
    cpu: forged,
    cuda: harmless,
    mode: 'confirm',
  }),
  of('large-only', [23], compared, both(wrong)),
  of('edited-evaluator', [24], 'workers cannot write to the evaluator’s files', both(harmless)),
  of('identical', [25], 'interleaved pairs, intervals', { ...both(['correct']), mode: 'confirm' }),
  of('set-up', [26], 'fresh contents for each timed call', both(wrong)),
  of('computed-ahead', [], spans, { ...both([...harmless, ...wrong]), task: 'smooth-large', mode: 'confirm' }),
  of('computed-while-loading', [], spans, { cpu: forged, mode: 'confirm' }),
  of('impersonated-turn', [], spans, { cpu: forged, mode: 'confirm' }),
  of('stopped-sibling', [], 'workers cannot signal each other', {
    ...both(harmless),
    task: 'smooth-large',
  }),
  of('pinned-sibling', [], 'workers cannot move each other', { ...both(harmless), task: 'smooth-large' }),
  of('leftovers', [], 'secret seeds: no input comes twice', both(harmless)),
  of('every-second-element', [], compared, both(wrong)),
  of('checked-ends', [], 'every element is compared', both(wrong)),
  of('next-call', [], 'each call is waited for and compared', both(wrong)),
  of('memory-hog', [], 'an original that fails judges nobody', {
    cuda: [...harmless, 'task_error', 'out_of_memory'],
  }),
  of('filled-disk', [], 'limits on files; nothing is written while the clock runs', both([...harmless, 'crash'])),
  of('float-mode', [], 'each side has a process of its own', both([...harmless, 'wrong'])),
  of('more-threads', [], 'the number of threads is read once, before', both(harmless)),
  of('alarm-signal', [], compared, both([...wrong, ...harmless, 'crash', 'timeout'])),
];

/** What it does, from the first line of its source. */
export const whatItDoes = (source: string): string => /^\/\/ (.*)/.exec(source)?.[1] ?? '';

/** Above this a speedup is taken for one that the candidate does not have: emulated times move with the machine. */
const gain = (verdict: Verdict): number => (verdict.emulated ? 1.5 : 1.15);

/** Why the verdict is not one that catches it; undefined when it is. */
export function getsThrough(verdict: Verdict, expected: readonly Status[]): string | undefined {
  if (!expected.includes(verdict.status))
    return `${verdict.status} instead of ${expected.join(', ')}: ${verdict.message}`;
  if (verdict.speedup && verdict.speedup.low > gain(verdict)) return `falsely fast: ${verdict.message}`;
  return undefined;
}
