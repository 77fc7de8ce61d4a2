// The conversation: what was said to the agent, what it said and did, what it was asked, and what came of it, in order.
import { fromWire } from '../../model/model.js';
import type { TraceEvent } from '../../session/events.js';
import { interval } from '../numbers.js';
import { sureness, statusText } from '../terminal.js';
import { BOUNDS } from './bounds.js';
import { whoText } from './lineage.js';
import { clipped, markup, type Markup } from './markup.js';
import { MOMENT_NAMES, OUTCOME_NAMES } from './words.js';
import { LEVEL_WORDS } from '../../questions/words.js';

/** Text that is longer is folded away. */
const FOLDED = 600;

interface Entry {
  who: string;
  text: string;
  /** What it is, where it is folded away. */
  title?: string;
  kind?: 'question';
}

export function conversationSection(events: readonly TraceEvent[]): Markup {
  const entries = events.flatMap(entriesOf);
  if (entries.length === 0) return markup`<p class="soft">Nothing was said.</p>`;
  const half = BOUNDS.entries / 2;
  const far = entries.length > BOUNDS.entries ? [...entries.slice(0, half), ...entries.slice(-half)] : entries;
  const shown: Markup[] = [];
  let budget: number = BOUNDS.conversation;
  for (const [i, entry] of far.entries()) {
    const text = clipped(entry.text, BOUNDS.entry);
    if (text.length > budget) continue;
    budget -= text.length;
    if (far.length < entries.length && i === half) {
      shown.push(
        markup`<li><span></span><p class="soft">… ${entries.length - far.length} entries are left out …</p></li>`,
      );
    }
    shown.push(item({ ...entry, text }));
  }
  return markup`<p class="soft small">${entries.length} entries${
    entries.length > BOUNDS.entries ? `; the first and last ${half} are shown` : ''
  }. The whole of it is in the session’s trace.jsonl.</p><p class="paper">It is not printed.</p><details class="screen"><summary>Read it</summary><ol class="talk">${shown}</ol></details>`;
}

function item({ who, text, title, kind }: Entry): Markup {
  const body =
    text.length > FOLDED || title !== undefined
      ? markup`<details><summary>${title ?? clipped(text.slice(0, 160).replace(/\s+/g, ' '), 160)}</summary><pre class="wrap">${text}</pre></details>`
      : markup`<p>${text}</p>`;
  return markup`<li><span class="who">${kind ? markup`<span class="badge ${kind}">${who}</span>` : who}</span><div>${body}</div></li>`;
}

function entriesOf(event: TraceEvent): Entry[] {
  switch (event.type) {
    case 'prompt':
      return [{ who: 'KernelSeek', text: event.text }];
    case 'advice':
      return [{ who: 'advisor', text: event.text }];
    case 'model':
      return fromWire(event.content).flatMap((block) =>
        block.type === 'text' && block.text.trim() ? [{ who: 'agent', text: block.text }] : [],
      );
    case 'tool': {
      const input = JSON.stringify(event.input, undefined, 1) ?? '';
      return [
        {
          who: 'agent acts',
          title: `${clipped(event.name, 60)}${event.isError ? ': failed' : ''}`,
          text: `${clipped(input, BOUNDS.entry / 2).replaceAll('\\n', '\n')}\n\n${event.result}`,
        },
      ];
    }
    case 'question':
      return [
        {
          who: 'question',
          kind: 'question',
          text: `${event.text}\n(${whoText(event.by)}${event.level ? `, ${LEVEL_WORDS[event.level]}` : ''})`,
        },
      ];
    case 'answer':
      return [{ who: 'answer', text: `${whoText(event.by)}: ${event.text ?? OUTCOME_NAMES[event.outcome]}` }];
    case 'moment':
      return event.asked ? [] : [{ who: 'silence', text: `${MOMENT_NAMES[event.kind]}: nothing was asked` }];
    case 'claim':
      return [{ who: 'agent claims', text: `${event.text}\n${event.evidence}` }];
    case 'verdict': {
      const { speedup } = event.verdict;
      const ratio = speedup ? `: ${interval(speedup)} over the original, ${sureness(event.verdict)}` : '';
      return [{ who: 'verdict', text: `${event.candidate} ${statusText(event.verdict)}${ratio}` }];
    }
    case 'trouble':
      return [{ who: 'trouble', text: `${event.where}: ${event.message}` }];
    case 'resumed':
      return [{ who: 'session', text: 'goes on' }];
    case 'finished':
      return [{ who: 'session', text: `ends: ${event.message}` }];
    default:
      return [];
  }
}
