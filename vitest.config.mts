import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'remote-runner/**/*.test.ts', 'test/integration/**/*.test.ts'],
    // Test files that evaluate do not wait for each other's: nothing is said of their times.
    setupFiles: ['test/support/lock-scope.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Compilers and timed kernels run inside tests; more workers than cores would starve them.
    maxWorkers: 2,
    pool: 'forks',
  },
});
