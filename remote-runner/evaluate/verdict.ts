// Assembles the verdict from what an evaluation has gathered, whichever way it ended.
import {
  LIMITS,
  type Diagnostic,
  type Finding,
  type KernelResources,
  type Ratio,
  type Regime,
  type SanitizedScenario,
  type ScenarioVerdict,
  type Status,
  type Verdict,
} from '../protocol.js';
import type { Toolchain } from '../targets/toolchain.js';
import { conditionsOf } from './conditions.js';
import type { DeviceState } from './keeper.js';
import type { Speedup } from './speedup.js';

/** What is known so far. */
export interface Draft {
  mode: 'first' | 'confirm';
  /** 1: device code alone; 2: host code runs. */
  tier: 1 | 2;
  /** Why it is 2, where the target knows better. */
  whyHostCode: string;
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
  incumbentSha256?: string;
  flags: string[];
  /** One for each set of processes. */
  seeds: string[];
  deviceStates: DeviceState[];
  regimes?: Regime[];
  sanitized?: SanitizedScenario[];
  unsupported?: Verdict['unsupported'];
  noScenarioBelow?: number;
}

/** As many digits as the interval supports, two to four behind the point. */
function times(n: number, { low, high }: Ratio): string {
  const digits = Math.ceil(-Math.log10((high - low) / 2)) + 1;
  return n < 0.1
    ? `${n.toPrecision(2)}×`
    : `${n.toFixed(Number.isFinite(digits) ? Math.min(4, Math.max(2, digits)) : 4)}×`;
}

/** Identical code: what is measured is the machine. */
const isOriginal = (draft: Draft): boolean => draft.candidateSha256 === draft.originalSha256;

function speedupMessage(ratio: Ratio & { confidence: number }, draft: Draft): string {
  const [value, low, high] = [ratio.value, ratio.low, ratio.high].map((n) => times(n, ratio));
  const kind = draft.mode === 'first' ? 'provisional' : 'confirmed';
  const what = isOriginal(draft) ? `the original against itself: ${value}` : `${value} over the original`;
  const interval = `${kind} ${Math.round(ratio.confidence * 100)} % interval ${low} to ${high}`;
  return `${what}, ${interval}${draft.toolchain.emulated ? '; CPU emulation, not GPU speed' : ''}`;
}

export function finish(draft: Draft, status: Status, message: string, speedup?: Speedup): Verdict {
  const { toolchain, mode } = draft;
  // A build that leaves findings behind (a forbidden call, say) never makes a correct candidate.
  const ended: Status = status === 'correct' && draft.findings.length > 0 ? 'finding' : status;
  const overall = ended === 'correct' ? speedup?.overall : undefined;
  const slow = draft.scenarios.filter((s) => s.timing && s.timing.speedup.value < (draft.noScenarioBelow ?? 0));
  const faster = overall && mode === 'confirm' ? overall.low > 1 && slow.length === 0 && !isOriginal(draft) : undefined;
  const conditions = conditionsOf(draft.deviceStates);
  if (overall && overall.low > 1 && slow.length > 0 && !isOriginal(draft))
    draft.warnings.push(
      `below ${draft.noScenarioBelow}× of the original in ${slow.map((s) => s.id).join('; ')}: no win`,
    );
  return {
    status: ended,
    message: message || (overall ? speedupMessage(overall, draft) : (draft.findings[0]?.message ?? ended)),
    mode,
    target: toolchain.info,
    tier: draft.tier,
    ...(draft.whyHostCode !== '' && { whyTier2: draft.whyHostCode }),
    emulated: toolchain.emulated,
    scenarios: draft.scenarios,
    ...(overall ? { speedup: { ...overall, over: 'original' as const } } : {}),
    ...(overall && speedup?.overIncumbent ? { overIncumbent: speedup.overIncumbent } : {}),
    ...(faster === undefined ? {} : { faster }),
    ...(conditions ? { conditions } : {}),
    ...(overall && draft.regimes && draft.regimes.length > 0 ? { regimes: draft.regimes } : {}),
    diagnostics: draft.diagnostics.slice(0, LIMITS.diagnostics),
    resources: draft.resources,
    findings: draft.findings,
    warnings: draft.warnings,
    ...(draft.sanitized ? { sanitized: draft.sanitized } : {}),
    ...(draft.unsupported ? { unsupported: draft.unsupported } : {}),
    ...(draft.output ? { output: draft.output.slice(-LIMITS.output) } : {}),
    phases: Object.fromEntries(Object.entries(draft.phases).map(([k, v]) => [k, Math.round(v)])),
    provenance: {
      candidateSha256: draft.candidateSha256,
      originalSha256: draft.originalSha256,
      ...(draft.incumbentSha256 ? { incumbentSha256: draft.incumbentSha256 } : {}),
      flags: draft.flags,
      compiler: toolchain.info.compiler,
      seed: draft.seeds.join(','),
      startedAt: draft.startedAt,
    },
  };
}
