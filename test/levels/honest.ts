// Levels of the edits test/honest/NAME.cu → NAME.fast.cu, labelled by reading them before any rule was written. Every second
// one is held out: rules were made on the others.
import type { Label } from './label.js';

export const HONEST: Readonly<Record<string, Label>> = {
  'arg-max': { levels: ['decomposition', 'instructions', 'launch'], may: ['data-movement', 'algorithm'] },
  'async-memory': { levels: ['launch'], may: ['overlap'] },
  attention: {
    levels: ['algorithm', 'decomposition', 'instructions', 'launch'],
    may: ['memory-hierarchy', 'data-movement'],
  },
  bfloat: { levels: ['instructions', 'decomposition', 'launch'] },
  'constant-memory': { levels: ['memory-hierarchy'], may: ['launch', 'data-movement'] },
  'cooperative-grid': {
    levels: ['algorithm', 'launch'],
    may: ['decomposition', 'overlap', 'memory-hierarchy', 'instructions'],
  },
  'debug-code': { levels: ['launch', 'memory-hierarchy', 'compiler'], may: ['instructions', 'overlap'] },
  'early-return': { levels: ['launch'], may: ['decomposition', 'algorithm', 'shape-dtype', 'data-movement'] },
  graph: { levels: ['launch'], may: ['overlap'] },
  groups: { levels: ['decomposition', 'instructions', 'launch'], may: ['data-movement', 'algorithm'] },
  'half-pairs': { levels: ['data-movement', 'instructions', 'launch'], may: ['decomposition', 'shape-dtype'] },
  histogram: { levels: ['memory-hierarchy', 'decomposition', 'launch'], may: ['algorithm', 'instructions'] },
  image: {
    levels: ['memory-hierarchy', 'decomposition', 'launch'],
    may: ['algorithm', 'data-movement', 'instructions'],
  },
  'in-place': { levels: ['data-movement', 'launch'], may: ['decomposition', 'instructions'] },
  'int8-dot': { levels: ['data-movement'], may: ['decomposition', 'instructions', 'launch'] },
  'joined-threads': { levels: ['launch'], may: ['overlap', 'algorithm'] },
  'l2-window': { levels: ['memory-hierarchy'], may: ['launch'] },
  'large-shared': { levels: ['memory-hierarchy', 'launch'], may: ['data-movement', 'decomposition'] },
  'last-block': {
    levels: ['algorithm'],
    may: ['launch', 'memory-hierarchy', 'decomposition', 'instructions', 'compiler', 'overlap'],
  },
  'lookup-table': { levels: ['algorithm'], may: ['data-movement', 'memory-hierarchy', 'instructions', 'launch'] },
  masks: { levels: ['decomposition', 'instructions', 'launch'], may: ['data-movement'] },
  occupancy: { levels: ['launch'], may: ['memory-hierarchy'] },
  'online-softmax': { levels: ['algorithm'], may: ['instructions', 'data-movement', 'decomposition'] },
  'pinned-settings': { levels: ['data-movement'], may: ['launch', 'memory-hierarchy', 'overlap', 'algorithm'] },
  pipeline: {
    levels: ['algorithm', 'decomposition', 'instructions'],
    may: ['launch', 'data-movement', 'memory-hierarchy'],
  },
  positions: { levels: ['decomposition', 'instructions', 'launch'], may: ['algorithm', 'data-movement'] },
  'random-numbers': { levels: ['decomposition', 'launch'], may: ['algorithm', 'data-movement', 'instructions'] },
  scalars: { levels: ['instructions'], may: ['launch', 'memory-hierarchy', 'compiler', 'algorithm', 'data-movement'] },
  scan: {
    levels: ['decomposition', 'instructions', 'memory-hierarchy', 'launch'],
    may: ['algorithm', 'data-movement'],
  },
  'self-timed': { levels: ['launch'], may: ['overlap'] },
  sort: { levels: ['algorithm', 'memory-hierarchy'], may: ['decomposition', 'instructions', 'data-movement'] },
  'split-k': { levels: ['decomposition', 'launch'], may: ['algorithm', 'instructions'] },
  'stencil-3d': {
    levels: ['decomposition', 'memory-hierarchy', 'launch'],
    may: ['data-movement', 'algorithm', 'overlap'],
  },
  'streams-per-call': { levels: ['overlap', 'launch'], may: ['decomposition', 'algorithm'] },
  strides: { levels: ['decomposition', 'launch'], may: ['data-movement', 'instructions'] },
  'sum-atomic': { levels: ['instructions', 'decomposition'], may: ['memory-hierarchy', 'algorithm'] },
  templates: { levels: ['decomposition', 'compiler', 'launch'], may: ['shape-dtype'] },
  transpose: { levels: ['memory-hierarchy', 'data-movement'], may: ['decomposition'] },
  'two-streams': { levels: ['overlap'], may: ['launch'] },
  'volatile-warp': {
    levels: ['instructions'],
    may: ['decomposition', 'compiler', 'memory-hierarchy', 'overlap', 'algorithm'],
  },
  'work-queue': {
    levels: ['decomposition', 'instructions', 'launch'],
    may: ['data-movement', 'algorithm', 'memory-hierarchy'],
  },
  'workspace-cache': { levels: ['launch'], may: ['memory-hierarchy'] },
};
