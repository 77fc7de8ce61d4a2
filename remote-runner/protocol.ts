// The wire contract between a client and a runner: JSON-RPC 2.0 over WebSocket, subprotocol kernelseek.v1.
// Both ends validate every message with these schemas; sizes are bounded.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { artifact, PROFILE_LIMITS, PROFILE_SETS, profiledLaunch, profileTrouble } from './protocol/profile.js';

export * from './protocol/profile.js';

export const SUBPROTOCOL = 'kernelseek.v1';

export const LIMITS = {
  /** One WebSocket message, bytes. */
  message: 8 * 2 ** 20,
  /** One source that the agent may edit, UTF-16 units. */
  source: 2 * 2 ** 20,
  /** One read-only file, bytes. */
  file: 64 * 2 ** 20,
  files: 4096,
  /** One base64 chunk of a file upload, bytes before encoding. */
  chunk: 2 ** 20,
  /** Kept tail of what a candidate printed, characters. */
  output: 16 * 1024,
  mismatches: 8,
  diagnostics: 200,
  /** Launches and memsets of one call, and bytes of all plans of one evaluation. */
  planSteps: 64,
  plans: 2 ** 20,
} as const;

const relativePath = z
  .string()
  .min(1)
  .max(512)
  .refine(
    // No quotes and no line ends either: paths stand in `#include "…"` of generated code.
    (p) => !p.startsWith('/') && !/^[A-Za-z]:/.test(p) && /^[^"\\\p{Cc}]+$/u.test(p),
    'must be a relative path without quotes, backslashes and control characters',
  )
  .refine((p) => p.split('/').every((s) => s !== '' && s !== '.' && s !== '..'), 'must stay inside the job folder');
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** JSON has no inf, nan or 64-bit integers: those travel as strings. */
export const wireNumber = z.union([z.number(), z.string().regex(/^(nan|-?inf|-?\d{1,20})$/)]);
export type WireNumber = z.infer<typeof wireNumber>;

// ── initialize ────────────────────────────────────────────────────────────────────────────────────────────────────
export const initializeParams = z.object({
  client: z.object({ name: z.string().max(64), version: z.string().max(64) }),
});
export const targetInfo = z.object({
  kind: z.enum(['cuda', 'cpu']),
  /** GPU UUID, or `cpu`. */
  id: z.string(),
  /** What a person reads: `NVIDIA H200`, `CPU emulation, AMD EPYC, 2 cores`. */
  name: z.string(),
  /** `sm_90a`; absent for the CPU. */
  arch: z.string().optional(),
  driver: z.string().optional(),
  compiler: z.string(),
  memoryBytes: z.number().optional(),
  /** Only in the answer to initialize: who uses the device at that moment, `held by process 17 of user ann`. */
  busy: z.string().optional(),
});
export type TargetInfo = z.infer<typeof targetInfo>;
const protection = z.enum(['files', 'processes', 'network', 'privileges', 'turns']);
/** What keeps compilers and candidates from the runner's machine. */
export const isolation = z.object({
  means: z.enum(['namespaces', 'user namespaces', 'bubblewrap', 'none']),
  holds: z.array(protection),
  missing: z.array(protection),
});
export type Isolation = z.infer<typeof isolation>;

export const initializeResult = z.object({
  runner: z.object({ name: z.string(), version: z.string() }),
  host: z.object({ platform: z.string(), arch: z.string(), cores: z.number(), cpu: z.string() }),
  targets: z.array(targetInfo),
  /** Why a target one might expect is missing, with the remedy. */
  missing: z.array(z.object({ kind: z.enum(['cuda', 'cpu']), reason: z.string() })),
  /** Tool name → version, `nvcc`, `ncu`, `g++`, … */
  tools: z.record(z.string(), z.string()),
  profiling: z.enum(['permitted', 'denied', 'unknown', 'absent']),
  /** Absent where there is nothing to run, and from older runners. */
  isolation: isolation.optional(),
});
export type InitializeResult = z.infer<typeof initializeResult>;

// ── jobs ──────────────────────────────────────────────────────────────────────────────────────────────────────────
export const sourceFile = z.object({ path: relativePath, text: z.string().max(LIMITS.source) });
export type SourceFile = z.infer<typeof sourceFile>;
/** SHA-256 of sources in the order of their paths, hexadecimal: how verdicts and traces name one version. */
export function sourcesSha256(sources: readonly SourceFile[]): string {
  const sorted = sources
    .map(({ path, text }) => [path, text])
    .sort(([a = ''], [b = '']) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
export const fileRef = z.object({ path: relativePath, sha256, size: z.number().int().min(0).max(LIMITS.file) });
export type FileRef = z.infer<typeof fileRef>;

/** A task as it travels: paths are relative to one root (the workspace folder or above the task), never above it. */
export const wireTask = z.object({
  /** The task file's content, parsed and validated again by the runner (src/task). */
  task: z.unknown(),
  /** Folder of the task file below the root, `` for the root itself. */
  directory: z.union([z.literal(''), relativePath]),
  /** The original editable sources; by default they are reference and baseline. */
  original: z.array(sourceFile).min(1).max(64),
  /** Decides what is right in the place of the original; seen by no candidate, so not among the files. */
  reference: sourceFile.optional(),
  /** Checker programs of outputs, likewise. */
  checkers: z.array(sourceFile).max(64).optional(),
  /** Read-only files, content-addressed: upload what files/need names. */
  files: z.array(fileRef).max(LIMITS.files),
  /**
   * The call as one C++ expression over argument names, scenario variables and `stream`, resolved by the client from the
   * original's signature. For a bare kernel `name(arguments)`; absent where its signature is not known.
   */
  call: z.string().max(4096).optional(),
});
export type WireTask = z.infer<typeof wireTask>;

export const targetChoice = z.enum(['auto', 'cpu', 'cuda']);
export type TargetChoice = z.infer<typeof targetChoice>;

const extent = z
  .number()
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const axes = z.tuple([extent, extent, extent]);
/** Which buffer of the task's arguments, counted from 0, and bytes from where its pointer points. */
const buffer = {
  buffer: z.number().int().min(0).max(63),
  offset: z
    .number()
    .int()
    .min(0)
    .max(2 ** 43),
};
const planArgument = z.union([
  z.strictObject(buffer),
  z.strictObject({ buffer: z.null() }),
  /** The low `bytes` of `bits`, hexadecimal. */
  z.strictObject({ bytes: z.union([1, 2, 4, 8].map((n) => z.literal(n))), bits: z.string().regex(/^[0-9a-f]{1,16}$/) }),
]);
const launchStep = z.strictObject({
  kind: z.literal('launch'),
  /** With its namespaces, unnamed ones left out. */
  kernel: z.string().min(1).max(512),
  /** Template arguments as far as they are written in the source, as C++ prints them. */
  template: z.array(z.string().max(64)).max(32),
  /** Types as C++ prints them, `*` for every pointer. */
  parameters: z.array(z.string().max(64)).max(64),
  grid: axes,
  block: axes,
  /** Dynamic shared memory, bytes, and the most that the kernel was allowed where that is more than any may have. */
  shared: z
    .number()
    .int()
    .min(0)
    .max(2 ** 24),
  maxShared: z
    .number()
    .int()
    .min(0)
    .max(2 ** 24)
    .optional(),
  /** Percent. */
  carveout: z.number().int().min(-1).max(100).optional(),
  nonPortableCluster: z.number().int().min(0).max(1).optional(),
  cluster: axes.optional(),
  arguments: z.array(planArgument).max(64),
});
const memsetStep = z.strictObject({
  kind: z.literal('memset'),
  ...buffer,
  value: z.number().int().min(0).max(255),
  bytes: z
    .number()
    .int()
    .min(1)
    .max(2 ** 43),
});
export const planStep = z.discriminatedUnion('kind', [launchStep, memsetStep]);
export type PlanStep = z.infer<typeof planStep>;
/** What one version's host code does in each scenario, or why its text does not say. */
export const launchPlan = z.union([
  z.strictObject({ scenarios: z.record(z.string().max(4096), z.array(planStep).min(1).max(LIMITS.planSteps)) }),
  z.strictObject({ why: z.string().min(1).max(256) }),
]);
export type LaunchPlan = z.infer<typeof launchPlan>;

export const evaluateParams = z.object({
  kind: z.literal('evaluate'),
  task: wireTask,
  /** Same paths as `original`; absent: the original itself is evaluated. */
  candidate: z.array(sourceFile).max(64).optional(),
  /** The best so far, with the same paths: timed beside original and candidate in every round. It decides nothing on correctness. */
  incumbent: z.array(sourceFile).max(64).optional(),
  target: targetChoice,
  /** first: correctness and a provisional 95 % interval. confirm: fresh processes and inputs, 99 % interval. */
  mode: z.enum(['first', 'confirm']),
  /** Evaluate it even if a verdict on the same is in the runner's store. */
  fresh: z.boolean().optional(),
  /** true: sanitizers on every scenario, whatever the mode; false: before a win only; else also on a few of a first verdict. */
  sanitize: z.boolean().optional(),
  /** What launches what, for evaluating device code alone; without it, and on the CPU target, host code runs. */
  plans: z
    .strictObject({ original: launchPlan, candidate: launchPlan.optional(), incumbent: launchPlan.optional() })
    .optional(),
});
export type EvaluateParams = z.infer<typeof evaluateParams>;
export const calibrateParams = z.object({ kind: z.literal('calibrate'), task: wireTask, target: targetChoice });
export type CalibrateParams = z.infer<typeof calibrateParams>;
export const profileParams = z.object({
  kind: z.literal('profile'),
  task: wireTask,
  /** As in an evaluation; absent: the original. */
  candidate: z.array(sourceFile).max(64).optional(),
  target: targetChoice,
  /** Id of the scenario; absent: the one that takes longest by its work, else the last. */
  scenario: z.string().max(1024).optional(),
  /** Name of the kernel, with or without namespaces and template arguments; absent: every kernel of the call. */
  kernel: z.string().max(1024).optional(),
  set: z.enum(PROFILE_SETS),
  /** Beside the set: sections by identifier, metrics by name. */
  sections: z
    .array(z.string().regex(/^\w{1,64}$/))
    .max(64)
    .optional(),
  metrics: z
    .array(z.string().regex(/^[\w.:]{1,160}$/))
    .max(256)
    .optional(),
  /** Launches to profile at most. */
  launches: z.number().int().min(1).max(PROFILE_LIMITS.launches).optional(),
  timeoutMs: z.number().int().min(1000).max(3_600_000).optional(),
});
export type ProfileParams = z.infer<typeof profileParams>;
export const jobParams = z.discriminatedUnion('kind', [evaluateParams, calibrateParams, profileParams]);
export type JobParams = z.infer<typeof jobParams>;

export const submitParams = z.object({ job: id, params: jobParams });
export const submitResult = z.object({ job: id, attached: z.boolean() });
export const attachParams = z.object({ job: id, after: z.number().int().min(0) });
export const jobIdParams = z.object({ job: id });
export const ackParams = z.object({ job: id, seq: z.number().int().min(0) });
export const filesNeedParams = z.object({ sha256: z.array(sha256).max(LIMITS.files) });
export const filesNeedResult = z.object({ sha256: z.array(sha256) });
export const filesPutParams = z.object({
  sha256,
  size: z.number().int().min(0).max(LIMITS.file),
  offset: z.number().int().min(0),
  /** base64 of at most LIMITS.chunk bytes. */
  data: z.string().max(Math.ceil(LIMITS.chunk / 3) * 4),
});

export const filesGetParams = z.object({ sha256, offset: z.number().int().min(0) });
/** base64 of at most LIMITS.chunk bytes; empty past the end. */
export const filesGetResult = z.object({ size: z.number().int().min(0), data: z.string() });

// ── verdicts ──────────────────────────────────────────────────────────────────────────────────────────────────────
export const STATUSES = [
  'correct',
  'wrong',
  'compile_error',
  'launch_error',
  'crash',
  'timeout',
  'out_of_memory',
  'nondeterministic',
  'finding',
  'unsupported',
  'task_error',
  'inconclusive',
  'infrastructure',
] as const;
export const status = z.enum(STATUSES);
export type Status = z.infer<typeof status>;

const place = z.object({ file: z.string(), line: z.number().int().min(1), column: z.number().int().min(1).optional() });
export const diagnostic = place.extend({
  severity: z.enum(['error', 'warning', 'note']),
  code: z.string().optional(),
  message: z.string(),
  related: z.array(place.extend({ message: z.string() })).optional(),
});
export type Diagnostic = z.infer<typeof diagnostic>;

export const kernelResources = z.object({
  /** Mangled name as ptxas prints it. */
  entry: z.string(),
  /** Demangled where it could be. */
  name: z.string(),
  arch: z.string(),
  registers: z.number(),
  sharedBytes: z.number().optional(),
  stackBytes: z.number().optional(),
  spillStoreBytes: z.number().optional(),
  spillLoadBytes: z.number().optional(),
  barriers: z.number().optional(),
});
export type KernelResources = z.infer<typeof kernelResources>;

export const mismatch = z.object({ index: z.number(), expected: wireNumber, got: wireNumber });
export const outputReport = z.object({
  name: z.string(),
  elements: z.number(),
  mismatches: z.number(),
  /** Largest |got - expected| and its ratio to |expected| over finite pairs. */
  maxAbs: wireNumber,
  maxRel: wireNumber,
  rtol: z.number(),
  atol: z.number(),
  first: z.array(mismatch).max(LIMITS.mismatches),
  /** Why a checker program of the task refuses it. */
  message: z.string().max(1024).optional(),
});
export type OutputReport = z.infer<typeof outputReport>;

export const ratio = z.object({ value: z.number(), low: z.number(), high: z.number() });
export type Ratio = z.infer<typeof ratio>;
export const scenarioTiming = z.object({
  /** Median milliseconds per call. */
  candidateMs: z.number(),
  baselineMs: z.number(),
  /** baseline time / candidate time: above 1 is faster. */
  speedup: ratio,
  /** The same of the incumbent, where one took part. */
  incumbentMs: z.number().optional(),
  overIncumbent: ratio.optional(),
  pairs: z.number().int(),
  /** Sets of fresh processes behind the interval. */
  processes: z.number().int(),
  /** The least milliseconds that the task's work can take on this device; absent where task or device do not tell. */
  floorMs: z.number().optional(),
});
export type ScenarioTiming = z.infer<typeof scenarioTiming>;
export const scenarioVerdict = z.object({
  id: z.string(),
  status,
  message: z.string().optional(),
  heldOut: z.boolean().optional(),
  outputs: z.array(outputReport),
  timing: scenarioTiming.optional(),
});
export type ScenarioVerdict = z.infer<typeof scenarioVerdict>;

export const finding = z.object({
  code: z.string(),
  message: z.string(),
  file: z.string().optional(),
  line: z.number().optional(),
});
export type Finding = z.infer<typeof finding>;

/** What sanitizers did in one scenario: checks that ran to their end, and those that did not, with the reason. */
export const sanitizedScenario = z.object({
  scenario: z.string(),
  covered: z.array(z.string()),
  notCovered: z.array(z.string()),
});
export type SanitizedScenario = z.infer<typeof sanitizedScenario>;

export const conditions = z.object({
  smMhz: ratio.omit({ value: true }).extend({ median: z.number() }),
  memoryMhz: z.number(),
  /** `software power cap (3 of 40 samples)` */
  heldBackBy: z.array(z.string()),
  samples: z.number().int(),
});
export type Conditions = z.infer<typeof conditions>;

export const regime = z.object({
  scenario: z.string(),
  cache: z.enum(['cold', 'warm']),
  /** burst: from a device at rest, as in all other figures; sustained: after calls without a pause. */
  load: z.enum(['burst', 'sustained']),
  /** 95 %, provisional. */
  speedup: ratio,
  pairs: z.number().int(),
});
export type Regime = z.infer<typeof regime>;

export const verdict = z.object({
  status,
  /** One sentence that names the place and, where there is one, the remedy. */
  message: z.string(),
  mode: z.enum(['first', 'confirm']),
  /** What it ran on; absent when it never got that far. */
  target: targetInfo.optional(),
  /** 1: device code alone, launched by the runner's own program. 2: host entry in a process of its own. */
  tier: z.union([z.literal(1), z.literal(2)]).optional(),
  /** Why not 1, in one sentence; absent where the target knows no other, and of tier 1. */
  whyTier2: z.string().max(512).optional(),
  /** True for CPU emulation: times say nothing about GPU speed. */
  emulated: z.boolean(),
  scenarios: z.array(scenarioVerdict),
  /** Weighted geometric mean over scenarios, always over the original. Absent unless every scenario is correct and timed. */
  speedup: ratio.extend({ confidence: z.number(), over: z.literal('original') }).optional(),
  /** The same over the incumbent, from the same rounds: whether the candidate is a new best. */
  overIncumbent: ratio.extend({ confidence: z.number() }).optional(),
  /** What the GPU's clocks did meanwhile; absent where the driver does not tell and on the CPU target. */
  conditions: conditions.optional(),
  /** On a win: the speedup over the original with the other state of the cache, and under steady load. Process pairs: one. */
  regimes: z.array(regime).optional(),
  /** confirm only: the interval excludes 1 from below and no scenario falls below noScenarioBelow. */
  faster: z.boolean().optional(),
  diagnostics: z.array(diagnostic).max(LIMITS.diagnostics),
  resources: z.array(kernelResources),
  findings: z.array(finding),
  /** Things to know that do not change the status. */
  warnings: z.array(z.string()),
  /** Absent where no sanitizer was asked for. */
  sanitized: z.array(sanitizedScenario).optional(),
  unsupported: z
    .object({ construct: z.string(), file: z.string(), line: z.number(), cudaWouldDo: z.boolean() })
    .optional(),
  /** Tail of what build and candidate printed. */
  output: z
    .string()
    .max(LIMITS.output + 64)
    .optional(),
  /** Wall milliseconds per phase. */
  phases: z.record(z.string(), z.number()),
  /** Present where the same was evaluated before and this is the verdict of then; `fresh: true` asks for a new one. */
  fromStore: z.object({ startedAt: z.string() }).optional(),
  /** Hashes and versions to reproduce it with; the seed is told only here, after the verdict. */
  provenance: z
    .object({
      candidateSha256: z.string(),
      originalSha256: z.string(),
      incumbentSha256: z.string().optional(),
      flags: z.array(z.string()),
      compiler: z.string(),
      seed: z.string(),
      startedAt: z.string(),
      isolation: isolation.optional(),
    })
    .optional(),
});
export type Verdict = z.infer<typeof verdict>;

/** A verdict with nothing measured: for what ended before any kernel ran. */
export function bareVerdict(status: Status, message: string, mode: Verdict['mode']): Verdict {
  return {
    status,
    message,
    mode,
    emulated: false,
    scenarios: [],
    diagnostics: [],
    resources: [],
    findings: [],
    warnings: [],
    phases: {},
  };
}

/** Per output and scenario, from the original alone: how far its result moves by itself and under one-ulp input changes. */
export const calibration = z.object({
  status,
  message: z.string(),
  target: targetInfo.optional(),
  emulated: z.boolean(),
  diagnostics: z.array(diagnostic).max(LIMITS.diagnostics),
  unsupported: z
    .object({ construct: z.string(), file: z.string(), line: z.number(), cudaWouldDo: z.boolean() })
    .optional(),
  outputs: z.array(
    z.object({
      name: z.string(),
      scenario: z.string(),
      dtype: z.string(),
      /** Largest absolute value of the output, and the median of the absolute values. */
      maxAbs: wireNumber,
      medianAbs: wireNumber,
      /** Largest |difference| and, where |value| > 0, |difference| / |value|: between repeats, and under one-ulp inputs. */
      repeatAbs: wireNumber,
      repeatRel: wireNumber,
      ulpAbs: wireNumber,
      ulpRel: wireNumber,
    }),
  ),
});
export type Calibration = z.infer<typeof calibration>;

/** What the profiler, ptxas and the compiler know of one call. Its times are the profiler's and never stand beside a verdict's. */
export const profile = z.object({
  /** `correct`: the call ran under the profiler, or there was nothing to run it on and static facts are given. */
  status,
  message: z.string(),
  target: targetInfo.optional(),
  emulated: z.boolean(),
  scenario: z.string().optional(),
  sourcesSha256: z.string(),
  set: z.enum(PROFILE_SETS),
  launches: z.array(profiledLaunch).max(PROFILE_LIMITS.launches),
  /** Absent where counters were read. */
  trouble: profileTrouble.optional(),
  /** Metrics that this chip or driver does not give. */
  missingMetrics: z.array(z.string()),
  resources: z.array(kernelResources),
  diagnostics: z.array(diagnostic).max(LIMITS.diagnostics),
  warnings: z.array(z.string()),
  /** `report.ncu-rep`, `instructions.json`. */
  artifacts: z.array(artifact),
  unsupported: z
    .object({ construct: z.string(), file: z.string(), line: z.number(), cudaWouldDo: z.boolean() })
    .optional(),
  /** `ncu 2025.3.1.0` */
  tool: z.string().optional(),
  phases: z.record(z.string(), z.number()),
});
export type Profile = z.infer<typeof profile>;

// ── events ────────────────────────────────────────────────────────────────────────────────────────────────────────
export const PHASES = ['queued', 'build', 'check', 'time', 'done'] as const;
export const jobEventBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('phase'),
    phase: z.enum(PHASES),
    detail: z.string(),
    done: z.number().optional(),
    total: z.number().optional(),
    /** `queued` only: how many jobs start before this one. */
    ahead: z.number().int().min(0).optional(),
  }),
  z.object({ type: z.literal('verdict'), verdict }),
  z.object({ type: z.literal('calibration'), calibration }),
  z.object({ type: z.literal('profile'), profile }),
  /** The job ended without a result: cancelled, or the runner itself failed. */
  z.object({ type: z.literal('ended'), reason: z.enum(['cancelled', 'infrastructure']), message: z.string() }),
]);
export type JobEventBody = z.infer<typeof jobEventBody>;
/** `seq` starts at 1 and has no gaps within one life of the runner; the last event of a job is verdict, calibration, profile or ended. */
export const jobEvent = z.object({
  job: id,
  seq: z.number().int().min(1),
  /** Present where the runner went down while it was at the job: this is of its second run, or a later one. */
  run: z.number().int().min(2).optional(),
  event: jobEventBody,
});
export type JobEvent = z.infer<typeof jobEvent>;

/** Method names. Requests from the client, except EVENT, a notification from the runner. */
export const METHODS = {
  initialize: 'initialize',
  filesNeed: 'files/need',
  filesPut: 'files/put',
  /** A file that a job made, by its hash. */
  filesGet: 'files/get',
  submit: 'job/submit',
  attach: 'job/attach',
  cancel: 'job/cancel',
  ack: 'job/ack',
  event: 'job/event',
} as const;

/** JSON-RPC error codes of our own. */
export const ERRORS = {
  badParams: -32602,
  unknownJob: -32001,
  jobConflict: -32002,
  missingFiles: -32003,
  tooMany: -32004,
} as const;
