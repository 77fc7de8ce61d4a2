// Keys as a terminal sends them, whole and in pieces.
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { LineEditor, type KeyStream } from './line-editor.js';

function editor() {
  const input = new PassThrough();
  const modes: boolean[] = [];
  const stream = Object.assign(input, {
    isTTY: true,
    setRawMode: (raw: boolean) => (modes.push(raw), input),
    ref: () => input,
    unref: () => input,
  }) as unknown as KeyStream;
  const lines: string[] = [];
  let shown = '';
  let interrupts = 0;
  const made = new LineEditor(stream, {
    onChange: (text) => (shown = text),
    onLine: (line) => void lines.push(line),
    onInterrupt: () => interrupts++,
  });
  const type = async (bytes: Buffer | string): Promise<void> => {
    input.write(bytes);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { type, lines, modes, close: () => made.close(), shown: () => shown, interrupts: () => interrupts };
}

test('text, corrections and Enter', async () => {
  const e = editor();
  await e.type('which wurd\u007f\u007f\u007f');
  expect(e.shown()).toBe('which w');
  await e.type('ord?\r');
  await e.type('one two\u0017three\r\u0015 \r');
  expect(e.lines).toEqual(['which word?', 'one three', '']);
  e.close();
  expect(e.modes).toEqual([true, false]);
});

test('characters of several bytes may come in pieces; cursor keys and control characters are no text', async () => {
  const e = editor();
  const bytes = Buffer.from('größe 🙂');
  for (const byte of bytes) await e.type(Buffer.from([byte]));
  expect(e.shown()).toBe('größe 🙂');
  await e.type('\u007f\u001b[A\u001b[1;5C\u001bOP\u0007!\r');
  expect(e.lines).toEqual(['größe !']);
  await e.type('half\u0003');
  expect([e.shown(), e.interrupts()]).toEqual(['', 1]);
});
