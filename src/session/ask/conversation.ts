// Trace → the messages of the next request. The trace is all there is: a resumed session says the same.
import type { Message, TextBlock, ToolResultBlock, ToolUseBlock } from '../../model/model.js';
import { fromWire } from '../../model/model.js';
import type { SessionState } from '../fold.js';
import { recent } from './compaction.js';

type Conversation = SessionState['conversation'];

/**
 * Messages of the Messages API: roles alternate, every tool call has its result right after it. Where the conversation was made
 * short, its summary comes first; what was sent before stays as it was, so that the endpoint's cache holds.
 */
export function messagesOf(state: Pick<SessionState, 'conversation' | 'compacted'>): Message[] {
  const messages: Message[] = [];
  const user = (block: TextBlock | ToolResultBlock): void => {
    const last = messages.at(-1);
    if (last?.role === 'user') last.content.push(block);
    else messages.push({ role: 'user', content: [block] });
  };
  if (state.compacted) user({ type: 'text', text: state.compacted.text });
  for (const event of recent(state)) {
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
      case 'tool':
        user({ type: 'tool_result', tool_use_id: event.id, content: event.result, is_error: event.isError });
        break;
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
