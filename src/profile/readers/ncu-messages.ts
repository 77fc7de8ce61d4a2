// Reads what ncu says while it works: whether it may use the counters, what it profiled, and why it did not.

export type NcuTrouble =
  /** The user may not read the counters of that device (ERR_NVGPUCTRPERM). */
  | { kind: 'not-permitted'; device?: number }
  /** A kernel could not be replayed. */
  | { kind: 'failed-kernel'; kernel: string }
  /** Nothing that was asked for was launched; what was, by name. */
  | { kind: 'no-match'; available: string[] }
  | { kind: 'no-program'; path: string }
  | { kind: 'other'; message: string };

export interface NcuMessages {
  /** Kernels that were profiled, with the number of passes over each. */
  profiled: { kernel: string; passes?: number }[];
  /** Metrics that this chip, or this driver, does not give. */
  missingMetrics: string[];
  /** Clocks were left as they are. */
  clocksUnmodified: boolean;
  /** Causes only; what ncu adds because of them is left out. */
  troubles: NcuTrouble[];
}

const PROFILING = /^==PROF== Profiling "(.+)" - \d+(?:.*?(\d+) pass(?:es)?)?/;
const MISSING = /^==WARNING== Unable to access the following \d+ metrics?: (.+)$/;
const NOTHING = '==WARNING== No kernels were profiled.';
const FAILED = /^==ERROR== Failed to profile kernel "(.+)" in process \d+/;
const PROGRAM = /^==ERROR== '(.+)' does not exist or is not an executable/;
/** What ncu adds after it has said why. */
const CONSEQUENCE = /Failed to prepare kernel for profiling|An error occurred while trying to profile/;

/** Lines that do not begin with `==` are the application's and are not read, whatever they say. */
export function readNcuMessages(text: string): NcuMessages {
  const found: NcuMessages = { profiled: [], missingMetrics: [], clocksUnmodified: false, troubles: [] };
  const errors: string[] = [];
  let available: string[] | undefined;
  let listing = false;
  for (const line of text.split(/\r?\n/)) {
    if (line === NOTHING) available = [];
    else if (line === 'Available Kernels:' && available) listing = true;
    else if (line.startsWith('==')) readRemark(line, found, errors);
    else if (listing) {
      const name = /^\d+\. (.+)$/.exec(line)?.[1];
      if (name !== undefined) available?.push(name);
    }
  }
  if (found.troubles.length > 0) return found;
  const said = errors.find((e) => !CONSEQUENCE.test(e)) ?? errors[0];
  // That nothing was profiled follows from every other trouble.
  if (said !== undefined) found.troubles.push({ kind: 'other', message: said });
  else if (available) found.troubles.push({ kind: 'no-match', available });
  return found;
}

function readRemark(line: string, found: NcuMessages, errors: string[]): void {
  const [, kernel, passes] = PROFILING.exec(line) ?? [];
  const missing = MISSING.exec(line)?.[1];
  const failed = FAILED.exec(line)?.[1];
  const program = PROGRAM.exec(line)?.[1];
  if (kernel !== undefined) found.profiled.push({ kernel, ...(passes !== undefined && { passes: Number(passes) }) });
  else if (missing !== undefined) found.missingMetrics.push(...missing.split(', '));
  else if (line.includes('unmodified GPU clocks')) found.clocksUnmodified = true;
  else if (line.includes('ERR_NVGPUCTRPERM')) {
    const device = /target device (\d+)/.exec(line)?.[1];
    found.troubles.push({ kind: 'not-permitted', ...(device !== undefined && { device: Number(device) }) });
  } else if (failed !== undefined) found.troubles.push({ kind: 'failed-kernel', kernel: failed });
  else if (program !== undefined) found.troubles.push({ kind: 'no-program', path: program });
  else if (line.startsWith('==ERROR==')) errors.push(line.slice('==ERROR=='.length).trim());
}
