// A session on disk that has everything a report shows: questions, silence, claims, failures, bests, real sources.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sourcesSha256, type SourceFile, type Verdict } from '../../remote-runner/protocol.js';
import { traceEvent, type TraceEvent, type TraceEventBody } from '../../src/session/events.js';
import { History } from '../../src/session/history.js';
import { FILES, sessionFolder } from '../../src/session/place.js';
import { storeTask } from '../../src/session/task-store.js';
import { verdictWith } from './sample-trace.js';

export const STORY = '20260102-030405-0badcafe';
const examples = path.resolve(__dirname, '../../examples');
const TARGET = { kind: 'cpu', id: 'cpu', name: 'CPU emulation, 2 cores', compiler: 'g++ 12.2.0' } as const;

/** Candidate after candidate as changes of the attention example: parent, note, what is replaced by what. */
const EDITS: [id: string, parent: string | undefined, note: string, from: string, to: string][] = [
  [
    'c1',
    undefined,
    'read keys through a tile',
    'for (int d = 0; d < dim; ++d) sum',
    '#pragma unroll 4\n  for (int d = 0; d < dim; ++d) sum',
  ],
  ['c2', undefined, 'scale once, before the loop', 'sum / sqrtf((float)dim)', 'sum * rsqrtf((float)dim)'],
  [
    'c3',
    'c2',
    'divide when the weights are used, not before',
    '  for (int j = threadIdx.x; j < rows; j += BLOCK) row[j] /= sum;\n',
    '',
  ],
  ['c4', 'c2', 'wider blocks for the softmax', 'BLOCK = 256', 'BLOCK = 128'],
  ['c5', 'c4', 'a pass less over the scores', '  largest = part[0];\n', '  largest = part[0];  // known to all\n'],
  ['c6', 'c5', 'narrower tiles', 'TILE = 16', 'TILE = 8'],
  [
    'c7',
    'c5',
    'the values first',
    'weights[j] * values[(size_t)j * dim + d]',
    'values[(size_t)j * dim + d] * weights[j]',
  ],
];

export async function storyOriginal(): Promise<SourceFile[]> {
  return [{ path: 'attention.cu', text: await readFile(path.join(examples, 'attention.cu'), 'utf8') }];
}

/** Writes the session below `workspace` and gives its folder. */
export async function storySession(workspace: string): Promise<string> {
  const folder = sessionFolder(workspace, STORY);
  await mkdir(folder, { recursive: true });
  const original = await storyOriginal();
  await writeFile(path.join(workspace, 'attention.cu'), original[0]!.text);
  const task = await readFile(path.join(examples, 'attention.task.json'), 'utf8');
  await writeFile(path.join(workspace, 'attention.task.json'), task);
  await storeTask(folder, { task: {}, directory: '', original, files: [] });
  const history = await History.open(folder);
  const commits = new Map([['original', await history.commit('original', original, [], 'The original')]]);
  const texts = new Map([['original', original[0]!.text]]);
  const candidates = new Map<string, TraceEventBody>();
  for (const [id, parent, note, from, to] of EDITS) {
    const before = texts.get(parent ?? 'original')!;
    const text = before.replace(from, to);
    if (text === before) throw new Error(`${id} changes nothing`);
    texts.set(id, text);
    const sources = [{ path: 'attention.cu', text }];
    const commit = await history.commit(id, sources, [commits.get(parent ?? 'original')!], note);
    commits.set(id, commit);
    candidates.set(id, {
      type: 'candidate',
      id,
      ...(parent !== undefined && { parent }),
      author: 'agent',
      commit,
      sourcesSha256: sourcesSha256(sources),
      note,
      levels:
        id === 'c4' || id === 'c6' ? ['launch'] : id === 'c5' ? ['memory-hierarchy', 'algorithm'] : ['instructions'],
    });
  }
  const events = numbered(story(candidates, sourcesSha256(original)));
  await writeFile(path.join(folder, FILES.trace), events.map((e) => `${JSON.stringify(e)}\n`).join(''));
  return folder;
}

/** Bodies as a trace has them, a minute apart. */
export function numbered(bodies: readonly TraceEventBody[]): TraceEvent[] {
  return bodies.map((body, i) => traceEvent.parse({ ...body, seq: i + 1, at: Date.UTC(2026, 0, 2, 3, 4 + i) }));
}

