// Other processes on a device, and what can be said of them.
import { expect, test } from 'vitest';
import { foreignOf, isBelow, readComputeProcesses, sharedDevice } from './processes.js';

const device = 'GPU-7fdaf0a5-179b-f636-d15d-daf243e3ff16';
const csv =
  `${device}, 4211, /usr/bin/python3\n` +
  `${device}, 900, /cache/programs/host-cuda-1f, with a comma\n` +
  'GPU-d8594bd4-0fc3-8595-e355-7c98138f3b95, 17, tritonserver\n';
const all = readComputeProcesses(csv);

test('lines are read as they are printed, whatever a process calls itself', () => {
  expect(all).toEqual([
    { device, pid: 4211, name: '/usr/bin/python3' },
    { device, pid: 900, name: '/cache/programs/host-cuda-1f, with a comma' },
    { device: 'GPU-d8594bd4-0fc3-8595-e355-7c98138f3b95', pid: 17, name: 'tritonserver' },
  ]);
  expect(readComputeProcesses('No running processes found\n')).toEqual([]);
  expect(readComputeProcesses(`${device}, [N/A], [Not Found]\n`)).toEqual([]);
});

test('those of the device that are not ours are foreign', () => {
  const isOurs = (pid: number): boolean => pid === 900;
  expect(foreignOf(all, device, true, isOurs).map((p) => p.pid)).toEqual([4211]);
  expect(foreignOf(all, device, false, isOurs).map((p) => p.pid)).toEqual([4211]);
});

test('in a container nothing is said while none of the numbers is known to be ours', () => {
  expect(foreignOf(all, device, false, () => false)).toEqual([]);
  expect(foreignOf(all, device, true, () => false).map((p) => p.pid)).toEqual([4211, 900]);
});

test('a worker is below its runner, with launcher and supervisor between them', () => {
  const parents: Record<number, number> = { 900: 899, 899: 898, 898: 50, 50: 1, 4211: 1, 7: 7 };
  const parent = (pid: number): number | undefined => parents[pid];
  expect(isBelow(900, 50, parent)).toBe(true);
  expect(isBelow(4211, 50, parent)).toBe(false);
  expect(isBelow(31337, 50, parent)).toBe(false);
  expect(isBelow(7, 50, parent)).toBe(false);
});

test('the warning names one and counts the others', () => {
  expect(sharedDevice([])).toBeUndefined();
  expect(sharedDevice(all)).toBe(
    'shared device: process 4211 (/usr/bin/python3) and 2 more use it too; times may be off',
  );
});
