/** What a command loads, as the process itself counts it: by packages, never by the clock. */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { freshDatabase } from '../database.ts';
import { REPOSITORY } from '../house/sources.ts';
import { makeDirectory } from '../temporary.ts';

const coverage = z.object({ result: z.array(z.object({ url: z.string() })) });
const database = await freshDatabase();
afterAll(() => database.drop());

/** Of tsx, which reads our sources; a build does without. */
const LOADER = new Set(['tsx', 'esbuild', 'get-tsconfig', 'resolve-pkg-maps']);

/** What answers requests, calls services and distributes work: much of the program, and nothing to a reader. */
const HEAVY = new Set(['bullmq', 'ioredis', 'fastify', 'undici', 'preact', 'prom-client', 'fast-xml-parser']);

test('the version and the help of the program load the parser of commands, and no command', async () => {
  for (const argv of [['--version'], ['--help'], ['help']]) {
    const { packages, own } = await loadedBy(argv);
    expect(packages).toEqual(['commander', 'picocolors']);
    expect(own.length).toBeLessThan(20);
  }
});

test.each([
  [['new']],
  [['topic', 'list']],
  [['search', 'list']],
  [['runs', 'list', '--json']],
  [['posts', 'list']],
  [['trends']],
  [['find', 'ferry']],
  [['channels', 'list']],
])('%j reads the database, and loads nothing that serves, calls or distributes work', async (argv) => {
  const { packages } = await loadedBy(argv);
  expect(packages).toContain('pg');
  expect(packages.filter((name) => HEAVY.has(name))).toEqual([]);
});

test('what asks the queue loads it', async () => {
  expect((await loadedBy(['status'])).packages).toContain('bullmq');
});

/** Runs a command in a process of its own: its packages by name, and files of `src`. */
async function loadedBy(argv: readonly string[]): Promise<{ packages: string[]; own: string[] }> {
  const directory = await makeDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  await promisify(execFile)(process.execPath, ['--import', 'tsx', 'src/main.ts', ...argv], {
    cwd: REPOSITORY,
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url, NODE_V8_COVERAGE: directory },
  });
  const reports = await Promise.all(
    (await readdir(directory)).map(async (name) =>
      coverage.parse(JSON.parse(await readFile(path.join(directory, name), 'utf8'))),
    ),
  );
  const urls = reports.flatMap(({ result }) => result.map(({ url }) => url));
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return {
    packages: [...new Set(packages)].filter((name) => !LOADER.has(name)).toSorted(),
    own: [...new Set(urls.filter((url) => url.startsWith(`file://${REPOSITORY}/src/`)))],
  };
}
