import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replacementOf } from './text-change.js';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\r', '\n', '\u{1f600}'), maxLength: 40 });

test('the replacement turns one text into the other and touches nothing it need not', () => {
  fc.assert(
    fc.property(text, text, (from, to) => {
      const change = replacementOf(from, to);
      const result = change ? from.slice(0, change.start) + change.text + from.slice(change.end) : from;
      expect(result).toBe(to);
    }),
  );
});

test('only the changed part is replaced', () => {
  expect(replacementOf('int a = 64;', 'int a = 128;')).toEqual({ start: 8, end: 10, text: '128' });
  expect(replacementOf('same', 'same')).toBeUndefined();
});

test('characters of two units and line ends stay whole', () => {
  expect(replacementOf('x\u{1f600}', 'x\u{1f601}')).toEqual({ start: 1, end: 3, text: '\u{1f601}' });
  expect(replacementOf('a\r\nb', 'a\rb')).toEqual({ start: 1, end: 3, text: '\r' });
});
