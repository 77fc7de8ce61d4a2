// The keeper's comparers against a plain model, and what it sees around and between elements: any layout, any type.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizeOf } from '../../src/task/dtype.js';
import { DTYPES, type Dtype, type Tolerance } from '../../src/task/types.js';
import { agrees, outOfOrder, readElement, type Scalar, unpaired } from '../../test/support/comparers-model.js';
import { bufferOf, KeeperRig, layoutOf } from '../../test/support/keeper-rig.js';
import { type BufferArgument, FENCE } from './layout.js';

let rig: KeeperRig;
beforeAll(async () => {
  rig = await KeeperRig.create();
});
afterAll(() => rig.close());

const seed = '0123456789abcdef0123456789abcdef';

/** Strides with room between, in any order of the dimensions. */
const layouts = fc
  .array(fc.record({ extent: fc.integer({ min: 1, max: 5 }), gap: fc.integer({ min: 0, max: 3 }), rank: fc.nat() }), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((dims) => fc.tuple(fc.constant(dims), fc.nat({ max: 3 })))
  .map(([dims, offset]) => {
    const strides = new Array<number>(dims.length).fill(0);
    let stride = 1;
    for (const d of dims.map((_, i) => i).sort((a, b) => dims[a]!.rank - dims[b]!.rank || a - b)) {
      strides[d] = stride + dims[d]!.gap;
      stride = strides[d]! * dims[d]!.extent;
    }
    return { shape: dims.map((d) => d.extent), strides, offset };
  });

function elementsOf({ shape, strides, offset }: BufferArgument): number[] {
  let places = [offset];
  shape.forEach((extent, d) => {
    places = places.flatMap((p) => Array.from({ length: extent }, (_, i) => p + i * strides[d]!));
  });
  return places;
}

/** Few different values, near to one another, so that agreement and disagreement both occur. */
const values = (dtype: Dtype): fc.Arbitrary<Buffer> => {
  const size = sizeOf(dtype);
  const of = (write: (b: Buffer) => void): Buffer => {
    const bytes = Buffer.alloc(size);
    write(bytes);
    return bytes;
  };
  if (dtype === 'float' || dtype === 'double') {
    const numbers = [0, -0, 1, 1.01, 1.02, 0.99, -1, -1.01, 2, 1e-9, NaN, Infinity, -Infinity];
    return fc.constantFrom(...numbers).map((n) => of((b) => (size === 4 ? b.writeFloatLE(n) : b.writeDoubleLE(n))));
  }
  if (size === 2 && (dtype === 'half' || dtype === '__nv_bfloat16'))
    return fc
      .oneof(
        fc.integer({ min: 0x3c00, max: 0x3c0f }),
        fc.constantFrom(0, 1, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7f80, 0xbc00),
      )
      .map((n) => of((b) => b.writeUInt16LE(n)));
  return fc
    .oneof(fc.constantFrom(0, 1, 2, 3, 255, 128), fc.constantFrom(-1, -2))
    .map((n) => of((b) => (dtype === 'bool' ? b.writeUInt8(n & 1) : b.fill(n < 0 ? 255 : 0).writeUInt8(n & 255))));
};

const tolerances: fc.Arbitrary<Tolerance> = fc.record({
  rtol: fc.constantFrom(0, 0, 0.005, 0.015, 0.5),
  atol: fc.constantFrom(0, 0, 1e-8, 0.015, 1),
});

interface Run {
  argument: BufferArgument;
  want: Buffer[];
  got: Buffer[];
}
const runs = (compare: BufferArgument['compare'][]): fc.Arbitrary<Run> =>
  fc
    .tuple(layouts, fc.constantFrom(...DTYPES), tolerances, fc.constantFrom(...compare))
    .chain(([layout, dtype, tolerance, comparer]) => {
      const argument = bufferOf({
        ...layout,
        dtype,
        tolerance: comparer === 'exact' ? { rtol: 0, atol: 0 } : tolerance,
        compare: comparer,
      });
      const n = elementsOf(argument).length;
      const all = fc.array(values(dtype), { minLength: n, maxLength: n });
      // Half of the time the same elements in another order, or in this one.
      const got = fc.oneof(
        all.map((g) => (): Buffer[] => g),
        fc.shuffledSubarray([...Array(n).keys()], { minLength: n }).map((p) => (w: Buffer[]) => p.map((i) => w[i]!)),
        fc.constant((w: Buffer[]) => w),
      );
      return fc.tuple(all, got).map(([want, make]) => ({ argument, want, got: make(want) }));
    });

/** Has the keeper compare; whatever lies around the elements is left as it was handed out. */
async function compare({ argument, want, got }: Run, damage?: (bytes: Buffer) => void) {
  const layout = layoutOf([argument]);
  const size = sizeOf(argument.dtype);
  await rig.keeper.enter(layout, seed);
  await rig.keeper.draw(0);
  const places = elementsOf(argument).map((p) => FENCE + p * size);
  for (const [worker, elements] of [want, got].entries()) {
    const bytes = rig.handedOut(layout.bytes);
    elements.forEach((e, i) => e.copy(bytes, places[i]));
    if (worker === 1) damage?.(bytes);
    rig.leave(worker, bytes);
  }
  await rig.keeper.keep(0);
  return rig.keeper.compare(1, false);
}

const scalars = ({ dtype }: BufferArgument, elements: Buffer[]): Scalar[] =>
  elements.map((e) => readElement(dtype, e, 0));

function rowsOf<T>({ shape }: BufferArgument, all: T[]): T[][] {
  const length = shape[shape.length - 1]!;
  return Array.from({ length: all.length / length }, (_, r) => all.slice(r * length, (r + 1) * length));
}

describe('the comparers do what the model does', () => {
  it('close and exact', async () => {
    await fc.assert(
      fc.asyncProperty(runs(['close', 'exact']), async (run) => {
        const [want, got] = [scalars(run.argument, run.want), scalars(run.argument, run.got)];
        const wrong = want.flatMap((w, i) => (agrees(w, got[i]!, run.argument.tolerance) ? [] : [i]));
        const { outputs, fences, gaps } = await compare(run);
        expect(outputs[0]!.mismatches).toBe(wrong.length);
        expect(outputs[0]!.first.map((f) => f.index)).toEqual(wrong.slice(0, 8));
        expect(outputs[0]!.worst > 1 || outputs[0]!.incomparable > 0).toBe(wrong.length > 0);
        expect([...fences, ...gaps]).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it('set: no more can be paired than it pairs', async () => {
    await fc.assert(
      fc.asyncProperty(runs(['set']), async (run) => {
        const [want, got] = [run.want, run.got].map((e) => rowsOf(run.argument, scalars(run.argument, e)));
        const missing = want!.map((w, r) => unpaired(w, got![r]!, run.argument.tolerance));
        const [output] = (await compare(run)).outputs;
        expect(output!.mismatches).toBe(missing.reduce((a, b) => a + b, 0));
        expect(output!.first.length).toBe(Math.min(8, output!.mismatches));
      }),
      { numRuns: 400 },
    );
  });

  it('sorted: in the order of the expected row, pair by pair', async () => {
    await fc.assert(
      fc.asyncProperty(runs(['sorted']), async (run) => {
        const { argument } = run;
        const [want, got] = [run.want, run.got].map((e) => rowsOf(argument, scalars(argument, e)));
        const wrong = want!.flatMap((w, r) => {
          const disorder = outOfOrder(w, got![r]!);
          return w.map((v, i) => disorder[i]! || !agrees(v, got![r]![i]!, argument.tolerance));
        });
        const [output] = (await compare(run)).outputs;
        expect(output!.mismatches).toBe(wrong.filter(Boolean).length);
      }),
      { numRuns: 300 },
    );
  });

  it('a long row as a set, where sorting is shared among threads', async () => {
    const n = 20_000;
    const argument = bufferOf({ dtype: 'int', shape: [n], compare: 'set' });
    const bytes = (value: number): Buffer => {
      const b = Buffer.alloc(4);
      b.writeInt32LE(value);
      return b;
    };
    const want = Array.from({ length: n }, (_, i) => bytes(i));
    expect((await compare({ argument, want, got: [...want].reverse() })).outputs[0]!.mismatches).toBe(0);
    const got = [...want].reverse();
    got[5] = bytes(7);
    const [output] = (await compare({ argument, want, got })).outputs;
    expect(output!.first).toEqual([{ index: n - 6, expected: n - 6, got: 7 }]);
  });
});

describe('what lies around and between elements', () => {
  it('is as it was handed out, or the keeper says where not', async () => {
    await fc.assert(
      fc.asyncProperty(runs(['close']), fc.nat(), async (run, place) => {
        const { argument } = run;
        const size = sizeOf(argument.dtype);
        const region = layoutOf([argument]).regions[0]!;
        const at = place % region.bytes;
        const own = new Set(elementsOf(argument));
        const element = Math.floor((at - FENCE) / size);
        const isOwn = own.has(element);
        const places = [...own];
        const between = !isOwn && element > Math.min(...places) && element < Math.max(...places);
        const result = await compare(run, (bytes) => {
          if (!isOwn) bytes[at]! ^= 0xff;
        });
        expect(result.gaps).toEqual(between ? [{ region: 0, element: element - argument.offset }] : []);
        expect(result.fences.length).toBe(isOwn || between ? 0 : 1);
      }),
      { numRuns: 300 },
    );
  });

  it('fences of inputs and workspaces are looked at in every call, their contents when they came back', async () => {
    const input = bufferOf({ name: 'x', role: 'input', dtype: 'float', shape: [4], fill: { kind: 'normal' } });
    const workspace = bufferOf({ name: 'w', role: 'workspace', dtype: 'float', shape: [4] });
    const layout = layoutOf([input, workspace, bufferOf({ dtype: 'float', shape: [4] })]);
    const [x, w] = layout.regions;
    const after = async (at: number, all: boolean) => {
      await rig.keeper.enter(layout, seed);
      await rig.keeper.draw(0);
      const bytes = rig.handedOut(layout.bytes);
      bytes[at]! ^= 0xff;
      rig.leave(1, bytes);
      return rig.keeper.compare(1, all);
    };
    for (const all of [false, true]) {
      expect((await after(x!.offset + 1, all)).changedInputs).toEqual([0]);
      expect((await after(w!.offset + w!.bytes - 1, all)).fences).toMatchObject([{ region: 1, side: 'after' }]);
      expect((await after(x!.offset + FENCE, all)).changedInputs).toEqual(all ? [0] : []);
      const inside = await after(w!.offset + FENCE, all);
      expect([...inside.fences, ...inside.changedInputs]).toEqual([]);
    }
  });

  it('what is handed out is known by its hash, whatever its role, however it was drawn', async () => {
    const fill = { kind: 'normal' } as const;
    const roles = ['input', 'inout', 'output', 'workspace'] as const;
    const layout = layoutOf(roles.map((role) => bufferOf({ name: role, role, dtype: 'float', shape: [4], fill })));
    const draws = [
      () => Promise.resolve(),
      () => rig.keeper.redraw(1, 3),
      () => rig.keeper.nudge(3),
      () => rig.keeper.repoison(3),
    ];
    for (const again of draws)
      for (const [index, region] of layout.regions.entries())
        for (const at of [region.offset, region.offset + FENCE]) {
          await rig.keeper.enter(layout, seed);
          await rig.keeper.draw(0);
          await again();
          const honest = rig.handedOut(layout.bytes);
          rig.leave(1, honest);
          expect((await rig.keeper.compare(1, true)).changedSegment).toEqual([]);
          rig.tamper(at);
          // Even one that agrees with what it has made of it.
          rig.leave(1, rig.handedOut(layout.bytes));
          expect((await rig.keeper.compare(1, true)).changedSegment).toEqual([index]);
        }
  });
});
