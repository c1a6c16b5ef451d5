/** Where the benchmark plays: an embedded Postgres of its own, with the settings the program ships with. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '../src/platform/logger.ts';
import { connect, withDatabase } from '../src/platform/postgres/connect.ts';
import { openEmbedded } from '../src/platform/postgres/embedded-postgres.ts';
import { type Database, type Id, inTransaction, openDatabase } from '../src/store/db/database.ts';
import { migrate } from '../src/store/db/migrate.ts';
import { ensurePartitions } from '../src/store/maintenance/partitions.ts';
import { insertSearch } from '../src/store/topics/searches.ts';
import { ensureTopic } from '../src/store/topics/topics.ts';
import { ensureService } from '../src/store/services/services.ts';

export type Stage = {
  db: Database;
  /** Another database on the same server, migrated and empty. */
  addDatabase(name: string): Promise<{ db: Database; url: string; readerUrl: string }>;
  /** Closes a pool of somebody's own before the server ends. */
  adopt(db: Database): void;
  /** Writes out what is in memory, so that it does not fall into the next measurement. */
  checkpoint(): Promise<void>;
  /** Of Postgres. */
  version: string;
  /** Ends the server and removes its folder. */
  close(): Promise<void>;
};

export const START = new Date('2026-11-21T12:00:00.000Z');

/** @param connections how many saves go on at a time at most */
export async function openStage(connections: number): Promise<Stage> {
  const log = createLogger('silent');
  const directory = await mkdtemp(path.join(tmpdir(), 'strandline-bench-'));
  await chmod(directory, 0o755); // As root, Postgres runs as somebody else, who must get in.
  const server = await openEmbedded({ dataDir: directory, log, role: 'owner' });
  const open: Database[] = [];
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      for (const db of open) await db.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    })();
    return closed;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(130)));
  }
  const prepare = async (url: string) => {
    await migrate({ url, log });
    const db = openDatabase(url, { log, max: connections, name: 'strandline bench' });
    open.push(db);
    await ensurePartitions(db, START);
    return db;
  };
  const asSuperuser = async (statement: string) => {
    const client = await connect(server.superuserUrl, 'strandline bench');
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  };
  try {
    return {
      db: await prepare(server.url),
      async addDatabase(name) {
        await asSuperuser(`CREATE DATABASE ${name} OWNER ${new URL(server.url).username}`);
        const url = withDatabase(server.url, name);
        return { db: await prepare(url), url, readerUrl: withDatabase(server.readerUrl, name) };
      },
      adopt: (db) => open.push(db),
      checkpoint: () => asSuperuser('CHECKPOINT'),
      version: server.version,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * A service of a way's own, so that all ways store the same posts in the same tables; and searches in it, each in a topic of
 * its own: what is new to a topic is asked for one search after the other.
 */
export async function furnish(
  db: Database,
  name: string,
  searches: number,
): Promise<{ serviceId: Id; searchIds: Id[] }> {
  const now = START;
  const service = await ensureService(db, { name, kind: 'hosted', address: null, dialect: 'named', now });
  const searchIds = await inTransaction(db, async (tx) => {
    const ids: Id[] = [];
    for (let n = 0; n < searches; n += 1) {
      const slug = `${name}-${n}`;
      const topic = await ensureTopic(tx, { slug, name: slug, sample: false, now });
      ids.push(
        await insertSearch(tx, {
          slug,
          topicId: topic.id,
          serviceId: service.id,
          operation: 'microblog',
          labels: [],
          definition: {
            prompt: name,
            tools: [],
            model: 'NOVA',
            date_filter: null,
            streaming: false,
            extra: {},
            cron: null,
            auto: null,
            every_seconds: 900,
            tz: 'UTC',
          },
          nextDueAt: now,
          now,
        }),
      );
    }
    return ids;
  });
  return { serviceId: service.id, searchIds };
}
