// The questions of a session: when each was asked, what became of it, and what levels and questions were worth.
import { creditOf, questionPut, type Observation } from '../../questions/credit.js';
import { effectsBy, type Effect } from '../../questions/effects.js';
import type { MomentState, SessionState } from '../../session/fold.js';
import { interval, times } from '../numbers.js';
import { BOUNDS } from './bounds.js';
import { whoText } from './lineage.js';
import { clipped, markup, type Markup } from './markup.js';
import { MOMENT_NAMES, OUTCOME_NAMES } from './words.js';
import { LEVEL_WORDS } from '../../questions/words.js';

export function questionsSection(state: SessionState): Markup {
  const { moments, claims } = state;
  if (moments.length === 0) return markup`<p class="soft">There was no decision moment, so nothing was asked.</p>`;
  const shown = moments.slice(0, BOUNDS.questions);
  return markup`<p>What followed a question is not yet what it was worth: at one moment in five nothing is asked, and only the
difference counts. Those moments stand here too.</p>
<div class="scroll" role="region" aria-label="Table of questions" tabindex="0"><table>
<caption>${moments.length} decision moments.${
    moments.length > shown.length ? ` ${moments.length - shown.length} are left out.` : ''
  }</caption>
<thead><tr><th scope="col">Moment</th><th scope="col">Question</th><th scope="col">Level</th><th scope="col">Asked by</th><th scope="col">Outcome</th><th class="number" scope="col">Gain until the next moment</th></tr></thead>
<tbody>${shown.map((m, i) => row(m, moments[i + 1], state))}</tbody></table></div>
${creditTable(state)}
${claims.length > 0 ? claimsList(state) : undefined}`;
}

function row(at: MomentState, next: MomentState | undefined, state: SessionState): Markup {
  const { moment, question, answer } = at;
  const unsaid = question && !questionPut(at) ? ' (did not reach the agent)' : '';
  const said = answer?.text
    ? markup`<div class="soft small">${whoText(answer.by)}: ${clipped(answer.text, BOUNDS.cell)}</div>`
    : undefined;
  return markup`<tr><td class="words">${MOMENT_NAMES[moment.kind]}<div class="soft small">${clipped(moment.evidence, BOUNDS.cell)}</div></td>
<td class="words">${question ? clipped(question.text, BOUNDS.cell) : moment.asked ? 'nothing was chosen' : 'left in silence'}${unsaid}${said}</td>
<td>${question?.level ? LEVEL_WORDS[question.level] : ''}</td>
<td>${question ? whoText(question.by) : ''}${question?.informed || answer?.informed ? ' (supplied facts: no credit)' : ''}</td>
<td>${answer ? OUTCOME_NAMES[answer.outcome] : ''}</td>
<td class="number">${times(bestAt(next?.moment.seq ?? Infinity, state) / bestAt(moment.seq, state))}</td></tr>`;
}

/** What levels and questions were worth in this session, beside silence at moments of the same kind. */
function creditTable(state: SessionState): Markup | undefined {
  const observations = creditOf(state);
  const asked = observations.filter((o) => !o.silent);
  if (asked.length === 0) return undefined;
  const groups: [title: string, groupOf: (o: Observation) => string | undefined][] = [
    ['Level', (o) => o.level && LEVEL_WORDS[o.level]],
    ['Question', (o) => o.question],
  ];
  return markup`<h3>Credit</h3>
<p class="small">From this session alone. Worth is the mean gain of the confirmed best after a question, over that after silence at
moments of the same kind, with its 95 % interval; questions that supplied facts earn none.</p>
${groups.map(([title, groupOf]) => {
  const effects = [...effectsBy(observations, groupOf)].sort(([, a], [, b]) => b.gain - a.gain);
  return effects.length === 0 ? undefined : effectRows(title, effects.slice(0, BOUNDS.questions));
})}`;
}

function effectRows(title: string, effects: readonly [name: string, effect: Effect][]): Markup {
  return markup`<div class="scroll" role="region" aria-label="Credit by ${title.toLowerCase()}" tabindex="0"><table>
<thead><tr><th scope="col">${title}</th><th class="number" scope="col">Asked</th><th class="number" scope="col">Mean gain after it</th><th class="number" scope="col">Worth beside silence</th><th class="number" scope="col">Next edit changed level</th></tr></thead>
<tbody>${effects.map(
    ([name, e]) => markup`<tr><td>${clipped(name, BOUNDS.cell)}</td><td class="number">${e.count}</td>
<td class="number">${e.count > 0 ? times(Math.exp(e.gain)) : '–'}</td><td class="number">${worth(e)}</td>
<td class="number">${e.movedOf > 0 ? `${e.moved} of ${e.movedOf}` : '–'}</td></tr>`,
  )}</tbody></table></div>`;
}

function worth({ difference, half }: Effect): string {
  if (difference === undefined) return 'no silence to compare';
  const value = Math.exp(difference);
  if (half === undefined) return `${times(value)}, too few to tell`;
  return interval({ value, low: Math.exp(difference - half), high: Math.exp(difference + half) });
}

/** Confirmed speedup over the original of the best there was at an event. */
function bestAt(seq: number, { bests }: SessionState): number {
  return bests.findLast((b) => b.seq <= seq)?.speedup ?? 1;
}

function claimsList({ claims }: SessionState): Markup {
  const shown = claims.slice(0, BOUNDS.questions);
  return markup`<h3>Limits that were claimed</h3><ul>${shown.map(
    ({ text, evidence, level }) =>
      markup`<li>${clipped(text, BOUNDS.cell)}${level ? ` (${LEVEL_WORDS[level]})` : ''}<div class="soft small">${clipped(evidence, BOUNDS.cell)}</div></li>`,
  )}</ul>${claims.length > shown.length ? markup`<p class="soft">${claims.length - shown.length} more are left out.</p>` : undefined}`;
}
