// The chart: speedup over the original against evaluations, as SVG that needs no script, with its words beside it.
import type { SessionState } from '../../session/fold.js';
import { EMULATED, interval, times } from '../numbers.js';
import { plainLine } from '../plain.js';
import { BOUNDS } from './bounds.js';
import { chartData, type BestStep, type ChartData, type Mark, type Point } from './chart-data.js';
import { scaleOf, type Scale } from './chart-scale.js';
import { clipped, markup, type Markup } from './markup.js';
import { candidateName } from './words.js';

const WIDTH = 880;
const HEIGHT = 400;
const PLOT = { left: 58, right: 866, top: 44, bottom: 330 };
/** Where candidates without a speedup stand. */
const FAILED = 352;
/** Marks of questions that fit without covering each other. */
const MARKS = 80;

type X = (evaluation: number) => number;

export function chartSection(state: SessionState, inTable: ReadonlySet<string>): Markup {
  const data = chartData(state);
  if (data.evaluations === 0)
    return markup`<p class="soft">No candidate was evaluated, so there is nothing to draw.</p>`;
  const { bests, marks, points } = data;
  const withIntervals = points.length <= BOUNDS.intervals;
  const ratios = points.flatMap(({ speedup }) => (speedup ? [speedup.value] : []));
  const scale = scaleOf([...ratios, ...bests.flatMap(({ speedup }) => [speedup.low, speedup.high])]);
  const x: X = (evaluation) => PLOT.left + ((PLOT.right - PLOT.left) * (evaluation + 0.25)) / (data.evaluations + 0.5);
  return markup`<figure>
<div class="scroll" role="region" aria-label="Chart; scrolls sideways where it does not fit" tabindex="0">
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="chart-title chart-words">
<title id="chart-title">Speedup over the original against evaluations</title>
<desc id="chart-words">${words(data, state)}</desc>
${axes(scale, x, data)}
${marks.slice(0, MARKS).map((mark) => questionMark(mark, x))}
${soFar(bests, data.evaluations, scale, x)}
${points.map((point) => candidateMark(point, withIntervals, scale, x))}
</svg>
</div>
${legend(data, state)}
</figure>
${asTable(data, inTable)}`;
}

/** What a reader who does not see the chart is told instead. */
function words({ evaluations, bests, marks, points }: ChartData, state: SessionState): string {
  const failed = points.filter((p) => !p.speedup).length;
  const last = bests.at(-1);
  return [
    `${evaluations} evaluated candidates.`,
    bests.length === 0
      ? 'No candidate was confirmed to be faster than the original: the best so far stays at 1×.'
      : `The best so far rises from 1× ${bests
          .slice(-20)
          .map((b) => `to ${interval(b.speedup)} at evaluation ${b.evaluation} (${b.candidate})`)
          .join(', ')}${last ? ` and ends at ${times(last.speedup.value)}` : ''}.`,
    failed > 0 ? `${failed} of the candidates drawn have no speedup: they failed a check or did not run.` : '',
    marks.length > 0
      ? `Questions were asked after evaluations ${marks
          .slice(0, MARKS)
          .map((m) => m.after)
          .join(', ')}.`
      : 'No question was asked.',
    state.baseline?.emulated ? `${EMULATED}.` : '',
  ]
    .filter((s) => s !== '')
    .join(' ');
}

function axes(scale: Scale, x: X, { evaluations }: ChartData): Markup {
  const step = stepOf(evaluations);
  const numbers = Array.from({ length: Math.floor(evaluations / step) + 1 }, (_, i) => i * step);
  return markup`<rect class="frame" x="${PLOT.left}" y="${PLOT.top}" width="${PLOT.right - PLOT.left}" height="${PLOT.bottom - PLOT.top}" rx="4"/>
${scale.ticks.map((tick) => {
  const y = y1(scale, tick);
  return markup`<line class="${tick === 1 ? 'one' : 'grid'}" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}"/>
<text x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${Number(tick.toPrecision(4))}×</text>`;
})}
${numbers.map((n) => markup`<text x="${round(x(n))}" y="${HEIGHT - 26}" text-anchor="middle">${n}</text>`)}
<text class="name" x="${PLOT.right}" y="${HEIGHT - 6}" text-anchor="end">evaluations</text>
<text class="name" x="4" y="14">speedup over original</text>`;
}

function stepOf(evaluations: number): number {
  let step = 1;
  for (let i = 0; evaluations / step > 20; i++) step *= i % 3 === 1 ? 2.5 : 2;
  return step;
}

function questionMark({ after, texts }: Mark, x: X): Markup {
  const at = round(x(after + 0.5));
  const sign = texts.length > 1 ? `${texts.length}?` : '?';
  return markup`<g><title>${texts.slice(0, 5).map((t) => `${clipped(plainLine(t), 200)}\n`)}</title>
<line class="asked" x1="${at}" x2="${at}" y1="${PLOT.top - 6}" y2="${PLOT.bottom}"/>
<circle class="mark" cx="${at}" cy="${PLOT.top - 15}" r="9"/>
<text class="sign" x="${at}" y="${PLOT.top - 11}">${sign}</text></g>`;
}

