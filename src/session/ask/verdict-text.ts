// A verdict as the agent reads it: compact, nothing of held-out scenarios, tool output marked as data.
import type { ScenarioVerdict, Verdict } from '../../../remote-runner/protocol.js';
import type { Judged, StrategyContext } from '../strategy.js';
import { data, numberText, speedupText, tail } from './text.js';

const MAX_DIAGNOSTICS = 20;
const MAX_SCENARIOS = 40;
const MAX_OUTPUT = 2000;

/** Marks a verdict that was not paid for. */
export const AGAIN = '(judged before; nothing was spent)';

/** The verdict on a candidate, then where the session stands. */
export function verdictText(judged: Judged, context: StrategyContext, again: boolean): string {
  const { verdict, candidate } = judged;
  return [
    `${candidate}: ${verdict.status}${again ? ` ${AGAIN}` : ''}`,
    ...headline(verdict),
    ...scenarioLines(verdict),
    ...diagnosticLines(verdict),
    ...findingLines(verdict),
    ...resourceLines(verdict),
    ...outputLines(verdict),
    ...standingLines(context, candidate),
  ].join('\n');
}

function hidden(verdict: Verdict): boolean {
  return verdict.scenarios.some((s) => s.heldOut === true && s.status !== 'correct');
}

function headline(verdict: Verdict): string[] {
  const lines: string[] = [];
  if (verdict.status !== 'correct') {
    // The message may name the scenario, which a held-out one must not tell.
    lines.push(hidden(verdict) ? 'It fails on a scenario that you are not shown.' : data(verdict.message));
  }
  if (verdict.unsupported) {
    const { construct, file, line, cudaWouldDo } = verdict.unsupported;
    lines.push(
      `The CPU emulation cannot do this: ${data(construct)} at ${file}:${line}` +
        (cudaWouldDo ? '; a CUDA device could.' : '.'),
    );
  }
  if (verdict.speedup) {
    const confidence = `${Math.round(verdict.speedup.confidence * 100)} % interval`;
    const kind = verdict.mode === 'confirm' ? 'confirmed in fresh processes' : 'provisional';
    lines.push(`speedup over the original: ${speedupText(verdict.speedup)} (${confidence}, ${kind})`);
    if (verdict.mode === 'confirm' && verdict.faster === false) {
      lines.push('not counted as faster: the interval does not lie above 1, or a scenario falls below the limit');
    }
  }
  if (verdict.emulated && verdict.scenarios.some((s) => s.timing))
    lines.push('times are those of the CPU emulation, not of a GPU');
  return lines;
}

function scenarioLines(verdict: Verdict): string[] {
  const shown = verdict.scenarios.filter((s) => s.heldOut !== true);
  const sorted = [...shown.filter((s) => s.status !== 'correct'), ...shown.filter((s) => s.status === 'correct')];
  const lines = sorted.slice(0, MAX_SCENARIOS).flatMap((s) => scenarioText(s, verdict.message));
  if (sorted.length > MAX_SCENARIOS) lines.push(`  … and ${sorted.length - MAX_SCENARIOS} more scenarios`);
  return lines.length > 0 ? ['scenarios:', ...lines] : [];
}

function scenarioText({ id, status, message, timing, outputs }: ScenarioVerdict, said: string): string[] {
  const times = timing
    ? ` ${speedupText(timing.speedup)}, ${timing.candidateMs.toPrecision(4)} ms, original ${timing.baselineMs.toPrecision(4)} ms`
    : '';
  const why = message !== undefined && message !== said && status !== 'correct' ? ` ${data(message)}` : '';
  const lines = [`  ${id}: ${status}${times}${why}`];
  for (const output of outputs.filter((o) => o.mismatches > 0)) {
    lines.push(
      `    ${output.name}: ${output.mismatches} of ${output.elements} elements differ ` +
        `(largest difference ${numberText(output.maxAbs)}, relative ${numberText(output.maxRel)}; ` +
        `allowed ${output.atol} + ${output.rtol}·|expected|)`,
    );
    for (const { index, expected, got } of output.first) {
      lines.push(`      [${index}] expected ${numberText(expected)}, got ${numberText(got)}`);
    }
  }
  return lines;
}

function diagnosticLines({ diagnostics }: Verdict): string[] {
  const severe = diagnostics.filter((d) => d.severity !== 'note');
  if (severe.length === 0) return [];
  const order = { error: 0, warning: 1, note: 2 };
  const sorted = [...severe].sort((a, b) => order[a.severity] - order[b.severity]);
  const text = sorted
    .slice(0, MAX_DIAGNOSTICS)
    .map((d) => `${d.file}:${d.line}${d.column === undefined ? '' : `:${d.column}`}: ${d.severity}: ${d.message}`);
  if (sorted.length > MAX_DIAGNOSTICS) text.push(`… and ${sorted.length - MAX_DIAGNOSTICS} more`);
  return ['compiler:', data(text.join('\n'))];
}

function findingLines({ findings, warnings }: Verdict): string[] {
  return [
    ...findings.map(
      (f) => `finding ${f.code}${f.line === undefined ? '' : ` at ${f.file ?? ''}:${f.line}`}: ${data(f.message)}`,
    ),
    ...warnings.map((w) => `warning: ${data(w)}`),
  ];
}

function resourceLines({ resources }: Verdict): string[] {
  return resources.map((r) => {
    const parts = [`${r.registers} registers`];
    if (r.sharedBytes) parts.push(`${r.sharedBytes} B shared`);
    if (r.stackBytes) parts.push(`${r.stackBytes} B stack`);
    parts.push(`spills ${r.spillStoreBytes ?? 0} B stored, ${r.spillLoadBytes ?? 0} B loaded`);
    return `${data(r.name)} (${r.arch}): ${parts.join(', ')}`;
  });
}

/** What the candidate printed; not where a held-out scenario ran, since it could print that. */
function outputLines(verdict: Verdict): string[] {
  if (!verdict.output || verdict.status === 'correct' || verdict.scenarios.some((s) => s.heldOut === true)) return [];
  if (verdict.status === 'compile_error' && verdict.diagnostics.length > 0) return [];
  return ['output:', data(tail(verdict.output.trim(), MAX_OUTPUT))];
}

function standingLines(context: StrategyContext, candidate: string): string[] {
  const best = context.incumbent();
  const speedup = best?.verdict.speedup;
  const standing =
    best === undefined
      ? 'best so far: the original'
      : `best so far: ${best.candidate}${best.candidate === candidate ? ' (this one)' : ''}` +
        (speedup ? `, ${speedupText(speedup)} confirmed` : '');
  return [standing, `left: ${context.evaluationsLeft()} evaluations, ${Math.ceil(context.minutesLeft())} minutes`];
}
