// Moments of too little breadth: the path stays at few levels, or one set of constants serves shapes that want different ones.
import type { Verdict } from '../../../remote-runner/protocol.js';
import { percent, times } from '../../report/numbers.js';
import { candidateOf } from '../../session/fold.js';
import { straightness, treeDistance } from '../../search/metrics.js';
import { EDITABLE_LEVELS, incumbentOf, visitedLevels } from '../visited.js';
import { LEVEL_WORDS, listed } from '../words.js';
import { lastMoment, lastSteps, since, type Collapse, type Detector, type Found, type Step } from './detector.js';

/** Measured candidates that are looked at for narrowing. */
export const NARROW_WINDOW = 8;
/** Levels that a narrow path stays at: fewer where it also goes round in circles, more where it runs straight ahead. */
const NARROW_LEVELS = 2;
const STRAIGHT_LEVELS = 3;
const STRAIGHT = 0.8;
/** A session that has been to more levels than this share has seen enough. */
const BROAD = 2 / 3;

/** The last measured candidates stay at few levels while others were never visited. */
export const narrowing: Detector = (state) => {
  const steps = lastSteps(state, NARROW_WINDOW, since(state, 'narrowing')).filter(
    ({ candidate }) => (candidate.levels?.length ?? 0) > 0,
  );
  if (steps.length < NARROW_WINDOW) return undefined;
  const seen = new Set(steps.flatMap((s) => s.candidate.levels ?? []));
  const levels = EDITABLE_LEVELS.filter((level) => seen.has(level));
  const visited = visitedLevels(state);
  if (visited.length > BROAD * EDITABLE_LEVELS.length) return undefined;
  if (levels.length > STRAIGHT_LEVELS) return undefined;
  // Candidates are numbered in their order: looking one up must not search a long session.
  const parent = (id: string): string | undefined => {
    const numbered = state.candidates[Number(id.slice(1)) - 1];
    return (numbered?.id === id ? numbered : candidateOf(state, id))?.parent;
  };
  const straight = straightness(
    steps.map((s) => s.candidate.id),
    (a, b) => treeDistance(a, b, parent),
  );
  const isStraight = straight >= STRAIGHT;
  if (levels.length > (isStraight ? STRAIGHT_LEVELS : NARROW_LEVELS)) return undefined;
  const last = steps.at(-1)?.candidate.id;
  return {
    evidence:
      `The last ${NARROW_WINDOW} measured candidates changed only ${listed(levels.map((l) => LEVEL_WORDS[l]))}` +
      `${isStraight ? ', each built on the one before' : ''}; ` +
      `${visited.length} of ${EDITABLE_LEVELS.length} levels have been visited.`,
    ...(last !== undefined && { candidate: last }),
  };
};

/** Measured candidates that are compared by scenario. */
const SHAPE_WINDOW = 24;
/** The best and the worst scenario of one candidate lie this far apart at least. */
const SPREAD = 1.25;
/** Share of equal constants from which proposals for different shapes count as the same. */
const COLLAPSED = 0.8;

/** Scenarios disagree on what is fast, or all shapes are given the same constants. */
export const shapeBias: Detector = (state, collapse) => {
  const steps = lastSteps(state, SHAPE_WINDOW);
  const before = lastMoment(state, 'shape-bias')?.candidate;
  const isNew = (found: Found | undefined): Found | undefined =>
    found && found.candidate !== before ? found : undefined;
  const told = isNew(tradePlaces(steps)) ?? isNew(collapsed(collapse, steps));
  if (told || visitedLevels(state).includes('shape-dtype')) return told;
  const fastest = [...steps].sort((a, b) => b.speedup.value - a.speedup.value)[0];
  for (const candidate of [incumbentOf(state)?.candidate, fastest?.candidate]) {
    // Either verdict may bear it out: a confirmation has fewer and wider intervals by scenario.
    for (const verdict of candidate ? [candidate.confirmed, candidate.first] : []) {
      const found = candidate && verdict && isNew(spread(candidate.id, verdict));
      if (found) return found;
    }
  }
  return undefined;
};

/** Two candidates of which each is ahead of the other in one scenario, beyond the intervals. */
function tradePlaces(steps: readonly Step[]): Found | undefined {
  const leaders = scenariosOf(steps).flatMap((scenario) => {
    const [first] = [...steps].sort((a, b) => speedIn(b, scenario).value - speedIn(a, scenario).value);
    return first ? [{ scenario, step: first }] : [];
  });
  for (const [i, a] of leaders.entries()) {
    for (const b of leaders.slice(i + 1)) {
      if (a.step === b.step) continue;
      const isAhead = (x: Step, y: Step, scenario: string): boolean =>
        speedIn(x, scenario).low > speedIn(y, scenario).high;
      if (!isAhead(a.step, b.step, a.scenario) || !isAhead(b.step, a.step, b.scenario)) continue;
      const [p, q] = [a.step.candidate.id, b.step.candidate.id];
      const newer = steps.indexOf(a.step) > steps.indexOf(b.step) ? p : q;
      return {
        evidence:
          `${p} is ahead of ${q} in ${a.scenario} (${times(speedIn(a.step, a.scenario).value)} to ` +
          `${times(speedIn(b.step, a.scenario).value)}), ${q} ahead of ${p} in ${b.scenario} ` +
          `(${times(speedIn(b.step, b.scenario).value)} to ${times(speedIn(a.step, b.scenario).value)}), beyond the intervals.`,
        candidate: newer,
      };
    }
  }
  return undefined;
}

/** One candidate whose scenarios gain very differently. */
function spread(candidate: string, verdict: Verdict): Found | undefined {
  const sorted = timingsOf(verdict).sort((a, b) => a.timing.speedup.value - b.timing.speedup.value);
  const [worst, best] = [sorted[0], sorted.at(-1)];
  if (!worst || !best || worst.timing.speedup.high >= best.timing.speedup.low) return undefined;
  if (best.timing.speedup.value < SPREAD * worst.timing.speedup.value) return undefined;
  return {
    evidence:
      `${candidate} reaches ${times(best.timing.speedup.value)} in ${best.id} and ` +
      `${times(worst.timing.speedup.value)} in ${worst.id}, beyond their intervals; no measured candidate tells shapes apart.`,
    candidate,
  };
}

function collapsed(collapse: Collapse | undefined, steps: readonly Step[]): Found | undefined {
  if (!collapse || collapse.shapes < 2 || collapse.shared < COLLAPSED) return undefined;
  const last = steps.at(-1)?.candidate.id;
  return {
    evidence: `The proposals for ${collapse.shapes} shapes share ${percent(collapse.shared)} of their constants.`,
    ...(last !== undefined && { candidate: last }),
  };
}

/** Timed scenarios that may be named: held-out ones are nobody's to know. */
function timingsOf(verdict: Verdict) {
  return verdict.scenarios.flatMap(({ id, heldOut, timing }) => (timing && heldOut !== true ? [{ id, timing }] : []));
}

/** Scenarios timed in every step. */
function scenariosOf(steps: readonly Step[]): string[] {
  const [first, ...others] = steps.map((s) => timingsOf(s.verdict).map((t) => t.id));
  const sets = others.map((ids) => new Set(ids));
  return (first ?? []).filter((id) => sets.every((ids) => ids.has(id)));
}

function speedIn({ verdict }: Step, scenario: string) {
  const found = verdict.scenarios.find((s) => s.id === scenario)?.timing?.speedup;
  return found ?? { value: 0, low: 0, high: 0 };
}
