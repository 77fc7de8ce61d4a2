// A winner is taken apart into changes that put together are it again; what is missed stays, what is not goes.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sourcesSha256, type SourceFile, type Verdict } from '../../../remote-runner/protocol.js';
import { verdictWith } from '../../../test/support/sample-trace.js';
import { Changes } from './changes.js';
import { distill, type Distilled } from './distill.js';

const source = (text: string): SourceFile[] => [{ path: 'k.cu', text }];

describe('changes', () => {
  const line = fc.constantFrom('a\n', 'b\n', '\n', '  c\r\n', 'é✓\n', '}\n');
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('', 'end'))
    .map(([l, end]) => l.join('') + end);

  test('all of them make the new version, none the old one, and each takes its own lines only', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const changes = Changes.between(source(before), source(after));
        expect(changes.with(() => true)).toEqual(source(after));
        expect(changes.with(() => false)).toEqual(source(before));
        expect(changes.all.map((c) => c.index)).toEqual(changes.all.map((_, i) => i));
        for (const change of changes.all) {
          const alone = changes.with((other) => other !== change)[0]!.text;
          expect(alone.length).toBe(after.length - change.added.length + change.removed.length);
          expect(
            after
              .split('\n')
              .slice(change.line - 1)
              .join('\n')
              .startsWith(change.added),
          ).toBe(true);
        }
      }),
    );
  });
});

/** The original and the winner; each change is worth the factor that stands for it, or breaks the kernel when it is missing. */
const ORIGINAL = 'one\n-\ntwo\n-\nthree\n-\nfour\n';
const WINNER = 'ONE\n-\nTWO\n-\nTHREE\n-\nFOUR\n';

async function distilled(
  speed: (words: string[]) => number | 'wrong' | 'infrastructure',
  spread = 0.01,
): Promise<Distilled & { asked: string[] }> {
  const asked: string[] = [];
  const words = (text: string): string[] => text.split('\n').filter((w) => /^[A-Z]+$/.test(w));
  const full = speed(words(WINNER));
  const result = await distill({
    original: source(ORIGINAL),
    winner: source(WINNER),
    onTrial: () => undefined,
    compare: (sources, what): Promise<Verdict> => {
      asked.push(what);
      const value = speed(words(sources[0]!.text));
      if (typeof value === 'string') return Promise.resolve(verdictWith({ status: value, mode: 'confirm' }));
      const over = value / Number(full);
      const overIncumbent = { value: over, low: over * (1 - spread), high: over * (1 + spread), confidence: 0.99 };
      return Promise.resolve({ ...verdictWith({ value, mode: 'confirm' }), overIncumbent });
    },
  });
  return { ...result, asked };
}

describe('distill', () => {
  test('what is missed and what is needed stay, the rest goes and is confirmed together', async () => {
    const result = await distilled((words) => {
      if (!words.includes('TWO')) return 'wrong';
      return words.includes('FOUR') ? 2 : 1.6;
    });
    expect(result.sources).toEqual(source('one\n-\nTWO\n-\nthree\n-\nFOUR\n'));
    expect(result.trials.map((t) => t.pays)).toEqual([false, true, false, true]);
    expect(result.verdict?.overIncumbent?.value).toBe(1);
    expect(result.asked).toHaveLength(5);
    expect(result.asked[1]).toBe('without change 2 of 4 (k.cu:3)');
    expect(result.asked[4]).toBe('what is left');
  });

  test('changes that stand in for each other do not all go: the one that is missed most comes back', async () => {
    const result = await distilled((words) => {
      const [one, two] = [words.includes('ONE'), words.includes('TWO')];
      return 1 + (one || two ? 1 : 0) - (one ? 0 : 0.001);
    });
    expect(result.sources).toEqual(source('ONE\n-\ntwo\n-\nthree\n-\nfour\n'));
    expect(result.kept.map((c) => c.added)).toEqual(['ONE\n']);
  });

  test('a loss that cannot be told from noise, and none worth telling, is dropped; a likely loss is not', async () => {
    const speedOf = (loss: number) => (words: string[]) => {
      if (!words.includes('FOUR')) return 'wrong';
      return words.includes('THREE') ? 2 : 2 * (1 - loss);
    };
    expect((await distilled(speedOf(0.01), 0.05)).kept.map((c) => c.added)).toEqual(['FOUR\n']);
    expect((await distilled(speedOf(0.04), 0.05)).kept.map((c) => c.added)).toEqual(['THREE\n', 'FOUR\n']);
  });

  test('where every change pays the winner is what is left, and nothing is confirmed again', async () => {
    const result = await distilled((words) => 1 + words.length);
    expect(result.verdict).toBeUndefined();
    expect(sourcesSha256(result.sources)).toBe(sourcesSha256(source(WINNER)));
    expect(result.asked).toHaveLength(4);
  });

  test('a runner without a verdict ends it: a change must not be dropped for want of an answer', async () => {
    await expect(distilled((words) => (words.length === 4 ? 2 : 'infrastructure'))).rejects.toThrow(
      'without change 1 of 4 (k.cu:1): infrastructure',
    );
  });
});
