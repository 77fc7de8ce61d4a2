// Where an instruction of a candidate's library stands in its sources.
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { runTool } from '../run-tool.js';
import type { SanitizedCall } from '../sanitizer.js';

export interface Place {
  file: string;
  line: number;
  /** The job's, not a header of ours. */
  isJob: boolean;
}

/** Reads `addr2line -a -i`: an address, then the places it was inlined through, the innermost first. */
export function readPlaces(text: string, inJob: (file: string) => string | undefined): Map<number, Place> {
  const places = new Map<number, Place>();
  let address: number | undefined;
  for (const line of text.split('\n')) {
    if (/^0x[0-9a-f]+$/.test(line)) {
      address = parseInt(line, 16);
      continue;
    }
    const [, file, number] = /^(.+):(\d+)(?: \(discriminator \d+\))?$/.exec(line) ?? [];
    if (address === undefined || file === undefined || Number(number) === 0) continue;
    const known = places.get(address);
    const own = inJob(file);
    // The place in the user's sources counts, wherever in our headers it leads.
    if (known?.isJob || (known && own === undefined)) continue;
    places.set(address, { file: own ?? path.basename(file), line: Number(number), isJob: own !== undefined });
  }
  return places;
}

/** Of binutils, or of LLVM; undefined where neither is there. */
async function findTool(compiler: string): Promise<string | undefined> {
  const folders = [path.dirname(compiler), '/usr/bin', '/usr/local/bin'];
  for (const file of ['addr2line', 'llvm-addr2line'].flatMap((name) => folders.map((f) => path.join(f, name)))) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/** @param addresses offsets in the library; few, since the runtime reports few */
export async function placesOf(
  addresses: readonly number[],
  compiler: string,
  call: SanitizedCall,
): Promise<Map<number, Place>> {
  const file = addresses.length === 0 ? undefined : await findTool(compiler);
  if (file === undefined) return new Map();
  const args = ['-a', '-i', '-e', call.library, ...addresses.map((a) => `0x${a.toString(16)}`)];
  // What it reads was made from the candidate.
  const command = call.confine({ file, args }, { program: file });
  const env = { PATH: '/usr/bin:/bin', LANG: 'C' };
  const run = await runTool(command.file, command.args, { cwd: '/', env, signal: call.signal, timeoutMs: 20_000 });
  return run.code === 0 ? readPlaces(run.stdout, (f) => call.inJob(f)) : new Map();
}
