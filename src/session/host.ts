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
import { creditOf, talliesOf } from '../questions/credit.js';
import { loadCredit, saveCredit } from '../questions/credit-store.js';
import { classifyEdit } from '../questions/levels.js';
import { unmuted } from '../questions/repertoire.js';
import { loadRepertoire, setMuted } from '../questions/workspace.js';
import { askStrategy } from './ask/ask.js';
import type { OpenQuestion } from './asking/asker.js';
import { Seat } from './asking/seat.js';
import { questionSource } from './asking/source.js';
import type { TraceEvent } from './events.js';
import { feedbackStrategy } from './feedback/feedback.js';
import { History } from './history.js';
import { leavesOf, type Leaves } from './leaves.js';
import { runLoop } from './loop.js';
import { FILES, isSessionId, makeSessionFolder, newSessionId, workspaceOf } from './place.js';
import type { ResumeParams, SessionPlace, SessionProgress, StartParams, StrategyName } from './protocol.js';
import { needsModel } from './protocol.js';
import { SessionRecord } from './record.js';
import { requirePrice } from './spending.js';
import { readSession } from './sessions.js';
import type { Strategy } from './strategy.js';
import { storedTask, storeTask } from './task-store.js';

export interface HostOptions {
  version: string;
  connect: Connect;
  /** Made on first use. */
  parser: () => Promise<KernelParser>;
  onEvent: (event: TraceEvent) => void;
  onProgress: (progress: SessionProgress) => void;
  onQuestion: (question: OpenQuestion | undefined) => void;
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
  /** What it may be sent; absent without a model. */
  leaves: Leaves | undefined;
  params: Pick<StartParams, 'target' | 'runner'>;
  workspace: string;
}

export class SessionHost {
  private readonly stopping = new AbortController();
  private taken = false;
  private running: Promise<void> | undefined;
  private seated: Seat | undefined;

  constructor(private readonly options: HostOptions) {}

  /** Begins a session; it runs on after this resolves. `done` of the result ends with it. */
  async start(params: StartParams): Promise<SessionPlace> {
    this.take(params);
    const workspace = workspaceOf(params.task);
    const { parser } = this.options;
    const { overlay } = params;
    const prepared = await prepareTask(params.task, { root: workspace, parser, ...(overlay && { overlay }) });
    const { key, baseUrl } = params.model;
    const strategy = params.strategy ?? (key === undefined ? 'tune' : 'ask');
    const model = needsModel(strategy) ? modelOf(key, baseUrl, params.model.name) : undefined;
    if (model) requirePrice(model.name, params.budget);
    const leaves = model && (await leavesOf(workspace, prepared, params.deny));
    const session = newSessionId();
    const folder = await makeSessionFolder(workspace, session);
    try {
      await this.begin({ session, folder, workspace, prepared, model, leaves, strategy, params });
    } catch (error) {
      // Nothing has happened in it yet: an empty session would only puzzle.
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return { session, folder };
  }

  /** Goes on with a session from its trace. */
  async resume(params: ResumeParams): Promise<SessionPlace> {
    this.take(params);
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
    if (model) requirePrice(model.name, params.budget ?? state.budget);
    const leaves = model && (await leavesOf(workspace, prepared, params.deny));
    const history = await History.open(folder);
    const record = await SessionRecord.reopen(folder, params.budget, this.options);
    this.run({ record, history, prepared, model, leaves, params, workspace });
    return { session, folder };
  }

  /**
   * The seat beside the agent of the session that was begun here.
   * @throws Error before that
   */
  get seat(): Seat {
    if (!this.seated) throw new Error('no session was begun here yet');
    return this.seated;
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
    const { session, folder, workspace, prepared, model, leaves, strategy, params } = of;
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
    this.run({ record, history, prepared, model, leaves, params, workspace });
  }

  private take({ ask = 'both' }: Pick<StartParams, 'ask'>): void {
    if (this.taken) throw new Error('this process has its session already; start another process for another one');
    this.taken = true;
    this.seated = new Seat({ mode: ask, onQuestion: this.options.onQuestion });
  }

  private run(of: Begun): void {
    const { record } = of;
    this.running = this.strategyOf(of)
      .then((strategy) => this.loop(of, strategy))
      .then(() => this.keepCredit(of))
      .finally(() => record.close());
    // Reported through `done` by whoever owns this host.
    this.running.catch(() => undefined);
  }

  private loop({ record, history, prepared, params }: Begun, strategy: Strategy): Promise<void> {
    const { connect, log, parser, onProgress } = this.options;
    return runLoop({
      record,
      history,
      task: prepared.task,
      wire: prepared.wire,
      files: prepared.files,
      connect: (signal) => connect(params.runner, { signal, log }),
      target: params.target,
      strategy,
      readKernels: async (text) => readKernels(await parser(), text),
      levelsOf: async (before, after) => classifyEdit(await parser(), before, after).map((change) => change.level),
      onProgress,
      stop: this.stopping.signal,
    });
  }

  /** What this session has to say about its questions, for later ones on the same device. */
  private async keepCredit({ record: { state }, workspace }: Begun): Promise<void> {
    const observations = creditOf(state);
    const device = state.baseline?.target?.id;
    if (observations.length === 0 || device === undefined) return;
    await saveCredit(workspace, state.session, device, observations).catch((error: unknown) => {
      this.options.log(`the credit of questions could not be kept: ${String(error)}`);
    });
  }

  private async strategyOf({ model, leaves, record, workspace, prepared: { task } }: Begun): Promise<Strategy> {
    if (!model || !leaves) return tune;
    const { files, withheld, readable } = leaves;
    await record.append({ type: 'leaves', endpoint: model.endpoint, files, withheld });
    const { questions, problems } = await loadRepertoire(workspace);
    for (const problem of problems) await record.trouble('session', problem);
    const source = questionSource(unmuted({ questions, problems }), task, (id) => setMuted(workspace, id, true));
    const onProgress = (detail: string): void => this.options.onProgress({ phase: 'model', detail });
    if (record.state.strategy === 'feedback') {
      return feedbackStrategy({ model, task, record, readOnly: readable, onProgress });
    }
    const kind = record.state.strategy === 'equipped' ? 'equipped' : 'ask';
    // The equipped agent has a profiler in place of questions.
    const asking = kind === 'ask' ? { questions: { source, asker: this.seat } } : {};
    const ask = askStrategy({ kind, model, task, record, readOnly: readable, ...asking, onProgress });
    return async (context) => {
      // Read once: a resumed session offers what it would have offered.
      if (!record.state.credit) await this.readCredit(record, workspace, context.baseline.target?.id);
      return ask(context);
    };
  }

  private async readCredit(record: SessionRecord, workspace: string, device: string | undefined): Promise<void> {
    const { credit, problems } = await loadCredit(workspace);
    for (const problem of problems) await record.trouble('session', problem);
    const earlier = (device === undefined ? undefined : credit.get(device)) ?? [];
    await record.append({ type: 'credit', tallies: talliesOf(earlier) });
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
