// The questions of a session: those that KernelSeek ships, with what a workspace adds, changes and mutes. Pure.
import { parse as parseJsonc, printParseErrorCode, type ParseError } from 'jsonc-parser';
import type { z } from 'zod';
import shipped from '../../media/repertoire.json';
import { jsonPath, nearest, show, valueAt } from '../task/message.js';
import { shippedFile, workspaceFile, type OwnQuestion, type WorkspaceFile } from './schema.js';
import { MOMENTS, type Question } from './types.js';

/** Where a question comes from. */
export type Origin = 'shipped' | 'changed' | 'own';

export interface KnownQuestion extends Question {
  origin: Origin;
  muted: boolean;
}

export interface Repertoire {
  /** Shipped ones first, in their order; muted ones are among them. */
  questions: KnownQuestion[];
  /** What is wrong with the workspace's file, each with path, value and remedy; what was wrong is left out. */
  problems: string[];
}

/** The questions of media/repertoire.json. */
export function shippedQuestions(): Question[] {
  return shippedFile.parse(shipped).questions;
}

/**
 * Shipped questions with a workspace's file laid over them. A file that cannot be used changes nothing; a single wrong entry
 * is left out.
 * @param text of .kernelseek/repertoire.json, JSON with comments; undefined where there is none
 * @param name of the file, for messages
 */
export function repertoireOf(text: string | undefined, name: string): Repertoire {
  const questions = shippedQuestions().map((q): KnownQuestion => ({ ...q, origin: 'shipped', muted: false }));
  if (text === undefined) return { questions, problems: [] };
  const { file, problems } = readWorkspaceFile(text, name);
  if (!file) return { questions, problems: [...problems, `${name} cannot be used; the shipped questions are`] };
  const combined = combine(questions, file, name);
  return { ...combined, problems: [...problems, ...combined.problems] };
}

/** The questions that may be asked. */
export function unmuted({ questions }: Repertoire): Question[] {
  return questions.filter((q) => !q.muted);
}

/** Parses and validates; every problem names the file, the JSON path, the value and the remedy. Wrong questions are left out. */
export function readWorkspaceFile(text: string, name: string): { file?: WorkspaceFile; problems: string[] } {
  const syntax: ParseError[] = [];
  const plain = text.replace(/^\uFEFF/, '');
  const value: unknown = parseJsonc(plain, syntax, { allowTrailingComma: true });
  if (syntax.length > 0) {
    const problems = syntax.slice(0, 5).map(({ error, offset }) => {
      const before = plain.slice(0, offset).split('\n');
      const what = printParseErrorCode(error)
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase();
      return `${name}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}: not valid JSON: ${what}`;
    });
    return { problems };
  }
  const parsed = workspaceFile.safeParse(value);
  if (parsed.success) return { file: parsed.data, problems: [] };
  const problems = parsed.error.issues.slice(0, 20).map((issue) => `${name}: ${explain(issue, value)}`);
  const file = workspaceFile.safeParse(withoutWrongQuestions(value, parsed.error.issues)).data;
  return { ...(file && { file }), problems };
}

/** The same value without the questions that an issue lies in. */
function withoutWrongQuestions(value: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const questions = valueAt(value, ['questions']);
  if (!Array.isArray(questions)) return value;
  const wrong = new Set(issues.flatMap(({ path: at }) => (at[0] === 'questions' ? [at[1]] : [])));
  return { ...(value as object), questions: (questions as unknown[]).filter((_, i) => !wrong.has(i)) };
}

function explain(issue: z.core.$ZodIssue, root: unknown): string {
  const at = jsonPath(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const known =
      issue.path.length === 0 ? ['questions', 'mute'] : ['id', 'text', 'level', 'intent', 'moments', 'needs'];
    return issue.keys
      .map((key) => {
        const near = nearest(key, known);
        const remedy = near === undefined ? `known here: ${known.join(', ')}` : `did you mean "${near}"?`;
        return `${at}: unknown name ${show(key)}: ${remedy}`;
      })
      .join('; ');
  }
  const value = valueAt(root, issue.path);
  if (value === undefined) return `${at}: is missing`;
  if (issue.code === 'invalid_value') {
    const near = typeof value === 'string' ? nearest(value, issue.values.map(String)) : undefined;
    const hint = near === undefined ? '' : `: did you mean "${near}"?`;
    return `${at}: ${show(value)} must be one of ${issue.values.map(show).join(', ')}${hint}`;
  }
  if (issue.code === 'invalid_type') return `${at}: ${show(value)} must be ${article(issue.expected)}`;
  return `${at}: ${show(value)} ${lowerFirst(issue.message)}`;
}

const article = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function combine(questions: KnownQuestion[], file: WorkspaceFile, name: string): Repertoire {
  const problems: string[] = [];
  const byId = new Map(questions.map((q) => [q.id, q]));
  const given = new Map<string, number>();
  (file.questions ?? []).forEach((own, i) => {
    const at = `${name}: $.questions[${i}]`;
    const before = given.get(own.id);
    if (before !== undefined) {
      problems.push(`${at}.id: "${own.id}" is $.questions[${before}] already: keep one of the two`);
      return;
    }
    given.set(own.id, i);
    const known = byId.get(own.id);
    const made = known ? { ...known, ...own, origin: 'changed' as const } : added(own);
    if (made) byId.set(own.id, made);
    else
      problems.push(
        `${at}: "${own.id}" is not a shipped question: give it "text" and "level", or correct its id${meant(own.id)}`,
      );
  });
  function meant(id: string): string {
    const near = nearest(id, byId.keys());
    return near === undefined ? '' : ` (did you mean "${near}"?)`;
  }
  (file.mute ?? []).forEach((id, i) => {
    const known = byId.get(id);
    if (known) byId.set(id, { ...known, muted: true });
    else problems.push(`${name}: $.mute[${i}]: ${show(id)} is not a question${suggestion(id, byId.keys())}`);
  });
  return { questions: [...byId.values()], problems };
}

function added({ id, text, level, ...rest }: OwnQuestion): KnownQuestion | undefined {
  if (text === undefined || level === undefined) return undefined;
  const everywhere = { intent: 'move' as const, moments: [...MOMENTS], needs: [] };
  return { ...everywhere, id, text, level, ...rest, origin: 'own', muted: false };
}

/** The end of a message about an id that is not there. */
export function suggestion(id: string, known: Iterable<string>): string {
  const near = nearest(id, known);
  return near === undefined ? '; `kernelseek repertoire` lists them' : `: did you mean "${near}"?`;
}
