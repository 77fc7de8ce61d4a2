// Assembles the verdict from what an evaluation has gathered, whichever way it ended.
import {
  LIMITS,
  type Diagnostic,
  type Finding,
  type KernelResources,
  type Ratio,
  type ScenarioVerdict,
  type Status,
  type Verdict,
} from '../protocol.js';
import type { Toolchain } from '../targets/toolchain.js';
import type { Speedup } from './speedup.js';

/** What is known so far. */
export interface Draft {
  mode: 'first' | 'confirm';
  toolchain: Toolchain;
  scenarios: ScenarioVerdict[];
  diagnostics: Diagnostic[];
  resources: KernelResources[];
  findings: Finding[];
  warnings: string[];
  phases: Record<string, number>;
  output: string;
  startedAt: string;
  candidateSha256: string;
  originalSha256: string;
  flags: string[];
  /** One per process pair. */
  seeds: string[];
  unsupported?: Verdict['unsupported'];
  noScenarioBelow?: number;
}

const times = (n: number): string => `${n.toPrecision(3)}×`;

function speedupMessage({ value, low, high, confidence }: Ratio & { confidence: number }, draft: Draft): string {
  const kind = draft.mode === 'first' ? 'provisional' : 'confirmed';
  const interval = `${kind} ${Math.round(confidence * 100)} % interval ${times(low)} to ${times(high)}`;
  return `${times(value)} over the original, ${interval}${draft.toolchain.emulated ? '; CPU emulation, not GPU speed' : ''}`;
}

export function finish(draft: Draft, status: Status, message: string, speedup?: Speedup): Verdict {
  const { toolchain, mode } = draft;
  // A build that leaves findings behind (a forbidden call, say) never makes a correct candidate.
  const ended: Status = status === 'correct' && draft.findings.length > 0 ? 'finding' : status;
  const overall = ended === 'correct' ? speedup?.overall : undefined;
  const slow = draft.scenarios.filter((s) => s.timing && s.timing.speedup.value < (draft.noScenarioBelow ?? 0));
  const faster = overall && mode === 'confirm' ? overall.low > 1 && slow.length === 0 : undefined;
  if (overall && overall.low > 1 && slow.length > 0)
    draft.warnings.push(
      `below ${draft.noScenarioBelow}× of the original in ${slow.map((s) => s.id).join('; ')}: no win`,
    );
  return {
    status: ended,
    message: message || (overall ? speedupMessage(overall, draft) : (draft.findings[0]?.message ?? ended)),
    mode,
    target: toolchain.info,
    tier: 2,
    emulated: toolchain.emulated,
    scenarios: draft.scenarios,
    ...(overall ? { speedup: { ...overall, over: 'original' as const } } : {}),
    ...(faster === undefined ? {} : { faster }),
    diagnostics: draft.diagnostics.slice(0, LIMITS.diagnostics),
    resources: draft.resources,
    findings: draft.findings,
    warnings: draft.warnings,
    ...(draft.unsupported ? { unsupported: draft.unsupported } : {}),
    ...(draft.output ? { output: draft.output.slice(-LIMITS.output) } : {}),
    phases: Object.fromEntries(Object.entries(draft.phases).map(([k, v]) => [k, Math.round(v)])),
    provenance: {
      candidateSha256: draft.candidateSha256,
      originalSha256: draft.originalSha256,
      flags: draft.flags,
      compiler: toolchain.info.compiler,
      seed: draft.seeds.join(','),
      startedAt: draft.startedAt,
    },
  };
}
