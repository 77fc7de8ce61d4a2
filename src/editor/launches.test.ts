import { describe, expect, test } from 'vitest';
import type { KernelFile } from '../kernel/types.js';
import { concerns, focusOn } from './launches.js';

const launch = (kernel: string) => ({ kernel }) as KernelFile['launches'][number];
const host = (name: string, launches: number[], calls: string[]) =>
  ({ name, signature: name, launches, calls }) as KernelFile['hostFunctions'][number];
const file: KernelFile = {
  kernels: [],
  launches: [launch('ns::first'), launch('second')],
  hostFunctions: [host('entry', [0], ['helper']), host('helper', [1], ['entry']), host('other', [], [])],
  constants: [],
  includes: [],
  unread: [],
};

describe('which task a kernel belongs to', () => {
  test('those its entry launches, itself or through functions it calls', () => {
    expect(concerns({ sources: [], entry: 'entry' }, 'first', file)).toBe(true);
    expect(concerns({ sources: [], entry: 'entry' }, 'second', file)).toBe(true);
    expect(concerns({ sources: [], entry: 'entry' }, 'third', file)).toBe(false);
    expect(concerns({ sources: [], entry: 'other' }, 'first', file)).toBe(false);
  });

  test('all, where the entry is in another file; the named one of a bare kernel', () => {
    expect(concerns({ sources: [], entry: 'elsewhere' }, 'third', file)).toBe(true);
    expect(concerns({ sources: [], kernel: 'second' }, 'second', file)).toBe(true);
    expect(concerns({ sources: [], kernel: 'second' }, 'first', file)).toBe(false);
  });
});

describe('a new task for one kernel', () => {
  const names = (f: KernelFile) => f.hostFunctions.map((h) => h.name);

  test('may be entered where a function leads to it', () => {
    expect(names(focusOn(file, 'second'))).toEqual(['entry', 'helper', 'other']);
  });

  test('stands alone where none does', () => {
    const alone = focusOn(
      { ...file, kernels: [{ name: 'third' }, { name: 'first' }] as KernelFile['kernels'] },
      'third',
    );
    expect(names(alone)).toEqual(['other']);
    expect(alone.kernels.map((k) => k.name)).toEqual(['third']);
  });
});
