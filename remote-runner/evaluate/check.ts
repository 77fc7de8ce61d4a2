// Correctness of one scenario: does the candidate agree with what is expected, twice, inside its buffers?
import { TaskError } from '../../src/task/types.js';
import type { Finding, OutputReport, Status } from '../protocol.js';
import type { Comparison } from './comparison.js';
import { doubtAbout, doubtsAboutInputs, doubtsAboutTolerance } from './doubts.js';
import { keepExpected } from './expected.js';
import type { Layout } from './layout.js';
import { firstMismatch, integrity, reports } from './reports.js';
import type { Rig, Side } from './rig.js';
import { onSide } from './side.js';
import { judge, measureSpread, type Spread } from './spread.js';
import type { Sample } from './worker.js';

export interface Checked {
  status: Status;
  message?: string;
  outputs: OutputReport[];
  findings: Finding[];
  warnings: string[];
  spread: Spread;
  /** Longest a candidate's call may take, and the original's, milliseconds. */
  limitMs: number;
  originalLimitMs: number;
  cold: boolean;
  isOriginal: boolean;
  /** Wall milliseconds of one pair with everything around it, to plan samples with. */
  pairMs: number;
  /** Original's time over the candidate's, of calls that are no samples. */
  roughSpeedup?: number;
}

export interface CheckOptions {
  /** Time limit of the original. */
  originalLimitMs: number;
  /** The candidate is the original itself. */
  isOriginal: boolean;
  cold: boolean;
  /** Bitwise the same output is demanded in every run. */
  reproducible?: boolean;
  /** Look also at whether the task's outputs depend on its inputs. */
  doubtTask?: boolean;
  /** What costs a call or two is done where they cost least. */
  isSmallest?: boolean;
}

/** Runs on the same inputs that must give the same bits where the task demands it, and where it does not. */
const [DEMANDED_RUNS, RUNS] = [5, 2];

/** Runs original and candidate on one scenario and compares. Expects the rig to have entered the scenario. */
export function checkScenario(rig: Rig, layout: Layout, options: CheckOptions): Promise<Checked> {
  return new ScenarioCheck(rig, layout, options).run();
}

/**
 * Whether a mismatch is the candidate's own. Before one is called wrong the original is run again on the very same inputs: its
 * results may move with some inputs and not with others. Expects them to lie in the segment still.
 */
export async function settle(
  rig: Rig,
  comparison: Comparison,
  { spread, originalLimitMs, cold }: Pick<Checked, 'spread' | 'originalLimitMs' | 'cold'>,
): Promise<'correct' | 'wrong' | 'inconclusive'> {
  const judged = judge(comparison, spread);
  // What a reference says stands, however much the original moves.
  if (judged !== 'wrong' || rig.sides.includes('reference')) return judged;
  return judge(comparison, await measureSpread(rig, originalLimitMs, cold));
}

class ScenarioCheck {
  private readonly started = performance.now();
  private readonly warnings: string[] = [];
  private readonly where: string;
  private spread: Spread = new Map();
  private limitMs = 0;
  private pairMs = 0;
  private roughSpeedup: number | undefined;

  constructor(
    private readonly rig: Rig,
    private readonly layout: Layout,
    private readonly options: CheckOptions,
  ) {
    this.where = `scenario ${layout.scenario.id}`;
  }

  private done(status: Status, message: string | undefined, comparison: Comparison, findings: Finding[] = []): Checked {
    const { warnings, spread, limitMs, pairMs, roughSpeedup } = this;
    const { originalLimitMs, cold, isOriginal } = this.options;
    return {
      ...{ status, message, outputs: reports(this.layout, comparison), findings, warnings },
      ...{ spread, limitMs, originalLimitMs, cold, isOriginal, pairMs, roughSpeedup },
    };
  }

  private settle(comparison: Comparison): Promise<'correct' | 'wrong' | 'inconclusive'> {
    return settle(this.rig, comparison, { ...this.options, spread: this.spread });
  }

  private sample(side: Side, inputs = false): Promise<Sample> {
    const limit = side === 'candidate' ? this.limitMs : this.options.originalLimitMs;
    return onSide(side, this.rig.sample(side, limit, this.options.cold, inputs));
  }

