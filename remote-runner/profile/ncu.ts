// Runs Nsight Compute over one call of a candidate, and reads its report. All of it is confined as a worker is: the report is
// written where the candidate runs, and whoever reads it reads hostile bytes.
import { access } from 'node:fs/promises';
import path from 'node:path';
import { readNcuMessages, type NcuMessages } from '../../src/profile/readers/ncu-messages.js';
import type { ProfileParams } from '../protocol.js';
import { compilerView } from '../sandbox/views.js';
import { runTool } from '../targets/run-tool.js';
import { runSanitized, type SanitizedCall, type SanitizedRun } from '../targets/sanitizer.js';
import type { Ncu } from './find-ncu.js';

/** The report's pages as text. */
export interface Pages {
  raw: string;
  details: string;
  lines: string;
  sass: string;
}

export interface NcuRun {
  run: SanitizedRun;
  messages: NcuMessages;
  /** Absent where nothing was profiled. */
  report?: string;
}

type Call = Pick<SanitizedCall, 'confine' | 'commands' | 'library' | 'folder' | 'input' | 'results' | 'signal'>;

/** Beside the sets: what the lines wait for is in no set below `full`. */
const SECTIONS = ['SourceCounters', 'WarpStateStats', 'SchedulerStats', 'InstructionStats'];
/** One import of a report, milliseconds; characters of a page. */
const IMPORT_MS = 120_000;
const PAGE = 256 * 2 ** 20;
const DEFAULT_LAUNCHES = 4;

export class Profiler {
  /**
   * @param program harness/sanitized.cpp, compiled
   * @param environment of a worker
   */
  constructor(
    readonly ncu: Ncu,
    private readonly program: string,
    private readonly environment: Record<string, string>,
  ) {}

  /** @param limitMs for the profiled run, replays and all */
  async profile(call: Call, params: ProfileParams, limitMs: number): Promise<NcuRun> {
    const report = path.join(call.folder, 'report.ncu-rep');
    const run = await runSanitized({
      command: await this.confined(call, [...optionsOf(params), '--export', report, this.program]),
      env: this.env(call),
      cwd: call.folder,
      commands: call.commands(call.library, true),
      input: call.input,
      result: call.results[0],
      limitMs,
      signal: call.signal,
    });
    const messages = readNcuMessages(run.output);
    const isThere = await access(report).then(
      () => true,
      () => false,
    );
    return { run, messages, ...(isThere && { report }) };
  }

  async pages(call: Call, report: string): Promise<Pages> {
    const page = async (...options: string[]): Promise<string> => {
      const { file, args } = await this.confined(call, ['--import', report, '--csv', '--page', ...options]);
      const run = await runTool(file, args, {
        cwd: call.folder,
        env: this.env(call),
        signal: call.signal,
        timeoutMs: IMPORT_MS,
        outputLimit: PAGE,
      });
      return run.code === 0 ? run.stdout : '';
    };
    const raw = await page('raw', '--print-units', 'base');
    const details = await page('details');
    const lines = await page('source', '--print-source', 'cuda,sass');
    const sass = await page('source', '--print-source', 'sass');
    return { raw, details, lines, sass };
  }

  private async confined(call: Call, args: string[]): Promise<{ file: string; args: string[] }> {
    const read = [...(await compilerView([])), this.ncu.folder];
    return call.confine({ file: this.ncu.file, args }, { program: this.program, read });
  }

  private env(call: Call): Record<string, string> {
    // Its locks, its settings and its copy of the sections are of this job alone.
    return { ...this.environment, LANG: 'C', LC_ALL: 'C', TMPDIR: call.folder, HOME: call.folder };
  }
}

function optionsOf(params: ProfileParams): string[] {
  const base = /([A-Za-z_]\w*)(?:<.*)?$/s.exec(params.kernel ?? '')?.[1];
  const sections = [...(params.set === 'detailed' ? SECTIONS : []), ...(params.sections ?? [])];
  return [
    ...['--config-file', 'off', '--clock-control', 'none', '--force-overwrite', '--import-source', 'yes'],
    ...['--set', params.set],
    ...sections.flatMap((section) => ['--section', section]),
    ...(params.metrics ? ['--metrics', params.metrics.join(',')] : []),
    ...(base === undefined ? [] : ['--kernel-name', base]),
    ...['--launch-count', String(params.launches ?? DEFAULT_LAUNCHES)],
  ];
}
