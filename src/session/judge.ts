// Candidates in, verdicts out: recording, duplicates, and the policy of confirmation that makes a new best.
import {
  type Profile,
  type SourceFile,
  sourcesSha256,
  type TargetChoice,
  type Verdict,
  type WireTask,
} from '../../remote-runner/protocol.js';
import type { Level } from '../questions/types.js';
import { decided, makesBest, overBest, whyNotPromising } from './confirmation.js';
import type { CandidateState } from './fold.js';
import { candidateOf, verdictOf } from './fold.js';
import type { History } from './history.js';
import type { SessionProgress } from './protocol.js';
import type { SessionRecord } from './record.js';
import type { Road } from './road.js';
import { shownProgress } from './road.js';
import { checkSources } from './sources.js';
import type { Judged, Proposal } from './strategy.js';
import { BudgetSpent } from './strategy.js';

export interface JudgeOptions {
  record: SessionRecord;
  history: History;
  road: Road;
  wire: WireTask;
  /** The target that measured the baseline: all verdicts of a session come from one device. */
  target: TargetChoice;
  onProgress: (progress: SessionProgress) => void;
  /** Levels at which two versions differ, by the syntax tree. */
  levelsOf: LevelsOf;
}

export type LevelsOf = (before: readonly SourceFile[], after: readonly SourceFile[]) => Promise<Level[]>;

/** How many provisional winners are confirmed when a session ends without an incumbent. */
const LAST_CHANCES = 3;

export class Judge {
  readonly judged: Judged[] = [];
  private queue: Promise<unknown> = Promise.resolve();
  private sparing = false;

  private constructor(
    private readonly options: JudgeOptions,
    private readonly originalCommit: string,
  ) {}

  /** Reads back what the trace holds already. */
  static async open(options: JudgeOptions): Promise<Judge> {
    const judge = new Judge(options, await options.history.find('original'));
    for (const candidate of options.record.state.candidates) {
      const verdict = verdictOf(candidate);
      if (verdict) judge.keep(candidate, await options.history.read(candidate.commit), verdict);
      // The process may have died between a confirmed verdict and the event that makes it the best.
      await judge.settle(candidate);
    }
    return judge;
  }

  incumbent(): Judged | undefined {
    const id = this.options.record.state.incumbent;
    return this.judged.find((j) => j.candidate === id);
  }

  evaluationsLeft(): number {
    const { budget, evaluations } = this.options.record.state;
    return Math.max(0, budget.evaluations - evaluations);
  }

  /**
   * Judges one proposal; calls are queued, since one device measures one thing at a time.
   * @throws BudgetSpent, RunnerError, the signal's reason
   */
  evaluate(proposal: Proposal, signal: AbortSignal): Promise<Judged> {
    const next = this.queue.then(() => this.evaluateNow(proposal, signal));
    this.queue = next.catch(() => undefined);
    return next;
  }

  /**
   * Without an incumbent: confirms the best provisional winners, best first, until one holds. Where every interval reaches
   * below 1, the best of those gets the one chance: its gain may be real on a machine too noisy to show it at first sight.
   */
  async confirmBest(signal: AbortSignal, chances = LAST_CHANCES): Promise<void> {
    const open = this.options.record.state.candidates
      .filter((c) => promise(c) > 1 && !decided(c.confirmed))
      .sort((a, b) => promise(b) - promise(a));
    const promising = open.filter((c) => c.first && whyNotPromising(c.first) === undefined);
    for (const candidate of promising.length > 0 ? promising.slice(0, chances) : open.slice(0, 1)) {
      if (this.options.record.state.incumbent !== undefined) return;
      await this.confirm(candidate, await this.options.history.read(candidate.commit), signal);
    }
  }

