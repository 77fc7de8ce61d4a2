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
    const best = { confirmed: true, emulated: false, appliable: true, speedup: { value: 1.34, low: 1.3, high: 1.38 } };
    const state: LensState = { trusted: true, kernel: 'k', task: { name: 't', best } };
    expect(commands(state)).toEqual(['optimize', 'evaluate', 'showBest', 'applyBest', 'discardBest']);
    expect(titles(state)[2]).toContain('1.34×');
    const edited: LensState = { trusted: true, kernel: 'k', task: { name: 't', best: { ...best, appliable: false } } };
    expect(commands(edited)).toEqual(['optimize', 'evaluate', 'showBest', 'discardBest']);
    expect(titles(edited)[2]).toContain('from before your edits');
  });

  test('a session that stopped can go on', () => {
    const state: LensState = { trusted: true, kernel: 'k', task: { name: 't', resumable: '3 of 40' } };
    expect(commands(state)).toEqual(['optimize', 'resumeSession', 'evaluate']);
  });

  test('while a session runs its best is shown, not yet applied', () => {
    const best = { confirmed: false, emulated: true, appliable: true };
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

  test('a ratio says what it is over; a CPU time is never shown as one', () => {
    const speedup = { value: 1.5, low: 1.4, high: 1.6, confidence: 0.95, over: 'original' } as const;
    const candidate = factsOf(verdictOf({ status: 'correct', speedup }), false);
    expect(lensSummary(candidate, 'k', false)).toContain('1.50× [1.40, 1.60] over the original');
    const emulated: VerdictFacts = { ...correct, emulated: true, milliseconds: 12, scenarios: 1 };
    expect(lensSummary(emulated, 'k', false)).toContain('CPU emulation');
    expect(lensSummary(emulated, 'k', false)).not.toContain('ms');
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
