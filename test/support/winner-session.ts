// A session on disk with one confirmed winner, for a task that a real runner can judge.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sourcesSha256 } from '../../remote-runner/protocol.js';
import type { TraceEventBody } from '../../src/session/events.js';
import { prepareTask } from '../../src/runner/prepare.js';
import { History } from '../../src/session/history.js';
import { FILES, sessionFolder } from '../../src/session/place.js';
import { storeTask } from '../../src/session/task-store.js';
import { testParser } from './grammar.js';
import { verdictWith } from './sample-trace.js';
import { numbered } from './story-session.js';

export const WINNER = '20260103-000000-0123abcd';

/**
 * @param workspace folder with the task file and its source
 * @param winner text of the one source, made the best with a speedup of 2
 * @returns folder of the session
 */
export async function winnerSession(workspace: string, task: string, winner: string): Promise<string> {
  const folder = sessionFolder(workspace, WINNER);
  await mkdir(folder, { recursive: true });
  const { wire } = await prepareTask(path.join(workspace, task), { parser: testParser, root: workspace });
  const [source] = wire.original;
  if (!source) throw new Error('a task without a source');
  await storeTask(folder, wire);
  const history = await History.open(folder);
  const original = await history.commit('original', wire.original, [], 'The original');
  const sources = [{ path: source.path, text: winner }];
  const commit = await history.commit('c1', sources, [original], 'larger blocks');
  const target = { kind: 'cpu', id: 'cpu', name: 'CPU emulation', compiler: 'g++' } as const;
  const bodies: TraceEventBody[] = [
    {
      type: 'started',
      session: WINNER,
      task,
      strategy: 'tune',
      seed: 1,
      budget: { evaluations: 5, minutes: 5 },
      originalSha256: sourcesSha256(wire.original),
      version: '0.1.0',
    },
    { type: 'runner', address: 'local', targets: [target], chosen: 'cpu' },
    { type: 'baseline', verdict: { ...verdictWith({ value: 1 }), target } },
    {
      type: 'candidate',
      id: 'c1',
      author: 'search',
      commit,
      sourcesSha256: sourcesSha256(sources),
      note: 'larger blocks',
    },
    { type: 'verdict', candidate: 'c1', verdict: { ...verdictWith({ value: 2 }), target } },
    {
      type: 'verdict',
      candidate: 'c1',
      verdict: { ...verdictWith({ value: 2, mode: 'confirm', faster: true }), target },
    },
    { type: 'incumbent', candidate: 'c1' },
    { type: 'finished', reason: 'exhausted', message: 'all configurations were tried', best: 'c1' },
  ];
  await writeFile(
    path.join(folder, FILES.trace),
    numbered(bodies)
      .map((event) => `${JSON.stringify(event)}\n`)
      .join(''),
  );
  return folder;
}
