// What models cost, where we know it: US dollars per million tokens. Anthropic's price list of 2025 and early 2026; a model that is
// not in the table has no price here, and is never guessed one.
import type { ModelUsage } from './model.js';

interface Price {
  input: number;
  output: number;
}

/** By the start of the name: endpoints add a date to it. A cache write costs 1.25 times its input, a cache read a tenth. */
const PRICES: readonly (readonly [name: string, price: Price])[] = [
  ['claude-opus-4-6', { input: 5, output: 25 }],
  ['claude-opus-4-5', { input: 5, output: 25 }],
  ['claude-opus-4-1', { input: 15, output: 75 }],
  ['claude-opus-4-2025', { input: 15, output: 75 }],
  ['claude-sonnet-4-6', { input: 3, output: 15 }],
  ['claude-sonnet-4-5', { input: 3, output: 15 }],
  ['claude-sonnet-4-2025', { input: 3, output: 15 }],
  ['claude-haiku-4-5', { input: 1, output: 5 }],
  ['claude-3-5-haiku', { input: 0.8, output: 4 }],
];
const CACHE_WRITE = 1.25;
const CACHE_READ = 0.1;

/** US dollars; undefined for a model whose price is not known. */
export function costOf(model: string, usage: ModelUsage): number | undefined {
  const price = priceOf(model);
  if (!price) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const input = inputTokens + CACHE_WRITE * cacheWriteTokens + CACHE_READ * cacheReadTokens;
  return (input * price.input + outputTokens * price.output) / 1e6;
}

export function hasPrice(model: string): boolean {
  return priceOf(model) !== undefined;
}

function priceOf(model: string): Price | undefined {
  // A longer name is another model, unless what follows is its date.
  return PRICES.find(([name]) => model === name || new RegExp(`^${name}(?:-?\\d{4,8}|-latest)$`).test(model))?.[1];
}
