// What a profile is on the wire: facts of Nsight Compute, in base units, with the report itself as an artifact.
import { z } from 'zod';

/** Bounds of one profile; what lies beyond is said, and is in the report. */
export const PROFILE_LIMITS = { launches: 16, metrics: 4096, lines: 2000, rules: 200, name: 4096 } as const;

/** Sections that are collected: `basic` tells time and occupancy, `detailed` what every line waits for, `full` everything. */
export const PROFILE_SETS = ['basic', 'detailed', 'full'] as const;

/** A value in its base unit: bytes, seconds, hertz. */
export const quantity = z.object({ value: z.number(), unit: z.string().max(64) });

const counts = z.record(z.string().max(64), z.number());

/** Counters of one source line of one kernel; absent ones were not measured. */
export const profiledLine = z.object({
  /** Relative to the task's root where it is one of the task's files, else as the compiler named it. */
  file: z.string().max(PROFILE_LIMITS.name),
  isOfTask: z.boolean(),
  line: z.number().int().min(1),
  /** Warp samples with their program counter here; those of them in which the scheduler issued nothing. */
  samples: z.number(),
  notIssued: z.number(),
  /** By reason, `long_sb`, `barrier`, …: of all samples, and of those in which nothing was issued. Only reasons that occurred. */
  stalls: counts,
  notIssuedStalls: counts,
  /** Warp instructions executed. */
  executed: z.number().optional(),
  /** Executed warp instructions by the first word of the opcode. */
  mix: counts,
  /** Sectors of 32 bytes that global accesses asked of L2, and what they would need if every byte were used. */
  globalSectors: z.object({ actual: z.number(), ideal: z.number() }).optional(),
  /** Passes through shared memory, and what they would be without bank conflicts. */
  sharedWavefronts: z.object({ actual: z.number(), ideal: z.number() }).optional(),
});

export const profileRule = z.object({
  section: z.string().max(256),
  name: z.string().max(256),
  type: z.string().max(16),
  text: z.string().max(4096),
  speedup: z.object({ scope: z.string().max(32), percent: z.number() }).optional(),
});

export const profiledLaunch = z.object({
  id: z.number().int(),
  /** As demangled, and its parts. */
  kernel: z.object({
    text: z.string().max(PROFILE_LIMITS.name),
    base: z.string().max(PROFILE_LIMITS.name),
    scope: z.array(z.string()),
    templateArguments: z.string().optional(),
  }),
  grid: z.tuple([z.number(), z.number(), z.number()]).optional(),
  block: z.tuple([z.number(), z.number(), z.number()]).optional(),
  metrics: z.record(z.string().max(256), quantity),
  rules: z.array(profileRule).max(PROFILE_LIMITS.rules),
  /** The most sampled first. */
  lines: z.array(profiledLine).max(PROFILE_LIMITS.lines),
  /** How many lines were left out for their number. */
  linesLeftOut: z.number().int().optional(),
});

/** A file that the runner keeps for a while, fetched by its hash. */
export const artifact = z.object({
  name: z.string().max(256),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.number().int().min(0),
});

export const PROFILE_TROUBLES = [
  'not-permitted',
  'absent',
  'no-device',
  'failed-kernel',
  'no-match',
  'time',
  'refused',
  'failed',
] as const;

/** Why counters are missing, with the remedy. */
export const profileTrouble = z.object({
  kind: z.enum(PROFILE_TROUBLES),
  message: z.string(),
  /** `no-match`: kernels that were launched. */
  available: z.array(z.string()).optional(),
});

export type Quantity = z.infer<typeof quantity>;
export type ProfiledLine = z.infer<typeof profiledLine>;
export type ProfileRule = z.infer<typeof profileRule>;
export type ProfiledLaunch = z.infer<typeof profiledLaunch>;
export type Artifact = z.infer<typeof artifact>;
export type ProfileTrouble = z.infer<typeof profileTrouble>;
export type ProfileSet = (typeof PROFILE_SETS)[number];
