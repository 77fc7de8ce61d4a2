import { describe, expect, test } from 'vitest';
import { lensesOf, type LensState } from './lens-text.js';
import { factsOf, lensSummary, resourceText, type VerdictFacts } from './verdict-text.js';
import { verdictOf } from '../../test/support/verdict.js';

const correct = factsOf(verdictOf({ status: 'correct' }), true);
const titles = (state: LensState) => lensesOf(state).map((l) => l.title);
const commands = (state: LensState) => lensesOf(state).map((l) => l.command);

describe('lenses of a kernel', () => {
  test('without a task: a quiet way to make one', () => {
    expect(titles({ trusted: true, kernel: 'k' })).toEqual(['New task']);
  });

  test('in an untrusted workspace: why nothing runs, whatever is known', () => {
    const verdict = { facts: correct, stale: false };
    const lenses = lensesOf({ trusted: false, kernel: 'k', task: { name: 't', verdict } });
    expect(lenses.map((l) => l.command)).toEqual(['manageTrust']);
  });

  test('with a task: optimize, evaluate, and the last verdict', () => {
    const verdict = { facts: correct, stale: false };
    const state: LensState = { trusted: true, kernel: 'k', task: { name: 't', verdict } };
    expect(commands(state)).toEqual(['optimize', 'evaluate', 'showLog']);
    expect(titles(state)[2]).toContain('correct');
    expect(titles(state)[2]).not.toContain('before your edits');
  });

  test('an evaluation under way can be cancelled and hides the old verdict', () => {
    const task = { name: 't', evaluating: 'Checking 1 of 2', verdict: { facts: correct, stale: false } };
    expect(commands({ trusted: true, kernel: 'k', task })).toEqual(['optimize', 'cancelEvaluation']);
  });

  test('a best candidate is offered; after edits it is only shown', () => {
    const speedup = { value: 1.34, low: 1.3, high: 1.38 };
    const best = { candidate: 'c2', confirmed: true, emulated: false, appliable: true, speedup };
    const state: LensState = { trusted: true, kernel: 'k', task: { name: 't', best } };
    expect(commands(state)).toEqual(['optimize', 'evaluate', 'showBest', 'applyBest', 'discardBest']);
    expect(titles(state)[2]).toBe('$(diff) Best: at least 1.30× (1.34× [1.30, 1.38])');
    const edited: LensState = { trusted: true, kernel: 'k', task: { name: 't', best: { ...best, appliable: false } } };
    expect(commands(edited)).toEqual(['optimize', 'evaluate', 'showBest', 'discardBest']);
    expect(titles(edited)[2]).toContain('from before your edits');
  });

  test('a session that stopped can go on', () => {
    const state: LensState = { trusted: true, kernel: 'k', task: { name: 't', resumable: '3 of 40' } };
    expect(commands(state)).toEqual(['optimize', 'resumeSession', 'evaluate']);
  });

  test('what is not confirmed is shown as that, never called best, and not offered to be applied', () => {
    const speedup = { value: 1.22, low: 1.12, high: 1.4 };
    const best = { candidate: 'c13', confirmed: false, emulated: true, appliable: true, speedup };
    const lenses = lensesOf({ trusted: true, kernel: 'k', task: { name: 't', resumable: '13 of 40', best } });
    expect(lenses.map((l) => l.command)).toEqual(['optimize', 'resumeSession', 'evaluate', 'showBest', 'discardBest']);
    expect(lenses[3]?.title).toBe('$(diff) Candidate c13, not confirmed: 1.22× [1.12, 1.40] (CPU emulation)');
    expect(lenses.map((l) => l.title + l.tooltip).join()).not.toMatch(/best/i);
  });

  test('while a session runs its best is shown, not yet applied', () => {
    const best = { candidate: 'c2', confirmed: false, emulated: true, appliable: true };
    const state: LensState = { trusted: true, kernel: 'k', task: { name: 't', session: '3 of 40', best } };
    expect(commands(state)).toEqual(['stopSession', 'evaluate', 'showBest']);
    expect(titles(state)[2]).toContain('not confirmed');
    expect(titles(state)[2]).toContain('CPU emulation');
  });
});

describe('the last verdict in a few words', () => {
  test('says that the text has changed since', () => {
    expect(lensSummary(correct, 'k', true)).toContain('before your edits');
  });

  test('counts compile errors', () => {
    const error = { file: 'a.cu', line: 1, severity: 'error', message: 'no' } as const;
    const facts = factsOf(verdictOf({ status: 'compile_error', diagnostics: [error, error] }), true);
    expect(lensSummary(facts, 'k', false)).toContain('does not compile: 2 errors');
  });

  test('shows the time of the only scenario, or of the slowest', () => {
    const scenario = (id: string, candidateMs: number) => ({
      id,
      status: 'correct' as const,
      outputs: [],
      timing: { candidateMs, baselineMs: 1, speedup: { value: 1, low: 1, high: 1 }, pairs: 8, processes: 1 },
    });
    const one = factsOf(verdictOf({ status: 'correct', scenarios: [scenario('n=1', 0.0123)] }), true);
    expect(lensSummary(one, 'k', false)).toBe('$(pass) correct · 0.0123 ms');
    const scenarios = [scenario('n=1', 0.5), scenario('n=2', 4.25), scenario('n=3', 1)];
    const several = factsOf(verdictOf({ status: 'correct', scenarios, emulated: true }), true);
    expect(lensSummary(several, 'k', false)).toBe('$(pass) correct · 3 scenarios, slowest 4.25 ms · CPU emulation');
  });

  test('an original that writes out of bounds points at the task', () => {
    const same = { candidateSha256: 'a', originalSha256: 'a', flags: [], compiler: 'c', seed: '1', startedAt: 'now' };
    const findings = [{ code: 'out_of_bounds_write', message: 'right after the end of out' }];
    const facts = factsOf(verdictOf({ status: 'finding', findings, provenance: same }), true);
    expect(facts.message).toContain('a shape in $.arguments of the task may be too small');
  });

  test('a ratio says what it is over; a CPU time is labelled', () => {
    const speedup = { value: 1.5, low: 1.4, high: 1.6, confidence: 0.95, over: 'original' } as const;
    const candidate = factsOf(verdictOf({ status: 'correct', speedup }), false);
    expect(lensSummary(candidate, 'k', false)).toContain('1.50× [1.40, 1.60] over the original');
    expect(lensSummary({ ...candidate, isOriginal: true }, 'k', false)).not.toContain('×');
    const emulated: VerdictFacts = { ...correct, emulated: true, milliseconds: 12, scenarios: 1 };
    expect(lensSummary(emulated, 'k', false)).toContain('12.0 ms · CPU emulation');
  });

  test('registers and spills are those of the kernel, of its neediest instantiation', () => {
    const resource = (name: string, registers: number, spillStoreBytes: number) => ({
      entry: '_Z',
      name,
      arch: 'sm_90',
      registers,
      spillStoreBytes,
      spillLoadBytes: 0,
    });
    const resources = [
      resource('void ns::rows<float, 4>(float const*, int)', 40, 0),
      resource('void ns::rows<double, (ns::Kind)2>(double const*, int)', 64, 16),
      resource('void rows_other(float*)', 255, 400),
      resource('(anonymous namespace)::hidden(int)', 12, 0),
    ];
    const facts = factsOf(verdictOf({ resources }), true);
    expect(resourceText(facts, 'rows')).toBe('64 regs · 16 B spilled');
    expect(resourceText(facts, 'hidden')).toBe('12 regs · 0 spills');
    expect(resourceText(facts, 'absent')).toBeUndefined();
  });
});
