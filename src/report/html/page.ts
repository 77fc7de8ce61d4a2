// A session as one HTML file: no script, nothing loaded, every foreign text escaped, and a policy that holds even if one is not.
import { createHash } from 'node:crypto';
import type { SourceFile } from '../../../remote-runner/protocol.js';
import { questionPut } from '../../questions/credit.js';
import { bestOf, candidateOf, verdictOf, type SessionState } from '../../session/fold.js';
import { duration, EMULATED, interval, percent, times } from '../numbers.js';
import { ENDED } from '../session.js';
import { BOUNDS, chosen } from './bounds.js';
import { candidatesSection, scenariosSection } from './candidates.js';
import { changeOf, countText, type Change } from './change.js';
import { chartSection } from './chart.js';
import { conversationSection } from './conversation.js';
import { commandsSection, environmentSection } from './environment.js';
import type { ReportInput } from './input.js';
import { lineageSection } from './lineage.js';
import { clipped, instant, markup, Markup } from './markup.js';
import { questionsSection } from './questions.js';
import { STYLE } from './style.js';

/** Candidates whose sources the report wants: those whose change it shows, and their parents. */
export function wantedSources(state: SessionState): string[] {
  const shown = changed(state);
  return [...new Set(shown.flatMap((c) => (c.parent === undefined ? [c.id] : [c.id, c.parent])))];
}

function changed(state: SessionState): SessionState['candidates'] {
  const ids = new Set(chosen(state, BOUNDS.changes));
  return state.candidates.filter((c) => ids.has(c));
}

/** The whole report. */
export function reportHtml(input: ReportInput): string {
  const { state } = input;
  const changes = changesOf(input);
  const rows = chosen(state, BOUNDS.rows);
  const inTable = new Set(rows.map((c) => c.id));
  const sections: [id: string, title: string, body: Markup][] = [
    ['gain', 'Where the gain came from', lineageSection(state, changes, inTable)],
    ['chart', 'Best so far', chartSection(state, inTable)],
    ['result', 'The result', resultSection(input)],
    ['candidates', 'Candidates', candidatesSection(state, rows, changes, inTable)],
    ['questions', 'Questions', questionsSection(state)],
    ['conversation', 'Conversation', conversationSection(input.events)],
    ['environment', 'Environment', environmentSection(input)],
    ['again', 'Do it again', commandsSection(input)],
  ];
  const style = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="KernelSeek ${input.version}">
<title>${clipped(nameOf(state), 80)}: KernelSeek report</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<a class="skip" href="#gain">Skip to where the gain came from</a>
${head(input)}
<main>
${sections.map(([id, title, body]) => markup`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${body}</section>`)}
</main>
<footer><p>Made by KernelSeek ${input.version} on ${instant(input.madeAt)} from the trace of session ${clipped(state.session, 64)}. A gain is called confirmed when
fresh processes on fresh inputs gave a 99 % interval that excludes 1.</p></footer>
</body>
</html>
`.text;

  function head({ warnings }: ReportInput): Markup {
    return markup`<header>
<p class="eyebrow">KernelSeek report · session ${clipped(state.session, 64)} · ${instant(state.startedAt)}</p>
<h1>${clipped(nameOf(state), 120)}</h1>
<p class="lead">${outcome(state)}</p>
${state.baseline?.emulated ? markup`<p class="notice">${EMULATED}. Correctness is real here; times and speedups say nothing about a GPU.</p>` : undefined}
${warnings.map((w) => markup`<p class="notice">${clipped(w, BOUNDS.cell)}</p>`)}
${tiles(state)}
<nav aria-label="Sections"><ul>${sections.map(([id, title]) => markup`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>
</header>`;
  }
}

/** `attention` of `kernels/attention.task.json`. */
function nameOf({ task }: SessionState): string {
  return task.replace(/^.*\//, '').replace(/\.task\.json$/, '');
}

/** What came of it, in one sentence: what is sure first. */
function outcome(state: SessionState): Markup {
  const best = bestOf(state);
  if (!best) {
    return state.candidates.some(verdictOf)
      ? markup`No gain was significant: the original stands.`
      : markup`No candidate was evaluated.`;
  }
  const { id } = best.candidate;
  const speedup = verdictOf(best.candidate)?.speedup;
  if (!best.confirmed) {
    return markup`No gain is confirmed. Candidate <a href="#${id}">${id}</a> looks like ${speedup ? interval(speedup) : 'a gain'} at first sight.`;
  }
  if (!speedup) return markup`<a href="#${id}">${id}</a> is the confirmed best.`;
  return markup`<a href="#${id}">${id}</a> is <strong>at least ${times(speedup.low)} as fast</strong> as the original: ${interval(speedup)}, confirmed, ${percent(speedup.confidence)} interval.`;
}

function tiles(state: SessionState): Markup {
  const { budget, evaluations, activeMs, finished, usage, candidates } = state;
  const best = bestOf(state);
  const speedup = best && verdictOf(best.candidate)?.speedup;
  const correct = candidates.filter((c) => verdictOf(c)?.status === 'correct').length;
  const judged = candidates.filter((c) => verdictOf(c)).length;
  const asked = state.moments.filter(questionPut).length;
  const tokens = usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const tile = (name: string, value: string, more = ''): Markup =>
    markup`<div><dt>${name}</dt><dd>${value}${more === '' ? undefined : markup`<small>${more}</small>`}</dd></div>`;
  return markup`<dl class="tiles">
${tile(`${best?.confirmed ? 'Confirmed speedup' : 'Speedup'}${state.baseline?.emulated ? ' (CPU emulation)' : ''}`, speedup && best.confirmed ? times(speedup.value) : 'none', speedup && best.confirmed ? `between ${times(speedup.low)} and ${times(speedup.high)}` : 'confirmed')}
${tile('Evaluations', String(evaluations), `of ${budget.evaluations}; ${correct} of ${judged} correct`)}
${tile('Time at work', duration(activeMs), `of ${duration(budget.minutes * 60_000)}`)}
${tile('Questions', String(asked), `at ${state.moments.length} decision moments`)}
${tokens > 0 ? tile('Tokens', tokens.toLocaleString('en'), clipped(state.model ?? '', 60)) : undefined}
${tile('Ended', finished ? ENDED[finished.reason] : 'not yet', finished ? clipped(finished.message, 90) : 'it can go on')}
</dl>`;
}

function resultSection({ state, original, sources }: ReportInput): Markup {
  const best = candidateOf(state, state.incumbent);
  const now = best && sources.get(best.id);
  const change = now && changeOf(original, now);
  return markup`${scenariosSection(state)}
${change && best ? markup`<h3>${best.id} beside the original <span class="soft small">${countText(change)} lines</span></h3>${change.body}` : undefined}`;
}

/** The change of each candidate beside its parent. */
function changesOf({ state, original, sources }: ReportInput): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const { id, parent } of changed(state)) {
    const before: readonly SourceFile[] | undefined = parent === undefined ? original : sources.get(parent);
    const after = sources.get(id);
    const change = before && after && changeOf(before, after);
    if (change) changes.set(id, change);
  }
  return changes;
}
