// Which changes of a winner pay: each is reverted alone and timed against the winner; what costs nothing to revert goes.
import { sourcesSha256, type Ratio, type SourceFile, type Verdict } from '../../../remote-runner/protocol.js';
import { Changes, type Change } from './changes.js';

/** A version is as fast as the winner while its ratio over it is not below this: the noise of a confirmed comparison. */
const AS_FAST = 0.98;

/** What came of reverting one change. */
export interface Trial {
  change: Change;
  verdict: Verdict;
  /** Time of the winner / time without the change: below 1 it is missed. */
  ratio?: Ratio;
  pays: boolean;
}

export interface Distilled {
  trials: Trial[];
  kept: Change[];
  dropped: Change[];
  /** The winner with nothing but what is kept; the winner itself where nothing could go. */
  sources: SourceFile[];
  /** Confirmed verdict on `sources` beside the winner; absent where nothing could go. */
  verdict?: Verdict;
}

export interface DistillOptions {
  original: readonly SourceFile[];
  winner: SourceFile[];
  /** Confirmed verdict on sources, with the winner as incumbent; `what` is for the progress. */
  compare: (sources: SourceFile[], what: string) => Promise<Verdict>;
  onTrial: (trial: Trial) => void;
}

/**
 * Takes the winner apart. A change that the rest needs (without it the kernel does not compile, or is wrong) pays. Changes
 * may stand in for each other: where all that could go one by one cannot go together, those missed most come back.
 * @throws Error when the runner has no verdict to give
 */
export async function distill(options: DistillOptions): Promise<Distilled> {
  const { original, winner } = options;
  const changes = Changes.between(original, winner);
  const trials: Trial[] = [];
  for (const change of changes.all) {
    const where = `${change.path}:${change.line}`;
    const sources = changes.with((other) => other !== change);
    const verdict = await judged(
      options,
      sources,
      `without change ${trials.length + 1} of ${changes.all.length} (${where})`,
    );
    const ratio = overWinner(verdict);
    const trial = { change, verdict, ...(ratio && { ratio }), pays: !isAsFast(verdict) };
    trials.push(trial);
    options.onTrial(trial);
  }
  // Least missed last: those come back first that are at the end.
  const gone = trials.filter((t) => !t.pays).sort((a, b) => (b.ratio?.value ?? 0) - (a.ratio?.value ?? 0));
  while (gone.length > 0) {
    const dropped = new Set(gone.map((t) => t.change));
    const sources = changes.with((change) => !dropped.has(change));
    // Nothing but the original is left: each change makes another one needless, not all of them.
    const isOriginal = sourcesSha256(sources) === sourcesSha256(original);
    const single = gone.length === 1 ? gone[0]?.verdict : undefined;
    const verdict = isOriginal ? undefined : (single ?? (await judged(options, sources, 'what is left')));
    if (verdict && isAsFast(verdict)) {
      return { trials, kept: changes.all.filter((c) => !dropped.has(c)), dropped: [...dropped], sources, verdict };
    }
    gone.pop();
  }
  return { trials, kept: changes.all, dropped: [], sources: winner };
}

async function judged({ compare }: DistillOptions, sources: SourceFile[], what: string): Promise<Verdict> {
  const verdict = await compare(sources, what);
  if (verdict.status === 'infrastructure' || verdict.status === 'unsupported' || verdict.status === 'task_error') {
    throw new Error(`${what}: ${verdict.status}: ${verdict.message}`);
  }
  return verdict;
}

/** Correct, and not slower than the winner as far as can be told. */
function isAsFast(verdict: Verdict): boolean {
  const ratio = overWinner(verdict);
  return verdict.status === 'correct' && ratio !== undefined && ratio.high >= 1 && ratio.value >= AS_FAST;
}

function overWinner({ overIncumbent }: Verdict): Ratio | undefined {
  return overIncumbent && { value: overIncumbent.value, low: overIncumbent.low, high: overIncumbent.high };
}
