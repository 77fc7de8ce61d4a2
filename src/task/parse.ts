// Text → validated task. Collects every error; each names its JSON path, the value and the remedy.
import { parse as parseJsonc, printParseErrorCode, type ParseError } from 'jsonc-parser';
import type { z } from 'zod';
import { checkStart, checkTask } from './check.js';
import { jsonPath, nearest, show, valueAt } from './message.js';
import { taskFile, type TaskFile } from './schema.js';
import { TaskError } from './types.js';

export type ParsedTask = { ok: true; task: TaskFile } | { ok: false; errors: TaskError[] };

/** Longer texts are not task files. UTF-16 units. */
const MAX_TEXT = 4 * 2 ** 20;

/**
 * Reads a task file: JSON with comments and trailing commas.
 * @param fileName named in syntax errors
 */
export function parseTask(text: string, fileName: string): ParsedTask {
  if (text.length > MAX_TEXT)
    return { ok: false, errors: [new TaskError('$', `${fileName} is too long for a task file`)] };
  const problems: ParseError[] = [];
  const plain = text.replace(/^\uFEFF/, '');
  const value: unknown = parseJsonc(plain, problems, { allowTrailingComma: true });
  if (problems.length > 0) {
    return {
      ok: false,
      errors: problems.slice(0, 20).map((p) => {
        const before = plain.slice(0, p.offset).split('\n');
        const place = `${fileName}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
        return new TaskError('$', `${place}: not valid JSON: ${inWords(printParseErrorCode(p.error))}`);
      }),
    };
  }
  return validateTask(value);
}

function inWords(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

/** Validates a task that is already parsed, as it comes over the wire. The answer of a valid task is valid again. */
export function validateTask(value: unknown): ParsedTask {
  const parsed = taskFile.safeParse(value);
  if (!parsed.success) return { ok: false, errors: explainAll(parsed.error.issues, value) };
  const { source, sources, ...rest } = parsed.data;
  const errors: TaskError[] = [];
  if (source !== undefined && sources !== undefined) {
    errors.push(new TaskError('$.source', 'stands beside "sources": keep one of the two'));
  } else if (source === undefined && sources === undefined) {
    errors.push(
      new TaskError('$', 'has no "source": name the .cu file to make faster, for example "source": "kernel.cu"'),
    );
  }
  const task: TaskFile = { ...rest, sources: sources ?? (source === undefined ? [] : [source]) };
  errors.push(...checkTask(task));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, task };
}

/** The validated task, or a throw of its first error with the number of the others. */
export function requireTask(parsed: ParsedTask): TaskFile {
  if (parsed.ok) return parsed.task;
  const [first, ...others] = parsed.errors;
  if (first === undefined) throw new TaskError('$', 'is not a task');
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  throw new TaskError(first.path, first.message.slice(first.path.length + 2) + more);
}

/** The keys the schema knows at a path, for suggestions. */
function knownKeys(path: readonly PropertyKey[]): string[] {
  let schema: unknown = taskFile;
  for (const key of path) {
    schema = unwrap(schema);
    schema = typeof key === 'number' ? field(schema, 'element') : field(field(schema, 'shape'), String(key));
  }
  const shape = field(unwrap(schema), 'shape');
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
}

function unwrap(schema: unknown): unknown {
  const inner = field(field(schema, 'def'), 'innerType');
  return inner === undefined ? schema : unwrap(inner);
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && key in value
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

/** Unknown names come first, and whatever they mean to be is not called missing as well. */
function explainAll(issues: readonly z.core.$ZodIssue[], root: unknown): TaskError[] {
  const unknown: TaskError[] = [];
  const meant = new Set<string>();
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue;
    const known = knownKeys(issue.path);
    for (const key of issue.keys) {
      const near = nearest(key, known);
      if (near !== undefined) meant.add(jsonPath([...issue.path, near]));
      const remedy = near !== undefined ? `did you mean "${near}"?` : `known here: ${known.join(', ')}`;
      unknown.push(new TaskError(jsonPath([...issue.path, key]), `unknown name "${key}": ${remedy}`));
    }
  }
  const others = issues.filter((issue) => {
    const isMeant = valueAt(root, issue.path) === undefined && meant.has(jsonPath(issue.path));
    return issue.code !== 'unrecognized_keys' && !isMeant;
  });
  const starts = ['entry', 'call', 'kernel', 'launch'];
  const isCalled = starts.some((key) => valueAt(root, [key]) !== undefined || meant.has(`$.${key}`));
  const isObject = typeof root === 'object' && root !== null && !Array.isArray(root);
  return [...unknown, ...(isObject && !isCalled ? checkStart({}) : []), ...others.map((issue) => explain(issue, root))];
}

function explain(issue: z.core.$ZodIssue, root: unknown): TaskError {
  const at = jsonPath(issue.path);
  const value = valueAt(root, issue.path);
  if (issue.code === 'invalid_key') {
    const why = issue.issues[0]?.message ?? 'is not a name';
    return new TaskError(at, `the name ${show(issue.path.at(-1))} ${why}`);
  }
  if (value === undefined) return new TaskError(at, missing(issue));
  // Left empty by a proposal: the value says nothing.
  if (issue.message.startsWith('is missing')) return new TaskError(at, issue.message);
  return new TaskError(at, `${show(value)} ${complaint(issue)}`);
}

function missing(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `is missing: add ${article(issue.expected)}`;
  if (issue.code === 'invalid_value') return `is missing: add one of ${issue.values.map(show).join(', ')}`;
  return `is missing: it ${issue.message}`;
}

function complaint(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `is the wrong type: must be ${article(issue.expected)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(show).join(', ')}`;
    case 'too_small':
      if (!issue.message.startsWith('Too')) return issue.message;
      return issue.origin === 'array'
        ? `needs at least ${elements(issue.minimum)}`
        : `must be at least ${issue.minimum}`;
    case 'too_big':
      if (!issue.message.startsWith('Too')) return issue.message;
      return issue.origin === 'array'
        ? `may have at most ${elements(issue.maximum)}`
        : `must be at most ${issue.maximum}`;
    case 'invalid_format':
    case 'invalid_union':
    case 'custom':
      return issue.message;
    default:
      return `is not accepted: ${issue.message}`;
  }
}

function elements(count: number | bigint): string {
  return `${count} ${Number(count) === 1 ? 'element' : 'elements'}`;
}

function article(expected: string): string {
  const noun = { record: 'object', int: 'whole number', tuple: 'array of two', number: 'number' }[expected] ?? expected;
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
