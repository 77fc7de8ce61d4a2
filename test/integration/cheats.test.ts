// Every cheat of the corpus that exists on the CPU target, with real compilers, workers and keeper.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cheats, getsThrough, whatItDoes } from '../support/cheats.js';
import { cheatTable, tableInDocument } from '../support/corpora-tables.js';
import { Evaluations, root } from '../support/evaluations.js';

const folder = path.join(root, 'test/cheats');
const sourceOf = (name: string): string => readFileSync(path.join(folder, `${name}.cu`), 'utf8');
const taskNames = readdirSync(folder).flatMap((f) => /^(.*)\.task\.json$/.exec(f)?.[1] ?? []);

let evaluations: Evaluations;
beforeAll(async () => {
  evaluations = await Evaluations.create();
});
afterAll(() => evaluations.close());

/** The evaluator's own programs and libraries, by content. */
function programs(): Record<string, string> {
  const at = path.join(evaluations.folder, 'cache/programs');
  // A folder is a compilation that is still going on.
  const files = readdirSync(at, { withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ name: f }) => [
      f,
      createHash('sha256')
        .update(readFileSync(path.join(at, f)))
        .digest('hex'),
    ]),
  );
}

describe('the corpus', () => {
  it('has every row of the table of known cheats, and at least fifteen of our own', () => {
    const rows = new Set(cheats.flatMap((c) => c.rows));
    expect([...rows].sort((a, b) => a - b)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
    expect(cheats.filter((c) => c.rows.length === 0).length).toBeGreaterThanOrEqual(15);
  });
  it('lists every file once, says what it does and expects something of it', () => {
    const originals = new Set(
      taskNames.map((t) => /"source": "(.*)\.cu"/.exec(readFileSync(path.join(folder, `${t}.task.json`), 'utf8'))![1]!),
    );
    const files = readdirSync(folder).flatMap((f) => /^(.*)\.cu$/.exec(f)?.[1] ?? []);
    expect(cheats.map((c) => c.name).sort()).toEqual(files.filter((f) => !originals.has(f)).sort());
    for (const c of cheats) {
      expect(whatItDoes(sourceOf(c.name)), c.name).toMatch(/\.$/);
      expect(c.cpu ?? c.cuda, c.name).toBeDefined();
      expect(taskNames).toContain(c.task);
    }
  });
  it('is told in docs/evaluator.md as it is', () => {
    expect(tableInDocument('cheats', cheatTable())).toBe(cheatTable());
  });
});

describe('an original', () => {
  it.each(taskNames)('%s is correct', async (name) => {
    const verdict = await evaluations.evaluate(await evaluations.prepare(`test/cheats/${name}.task.json`));
    expect(verdict.status, verdict.message).toBe('correct');
    expect(verdict.findings).toEqual([]);
  });
});

describe('a cheat', () => {
  let before: Record<string, string>;
  beforeAll(() => {
    before = programs();
  });
  for (const cheat of cheats) {
    const { name, cpu, uncaught } = cheat;
    if (!cpu) continue;
    const test = uncaught?.cpu === undefined ? it : it.fails;
    test(`${name} ${uncaught?.cpu === undefined ? `is caught: ${cpu.join(', ')}` : `gets through: ${uncaught.cpu}`}`, async () => {
      const task = await evaluations.prepare(`test/cheats/${cheat.task}.task.json`);
      const verdict = await evaluations.evaluate(task, `test/cheats/${name}.cu`, { mode: cheat.mode });
      expect(getsThrough(verdict, cpu)).toBeUndefined();
    });
  }
  it('changes none of the evaluator’s own programs, and leaves the next candidate alone', async () => {
    expect(programs()).toEqual(before);
    const verdict = await evaluations.evaluate(await evaluations.prepare('test/cheats/smooth.task.json'));
    expect(verdict.status, verdict.message).toBe('correct');
  });
});
