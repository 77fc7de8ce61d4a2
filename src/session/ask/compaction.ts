// A long conversation made short: what it was about is written down from the trace, and stands for everything before it.
import { unvisitedLevels, visitedLevels } from '../../questions/visited.js';
import { LEVEL_WORDS } from '../../questions/words.js';
import { openMoment } from '../asking/questioner.js';
import { verdictOf, type MomentState, type SessionState } from '../fold.js';
import type { StrategyContext } from '../strategy.js';
import { bestText, leftText } from './standing.js';
import { speedupText } from './text.js';

type Conversation = SessionState['conversation'];

/** Tokens of one request, as the endpoint reported them for the last, above which the conversation is made short. */
const MOST_TOKENS = 120_000;
/** The same in characters, for endpoints that report nothing. */
const MOST_CHARACTERS = 400_000;
/** Latest answers of the model that stay as they were. */
const KEPT_ANSWERS = 12;
/** Best candidates that are named. */
const NAMED = 8;

/** The part of the conversation that is still sent word for word. */
export function recent({ conversation, compacted }: Pick<SessionState, 'conversation' | 'compacted'>): Conversation {
  return compacted ? conversation.filter((e) => e.seq >= compacted.before) : conversation;
}

/**
 * Where a conversation that has grown too long is cut: before the answer of the model that is the first to stay, so that every
 * call keeps its result. Undefined while it is short enough, or has nothing to spare.
 * @param force the endpoint said that it is too long
 */
export function cutOf(state: Readonly<SessionState>, force = false): number | undefined {
  const now = recent(state);
  if (!force && !isLong(now)) return undefined;
  const answers = now.filter((e) => e.type === 'model');
  // A forced cut may go deeper: it has to become shorter at any rate.
  const kept = force ? Math.min(KEPT_ANSWERS, Math.ceil(answers.length / 2)) : KEPT_ANSWERS;
  const first = answers.at(-kept);
  return first && first !== answers[0] ? first.seq : undefined;
}

function isLong(conversation: Conversation): boolean {
  const usage = conversation.findLast((e) => e.type === 'model')?.usage;
  const tokens = usage ? usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens : 0;
  if (tokens > MOST_TOKENS) return true;
  let characters = 0;
  for (const event of conversation) {
    if (event.type === 'prompt') characters += event.text.length;
    else if (event.type === 'tool') characters += event.result.length;
    else characters += JSON.stringify(event.content).length;
  }
  return characters > MOST_CHARACTERS;
}

/**
 * What stands for the conversation so far: the objective as it was first told, and from the trace everything that the agent
 * would otherwise forget.
 */
export function summaryText(state: Readonly<SessionState>, context: StrategyContext): string {
  const { conversation, candidates, claims, moments } = state;
  const objective = conversation.find((e) => e.type === 'prompt')?.text ?? '';
  const judged = candidates.flatMap((c) => {
    const verdict = verdictOf(c);
    return verdict ? [{ id: c.id, note: c.note, verdict, levels: c.levels ?? [] }] : [];
  });
  const best = judged
    .filter((c) => c.verdict.status === 'correct' && c.verdict.speedup)
    .sort((a, b) => (b.verdict.speedup?.value ?? 0) - (a.verdict.speedup?.value ?? 0))
    .slice(0, NAMED);
  const failed = judged.filter((c) => c.verdict.status !== 'correct').slice(-NAMED);
  const open = openMoment(state);
  const asked = moments.filter((m) => m.question && m.answer?.text !== undefined).slice(-NAMED);
  return [
    objective,
    '',
    `The conversation so far was long and is left out. ${candidates.length} candidates were judged. What is known:`,
    `- ${bestText(context)}; left: ${leftText(context)}. The working copy is as you left it; view it before you edit.`,
    ...(best.length > 0 ? ['- Best candidates (restore takes any of them):'] : []),
    ...best.map(
      ({ id, note, verdict: { speedup, mode }, levels }) =>
        `  ${id}: ${speedup ? speedupText(speedup) : ''} ${mode === 'confirm' ? 'confirmed' : 'provisional'}` +
        `${levels.length > 0 ? `, ${levels.map((l) => LEVEL_WORDS[l]).join(', ')}` : ''}: ${note}`,
    ),
    ...(failed.length > 0 ? ['- Latest that failed:'] : []),
    ...failed.map(({ id, note, verdict }) => `  ${id}: ${verdict.status}: ${note}`),
    `- Levels that measured candidates have changed: ${words(visitedLevels(state))}; not yet: ${words(unvisitedLevels(state))}.`,
    ...claims.map(({ id, text, evidence }) => `- Limit that you claimed (${id}): ${text} Evidence: ${evidence}`),
    ...asked.map(({ question, answer }) => `- Asked: ${question?.text ?? ''} Answered: ${answer?.text ?? ''}`),
    ...(open ? [openText(state, open)] : []),
  ].join('\n');
}

/** As it was put, where it was put already. */
function openText({ conversation }: Readonly<SessionState>, { moment, question }: MomentState): string {
  const told = conversation.findLast((e) => e.type === 'prompt' && e.moment === moment.id);
  const text = told?.type === 'prompt' ? told.text : (question?.text ?? moment.evidence);
  return `- A question is open:\n${text}`;
}

function words(levels: readonly (keyof typeof LEVEL_WORDS)[]): string {
  return levels.length > 0 ? levels.map((l) => LEVEL_WORDS[l]).join(', ') : 'none';
}
