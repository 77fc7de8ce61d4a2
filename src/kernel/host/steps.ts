// What the host function of a task does, once it is read: kernels and memsets in their order, with every value.

export type Axes = [number, number, number];

/** An argument as a kernel gets it. `argument` counts the buffers of the call from 0; undefined: a null pointer. */
export type StepArgument =
  | { kind: 'pointer'; argument: number | undefined; offset: number }
  /** The low `bytes` of `bits` hold the value in its own type. */
  | { kind: 'value'; bytes: number; bits: bigint };

/** What a launch asks of its kernel beforehand; of each the last that was asked. */
export interface KernelAttributes {
  /** Bytes of dynamic shared memory that it may have. */
  maxShared?: number;
  /** Percent of the memory beside the L1. */
  carveout?: number;
  nonPortableCluster?: number;
}

export interface LaunchStep extends KernelAttributes {
  kind: 'launch';
  /** With its namespaces, unnamed ones left out. */
  kernel: string;
  /** Template arguments as far as they are written, as C++ prints them. */
  template: string[];
  /** Types as C++ prints them; `*` for every pointer. */
  parameters: string[];
  grid: Axes;
  block: Axes;
  /** Bytes of dynamic shared memory. */
  shared: number;
  cluster?: Axes;
  arguments: StepArgument[];
}

export interface MemsetStep {
  kind: 'memset';
  argument: number;
  offset: number;
  /** Of every byte. */
  value: number;
  bytes: number;
}

export type Step = LaunchStep | MemsetStep;

/** Steps of one call of the entry. */
export const MOST_STEPS = 64;
/** Without an opt-in of the kernel, bytes. */
export const SHARED_WITHOUT_OPT_IN = 48 * 1024;
