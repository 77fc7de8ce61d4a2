// The tables of both corpora as docs/evaluator.md shows them, made from the corpora themselves.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Status } from '../../remote-runner/protocol.js';
import { type Cheat, cheats, whatItDoes } from './cheats.js';
import { honest } from './honest.js';

const root = path.resolve(__dirname, '../..');
const document = path.join(root, 'docs/evaluator.md');
const firstLine = (file: string): string => whatItDoes(readFileSync(path.join(root, 'test', file), 'utf8'));

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

function outcome(statuses: readonly Status[] | undefined, uncaught: string | undefined): string {
  if (!statuses) return '–';
  if (uncaught !== undefined) return `not caught yet: ${uncaught}`;
  return statuses.map((s) => (s === 'correct' ? '`correct` without gain' : `\`${s}\``)).join(', ');
}

export function cheatTable(): string {
  const ordered = [...cheats].sort((a, b) => (a.rows[0] ?? 100) - (b.rows[0] ?? 100));
  const row = ({ name, rows, caughtBy, cpu, cuda, uncaught }: Cheat): string[] => [
    rows.join(', ') || 'own',
    `\`${name}\``,
    firstLine(`cheats/${name}.cu`),
    caughtBy,
    outcome(cpu, uncaught?.cpu),
    outcome(cuda, uncaught?.cuda),
  ];
  return table(['row', 'cheat', 'what it does', 'caught by', 'CPU target', 'GPU'], ordered.map(row));
}

export function honestTable(): string {
  const row = ({ name, cudaOnly }: (typeof honest)[number]): string[] => [
    `\`${name}\``,
    firstLine(`honest/${name}.cu`),
    firstLine(`honest/${name}.fast.cu`),
    cudaOnly === undefined ? 'both' : `GPU: ${cudaOnly}`,
  ];
  return table(['kernel', 'original', 'faster version', 'targets'], honest.map(row));
}

/**
 * What the document has between `<!-- NAME -->` and `<!-- /NAME -->`. With KERNELSEEK_WRITE_TABLES in the environment the
 * table is put there first.
 */
export function tableInDocument(name: 'cheats' | 'honest', wanted: string): string {
  const text = readFileSync(document, 'utf8');
  const [from, to] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const start = text.indexOf(from) + from.length;
  const end = text.indexOf(to);
  if (start < from.length || end < start) throw new Error(`docs/evaluator.md has no place for the table ${name}`);
  if (process.env.KERNELSEEK_WRITE_TABLES === undefined) return text.slice(start, end);
  writeFileSync(document, text.slice(0, start) + wanted + text.slice(end));
  return wanted;
}
