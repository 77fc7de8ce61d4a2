// Extents of buffers: the largest index that the kernels form, read as a product of the sizes.
import type { Interval } from '../../kernel/bound.js';
import { parseExpression } from '../expression.js';
import { evaluate } from '../expression-value.js';
import type { Step } from './reach.js';
import { KernelScope } from './scope.js';
import { coveringProduct, perBlock, probes, productFor, type Probe, type Shape } from './sizes.js';

interface Extents {
  /** Elements per buffer; infinite or absent where an index was not understood. */
  elements: Map<string, number>;
  /** Buffers of which some access was not understood. */
  partial: Set<string>;
  /** Buffers whose values serve as indices → elements of the array they index, where that is a constant. */
  indexes: Map<string, number | undefined>;
  /** Numbers by which indices are multiplied: the strides of rows. */
  strides: Map<string, Set<number>>;
}

/** How many elements each buffer needs when the sizes have the values that the steps were made with. */
function extentsOf(steps: readonly Step[], values: ReadonlyMap<string, number>): Extents {
  const extents: Extents = { elements: new Map(), partial: new Set(), indexes: new Map(), strides: new Map() };
  for (const step of steps) {
    if (step.kind === 'fill') continue;
    const own = new Map<string, number>();
    for (const [from, to] of step.pointers) own.set(from, values.get(to) ?? NaN);
    for (const access of step.body.accesses) {
      const pointer = step.pointers.get(access.pointer);
      const isArray = step.body.arrays.has(access.pointer);
      if (pointer === undefined && !isArray) continue;
      const scope = new KernelScope(step.scope, step.launch, step.kernel, step.body, own);
      const extent = scope.extent(access);
      for (const element of scope.elements) {
        const base = step.pointers.get(element);
        const limit = isArray ? scope.arrayExtent(access.pointer) : undefined;
        if (base !== undefined) extents.indexes.set(base, limit ?? extents.indexes.get(base));
      }
      if (pointer === undefined) continue;
      extents.strides.set(pointer, new Set([...(extents.strides.get(pointer) ?? []), ...scope.factors(access)]));
      if (extent === undefined || !Number.isFinite(extent)) extents.partial.add(pointer);
      else extents.elements.set(pointer, Math.max(extents.elements.get(pointer) ?? 0, extent));
    }
  }
  return extents;
}

export interface ProposedShape {
  shape: Shape;
  guess?: string;
  /** Only whole blocks are handled: the extent fits only sizes that are multiples of the block. */
  isWhole?: boolean;
}

export interface ShapeQuestion {
  buffers: readonly string[];
  /** Integer sizes, in the order of the parameters. */
  sizes: readonly string[];
  /** The steps with given sizes. */
  stepsWith: (sizes: Probe) => Step[];
  /** Blocks of the launch over the sizes, where it is known. */
  blocks?: string;
  /** Elements that the host allocates, where it does. */
  allocated?: (buffer: string, sizes: Probe) => number | undefined;
}

export interface Shapes {
  shapes: Map<string, ProposedShape>;
  /** Index buffers: name → exclusive upper bound of their values. */
  fills: Map<string, string | number>;
  /** Index buffers that say where rows start: name → the size of what all rows hold. */
  offsets: Map<string, string>;
}