/** The line of the best so far with the interval of what was confirmed. */
function soFar(bests: readonly BestStep[], evaluations: number, scale: Scale, x: X): Markup {
  const end = round(x(evaluations));
  let path = `M${round(x(0))} ${y1(scale, 1)}`;
  const bands = bests.map(({ evaluation, speedup }, i) => {
    const from = round(x(evaluation));
    const next = bests[i + 1];
    const to = next ? round(x(next.evaluation)) : end;
    path += `H${from}V${y1(scale, speedup.value)}`;
    const top = y1(scale, speedup.high);
    return markup`<rect class="band" x="${from}" y="${top}" width="${Math.max(3, round(to - from))}" height="${round(Math.max(1, y1(scale, speedup.low) - top))}"/>`;
  });
  return markup`${bands}<path class="so-far" d="${path}H${end}"/>`;
}

function candidateMark(point: Point, withIntervals: boolean, scale: Scale, x: X): Markup {
  const at = round(x(point.evaluation));
  const { speedup, candidate, status, isBest } = point;
  const note = clipped(plainLine(point.note), 120);
  if (!speedup) {
    return markup`<g><title>${candidate} ${note}: ${status}</title><path class="failed" d="M${at - 3.5} ${FAILED - 3.5}l7 7m0 -7l-7 7"/></g>`;
  }
  const y = y1(scale, speedup.value);
  const whisker =
    withIntervals || isBest
      ? markup`<line class="whisker" x1="${at}" x2="${at}" y1="${y1(scale, speedup.high)}" y2="${y1(scale, speedup.low)}"/>`
      : undefined;
  return markup`<g><title>${candidate} ${note}: ${interval(speedup)}${isBest ? ', confirmed: best' : ''}</title>${whisker}<circle class="${isBest ? 'new-best' : 'candidate'}" cx="${at}" cy="${y}" r="${isBest ? 5.5 : 3.5}"/></g>`;
}

function legend({ left, points, marks }: ChartData, state: SessionState): Markup {
  const key = (drawing: Markup, text: string): Markup =>
    markup`<li><svg viewBox="0 0 22 14" aria-hidden="true">${drawing}</svg>${text}</li>`;
  const label = state.baseline?.emulated ? ` ${EMULATED}.` : '';
  return markup`<ul class="legend">
${key(markup`<rect class="band" x="0" y="2" width="22" height="10"/><path class="so-far" d="M0 7H22"/>`, 'best so far, confirmed, with its interval')}
${key(markup`<circle class="new-best" cx="11" cy="7" r="5"/>`, 'became the best')}
${key(markup`<line class="whisker" x1="11" x2="11" y1="0" y2="14"/><circle class="candidate" cx="11" cy="7" r="3.5"/>`, 'candidate, with its interval')}
${key(markup`<path class="failed" d="M8 4l6 6m0 -6l-6 6"/>`, 'no speedup: failed or refused')}
${key(markup`<circle class="mark" cx="11" cy="7" r="6.5"/><text class="sign" x="11" y="11">?</text>`, 'a question was asked')}
</ul>
<figcaption>The speedup axis is logarithmic. Intervals: 99 % where confirmed, else 95 %.${label}${
    left > 0 ? ` ${left} of ${left + points.length} candidates are not drawn.` : ''
  }${marks.length > MARKS ? ` ${marks.length - MARKS} marks of questions are not drawn.` : ''}</figcaption>`;
}

function asTable({ bests, marks }: ChartData, inTable: ReadonlySet<string>): Markup {
  const rows = [
    ...bests.map((b) => ({
      after: b.evaluation,
      cells: markup`<td>${candidateName(b.candidate, inTable)} became the best</td><td class="number">${interval(b.speedup)}</td>`,
    })),
    ...marks.map((m) => ({
      after: m.after + 0.5,
      cells: markup`<td class="words">${m.texts.slice(0, 5).map((t) => markup`<div>asked: ${clipped(t, BOUNDS.cell)}</div>`)}</td><td></td>`,
    })),
  ].sort((a, b) => a.after - b.after);
  const shown = rows.slice(0, BOUNDS.questions);
  return markup`<details><summary>The chart as a table</summary>
<div class="scroll"><table><caption>Bests and questions in their order; every candidate stands in the table of candidates.${
    rows.length > shown.length ? ` ${rows.length - shown.length} rows are left out.` : ''
  }</caption>
<thead><tr><th class="number" scope="col">Evaluations</th><th scope="col">What happened</th><th class="number" scope="col">Best so far [low, high]</th></tr></thead>
<tbody><tr><td class="number">0</td><td>the original</td><td class="number">1×</td></tr>
${shown.map(({ after, cells }) => markup`<tr><td class="number">${Math.floor(after)}</td>${cells}</tr>`)}</tbody></table></div></details>`;
}

function y1(scale: Scale, ratio: number): number {
  return round(PLOT.bottom - (PLOT.bottom - PLOT.top) * scale.at(ratio));
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
