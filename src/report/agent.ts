// What the agent says and does between evaluations, one line each for the terminal.
import { fromWire } from '../model/model.js';
import type { TraceEvent } from '../session/events.js';
import { plainLine } from './plain.js';

type Of<T extends TraceEvent['type']> = Extract<TraceEvent, { type: T }>;

const WORDS = 160;

/** `agent: I look at the loop first…`; undefined for an answer without words. */
export function wordsLine({ content }: Of<'model'>): string | undefined {
  const words = fromWire(content).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const line = plainLine(words.join(' '), WORDS);
  return line === '' ? undefined : `agent: ${line}`;
}

/** `agent edits k.cu at line 7 (1 line → 3)`; undefined for what shows elsewhere: verdicts and the end. */
export function toolLine({ name, input, result, isError }: Of<'tool'>): string | undefined {
  if (isError) return `agent: ${plainLine(name, 40)} failed: ${plainLine(result, WORDS)}`;
  const { path, from, to, old, new: replacement } = fieldsOf(input);
  switch (name) {
    case 'view':
      return `agent views ${path}${from || to ? `, lines ${from || '1'} to ${to || 'the end'}` : ''}`;
    case 'edit': {
      const at = /at line (\d+)$/.exec(result)?.[1] ?? '?';
      return `agent edits ${path} at line ${at} (${lines(old)} → ${lineCount(replacement)})`;
    }
    case 'restore':
      return `agent goes back to ${to === 'original' ? 'the original' : to}`;
    case 'profile':
      return 'agent profiles its working copy';
    default:
      return undefined;
  }
}

/** Fields of a tool call; the texts of an edit keep their line ends. */
function fieldsOf(input: unknown): Record<'path' | 'from' | 'to' | 'old' | 'new', string> {
  const fields = new Map(typeof input === 'object' && input !== null ? Object.entries(input) : []);
  const raw = (name: string): string => {
    const value: unknown = fields.get(name);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const line = (name: string): string => plainLine(raw(name), 100);
  return { path: line('path'), from: line('from'), to: line('to'), old: raw('old'), new: raw('new') };
}

/** Lines that a text touches; a line end at the end begins none. */
function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

function lines(text: string): string {
  const n = lineCount(text);
  return `${n} ${n === 1 ? 'line' : 'lines'}`;
}
