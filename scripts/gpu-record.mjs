// The GPU suite with its output kept: `gpu-record.mjs [--record FILE] [OPTIONS OF NODE]`. Travels in the packed archive too, beside
// the bundle of the suite, so it needs nothing but Node.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside the suite's bundle: the hash of the sources it was made of. */
export const SOURCES = 'gpu-suite.sources';

/**
 * What the first lines of a record say.
 * @param {{ sources: string, at: string, options: string[] }} about
 */
export const headOf = ({ sources, at, options }) =>
  `# What npm run test:gpu printed. Written by it; not to be edited.\n# sources ${sources}\n# at ${at}\n` +
  `# options ${options.length > 0 ? options.join(' ') : 'none: all of the suite'}\n`;

/**
 * @param {string} text of a record
 * @returns {{ sources: string, at: string, options: string, device: string, passed: number, failed: number, skipped: number } | undefined}
 */
export function readRecord(text) {
  const head = (name) => new RegExp(`^# ${name} (.*)$`, 'm').exec(text)?.[1];
  // Of the suite as a whole: the last line of each kind.
  const count = (name) => Number([...text.matchAll(new RegExp(`^# ${name} (\\d+)$`, 'gm'))].at(-1)?.[1] ?? NaN);
  const [sources, at, options = ''] = [head('sources'), head('at'), head('options')];
  const [passed, failed, skipped] = ['pass', 'fail', 'skipped'].map(count);
  if (!sources || !at || [passed, failed, skipped].some(Number.isNaN)) return undefined;
  return {
    sources,
    at,
    options,
    device: /^device (.*)$/m.exec(text)?.[1] ?? 'an unknown device',
    passed,
    failed,
    skipped,
  };
}

/**
 * What is known of the GPU suite where it cannot run, in one line.
 * @param {string | undefined} text of the last record
 * @param {string} sources the hash of today's
 */
export function aboutRecord(text, sources) {
  if (text === undefined)
    return 'no record of the GPU suite is there: npm run test:gpu -- --record test/gpu/record.txt';
  const record = readRecord(text);
  if (!record) return 'the record of the GPU suite is not whole: the run was broken off';
  const which = record.sources === sources ? 'on these very sources' : 'on other sources than these';
  const part = record.options.startsWith('none') ? '' : ` (a part: ${record.options})`;
  const { at, device, passed, failed, skipped } = record;
  return `last recorded ${at.slice(0, 10)} ${which}${part}: ${passed} passed, ${failed} failed, ${skipped} skipped; ${device}`;
}

/** Runs the suite of this folder; ends as it ends. */
function main() {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const options = process.argv.slice(2);
  const at = options.indexOf('--record');
  const [, file] = at < 0 ? [] : options.splice(at, 2);
  if (at >= 0 && file === undefined) {
    console.error('kernelseek: --record needs a file');
    process.exit(2);
  }
  const suite = process.env.KERNELSEEK_GPU_SUITE ?? path.join(here, 'gpu-suite.js');
  const sources = path.join(path.dirname(suite), SOURCES);
  const out = file === undefined ? undefined : createWriteStream(file);
  const about = {
    sources: existsSync(sources) ? readFileSync(sources, 'utf8').trim() : 'unknown',
    at: new Date().toISOString(),
    options,
  };
  out?.write(headOf(about));
  // Its own words go to standard output; what the runner says beside them is not kept.
  const child = spawn(process.execPath, [...options, suite], { stdio: ['inherit', 'pipe', 'inherit'] });
  child.stdout.on('data', (bytes) => {
    process.stdout.write(bytes);
    out?.write(bytes);
  });
  child.on('close', (code, signal) => {
    const ended = () => process.exit(signal ? 1 : (code ?? 1));
    if (out) out.end(ended);
    else ended();
  });
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) main();
