// The file that credit is kept in, sent to others and merged from. It holds ids and numbers, no text of anyone. Pure.
import { z } from 'zod';
import type { Observation } from './credit.js';
import { INTENTS, LEVELS, MOMENTS } from './types.js';

const id = z.string().regex(/^[\w.-]{1,80}$/);

/** Gains beyond a factor of a million either way are damage. Natural logarithm. */
const LARGEST_GAIN = Math.log(1e6);

const observation: z.ZodType<Observation> = z.strictObject({
  session: id,
  moment: id,
  kind: z.enum(MOMENTS),
  silent: z.boolean(),
  question: id.optional(),
  level: z.enum(LEVELS).optional(),
  intent: z.enum(INTENTS).optional(),
  informed: z.boolean(),
  gain: z.number().min(-LARGEST_GAIN).max(LARGEST_GAIN),
  moved: z.boolean().optional(),
  through: z.number().int().min(1),
});

export const creditFile = z.strictObject({
  version: z.literal(1),
  devices: z
    .array(
      z.strictObject({
        /** What a person reads, `NVIDIA H200`: devices of one name share their credit. */
        device: z.string().min(1).max(200),
        observations: z.array(observation).max(1_000_000),
      }),
    )
    .max(1000),
});
export type CreditFile = z.infer<typeof creditFile>;

/** Observations by the name of their device. */
export type Credit = ReadonlyMap<string, readonly Observation[]>;

export function creditIn(file: CreditFile): Credit {
  return mergeCredit(file.devices.map(({ device, observations }) => new Map([[device, observations]])));
}

export function fileOf(credit: Credit): CreditFile {
  return {
    version: 1,
    devices: [...credit].map(([device, observations]) => ({ device, observations: [...observations] })),
  };
}

/**
 * All that any of them knows, each moment of a session once: the account that takes in more of its trace counts. Order,
 * grouping and repeats of what is merged make no difference.
 */
export function mergeCredit(credits: Iterable<Credit>): Credit {
  const merged = new Map<string, Map<string, Observation>>();
  for (const credit of credits) {
    for (const [device, observations] of credit) {
      const known = merged.get(device) ?? new Map<string, Observation>();
      merged.set(device, known);
      for (const o of observations) {
        const key = `${o.session} ${o.moment}`;
        const old = known.get(key);
        if (!old || isFuller(o, old)) known.set(key, o);
      }
    }
  }
  const sorted = <T>(entries: Iterable<readonly [string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(sorted(merged).map(([device, known]) => [device, sorted(known).map(([, o]) => o)]));
}

function isFuller(a: Observation, b: Observation): boolean {
  if (a.through !== b.through) return a.through > b.through;
  // Two accounts of the same events: whichever, but always the same one.
  return canonical(a) > canonical(b);
}

function canonical(o: Observation): string {
  return JSON.stringify(Object.entries(o).sort(([a], [b]) => (a < b ? -1 : 1)));
}
