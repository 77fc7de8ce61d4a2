// Measures how far the original's results move by themselves and under one-ulp changes of its inputs, for `init`.
import { randomBytes } from 'node:crypto';
import { durationMs } from '../../src/task/schema.js';
import { TaskError } from '../../src/task/types.js';
import { LIMITS, type CalibrateParams, type Calibration, type Status, type WireNumber } from '../protocol.js';
import type { Comparison } from './comparison.js';
import type { EvaluateTools } from './evaluate.js';
import type { EvaluateContext } from './evaluator.js';
import { type Job, prepareJob } from './job.js';
import { integrity } from './reports.js';
import { Rig, type Side } from './rig.js';
import { onSide, SideFailure } from './side.js';

/** Runs per scenario for each of the two spreads. */
const repeats = 3;

const wire = (n: number): WireNumber => (Number.isFinite(n) ? n : Number.isNaN(n) ? 'nan' : n > 0 ? 'inf' : '-inf');

export async function calibrate(
  params: CalibrateParams,
  context: EvaluateContext,
  { toolchain, programs, builds }: EvaluateTools,
): Promise<Calibration> {
  const result: Calibration = {
    status: 'correct',
    message: '',
    target: toolchain.info,
    emulated: toolchain.emulated,
    diagnostics: [],
    outputs: [],
  };
  const end = (status: Status, message: string): Calibration => ({ ...result, status, message });
  let job: Job;
  try {
    job = prepareJob(params.task, false, context.stored);
  } catch (error) {
    if (error instanceof TaskError) return end('task_error', error.message);
    throw error;
  }
  const rig = new Rig(programs, toolchain, ['baseline', 'candidate'], job.segmentBytes, context.signal);
  try {
    context.progress({ type: 'phase', phase: 'build', detail: `compiling with ${toolchain.info.compiler}` });
    const built = await builds.build(toolchain, job.inputs(params.task.original), context);
    if (built.status === 'unsupported') {
      const { construct, file, line, cudaWouldDo } = built;
      return { ...end('unsupported', built.message), unsupported: { construct, file, line, cudaWouldDo } };
    }
    result.diagnostics = built.diagnostics.slice(0, LIMITS.diagnostics);
    if (built.status !== 'built') return end(built.status, built.message);
    await rig.open({ baseline: { file: built.library }, candidate: { file: built.library } }, job.calls.groups, onSide);
    for (const [i, layout] of job.layouts.entries()) {
      const { scenario, regions } = layout;
      context.progress({
        type: 'phase',
        phase: 'check',
        detail: `measuring ${scenario.id}`,
        done: i,
        total: job.layouts.length,
      });
      await rig.enter(layout, job.calls.groupOf.get(scenario.id)!, randomBytes(16).toString('hex'), onSide);
      const run = async (side: Side, inputs = false): Promise<void> => {
        await onSide(side, rig.sample(side, durationMs(job.task.timeout), false, inputs));
      };
      await rig.keeper.draw(0);
      await run('baseline', true);
      await rig.keep('baseline');
      const [damage] = integrity(layout, await rig.compare('baseline', true));
      // Shapes that are too small look like an original that writes out of bounds: no tolerance is measured on that.
      if (damage) return end('finding', damage.message);
      const repeated: Comparison[] = [];
      const nudged: Comparison[] = [];
      for (let r = 0; r < repeats; r++) {
        await run('candidate');
        repeated.push(await rig.compare('candidate'));
      }
      for (let r = 1; r <= repeats; r++) {
        // Same inputs, moved by up to one unit in the last place.
        await rig.keeper.draw(0);
        await rig.keeper.nudge(r);
        await run('candidate');
        nudged.push(await rig.compare('candidate'));
      }
      const largest = (all: Comparison[], region: number, key: 'maxAbs' | 'maxRel'): WireNumber =>
        wire(Math.max(...all.flatMap((c) => c.outputs.filter((o) => o.region === region).map((o) => o[key]))));
      for (const described of await rig.keeper.describe()) {
        const { region } = described;
        const { name, dtype, compare } = regions[region]!.argument;
        // What a program of the task's own decides has no tolerance.
        if (typeof compare === 'object') continue;
        result.outputs.push({
          name,
          scenario: scenario.id,
          dtype,
          maxAbs: wire(described.maxAbs),
          medianAbs: wire(described.medianAbs),
          repeatAbs: largest(repeated, region, 'maxAbs'),
          repeatRel: largest(repeated, region, 'maxRel'),
          ulpAbs: largest(nudged, region, 'maxAbs'),
          ulpRel: largest(nudged, region, 'maxRel'),
        });
      }
    }
    return end('correct', `measured ${job.layouts.length} scenarios`);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof SideFailure) return end(error.failure.status, error.failure.message);
    throw error;
  } finally {
    await rig.dispose();
  }
}
