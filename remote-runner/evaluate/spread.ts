// How far the original's results move by themselves, and what a mismatch proves beside that.
import type { Comparison, OutputComparison } from './comparison.js';
import type { Rig } from './rig.js';
import { onSide } from './side.js';

type Moved = Pick<OutputComparison, 'mismatches' | 'incomparable' | 'maxAbs' | 'worst'>;

/** How far the original's results move between runs on the same inputs, per region. */
export type Spread = Map<number, Moved>;

/** Runs that must all give the same bits for an original to count as reproducible; most runs; time for them, milliseconds. */
const [FEW, MOST, BUDGET_MS] = [8, 16, 5000];
/** A mismatch that many times as far as the original moves by itself is the candidate's own. */
const ALLOWED = 4;

function widen(spread: Spread, { outputs }: Comparison): void {
  for (const { region, mismatches, incomparable, maxAbs, worst } of outputs) {
    const known = spread.get(region);
    spread.set(region, {
      mismatches: Math.max(mismatches, known?.mismatches ?? 0),
      incomparable: Math.max(incomparable, known?.incomparable ?? 0),
      maxAbs: Math.max(maxAbs, known?.maxAbs ?? 0),
      worst: Math.max(worst, known?.worst ?? 0),
    });
  }
}

const hasMoved = (s: Moved): boolean => s.maxAbs > 0 || s.incomparable > 0 || s.mismatches > 0;

/**
 * Runs the original again and again on the inputs as they are, beside what is expected of them: few times if nothing moves,
 * more often if something does.
 */
export async function measureSpread(rig: Rig, limitMs: number, cold: boolean): Promise<Spread> {
  const spread: Spread = new Map();
  const started = performance.now();
  for (let run = 0; run < MOST; run++) {
    if (run >= FEW && ![...spread.values()].some(hasMoved)) break;
    if (run > 0 && performance.now() - started > BUDGET_MS) break;
    await onSide('baseline', rig.sample('baseline', limitMs, cold));
    widen(spread, await rig.compare('baseline'));
  }
  return spread;
}

/** A mismatch no larger than what the original does to itself proves nothing against the candidate. */
export function judge(comparison: Comparison, spread: Spread): 'correct' | 'wrong' | 'inconclusive' {
  let doubtful = false;
  for (const o of comparison.outputs) {
    if (o.mismatches === 0) continue;
    const own = spread.get(o.region);
    if (!own || !hasMoved(own)) return 'wrong';
    // Neither farther by itself nor beside what the tolerance allows: large values move far, and small ones hide there.
    if (!(o.maxAbs <= ALLOWED * own.maxAbs) || !(o.worst <= ALLOWED * own.worst)) return 'wrong';
    // NaN or an infinity where the original never differs in one: no spread covers that.
    if (o.incomparable > 0 && own.incomparable === 0) return 'wrong';
    doubtful = true;
  }
  return doubtful ? 'inconclusive' : 'correct';
}
