// A distilled winner as a candidate of the session that it came from; it becomes the best only where it is faster than the best.
import { sourcesSha256, type SourceFile, type Verdict } from '../../../remote-runner/protocol.js';
import { makesBest } from '../confirmation.js';
import { candidateOf } from '../fold.js';
import { History } from '../history.js';
import { SessionRecord } from '../record.js';
import { readSession } from '../sessions.js';

export interface Recorded {
  /** Candidate that was taken apart. */
  winner: string;
  sources: SourceFile[];
  verdict: Verdict;
  note: string;
}

/**
 * Adds the candidate with its confirmed verdict to the trace; a session that was finished stays so.
 * @returns id of the candidate: a new one, or that of the same sources
 * @throws SessionLocked when a process drives the session
 */
export async function recordDistilled(
  folder: string,
  { winner, sources, verdict, note }: Recorded,
  redact: (line: string) => string,
): Promise<string> {
  const sha = sourcesSha256(sources);
  const before = await readSession(folder);
  const finished = 'error' in before ? undefined : before.state.finished;
  const record = await SessionRecord.reopen(folder, undefined, { redact, onEvent: () => undefined });
  try {
    const { candidates, incumbent } = record.state;
    const known = candidates.find((c) => c.sourcesSha256 === sha);
    const parent = candidates.find((c) => c.id === winner);
    if (!parent) throw new Error(`${winner} is not a candidate of this session`);
    const id = known?.id ?? `c${candidates.length + 1}`;
    if (!known) {
      const commit = await (await History.open(folder)).commit(id, sources, [parent.commit], note);
      await record.append({
        type: 'candidate',
        id,
        parent: winner,
        author: 'search',
        commit,
        sourcesSha256: sha,
        note,
      });
    }
    await record.append({ type: 'verdict', candidate: id, verdict });
    const isBest = makesBest(verdict, candidateOf(record.state, incumbent)?.confirmed);
    if (isBest) await record.append({ type: 'incumbent', candidate: id });
    if (finished) await record.append({ type: 'finished', ...finished, ...(isBest && { best: id }) });
    return id;
  } finally {
    await record.close();
  }
}
