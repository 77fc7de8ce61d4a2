// Facts in questions and answers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { informedBy, isInformed } from './informed.js';
import { shippedQuestions } from './repertoire.js';

test('no shipped question supplies facts', () => {
  expect(shippedQuestions().filter((q) => isInformed(q.text))).toEqual([]);
});

test.each([
  'Try a block of 128',
  'it spends 40% of the time there',
  'The two passes could be one',
  'look at `tile_a`',
  'sum_parts reads everything',
  'blockIdx decides that',
  'BLOCK is what it was',
  'double buffering, maybe?',
  'What about cp.async?',
  'cuBLAS does better',
  'Use the nearest copy',
  'please move the load up',
  'you should look at the launch',
  'What if the order were different?',
  'Did anyone try another order?',
  'vectorized loads',
  'L2 holds it all',
])('informed: %s', (text) => {
  expect(informedBy(text)).not.toEqual([]);
});

test.each([
  'Which byte travels twice?',
  'The machine waits for data that it had before.',
  'What does the GPU do while the CPU prepares?',
  'Whose limit is that?',
  'I do not know; nobody has measured it.',
  'Nothing is read again.',
])('not informed: %s', (text) => {
  expect(informedBy(text)).toEqual([]);
});

test('property: a number or a name added to a text makes it informed, and nothing throws', () => {
  const facts = fc.oneof(
    fc.integer({ min: 0, max: 1e6 }).map(String),
    fc.stringMatching(/^[a-z]{2,6}_[a-z]{2,6}$/),
    fc.stringMatching(/^[a-z]{2,6}[A-Z][a-z]{2,6}$/),
  );
  fc.assert(
    fc.property(fc.constantFrom(...shippedQuestions()), facts, ({ text }, fact) => isInformed(`${text} ${fact}`)),
  );
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => Array.isArray(informedBy(text))));
});

test('a hostile text does not hold it up', { timeout: 20_000 }, () => {
  const parts = [' ', 'a', '_', 'a_', '1', '1,', '`', 'you ', 'aA', '. '];
  for (const part of parts) expect(Array.isArray(informedBy(part.repeat(1_000_000)))).toBe(true);
});
