// Which values sizes get, and which product of sizes an extent is.
import { parseExpression } from '../expression.js';
import { evaluate } from '../expression-value.js';

/** Names of integer parameters that are choices or options, not sizes of data. */
const OPTIONS: readonly [RegExp, number][] = [
  [/^(block_?size|threads?|n?threads(_?per_?block)?|block|bs_threads|tpb)$/i, 256],
  [
    /^(kernel_?num|version|variant|mode|which\w*|algo\w*|axis|iters?|n?_?iterations|repeat|stride|incx|incy|dilation|seed|depth)$/i,
    1,
  ],
  [/^(pad|padding|offset|shift|start|begin|device|device_?id|dev_?id)$/i, 0],
  [/^(radius|half_?width)$/i, 2],
];

export function optionValue(name: string): number | undefined {
  return OPTIONS.find(([pattern]) => pattern.test(name))?.[1];
}

/** Sizes of a usual and of an odd scenario: small enough for any machine, the odd one no multiple of anything. */
const SIZES: readonly [RegExp, number, number][] = [
  [/^(b|batch|batch_?size|n_?batch|images?|bs)$/i, 4, 3],
  [/^(h|nh|heads|n_?heads?|num_?heads)$/, 4, 3],
  [/^(n_?bins?|num_?bins|bins?|buckets)$/i, 256, 100],
  [/^(vocab|vocab_?size|v|vp|num_?classes|classes|experts?)$/i, 1000, 257],
  [/^(kernel_?(size|width|h|w)?|k_?size|filter_?(size|width|len)?|mask_?(size|width|len)?|taps|window)$/i, 5, 3],
  [/^(head_?dim|hs|head_?size|dk|dv)$/i, 64, 48],
  [/^(c|d|dim|hidden|hidden_?(size|dim)|embed(_?dim)?|features?|channels?|d_?model|oc)$/i, 256, 129],
  [/^(t|s|l|seq|seq_?len|seqlen|length|ctx|context)$/i, 128, 67],
];

export interface Sizes {
  usual: number;
  odd: number;
}

/** @param names all sizes of the task: a single one may be long, three make a product */
export function sizesFor(name: string, names: readonly string[]): Sizes {
  const count = names.length;
  if (count === 1) return { usual: 262144, odd: 100003 };
  // Beside a width, h is a height; beside a batch, heads.
  if (/^h$/i.test(name) && names.some((n) => /^(b|batch|batch_?size)$/i.test(n))) return { usual: 4, odd: 3 };
  if (/^h$/i.test(name) && names.some((n) => /^w(idth)?$/i.test(n))) return { usual: 128, odd: 67 };
  const known = SIZES.find(([pattern]) => pattern.test(name));
  if (known) return { usual: known[1], odd: known[2] };
  if (/^(n_?rows|rows?|m|height|ny)$/i.test(name)) return { usual: 128, odd: 67 };
  if (/^(n_?cols?|cols?|n|width|w|nx)$/i.test(name))
    return { usual: count === 2 ? 1024 : 128, odd: count === 2 ? 999 : 97 };
  return { usual: 128, odd: 65 };
}

/** Sizes for recognising products: pairwise coprime, so that each product has one reading. */
const PRIMES = [37, 101, 53, 71, 29, 83, 43, 61];
/** The same for kernels that only handle whole blocks. */
const WHOLE = [3, 5, 7, 11, 13, 17, 19, 23].map((p) => p * 1024);

export type Probe = ReadonlyMap<string, number>;

/** Widths of windows over the data: smaller than what they slide over. */
const WINDOW = /^(kernel|k_?size|filter|mask|taps|window|radius)/i;
const SMALL = { odd: [5, 7, 3], whole: [9, 13, 11] };

