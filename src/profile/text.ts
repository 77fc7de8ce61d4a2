// A profile in a few hundred tokens, for an agent or a terminal: class and evidence, the lines, the counters that matter, and
// what was not measured.
import type { Profile, ProfiledLaunch } from '../../remote-runner/protocol.js';
import { bottleneckOf, round } from './bottleneck.js';
import { hotLines } from './hot-lines.js';
import { type KeyFigures, keyFigures, UNITS } from './key-figures.js';

export interface TextOptions {
  /** Lines of source by file, to show beside their numbers. */
  source?: (file: string, line: number) => string | undefined;
  /** Characters at most; about four are a token. */
  limit?: number;
}

const LIMIT = 2200;
const HOT = 5;
const RULES = 2;

/** One fact a line. */
export function profileText(profile: Profile, options: TextOptions = {}): string {
  const lines = [
    ...(profile.trouble ? [`no counters: ${profile.trouble.message}`] : []),
    ...missing(profile),
    ...profile.launches.flatMap((launch) => launchLines(launch, options)),
    ...(profile.launches.length === 0 ? profile.resources.map(resourceLine) : []),
  ];
  return cut(lines, options.limit ?? LIMIT);
}

function launchLines(launch: ProfiledLaunch, { source }: TextOptions): string[] {
  const figures = keyFigures(launch);
  const bottleneck = bottleneckOf(figures);
  const grid = launch.grid && launch.block ? ` <<<${shape(launch.grid)}, ${shape(launch.block)}>>>` : '';
  const hot = hotLines(launch, HOT).map(({ line, share, reasons }) => {
    const text = source?.(line.file, line.line)?.trim().slice(0, 80);
    const why = reasons.map((r) => `${r.reason} ${r.samples}`).join(', ');
    return `  ${line.file}:${line.line} ${round(share * 100)} % of waiting (${why})${extras(line)}${text ? `: ${text}` : ''}`;
  });
  const rules = launch.rules
    .filter((r) => r.type === 'OPT' && r.speedup)
    .sort((a, b) => b.speedup!.percent - a.speedup!.percent)
    .slice(0, RULES)
    .map((r) => `  ${r.name} (estimated ${round(r.speedup!.percent)} % ${r.speedup!.scope}): ${firstSentence(r.text)}`);
  return [
    `${launch.kernel.base}${grid}: ${bottleneck.class}: ${bottleneck.evidence}`,
    `  ${counters(figures).join('; ')}`,
    ...(hot.length > 0 ? ['  lines where warps wait and nothing is issued:', ...hot.map((h) => `  ${h}`)] : []),
    ...(rules.length > 0 ? ["  the profiler's rules:", ...rules.map((r) => `  ${r}`)] : []),
  ];
}

function counters(f: KeyFigures): string[] {
  const { occupancy } = f;
  const units = UNITS.flatMap((unit) =>
    f.throughput[unit] === undefined ? [] : [`${unit} ${round(f.throughput[unit])} %`],
  );
  const by = occupancy.limiters.length > 0 ? ` by ${occupancy.limiters.join(' and ')}` : '';
  return [
    ...(f.seconds === undefined ? [] : [`${round(f.seconds * 1e6)} µs under the profiler`]),
    `speed of light: ${units.join(', ')}`,
    ...(f.issue === undefined ? [] : [`schedulers issue in ${round(f.issue)} % of cycles`]),
    ...(occupancy.achieved === undefined
      ? []
      : [`occupancy ${round(occupancy.achieved)} % of ${round(occupancy.theoretical ?? 100)} %, limited${by}`]),
    ...(f.waves === undefined ? [] : [`${round(f.waves)} waves`]),
    ...(f.registers === undefined ? [] : [`${f.registers} registers`]),
    ...(f.spills ? [`${f.spills} instructions move spilled registers`] : []),
    ...(f.dramBytes === undefined ? [] : [`${round(f.dramBytes / 1e6)} MB to and from device memory`]),
  ];
}

function extras({ globalSectors, sharedWavefronts }: ProfiledLaunch['lines'][number]): string {
  const over = (what: string, pair: { actual: number; ideal: number } | undefined): string =>
    pair && pair.actual > pair.ideal ? `, ${round(pair.actual / Math.max(1, pair.ideal))}× the ${what} needed` : '';
  return over('global sectors', globalSectors) + over('shared wavefronts', sharedWavefronts);
}

function resourceLine(r: Profile['resources'][number]): string {
  const spills = (r.spillStoreBytes ?? 0) + (r.spillLoadBytes ?? 0);
  return `${r.name} (${r.arch}): ${r.registers} registers, ${r.sharedBytes ?? 0} B shared memory, ${spills} B spilled`;
}

function missing({ launches, missingMetrics, set }: Profile): string[] {
  const unmeasured = launches.some((l) => l.lines.length === 0) ? ['counters by line'] : [];
  if (launches.length > 0 && keyFigures(launches[0]!).stalls.length === 0) unmeasured.push('stalls');
  if (missingMetrics.length > 0) unmeasured.push(`${missingMetrics.length} metrics that this chip does not give`);
  return unmeasured.length > 0 ? [`not measured (set ${set}): ${unmeasured.join(', ')}`] : [];
}

const shape = (of: readonly number[]): string => (of[1] === 1 && of[2] === 1 ? String(of[0]) : of.join('×'));
const firstSentence = (text: string): string =>
  /^.*?[.:](?= [A-Z]|$)/s.exec(text)?.[0].slice(0, 240) ?? text.slice(0, 240);

function cut(lines: string[], limit: number): string {
  let length = 0;
  const kept = lines.filter((line) => (length += line.length + 1) <= limit);
  return kept.length < lines.length
    ? [...kept, `(${lines.length - kept.length} lines left out)`].join('\n')
    : lines.join('\n');
}