function story(candidates: ReadonlyMap<string, TraceEventBody>, originalSha256: string): TraceEventBody[] {
  const judged = (id: string, verdict: Verdict): TraceEventBody => ({
    type: 'verdict',
    candidate: id,
    verdict: { ...verdict, target: TARGET },
  });
  const says = (text: string): TraceEventBody => ({
    type: 'model',
    model: 'some-model',
    content: [{ type: 'text', text }],
    usage: { inputTokens: 2100, outputTokens: 160, cacheReadTokens: 9000, cacheWriteTokens: 300 },
  });
  const edits = (id: string, from: string, to: string): TraceEventBody => ({
    type: 'tool',
    id,
    name: 'edit',
    input: { path: 'attention.cu', old: from, new: to },
    result: 'attention.cu changed at line 20',
    isError: false,
  });
  const at = (id: string): TraceEventBody => candidates.get(id)!;
  const first = (id: string, value: number, spread = 0.03): TraceEventBody =>
    judged(id, verdictWith({ value, low: value * (1 - spread), high: value * (1 + spread) }));
  const confirmed = (id: string, value: number): TraceEventBody[] => [
    judged(id, verdictWith({ value, low: value * 0.98, high: value * 1.02, mode: 'confirm', faster: true })),
    { type: 'incumbent', candidate: id },
  ];
  return [
    {
      type: 'started',
      session: STORY,
      task: 'attention.task.json',
      strategy: 'ask',
      seed: 7,
      budget: { evaluations: 20, minutes: 60 },
      model: 'some-model',
      endpoint: 'api.example.com',
      originalSha256,
      version: '0.1.0',
    },
    { type: 'runner', address: 'local', targets: [TARGET], chosen: 'cpu' },
    { type: 'baseline', verdict: { ...verdictWith({ value: 1 }), target: TARGET } },
    { type: 'prompt', text: 'Make attention.cu faster. Edit the source, then evaluate.', version: 1 },
    {
      type: 'moment',
      id: 'm1',
      kind: 'opening',
      evidence: 'nothing was tried yet',
      asked: true,
      offered: ['byte-twice'],
    },
    {
      type: 'question',
      id: 'q1',
      moment: 'm1',
      known: 'byte-twice',
      text: 'Which byte travels twice?',
      level: 'data-movement',
      intent: 'move',
      by: 'agent',
      informed: false,
    },
    {
      type: 'answer',
      moment: 'm1',
      question: 'q1',
      outcome: 'answered',
      by: 'agent',
      text: 'The scores, four times.',
      informed: false,
    },
    { type: 'prompt', text: 'Which byte travels twice?', moment: 'm1' },
    says('The scores are written once and read three times. I begin with the loop over them.'),
    edits('t1', 'for (int d = 0;', '#pragma unroll 4\n  for (int d = 0;'),
    at('c1'),
    first('c1', 1.02, 0.05),
    at('c2'),
    first('c2', 1.12),
    ...confirmed('c2', 1.11),
    {
      type: 'moment',
      id: 'm2',
      kind: 'new-best',
      evidence: 'c2 was confirmed',
      candidate: 'c2',
      asked: false,
      offered: [],
    },
    says('Dividing later saves a pass.'),
    at('c3'),
    judged('c3', { ...verdictWith({ status: 'wrong', message: '4096 of 16384 elements of o differ' }) }),
    at('c4'),
    first('c4', 1.31),
    ...confirmed('c4', 1.3),
    {
      type: 'moment',
      id: 'm3',
      kind: 'narrowing',
      evidence: 'the last three edits changed constants of the launch',
      candidate: 'c4',
      place: { file: 'attention.cu', line: 7 },
      asked: true,
      offered: ['habit', 'kept-close'],
    },
    {
      type: 'question',
      id: 'q2',
      moment: 'm3',
      text: 'What is kept close that never comes back?',
      level: 'memory-hierarchy',
      intent: 'move',
      by: 'human',
      informed: false,
    },
    {
      type: 'answer',
      moment: 'm3',
      question: 'q2',
      outcome: 'answered',
      by: 'agent',
      text: 'The row of scores after its maximum.',
      informed: false,
    },
    { type: 'prompt', text: 'What is kept close that never comes back?', moment: 'm3' },
    says('Then the row can stay where it is.'),
    at('c5'),
    first('c5', 2.2),
    ...confirmed('c5', 2.1),
    { type: 'trouble', where: 'model', message: 'rate limit; waiting 2 s' },
    {
      type: 'claim',
      id: 'l1',
      text: 'the softmax is bound by memory',
      evidence: 'two passes over the scores',
      level: 'data-movement',
      floorMs: { 'n=1024': 0.1 },
    },
    {
      type: 'moment',
      id: 'm4',
      kind: 'limit-claimed',
      evidence: 'the agent claimed a limit',
      asked: true,
      offered: ['whose-limit'],
    },
    {
      type: 'question',
      id: 'q3',
      moment: 'm4',
      known: 'whose-limit',
      text: 'Whose limit is that?',
      level: 'objective',
      intent: 'refuse',
      by: 'repertoire',
      informed: false,
    },
    { type: 'answer', moment: 'm4', question: 'q3', outcome: 'passed', by: 'human', informed: false },
    at('c6'),
    judged('c6', {
      ...verdictWith({ status: 'compile_error', message: 'attention.cu:20: expected ;' }),
      diagnostics: [{ severity: 'error', file: 'attention.cu', line: 20, message: 'expected ‘;’ before ‘}’ token' }],
    }),
    at('c7'),
    first('c7', 2.05, 0.08),
    { type: 'finished', reason: 'agent', message: 'nothing more to try at this level', best: 'c5' },
  ];
}
