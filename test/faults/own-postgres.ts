/** A Postgres of a single row, which can be killed, stopped and started: the server that the program ships with. */
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createLogger } from '../../src/platform/logger.ts';
import { connect } from '../../src/platform/postgres/connect.ts';
import { type EmbeddedPostgres, openEmbedded } from '../../src/platform/postgres/embedded-postgres.ts';
import { isAlive } from '../../src/platform/postgres/pid-file.ts';
import type { Settings } from '../../src/platform/postgres/server.ts';
import type { TestDatabase } from '../database.ts';
import { until } from '../processes.ts';
import { copyReady, TEMPLATE } from '../ready-postgres.ts';
import { makeDirectory } from '../temporary.ts';

export type OwnPostgres = Readonly<{
  /** The database of the row. Its port stays the same across restarts. */
  database: TestDatabase;
  superuserUrl: string;
  /** What Postgres calls its data directory. */
  dataDirectory: string;
  /** What strandline does: a worker with this as its STRANDLINE_DATA_DIR and no DATABASE_URL owns this server. */
  home: string;
  /**
   * `fast`: sessions end cleanly. `immediate`: like a crash, recovered from at the next start. `kill`: the
   * postmaster is killed. It stays down until it is started.
   */
  stop(how: 'fast' | 'immediate' | 'kill'): Promise<void>;
  /** Starts it, or joins it if another process did. */
  start(): Promise<void>;
  close(): Promise<void>;
}>;

const SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** @param settings of postgresql.conf; commits are synced to disk unless they say otherwise */
export async function openOwnPostgres(settings: Settings = {}): Promise<OwnPostgres> {
  const directory = await makeDirectory();
  const home = path.join(directory, 'data');
  const log = createLogger('silent');
  // As a guest: an owner would restart the server by itself.
  const open = (): Promise<EmbeddedPostgres> =>
    openEmbedded({
      dataDir: home,
      sharedDirectory: path.join(directory, 'shared'),
      log,
      role: 'guest',
      settings,
    });
  await copyReady(home);
  let server = await open();
  const { url, readerUrl, superuserUrl, dataDirectory } = server;
  const superuser = await connect(superuserUrl, 'test');
  await superuser.query('DROP DATABASE strandline');
  await superuser.query(`ALTER DATABASE ${TEMPLATE} RENAME TO strandline`);
  await superuser.end();
  const pid = async () =>
    Number.parseInt(await readFile(path.join(dataDirectory, 'postmaster.pid'), 'utf8').catch(() => ''), 10);

  return {
    database: { url, readerUrl, name: new URL(url).pathname.slice(1), drop: () => Promise.resolve() },
    superuserUrl,
    dataDirectory,
    home,
    stop: async (how) => {
      const postmaster = await pid();
      process.kill(postmaster, SIGNALS[how]);
      await until('Postgres is gone', () => Promise.resolve(!isAlive(postmaster)));
      await server.close();
    },
    start: async () => {
      server = await open();
      if (server.url !== url) throw new Error('Postgres came back at another port');
    },
    close: async () => {
      await server.close();
      const left = await pid();
      if (isAlive(left)) process.kill(left, 'SIGQUIT');
      await rm(directory, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
