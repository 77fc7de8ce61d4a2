// What a question, or a level, is worth: mean gain after it less mean gain after silence at moments of the same kind. Pure.
import { studentQuantile } from '../statistics/student.js';
import type { Observation } from './credit.js';
import type { MomentKind } from './types.js';

const CONFIDENCE = 0.95;

export interface Effect {
  /** How often it was asked without supplying facts. */
  count: number;
  /** How often facts were supplied: these do not count. */
  informed: number;
  /** Mean gain after it: a natural logarithm. */
  gain: number;
  /** Times after which the next edit touched another level, of those for which it could be told. */
  moved: number;
  movedOf: number;
  /** Number of silent moments it is compared with; 0 where there are none of its kinds. */
  silences: number;
  /** Difference to silence as a natural logarithm; absent where there is no silence to compare with. */
  difference?: number;
  /** Half width of the 95 % interval of the difference; absent where there is too little to tell. */
  half?: number;
}

interface Cell {
  count: number;
  mean: number;
  /** Sum of squared deviations from the mean. */
  squares: number;
}

/**
 * Effects by group, a question's id or a level. Gains are compared within a kind of moment: at kind k with n questions of the
 * group, d_k = mean after them − mean after silence; the difference is the mean of d_k weighted by n. Its variance takes, for
 * each kind, the variance within all questions and silence of that kind (a question asked twice without gain has a variance of
 * 0 of its own, which would claim certainty), its degrees of freedom by Welch and Satterthwaite, rounded down.
 * @param groupOf undefined for observations that take no part
 */
export function effectsBy(
  observations: readonly Observation[],
  groupOf: (o: Observation) => string | undefined,
): Map<string, Effect> {
  const counted = observations.filter((o) => !o.informed);
  const silent = cells(
    counted.filter((o) => o.silent),
    (o) => o.kind,
  );
  const spread = spreads(counted);
  const groups = new Map<string, Observation[]>();
  for (const o of observations) {
    const group = o.silent ? undefined : groupOf(o);
    if (group !== undefined) groups.set(group, [...(groups.get(group) ?? []), o]);
  }
  return new Map([...groups].map(([group, all]) => [group, effect(all, silent, spread)]));
}

function effect(
  all: readonly Observation[],
  silent: ReadonlyMap<string, Cell>,
  spread: ReadonlyMap<string, Spread>,
): Effect {
  const own = all.filter((o) => !o.informed);
  const told = own.filter((o) => o.moved !== undefined);
  const base = {
    count: own.length,
    informed: all.length - own.length,
    gain: cellOf(own).mean,
    moved: told.filter((o) => o.moved).length,
    movedOf: told.length,
  };
  const comparable = [...cells(own, (o) => o.kind)].flatMap(([kind, cell]) => {
    const control = silent.get(kind);
    return control ? [{ kind, cell, control }] : [];
  });
  const n = comparable.reduce((sum, { cell }) => sum + cell.count, 0);
  if (n === 0) return { ...base, silences: 0 };
  let difference = 0;
  let variance = 0;
  let satterthwaite = 0;
  let isKnown = true;
  for (const { kind, cell, control } of comparable) {
    const weight = cell.count / n;
    difference += weight * (cell.mean - control.mean);
    const within = spread.get(kind);
    if (!within) {
      isKnown = false;
      continue;
    }
    const part = weight ** 2 * within.variance * (1 / cell.count + 1 / control.count);
    variance += part;
    satterthwaite += part ** 2 / within.degrees;
  }
  const silences = comparable.reduce((sum, { control }) => sum + control.count, 0);
  if (!isKnown || variance === 0) return { ...base, silences, difference };
  const degrees = Math.max(1, Math.floor(variance ** 2 / satterthwaite));
  const half = studentQuantile(1 - (1 - CONFIDENCE) / 2, degrees) * Math.sqrt(variance);
  return { ...base, silences, difference, half };
}

interface Spread {
  variance: number;
  degrees: number;
}

/** Variance within the questions and silence of each kind of moment; absent where it has no degrees of freedom. */
function spreads(counted: readonly Observation[]): Map<string, Spread> {
  const squares = new Map<MomentKind, { squares: number; degrees: number }>();
  const within = cells(counted, (o) => `${o.kind} ${o.silent ? '' : (o.question ?? `at ${o.level ?? 'no level'}`)}`);
  for (const [key, cell] of within) {
    const kind = key.slice(0, key.indexOf(' ')) as MomentKind;
    const old = squares.get(kind) ?? { squares: 0, degrees: 0 };
    squares.set(kind, { squares: old.squares + cell.squares, degrees: old.degrees + cell.count - 1 });
  }
  return new Map(
    [...squares].flatMap(([kind, s]) =>
      s.degrees > 0 ? [[kind, { variance: s.squares / s.degrees, degrees: s.degrees }] as const] : [],
    ),
  );
}

function cells(observations: readonly Observation[], keyOf: (o: Observation) => string): Map<string, Cell> {
  const groups = new Map<string, Observation[]>();
  for (const o of observations) {
    const group = groups.get(keyOf(o));
    if (group) group.push(o);
    else groups.set(keyOf(o), [o]);
  }
  return new Map([...groups].map(([key, group]) => [key, cellOf(group)]));
}

function cellOf(observations: readonly Observation[]): Cell {
  const count = observations.length;
  const mean = count === 0 ? 0 : observations.reduce((sum, o) => sum + o.gain, 0) / count;
  return { count, mean, squares: observations.reduce((sum, o) => sum + (o.gain - mean) ** 2, 0) };
}
