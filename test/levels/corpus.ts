// The corpus of labelled edits: real kernels before and after, and the levels a careful reader would name.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { SourceFile } from '../../remote-runner/protocol.js';
import { EDITS } from './edits.js';
import { HONEST } from './honest.js';
import type { Label } from './label.js';

export interface LabelledEdit extends Label {
  name: string;
  before: SourceFile[];
  after: SourceFile[];
  /** Not looked at while the rules were made. */
  heldOut: boolean;
}

const read = (file: string): string => readFileSync(path.join(process.cwd(), file), 'utf8');

/** All pairs, every second one of each list held out. */
export function corpus(): LabelledEdit[] {
  const honest = Object.entries(HONEST).map(([name, label], i) => ({
    ...label,
    name: `honest/${name}`,
    before: [{ path: 'k.cu', text: read(`test/honest/${name}.cu`) }],
    after: [{ path: 'k.cu', text: read(`test/honest/${name}.fast.cu`) }],
    heldOut: i % 2 === 1,
  }));
  const written = EDITS.map(({ name, file, replace, ...label }, i) => {
    const text = read(file);
    return {
      ...label,
      name,
      before: [{ path: 'k.cu', text }],
      after: [{ path: 'k.cu', text: replaced(text, replace, name) }],
      heldOut: i % 2 === 1,
    };
  });
  return [...honest, ...written];
}

function replaced(text: string, replace: readonly [string, string][], name: string): string {
  return replace.reduce((now, [old, by]) => {
    if (now.split(old).length !== 2) throw new Error(`${name}: ${JSON.stringify(old)} must occur exactly once`);
    return now.replace(old, () => by);
  }, text);
}
