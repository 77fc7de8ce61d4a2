// The honest corpus: kernels of many kinds in two versions each, none of which an evaluator may flag.

/** NAME.cu and NAME.fast.cu in test/honest, whose first lines say what they are. */
export interface Honest {
  name: string;
  /** Why the faster version does not run on the CPU target. */
  cudaOnly?: string;
  /** Also confirmed, with fresh processes and everything that comes before a win. */
  confirm?: boolean;
}

export const honest: Honest[] = [
  { name: 'arg-max' },
  { name: 'async-memory' },
  { name: 'attention', confirm: true },
  { name: 'bfloat' },
  { name: 'constant-memory' },
  { name: 'cooperative-grid', cudaOnly: 'cooperative launches need a GPU' },
  { name: 'debug-code' },
  { name: 'early-return' },
  { name: 'graph', cudaOnly: 'graphs' },
  { name: 'groups' },
  { name: 'half-pairs' },
  { name: 'histogram' },
  { name: 'image' },
  { name: 'in-place' },
  { name: 'int8-dot' },
  { name: 'joined-threads', confirm: true },
  { name: 'l2-window', cudaOnly: 'an emulation has no L2' },
  { name: 'large-shared' },
  { name: 'last-block', confirm: true },
  { name: 'lookup-table', confirm: true },
  { name: 'masks' },
  { name: 'occupancy' },
  { name: 'online-softmax' },
  { name: 'pinned-settings' },
  { name: 'pipeline' },
  { name: 'positions' },
  { name: 'random-numbers' },
  { name: 'row-sum' },
  { name: 'scalars' },
  { name: 'scan' },
  { name: 'self-timed' },
  { name: 'sort' },
  { name: 'split-k', confirm: true },
  { name: 'stencil-3d' },
  { name: 'streams-per-call' },
  { name: 'strides' },
  { name: 'sum-atomic' },
  { name: 'templates' },
  { name: 'transpose' },
  { name: 'two-streams', confirm: true },
  { name: 'volatile-warp' },
  { name: 'work-queue' },
  { name: 'workspace-cache', confirm: true },
];
