// Tokens and money by the endpoint's figures; what is not known is called so.
import { expect, test } from 'vitest';
import { moneyOf, requirePrice, tokensOf } from './spending.js';

const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 2_000_000, cacheWriteTokens: 400_000 };

test('money is summed over models, cache reads and writes at their own price', () => {
  expect(tokensOf(usage)).toBe(3_500_000);
  // 3 + 1.5 + 0.6 + 1.5
  expect(moneyOf({ usageBy: { 'claude-sonnet-4-5-20250929': usage } })).toBeCloseTo(6.6, 9);
  expect(moneyOf({ usageBy: { 'claude-sonnet-4-5': usage, 'claude-haiku-4-5': usage } })).toBeCloseTo(6.6 + 2.2, 9);
  expect(moneyOf({ usageBy: {} })).toBe(0);
});

test('a model that is not in the table has no price, nor has one that is named alike', () => {
  for (const name of ['some-model', 'claude-sonnet-4-5-turbo', 'my-claude-sonnet-4-5']) {
    expect(moneyOf({ usageBy: { [name]: usage } })).toBe('unknown');
    expect(() => requirePrice(name, { money: 1 })).toThrow(/price of .* is not known here.*limit tokens/);
  }
  expect(() => requirePrice('some-model', { money: undefined })).not.toThrow();
  expect(() => requirePrice('claude-opus-4-5', { money: 1 })).not.toThrow();
});
