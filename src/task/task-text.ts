// A proposed task as the text of a task file: JSON with comments that mark what was guessed and what is missing.
import type { Proposal } from './propose.js';
import type { Tolerance } from './types.js';

/** Longest line before a value is spread over several. */
const WIDTH = 110;

interface Note {
  path: string;
  text: string;
}

/** Further comments by JSON path, such as where a measured tolerance comes from. */
export type Remarks = Readonly<Record<string, string>>;

/**
 * A proposal with frozen tolerances in its outputs, and the comments that say where they come from.
 * @param target what the original was measured on, as a person reads it
 */
export function withTolerances(
  proposal: Proposal,
  tolerances: Readonly<Record<string, Tolerance>>,
  target: string | undefined,
): { proposal: Proposal; remarks: Remarks } {
  const given = proposal.task['arguments'];
  const remarks: Record<string, string> = {};
  if (!Array.isArray(given)) return { proposal, remarks };
  const measured = (given as { name?: string }[]).map((argument, i) => {
    const tolerance = argument.name === undefined ? undefined : tolerances[argument.name];
    if (!tolerance) return argument;
    remarks[`$.arguments[${i}].tolerance`] = `measured on ${target ?? 'the target'}`;
    return { ...argument, tolerance };
  });
  return { proposal: { ...proposal, task: { ...proposal.task, arguments: measured } }, remarks };
}

/** The text of NAME.task.json. */
export function taskText({ task, guesses, missing }: Proposal, remarks: Remarks = {}): string {
  const notes: Note[] = [
    ...missing.map(({ path, what }) => ({ path, text: `MISSING ${what}` })),
    ...guesses.map(({ path, why }) => ({ path, text: `guessed: ${why}` })),
    ...Object.entries(remarks).map(([path, text]) => ({ path, text })),
  ];
  const printer = new Printer(notes.map((note) => ({ ...note, anchor: anchorOf(task, note.path) })));
  return [...printer.commentsAt('$', ''), ...printer.value(task, '$', '')].join('\n') + '\n';
}

/** The nearest ancestor of a path that exists in the task. */
function anchorOf(task: unknown, path: string): string {
  let value = task;
  let anchor = '$';
  for (const [step] of path.slice(1).matchAll(/\.[^.[\]]+|\[\d+\]/g)) {
    const key = step.startsWith('[') ? step.slice(1, -1) : step.slice(1);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) break;
    value = (value as Record<string, unknown>)[key];
    anchor += step;
  }
  return anchor;
}

class Printer {
  constructor(private readonly notes: readonly (Note & { anchor: string })[]) {}

  /** Lines of a value; the first one carries no indentation, the caller has written what stands before it. */
  value(value: unknown, path: string, indent: string): string[] {
    const inline = inlineJson(value);
    const isList = Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null);
    const fits = indent.length + inline.length <= WIDTH;
    if (typeof value !== 'object' || value === null || (path !== '$' && !isList && fits)) return [inline];
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    const inner = `${indent}  `;
    const members = Object.entries(value).map(([key, item]): [string, string, unknown] =>
      Array.isArray(value) ? ['', `${path}[${key}]`, item] : [`${JSON.stringify(key)}: `, `${path}.${key}`, item],
    );
    const lines = members.flatMap(([label, at, item], i) => {
      const printed = this.value(item, at, inner);
      const isInline = printed.length === 1;
      const comma = i < members.length - 1 ? ',' : '';
      return [
        ...this.commentsAt(at, inner, isInline),
        ...printed.map((line, n) => (n === 0 ? inner + label + line : line) + (n === printed.length - 1 ? comma : '')),
      ];
    });
    return [open, ...lines, indent + close];
  }

  /** Comments of a place, and of everything inside it where it is printed on one line. */
  commentsAt(path: string, indent: string, withInner = false): string[] {
    const isInside = (anchor: string) => anchor.startsWith(path) && /^[.[]/.test(anchor.slice(path.length));
    return this.notes
      .filter(({ anchor }) => anchor === path || (withInner && isInside(anchor)))
      .map((note) => {
        const place = note.path.startsWith(path) ? note.path.slice(path.length).replace(/^\./, '') : '';
        return `${indent}// ${place === '' ? '' : `${place}: `}${note.text.replace(/[\s\p{Cc}]+/gu, ' ')}`;
      });
  }
}

/** JSON on one line, with blanks as people write it. */
function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${inlineJson(item)}`);
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}
