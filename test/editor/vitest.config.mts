import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/editor/**/*.test.ts'],
    testTimeout: 150_000,
    hookTimeout: 60_000,
    // One editor, two cores: one thing after the other, and nothing after a failure.
    fileParallelism: false,
    sequence: { concurrent: false },
    bail: 1,
    pool: 'forks',
  },
});
