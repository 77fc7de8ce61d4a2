// The task file as it is written: its structure, in zod. What fields mean together is checked in check.ts.
import { z } from 'zod';
import { ROLES } from './types.js';

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const identifier = z
  .string()
  .max(128)
  .regex(IDENTIFIER, 'must be an identifier: letters, digits and _, not starting with a digit');
const text = (max: number) => z.string().min(1, 'must not be empty').max(max, `must have at most ${max} characters`);

/** A path relative to the task file; `..` may lead up to the workspace root, which whoever knows the root checks. */
const path = text(512).regex(
  // No drive, no root, no home, no backslash, no control characters: whatever follows is looked for below the root.
  /^(?![A-Za-z]:)(?![/~-])[^\\\x00-\x1f\x7f]+$/,
  'must be a plain path relative to the task file, with / between folders',
);
/** nvcc hands its own command lines to a shell, quoted: what ends a quotation or is expanded within one must not get there. */
const unquoted = (value: string): boolean => !/["'`$\\]/.test(value);
const UNQUOTED = 'must not have quotes, backslashes, backticks or $ in it';
/** Arithmetic over scenario variables, or a number. */
const expression = z.union(
  [
    z.number(),
    z.string().min(1, 'is missing: give a number or an expression').max(1024, 'must have at most 1024 characters'),
  ],
  { error: 'must be a number or an expression in a string' },
);
const scalarValue = z.union([z.number(), z.boolean(), text(64)], {
  error: 'must be a number, true, false or the name of a dtype',
});
const nonNegative = z.number().min(0, 'must not be negative');
const tolerance = z.strictObject({ rtol: nonNegative.optional(), atol: nonNegative.optional() });
const duration = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,3})?\s*(ms|s|m|h)$/, 'must be a duration such as "30s", "10m" or "1h"');

const fill = z.union(
  [
    z.enum(['normal', 'uniform', 'ones', 'zeros', 'range', 'permutation']),
    z.strictObject({ integers: z.tuple([expression, expression]) }),
    z.strictObject({ offsets: expression }),
    z.strictObject({ file: path }),
  ],
  {
    error:
      'must be "normal", "uniform", "ones", "zeros", "range", "permutation", { "integers": [low, high] }, { "offsets": total } or { "file": path }',
  },
);

const argument = z.strictObject({
  name: identifier,
  /** C++ type: `const T*`, `int`. */
  type: text(256),
  shape: z
    .array(expression)
    .min(1, 'is missing: give 1 to 8 expressions')
    .max(8, 'needs 1 to 8 expressions')
    .optional(),
  strides: z.array(expression).min(1).max(8).optional(),
  offset: expression.optional(),
  align: z.int().min(1).max(4096).optional(),
  role: z.enum(ROLES).optional(),
  fill: fill.optional(),
  /** For scalars: a number, a flag or an expression; 64-bit integers as strings. */
  value: z
    .union([z.number(), z.boolean(), text(1024)], { error: 'must be a number, true, false or a string' })
    .optional(),
  tolerance: tolerance.optional(),
  rtol: nonNegative.optional(),
  atol: nonNegative.optional(),
  compare: z
    .union([z.enum(['close', 'exact', 'set', 'sorted']), z.strictObject({ check: path })], {
      error: 'must be "close", "exact", "set", "sorted" or { "check": path }',
    })
    .optional(),
});

const scenario = z
  .object({
    grid: z.record(identifier, z.array(scalarValue).min(1, 'needs at least one value').max(1000)).optional(),
    where: text(1024).optional(),
    weight: z.number().positive('must be above 0').optional(),
  })
  .catchall(scalarValue);

const axes = z.union([expression, z.array(expression).min(1, 'is missing: give 1 to 3 expressions').max(3)], {
  error: 'must be an expression or an array of 1 to 3 expressions',
});

