// The CUDA target's sanitizers: compute-sanitizer's tools over one call each.
import { access, constants, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readSanitizer, type SanitizerPlace, type SanitizerRecord } from '../../../src/profile/readers/sanitizer.js';
import type { Finding } from '../../protocol.js';
import { compilerView } from '../../sandbox/views.js';
import {
  runSanitized,
  type SanitizedCall,
  type SanitizedRun,
  type Sanitizer,
  type SanitizerReport,
} from '../sanitizer.js';

interface Tool {
  name: 'memcheck' | 'initcheck' | 'racecheck' | 'synccheck';
  options: string[];
  /** Whether outputs and workspaces have contents: a read of them is what initcheck looks for. */
  poison: boolean;
}

/** Cheapest first: what is left when the time is used up is the slowest. */
const TOOLS: readonly Tool[] = [
  // Allocations lie next to each other otherwise, where a long step past the end lands in the next one.
  { name: 'memcheck', options: ['--padding', '65536', '--report-api-errors', 'no'], poison: true },
  // Copying back an output that was not written in full is ours, not the kernel's.
  { name: 'initcheck', options: ['--check-api-memory-access', 'no'], poison: false },
  { name: 'synccheck', options: [], poison: true },
  { name: 'racecheck', options: [], poison: true },
];

const COMMON = ['--strip-paths', 'no', '--show-backtrace', 'no', '--print-limit', '100'];
/** Findings of one tool: the first few places are what is worked on. */
const MOST = 8;
/** Less than this is not worth starting a tool for, milliseconds: a context under it takes about as long. */
const SHORTEST = 4000;

const codes: Partial<Record<SanitizerRecord['kind'], string>> = {
  out_of_bounds: 'out_of_bounds',
  misaligned: 'misaligned',
  race: 'race',
  uninitialized: 'uninitialized_read',
  barrier: 'invalid_barrier',
};

