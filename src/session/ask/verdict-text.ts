// A verdict as the agent reads it: compact, nothing of held-out scenarios, tool output marked as data.
import type { ScenarioVerdict, Verdict } from '../../../remote-runner/protocol.js';
import { NEAR_BEST, overBest, whyNotPromising } from '../confirmation.js';
import type { Judged, StrategyContext } from '../strategy.js';
import type { Brief } from './brief.js';
import { bestText, leftText } from './standing.js';
import { counted, numberText, speedupText, tail } from './text.js';

const MAX_DIAGNOSTICS = 20;
const MAX_SCENARIOS = 40;
const MAX_MISMATCHES = 3;
const MAX_OUTPUT = 2000;
const NOT_SHOWN = 'on a scenario that you are not shown';

/**
 * The verdict on a candidate, then where the session stands.
 * @param again the agent has read it before
 */
export function verdictText(judged: Judged, context: StrategyContext, brief: Brief, again: boolean): string {
  const { verdict, candidate } = judged;
  return [
    `${candidate}: ${verdict.status}${again ? ' (judged before; nothing was spent)' : ''}`,
    ...headline(verdict, brief),
    ...speedupLines(judged, context, brief),
    ...scenarioLines(verdict, brief),
    ...diagnosticLines(verdict, brief),
    ...findingLines(verdict, brief),
    ...resourceLines(verdict, brief),
    ...outputLines(verdict, brief),
    bestText(context, candidate),
    `left: ${leftText(context)}`,
  ].join('\n');
}

/** What went wrong, unless something below says it in full. */
function headline(verdict: Verdict, { quote }: Brief): string[] {
  const { status, message, unsupported } = verdict;
  if (unsupported) {
    const { construct, file, line, cudaWouldDo } = unsupported;
    const could = cudaWouldDo ? '; a CUDA device could.' : '.';
    return [`The CPU emulation cannot do this: ${quote(construct)} at ${file}:${line}${could}`];
  }
  // The message may name the scenario, which a held-out one must not tell.
  if (verdict.scenarios.some((s) => s.heldOut === true && s.status !== 'correct')) return [`It fails ${NOT_SHOWN}.`];
  const saidBelow =
    status === 'correct' ||
    (status === 'compile_error' && verdict.diagnostics.some((d) => d.severity === 'error')) ||
    verdict.findings.some((f) => f.message === message) ||
    verdict.scenarios.some((s) => s.message !== undefined && message === `scenario ${s.id}: ${s.message}`) ||
    verdict.scenarios.some((s) =>
      s.outputs.some((o) => o.mismatches > 0 && message.startsWith(`scenario ${s.id}: ${o.name}[`)),
    );
  return saidBelow ? [] : [quote(message)];
}

function speedupLines({ verdict, candidate }: Judged, context: StrategyContext, { task, shown }: Brief): string[] {
  const { speedup, mode, faster } = verdict;
  if (!speedup) return [];
  const best = context.incumbent();
  const below = belowLimit(verdict, task.objective.noScenarioBelow).filter((s) => shown.has(s.id));
  const confidence = `${Math.round(speedup.confidence * 100)} % interval`;
  const kind = mode === 'confirm' ? 'confirmed in fresh processes' : 'provisional';
  const lines = [`speedup over the original: ${speedupText(speedup)} (${confidence}, ${kind})`];
  const beside = best && best.candidate !== candidate && verdict.overIncumbent && overBest(verdict, best.verdict);
  if (beside) lines.push(`over ${best.candidate}, the best before it, in the same rounds: ${speedupText(beside)}`);
  if (mode === 'first') {
    const why = whyNotPromising(verdict, best?.verdict);
    if (why === 'interval') lines.push('not confirmed: its interval does not lie above 1');
    if (why === 'below best')
      lines.push(`not confirmed: not above ${NEAR_BEST} times ${best?.candidate ?? 'the best'}`);
  } else if (faster === false) {
    lines.push(
      `not counted as faster: ${below.length > 0 ? 'a scenario is below the limit' : 'its interval does not lie above 1'}`,
    );
  } else if (best && best.candidate !== candidate) {
    lines.push(`not the new best: its interval over ${best.candidate} does not lie above 1`);
  }
  if (below.length > 0 && mode === 'first') {
    lines.push(
      `below the limit of ${task.objective.noScenarioBelow} in ${counted(below.length, 'scenario')}: no gain as it is`,
    );
  }
  if (verdict.emulated) lines.push('times are those of the CPU emulation, not of a GPU');
  return lines;
}

function belowLimit({ scenarios }: Verdict, limit: number): ScenarioVerdict[] {
  return scenarios.filter((s) => s.timing && s.timing.speedup.value < limit);
}

