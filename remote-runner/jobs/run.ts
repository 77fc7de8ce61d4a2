// Runs one job: a scratch folder, the evaluator, and exactly one last event whatever happens.
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { EvaluateContext, Evaluator } from '../evaluate/evaluator.js';
import { StartedBy } from '../processes.js';
import type { JobEventBody, JobParams } from '../protocol.js';
import { LIMITS, jobEventBody } from '../protocol.js';
import type { Job } from './job.js';

/** Room for the JSON-RPC envelope around an event. */
const ENVELOPE = 1024;

const failed = (message: string): JobEventBody => ({ type: 'ended', reason: 'infrastructure', message });

/** The result as an event, held to what the wire allows: a client must never be sent what it has to reject. */
function checked(body: JobEventBody): JobEventBody {
  const parsed = jobEventBody.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return failed(
      `The runner made a result that its protocol does not allow: ${issue?.path.join('.')}: ${issue?.message}.`,
    );
  }
  const bytes = Buffer.byteLength(JSON.stringify(parsed.data));
  if (bytes + ENVELOPE > LIMITS.message)
    return failed(`The result has ${bytes} bytes, more than one message may hold.`);
  return parsed.data;
}

async function resultOf(params: JobParams, evaluator: Evaluator, context: EvaluateContext): Promise<JobEventBody> {
  switch (params.kind) {
    case 'evaluate':
      return { type: 'verdict', verdict: await evaluator.evaluate(params, context) };
    case 'calibrate':
      return { type: 'calibration', calibration: await evaluator.calibrate(params, context) };
    case 'profile':
      return { type: 'profile', profile: await evaluator.profile(params, context) };
  }
}

/** The job was cancelled, and the evaluator did not stop. */
class Stuck extends Error {}

/** As `work` ends, or with Stuck: `graceMs` after an abort its processes are killed, and after as long again it is left alone. */
async function stopping(
  work: () => Promise<JobEventBody>,
  signal: AbortSignal,
  graceMs: number,
): Promise<JobEventBody> {
  const started = new StartedBy();
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const stuck = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => {
        started.kill();
        timer = setTimeout(() => reject(new Stuck()), graceMs);
      }, graceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([started.run(work), stuck]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

export interface RunContext extends Pick<EvaluateContext, 'stored' | 'keep' | 'scratch'> {
  /** Milliseconds that an evaluator has to stop by itself. */
  graceMs: number;
  publish: (body: JobEventBody) => void;
}

/**
 * Evaluates and returns the last event. Never rejects. The folder is gone, and by contract of the evaluator every process
 * of the job too, when it resolves.
 */
export async function runJob(job: Job, evaluator: Evaluator, context: RunContext): Promise<JobEventBody> {
  const { signal } = job.controller;
  const cancelled: JobEventBody = { type: 'ended', reason: 'cancelled', message: 'The job was cancelled.' };
  // What the evaluator began and did not wait for ends with the job.
  const over = new AbortController();
  let folder: string | undefined;
  let last: JobEventBody;
  try {
    const params = job.params;
    if (signal.aborted || !params) return cancelled;
    const shared: EvaluateContext = {
      signal: AbortSignal.any([signal, over.signal]),
      stored: context.stored,
      keep: context.keep,
      scratch: context.scratch,
      folder: (folder = await mkdtemp(path.join(context.scratch, 'job-'))),
      progress: (event) => {
        if (!signal.aborted) context.publish(event);
      },
    };
    last = await stopping(() => resultOf(params, evaluator, shared), signal, context.graceMs);
    last = signal.aborted ? cancelled : checked(last);
  } catch (error) {
    if (error instanceof Stuck) {
      last = failed('The job was cancelled but did not stop: its processes were killed, and what it did is not known.');
    } else if (signal.aborted) last = cancelled;
    else last = failed(`The runner failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  over.abort(new Error('the job has ended'));
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  return last;
}