/** The tool of the toolkit: its own program, not the script that starts it; undefined where it was not installed. */
export async function findComputeSanitizer(nvcc: string, toolkit: string | undefined): Promise<string | undefined> {
  const bin = path.dirname(nvcc);
  const roots = [...(toolkit === undefined ? [] : [toolkit]), path.dirname(bin)];
  const places = [
    ...roots.map((root) => path.join(root, 'compute-sanitizer/compute-sanitizer')),
    ...roots.map((root) => path.join(root, 'bin/compute-sanitizer')),
    path.join(bin, 'compute-sanitizer'),
  ];
  for (const file of places) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

export class CudaSanitizer implements Sanitizer {
  /**
   * @param tool path of compute-sanitizer
   * @param program harness/sanitized.cpp, compiled
   * @param environment of a worker
   */
  constructor(
    private readonly tool: string,
    private readonly program: string,
    private readonly environment: Record<string, string>,
  ) {}

  async check(call: SanitizedCall): Promise<SanitizerReport> {
    const report: SanitizerReport = { findings: [], warnings: [], covered: [], notCovered: [], inconclusive: [] };
    const view = await compilerView([this.tool]);
    const end = performance.now() + call.limitMs;
    for (const tool of TOOLS) {
      const limitMs = end - performance.now();
      if (limitMs < SHORTEST) {
        report.notCovered.push(`${tool.name}: no time was left`);
        continue;
      }
      call.step(tool.name);
      await this.one(tool, view, limitMs, call, report);
    }
    return report;
  }

  private async one(
    tool: Tool,
    view: readonly string[],
    limitMs: number,
    call: SanitizedCall,
    report: SanitizerReport,
  ): Promise<void> {
    const log = path.join(call.folder, `${tool.name}.log`);
    const start = (options: string[]): Promise<SanitizedRun> =>
      runSanitized({
        command: call.confine(
          { file: this.tool, args: ['--tool', tool.name, '--log-file', log, ...options, this.program] },
          { program: this.program, read: view },
        ),
        env: { ...this.environment, TMPDIR: call.folder, HOME: call.folder },
        cwd: call.folder,
        commands: call.commands(call.library, tool.poison),
        input: call.input,
        result: call.results[0],
        limitMs,
        signal: call.signal,
      });
    const text = async (run: SanitizedRun): Promise<string> =>
      readFile(log, 'utf8').then(
        (t) => t || run.output,
        () => run.output,
      );
    let run = await start([...COMMON, ...tool.options]);
    let output = readSanitizer(await text(run));
    // An older tool that does not know an option says so at once.
    if (output.state === 'refused' && run.answers.length === 0 && !run.timedOut) {
      run = await start([]);
      output = readSanitizer(await text(run));
    }
    const findings = output.records.filter((r) => r.severity === 'error').flatMap((r) => findingOf(tool, r, call));
    report.findings.push(...findings.slice(0, MOST));
    for (const record of output.records.filter((r) => r.severity === 'warning' && r.kind === 'race').slice(0, MOST))
      report.warnings.push(`${tool.name}: ${messageOf(record, call)}`);
    const doubt = findings.length > 0 ? undefined : doubtAbout(run, output.state, output.reason, limitMs);
    if (doubt === undefined) report.covered.push(tool.name);
    else report.notCovered.push(`${tool.name}: ${doubt.why}`);
    if (doubt?.isInconclusive) report.inconclusive.push(`${tool.name}: ${doubt.why}`);
  }
}

/** Why a run that found nothing says nothing; undefined if it does. Inconclusive: the tool worked, the program did not. */
function doubtAbout(
  run: SanitizedRun,
  state: ReturnType<typeof readSanitizer>['state'],
  reason: string | undefined,
  limitMs: number,
): { why: string; isInconclusive: boolean } | undefined {
  const not = (why: string): { why: string; isInconclusive: boolean } => ({ why, isInconclusive: false });
  const hasBegun = run.answers.includes('begun');
  if (run.timedOut) return not(`no end within ${Math.round(limitMs / 1000)} s`);
  if (state === 'refused') return not(`compute-sanitizer did not start: ${reason ?? ''}`);
  const failed = run.answers.find((a) => a.startsWith('error '));
  if (failed !== undefined)
    return { why: `the call failed under it: ${failed.split(' ').slice(2).join(' ')}`, isInconclusive: hasBegun };
  if (run.answers.at(-1) !== 'ran')
    return { why: 'the program ended before the call was done', isInconclusive: hasBegun };
  return state === 'incomplete' ? { why: reason ?? 'it gave no result', isInconclusive: true } : undefined;
}

function findingOf(tool: Tool, record: SanitizerRecord, call: SanitizedCall): Finding[] {
  const code = codes[record.kind];
  // What the API or the host side did is checked by the evaluator itself.
  if (code === undefined || record.place === undefined) return [];
  const file = record.place.file === undefined ? undefined : call.inJob(record.place.file);
  const message = `${tool.name}: ${messageOf(record, call)}`;
  return [{ code, message, ...(file === undefined ? {} : { file, line: record.place.line }) }];
}

function messageOf(record: SanitizerRecord, call: SanitizedCall): string {
  const at = (place: SanitizerPlace): string => {
    const file = place.file === undefined ? undefined : (call.inJob(place.file) ?? path.basename(place.file));
    return `${file === undefined ? '' : `${file}:${place.line} in `}${place.function}`;
  };
  const { place, other } = record;
  if (place && other)
    return `race on shared memory: ${record.access} at ${at(place)}, ${other.access} at ${at(other)}, no synchronisation between (${record.count} hazards)`;
  const more = record.count > 1 ? `, and ${record.count - 1} more there` : '';
  const details = record.details.length > 0 ? ` (${record.details.slice(0, 3).join('; ')})` : '';
  return `${place ? `${at(place)}: ` : ''}${record.text}${details}${more}`;
}
