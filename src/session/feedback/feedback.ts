// The strategy `feedback`: sequential refinement. The model rewrites the sources, one candidate a turn of its conversation, from the
// verdict and the note of an advisor that reads nothing but this version and its verdict.
import { z } from 'zod';
import type { SourceFile } from '../../../remote-runner/protocol.js';
import { LIMITS } from '../../../remote-runner/protocol.js';
import type { Model, ToolDefinition, ToolUseBlock } from '../../model/model.js';
import { toWire } from '../../model/model.js';
import type { TaskFile } from '../../task/schema.js';
import { answerTo } from '../ask/answer.js';
import { type Brief, briefOf } from '../ask/brief.js';
import { candidateIn, fruitlessAnswers, idleAnswers, messagesOf, pendingCalls } from '../ask/conversation.js';
import { taskPrompt } from '../ask/prompt.js';
import { bestText } from '../ask/standing.js';
import { markOf, type Quote, quoteWith } from '../ask/text.js';
import { verdictText } from '../ask/verdict-text.js';
import { ToolError } from '../ask/working-copy.js';
import type { SessionRecord } from '../record.js';
import { requireModelBudget } from '../spending.js';
import type { FinishReason, Strategy, StrategyContext } from '../strategy.js';
import { BudgetSpent } from '../strategy.js';
import { advisorPrompt, CALL, FEEDBACK_PROMPT_VERSION, SHORTER, writerPrompt } from './prompt.js';

export interface FeedbackOptions {
  model: Model;
  task: TaskFile;
  record: SessionRecord;
  /** Text of the read-only files that the model may see, by path. */
  readOnly: ReadonlyMap<string, string>;
  /** Told while the model writes. */
  onProgress: (detail: string) => void;
}

/** Answers in a row without a call, and without a new candidate, after which there is nothing more to come. */
const IDLE_LIMIT = 3;
const FRUITLESS_LIMIT = 12;
/** Turns that are sent word for word; each holds whole sources. */
const TURNS = 8;
const MAX_NOTE = 200;
const MAX_ADVICE = 4000;

const inputs = {
  evaluate: z.object({
    note: z.string().describe('What this version changes, in a few words'),
    sources: z
      .array(z.object({ path: z.string(), text: z.string().describe('The whole file') }))
      .min(1)
      .describe('Every source that differs from the version before; the others stay'),
  }),
  finish: z.object({ reason: z.string().describe('Why there is nothing more to try, in one sentence') }),
};

const TOOLS: ToolDefinition[] = [
  tool('evaluate', 'Judges a new version: compiles, checks and times it.', inputs.evaluate),
  tool('finish', 'Ends the session. The best confirmed version is kept.', inputs.finish),
];

function tool(name: string, description: string, input: z.ZodObject): ToolDefinition {
  const { properties = {}, required = [] } = z.toJSONSchema(input);
  return { name, description, schema: { type: 'object', properties, required } };
}

interface Round {
  options: FeedbackOptions;
  context: StrategyContext;
  brief: Brief;
}

type Ending = { reason: FinishReason; message: string };

/** Makes the strategy; it keeps nothing that the trace does not hold. */
export function feedbackStrategy(options: FeedbackOptions): Strategy {
  return async (context) => {
    const { record, task } = options;
    const round = { options, context, brief: briefOf(task, quoteWith(markOf(record.state))) };
    if (record.state.conversation.length === 0) await prompt(record, opening(round));
    else if (endedBefore(record)) await prompt(record, CALL);
    for (;;) {
      const ending = (await answerCalls(round)) ?? (await nextAnswer(round));
      if (ending) return ending;
    }
  };
}

/** True where the model finished, or an answer without a call was the last. */
function endedBefore({ state: { conversation } }: SessionRecord): boolean {
  const last = conversation.at(-1);
  if (last?.type === 'tool') return last.name === 'finish';
  return last?.type === 'model' && pendingCalls(conversation).length === 0;
}

function prompt(record: SessionRecord, text: string): Promise<unknown> {
  return record.append({ type: 'prompt', text, version: FEEDBACK_PROMPT_VERSION });
}

function opening({ options: { readOnly }, context, brief }: Round): string {
  const shown = [...context.original, ...[...readOnly].map(([path, text]) => ({ path, text }))];
  return [taskPrompt(context, brief, [...readOnly.keys()]), ...shownSources(shown, brief.quote)].join('\n');
}

function shownSources(sources: readonly SourceFile[], quote: Quote): string[] {
  return sources.map(({ path, text }) => quote(text, path));
}

async function answerCalls(round: Round): Promise<Ending | undefined> {
  const { record } = round.options;
  for (const call of pendingCalls(record.state.conversation)) {
    round.context.signal.throwIfAborted();
    const { id, name, input } = call;
    const finish = name === 'finish' ? inputs.finish.safeParse(input) : undefined;
    const { result, isError } = finish?.success
      ? { result: 'finished', isError: false }
      : await evaluated(round, call).catch((error: unknown) => {
          if (error instanceof ToolError) return { result: error.message, isError: true };
          throw error;
        });
    await record.append({ type: 'tool', id, name, input, result, isError });
    if (finish?.success) return { reason: 'agent', message: finish.data.reason || 'the agent finished' };
    if (!isError && round.context.evaluationsLeft() === 0) throw new BudgetSpent('evaluations');
  }
  return undefined;
}

