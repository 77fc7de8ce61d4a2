// A verdict as lines for the terminal.
import type { Diagnostic, ScenarioVerdict, Status, TargetInfo, Verdict } from '../../remote-runner/protocol.js';
import { duration, EMULATED, interval, milliseconds, percent } from './numbers.js';
import { isOriginal, shapeHint } from './original.js';
import type { Paint, Style } from './paint.js';
import { plainLine, plainText } from './plain.js';
import { table } from './table.js';

/** Diagnostics shown in full; the rest is counted. */
const SHOWN = 20;

export function statusStyle(status: Status): Style {
  if (status === 'correct') return 'green';
  return status === 'inconclusive' || status === 'infrastructure' || status === 'unsupported' ? 'yellow' : 'red';
}

/** The status, and whether it came from a scenario that is held out. */
export function statusText({ status, scenarios }: Verdict): string {
  return scenarios.some((s) => s.heldOut === true && s.status !== 'correct') ? `${status} (held-out scenario)` : status;
}

/** `NVIDIA H200, sm_90a, nvcc 13.0` or the CPU with its label. */
export function targetLine(target: TargetInfo): string {
  const parts = [target.name, target.arch, target.compiler].filter((part): part is string => part !== undefined);
  return plainLine(parts.join(', ')) + (target.kind === 'cpu' ? ` (${EMULATED})` : '');
}

/**
 * Everything an engineer needs of a verdict, most important first.
 * @param color how to paint; everything that comes from the runner is made plain before
 */
export function verdictLines(verdict: Verdict, color: Paint): string[] {
  const { status, scenarios, diagnostics, findings, warnings, resources, unsupported } = verdict;
  const mark = status === 'correct' ? '✓' : status === 'inconclusive' ? '?' : '✗';
  const failed = scenarios.filter((s) => s.status !== 'correct');
  // A task may have several faults, one a line; other messages are one sentence.
  const [message = '', ...more] = status === 'task_error' ? plainText(verdict.message).split('\n') : [verdict.message];
  const hint = shapeHint(verdict);
  const sections = [
    [
      `${color(statusStyle(status), `${mark} ${status}`)}  ${plainLine(message)}`,
      ...more.map((line) => `  ${plainLine(line)}`),
      ...(hint === undefined ? [] : [`  ${hint}`]),
      ...(verdict.target ? [`  on ${targetLine(verdict.target)}`] : []),
      ...tierLine(verdict),
    ],
    unsupported
      ? [
          `${place(unsupported)}: ${plainLine(unsupported.construct)}` +
            (unsupported.cudaWouldDo ? ' (a CUDA device would run it)' : ''),
        ]
      : [],
    diagnosticLines(diagnostics, color),
    findings.map((f) => {
      const where = f.file === undefined ? '' : `${place({ file: f.file, line: f.line })}: `;
      return `${where}${color('red', 'finding')} ${plainLine(f.code)}: ${plainLine(f.message)}`;
    }),
    failed.flatMap((scenario) => scenarioLines(scenario, color)),
    timingLines(verdict, color),
    resources.map(
      (r) =>
        `${plainLine(r.name || r.entry)}: ${r.registers} registers` +
        (r.sharedBytes === undefined ? '' : `, ${r.sharedBytes} B shared`) +
        `, ${(r.spillStoreBytes ?? 0) + (r.spillLoadBytes ?? 0)} B spilled (${plainLine(r.arch)})`,
    ),
    warnings.map((w) => `${color('yellow', 'warning')}: ${plainLine(w)}`),
    status !== 'correct' && verdict.output ? outputLines(verdict.output, color) : [],
    phaseLine(verdict.phases, color),
  ];
  return sections.filter((lines) => lines.length > 0).flatMap((lines, i) => (i > 0 ? ['', ...lines] : lines));
}

/** What ran beside kernels; nothing where a target has no choice. */
function tierLine({ tier, whyTier2 }: Verdict): string[] {
  if (tier === 1) return ['  device code alone (tier 1)'];
  return whyTier2 === undefined ? [] : [`  with its host code (tier 2): ${plainLine(whyTier2)}`];
}

function place({ file, line, column }: { file: string; line?: number; column?: number }): string {
  return [plainLine(file), line, column].filter((part) => part !== undefined).join(':');
}

