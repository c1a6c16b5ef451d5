/** One connection to Postgres on which all workers of a process are notified of jobs. */
import { EventEmitter } from 'node:events';
import type { Pool, PoolClient } from 'pg';

/** What BullMQ uses of a connection that it takes from a pool. */
export type Listener = EventEmitter & {
  query: (text: string, values?: unknown[]) => Promise<unknown>;
  release: (broken?: Error | boolean) => void;
};

/**
 * BullMQ takes a connection from the pool for each worker, and keeps it to listen on one channel for all queues. Here all workers
 * share a connection: each has listeners of its own, and lets go by itself. The connection returns to the pool when the last one
 * has let go; when it breaks, all are told, and the next one opens another.
 */
export function shareListener(pool: Pool): () => Promise<Listener> {
  let shared: Shared | undefined;
  return async () => {
    shared ??= open(pool);
    const mine = shared;
    const forget = () => {
      if (shared === mine) shared = undefined;
    };
    mine.users += 1;
    const client = await mine.client.catch((error: unknown) => {
      forget();
      throw error;
    });
    return viewOf(client, mine, forget);
  };
}

type Shared = {
  client: Promise<PoolClient>;
  users: number;
  isReturned: boolean;
  /** The statement before, which the next one waits for. */
  last: Promise<unknown>;
};

function open(pool: Pool): Shared {
  const opening = pool.connect().then((client) => {
    // Each worker adds a listener for notifications, and one for errors.
    client.setMaxListeners(0);
    return client;
  });
  return { client: opening, users: 0, isReturned: false, last: Promise.resolve() };
}

/** @param forget lets the next user open another connection */
function viewOf(client: PoolClient, shared: Shared, forget: () => void): Listener {
  const view = new EventEmitter();
  const onNotification = (message: unknown) => view.emit('notification', message);
  const onError = (error: Error) => {
    forget();
    // Without a listener, an error event would end the process.
    if (view.listenerCount('error') > 0) view.emit('error', error);
  };
  client.on('notification', onNotification);
  client.on('error', onError);
  let isOver = false;
  return Object.assign(view, {
    query: (text: string, values?: unknown[]) => {
      // Each worker would give the connection its own name.
      if (text.includes('application_name')) return Promise.resolve();
      const result = shared.last.then(() => client.query(text, values));
      shared.last = result.catch(() => {});
      return result;
    },
    release: (broken?: Error | boolean) => {
      if (isOver) return;
      isOver = true;
      client.off('notification', onNotification);
      client.off('error', onError);
      shared.users -= 1;
      const isBroken = broken !== undefined && broken !== false;
      if (shared.isReturned || (!isBroken && shared.users > 0)) return;
      shared.isReturned = true;
      forget();
      client.release(broken);
    },
  });
}