/** The schema of NAME.task.json. */
export const taskFile = z
  .strictObject({
    $schema: z.string().optional(),
    source: path.optional().describe('The .cu file to make faster; "sources" for several.'),
    sources: z.array(path).min(1).max(64).optional().describe('The files that may be edited.'),
    files: z.array(path).max(256).default([]).describe('Read-only files the sources include; wildcards allowed.'),
    entry: text(256)
      .regex(
        /^(::)?[A-Za-z_]\w*(::[A-Za-z_]\w*)*$/,
        'must be the name of a function, with namespaces where it has some',
      )
      .optional(),
    call: text(4096)
      .optional()
      .describe(
        'The call as one C++ expression over argument names, scenario variables and stream, where the entry alone does not say it.',
      ),
    kernel: text(512)
      .regex(
        /^(::)?[A-Za-z_]\w*(::[A-Za-z_]\w*)*\s*(<[\w\s:,<>*&()+-]*>)?$/,
        'must be a kernel name such as "attn<128>"',
      )
      .optional(),
    launch: z.strictObject({ grid: axes, block: axes, shared: expression.optional() }).optional(),
    arguments: z
      .array(argument)
      .min(1, 'needs at least one argument')
      .max(64)
      .describe('The arguments of the entry or kernel, in order.'),
    scenarios: z
      .array(scenario)
      .min(1, 'needs at least one scenario')
      .max(1000)
      .describe('Points of sizes, dtypes and flags the kernel must handle; "grid" multiplies values out.'),
    heldOut: z
      .array(scenario)
      .max(1000)
      .default([])
      .describe('Scenarios that are checked but never shown to who proposes.'),
    reference: z.union([z.literal('original'), path]).default('original'),
    compare: z
      .array(z.strictObject({ name: text(64), sources: z.array(path).min(1), link: z.array(z.string()).optional() }))
      .default([]),
    objective: z
      .strictObject({
        maximize: z.literal('geomean-speedup').default('geomean-speedup'),
        over: text(64).default('original'),
        target: z.number().positive().optional(),
        noScenarioBelow: nonNegative.default(0.98),
      })
      .prefault({}),
    build: z
      .strictObject({
        arch: z
          .string()
          .regex(/^(auto|sm_\d{2,3}[af]?)$/, 'must be "auto" or an architecture such as "sm_90a"')
          .default('auto'),
        std: z.enum(['c++11', 'c++14', 'c++17', 'c++20']).default('c++17'),
        flags: z.array(z.string().max(256)).max(64).default(['-O3']),
        define: z
          .record(
            identifier,
            z.union(
              [
                z.number(),
                z.boolean(),
                z
                  .string()
                  .max(256)
                  .regex(/^[^\x00-\x1f\x7f]*$/, 'must be one line of text')
                  .refine(unquoted, UNQUOTED),
              ],
              {
                error: 'must be a number, true, false or a string',
              },
            ),
          )
          .default({}),
        include: z.array(path.refine(unquoted, UNQUOTED)).max(64).default([]),
        link: z
          .array(
            z
              .string()
              .max(64)
              .regex(/^[A-Za-z0-9_][\w+]*$/, 'must be a plain library name such as "cublas"'),
          )
          .max(32)
          .default([]),
        timeout: duration.default('10m'),
      })
      .prefault({}),
    measure: z.strictObject({ cache: z.enum(['cold', 'warm']).default('cold') }).prefault({}),
    tolerance: tolerance.optional().describe('Default tolerance of all floating outputs.'),
    forbid: z.array(text(128)).max(64).optional().describe('Libraries and symbols a candidate must not use.'),
    tunables: z
      .record(identifier, z.array(z.int()).min(1).max(1024))
      .optional()
      .describe('Values that a search may give integer constants of the sources.'),
    restrictions: z
      .array(z.string().min(1).max(1024))
      .max(64)
      .optional()
      .describe('Expressions over the tunables that must not be 0: what a search need not compile.'),
    work: z
      .strictObject({ flops: expression.optional(), bytes: expression.optional(), unit: text(64).optional() })
      .optional(),
    timeout: duration.default('60s').describe('Time limit of the original per scenario.'),
    reproducible: z.boolean().default(false).describe('Demand bitwise the same output in every run.'),
  })
  .describe('A KernelSeek task: what a CUDA kernel must compute, for which scenarios, and how it is judged.');

/** A validated task file: defaults filled in, `source` turned into `sources`. It is itself a valid task file. */
export type TaskFile = Omit<z.output<typeof taskFile>, 'source' | 'sources'> & { sources: string[] };
export type TaskArgument = TaskFile['arguments'][number];
export type TaskScenario = TaskFile['scenarios'][number];

/** Milliseconds of a duration that the schema accepted. */
export function durationMs(duration: string): number {
  const match = /^([\d.]+)\s*(ms|s|m|h)$/.exec(duration);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[match?.[2] ?? ''];
  if (!match || unit === undefined) throw new RangeError(`not a duration: ${duration}`);
  return Number(match[1]) * unit;
}
