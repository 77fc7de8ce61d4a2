// The strategies `ask` and `equipped`: a coding agent with few tools, and either questions at decision moments or a profiler. Its
// conversation is rebuilt from the trace.
import type { Model } from '../../model/model.js';
import { ModelError, toWire } from '../../model/model.js';
import { placeOfEdit } from '../../questions/place.js';
import type { MomentPlace } from '../../questions/types.js';
import type { TaskFile } from '../../task/schema.js';
import type { Asker } from '../asking/asker.js';
import { Questioner } from '../asking/questioner.js';
import type { QuestionSource } from '../asking/source.js';
import type { SessionRecord } from '../record.js';
import { requireModelBudget } from '../spending.js';
import type { FinishReason, Strategy, StrategyContext } from '../strategy.js';
import { BudgetSpent } from '../strategy.js';
import { answerTo } from './answer.js';
import { briefOf } from './brief.js';
import { cutOf, summaryText } from './compaction.js';
import { candidateIn, fruitlessAnswers, idleAnswers, messagesOf, pendingCalls } from './conversation.js';
import { CUT, goOnPrompt, NUDGE, PROMPT_VERSION, systemPrompt, taskPrompt } from './prompt.js';
import { markOf, quoteWith } from './text.js';
import type { AgentKind, Desk } from './tools.js';
import { runTool, toolsFor } from './tools.js';
import { WorkingCopy } from './working-copy.js';

export interface AskOptions {
  /** `equipped`: it can profile, and nobody asks questions. Absent: `ask`. */
  kind?: AgentKind;
  model: Model;
  task: TaskFile;
  record: SessionRecord;
  /** Text of the read-only files that the agent may view, by path. */
  readOnly: ReadonlyMap<string, string>;
  /** Absent where nobody asks questions. */
  questions?: { source: QuestionSource; asker: Asker };
  /** Told while the model writes. */
  onProgress: (detail: string) => void;
}

/** Answers in a row without a tool call after which the agent counts as done. */
const IDLE_LIMIT = 3;

/** Answers in a row without a new candidate after which it goes round in circles, at the cost of every answer. */
const FRUITLESS_LIMIT = 100;

/** How endpoints refuse a request that their model cannot hold. */
const TOO_LONG = /prompt is too long|context (?:length|window)|maximum context/i;

type Ending = { reason: FinishReason; message: string };

/** Makes the strategy; it is told everything through `options` and keeps nothing that the trace does not hold. */
export function askStrategy(options: AskOptions): Strategy {
  return async (context) => {
    const { record, readOnly } = options;
    const desk = await rebuild(options, context);
    if (record.state.conversation.length === 0) {
      await prompt(record, taskPrompt(context, desk.brief, [...readOnly.keys()]));
    } else if (finishedBefore(record)) {
      await prompt(record, goOnPrompt(context));
    }
    for (;;) {
      let ending = await answerCalls(options, desk);
      if (ending) return ending;
      if (budgetUntold(record)) await prompt(record, goOnPrompt(context));
      await desk.questioner?.atSafePoint(context.signal);
      ending = await nextAnswer(options, context);
      if (ending) return ending;
      await desk.questioner?.expireIgnored();
    }
  };
}

function prompt(record: SessionRecord, text: string): Promise<unknown> {
  return record.append({ type: 'prompt', text, version: PROMPT_VERSION });
}

/** Runs the calls that the last answer left open; after a crash these are the ones that were under way. */
async function answerCalls({ record }: AskOptions, desk: Desk): Promise<Ending | undefined> {
  let finished: string | undefined;
  for (const call of pendingCalls(record.state.conversation)) {
    desk.context.signal.throwIfAborted();
    const outcome =
      finished === undefined
        ? await runTool(desk, call.name, call.input)
        : { result: 'not run: finish was called before', isError: true };
    const { result, isError } = outcome;
    const phases = 'phases' in outcome && outcome.phases;
    await record.append({
      type: 'tool',
      id: call.id,
      name: call.name,
      input: call.input,
      result,
      isError,
      ...(phases && { phases }),
    });
    if ('finish' in outcome && outcome.finish !== undefined) finished = outcome.finish;
    if (call.name === 'evaluate' && desk.context.evaluationsLeft() === 0) throw new BudgetSpent('evaluations');
  }
  return finished === undefined ? undefined : { reason: 'agent', message: finished || 'the agent finished' };
}