  async run(): Promise<Checked> {
    const { rig, layout, options, where, warnings } = this;
    const originalBits = await this.runOriginal();
    const nextPair = performance.now();
    const { unjoined } = await this.sample('candidate', true);
    const comparison = await rig.compare('candidate', true);
    this.pairMs = (performance.now() - nextPair) * 2;

    for (const described of await rig.keeper.describe()) {
      const doubt = doubtAbout(layout, described);
      if (!doubt) continue;
      if (doubt.refuses && !options.isOriginal) return this.done('task_error', doubt.message, comparison);
      warnings.push(doubt.message);
    }
    for (const name of await rig.contentWithPoison()) {
      const doubt = `${where}: the checker of ${name} accepts random bits in its place: it checks nothing`;
      if (!options.isOriginal) return this.done('task_error', doubt, comparison);
      warnings.push(doubt);
    }
    const findings = integrity(layout, comparison);
    const [finding] = findings;
    if (finding) {
      const own = options.isOriginal ? '; it is the original itself: is a shape of the task too small?' : '';
      return this.done('finding', finding.message + own, comparison, findings);
    }
    if (unjoined) {
      const message = `${where}: work was left on another stream that nothing joins to the entry’s: beside a GPU it may still be going on when results are read`;
      if (!options.isOriginal) return this.done('finding', message, comparison, [{ code: 'unjoined_work', message }]);
      warnings.push(`${message}. It is the original itself.`);
    }
    const judged = await this.settle(comparison);
    const mismatch = firstMismatch(reports(layout, comparison));
    if (judged === 'wrong' && rig.sides.includes('reference'))
      return this.done('wrong', `${where}: by the reference, ${mismatch}`, comparison);
    if (judged === 'wrong' && options.isOriginal)
      warnings.push(`${where}: two processes of the original disagree: ${mismatch}. Loosen the tolerance.`);
    if (judged === 'wrong' && !options.isOriginal) return this.done('wrong', `${where}: ${mismatch}`, comparison);
    if (judged === 'inconclusive' && !options.isOriginal)
      return this.done(
        'inconclusive',
        `${where}: differs from the original by no more than the original from itself: ${mismatch}`,
        comparison,
      );
    const failed = await this.repeat(originalBits);
    if (failed) return failed;
    const original = { limitMs: options.originalLimitMs, cold: options.cold };
    for (const doubt of await doubtsAboutTolerance(rig, layout, original)) {
      if (!options.isOriginal) return this.done('task_error', doubt, comparison);
      warnings.push(doubt);
    }
    const ignoring = options.isSmallest && !options.isOriginal ? await this.withOtherThanOnes() : undefined;
    if (ignoring) return ignoring;
    if (options.doubtTask && options.isOriginal) warnings.push(...(await doubtsAboutInputs(rig, layout, original)));
    return this.done('correct', undefined, comparison);
  }

  /**
   * What is expected, and how the original keeps to it.
   * @returns its results bit by bit where two runs gave the same, else nothing
   */
  private async runOriginal(): Promise<Map<number, string> | undefined> {
    const { rig, layout, options, where, warnings } = this;
    await rig.keeper.draw(0);
    const first = await this.sample('baseline', true);
    this.limitMs = Math.max(2000, 20 * first.host);
    await keepExpected(rig, options.originalLimitMs);
    const own = await rig.compare('baseline', true);
    const refused = own.outputs.find((o) => o.message !== undefined);
    if (refused && !rig.sides.includes('reference'))
      throw new TaskError(
        '$.arguments',
        `${where}: the checker refuses what the original itself gives: ${firstMismatch(reports(layout, own))}`,
      );
    if (!options.isOriginal) {
      for (const f of integrity(layout, own)) warnings.push(`of the original itself: ${f.message}`);
      if (rig.sides.includes('reference') && judge(own, new Map()) === 'wrong')
        warnings.push(
          `${where}: the original itself is wrong by the reference: ${firstMismatch(reports(layout, own))}`,
        );
    }
    const bits = await rig.fingerprints('baseline');
    const second = await this.sample('baseline');
    this.roughSpeedup = second.event;
    const again = await rig.compare('baseline');
    const same = sameBits(bits, await rig.fingerprints('baseline'));
    if (rig.sides.includes('reference') || !again.outputs.some((o) => o.mismatches > 0)) return same ? bits : undefined;
    this.spread = await measureSpread(rig, options.originalLimitMs, options.cold);
    for (const { region, elements } of again.outputs) {
      const moved = this.spread.get(region);
      if (!moved || moved.mismatches === 0) continue;
      warnings.push(
        `${where}: the original does not reproduce ${layout.regions[region]!.argument.name} within its tolerance: ${moved.mismatches} of ` +
          `${elements} elements moved, at most by ${moved.maxAbs.toPrecision(3)}. Loosen the tolerance to at least that.`,
      );
    }
    return undefined;
  }

