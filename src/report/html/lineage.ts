// Where the gain came from: from the original to the best, each step with the question before it, its change and its gain.
import type { Ratio } from '../../../remote-runner/protocol.js';
import { questionPut } from '../../questions/credit.js';
import { overBest } from '../../session/confirmation.js';
import {
  bestOf,
  candidateOf,
  verdictOf,
  type CandidateState,
  type MomentState,
  type SessionState,
} from '../../session/fold.js';
import { interval, times } from '../numbers.js';
import { sureness } from '../terminal.js';
import { BOUNDS, ends, lineageOf } from './bounds.js';
import type { Change } from './change.js';
import { countText } from './change.js';
import { clipped, markup, type Markup } from './markup.js';
import { candidateName, levelsText, MOMENT_NAMES, OUTCOME_NAMES } from './words.js';
import { LEVEL_WORDS } from '../../questions/words.js';

export function lineageSection(
  state: SessionState,
  changes: ReadonlyMap<string, Change>,
  inTable: ReadonlySet<string>,
): Markup {
  const line = lineageOf(state);
  const best = bestOf(state);
  if (line.length === 0 || !best) return markup`<p class="soft">No gain was found, so there is no way to show.</p>`;
  const { first, left, last } = ends(line, BOUNDS.steps);
  const won = new Set(state.bests.map((b) => b.candidate));
  const show = (c: CandidateState): Markup => step(c, state, won.has(c.id), changes.get(c.id), inTable);
  return markup`<p>From the original to ${best.candidate.id}: the question that came before each change, what was changed, and what it
brought. ${best.confirmed ? '' : 'Nothing on this way is confirmed yet.'}</p>
<ol class="line"><li><div class="what">The original</div><div class="soft">1×, what everything is measured over</div></li>
${first.map(show)}${left > 0 ? markup`<li class="soft">… ${left} steps are left out …</li>` : undefined}${last.map(show)}</ol>`;
}

function step(
  candidate: CandidateState,
  state: SessionState,
  won: boolean,
  change: Change | undefined,
  inTable: ReadonlySet<string>,
): Markup {
  const parent = candidateOf(state, candidate.parent);
  const asked = questionBefore(candidate, parent, state);
  const levels = levelsText(candidate.levels);
  return markup`<li class="${won ? 'won' : ''}">${asked ? questionText(asked) : undefined}
<div class="what">${candidateName(candidate.id, inTable)} ${clipped(candidate.note, BOUNDS.cell)}</div>
<div class="gain">${gainText(candidate, parent)}</div>
<div class="soft small">${[levels, candidate.author, change ? `${countText(change)} lines` : ''].filter((s) => s !== '').join(' · ')}</div>
${change ? markup`<details class="screen"><summary>The change</summary>${change.body}</details>` : undefined}</li>`;
}

/** The latest question that reached the agent between a candidate and its parent: what the change came after. */
export function questionBefore(
  candidate: CandidateState,
  parent: CandidateState | undefined,
  { moments }: SessionState,
): MomentState | undefined {
  return moments.findLast((at) => {
    const question = questionPut(at);
    if (!question || question.seq > candidate.seq) return false;
    return question.seq > (parent?.judgedSeq ?? parent?.seq ?? 0);
  });
}

function questionText({ moment, question, answer }: MomentState): Markup | undefined {
  if (!question) return undefined;
  const level = question.level ? ` · ${LEVEL_WORDS[question.level]}` : '';
  const outcome = answer && answer.outcome !== 'answered' ? ` · ${OUTCOME_NAMES[answer.outcome]}` : '';
  return markup`<div class="asking"><q>${clipped(question.text, BOUNDS.cell)}</q>
<div class="soft small">asked by ${whoText(question.by)} at ${MOMENT_NAMES[moment.kind]}${level}${outcome}${question.informed ? ' · supplied facts' : ''}</div>
${answer?.text ? markup`<p class="small">${whoText(answer.by)}: ${clipped(answer.text, BOUNDS.cell)}</p>` : undefined}</div>`;
}

export function whoText(by: 'human' | 'agent' | 'repertoire'): string {
  return by === 'human' ? 'a person' : by === 'agent' ? 'the agent' : 'KernelSeek';
}

function gainText(candidate: CandidateState, parent: CandidateState | undefined): Markup {
  const verdict = verdictOf(candidate);
  if (!verdict?.speedup) return markup`no speedup: ${verdict?.status ?? 'not judged'}`;
  const before = parent && verdictOf(parent);
  const over = before && overBest(verdict, before);
  const original = markup`${interval(verdict.speedup)} over the original, ${sureness(verdict)}`;
  return over ? markup`${original}; ${overParent(over)} over ${parent.id}` : original;
}

/** A ratio that was not measured in the same rounds has no interval of its own. */
function overParent(ratio: Ratio): string {
  return ratio.low === ratio.high ? `about ${times(ratio.value)}` : interval(ratio);
}
