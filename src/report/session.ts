// A session as lines for the terminal: what was tried, what came of it, what is best.
import type { Verdict } from '../../remote-runner/protocol.js';
import type { SessionListing } from '../session/sessions.js';
import { bestOf, verdictOf, type CandidateState, type SessionState } from '../session/fold.js';
import { moneyOf, tokensOf } from '../session/spending.js';
import { duration, EMULATED, interval, milliseconds, percent, times } from './numbers.js';
import type { Paint } from './paint.js';
import { plainLine } from './plain.js';
import { table } from './table.js';
import { statusStyle, statusText, sureness, targetLine } from './terminal.js';
import { gainOf } from './gain.js';
import type { FinishReason } from '../session/strategy.js';

/** Rows of a verdict table before the middle is left out. */
const ROWS = 60;
/** Scenarios whose times stand on the line of the original one by one. */
const SCENARIOS = 3;

export const ENDED: Record<FinishReason, string> = {
  budget: 'budget spent',
  target: 'target reached',
  agent: 'finished by the agent',
  exhausted: 'nothing left to try',
  stopped: 'stopped',
  failed: 'failed',
};

/** Every candidate with its verdict; empty where there is none. */
export function candidateLines(state: SessionState, color: Paint): string[] {
  const { candidates, baseline } = state;
  if (candidates.length === 0) return [];
  const left = Math.max(0, candidates.length - ROWS);
  const shown = left > 0 ? [...candidates.slice(0, ROWS / 2), ...candidates.slice(-ROWS / 2)] : candidates;
  const verdicts = shown.map(verdictOf);
  const lines = table(
    [
      { title: 'candidate' },
      { title: 'change' },
      { title: 'verdict' },
      { title: 'speedup over original [low, high]', align: 'right' },
      { title: 'how sure' },
    ],
    shown.map((c, i) => [
      c.id,
      plainLine(c.note, 60),
      verdictWord(verdicts[i]),
      speedupOf(c),
      howSure(c, c.id === state.incumbent),
    ]),
    (text, row, column) => {
      const status = verdicts[row]?.status;
      return column === 2 && status ? color(statusStyle(status), text) : text;
    },
  );
  lines[0] = color('bold', lines[0] ?? '') + (baseline?.emulated ? `  (${EMULATED})` : '');
  if (left > 0) lines.splice(1 + ROWS / 2, 0, `… ${left} more …`);
  return lines;
}

function verdictWord(verdict: Verdict | undefined): string {
  return verdict ? statusText(verdict) : 'not judged';
}

function speedupOf(candidate: CandidateState): string {
  const speedup = verdictOf(candidate)?.speedup;
  return speedup ? interval(speedup) : '–';
}

function howSure(candidate: CandidateState, isBest: boolean): string {
  const verdict = verdictOf(candidate);
  if (!verdict?.speedup) return '';
  return isBest ? 'confirmed: best' : sureness(verdict);
}

/** What it ran on, how much it used, why it ended, and what is best. */
export function summaryLines(state: SessionState, color: Paint): string[] {
  const { budget, evaluations, activeMs, finished, baseline, usage, compileMs, deviceMs } = state;
  return [
    ...(baseline?.target ? [`ran on ${targetLine(baseline.target)}`] : []),
    `${state.strategy}: ${evaluations} of ${budget.evaluations} evaluations, ` +
      `${duration(activeMs)} of ${duration(budget.minutes * 60_000)}` +
      (compileMs + deviceMs > 0 ? ` (compiling ${duration(compileMs)}, device ${duration(deviceMs)})` : ''),
    ...(tokensOf(usage) > 0 ? [spentLine(state)] : []),
    ...(finished ? [endLine(finished)] : []),
    bestLine(state, color),
  ];
}

/** `model: 9120 tokens in, 80000 from its cache, 2100 out; $0.12 of $2` */
function spentLine(state: SessionState): string {
  const { usage, budget } = state;
  const money = moneyOf(state);
  const cost = money === 'unknown' ? 'price unknown' : `$${money.toFixed(money < 1 ? 4 : 2)}`;
  return (
    `model: ${usage.inputTokens + usage.cacheWriteTokens} tokens in, ${usage.cacheReadTokens} from its cache, ` +
    `${usage.outputTokens} out${budget.tokens === undefined ? '' : ` of ${budget.tokens} in all`}; ` +
    `${cost}${budget.money === undefined ? '' : ` of $${budget.money}`}`
  );
}

/** Why it ended; that of a stop is who stopped it. */
function endLine({ reason, message }: NonNullable<SessionState['finished']>): string {
  return reason === 'stopped' ? 'ended: stopped by you' : `ended (${ENDED[reason]}): ${plainLine(message)}`;
}

/** The best candidate in one sentence, or what looks like one and is not confirmed, or that there is none. */
export function bestLine(state: SessionState, color: Paint): string {
  const best = bestOf(state);
  const label = state.baseline?.emulated ? ` (${EMULATED})` : '';
  if (!best) return state.candidates.some(verdictOf) ? 'no gain was significant' : 'no candidate was evaluated';
  if (!best.confirmed) {
    const { id, first } = best.candidate;
    const looks = first?.speedup ? interval(first.speedup) : '?';
    return `no gain is confirmed yet; candidate ${id}, not confirmed: ${looks} over original at first sight${label}`;
  }
  const { candidate } = best;
  const speedup = candidate.confirmed?.speedup;
  // The low end first: the middle of a wide interval is easily taken for what was won.
  const sure = speedup
    ? `: at least ${times(speedup.low)} over original (${interval(speedup)}, ${percent(speedup.confidence)} interval)`
    : '';
  return color('green', `best: ${candidate.id} (${plainLine(candidate.note, 80)})${sure}${label}`);
}

/** What the original takes, and how far from 1 it measures against itself: the noise. */
export function baselineLine({ scenarios, speedup }: Verdict): string {
  const timed = scenarios.flatMap(({ id, timing }) => (timing ? [{ id, ms: timing.baselineMs }] : []));
  const all = timed.map(({ ms }) => ms);
  const took =
    timed.length > SCENARIOS
      ? `${timed.length} scenarios of ${milliseconds(Math.min(...all))} to ${milliseconds(Math.max(...all))} ms`
      : timed.map(({ id, ms }) => `${plainLine(id, 60)} ${milliseconds(ms)} ms`).join('; ');
  return [took, speedup ? `against itself ${interval(speedup)}` : ''].filter((part) => part !== '').join('; ');
}

/** One row a session, newest first. */
export function sessionTable(listings: readonly SessionListing[], now: number, color: Paint): string[] {
  const lines = table(
    [
      { title: 'session' },
      { title: 'task' },
      { title: 'strategy' },
      { title: 'state' },
      { title: 'best over original', align: 'right' },
      { title: 'evaluations', align: 'right' },
      { title: 'age', align: 'right' },
    ],
    listings.map((listing) => {
      if ('error' in listing) return [listing.session, '', '', `unreadable: ${plainLine(listing.error, 120)}`];
      const { state, running, session } = listing;
      const gain = gainOf(state);
      const won = gain?.confirmed ? gain.speedup : undefined;
      return [
        session,
        plainLine(state.task, 60),
        state.strategy,
        running ? 'running' : state.finished ? ENDED[state.finished.reason] : 'broken off',
        won ? `at least ${times(won.low)}${gain?.emulated ? ' (CPU emulation)' : ''}` : '–',
        `${state.evaluations} of ${state.budget.evaluations}`,
        duration(Math.max(0, now - state.updatedAt)),
      ];
    }),
  );
  return [color('bold', lines[0] ?? ''), ...lines.slice(1)];
}
