// Every candidate in a table, the change of each where its sources are at hand, and the times of the best by scenario.
import type { Verdict } from '../../../remote-runner/protocol.js';
import { bestOf, verdictOf, type CandidateState, type SessionState } from '../../session/fold.js';
import { EMULATED, interval, milliseconds } from '../numbers.js';
import { sureness } from '../terminal.js';
import { BOUNDS } from './bounds.js';
import { countText, type Change } from './change.js';
import { clipped, markup, type Markup } from './markup.js';
import { candidateName, levelsText, statusBadge } from './words.js';

/** Scenarios in the table of times. */
const SCENARIOS = 100;
/** Diagnostics of one candidate. */
const DIAGNOSTICS = 5;

/** @param rows candidates in the table; `inTable` their ids */
export function candidatesSection(
  state: SessionState,
  rows: readonly CandidateState[],
  changes: ReadonlyMap<string, Change>,
  inTable: ReadonlySet<string>,
): Markup {
  if (rows.length === 0) return markup`<p class="soft">No candidate was proposed.</p>`;
  const left = state.candidates.length - rows.length;
  const shown = rows.filter((c) => changes.has(c.id));
  return markup`<div class="scroll" role="region" aria-label="Table of candidates" tabindex="0"><table>
<caption>${state.candidates.length} candidates${state.baseline?.emulated ? `; ${EMULATED}` : ''}.${
    left > 0
      ? ` ${left} are left out here; the way to the best, the bests, the fastest, the first and the last are not.`
      : ''
  }</caption>
<thead><tr><th scope="col">Candidate</th><th scope="col">From</th><th scope="col">Change</th><th scope="col">Verdict</th><th class="number" scope="col">Speedup over original [low, high]</th><th scope="col">How sure</th></tr></thead>
<tbody>${rows.map((c) => row(c, state, changes.get(c.id), inTable))}</tbody></table></div>
<div class="screen"><h3>Changes</h3>
<p class="soft small">Each beside its parent${
    shown.length < state.candidates.length
      ? `; ${state.candidates.length - shown.length} of ${state.candidates.length} are left out`
      : ''
  }.</p>
${shown.map((c) => changeOf(c, changes.get(c.id)))}</div>`;
}

function row(c: CandidateState, state: SessionState, change: Change | undefined, inTable: ReadonlySet<string>): Markup {
  const verdict = verdictOf(c);
  const isBest = c.id === state.incumbent;
  return markup`<tr id="${c.id}" class="${isBest ? 'best' : ''}"><td>${change ? markup`<a href="#${c.id}-change">${c.id}</a>` : c.id}</td>
<td>${c.parent === undefined ? 'original' : candidateName(c.parent, inTable)}</td>
<td class="words">${clipped(c.note, BOUNDS.cell)}<div class="soft small">${levelsText(c.levels)}</div></td>
<td>${statusBadge(verdict)}${why(verdict)}</td>
<td class="number">${verdict?.speedup ? interval(verdict.speedup) : '–'}</td>
<td>${verdict?.speedup ? (isBest ? 'confirmed: best' : sureness(verdict)) : ''}</td></tr>`;
}

/** Why it failed, in the words of the verdict. */
function why(verdict: Verdict | undefined): Markup | undefined {
  if (!verdict || verdict.status === 'correct') return undefined;
  const places = verdict.diagnostics.filter((d) => d.severity === 'error').slice(0, DIAGNOSTICS);
  return markup`<div class="soft small">${clipped(verdict.message, BOUNDS.cell)}</div>${places.map(
    (d) => markup`<div class="soft small mono">${clipped(`${d.file}:${d.line}: ${d.message}`, BOUNDS.cell)}</div>`,
  )}`;
}

function changeOf({ id, parent, note }: CandidateState, change: Change | undefined): Markup | undefined {
  if (!change) return undefined;
  return markup`<details class="change" id="${id}-change"><summary><strong>${id}</strong> ${clipped(note, 120)} <span class="soft small">beside ${parent ?? 'the original'}, ${countText(change)} lines</span></summary>${change.body}</details>`;
}

/** Times of the best, by scenario. */
export function scenariosSection(state: SessionState): Markup {
  const best = bestOf(state);
  const verdict = best ? verdictOf(best.candidate) : state.baseline;
  const timed = (verdict?.scenarios ?? []).flatMap((s) => (s.timing ? [{ ...s, timing: s.timing }] : []));
  if (!verdict || timed.length === 0) return markup`<p class="soft">Nothing was timed.</p>`;
  const [mine, theirs] = best ? [best.candidate.id, 'Original'] : ['Original', 'Original again'];
  const shown = timed.slice(0, SCENARIOS);
  return markup`<div class="scroll" role="region" aria-label="Times by scenario" tabindex="0"><table>
<caption>Median milliseconds of a call${verdict.emulated ? `; ${EMULATED}` : ''}.${
    timed.length > SCENARIOS ? ` ${timed.length - SCENARIOS} scenarios are left out.` : ''
  }</caption>
<thead><tr><th scope="col">Scenario</th><th class="number" scope="col">${mine}, ms</th><th class="number" scope="col">${theirs}, ms</th><th class="number" scope="col">Speedup [low, high]</th><th class="number" scope="col">Pairs</th></tr></thead>
<tbody>${shown.map(
    ({
      id,
      heldOut,
      timing,
    }) => markup`<tr><td class="mono">${clipped(id, BOUNDS.cell)}${heldOut ? ' (held out)' : ''}</td>
<td class="number">${milliseconds(timing.candidateMs)}</td><td class="number">${milliseconds(timing.baselineMs)}</td>
<td class="number">${interval(timing.speedup)}</td><td class="number">${timing.pairs}</td></tr>`,
  )}</tbody></table></div>`;
}
