import { defineConfig } from 'vitest/config';

/** Where an automatic check reads what ran: as JSON, so that it can count suites that were left out. */
const REPORT = 'node_modules/.cache/vitest/report.json';

const counted = process.env['CI'] !== undefined || process.env['STRANDLINE_REQUIRE'] !== undefined;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // A process per file: nothing is shared between test files but the servers of global-setup.
    pool: 'forks',
    // One more than the cores it is measured on: the longest files mostly wait, for leases to end and servers to start.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 30_000,
    reporters: counted ? ['default', ['json', { outputFile: REPORT }]] : ['default'],
  },
});
