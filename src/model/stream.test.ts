// Streams no honest endpoint sends: they end soon and take little.
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources/messages';
import { expect, test } from 'vitest';
import { ModelError } from './model.js';
import { AnswerBuilder } from './stream.js';

const event = (fields: Record<string, unknown>): RawMessageStreamEvent => fields as unknown as RawMessageStreamEvent;
const start = (index: number): RawMessageStreamEvent =>
  event({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
const delta = (index: number, text: string): RawMessageStreamEvent =>
  event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });

test('block numbers may be anything and cost nothing', () => {
  const builder = new AnswerBuilder(undefined);
  for (const index of [2 ** 31, 3]) {
    builder.add(start(index));
    builder.add(delta(index, `block ${index}`));
  }
  builder.add(event({ type: 'message_stop' }));
  expect(builder.finish()?.content).toEqual([
    { type: 'text', text: `block ${2 ** 31}` },
    { type: 'text', text: 'block 3' },
  ]);
});

test('an answer without end is cut off', () => {
  const builder = new AnswerBuilder(undefined);
  builder.add(start(0));
  const piece = delta(0, 'x'.repeat(2 ** 16));
  expect(() => {
    for (let i = 0; i < 100; i++) builder.add(piece);
  }).toThrow(ModelError);
  const blocks = new AnswerBuilder(undefined);
  expect(() => {
    for (let i = 0; i < 2000; i++) blocks.add(start(i));
  }).toThrow(ModelError);
});
