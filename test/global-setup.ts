/** Starts once what all tests run on: a Postgres with a migrated template, and a Redis if available. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { createLogger, type Logger } from '../src/platform/logger.ts';
import { closeFunctions } from '../src/platform/postgres/reader-role.ts';
import { connect, withDatabase } from '../src/platform/postgres/connect.ts';
import { type EmbeddedPostgres, openEmbedded } from '../src/platform/postgres/embedded-postgres.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { putTogetherBelow } from './programs.ts';
import { keepReady, TEMPLATE } from './ready-postgres.ts';
import { startRedis } from './redis.ts';
import { makeDirectory, removeAbandoned } from './temporary.ts';

/** What test files get from here; see database.ts and backends.ts, which use it. */
declare module 'vitest' {
  export interface ProvidedContext {
    /** The database `postgres`, as superuser. */
    superuserUrl: string;
    /** The program's own role, in the template: to be pointed at a database of the file's own. */
    appUrl: string;
    readerUrl: string;
    redisUrl: string | null;
    /** The data directory of all worlds: they have one master key, as databases that are copied need. */
    worldDataDir: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeAbandoned();
  const directory = await makeDirectory();
  const opened = [() => rm(directory, { recursive: true, force: true })];
  const tearDown = async () => {
    for (const close of opened.toReversed()) await close();
  };
  try {
    await start(project, directory, opened);
  } catch (error) {
    await tearDown();
    throw error;
  }
  return tearDown;
}

async function start(
  project: TestProject,
  directory: string,
  opened: (() => Promise<void>)[],
): Promise<void> {
  // On the other core, while Postgres is made.
  const programs = putTogetherBelow(directory);
  const over = Promise.allSettled([programs]);
  opened.push(async () => void (await over));
  const log = createLogger('warn');
  const dataDir = path.join(directory, 'home');
  const openPostgres = () =>
    openEmbedded({
      dataDir,
      log,
      role: 'owner',
      sharedDirectory: path.join(directory, 'shared'),
      settings: {
        fsync: 'off',
        full_page_writes: 'off',
        synchronous_commit: 'off',
        max_connections: '200',
        // A run logs in thousands of times, and each login would hash its password 4,096 times on both sides.
        scram_iterations: '1',
      },
    });
  const first = await openPostgres();
  try {
    await makeTemplate(first, log);
  } finally {
    await first.close();
  }
  project.provide('worldDataDir', path.join(directory, 'world'));
  project.provide('readyDataDir', await keepReady(dataDir, directory));
  const postgres = await openPostgres();
  opened.push(() => postgres.close());
  const superuser = await connect(postgres.superuserUrl, 'strandline test set-up');
  // Files that run at the same time share the role; each start sets it to what the program allows.
  await superuser.query('ALTER ROLE strandline_reader CONNECTION LIMIT 150');
  await superuser.end();
  // Whoever connects first writes down what Postgres knows of its catalogs; copies of the template have that too.
  await (await connect(withDatabase(postgres.superuserUrl, TEMPLATE), 'strandline test set-up')).end();

  const redis = await startRedis(directory);
  if (redis !== undefined) opened.push(() => redis.stop());
  if (redis === undefined) {
    // STRANDLINE_REQUIRE=redis: CI must not pass by skipping half of the tests.
    if (process.env['STRANDLINE_REQUIRE']?.split(',').includes('redis') === true)
      throw new Error('STRANDLINE_REQUIRE=redis, but redis-server was not found');
    process.stderr.write(
      'No redis-server was found: the tests on Redis are left out, and counted as skipped below.\n',
    );
  }

  project.provide('programs', await programs);
  project.provide('superuserUrl', postgres.superuserUrl);
  project.provide('appUrl', withDatabase(postgres.url, TEMPLATE));
  project.provide('readerUrl', withDatabase(postgres.readerUrl, TEMPLATE));
  project.provide('redisUrl', redis?.url ?? null);
}

async function makeTemplate(postgres: EmbeddedPostgres, log: Logger): Promise<void> {
  const superuser = await connect(postgres.superuserUrl, 'strandline test set-up');
  const appRole = new URL(postgres.url).username;
  await superuser.query(`CREATE DATABASE ${TEMPLATE} OWNER ${appRole}`);
  await superuser.end();
  const inside = await connect(withDatabase(postgres.superuserUrl, TEMPLATE), 'strandline test set-up');
  await closeFunctions(inside, [appRole]);
  await inside.end();
  const url = withDatabase(postgres.url, TEMPLATE);
  const { notes } = await migrate({ url, readerUrl: postgres.readerUrl, log });
  for (const note of notes) process.stderr.write(`${note}\n`);
}