/** `attention.cu:12:3: error: …`, with what is related below it. */
export function diagnosticLines(diagnostics: readonly Diagnostic[], color: Paint): string[] {
  const styles = { error: 'red', warning: 'yellow', note: 'cyan' } as const;
  const lines = diagnostics
    .slice(0, SHOWN)
    .flatMap((d) => [
      `${place(d)}: ${color(styles[d.severity], d.severity)}: ${plainLine(d.message)}`,
      ...(d.related ?? []).slice(0, SHOWN).map((r) => `    ${place(r)}: ${plainLine(r.message)}`),
    ]);
  const rest = diagnostics.length - SHOWN;
  return rest > 0 ? [...lines, `… and ${rest} more diagnostics`] : lines;
}

function scenarioLines(scenario: ScenarioVerdict, color: Paint): string[] {
  const head = `scenario ${plainLine(scenario.id)}${scenario.heldOut ? ' (held out)' : ''}: `;
  return [
    head + color(statusStyle(scenario.status), scenario.status) + said(scenario.message),
    ...scenario.outputs
      .filter((o) => o.mismatches > 0)
      .flatMap((o) => [
        o.message !== undefined
          ? `  ${plainLine(o.name)}: refused by its checker: ${plainLine(o.message)}`
          : `  ${plainLine(o.name)}: ${o.mismatches} of ${o.elements} elements differ ` +
            `(rtol ${o.rtol}, atol ${o.atol}), largest |difference| ${o.maxAbs}, relative ${o.maxRel}`,
        ...o.first.map((m) => `    index ${m.index}: expected ${m.expected}, got ${m.got}`),
      ]),
  ];
}

function said(message: string | undefined): string {
  return message ? `  ${plainLine(message)}` : '';
}

function timingLines(verdict: Verdict, color: Paint): string[] {
  const timed = verdict.scenarios.flatMap((s) => (s.timing ? [{ ...s, timing: s.timing }] : []));
  if (timed.length === 0) return [];
  const label = verdict.emulated ? `  (${EMULATED})` : '';
  const [candidate, original, ratio] = isOriginal(verdict)
    ? ['original ms', 'original again ms', 'ratio to itself [low, high]']
    : ['candidate ms', 'original ms', 'speedup over original [low, high]'];
  const lines = table(
    [
      { title: 'scenario' },
      { title: candidate, align: 'right' },
      { title: original, align: 'right' },
      { title: ratio, align: 'right' },
      { title: 'pairs', align: 'right' },
    ],
    timed.map(({ id, heldOut, timing }) => [
      plainLine(id, 80) + (heldOut ? ' (held out)' : ''),
      milliseconds(timing.candidateMs),
      milliseconds(timing.baselineMs),
      interval(timing.speedup),
      String(timing.pairs),
    ]),
  );
  lines[0] = color('bold', lines[0] ?? '') + label;
  return [...lines, ...speedupLine(verdict, color)];
}

/** How sure a ratio is: `provisional`, `confirmed: faster`, `confirmed: not faster`. */
export function sureness({ mode, faster }: Verdict): string {
  if (mode === 'first') return 'provisional';
  return faster === true ? 'confirmed: faster' : 'confirmed: not faster';
}

/** Geometric mean over scenarios with what it is over and how sure it is. */
function speedupLine(verdict: Verdict, color: Paint): string[] {
  const { speedup, emulated, faster } = verdict;
  if (!speedup) return [];
  const { confidence, over } = speedup;
  const label = emulated ? ` (${EMULATED})` : '';
  if (isOriginal(verdict)) {
    return [
      `the original against itself: geometric mean ${color('bold', interval(speedup))}, ` +
        `${percent(confidence)} interval: the noise of this machine${label}`,
    ];
  }
  const sure = faster === true ? color('green', sureness(verdict)) : sureness(verdict);
  return [
    `geometric mean ${color('bold', interval(speedup))} over ${over}, ` +
      `${percent(confidence)} interval, ${sure}${label}`,
  ];
}

function outputLines(output: string, color: Paint): string[] {
  const lines = plainText(output).trimEnd().split('\n');
  const tail = lines.slice(-SHOWN).map((line) => color('dim', `  | ${line.slice(0, 200)}`));
  const cut = lines.length > SHOWN ? ` (last ${SHOWN} of ${lines.length} lines; all with --json)` : '';
  return [`output of build and run${cut}:`, ...tail];
}

function phaseLine(phases: Readonly<Record<string, number>>, color: Paint): string[] {
  const parts = Object.entries(phases).map(([name, ms]) => `${plainLine(name)} ${duration(ms)}`);
  return parts.length > 0 ? [color('dim', parts.join(' · '))] : [];
}
