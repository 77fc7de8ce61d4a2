// Follows a session while it runs: keeps its state and shows its progress, or passes its events on as JSON lines.
import { interval, times } from '../report/numbers.js';
import type { Paint } from '../report/paint.js';
import { plainJson, plainLine } from '../report/plain.js';
import { statusStyle, sureness, targetLine } from '../report/terminal.js';
import type { TraceEvent } from '../session/events.js';
import { advance, bestOf, candidateOf, verdictOf, type SessionState } from '../session/fold.js';
import type { SessionProgress } from '../session/protocol.js';
import type { ProgressLine } from './progress.js';

export class SessionView {
  constructor(
    private readonly progress: ProgressLine,
    private readonly paint: Paint,
    /** Absent: people only. */
    private readonly jsonLine?: (line: string) => void,
    /** What an earlier run of this session left, when it is resumed. */
    public state?: SessionState,
  ) {}

  event(event: TraceEvent): void {
    this.state = advance(this.state, event);
    this.jsonLine?.(plainJson(event));
    const line = this.describe(event, this.state);
    if (line !== undefined) this.progress.log(line);
  }

  /** The evaluation under way. */
  update({ candidate, phase, detail, done, total }: SessionProgress): void {
    const { state } = this;
    if (!state) return;
    const found = candidateOf(state, candidate);
    const what = candidate === undefined ? 'original' : found ? `${found.id} ${found.note}` : candidate;
    const best = bestOf(state);
    const speedup = best && verdictOf(best.candidate)?.speedup;
    const stage = `${state.evaluations} of ${state.budget.evaluations} evaluations · ${plainLine(what, 60)}`;
    const gain = speedup
      ? `best ${times(speedup.value)} over original${best.confirmed ? '' : ', provisional'}`
      : 'no gain yet';
    const share = done !== undefined && total !== undefined ? ` ${done}/${total}` : '';
    this.progress.update(stage, `${gain} · ${phase}${share}${detail === '' ? '' : ` ${detail}`}`);
  }

  private describe(event: TraceEvent, state: SessionState): string | undefined {
    const { paint } = this;
    switch (event.type) {
      case 'started':
        return `session ${event.session}: ${event.strategy} on ${plainLine(event.task)}`;
      case 'resumed':
        return `session ${state.session} goes on`;
      case 'runner':
        return `runner ${plainLine(event.address)}, target ${plainLine(event.chosen)}`;
      case 'baseline': {
        const { status, message, target } = event.verdict;
        const on = target ? ` on ${targetLine(target)}` : '';
        return `original: ${paint(statusStyle(status), status)}${on}${status === 'correct' ? '' : `: ${plainLine(message)}`}`;
      }
      case 'verdict': {
        const { status, message, speedup, emulated } = event.verdict;
        const note = candidateOf(state, event.candidate)?.note ?? '';
        const gain = speedup
          ? `${interval(speedup)} over original, ${sureness(event.verdict)}${emulated ? ' (CPU emulation)' : ''}`
          : plainLine(message, 160);
        return `${event.candidate}  ${plainLine(note, 80)}  ${paint(statusStyle(status), status)}  ${gain}`;
      }
      case 'incumbent':
        return paint('green', `${event.candidate} is the new best`);
      case 'trouble':
        return paint('yellow', `${event.where}: ${plainLine(event.message)}`);
      case 'finished':
      case 'candidate':
      case 'prompt':
      case 'model':
      case 'tool':
        return undefined;
    }
  }
}
