// Arms side by side as lines of a terminal.
import type { ArmRun, ArmSummary, Interval } from './arms.js';

/** Every run, then the means of each arm. */
export function armLines(runs: readonly ArmRun[], summaries: readonly ArmSummary[]): string[] {
  const tasks = [...new Set(runs.map((r) => r.task))];
  const blocks = tasks.flatMap((task) => {
    const own = runs.filter((r) => r.task === task);
    const means = summaries.filter((s) => s.task === task);
    return [
      '',
      ...columns([
        [task, 'seed', 'speedup', 'evaluations', 'tokens', 'device min', 'correct', 'levels', 'path', 'ended'],
        ...own.map(runCells),
      ]),
      '',
      ...columns([
        [
          'mean [95 %]',
          'runs',
          'speedup',
          'over first',
          'evaluations',
          'tokens',
          'device min',
          'correct',
          'levels',
          'path',
        ],
        ...means.map(meanCells),
      ]),
    ];
  });
  const emulated = runs.some((r) => r.emulated)
    ? ['', 'times are those of the CPU emulation: they say nothing about a GPU']
    : [];
  return [...blocks.slice(1), ...emulated];
}

function runCells(run: ArmRun): string[] {
  return [
    run.arm,
    String(run.seed),
    `${run.speedup.toFixed(3)}×`,
    String(run.evaluations),
    String(run.tokens),
    run.deviceMinutes.toFixed(2),
    run.correctShare === undefined ? '–' : `${(run.correctShare * 100).toFixed(0)} %`,
    String(run.levels.length),
    run.pathLength.toFixed(2),
    run.ended.split(':')[0] ?? '',
  ];
}

function meanCells(of: ArmSummary): string[] {
  return [
    of.arm,
    String(of.speedup.runs),
    shown(of.speedup, 3),
    of.overFirst ? shown(of.overFirst, 3) : '–',
    shown(of.evaluations, 1),
    shown(of.tokens, 0),
    shown(of.deviceMinutes, 2),
    of.correctShare ? shown(of.correctShare, 2) : '–',
    shown(of.levels, 1),
    shown(of.pathLength, 2),
  ];
}

/** `1.310 [1.250, 1.373]`; the mean alone for a single run. */
function shown({ mean, low, high }: Interval, digits: number): string {
  const interval = low === undefined || high === undefined ? '' : ` [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
  return mean.toFixed(digits) + interval;
}

/** Names to the left, numbers to the right. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((r) => r[i]?.length ?? 0)));
  return rows.map((r) =>
    r.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
}
