// Trace → the messages of the next request. The trace is all there is: a resumed session says the same.
import type { Message, TextBlock, ToolResultBlock, ToolUseBlock } from '../../model/model.js';
import { fromWire } from '../../model/model.js';
import type { SessionState } from '../fold.js';

type Conversation = SessionState['conversation'];

/** Above this many characters of tool results, old ones are shortened. */
const RESULTS_LIMIT = 500_000;
/** Old results are shortened this many at a time, so that the cached prefix changes seldom. */
const STEP = 40;
const KEPT_HEAD = 400;
const KEPT_TAIL = 200;

/** Messages of the Messages API: roles alternate, every tool call has its result right after it. */
export function messagesOf(conversation: Conversation): Message[] {
  const shorten = shortened(conversation);
  const messages: Message[] = [];
  let results = 0;
  const user = (block: TextBlock | ToolResultBlock): void => {
    const last = messages.at(-1);
    if (last?.role === 'user') last.content.push(block);
    else messages.push({ role: 'user', content: [block] });
  };
  for (const event of conversation) {
    switch (event.type) {
      case 'prompt':
        user({ type: 'text', text: event.text });
        break;
      case 'model': {
        const content = fromWire(event.content);
        // The endpoint refuses an empty message, even its own.
        messages.push({
          role: 'assistant',
          content: content.length > 0 ? content : [{ type: 'text', text: '(nothing)' }],
        });
        break;
      }
      case 'tool': {
        const content = results++ < shorten ? shortOf(event.result) : event.result;
        user({ type: 'tool_result', tool_use_id: event.id, content, is_error: event.isError });
        break;
      }
    }
  }
  return messages;
}

/** Tool calls of the last answer that have no result yet. */
export function pendingCalls(conversation: Conversation): ToolUseBlock[] {
  const at = conversation.findLastIndex((e) => e.type === 'model');
  const answer = conversation[at];
  if (answer?.type !== 'model') return [];
  const done = new Set(conversation.slice(at).flatMap((e) => (e.type === 'tool' ? [e.id] : [])));
  return fromWire(answer.content).filter((b): b is ToolUseBlock => b.type === 'tool_use' && !done.has(b.id));
}

/** How many answers in a row, up to the last, called no tool. */
export function idleAnswers(conversation: Conversation): number {
  let idle = 0;
  for (const event of conversation) {
    if (event.type === 'tool') idle = 0;
    else if (event.type === 'model') idle += 1;
  }
  return idle;
}

/** How many answers there were since the last result of `evaluate` that told of a candidate for the first time. */
export function fruitlessAnswers(conversation: Conversation): number {
  const known = new Set<string>();
  let answers = 0;
  for (const event of conversation) {
    if (event.type === 'model') answers += 1;
    const candidate = candidateIn(event);
    if (candidate === undefined || known.has(candidate)) continue;
    known.add(candidate);
    answers = 0;
  }
  return answers;
}

/** The candidate whose verdict the agent was told here. */
export function candidateIn(event: Conversation[number]): string | undefined {
  if (event.type !== 'tool' || event.name !== 'evaluate' || event.isError) return undefined;
  return /^(c\d+):/.exec(event.result)?.[1];
}

function shortened(conversation: Conversation): number {
  const lengths = conversation.flatMap((e) => (e.type === 'tool' ? [e.result.length] : []));
  const total = lengths.reduce((sum, n) => sum + n, 0);
  if (total <= RESULTS_LIMIT) return 0;
  return Math.max(0, Math.floor(lengths.length / STEP) * STEP - STEP);
}

function shortOf(result: string): string {
  if (result.length <= KEPT_HEAD + KEPT_TAIL + 100) return result;
  const left = result.length - KEPT_HEAD - KEPT_TAIL;
  return `${result.slice(0, KEPT_HEAD)}\n(${left} characters of this old result left out)\n${result.slice(-KEPT_TAIL)}`;
}