function scenarioLines(verdict: Verdict, brief: Brief): string[] {
  const shown = verdict.scenarios.filter((s) => s.heldOut !== true);
  if (shown.length === 0) return [];
  const below = new Set(belowLimit(verdict, brief.task.objective.noScenarioBelow));
  const rank = (s: ScenarioVerdict): number => (s.status !== 'correct' ? 0 : below.has(s) ? 1 : 2);
  const sorted = [...shown].sort((a, b) => rank(a) - rank(b));
  const lines = sorted.slice(0, MAX_SCENARIOS).flatMap((s) => scenarioText(s, verdict.message, below.has(s), brief));
  if (sorted.length > MAX_SCENARIOS) lines.push(`  … and ${sorted.length - MAX_SCENARIOS} more scenarios`);
  const notRun = brief.shown.size - shown.length;
  if (notRun > 0) lines.push(`  not run: ${counted(notRun, 'more scenario')}`);
  return ['scenarios:', ...lines];
}

function scenarioText(scenario: ScenarioVerdict, said: string, below: boolean, { task, quote }: Brief): string[] {
  const { id, status, message, timing, outputs } = scenario;
  const times = timing
    ? ` ${speedupText(timing.speedup)}, ${timing.candidateMs.toPrecision(3)} ms, original ${timing.baselineMs.toPrecision(3)} ms`
    : '';
  const limit = below ? `, below the limit of ${task.objective.noScenarioBelow}` : '';
  const why = message !== undefined && message !== said && status !== 'correct' ? ` ${quote(message)}` : '';
  const lines = [`  ${id}: ${status}${times}${limit}${why}`];
  for (const output of outputs.filter((o) => o.mismatches > 0)) {
    if (output.message !== undefined) {
      lines.push(`    ${output.name}: refused by its checker: ${quote(output.message)}`);
      continue;
    }
    lines.push(
      `    ${output.name}: ${output.mismatches} of ${output.elements} elements differ ` +
        `(largest difference ${numberText(output.maxAbs)}; allowed ${output.atol} + ${output.rtol}·|expected|)`,
    );
    for (const { index, expected, got } of output.first.slice(0, MAX_MISMATCHES)) {
      lines.push(`      [${index}] expected ${numberText(expected)}, got ${numberText(got)}`);
    }
  }
  return lines;
}

function diagnosticLines({ diagnostics }: Verdict, { quote }: Brief): string[] {
  const severe = diagnostics.filter((d) => d.severity !== 'note');
  if (severe.length === 0) return [];
  const order = { error: 0, warning: 1, note: 2 };
  const sorted = [...severe].sort((a, b) => order[a.severity] - order[b.severity]);
  const text = sorted
    .slice(0, MAX_DIAGNOSTICS)
    .map((d) => `${d.file}:${d.line}${d.column === undefined ? '' : `:${d.column}`}: ${d.severity}: ${d.message}`);
  if (sorted.length > MAX_DIAGNOSTICS) text.push(`… and ${sorted.length - MAX_DIAGNOSTICS} more`);
  return ['compiler:', quote(text.join('\n'))];
}

/** Messages may name a scenario; of a held-out one only what happened there is told. */
function findingLines({ findings, warnings, scenarios }: Verdict, { quote }: Brief): string[] {
  const secret = scenarios.filter((s) => s.heldOut === true).map((s) => s.id);
  const tells = (message: string): boolean => secret.some((id) => message.includes(id));
  return [
    ...findings.map((f) => {
      const where = f.line === undefined ? '' : ` at ${f.file ?? ''}:${f.line}`;
      return `finding ${f.code}${where}: ${tells(f.message) ? NOT_SHOWN : quote(f.message)}`;
    }),
    ...warnings.filter((w) => !tells(w)).map((w) => `warning: ${quote(w)}`),
  ];
}

function resourceLines({ resources }: Verdict, { quote }: Brief): string[] {
  return resources.map((r) => {
    const parts = [`${r.registers} registers`];
    if (r.sharedBytes) parts.push(`${r.sharedBytes} B shared`);
    if (r.stackBytes) parts.push(`${r.stackBytes} B stack`);
    parts.push(`spills ${r.spillStoreBytes ?? 0} B stored, ${r.spillLoadBytes ?? 0} B loaded`);
    return `${quote(r.name)} (${r.arch}): ${parts.join(', ')}`;
  });
}

/**
 * What compiler and candidate printed. Nothing a candidate printed where the task holds scenarios back: it could print them
 * now, or keep them and print them another time.
 */
function outputLines({ status, output, diagnostics }: Verdict, { quote, heldOut }: Brief): string[] {
  if (!output || status === 'correct') return [];
  if (status === 'compile_error' ? diagnostics.length > 0 : heldOut > 0) return [];
  return ['output:', quote(tail(output.trim(), MAX_OUTPUT))];
}
