// Reads what compute-sanitizer prints. A tool that crashed, was refused or never ran prints no errors either: only a summary
// says that a run was checked to its end.

export interface SanitizerPlace {
  function: string;
  /** Offset in the kernel's machine code, hexadecimal. */
  offset?: string;
  /** As printed: a full path with `--strip-paths no`. Absent without line information. */
  file?: string;
  line?: number;
}

export type SanitizerKind =
  | 'out_of_bounds'
  | 'misaligned'
  | 'race'
  | 'uninitialized'
  | 'barrier'
  | 'leak'
  /** A call of the CUDA API failed. */
  | 'api'
  | 'other';

export interface SanitizerRecord {
  kind: SanitizerKind;
  severity: 'error' | 'warning';
  /** First line of the record. */
  text: string;
  place?: SanitizerPlace;
  /** Of a race: what each side did, and where the other one did it. */
  access?: 'read' | 'write';
  other?: SanitizerPlace & { access: 'read' | 'write' };
  /** What follows in the record, without backtraces. */
  details: string[];
  /** Hazards of a race; equal records of other kinds are put together. */
  count: number;
}

export interface SanitizerOutput {
  /**
   * `clean` and `found` are results. `incomplete`: no summary, or the program did not end as it should, so that finding
   * nothing means nothing. `refused`: the tool itself did not start.
   */
  state: 'clean' | 'found' | 'incomplete' | 'refused';
  records: SanitizerRecord[];
  /** As the summaries say; records may be fewer, since the tool stops printing at a limit. */
  errors: number;
  warnings: number;
  /** What the tool says about itself or the program, where the state is not a result. */
  reason?: string;
}

const PREFIX = /^=========(?: |$)/;
const access = '(Read|Write) access at (.+?)';
const RACE = new RegExp(`^(Error|Warning|Info): Race reported between ${access}$`);
const RACE_END = new RegExp(`^and ${access} \\[([\\d,]+) hazards?\\]$`);
const DIED = /didn't terminate successfully|Target application returned an error|[Tt]arget application terminated/;
const INTERNAL = /Internal Sanitizer Error|Unable to|failed to (?:launch|attach|connect)|unrecogni[sz]ed option/i;
const NOISE = /^(?:Saved host backtrace|Host Frame|in \/|Device Frame)/;

const number = (text: string | undefined): number => Number((text ?? '0').replaceAll(',', ''));

/** `tile_sum(const float *, int)+0x1b0 in tile.cu:17`, with or without the line, or `0x100 in tile.cu:17:tile_sum`. */
function placeOf(text: string): SanitizerPlace {
  const withFile = /^(.*?)(?:\+(0x[0-9a-f]+))?(?: in (.+?):(\d+))?$/.exec(text);
  const [, called = text, offset, file, line] = withFile ?? [];
  return {
    function: called,
    ...(offset ? { offset } : {}),
    ...(file ? { file, line: Number(line) } : {}),
  };
}

function kindOf(text: string): SanitizerKind {
  if (/misaligned/.test(text)) return 'misaligned';
  if (/^Invalid __\w+__ /.test(text) || /out of bounds/.test(text)) return 'out_of_bounds';
  if (/^(?:Uninitialized|Host API uninitialized)/.test(text)) return 'uninitialized';
  if (/^Barrier error/.test(text)) return 'barrier';
  if (/^Leaked /.test(text)) return 'leak';
  if (/on CUDA API call to/.test(text)) return 'api';
  return 'other';
}

/** Lines of the tool itself, its prefix taken off, in groups: a record is a line and the indented ones below it. */
function groupsOf(text: string): string[][] {
  const groups: string[][] = [];
  for (const raw of text.split(/\r?\n/)) {
    if (!PREFIX.test(raw)) continue;
    const line = raw.slice(10);
    const last = groups.at(-1);
    if (/^\s+\S/.test(line) && last) last.push(line.trim());
    else if (line.trim() !== '') groups.push([line.trim()]);
  }
  return groups;
}

function recordOf([head = '', ...rest]: string[]): SanitizerRecord {
  const race = RACE.exec(head);
  const end = race && RACE_END.exec(rest.find((l) => l.startsWith('and ')) ?? '');
  if (race && end) {
    const sideOf = (word: string | undefined): 'read' | 'write' => (word === 'Read' ? 'read' : 'write');
    return {
      kind: 'race',
      severity: race[1] === 'Error' ? 'error' : 'warning',
      text: head,
      place: placeOf(race[3] ?? ''),
      access: sideOf(race[2]),
      other: { ...placeOf(end[2] ?? ''), access: sideOf(end[1]) },
      details: [],
      count: number(end[3]),
    };
  }
  const [, level, plain = head] = /^(?:(Error|Warning|Info|Fatal): )?(.*)$/.exec(head) ?? [];
  const at = rest.find((l) => l.startsWith('at '));
  const details = rest.filter((l) => l !== at && !NOISE.test(l));
  return {
    // What an invalid access is invalid for stands below it.
    kind: kindOf([plain, ...details].find((l) => kindOf(l) === 'misaligned') ?? plain),
    severity: level === 'Warning' || level === 'Info' ? 'warning' : 'error',
    text: plain,
    ...(at ? { place: placeOf(at.slice(3)) } : {}),
    details,
    count: 1,
  };
}

const sameRecord = (a: SanitizerRecord, b: SanitizerRecord): boolean =>
  a.kind !== 'race' &&
  a.kind === b.kind &&
  a.severity === b.severity &&
  a.place !== undefined &&
  JSON.stringify(a.place) === JSON.stringify(b.place);

/** @param text all that one run of the tool printed, with the program's own output between or without it */
export function readSanitizer(text: string): SanitizerOutput {
  const output: SanitizerOutput = { state: 'incomplete', records: [], errors: 0, warnings: 0 };
  let summaries = 0;
  for (const group of groupsOf(text)) {
    const [head = ''] = group;
    if (/^COMPUTE-SANITIZER$/.test(head)) continue;
    if (DIED.test(head) || INTERNAL.test(head)) {
      output.reason ??= head;
      continue;
    }
    const summary = /^(ERROR|LEAK|RACECHECK) SUMMARY: (.*)$/.exec(head);
    if (!summary) {
      const record = recordOf(group);
      const known = output.records.find((r) => sameRecord(r, record));
      if (known) known.count++;
      else output.records.push(record);
      continue;
    }
    const [, which, counts = ''] = summary;
    if (which === 'LEAK') continue;
    summaries++;
    output.errors += number(/([\d,]+) errors?\b/.exec(counts)?.[1]);
    output.warnings += number(/([\d,]+) warnings?\b/.exec(counts)?.[1]);
  }
  if (!/^=========/m.test(text)) {
    const said = text.trim().split('\n')[0];
    return said ? { ...output, state: 'refused', reason: said } : { ...output, reason: 'it printed nothing' };
  }
  if (summaries === 0) return { ...output, reason: output.reason ?? 'it printed no summary' };
  if (output.errors + output.warnings + output.records.length > 0) return { ...output, state: 'found' };
  return output.reason === undefined ? { ...output, state: 'clean' } : output;
}
