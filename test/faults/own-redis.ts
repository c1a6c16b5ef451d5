/** A Redis of a single row, which can be killed, emptied and filled. */
import { rm } from 'node:fs/promises';
import { type RunningRedis, startRedis } from '../redis.ts';
import { makeDirectory } from '../temporary.ts';
import type { Wire } from './wire.ts';

export type OwnRedis = Readonly<{
  /** Its current address; clients that must find it after a restart use the wire. */
  url(): string;
  /** Killed or stopped cleanly. It stays down until it is started. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Starts it again on its stored data; the wire leads to it. */
  start(): Promise<void>;
  close(): Promise<void>;
}>;

/** @param settings as on its command line: `['--appendonly', 'yes']` */
export async function openOwnRedis(
  settings: readonly string[] = [],
): Promise<OwnRedis & { lead(wire: Wire): void }> {
  const directory = await makeDirectory();
  let running: RunningRedis;
  let wire: Wire | undefined;
  const start = async () => {
    const started = await startRedis(directory, settings);
    if (started === undefined) throw new Error('there is no redis-server on the PATH');
    running = started;
    wire?.leadTo(running.port);
  };
  await start();
  return {
    url: () => running.url,
    stop: (signal) => running.stop(signal),
    start,
    lead: (to) => {
      wire = to;
    },
    close: async () => {
      await running.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
