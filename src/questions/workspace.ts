// The workspace's own repertoire on disk: read for a session, changed by muting. A bad file never stops a session.
import { applyEdits, modify } from 'jsonc-parser';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readWorkspaceFile, repertoireOf, suggestion, type Repertoire } from './repertoire.js';
import { writeAtomically } from './write-atomically.js';

/** Larger files are not repertoires. Bytes. */
const LARGEST = 4 * 2 ** 20;

export function repertoireFile(workspace: string): string {
  return path.join(workspace, '.kernelseek', 'repertoire.json');
}

/** The questions for a workspace; what cannot be read falls back to the shipped ones and is told in `problems`. */
export async function loadRepertoire(workspace: string): Promise<Repertoire> {
  const file = repertoireFile(workspace);
  try {
    return repertoireOf(await textOf(file), file);
  } catch (error) {
    const { questions } = repertoireOf(undefined, file);
    return { questions, problems: [`${messageOf(error)}; the shipped questions are used`] };
  }
}

/**
 * Mutes a question in the workspace's file, or lets it be asked again; comments and layout stay.
 * @returns false where it was so already
 * @throws Error where there is no such question, or the file must be put right first
 */
export async function setMuted(workspace: string, id: string, muted: boolean): Promise<boolean> {
  const file = repertoireFile(workspace);
  const text = await textOf(file);
  const read = readWorkspaceFile(text ?? '{}', file);
  if (!read.file || read.problems.length > 0) throw new Error(`${read.problems.join('\n')}\nput the file right first`);
  const known = repertoireOf(text, file).questions.map((q) => q.id);
  const mute = read.file.mute ?? [];
  // A question that is gone may still be let go from the list.
  if (!known.includes(id) && !mute.includes(id)) throw new Error(`"${id}" is not a question${suggestion(id, known)}`);
  if (mute.includes(id) === muted) return false;
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  let changed = text ?? '{}\n';
  const edit = (at: (string | number)[], value: unknown): void => {
    changed = applyEdits(changed, modify(changed, at, value, { formattingOptions }));
  };
  if (!muted) for (let i = mute.length - 1; i >= 0; i--) if (mute[i] === id) edit(['mute', i], undefined);
  if (muted) edit(mute.length > 0 ? ['mute', mute.length] : ['mute'], mute.length > 0 ? id : [id]);
  await mkdir(path.dirname(file), { recursive: true });
  await writeAtomically(file, changed);
  return true;
}

async function textOf(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  if (bytes.length > LARGEST) throw new Error(`${file} is too long for a repertoire`);
  return bytes.toString('utf8');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
