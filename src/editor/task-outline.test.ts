import fc from 'fast-check';
import { expect, test } from 'vitest';
import { locateJsonPath, outlineTask } from './task-outline.js';

test('finds sources and entry through comments and trailing commas', () => {
  const text = '{ // a task\n "sources": ["a.cu", "b.cu",], "entry": "ns::run", }';
  expect(outlineTask(text)).toEqual({ sources: ['a.cu', 'b.cu'], entry: 'run' });
  expect(outlineTask('{ "source": "k.cu", "kernel": "ns::attn<128, float>" }')).toEqual({
    sources: ['k.cu'],
    kernel: 'attn',
  });
});

test('a half-typed task still tells its source', () => {
  expect(outlineTask('{ "source": "k.cu", "arguments": [ { "na').sources).toEqual(['k.cu']);
});

test('nothing that can be typed makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (text, path) => {
      expect(Array.isArray(outlineTask(text).sources)).toBe(true);
      locateJsonPath(text, path);
    }),
  );
});

test('an error lies on its value; one about a missing field on the object that misses it', () => {
  const text = '{ "arguments": [ { "name": "x", "type": 5 } ] }';
  const at = (path: string) => {
    const place = locateJsonPath(text, path);
    return place && text.slice(place.offset, place.offset + place.length);
  };
  expect(at('$.arguments[0].type')).toBe('5');
  expect(at('$.arguments[0].shape')).toBe('{ "name": "x", "type": 5 }');
  expect(at('$.entry')).toBe('{');
});
