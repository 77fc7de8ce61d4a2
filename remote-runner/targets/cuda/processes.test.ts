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

test('memory that is used may stand behind, and names may be missing', () => {
  const row = (rest: string): object[] => readComputeProcesses(`${device}, ${rest}\n`);
  expect(row('4211, /usr/bin/python3, 898 MiB')).toEqual([{ device, pid: 4211, name: '/usr/bin/python3' }]);
  expect(row('4211, a, [N/A], [N/A]')).toEqual([{ device, pid: 4211, name: 'a, [N/A]' }]);
  for (const nothing of ['[No data]', '[N/A]', '[Not Found]', '[Insufficient Permissions]'])
    expect(row(`4211, ${nothing}, 898 MiB`)).toEqual([{ device, pid: 4211 }]);
});

test('those of the device that are not ours are foreign', () => {
  const isOurs = (pid: number): boolean => pid === 900 || pid === 901;
  const two = [...all, { device, pid: 901, name: 'host-cuda-1f' }];
  expect(foreignOf(two, device, isOurs).map((p) => p.pid)).toEqual([4211]);
  expect(foreignOf(two.slice(1), device, isOurs)).toEqual([]);
});

test('nothing is said while the numbers are not known to be those of this place', () => {
  // A line that an H200 printed for a worker of ours, in a container within a virtual machine: another number, no name. There
  // was one for each of four workers; the numbers of the other three were not kept.
  const printed = 'GPU-cbc5a635-5a14-229f-c894-a589b26cb307, 22845, [No data], 898 MiB';
  const workers = readComputeProcesses([0, 1, 2, 3].map((i) => printed.replace('22845', String(22845 + i))).join('\n'));
  const gpu = workers[0]!.device;
  expect(workers).toHaveLength(4);
  expect(workers.every((w) => w.name === undefined)).toBe(true);
  expect(foreignOf(workers, gpu, () => false)).toEqual([]);
  // One number that happens to be a worker's is no proof.
  expect(foreignOf(workers, gpu, (pid) => pid === workers[0]!.pid)).toEqual([]);
  expect(sharedDevice(workers.slice(0, 1))).toBe(
    `shared device: process ${workers[0]!.pid} uses it too; times may be off`,
  );
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
