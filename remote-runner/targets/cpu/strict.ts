// The CPU target's strict mode: one call of an instrumented candidate, and what its runtime has to say about it.
import { readFile } from 'node:fs/promises';
import type { Finding } from '../../protocol.js';
import {
  runSanitized,
  type SanitizedCall,
  type SanitizedRun,
  type Sanitizer,
  type SanitizerReport,
} from '../sanitizer.js';
import { type Place, placesOf } from './strict-places.js';
import { sourceName, variablesOf } from './symbols.js';

/** A line of the runtime (strict_report.cpp). */
interface Found {
  code: string;
  /** Offsets in the library, 0 for none. */
  first: number;
  second: number;
  /** A place that the compiler wrote down itself. */
  file: string;
  line: number;
  text: string;
}

const NAME = 'strict mode';
/** Bytes that shared memory starts with: large values of either sign and zeros; plain runs start with NaN. */
const POISONS = ['7f', '00', 'fe'] as const;
/** Findings of one run, and characters of each: the candidate can write to the channel, too. */
const MOST = 48;
const LONGEST = 600;
/** Notes of what is no fault on a GPU as it is used. */
const NOTES = new Set(['warp_synchronous', 'shift']);

export class CpuSanitizer implements Sanitizer {
  /** @param program harness/sanitized.cpp with the strict runtime  @param environment of a worker */
  constructor(
    private readonly program: string,
    private readonly compiler: string,
    private readonly environment: Record<string, string>,
  ) {}

  async check(call: SanitizedCall): Promise<SanitizerReport> {
    const report: SanitizerReport = { findings: [], warnings: [], covered: [], notCovered: [], inconclusive: [] };
    const end = performance.now() + call.limitMs;
    const objects = objectsOf(await readFile(call.library));
    const start = (poison: string, result: number, more: Record<string, string>): Promise<SanitizedRun> =>
      runSanitized({
        command: call.confine({ file: this.program, args: [] }, { program: this.program }),
        env: { ...this.environment, KS_STRICT_POISON: poison, ...more },
        cwd: '/',
        commands: call.commands(call.library, true) + objects,
        input: call.input,
        result,
        limitMs: Math.max(1, end - performance.now()),
        signal: call.signal,
      });
    call.step(NAME);
    const run = await start(POISONS[0], call.results[0], {});
    const found = run.answers.flatMap(readFound).slice(0, MOST);
    const places = await placesOf(
      [...new Set(found.flatMap((f) => [f.first, f.second]))].filter((a) => a > 0),
      this.compiler,
      call,
    );
    const unwritten: Finding[] = [];
    for (const f of found) {
      const finding = findingOf(f, places, call);
      if (!finding) continue;
      if (NOTES.has(f.code) || isInnerIndex(f, finding, call)) report.warnings.push(finding.message);
      else (f.code === 'uninitialized_shared' ? unwritten : report.findings).push(finding);
    }
    const doubt = report.findings.length > 0 ? undefined : doubtAbout(run, call.limitMs);
    if (doubt) {
      report.notCovered.push(`${NAME}: ${doubt.why}`);
      if (doubt.isInconclusive) report.inconclusive.push(`${NAME}: ${doubt.why}`);
    } else report.covered.push(NAME);
    if (unwritten.length === 0 || report.findings.length > 0 || doubt) return report;
    // Reading what nobody has written is no fault while nothing comes of it: masked lanes, padding, a stage never used.
    const matters = await this.matters(start, call);
    if (matters === undefined) report.notCovered.push(`${NAME}: whether uninitialised shared memory matters`);
    for (const f of unwritten) {
      if (matters) report.findings.push({ ...f, message: `${f.message}; the results depend on it` });
      else report.warnings.push(`${f.message}${matters === false ? '; the results do not depend on it' : ''}`);
    }
    return report;
  }

  /** Do other contents of unwritten shared memory give other results? One thread: the order of atomics stays the same. */
  private async matters(
    start: (poison: string, result: number, more: Record<string, string>) => Promise<SanitizedRun>,
    call: SanitizedCall,
  ): Promise<boolean | undefined> {
    const one = { KS_CPU_THREADS: '1' };
    const [reference, ...others] = POISONS;
    if ((await start(reference, call.results[0], one)).answers.at(-1) !== 'ran') return undefined;
    for (const poison of others) {
      // It goes another way with it, to a fault even.
      const run = await start(poison, call.results[1], one);
      if (run.timedOut) return undefined;
      if (run.answers.at(-1) !== 'ran' || (await call.differ())) return true;
    }
    return false;
  }
}

/** What the trusted program tells the runtime: variables by where they lie. */
function objectsOf(library: Buffer): string {
  const lines = variablesOf(library)
    .filter((v) => v.size > 0)
    .map(({ name, size, offset, isThreadLocal }) => {
      const kind = !isThreadLocal ? 'g' : name.startsWith('_ZGV') ? 'i' : 's';
      return `${kind} ${offset} ${size} ${sourceName(name)
        .replace(/[^\w$.]/g, '_')
        .slice(0, 200)}`;
    });
  return [lines.length, ...lines, ''].join('\n');
}

function readFound(line: string): Found[] {
  const [verb, code = '', first = '', second = '', file = '', at = '', , ...text] = line.split('\t');
  if (verb !== 'found') return [];
  return [
    {
      code,
      first: parseInt(first, 16) || 0,
      second: parseInt(second, 16) || 0,
      file,
      line: Number(at),
      text: text.join(' ').slice(0, LONGEST),
    },
  ];
}

function findingOf(f: Found, places: Map<number, Place>, call: SanitizedCall): Finding | undefined {
  const own = f.file === '' ? undefined : call.inJob(f.file);
  const written: Place | undefined = own === undefined ? undefined : { file: own, line: f.line, isJob: true };
  // A header of ours in which something is undefined is ours to mend.
  if (f.file !== '' && !written) return undefined;
  const first = written ?? places.get(f.first);
  const text = (place: Place | undefined): string => (place ? `${place.file}:${place.line}` : 'an unknown line');
  const second = places.get(f.second);
  const message = f.text.replace(/%[12]/g, (mark) => text(mark === '%1' ? first : second));
  const place = first?.isJob ? first : second?.isJob ? second : undefined;
  const code = f.code === 'index_out_of_bounds' ? 'out_of_bounds' : f.code;
  return { code, message, ...(place ? { file: place.file, line: place.line } : {}) };
}

/** `tile[0][i]` with i beyond a row is how CUDA code goes through a whole tile: the fences know better. */
function isInnerIndex(f: Found, { file, line }: Finding, call: SanitizedCall): boolean {
  if (f.code !== 'index_out_of_bounds' || file === undefined || line === undefined) return false;
  return /\]\s*\[/.test(call.sourceLine(file, line) ?? '');
}

/** Why a run that found nothing says nothing; undefined if it does. */
function doubtAbout(run: SanitizedRun, limitMs: number): { why: string; isInconclusive: boolean } | undefined {
  if (run.timedOut) return { why: `no end within ${Math.round(limitMs / 1000)} s`, isInconclusive: false };
  if (run.answers.at(-1) === 'ran') return undefined;
  const isInconclusive = run.answers.includes('begun');
  const failed = run.answers.find((a) => a.startsWith('error '));
  if (failed === undefined) return { why: 'the program ended before the call was done', isInconclusive };
  return { why: `the call failed under it: ${failed.split(' ').slice(2).join(' ')}`, isInconclusive };
}
