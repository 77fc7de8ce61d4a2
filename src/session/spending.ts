// What a session has used of its model, by the endpoint's own figures, and when its budget is spent.
import { costOf, hasPrice } from '../model/prices.js';
import type { SessionState, Usage } from './fold.js';
import { BudgetSpent } from './strategy.js';

/** Tokens of all kinds: read, written, and those of the cache. */
export function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}

/** US dollars over all models that answered; `unknown` as soon as the price of one of them is. */
export function moneyOf({ usageBy }: Pick<SessionState, 'usageBy'>): number | 'unknown' {
  let sum = 0;
  for (const [model, usage] of Object.entries(usageBy)) {
    const cost = costOf(model, usage);
    if (cost === undefined) return 'unknown';
    sum += cost;
  }
  return sum;
}

/**
 * Before a call of the model: whether the budget allows one more. What one call costs is known only afterwards, so a budget may
 * be exceeded by that one.
 * @throws BudgetSpent
 */
export function requireModelBudget(state: Readonly<SessionState>): void {
  const { tokens, money } = state.budget;
  if (tokens !== undefined && tokensOf(state.usage) >= tokens) throw new BudgetSpent('tokens');
  if (money === undefined) return;
  const spent = moneyOf(state);
  if (spent === 'unknown') throw new BudgetSpent('money', 'the price of a model that answered is not known');
  if (spent >= money) throw new BudgetSpent('money');
}

/**
 * A budget of money needs a price.
 * @throws Error naming model and remedy
 */
export function requirePrice(model: string, budget: { money?: number | undefined } | undefined): void {
  if (budget?.money === undefined || hasPrice(model)) return;
  throw new Error(`the price of ${model} is not known here, so a budget of money cannot be kept; limit tokens instead`);
}