/** The verdict on a version and, where there is a next one, the advisor's note. */
async function evaluated(round: Round, { id, name, input }: ToolUseBlock): Promise<{ result: string; isError: false }> {
  const { context, brief, options } = round;
  const parsed = inputs.evaluate.safeParse(input);
  if (name !== 'evaluate' || !parsed.success) {
    throw new ToolError(
      'call evaluate with "note" (string) and "sources" (array of {"path", "text"}), or finish with "reason" (string)',
    );
  }
  const parent = lastJudged(round);
  const sources = rewritten(parent?.proposal.sources ?? context.original, parsed.data.sources);
  const judged = await context.evaluate({
    sources,
    ...(parent && { parent: parent.candidate }),
    author: 'agent',
    note: parsed.data.note.replace(/\s+/g, ' ').trim().slice(0, MAX_NOTE),
  });
  const verdict = verdictText(judged, context, brief, false);
  if (context.evaluationsLeft() === 0) return { result: verdict, isError: false };
  const advice = options.record.state.advice.get(id) ?? (await advised(round, id, sources, verdict));
  return { result: `${verdict}\nThe advisor's note:\n${brief.quote(advice)}`, isError: false };
}

/** The version that the model was told of last. */
function lastJudged({ options: { record }, context }: Round): StrategyContext['judged'][number] | undefined {
  const last = record.state.conversation.map(candidateIn).findLast((id) => id !== undefined);
  return context.judged.find((j) => j.candidate === last);
}

function rewritten(before: readonly SourceFile[], given: readonly SourceFile[]): SourceFile[] {
  const known = before.map((s) => s.path);
  for (const { path, text } of given) {
    if (!known.includes(path)) throw new ToolError(`there is no source "${path}"; you may change: ${known.join(', ')}`);
    if (text.length > LIMITS.source) throw new ToolError(`${path} is longer than ${LIMITS.source} characters`);
  }
  return before.map(({ path, text }) => ({ path, text: given.findLast((g) => g.path === path)?.text ?? text }));
}

async function advised(round: Round, call: string, sources: readonly SourceFile[], verdict: string): Promise<string> {
  const { options, context, brief } = round;
  const { record } = options;
  requireModelBudget(record.state);
  const text = [...shownSources(sources, brief.quote), 'The verdict:', verdict].join('\n');
  const answer = await answerTo(
    options,
    {
      system: advisorPrompt(markOf(record.state)),
      tools: [],
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    },
    context.signal,
  );
  const said = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const note = said.trim().slice(0, MAX_ADVICE) || '(none)';
  await record.append({ type: 'advice', call, model: answer.model, text: note, usage: answer.usage });
  return note;
}

async function nextAnswer(round: Round): Promise<Ending | undefined> {
  const { options, context } = round;
  const { record } = options;
  if (fruitlessAnswers(record.state.conversation) >= FRUITLESS_LIMIT) {
    return { reason: 'agent', message: `the model made no new candidate in ${FRUITLESS_LIMIT} answers` };
  }
  context.signal.throwIfAborted();
  requireModelBudget(record.state);
  const request = { system: writerPrompt(markOf(record.state)), tools: TOOLS, messages: recentMessages(round) };
  const { model, content, stopReason, usage } = await answerTo(options, request, context.signal);
  await record.append({ type: 'model', model, content: toWire(content), stopReason, usage });
  if (content.some((block) => block.type === 'tool_use')) return undefined;
  if (stopReason === 'refusal') return { reason: 'failed', message: `the model ${model} refused to go on` };
  if (idleAnswers(record.state.conversation) >= IDLE_LIMIT) {
    return { reason: 'agent', message: 'the model gave no more versions' };
  }
  await prompt(record, stopReason === 'max_tokens' ? SHORTER : CALL);
  return undefined;
}

/** The latest turns; before them the task as it was told, and the best version where that is left out. */
function recentMessages({ options: { record }, context, brief }: Round): ReturnType<typeof messagesOf> {
  const { conversation } = record.state;
  const answers = conversation.filter((e) => e.type === 'model');
  const first = answers.at(-TURNS);
  if (answers.length <= TURNS || !first) return messagesOf({ conversation });
  const best = context.incumbent();
  const text = [
    conversation.find((e) => e.type === 'prompt')?.text ?? '',
    `The turns before the last ${TURNS} are left out. ${bestText(context)}.`,
    ...(best ? shownSources(best.proposal.sources, brief.quote) : []),
  ].join('\n');
  return messagesOf({ conversation, compacted: { before: first.seq, text } });
}