/** Two ways of giving every size a recognisable number. */
export function probes(names: readonly string[]): { odd: Probe; whole: Probe } {
  const by = (list: readonly number[], small: readonly number[]): Probe =>
    new Map(
      names.map((name, i) => {
        const own = WINDOW.test(name) ? small : list;
        return [name, (own[i % own.length] ?? 1) + Math.floor(i / own.length)];
      }),
    );
  return { odd: by(PRIMES, SMALL.odd), whole: by(WHOLE, SMALL.whole) };
}

/** A product of sizes times a small factor, as the extents of a shape. */
export type Shape = (string | number)[];

/** The shortest product that gives the extent in a probe; undefined if none does. */
export function productFor(extent: number, names: readonly string[], probe: Probe): Shape | undefined {
  if (!Number.isFinite(extent) || extent < 1) return undefined;
  let lists: string[][] = [[]];
  for (let length = 0; length <= 4; length++) {
    for (const list of lists) {
      const product = list.reduce((p, n) => p * (probe.get(n) ?? NaN), 1);
      if (list.length === 0) continue;
      if (product === extent) return list;
      for (const factor of [2, 3, 4, 8]) if (product * factor === extent) return [...list, factor];
    }
    // Non-decreasing positions: each product once, in the order of the parameters.
    lists = lists.flatMap((list) =>
      names.slice(Math.max(0, names.indexOf(list.at(-1) ?? ''))).map((n) => [...list, n]),
    );
    if (lists.length > 5000) break;
  }
  return sumFor(extent, names, probe);
}

/** `n + 2`, `n - k + 1`, `n + k - 1`: what windows over data need. */
function sumFor(extent: number, names: readonly string[], probe: Probe): Shape | undefined {
  for (const a of names) {
    for (const b of names) {
      const rest = extent - (probe.get(a) ?? NaN);
      if (a === b) continue;
      if (rest === 1 - (probe.get(b) ?? NaN)) return [`${a} - ${b} + 1`];
      if (rest === (probe.get(b) ?? NaN) - 1) return [`${a} + ${b} - 1`];
    }
  }
  for (const a of names) {
    const rest = extent - (probe.get(a) ?? NaN);
    if (Math.abs(rest) <= 8) return [`${a} ${rest < 0 ? '-' : '+'} ${Math.abs(rest)}`];
  }
  return undefined;
}

/** The least product that holds what both probes need, if it is hardly larger: a stencil leaves out its last rows. */
export function coveringProduct(
  few: number,
  many: number,
  names: readonly string[],
  odd: Probe,
  whole: Probe,
): Shape | undefined {
  const value = (shape: Shape, probe: Probe) =>
    shape.reduce<number>((p, s) => p * (typeof s === 'number' ? s : (probe.get(s) ?? NaN)), 1);
  let best: Shape | undefined;
  let lists: string[][] = [[]];
  for (let length = 1; length <= 4 && lists.length < 2000; length++) {
    lists = lists.flatMap((l) => names.slice(Math.max(0, names.indexOf(l.at(-1) ?? ''))).map((n) => [...l, n]));
    for (const list of lists) {
      for (const shape of [list, [...list, 2], [...list, 4]] as Shape[]) {
        const holds = value(shape, odd) >= few && value(shape, whole) >= many && value(shape, odd) <= 1.2 * few;
        if (holds && (!best || value(shape, odd) < value(best, odd))) best = shape;
      }
    }
  }
  return best;
}

/** One element for each block: of the launch, else of a size, by the usual numbers of elements that a block takes. */
export function perBlock(
  extent: number,
  names: readonly string[],
  whole: Probe,
  blocks: string | undefined,
): Shape | undefined {
  if (extent < 2) return undefined;
  if (blocks !== undefined && evaluate(parseExpression(blocks), Object.fromEntries(whole)) === extent) return [blocks];
  for (const name of names)
    for (const each of [256, 512, 1024, 128, 2048, 64, 4096])
      if (Math.ceil((whole.get(name) ?? NaN) / each) === extent) return [`ceil_div(${name}, ${each})`];
  return undefined;
}
