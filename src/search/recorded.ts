// Spaces that were measured in full: a search is replayed on them without a GPU. Three formats are read (docs/search.md).
import { z } from 'zod';
import type { Outcome } from './optimizer.js';
import { type Configuration, type Dimension, type Scalar, Space } from './space.js';

export interface RecordedSpace {
  kernel: string;
  device: string;
  /** Allows exactly what was recorded. */
  space: Space;
  /** Lowest recorded cost. */
  best: number;
  /** Costs in ascending order; Infinity for each configuration that failed. */
  costs: readonly number[];
  /** @throws RangeError when the configuration was not recorded */
  outcome(configuration: Configuration): Outcome;
}

const scalar = z.union([z.number(), z.string(), z.boolean()]);
const rowsFormat = z.object({
  kernel: z.string(),
  gpu: z.string(),
  parameters: z.record(z.string(), z.array(scalar).min(1)),
  rows: z.array(z.array(scalar.nullable())),
});
/** Kernel Tuner's cache file: one entry a configuration; a failure has the name of an error for its time. */
const cacheFormat = z.object({
  kernel_name: z.string(),
  device_name: z.string(),
  tune_params_keys: z.array(z.string()),
  objective: z.string().optional(),
  cache: z.record(z.string(), z.record(z.string(), z.unknown())),
});
/** T4 results of the auto-tuning community (FAIR format of the BAT project). */
const t4Format = z.object({
  metadata: z.object({ kernel: z.string().optional(), device: z.string().optional() }).loose().optional(),
  results: z.array(
    z
      .object({
        configuration: z.record(z.string(), scalar),
        invalidity: z.string().optional(),
        measurements: z
          .array(z.object({ name: z.string(), value: z.union([z.number(), z.string()]) }).loose())
          .optional(),
        times: z.unknown().optional(),
        objectives: z.array(z.string()).optional(),
      })
      .loose(),
  ),
});

type Row = { configuration: Configuration; outcome: Outcome };

/**
 * @param text JSON in one of the three formats
 * @param name of the file, for messages and where the format names no kernel
 * @throws RangeError which says what is wrong with the file
 */
export function readRecordedSpace(text: string, name: string): RecordedSpace {
  const json = parsed(text, name);
  const rows = rowsFormat.safeParse(json);
  if (rows.success) {
    const { kernel, gpu, parameters } = rows.data;
    const names = Object.keys(parameters);
    return record(
      kernel,
      gpu,
      rows.data.rows.map((row, i) => fromRow(row, names, `${name}: row ${i + 1}`)),
      name,
    );
  }
  const cache = cacheFormat.safeParse(json);
  if (cache.success) {
    const { kernel_name, device_name, tune_params_keys, objective = 'time' } = cache.data;
    const entries = Object.values(cache.data.cache);
    return record(
      kernel_name,
      device_name,
      entries.map((e) => fromCache(e, tune_params_keys, objective, name)),
      name,
    );
  }
  const t4 = t4Format.safeParse(json);
  if (t4.success) {
    const { metadata, results } = t4.data;
    return record(metadata?.kernel ?? name, metadata?.device ?? 'unknown', results.flatMap(fromT4), name);
  }
  throw new RangeError(
    `${name} is none of the formats that are read: { kernel, gpu, parameters, rows }, a Kernel Tuner cache file ` +
      `{ kernel_name, device_name, tune_params_keys, cache } or T4 results { results: [{ configuration, measurements }] }`,
  );
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // A cache file is appended to while its tuner runs: what was not finished lacks its two closing braces.
    if (!text.trimEnd().endsWith('}}')) return parsed(`${text.trimEnd().replace(/,$/, '')}}}`, name);
    throw new RangeError(`${name} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fromRow(row: readonly (Scalar | null)[], names: readonly string[], place: string): Row {
  const values = row.slice(0, -1);
  const time = row.at(-1) ?? null;
  if (values.length !== names.length || (time !== null && typeof time !== 'number') || values.includes(null)) {
    throw new RangeError(`${place} needs one value for each of ${names.join(', ')} and a time or null`);
  }
  const configuration = Object.fromEntries(names.map((n, i) => [n, values[i] as Scalar]));
  return { configuration, outcome: outcomeOf(time) };
}

function fromCache(
  entry: Readonly<Record<string, unknown>>,
  names: readonly string[],
  objective: string,
  file: string,
): Row {
  const configuration = Object.fromEntries(
    names.map((n) => {
      const value = scalar.safeParse(entry[n]);
      if (!value.success) throw new RangeError(`${file}: an entry of the cache has no value for ${n}`);
      return [n, value.data];
    }),
  );
  return { configuration, outcome: outcomeOf(entry[objective]) };
}

function fromT4(result: z.infer<typeof t4Format>['results'][number]): Row[] {
  const { configuration, invalidity = 'correct', measurements = [], objectives = [] } = result;
  // What a restriction excludes is outside of the space.
  if (invalidity === 'constraints') return [];
  if (invalidity === 'correctness' || invalidity === 'timeout') return [{ configuration, outcome: { kind: 'failed' } }];
  const wanted = objectives[0];
  const measured = measurements.find((m) => wanted === undefined || m.name === wanted) ?? measurements[0];
  return [{ configuration, outcome: outcomeOf(invalidity === 'correct' ? measured?.value : invalidity) }];
}

/** A recording knows that a configuration failed, and mostly that it could not be built or launched: invalid. */
function outcomeOf(time: unknown): Outcome {
  return typeof time === 'number' && Number.isFinite(time) && time > 0 && time < 1e20
    ? { kind: 'value', value: time }
    : { kind: 'invalid' };
}

function record(kernel: string, device: string, rows: readonly Row[], file: string): RecordedSpace {
  const [first] = rows;
  if (!first) throw new RangeError(`${file} records no configuration`);
  const names = Object.keys(first.configuration);
  const key = (c: Configuration) => JSON.stringify(names.map((n) => c[n]));
  const outcomes = new Map(rows.map(({ configuration, outcome }) => [key(configuration), outcome]));
  const dimensions = names.map((name) => dimensionOf(name, [...new Set(rows.map((r) => r.configuration[name]))], file));
  const costs = [...outcomes.values()].map((o) => (o.kind === 'value' ? o.value : Infinity)).sort((a, b) => a - b);
  const best = costs[0] ?? Infinity;
  if (best === Infinity) throw new RangeError(`${file} records no configuration that worked`);
  return {
    kernel,
    device,
    space: new Space(dimensions, (c) => outcomes.has(key(c))),
    best,
    costs,
    outcome(configuration) {
      const outcome = outcomes.get(key(configuration));
      if (!outcome) throw new RangeError(`${file} does not record ${key(configuration)}`);
      return outcome;
    },
  };
}

function dimensionOf(name: string, values: readonly (Scalar | undefined)[], file: string): Dimension {
  const known = values.filter((v) => v !== undefined);
  if (known.length !== values.length) throw new RangeError(`${file}: some configurations have no ${name}`);
  if (known.every((v) => typeof v === 'number')) return { kind: 'ordinal', name, values: known };
  return { kind: 'categorical', name, values: known };
}
