// The original measured against itself before anything is proposed: what candidates are judged by must be right and steady.
import type { TargetChoice, Verdict, WireTask } from '../../remote-runner/protocol.js';
import { excludesOne } from './confirmation.js';
import type { SessionState } from './fold.js';
import type { SessionProgress } from './protocol.js';
import type { SessionRecord } from './record.js';
import type { Road } from './road.js';
import { shownProgress } from './road.js';

export interface BaselineOptions {
  record: SessionRecord;
  wire: WireTask;
  target: TargetChoice;
  onProgress: (progress: SessionProgress) => void;
}

/** The session cannot go on, for a reason a person must know. */
class CannotGoOn extends Error {}

/**
 * The baseline, from the trace where it has one, and the target that all of the session is measured on.
 * @throws CannotGoOn when the original is not correct where it is measured, or the target of the trace is gone
 */
export async function measureOriginal(
  options: BaselineOptions,
  road: Road,
  signal: AbortSignal,
): Promise<{ baseline: Verdict; target: TargetChoice }> {
  const { record, wire, onProgress } = options;
  onProgress({ phase: 'connect', detail: 'connecting to the runner' });
  const { about, address } = await road.runner(signal);
  const before = record.state.baseline?.target;
  if (before && !about.targets.some((t) => t.id === before.id)) {
    const now = about.targets.map((t) => t.name).join(', ') || 'nothing';
    throw new CannotGoOn(
      `this session was measured on ${before.name}; the runner at ${address} offers ${now}. ` +
        `Connect to the runner it began with, or start a new session`,
    );
  }
  let announced = false;
  const announce = async (chosen: string): Promise<void> => {
    if (!announced) await record.append({ type: 'runner', address, targets: about.targets, chosen });
    announced = true;
  };
  const target = before?.kind ?? options.target;
  const baseline = await settled(record.state, async (number) => {
    // Fresh: it tells how far times can be trusted now.
    const params = { kind: 'evaluate', task: wire, target, mode: 'first', fresh: true } as const;
    // A later measurement is another job: the runner answers an id it knows with the verdict it gave.
    const job = `${record.state.session}-original${number === 0 ? '' : `-${number}`}`;
    const verdict = await road.evaluate(job, params, signal, (p) => onProgress(shownProgress(p, 'the original: ')));
    await announce(verdict.target?.id ?? options.target);
    await record.append({ type: 'baseline', verdict });
    return verdict;
  });
  await announce(baseline.target?.id ?? options.target);
  if (baseline.status !== 'correct') throw new CannotGoOn(notCorrect(baseline));
  if (excludesOne(baseline)) {
    await record.trouble(
      'runner',
      'timing on this machine is unreliable now (is it busy?): measured twice, the original was not as fast as itself',
    );
  }
  return { baseline, target: baseline.target?.kind ?? options.target };
}

/**
 * The baseline of the trace, or one measured now: anew when the original was not correct last time (its cause may be
 * mended), and once more when it did not measure as fast as itself.
 */
async function settled(
  { baseline: known, baselines }: Readonly<SessionState>,
  measure: (number: number) => Promise<Verdict>,
): Promise<Verdict> {
  if (known?.status === 'correct') return baselines === 1 && excludesOne(known) ? measure(baselines) : known;
  const baseline = await measure(baselines);
  return excludesOne(baseline) ? measure(baselines + 1) : baseline;
}

function notCorrect({ status, message, target, diagnostics }: Verdict): string {
  const where = target ? ` on ${target.name}` : '';
  const first = diagnostics.find((d) => d.severity === 'error');
  const place = first ? ` (${first.file}:${first.line}: ${first.message})` : '';
  return (
    `the original itself is not correct${where}: ${status}: ${message}${place}. ` +
    `It is what candidates are judged by, so it has to be right first`
  );
}