/** Asks the model; an answer without a tool call is met with a reminder, a few times. */
async function nextAnswer(options: AskOptions, context: StrategyContext): Promise<Ending | undefined> {
  const { kind = 'ask', record } = options;
  context.signal.throwIfAborted();
  if (fruitlessAnswers(record.state.conversation) >= FRUITLESS_LIMIT) {
    return { reason: 'agent', message: `the agent made no new candidate in ${FRUITLESS_LIMIT} answers` };
  }
  requireModelBudget(record.state);
  await compact(record, context);
  const request = {
    system: systemPrompt(markOf(record.state), kind),
    tools: toolsFor(kind),
    messages: messagesOf(record.state),
  };
  const answer = await answerTo(options, request, context.signal).catch(async (error: unknown) => {
    if (error instanceof ModelError && TOO_LONG.test(error.message) && (await compact(record, context, true))) return;
    throw error;
  });
  // Asked again, with the conversation made short.
  if (!answer) return undefined;
  const { content, stopReason, usage } = answer;
  await record.append({ type: 'model', model: answer.model, content: toWire(content), stopReason, usage });
  if (content.some((block) => block.type === 'tool_use')) return undefined;
  if (stopReason === 'refusal') return { reason: 'failed', message: `the model ${answer.model} refused to go on` };
  if (stopReason === 'model_context_window_exceeded') {
    if (await compact(record, context, true)) {
      await prompt(record, CUT);
      return undefined;
    }
    return { reason: 'failed', message: `the conversation no longer fits into the context of ${answer.model}` };
  }
  if (idleAnswers(record.state.conversation) >= IDLE_LIMIT) {
    return { reason: 'agent', message: 'the agent stopped calling tools' };
  }
  await prompt(record, stopReason === 'max_tokens' ? CUT : NUDGE);
  return undefined;
}

/** Makes a conversation short that grew too long. @returns whether it did */
async function compact(record: SessionRecord, context: StrategyContext, force = false): Promise<boolean> {
  const before = cutOf(record.state, force);
  if (before === undefined) return false;
  await record.append({ type: 'compacted', before, text: summaryText(record.state, context) });
  return true;
}

/** The working copy as the trace left it: the original with every edit and restore that succeeded. */
async function rebuild(options: AskOptions, context: StrategyContext): Promise<Desk> {
  const { record, readOnly, task, questions } = options;
  const quote = quoteWith(markOf(record.state));
  const copy = new WorkingCopy(context.original, readOnly, quote);
  const desk: Desk = {
    kind: options.kind ?? 'ask',
    copy,
    context,
    record,
    brief: briefOf(task, quote),
    told: new Map(),
    last: undefined,
  };
  for (const event of record.state.conversation) {
    if (event.type !== 'tool' || event.isError) continue;
    if (event.name === 'edit' || event.name === 'restore') {
      const redone = await runTool(desk, event.name, inputOf(event.input));
      if (redone.isError)
        throw new Error(`${event.name} ${event.id} of the trace cannot be repeated: ${redone.result}`);
    }
    const judged = context.judged.find((j) => j.candidate === candidateIn(event));
    if (!judged) continue;
    desk.last = judged.candidate;
    desk.told.set(judged.candidate, judged.verdict);
  }
  if (questions) {
    const spare = (): void => context.spareWork();
    const placeOf = (candidate: string): MomentPlace | undefined => placeIn(context, candidate);
    desk.questioner = new Questioner({ ...questions, record, promptVersion: PROMPT_VERSION, placeOf, spare });
  }
  return desk;
}

/** First line that a candidate changed of its parent. */
function placeIn({ judged, original }: StrategyContext, candidate: string): MomentPlace | undefined {
  const found = judged.find((j) => j.candidate === candidate);
  if (!found) return undefined;
  const parent = judged.find((j) => j.candidate === found.proposal.parent);
  return placeOfEdit(parent?.proposal.sources ?? original, found.proposal.sources);
}

function inputOf(input: unknown): Record<string, unknown> {
  return typeof input === 'object' && input !== null ? { ...input } : {};
}

/** True when the budget was changed and the agent has not been told since. */
function budgetUntold({ state }: SessionRecord): boolean {
  const told = state.conversation.findLast((e) => e.type === 'prompt')?.seq ?? 0;
  return (state.budgetChanged ?? 0) > told;
}

/** True when the last thing said was `finish`, or an answer that ended the session by calling nothing. */
function finishedBefore({ state }: SessionRecord): boolean {
  const last = state.conversation.at(-1);
  if (last?.type === 'tool') return last.name === 'finish' && !last.isError;
  return last?.type === 'model' && pendingCalls(state.conversation).length === 0;
}
