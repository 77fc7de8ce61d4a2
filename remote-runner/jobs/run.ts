// Runs one job: a scratch folder, the evaluator, and exactly one last event whatever happens.
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { EvaluateContext, Evaluator } from '../evaluate/evaluator.js';
import type { JobEventBody } from '../protocol.js';
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

/**
 * Evaluates and returns the last event. Never rejects. The folder is gone, and by contract of the evaluator every process
 * of the job too, when it resolves.
 */
export async function runJob(
  job: Job,
  evaluator: Evaluator,
  context: Pick<EvaluateContext, 'stored'> & { scratch: string; publish: (body: JobEventBody) => void },
): Promise<JobEventBody> {
  const { signal } = job.controller;
  const cancelled: JobEventBody = { type: 'ended', reason: 'cancelled', message: 'The job was cancelled.' };
  let folder: string | undefined;
  let last: JobEventBody;
  try {
    const params = job.params;
    if (signal.aborted || !params) return cancelled;
    folder = await mkdtemp(path.join(context.scratch, 'job-'));
    const shared: EvaluateContext = {
      signal,
      stored: context.stored,
      folder,
      progress: (event) => {
        if (!signal.aborted) context.publish(event);
      },
    };
    last = checked(
      params.kind === 'evaluate'
        ? { type: 'verdict', verdict: await evaluator.evaluate(params, shared) }
        : { type: 'calibration', calibration: await evaluator.calibrate(params, shared) },
    );
  } catch (error) {
    last = failed(`The runner failed: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  return signal.aborted ? cancelled : last;
}
