import { defineConfig } from 'vitest/config';
import { LongFirst } from './test/long-first.ts';
import { REST } from './test/rest.ts';

/** Where an automatic check reads what ran: as JSON, so that it can count suites that were left out. */
const REPORT = 'node_modules/.cache/vitest/report.json';

const counted = process.env['CI'] !== undefined || process.env['STRANDLINE_REQUIRE'] !== undefined;

/** Files that watch their own process, its memory or its event loop: each is a process. */
const OWN_PROCESS = [
  'test/security/statement-process.test.ts',
  'test/security/statements.test.ts',
  'test/client/size.test.ts',
  'test/read/loop.test.ts',
];

const together = {
  pool: 'forks',
  // As many as the cores it is measured on: each loads the program, and what a third one does costs the others as much.
  maxWorkers: 2,
  // They end what hangs; a busy machine takes several times as long as an idle one, and that is no failure.
  testTimeout: 180_000,
  hookTimeout: 300_000,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: 60_000 } },
} as const;

const ownRest = OWN_PROCESS.filter((file) => REST.includes(file));

export default defineConfig({
  test: {
    // Once, for all.
    globalSetup: ['test/global-setup.ts'],
    projects: [
      { test: { ...together, name: 'main, alone', include: OWN_PROCESS, exclude: ownRest } },
      { test: { ...together, name: 'rest, alone', include: ownRest } },
      // A process loads the program once for many files: half of what a run took was loading.
      {
        test: {
          ...together,
          name: 'main',
          include: ['test/**/*.test.ts'],
          exclude: [...OWN_PROCESS, ...REST],
          isolate: false,
        },
      },
      { test: { ...together, name: 'rest', include: [...REST], exclude: OWN_PROCESS, isolate: false } },
    ],
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    reporters: counted ? ['default', 'json'] : ['default'],
    outputFile: { json: REPORT },
  },
});
