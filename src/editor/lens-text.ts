// What stands above a kernel, as text and command; pure, so that it can be tested without an editor.
import { gainInFull, type Gain } from '../report/gain.js';
import { plainLine } from '../report/plain.js';
import { lensSummary, statusWords, type VerdictFacts } from './verdict-text.js';

export type LensCommand =
  | 'evaluate'
  | 'cancelEvaluation'
  | 'optimize'
  | 'stopSession'
  | 'resumeSession'
  | 'newTask'
  | 'showBest'
  | 'applyBest'
  | 'discardBest'
  | 'showLog'
  | 'manageTrust';

export interface Lens {
  title: string;
  tooltip: string;
  command: LensCommand;
}

export interface LensState {
  trusted: boolean;
  kernel: string;
  /** Absent: no task speaks of this kernel. */
  task?: {
    /** Path in the workspace. */
    name: string;
    /** What an evaluation under way does now. */
    evaluating?: string;
    verdict?: { facts: VerdictFacts; stale: boolean };
    /** What a session under way does now. */
    session?: string;
    /** The last session stopped before its end: where it stands. */
    resumable?: string;
    best?: Gain & { appliable: boolean };
  };
}

/** The lenses of one kernel, left to right. */
export function lensesOf(state: LensState): Lens[] {
  if (!state.trusted) {
    const tooltip = 'KernelSeek compiles and runs kernels only in a trusted workspace. Click to manage trust.';
    return [{ title: '$(shield) Not run: workspace is not trusted', tooltip, command: 'manageTrust' }];
  }
  const { task } = state;
  if (!task) {
    return [{ title: 'New task', tooltip: `Write a task file for ${state.kernel}`, command: 'newTask' }];
  }
  return [...sessionLenses(task, state.kernel), ...evaluationLenses(task, state.kernel), ...bestLenses(task)];
}

type TaskState = NonNullable<LensState['task']>;

function sessionLenses({ session, resumable, name }: TaskState, kernel: string): Lens[] {
  if (session !== undefined) {
    const tooltip = 'Stop the session; the best candidate so far is kept';
    return [{ title: `$(sync~spin) ${session} · Stop`, tooltip, command: 'stopSession' }];
  }
  const optimize: Lens = { title: 'Optimize', tooltip: `Search for a faster ${kernel} (${name})`, command: 'optimize' };
  if (resumable === undefined) return [optimize];
  const tooltip = `Go on with the session that stopped at ${resumable}`;
  return [optimize, { title: 'Resume', tooltip, command: 'resumeSession' }];
}

function evaluationLenses({ evaluating, verdict, name }: TaskState, kernel: string): Lens[] {
  if (evaluating !== undefined) {
    const tooltip = 'Cancel this evaluation';
    return [{ title: `$(sync~spin) ${evaluating} · Cancel`, tooltip, command: 'cancelEvaluation' }];
  }
  const evaluate: Lens = {
    title: 'Evaluate',
    tooltip: `Compile, check and time ${kernel} as it stands in the editor (${name})`,
    command: 'evaluate',
  };
  if (!verdict) return [evaluate];
  const { facts, stale } = verdict;
  const where = facts.targetName === undefined ? '' : `\non ${plainLine(facts.targetName)}`;
  const over = facts.isOriginal ? '' : '\nThe original is the file as it was saved.';
  const tooltip = `${statusWords(facts.status)}: ${plainLine(facts.message)}${where}${over}\nClick for the log.`;
  return [evaluate, { title: lensSummary(facts, kernel, stale), tooltip, command: 'showLog' }];
}

function bestLenses({ best, session }: TaskState): Lens[] {
  if (!best) return [];
  const text = gainInFull(best);
  const stale = best.appliable ? '' : ' · from before your edits';
  const show: Lens = {
    title: `$(diff) ${text.charAt(0).toUpperCase()}${text.slice(1)}${stale}`,
    tooltip: best.confirmed
      ? 'Show the best candidate beside the present text'
      : 'Show this candidate beside the present text. Its gain may be noise: resume the session to have it confirmed.',
    command: 'showBest',
  };
  if (session !== undefined) return [show];
  const apply: Lens = {
    title: 'Apply',
    tooltip: 'Put the best candidate into the file; undo takes it back',
    command: 'applyBest',
  };
  const discard: Lens = { title: 'Discard', tooltip: 'Offer this candidate no more', command: 'discardBest' };
  return best.confirmed && best.appliable ? [show, apply, discard] : [show, discard];
}
