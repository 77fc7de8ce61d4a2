// Tasks over test/calls/calls.cu, one for each way a kernel can be called; all are correct on either target.

const flat = (name: string, type: string, more: object = {}): object => ({
  name,
  type,
  shape: ['rows', 'cols'],
  ...more,
});

export const callTasks: Record<string, object> = {
  'a namespaced static template with a struct by value and dtypes from the scenario': {
    call: 'ops::scale<T>(x, y, {rows, cols}, factor, stream)',
    arguments: [
      flat('x', 'const T*', { fill: 'normal' }),
      flat('y', 'T*', { role: 'output' }),
      { name: 'factor', type: 'float', value: 1.75 },
    ],
    scenarios: [{ grid: { T: ['float', 'half', '__nv_bfloat16', 'double'], cols: [65] }, rows: 7 }],
  },
  'a template argument from the scenario': {
    call: 'ops::scale<float, width>(x, y, ops::Shape{rows, cols}, 2.0f, stream)',
    arguments: [flat('x', 'const float*'), flat('y', 'float*', { role: 'output' })],
    scenarios: [
      { rows: 3, cols: 100, width: 32 },
      { rows: 3, cols: 100, width: 128 },
    ],
  },
  'a bare kernel with dynamic shared memory': {
    kernel: 'window_sum<5>',
    launch: { grid: ['ceil_div(n, 128)'], block: [128], shared: '4*(128+4)' },
    arguments: [
      { name: 'x', type: 'const int*', shape: ['n'], fill: { integers: [-1000, 1000] } },
      { name: 'y', type: 'long long*', shape: ['n'], role: 'output' },
      { name: 'n', type: 'int' },
    ],
    scenarios: [{ n: 1000 }, { n: 4096 }],
  },
  'buffers that are read and written, no stream, a 64-bit scalar': {
    entry: 'accumulate_all',
    arguments: [
      { name: 'flags', type: 'unsigned char*', shape: ['n'], role: 'inout', fill: { integers: [0, 1] } },
      { name: 'total', type: 'double*', shape: ['n'], role: 'inout', fill: 'uniform' },
      { name: 'n', type: 'unsigned long long' },
    ],
    scenarios: [{ n: 777 }],
  },
};

/** The task file's text of one of them. */
export const callTaskText = (name: string): string =>
  JSON.stringify({ source: 'calls.cu', files: ['include/**'], ...callTasks[name] });