/** A shape for every buffer, the doubtful ones with the reason for doubt. */
export function proposeShapes(question: ShapeQuestion): Shapes {
  const { buffers, sizes } = question;
  const { odd, whole } = probes(sizes);
  const [oddSteps, wholeSteps] = [question.stepsWith(odd), question.stepsWith(whole)];
  const none = new Map<string, number>();
  const fills = new Map<string, string | number>();
  const offsets = new Map<string, string>();
  let [inOdd, inWhole] = [extentsOf(oddSteps, none), extentsOf(wholeSteps, none)];
  if (inOdd.indexes.size > 0) {
    const matched = new Set(buffers.flatMap((b) => productFor(inOdd.elements.get(b) ?? 0, sizes, odd) ?? []));
    const total = sizes.find((s) => /nnz|non_?zero|edges/i.test(s));
    for (const [base, limit] of inOdd.indexes) {
      const [extent] = productFor(inOdd.elements.get(base) ?? 0, sizes, odd) ?? [];
      if (total !== undefined && sizes.some((s) => extent === `${s} + 1`)) offsets.set(base, total);
      const free =
        sizes.find((s) => /bin|bucket|vocab|class|num|range|size|^k$|^v$/i.test(s) && !matched.has(s)) ??
        sizes.find((s) => !matched.has(s));
      fills.set(base, limit ?? free ?? constantBins(oddSteps) ?? 256);
    }
    [inOdd, inWhole] = [odd, whole].map((probe, i) =>
      extentsOf(i === 0 ? oddSteps : wholeSteps, valuesIn(probe, { fills, offsets })),
    ) as [Extents, Extents];
  }
  const shapes = new Map<string, ProposedShape>();
  for (const buffer of buffers) {
    const fromHost = allocatedShape(buffer, question, odd, whole);
    const isPartial = inOdd.partial.has(buffer);
    const [few, many] = [inOdd.elements.get(buffer) ?? 0, inWhole.elements.get(buffer) ?? 0];
    const isConstant = few === many && few > 0;
    const fromKernel = isConstant ? [few] : shapeFor(few, sizes, odd);
    const fromWhole = isConstant ? [few] : shapeFor(many, sizes, whole);
    if (fromHost)
      shapes.set(buffer, {
        shape: fromHost,
        isWhole: !isPartial && !same(fromKernel, fromHost) && same(fromWhole, fromHost),
      });
    else if (fromKernel && !isPartial && (same(fromKernel, fromWhole) || isProduct(fromKernel)))
      shapes.set(buffer, { shape: fromKernel });
    else if (fromWhole && !isPartial && isVariable(fromWhole)) shapes.set(buffer, { shape: fromWhole, isWhole: true });
    else if (fromKernel && isVariable(fromKernel)) {
      shapes.set(buffer, { shape: fromKernel, guess: 'some of its accesses were not understood' });
    } else if (isConstant && !isPartial) {
      shapes.set(buffer, { shape: [few], guess: 'its accesses do not depend on the sizes' });
    } else if (few > 0 && !isPartial) {
      const blocks = perBlock(many, sizes, whole, question.blocks);
      const around = coveringProduct(few, many, sizes, odd, whole);
      if (around) shapes.set(buffer, { shape: around, guess: 'the least product of sizes that holds its accesses' });
      else if (few === 1 && blocks) shapes.set(buffer, { shape: blocks, guess: 'an element for each block' });
    }
    const found = shapes.get(buffer);
    if (found) found.shape = inRows(found.shape, inOdd.strides.get(buffer) ?? new Set(), odd);
  }
  for (const buffer of buffers) if (!shapes.has(buffer)) shapes.set(buffer, byConvention(buffer, question, shapes));
  return { shapes, fills, offsets };
}

/** What the host allocates: a product of sizes, the same for all, or so much for each block. */
function allocatedShape(
  buffer: string,
  { allocated, sizes, blocks }: ShapeQuestion,
  odd: Probe,
  whole: Probe,
): Shape | undefined {
  const [few, many] = [allocated?.(buffer, odd), allocated?.(buffer, whole)];
  if (few === undefined || many === undefined) return undefined;
  if (few === many) return shapeFor(few, sizes, odd);
  return productFor(few, sizes, odd) ?? perBlock(many, sizes, whole, blocks);
}

/** The order in which the indices run: `[K, N]` for `k * N + n`, whatever the order of the parameters. */
function inRows(shape: Shape, strides: ReadonlySet<number>, probe: Probe): Shape {
  const [first, second] = shape;
  if (shape.length !== 2 || typeof first !== 'string' || typeof second !== 'string') return shape;
  const isStride = (size: string) => strides.has(probe.get(size) ?? NaN);
  return isStride(first) && !isStride(second) ? [second, first] : shape;
}

