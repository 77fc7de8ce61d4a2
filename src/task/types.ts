// The task after validation: defaults filled in, aliases resolved, scenarios expanded. The file's own schema is schema.ts.

/** CUDA's names; aliases (`__half`, `bf16`, `int32_t`, …) are resolved before they get here. */
export const DTYPES = [
  'float',
  'double',
  'half',
  '__nv_bfloat16',
  'signed char',
  'unsigned char',
  'short',
  'unsigned short',
  'int',
  'unsigned int',
  'long long',
  'unsigned long long',
  'bool',
] as const;
export type Dtype = (typeof DTYPES)[number];

export const ROLES = ['input', 'output', 'inout', 'workspace'] as const;
export type Role = (typeof ROLES)[number];

/** A scenario variable: a number, a flag, or a dtype name. */
export type Value = number | boolean | string;
export type Variables = Readonly<Record<string, Value>>;

export type Fill =
  | { kind: 'normal' }
  | { kind: 'uniform' }
  | { kind: 'ones' }
  | { kind: 'zeros' }
  | { kind: 'range' }
  | { kind: 'permutation' }
  /** Both bounds included. */
  | { kind: 'integers'; low: number; high: number }
  /** Non-decreasing from 0 to total, as CSR row offsets are. */
  | { kind: 'offsets'; total: number }
  /** Raw little-endian bytes of one of the task's files. */
  | { kind: 'file'; path: string };

export interface Tolerance {
  rtol: number;
  atol: number;
}

/** How an output is compared; `check` is a program of the task's own. */
export type Comparer = 'close' | 'exact' | 'set' | 'sorted' | { check: string };

export interface Scenario {
  /** Its variables sorted, `k=v,k=v`. */
  id: string;
  variables: Variables;
  weight: number;
  heldOut: boolean;
}

/** An argument with everything resolved for one scenario. */
export type ResolvedArgument =
  | {
      kind: 'buffer';
      name: string;
      dtype: Dtype;
      isConst: boolean;
      role: Role;
      shape: number[];
      /** In elements; row-major contiguous unless the task says otherwise. */
      strides: number[];
      /** Elements before the pointer that is passed. */
      offset: number;
      /** Elements the allocation must span, offset included. */
      span: number;
      /** Bytes. */
      align: number;
      fill: Fill;
      compare: Comparer;
      /** Nothing for what must be exact, and for a checker program. */
      tolerance: Tolerance;
    }
  | { kind: 'scalar'; name: string; dtype: Dtype; value: number | bigint | boolean };

/** Thrown by everything in src/task: names the JSON path, the value and the remedy. */
export class TaskError extends Error {
  constructor(
    /** `$.arguments[2].shape[0]` */
    readonly path: string,
    message: string,
  ) {
    super(`${path}: ${message}`);
    this.name = 'TaskError';
  }
}
