// Follows a session while it runs: keeps its state and shows its progress, or passes its events on as JSON lines.
import type { Verdict } from '../../remote-runner/protocol.js';
import { toolLine, wordsLine } from '../report/agent.js';
import { gainOf, gainText } from '../report/gain.js';
import { duration, interval, times } from '../report/numbers.js';
import type { Paint } from '../report/paint.js';
import { plainJson, plainLine } from '../report/plain.js';
import { leavesLine, questionLine } from '../report/questions.js';
import { baselineLine } from '../report/session.js';
import { statusStyle, statusText, sureness, targetLine } from '../report/terminal.js';
import type { TraceEvent } from '../session/events.js';
import { advance, candidateOf, type CandidateState, type SessionState } from '../session/fold.js';
import type { SessionProgress } from '../session/protocol.js';
import type { ProgressLine } from './progress.js';

/** Longest note on the line that updates itself: phase and best have to fit beside it. */
const NOTE = 30;

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
    const idle = phase === 'model' ? 'agent' : phase === 'connect' ? 'runner' : 'original';
    const what = candidate === undefined ? idle : found ? `${found.id} ${plainLine(found.note, NOTE)}` : candidate;
    const gain = gainOf(state);
    const stage = `${state.evaluations} of ${state.budget.evaluations} evaluations · ${plainLine(what, 60)}`;
    const share = done !== undefined && total !== undefined ? ` ${done}/${total}` : '';
    this.progress.update(
      stage,
      `${gain ? gainText(gain) : 'no gain yet'} · ${phase}${share}${detail === '' ? '' : ` ${detail}`}`,
    );
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
        const said = status === 'correct' ? baselineLine(event.verdict) : plainLine(message);
        return `original: ${paint(statusStyle(status), status)}${on}: ${said}`;
      }
      case 'verdict': {
        const { verdict } = event;
        const candidate = candidateOf(state, event.candidate);
        const status = paint(statusStyle(verdict.status), statusText(verdict));
        return `${event.candidate}  ${plainLine(candidate?.note ?? '', 80)}  ${status}  ${ratioText(verdict, candidate)}`;
      }
      case 'advice':
        return `advice: ${plainLine(event.text, 160)}`;
      case 'incumbent':
        return paint('green', `${event.candidate} is the new best`);
      case 'trouble':
        return paint('yellow', `${event.where}: ${plainLine(event.message)}`);
      case 'model':
        return dimmed(paint, wordsLine(event));
      case 'tool':
        return dimmed(paint, toolLine(event));
      case 'question':
      case 'answer':
      case 'claim':
        return paint('cyan', questionLine(event) ?? '');
      case 'moment':
      case 'paused':
        return dimmed(paint, questionLine(event));
      case 'model-changed':
        return `the model is ${plainLine(event.to)} from here on, no longer ${plainLine(event.from)}`;
      case 'leaves':
        return leavesLine(event);
      case 'compacted':
        return dimmed(paint, 'the conversation was shortened; what it was about is kept');
      case 'slept':
        return dimmed(paint, `this machine slept for ${duration(event.ms)}`);
      case 'finished':
      case 'candidate':
      case 'credit':
      case 'offered':
      case 'prompt':
        return undefined;
    }
  }
}

function dimmed(paint: Paint, line: string | undefined): string | undefined {
  return line === undefined ? undefined : paint('dim', line);
}

/** The gain of a verdict; a confirmed one says what the provisional one beside it was. */
function ratioText(verdict: Verdict, candidate: CandidateState | undefined): string {
  const { message, speedup, emulated, mode } = verdict;
  if (!speedup) return plainLine(message, 160);
  const before = mode === 'confirm' ? candidate?.first?.speedup : undefined;
  return (
    `${interval(speedup)} over original, ${sureness(verdict)}` +
    (before ? ` in fresh processes, after ${times(before.value)} at first sight` : '') +
    (emulated ? ' (CPU emulation)' : '')
  );
}
