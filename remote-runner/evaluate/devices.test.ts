// Which device an evaluation gets.
import { expect, test } from 'vitest';
import type { Toolchain } from '../targets/toolchain.js';
import { Devices } from './devices.js';

const toolchain = (kind: 'cuda' | 'cpu', id: string): Toolchain => ({ info: { kind, id } }) as Toolchain;
const all = [toolchain('cuda', 'GPU-0'), toolchain('cuda', 'GPU-1'), toolchain('cpu', 'cpu')];
const ids = (some: readonly Toolchain[]): string[] => some.map((t) => t.info.id);

test('auto is every CUDA device where there is one, else the CPU', () => {
  const devices = new Devices(all);
  expect([ids(devices.of('auto')), ids(devices.of('cpu'))]).toEqual([['GPU-0', 'GPU-1'], ['cpu']]);
  expect(ids(new Devices(all.slice(2)).of('auto'))).toEqual(['cpu']);
  expect(ids(new Devices(all.slice(2)).of('cuda'))).toEqual([]);
  expect(ids(new Devices([]).of('auto'))).toEqual([]);
});

test('the one with least to do is taken, and free again however the work ends', async () => {
  const devices = new Devices(all);
  const possible = devices.of('cuda');
  const ends: ((error?: Error) => void)[] = [];
  const begin = () => {
    let id = '';
    const done = devices.use(possible, (t) => {
      id = t.info.id;
      return new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
    });
    done.catch(() => undefined);
    return { id, done };
  };
  const [a, b, c] = [begin(), begin(), begin()];
  expect([a.id, b.id, c.id]).toEqual(['GPU-0', 'GPU-1', 'GPU-0']);
  ends[1]?.(new Error('broken'));
  await expect(b.done).rejects.toThrow('broken');
  expect(begin().id).toBe('GPU-1');
});