  /**
   * While nobody proposes: confirms the most promising candidate whose gain was not looked at again, if it may still be better
   * than the best. Costs no evaluation; goes on after the call. A failure is told in the trace; the judge waits for it before it
   * judges anything else.
   */
  spare(signal: AbortSignal): void {
    if (this.sparing || signal.aborted) return;
    const best = this.bestVerdict();
    const mayBeBetter = ({ first }: CandidateState): boolean =>
      !best || (first !== undefined && (overBest(first, best)?.high ?? 0) > 1);
    const [candidate] = this.options.record.state.candidates
      .filter((c) => promise(c) > 1 && !decided(c.confirmed) && mayBeBetter(c))
      .sort((a, b) => promise(b) - promise(a));
    if (!candidate) return;
    this.sparing = true;
    this.queue = this.queue
      .then(async () => this.confirm(candidate, await this.options.history.read(candidate.commit), signal))
      .catch(async (error: unknown) => {
        if (signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        await this.options.record.trouble('runner', `${candidate.id} could not be confirmed meanwhile: ${reason}`);
      })
      .finally(() => (this.sparing = false));
  }

  /**
   * Has sources profiled, in turn with what is judged.
   * @throws RunnerError, the signal's reason
   */
  profile(
    sources: SourceFile[],
    signal: AbortSignal,
    scenario: string | undefined,
    kernel: string | undefined,
  ): Promise<Profile | string> {
    const { record, road, wire, target, onProgress } = this.options;
    const made = this.queue.then(() => {
      signal.throwIfAborted();
      checkSources(wire.original, sources);
      // The call that a crash left without an answer has the same number when it is made again.
      const number = record.state.conversation.filter((e) => e.type === 'tool').length;
      return road.profile(
        `${record.state.session}-profile-${number}`,
        {
          kind: 'profile',
          task: wire,
          candidate: sources,
          target,
          set: 'detailed',
          ...(scenario !== undefined && { scenario }),
          ...(kernel !== undefined && { kernel }),
        },
        signal,
        (p) => onProgress(shownProgress(p, 'profiling: ')),
      );
    });
    this.queue = made.catch(() => undefined);
    return made;
  }

  /** Resolves when nothing is being judged any more. */
  async settled(): Promise<void> {
    await this.queue.catch(() => undefined);
  }

  private async evaluateNow(proposal: Proposal, signal: AbortSignal): Promise<Judged> {
    signal.throwIfAborted();
    const { record, wire } = this.options;
    checkSources(wire.original, proposal.sources);
    const sha = sourcesSha256(proposal.sources);
    const known = record.state.candidates.find((c) => c.sourcesSha256 === sha);
    const free = sha === record.state.originalSha256 || decided(known?.first);
    if (!free && this.evaluationsLeft() === 0) throw new BudgetSpent('evaluations');
    const candidate = known ?? (await this.add(proposal, sha));
    if (!decided(candidate.first)) {
      const verdict =
        (sha === record.state.originalSha256 && record.state.baseline) ||
        (await this.run(candidate, proposal.sources, 'first', signal));
      await record.append({ type: 'verdict', candidate: candidate.id, verdict });
    }
    if (this.promisesBest(candidate)) await this.confirm(candidate, proposal.sources, signal);
    return this.keep(candidate, proposal.sources, verdictOf(candidate));
  }

  private async add(proposal: Proposal, sha: string): Promise<CandidateState> {
    const { record, history, wire, levelsOf } = this.options;
    const id = `c${record.state.candidates.length + 1}`;
    const parent = candidateOf(record.state, proposal.parent);
    const before = this.judged.find((j) => j.candidate === parent?.id)?.proposal.sources ?? wire.original;
    // Sources that no parser reads are judged all the same; their level is just not known.
    const levels = await levelsOf(before, proposal.sources).catch(() => undefined);
    const commit = await history.commit(id, proposal.sources, [parent?.commit ?? this.originalCommit], proposal.note);
    await record.append({
      type: 'candidate',
      id,
      ...(parent && { parent: parent.id }),
      author: proposal.author,
      commit,
      sourcesSha256: sha,
      note: proposal.note,
      ...(proposal.configuration && { configuration: proposal.configuration }),
      ...(levels && { levels }),
    });
    const added = candidateOf(record.state, id);
    if (!added) throw new Error(`candidate ${id} is not in the state it was just recorded in`);
    return added;
  }

  private promisesBest({ first, confirmed }: CandidateState): boolean {
    return !decided(confirmed) && first !== undefined && whyNotPromising(first, this.bestVerdict()) === undefined;
  }

  private bestVerdict(): Verdict | undefined {
    const { state } = this.options.record;
    return candidateOf(state, state.incumbent)?.confirmed;
  }

  private async confirm(candidate: CandidateState, sources: SourceFile[], signal: AbortSignal): Promise<void> {
    const { record } = this.options;
    const verdict = await this.run(candidate, sources, 'confirm', signal);
    await record.append({ type: 'verdict', candidate: candidate.id, verdict });
    this.keep(candidate, sources, verdictOf(candidate));
    await this.settle(candidate);
  }

  /** Makes a candidate the best when its confirmed verdict says so. */
  private async settle(candidate: CandidateState): Promise<void> {
    const { record } = this.options;
    const { confirmed } = candidate;
    if (!confirmed || record.state.incumbent === candidate.id || !makesBest(confirmed, this.bestVerdict())) return;
    await record.append({ type: 'incumbent', candidate: candidate.id });
  }

  private run(
    candidate: CandidateState,
    sources: SourceFile[],
    mode: Verdict['mode'],
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { road, wire, target, record, onProgress } = this.options;
    // The same unfinished evaluation has the same id after a crash: a runner that still has it gives its result.
    const job = `${record.state.session}-${candidate.id}-${mode}-${candidate.verdicts}`;
    // The best so far is timed in the same rounds: two ratios over the original from two runs tell less.
    const best = this.incumbent();
    const incumbent = best && best.candidate !== candidate.id ? { incumbent: best.proposal.sources } : {};
    const params = { kind: 'evaluate' as const, task: wire, candidate: sources, ...incumbent, target, mode };
    return road.evaluate(job, params, signal, (p) =>
      onProgress(shownProgress(p, mode === 'confirm' ? 'confirming: ' : '', candidate.id)),
    );
  }

  private keep(candidate: CandidateState, sources: SourceFile[], verdict: Verdict | undefined): Judged {
    if (!verdict) throw new Error(`candidate ${candidate.id} has no verdict`);
    const { id, parent, author, note, configuration } = candidate;
    const proposal = {
      sources,
      author,
      note,
      ...(parent !== undefined && { parent }),
      ...(configuration && { configuration }),
    };
    const judged = { candidate: id, proposal, verdict };
    const at = this.judged.findIndex((j) => j.candidate === id);
    if (at < 0) this.judged.push(judged);
    else this.judged[at] = judged;
    return judged;
  }
}

function promise(candidate: CandidateState): number {
  return candidate.first?.status === 'correct' ? (candidate.first.speedup?.value ?? 0) : 0;
}
