// Where a session stands, as the agent reads it: the best so far and what is left of the budget.
import type { StrategyContext } from '../strategy.js';
import { counted, speedupText } from './text.js';

/** `best so far: c2, 1.31× [1.29, 1.33] confirmed` @param candidate the one that was judged just now */
export function bestText(context: StrategyContext, candidate?: string): string {
  const best = context.incumbent();
  if (best === undefined) return 'best so far: the original';
  const { speedup } = best.verdict;
  const self = best.candidate === candidate ? ' (this one)' : '';
  return `best so far: ${best.candidate}${self}${speedup ? `, ${speedupText(speedup)} confirmed` : ''}`;
}

/** `4 evaluations, 3 minutes` */
export function leftText(context: StrategyContext): string {
  return `${counted(context.evaluationsLeft(), 'evaluation')}, ${counted(Math.ceil(context.minutesLeft()), 'minute')}`;
}
