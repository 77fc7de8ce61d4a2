// The life of one session inside its process: begun or resumed on request, run to its end, stopped when asked.
import { sourcesSha256 } from '../../remote-runner/protocol.js';
import { randomInt } from 'node:crypto';
import { access, rm } from 'node:fs/promises';
import path from 'node:path';
import type { KernelParser } from '../kernel/parser.js';
import { readKernels } from '../kernel/reader.js';
import { anthropicModel } from '../model/anthropic.js';
import type { Model } from '../model/model.js';
import type { PreparedTask } from '../runner/prepare.js';
import { prepareTask } from '../runner/prepare.js';
import type { Connect } from '../runner/types.js';
import { isBelow } from '../runner/workspace.js';
import { tune } from '../search/tune.js';
import { askStrategy } from './ask/ask.js';
import type { TraceEvent } from './events.js';
import { History } from './history.js';
import { runLoop } from './loop.js';
import { FILES, isSessionId, makeSessionFolder, newSessionId, workspaceOf } from './place.js';
import type { ResumeParams, SessionPlace, SessionProgress, StartParams, StrategyName } from './protocol.js';
import { needsModel } from './protocol.js';
import { SessionRecord } from './record.js';
import { readSession } from './sessions.js';
import type { Strategy } from './strategy.js';
import { readableFiles, storedTask, storeTask } from './task-store.js';

export interface HostOptions {
  version: string;
  connect: Connect;
  /** Made on first use. */
  parser: () => Promise<KernelParser>;
  onEvent: (event: TraceEvent) => void;
  onProgress: (progress: SessionProgress) => void;
  log: (line: string) => void;
  /** Takes secrets out of everything that is written or told; they are made known to it before anything else happens. */
  redact: (text: string) => string;
}

/** What a session that is under way consists of. */
interface Begun {
  record: SessionRecord;
  history: History;
  prepared: PreparedTask;
  /** Absent for strategies that need none. */
  model: Model | undefined;
  params: Pick<StartParams, 'target' | 'runner'>;
}

export class SessionHost {
  private readonly stopping = new AbortController();
  private taken = false;
  private running: Promise<void> | undefined;

  constructor(private readonly options: HostOptions) {}

  /** Begins a session; it runs on after this resolves. `done` of the result ends with it. */
  async start(params: StartParams): Promise<SessionPlace> {
    this.take();
    const workspace = workspaceOf(params.task);
    const { parser } = this.options;
    const { overlay } = params;
    const prepared = await prepareTask(params.task, { root: workspace, parser, ...(overlay && { overlay }) });
    const { key, baseUrl } = params.model;
    const strategy = params.strategy ?? (key === undefined ? 'tune' : 'ask');
    const model = needsModel(strategy) ? modelOf(key, baseUrl, params.model.name) : undefined;
    const session = newSessionId();
    const folder = await makeSessionFolder(workspace, session);
    try {
      await this.begin({ session, folder, workspace, prepared, model, strategy, params });
    } catch (error) {
      // Nothing has happened in it yet: an empty session would only puzzle.
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return { session, folder };
  }

  /** Goes on with a session from its trace. */
  async resume(params: ResumeParams): Promise<SessionPlace> {
    this.take();
    const folder = path.resolve(params.session);
    const session = path.basename(folder);
    if (!isSessionId(session)) throw new Error(`${folder} is not the folder of a session`);
    await access(path.join(folder, FILES.trace)).catch(() => {
      throw new Error(`there is no session in ${folder}`);
    });
    const listing = await readSession(folder);
    if ('error' in listing) throw new Error(`session ${session}: ${listing.error}`);
    const { state } = listing;
    const workspace = path.resolve(folder, '../../..');
    const taskFile = path.resolve(workspace, state.task);
    if (!isBelow(workspace, taskFile)) throw new Error(`session ${session}: its task lies outside ${workspace}`);
    const now = await prepareTask(taskFile, { root: workspace, parser: this.options.parser });
    const prepared = { ...now, wire: await storedTask(folder, now) };
    const { key, baseUrl, name } = params.model;
    const model = needsModel(state.strategy) ? modelOf(key, baseUrl, name ?? state.model) : undefined;
    const history = await History.open(folder);
    const record = await SessionRecord.reopen(folder, params.budget, this.options);
    this.run({ record, history, prepared, model, params });
    return { session, folder };
  }

  /** Asks the session to end; resolves once its best so far is in the trace. Rejects when the session broke. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('stopped'));
    await this.running;
  }

  /** Resolves when the session begun here has ended; rejects when it broke. Undefined before one has begun. */
  get done(): Promise<void> | undefined {
    return this.running;
  }

  private async begin(
    of: Omit<Begun, 'record' | 'history' | 'params'> &
      SessionPlace & { workspace: string; strategy: StrategyName; params: StartParams },
  ): Promise<void> {
    const { session, folder, workspace, prepared, model, strategy, params } = of;
    const history = await History.open(folder);
    await history.commit('original', prepared.wire.original, [], 'The original');
    await storeTask(folder, prepared.wire);
    const record = await SessionRecord.create(
      folder,
      {
        type: 'started',
        session,
        task: path.relative(workspace, path.resolve(params.task)).split(path.sep).join('/'),
        strategy,
        seed: params.seed ?? randomInt(2 ** 31),
        budget: params.budget,
        ...(model && { model: model.name, endpoint: model.endpoint }),
        originalSha256: sourcesSha256(prepared.wire.original),
        version: this.options.version,
      },
      this.options,
    );
    this.run({ record, history, prepared, model, params });
  }

  private take(): void {
    if (this.taken) throw new Error('this process has its session already; start another process for another one');
    this.taken = true;
  }

  private run(of: Begun): void {
    const { record, history, prepared, params } = of;
    const { connect, log, parser, onProgress } = this.options;
    this.running = runLoop({
      record,
      history,
      task: prepared.task,
      wire: prepared.wire,
      files: prepared.files,
      connect: (signal) => connect(params.runner, { signal, log }),
      target: params.target,
      strategy: this.strategyOf(of),
      readKernels: async (text) => readKernels(await parser(), text),
      onProgress,
      stop: this.stopping.signal,
    }).finally(() => record.close());
    // Reported through `done` by whoever owns this host.
    this.running.catch(() => undefined);
  }

  private strategyOf(of: Begun): Strategy {
    if (!of.model) return tune;
    const { task, wire, files } = of.prepared;
    const readOnly = readableFiles(task, wire, files);
    const onProgress = (detail: string): void => this.options.onProgress({ phase: 'model', detail });
    const kind = of.record.state.strategy === 'equipped' ? 'equipped' : 'ask';
    return askStrategy({ kind, model: of.model, task, record: of.record, readOnly, onProgress });
  }
}

/** Servers on one's own machine often want no key; Anthropic's always does. */
function modelOf(key: string | undefined, baseUrl: string | undefined, name: string | undefined): Model {
  if (key === undefined && baseUrl === undefined) {
    throw new Error('this strategy needs a model: set a key, or the base URL of a server that needs none');
  }
  return anthropicModel({
    key: key ?? 'none',
    ...(baseUrl !== undefined && { baseUrl }),
    ...(name !== undefined && { name }),
  });
}
