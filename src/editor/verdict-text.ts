// Verdicts in few words: for a lens, the status item and a diagnostic's message. Pure.
import type { KernelResources, Ratio, Status, Verdict } from '../../remote-runner/protocol.js';
import { interval, milliseconds } from '../report/numbers.js';
import { shapeHint } from '../report/original.js';

/** What is kept of a verdict for lenses, small enough for the workspace's memory. */
export interface VerdictFacts {
  status: Status;
  message: string;
  /** The evaluated text was the saved file itself, so there is nothing to compare it with. */
  isOriginal: boolean;
  emulated: boolean;
  targetName?: string;
  scenarios: number;
  /** Median milliseconds of the only scenario, or of the slowest. */
  milliseconds?: number;
  speedup?: Ratio;
  errors: number;
  resources: Pick<KernelResources, 'name' | 'entry' | 'registers' | 'spillStoreBytes' | 'spillLoadBytes'>[];
}

export function factsOf(verdict: Verdict, isOriginal: boolean): VerdictFacts {
  const all = verdict.scenarios.flatMap(({ timing }) => (timing ? [timing.candidateMs] : []));
  const slowest = all.length > 0 ? Math.max(...all) : undefined;
  const hint = shapeHint(verdict);
  return {
    status: verdict.status,
    message: hint === undefined ? verdict.message : `${verdict.message}: ${hint}`,
    isOriginal,
    emulated: verdict.emulated,
    ...(verdict.target && { targetName: verdict.target.name }),
    scenarios: verdict.scenarios.length,
    ...(slowest !== undefined && { milliseconds: slowest }),
    ...(verdict.speedup && {
      speedup: { value: verdict.speedup.value, low: verdict.speedup.low, high: verdict.speedup.high },
    }),
    errors: verdict.diagnostics.filter((d) => d.severity === 'error').length,
    resources: verdict.resources.map(({ name, entry, registers, spillStoreBytes, spillLoadBytes }) => ({
      name,
      entry,
      registers,
      ...(spillStoreBytes !== undefined && { spillStoreBytes }),
      ...(spillLoadBytes !== undefined && { spillLoadBytes }),
    })),
  };
}

const WORDS: Record<Status, string> = {
  correct: 'correct',
  wrong: 'wrong',
  compile_error: 'does not compile',
  launch_error: 'launch failed',
  crash: 'crashed',
  timeout: 'timed out',
  out_of_memory: 'out of memory',
  nondeterministic: 'not reproducible',
  finding: 'not accepted',
  unsupported: 'not supported here',
  task_error: 'task needs a change',
  inconclusive: 'inconclusive',
  infrastructure: 'could not be judged',
};

/** A status as a person says it. */
export function statusWords(status: Status): string {
  return WORDS[status];
}

/** Codicon of a status. */
function statusIcon(status: Status): string {
  if (status === 'correct') return '$(pass)';
  if (status === 'unsupported' || status === 'task_error') return '$(warning)';
  if (status === 'inconclusive' || status === 'infrastructure') return '$(question)';
  return '$(error)';
}

/** `40 regs · 0 spills` for one kernel; undefined where the compiler told nothing of it. */
export function resourceText(facts: VerdictFacts, kernel: string): string | undefined {
  const own = facts.resources.filter((r) => kernelName(r.name) === kernel);
  if (own.length === 0) return undefined;
  // Several instantiations: the one that needs most decides.
  const registers = Math.max(...own.map((r) => r.registers));
  const spills = Math.max(...own.map((r) => (r.spillStoreBytes ?? 0) + (r.spillLoadBytes ?? 0)));
  return `${registers} regs · ${spills === 0 ? '0 spills' : `${spills} B spilled`}`;
}

/** `softmax` of `void ns::softmax<float, 4>(float const*, int)`. */
function kernelName(demangled: string): string {
  let depth = 0;
  let plain = '';
  for (const c of demangled.replaceAll('(anonymous namespace)', '_')) {
    if (c === '<') depth += 1;
    else if (c === '>') depth -= 1;
    else if (c === '(' && depth === 0) break;
    else if (depth === 0) plain += c;
  }
  return /(\w+)\s*$/.exec(plain)?.[1] ?? plain;
}

/** One line above a kernel. `stale`: the text has changed since. */
export function lensSummary(facts: VerdictFacts, kernel: string, stale: boolean): string {
  const parts = [`${statusIcon(facts.status)} ${statusWords(facts.status)}`];
  if (facts.status === 'compile_error' && facts.errors > 0) {
    parts[0] += `: ${facts.errors} ${facts.errors === 1 ? 'error' : 'errors'}`;
  }
  if (facts.status === 'correct') {
    const took = facts.milliseconds === undefined ? undefined : `${milliseconds(facts.milliseconds)} ms`;
    if (!facts.isOriginal && facts.speedup) parts.push(`${interval(facts.speedup)} over the original`);
    if (facts.scenarios === 1) parts.push(took ?? '1 scenario');
    else parts.push(`${facts.scenarios} scenarios${took === undefined ? '' : `, slowest ${took}`}`);
  }
  const resources = resourceText(facts, kernel);
  if (resources !== undefined) parts.push(resources);
  if (facts.emulated) parts.push('CPU emulation');
  if (stale) parts.push('before your edits');
  return parts.join(' · ');
}
