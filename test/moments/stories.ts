// What the scripted agent does in each recorded session, so that between them every decision moment comes about.
export type Step =
  /** Replaces each text by the one after it and has the result judged. */
  | { do: 'edit'; replace: [old: string, by: string][]; note: string }
  | { do: 'restore'; to: string }
  /** Looks at the source again and again: actions between two moments. */
  | { do: 'look'; times: number }
  | { do: 'claim'; claim: string; evidence: string }
  /** A person poses a question while the agent works. */
  | { do: 'pose'; text: string }
  | { do: 'finish' };

export interface Story {
  name: string;
  /** An example's kernel; its task with other scenarios. */
  example: 'reduce' | 'matmul' | 'softmax';
  scenarios: Record<string, number>[];
  evaluations: number;
  steps: Step[];
}

/** A tree in shared memory gives way to one thread: on the CPU target every barrier costs more than what it is for. */
const SERIAL: Step = {
  do: 'edit',
  note: 'one thread finds maximum and sum',
  replace: [
    [
      `  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    __syncthreads();
  }`,
      `  if (threadIdx.x == 0)
    for (int t = 1; t < BLOCK; ++t) part[0] = fmaxf(part[0], part[t]);
  __syncthreads();`,
    ],
    [
      `  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }`,
      `  if (threadIdx.x == 0)
    for (int t = 1; t < BLOCK; ++t) part[0] += part[t];
  __syncthreads();`,
    ],
  ],
};

/** The same pragma with other numbers: nothing that a clock could tell. */
const unrolled = (from: number | undefined, to: number): Step => {
  const line = '  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n;';
  const pragma = (n: number): string => `#pragma unroll ${n}\n`;
  return {
    do: 'edit',
    note: `unroll by ${to}`,
    replace: [from === undefined ? [line, pragma(to) + line] : [pragma(from), pragma(to)]],
  };
};

export const STORIES: readonly Story[] = [
  {
    name: 'flat',
    example: 'reduce',
    scenarios: [{ n: 65_536 }],
    evaluations: 40,
    steps: [
      unrolled(undefined, 2),
      ...[3, 4, 5, 6].map((n) => unrolled(n - 1, n)),
      { do: 'look', times: 50 },
      ...[7, 8, 9].map((n) => unrolled(n - 1, n)),
      { do: 'finish' },
    ],
  },
  {
    name: 'failures',
    example: 'matmul',
    scenarios: [{ m: 32, n: 32, k: 32 }],
    evaluations: 6,
    steps: [
      { do: 'edit', note: 'a tile for each', replace: [['tile_a[TILE][TILE];', 'tile_a[TILE][TILE]']] },
      { do: 'restore', to: 'original' },
      { do: 'edit', note: 'fewer steps', replace: [['start < k; start += TILE', 'start < k; start += 2 * TILE']] },
      { do: 'edit', note: 'twice the sum', replace: [['= sum;', '= 2 * sum;']] },
      { do: 'claim', claim: 'Memory bandwidth is the limit.', evidence: 'Every change so far was slower or wrong.' },
      { do: 'look', times: 50 },
      { do: 'edit', note: 'three times the sum', replace: [['= 2 * sum;', '= 3 * sum;']] },
      { do: 'finish' },
    ],
  },
  {
    name: 'shapes',
    example: 'softmax',
    scenarios: [
      { rows: 96, cols: 32 },
      { rows: 2, cols: 16_384 },
    ],
    evaluations: 40,
    steps: [
      SERIAL,
      { do: 'pose', text: 'What would you do if every row were short?' },
      { do: 'look', times: 50 },
      {
        do: 'edit',
        note: 'no bound on registers',
        replace: [['__global__ void softmax_rows', '__global__ void __launch_bounds__(BLOCK) softmax_rows']],
      },
      { do: 'finish' },
    ],
  },
];
