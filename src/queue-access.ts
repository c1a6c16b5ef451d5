/** How this process reaches its queue, which is opened when it is first asked for something. */
import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import type { Clock } from './engine/clock.ts';
import type { Logger } from './engine/logger.ts';
import type { QueueBackend, QueueHome } from './engine/queue/connection.ts';
import type { WorkQueue } from './engine/queue/queue.ts';
import type { Database } from './store/database.ts';
import { instanceName } from './store/facts.ts';

export type QueueAccess = {
  queue: WorkQueue;
  /** What it stands on; closed with the queue. */
  backend: () => Promise<QueueBackend>;
};

/** A command that reads needs no queue, and BullMQ would be most of what it loads. */
export function accessQueue(options: {
  config: Pick<Config, 'redisUrl'>;
  databaseUrl: string;
  db: Database;
  clock: Clock;
  log: Logger;
}): QueueAccess {
  const { config, databaseUrl, db, clock, log } = options;
  const home: QueueHome =
    config.redisUrl === undefined
      ? { kind: 'postgres', url: databaseUrl }
      : { kind: 'redis', url: config.redisUrl };
  let opened: Promise<{ backend: QueueBackend; queue: WorkQueue }> | undefined;

  async function open() {
    const [{ openBackend }, { openQueue }] = await Promise.all([
      import('./engine/queue/connection.ts'),
      import('./engine/queue/queue.ts'),
    ]);
    const instance = await instanceName(db, randomBytes(4).toString('hex'), clock.now());
    const backend = openBackend(home, instance, log);
    return { backend, queue: openQueue(backend, log) };
  }

  async function access() {
    // What failed is tried again by whoever asks next.
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  const queue = async () => (await access()).queue;
  return {
    backend: async () => (await access()).backend,
    queue: {
      kind: home.kind,
      // All arguments, also those that may be left out: the compiler does not miss them.
      enqueueRuns: async (...given) => (await queue()).enqueueRuns(...given),
      enqueueChannels: async (...given) => (await queue()).enqueueChannels(...given),
      enqueueWork: async (...given) => (await queue()).enqueueWork(...given),
      restartScan: async () => (await queue()).restartScan(),
      depth: async () => (await queue()).depth(),
      ping: async () => (await queue()).ping(),
      close: async () => {
        const used = await opened?.catch(() => undefined);
        await used?.queue.close();
        await used?.backend.close();
      },
    },
  };
}
