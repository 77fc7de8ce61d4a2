// Verdicts and a small trace with every kind of event, for tests of what reads traces.
import type { Verdict } from '../../remote-runner/protocol.js';
import type { TraceEventBody } from '../../src/session/events.js';

/** A verdict of the CPU target; the interval is ±1 % unless given. */
export function verdictWith(of: {
  value?: number;
  low?: number;
  high?: number;
  status?: Verdict['status'];
  mode?: Verdict['mode'];
  faster?: boolean;
  message?: string;
}): Verdict {
  const { value, status = 'correct', mode = 'first' } = of;
  const speedup = value !== undefined && { value, low: of.low ?? value * 0.99, high: of.high ?? value * 1.01 };
  return {
    status,
    message: of.message ?? status,
    mode,
    emulated: true,
    scenarios: speedup
      ? [
          {
            id: 'n=1024',
            status,
            outputs: [],
            timing: { candidateMs: 1 / speedup.value, baselineMs: 1, speedup, pairs: 8, processes: 1 },
          },
        ]
      : [],
    ...(speedup && { speedup: { ...speedup, confidence: mode === 'confirm' ? 0.99 : 0.95, over: 'original' } }),
    ...(of.faster !== undefined && { faster: of.faster }),
    diagnostics: [],
    resources: [],
    findings: [],
    warnings: [],
    phases: {},
  };
}

const sha = (digit: string): string => digit.repeat(64);

/** Two judged candidates, the first confirmed as the best, a third under evaluation. */
export function sampleTrace(): TraceEventBody[] {
  const target = { kind: 'cpu', id: 'cpu', name: 'CPU emulation, größer ✓', compiler: 'g++ 12' } as const;
  return [
    {
      type: 'started',
      session: '20260101-000000-00000000',
      task: 'a.task.json',
      strategy: 'ask',
      seed: 1,
      budget: { evaluations: 5, minutes: 10 },
      model: 'some-model',
      endpoint: 'localhost',
      originalSha256: sha('0'),
      version: '0.1.0',
    },
    { type: 'runner', address: 'local', targets: [target], chosen: 'cpu' },
    { type: 'baseline', verdict: verdictWith({ value: 1 }) },
    { type: 'prompt', text: 'Make it faster. Größe ≥ 2 ✓ 🙂' },
    {
      type: 'model',
      model: 'some-model',
      content: [{ type: 'tool_use', id: 't1', name: 'evaluate', input: {} }],
      usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
    { type: 'candidate', id: 'c1', author: 'agent', commit: sha('a'), sourcesSha256: sha('1'), note: 'ünïcode' },
    { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 1.5 }) },
    { type: 'verdict', candidate: 'c1', verdict: verdictWith({ value: 1.4, mode: 'confirm', faster: true }) },
    { type: 'incumbent', candidate: 'c1' },
    { type: 'tool', id: 't1', name: 'evaluate', input: {}, result: 'correct', isError: false },
    { type: 'trouble', where: 'model', message: 'rate limit; waiting 2 s' },
    {
      type: 'candidate',
      id: 'c2',
      parent: 'c1',
      author: 'search',
      commit: sha('b'),
      sourcesSha256: sha('2'),
      note: 'BLOCK = 64',
      configuration: { BLOCK: 64 },
    },
    { type: 'verdict', candidate: 'c2', verdict: verdictWith({ status: 'wrong' }) },
    { type: 'candidate', id: 'c3', parent: 'c1', author: 'agent', commit: sha('c'), sourcesSha256: sha('3'), note: '' },
  ];
}
