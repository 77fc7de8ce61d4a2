// What a client may ask: each method with the schema of its parameters and what it does.
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import type { z } from 'zod';
import type { Delivery } from './delivery.js';
import type { FileStore, Receiver } from './jobs/files.js';
import { UploadError } from './jobs/files.js';
import type { Job } from './jobs/job.js';
import type { JobStore } from './jobs/store.js';
import type { InitializeResult } from './protocol.js';
import {
  ERRORS,
  METHODS,
  ackParams,
  attachParams,
  filesGetParams,
  filesNeedParams,
  filesPutParams,
  initializeParams,
  jobIdParams,
  submitParams,
} from './protocol.js';

export interface Client {
  /** Names the connection: clients take turns. */
  id: string;
  about: InitializeResult;
  holders?: () => Promise<ReadonlyMap<string, string>>;
  jobs: JobStore;
  files: FileStore;
  receiver: Receiver;
  delivery: Delivery;
}

type Handler = (params: unknown, client: Client) => unknown;

/** Validates, then handles; what is wrong is said with its place in the parameters. */
function method<T>(schema: z.ZodType<T>, handle: (params: T, client: Client) => unknown): Handler {
  return (params, client) => {
    const parsed = schema.safeParse(params);
    if (parsed.success) return handle(parsed.data, client);
    const issue = parsed.error.issues[0];
    const place = ['params', ...(issue?.path ?? [])].join('.').slice(0, 200);
    throw new ResponseError(ERRORS.badParams, `${place}: ${issue?.message ?? 'invalid'}`);
  };
}

function find(client: Client, id: string): Job {
  const job = client.jobs.find(id);
  if (!job) throw new ResponseError(ERRORS.unknownJob, `This runner knows no job ${id}: submit it again.`);
  return job;
}

const methods = new Map<string, Handler>([
  [METHODS.initialize, method(initializeParams, (_, client) => aboutNow(client))],
  [
    METHODS.filesNeed,
    method(filesNeedParams, async ({ sha256 }, client) => ({ sha256: await client.files.missing(sha256) })),
  ],
  [METHODS.filesPut, method(filesPutParams, async (chunk, client) => ({ received: await put(chunk, client) }))],
  [METHODS.filesGet, method(filesGetParams, get)],
  [METHODS.submit, method(submitParams, submit)],
  [
    METHODS.attach,
    method(attachParams, ({ job: id, after }, client) => {
      client.delivery.follow(find(client, id), after);
      return null;
    }),
  ],
  [
    METHODS.cancel,
    method(jobIdParams, ({ job }, client) => {
      find(client, job).controller.abort();
      return null;
    }),
  ],
  [
    METHODS.ack,
    method(ackParams, ({ job, seq }, client) => {
      find(client, job).ack(seq);
      return null;
    }),
  ],
]);

async function aboutNow({ about, holders }: Client): Promise<InitializeResult> {
  const held = await holders?.().catch(() => undefined);
  return { ...about, targets: about.targets.map((t) => ({ ...t, busy: held?.get(t.id) })) };
}

async function put(chunk: z.infer<typeof filesPutParams>, client: Client): Promise<number> {
  try {
    return await client.receiver.put(chunk);
  } catch (error) {
    if (error instanceof UploadError) throw new ResponseError(ERRORS.badParams, `Upload refused: ${error.message}.`);
    throw error;
  }
}

async function get({ sha256, offset }: z.infer<typeof filesGetParams>, { files }: Client): Promise<unknown> {
  const piece = await files.read(sha256, offset);
  if (!piece)
    throw new ResponseError(ERRORS.missingFiles, `This runner has no file ${sha256} any more: make it again.`);
  return { size: piece.size, data: piece.data.toString('base64') };
}

async function submit({ job: id, params }: z.infer<typeof submitParams>, client: Client): Promise<unknown> {
  const outcome = await client.jobs.submit(id, params, client.id);
  switch (outcome.kind) {
    case 'accepted':
      client.delivery.follow(outcome.job, 0);
      return { job: id, attached: outcome.attached };
    case 'conflict':
      throw new ResponseError(ERRORS.jobConflict, `Job ${id} exists with other content: choose a new id.`);
    case 'too many':
      throw new ResponseError(ERRORS.tooMany, `The runner takes no more jobs now: ${outcome.waiting} are waiting.`);
    case 'missing files':
      throw new ResponseError(ERRORS.missingFiles, `${outcome.sha256.length} files must be uploaded first.`, {
        sha256: outcome.sha256,
      });
    case 'wrong size':
      throw new ResponseError(ERRORS.badParams, `params.task.files: ${outcome.path} has another size than stated.`);
  }
}

/** Answers one request; rejects with ResponseError. */
export async function dispatch(name: string, params: unknown, client: Client): Promise<unknown> {
  const handler = methods.get(name);
  if (!handler) {
    throw new ResponseError(ErrorCodes.MethodNotFound, `There is no method ${JSON.stringify(name)}.`);
  }
  return handler(params, client);
}