  /** The same inputs once more: a result that comes and goes is no result. */
  private async repeat(originalBits: Map<number, string> | undefined): Promise<Checked | undefined> {
    const { rig, layout, options, where, warnings } = this;
    const { isOriginal, reproducible = false } = options;
    const bits = await rig.fingerprints('candidate');
    const moved = new Set<string>();
    for (let run = 2; run <= (reproducible ? DEMANDED_RUNS : RUNS); run++) {
      const sample = await this.sample('candidate');
      if (run === 2 && this.roughSpeedup !== undefined) this.roughSpeedup /= sample.event;
      const again = await rig.compare('candidate');
      const [damage] = integrity(layout, again);
      if (damage) return this.done('finding', damage.message, again, [damage]);
      const judged = await this.settle(again);
      if (judged !== 'correct' && !isOriginal) {
        const status = judged === 'wrong' ? 'nondeterministic' : 'inconclusive';
        const mismatch = firstMismatch(reports(layout, again));
        return this.done(status, `${where}: right once, then on the same inputs ${mismatch}`, again);
      }
      for (const [region, now] of await rig.fingerprints('candidate'))
        if (now !== bits.get(region)) moved.add(layout.regions[region]!.argument.name);
      const names = [...moved].join(', ');
      if (moved.size === 0) continue;
      if (reproducible && !isOriginal)
        return this.done(
          'nondeterministic',
          `${where}: the task demands bitwise the same output in every run, and ${names} differs between two runs on the same inputs`,
          again,
        );
      if (reproducible)
        warnings.push(
          `${where}: the task demands bitwise the same output in every run, but the original's ${names} differs`,
        );
      else if (!isOriginal && originalBits)
        warnings.push(`${where}: ${names} is no longer bitwise the same in every run, as it is with the original`);
      break;
    }
    this.pairMs = Math.max(this.pairMs, (performance.now() - this.started) / 3);
    return undefined;
  }

  /**
   * Inputs that are ones everywhere are also drawn as ones and twos: else who leaves them out would not be noticed. The original
   * says what is right then; where it has no finite answer, nobody is asked.
   */
  private async withOtherThanOnes(): Promise<Checked | undefined> {
    const { rig, layout, options, where } = this;
    const names = layout.regions
      .map(({ argument: a }) => a)
      .filter((a) => a.role === 'input' && a.fill.kind === 'ones' && (a.dtype === 'float' || a.dtype === 'double'))
      .map((a) => a.name);
    if (names.length === 0) return undefined;
    await rig.keeper.draw(0);
    await rig.keeper.varyOnes(1);
    await this.sample('baseline');
    await keepExpected(rig, options.originalLimitMs);
    if ((await rig.keeper.describe()).some((d) => d.nans > 0 || d.infinities > 0)) return undefined;
    await this.sample('candidate');
    const comparison = await rig.compare('candidate');
    if ((await this.settle(comparison)) !== 'wrong') return undefined;
    const mismatch = firstMismatch(reports(layout, comparison));
    return this.done('wrong', `${where}: with ones and twos in ${names.join(', ')}, ${mismatch}`, comparison);
  }
}

const sameBits = (a: Map<number, string>, b: Map<number, string>): boolean =>
  [...a].every(([region, bits]) => b.get(region) === bits);