function isVariable(shape: Shape): boolean {
  return shape.some((s) => typeof s === 'string');
}

/** A product of sizes is no coincidence; a sum in one probe alone may be one. */
function isProduct(shape: Shape): boolean {
  return isVariable(shape) && !shape.some((s) => typeof s === 'string' && s.includes(' '));
}

function same(a: Shape | undefined, b: Shape | undefined): boolean {
  return a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

function shapeFor(extent: number, sizes: readonly string[], probe: Probe): Shape | undefined {
  return productFor(extent, sizes, probe) ?? (extent >= 1 && extent <= 2 ** 24 ? [extent] : undefined);
}

/** The extent of a shared array, as a histogram's private bins have. */
function constantBins(steps: readonly Step[]): number | undefined {
  for (const step of steps) {
    if (step.kind !== 'launch') continue;
    const bins = step.scope.file.constants.find((c) => /bin|bucket|class|symbol/i.test(c.name));
    if (bins) return bins.value;
  }
  return undefined;
}

/** Shapes that names promise: the three matrices of a product, else all sizes together. */
function byConvention(
  buffer: string,
  { sizes, buffers }: ShapeQuestion,
  known: ReadonlyMap<string, ProposedShape>,
): ProposedShape {
  const guess = 'its accesses were not understood: the shape is taken from the names of the sizes';
  const plain = buffer.toLowerCase().replace(/^d_?|_d$/g, '');
  const size = (name: string) => sizes.find((s) => s.toLowerCase() === name);
  const [m, n, k] = [size('m'), size('n'), size('k')];
  // Whether it checks sizes is not understood either.
  const isWhole = true;
  if (m && n && k && /^[abc]$/.test(plain)) {
    return { isWhole, shape: plain === 'a' ? [m, k] : plain === 'b' ? [k, n] : [m, n], guess };
  }
  if (sizes.length === 1 && sizes[0] && buffers.length === 3 && /^[abc]$/.test(plain)) {
    const squares = [...known.values()].some((s) => s.shape.length === 2);
    if (squares || /^n$|width|size|dim/i.test(sizes[0]))
      return { shape: squares ? [sizes[0], sizes[0]] : [sizes[0]], guess, isWhole };
  }
  return { shape: sizes.length > 0 ? sizes.slice(0, 4) : [1], guess, isWhole };
}

/** Exclusive upper bounds of what index buffers hold. */
function valuesIn(sizes: Probe, { fills, offsets }: Pick<Shapes, 'fills' | 'offsets'>): Map<string, number> {
  const limits = [...fills].map(([b, v]) => [b, typeof v === 'number' ? v : (sizes.get(v) ?? 1)] as const);
  return new Map([...limits, ...[...offsets].map(([b, total]) => [b, (sizes.get(total) ?? 0) + 1] as const)]);
}

/** How many times its elements a kernel reaches over with these sizes, at worst; as far as its accesses are understood. */
export function reachOf(steps: readonly Step[], shapes: Shapes, sizes: Probe): number {
  const values = valuesIn(sizes, shapes);
  const { elements } = extentsOf(steps, values);
  return Math.max(
    0,
    ...[...elements].map(([b, needed]) => needed / elementsOf(shapes.shapes.get(b)?.shape ?? [], sizes)),
  );
}

export function elementsOf(shape: Shape, sizes: Probe): number {
  return shape.reduce<number>((p, s) => p * (typeof s === 'number' ? s : valueOf(s, sizes)), 1);
}

function valueOf(extent: string, sizes: Probe): number {
  const value = evaluate(parseExpression(extent), Object.fromEntries(sizes));
  return typeof value === 'number' ? value : 0;
}

/** Sizes as intervals, for scopes. */
export function asIntervals(sizes: Probe): Map<string, Interval> {
  return new Map([...sizes].map(([name, value]) => [name, { low: value, high: value }]));
}
