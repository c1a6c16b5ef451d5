/**
 * A connection whose statements wait for permission. The program that uses it gets an ordinary pool with this one
 * connection; it does not know that a schedule decides when each of its statements is sent.
 */
import { createHash } from 'node:crypto';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { type Database, readSqlState } from '../../src/store/db/database.ts';

/** A statement as a schedule prints it, with what it is called with. */
export type Statement = { name: string; values: readonly unknown[] };

/** What is replaced in the text of statements, so that a test can prove what it would find. */
export type Mutation = (text: string) => string;

export type GateEvents = {
  sent(statement: Statement): void;
  completed(statement: Statement, result: QueryResult): void;
  /** @param state SQLSTATE */
  refused(statement: Statement, state: string, error: Error): void;
};

export type Gate = {
  /** Of its server process. */
  readonly pid: number;
  /** Another one once its process has ended: what that waited for is never answered. */
  readonly db: Database;
  /** `ready`: the next statement waits for permission. `sent`: Postgres has not answered yet. */
  state(): 'running' | 'ready' | 'sent' | 'ended';
  /** Whether it is in a transaction that did something. */
  mayHoldLocks(): boolean;
  /** The statement that waits for permission. */
  next(): Statement | undefined;
  /** Uses the connection for this work; statements are permitted one by one. */
  begin(work: () => Promise<unknown>): void;
  /** Sends the next statement. */
  permit(): void;
  /** Resolves once Postgres has answered and whoever works waits for permission again, or has ended. */
  arrived(): Promise<void>;
  /** The process ends between two statements: what waits is never sent, what is open is rolled back. */
  die(): Promise<void>;
  /** All statements are sent at once while this is on. */
  setOpen(open: boolean): void;
};

type Waiting = Statement & { free: boolean; send: () => Promise<void> };

/** They neither change nor read anything that another connection sees. */
const FREE = /^(BEGIN$|SET LOCAL )/;
const FREE_NAMES = new Set(['read_time']);

export async function makeGate(
  client: PoolClient,
  events: GateEvents,
  mutation: () => Mutation | null,
): Promise<Gate> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  let waiting: Waiting[] = [];
  let sent = false;
  let ended = true;
  let open = false;
  let inTransaction = false;
  let holdsLocks = false;
  /** Counts whoever used the connection; one that has died must not be heard any more. */
  let life = 0;
  let arrivals: (() => void)[] = [];

  const state = () => (sent ? 'sent' : ended ? 'ended' : waiting.length > 0 ? 'ready' : 'running');

  function notice(): void {
    if (!sent && waiting[0] !== undefined && (open || waiting[0].free)) return pass();
    if (state() !== 'ready' && state() !== 'ended') return;
    const resolved = arrivals;
    arrivals = [];
    for (const resolve of resolved) resolve();
  }

  function pass(): void {
    const statement = waiting.shift();
    if (statement === undefined) throw new Error('no statement waits');
    sent = true;
    void statement.send();
  }

  function query(config: unknown, given?: unknown[]): Promise<QueryResult> {
    const { text, name, values } = describe(config, given);
    const mine = life;
    return new Promise((resolve, reject) => {
      const statement: Statement = { name: name ?? shorten(text), values };
      const free = FREE.test(text) || (name !== undefined && FREE_NAMES.has(name));
      const send = async () => {
        try {
          events.sent(statement);
          const result: QueryResult = await client.query(
            mutated(config, text, name, mutation()),
            given as unknown[],
          ); // pg takes undefined for no values
          settle(text, free);
          events.completed(statement, result);
          resolve(result);
        } catch (error) {
          settle(text, free);
          const failure = error instanceof Error ? error : new Error(String(error));
          events.refused(statement, readSqlState(failure), failure);
          reject(failure);
        }
        notice();
      };
      if (mine !== life) return;
      waiting.push({ ...statement, free, send });
      notice();
    });
  }

  function settle(text: string, free: boolean): void {
    sent = false;
    if (text === 'BEGIN') inTransaction = true;
    if (text === 'COMMIT' || text === 'ROLLBACK') inTransaction = false;
    holdsLocks = inTransaction && (holdsLocks || !free);
  }

  const lent = { query, release: () => {} };
  // What the store uses of a pool.
  const pool = { query, connect: () => Promise.resolve(lent) } as unknown as Pool;
  const openPool = (): Database => ({ pool, orm: drizzle(pool), close: () => Promise.resolve() });
  let db = openPool();

  return {
    pid,
    get db() {
      return db;
    },
    state,
    mayHoldLocks: () => holdsLocks,
    next: () => waiting[0],
    begin: (work) => {
      ended = false;
      const mine = life;
      void work().finally(() => {
        if (mine !== life) return;
        ended = true;
        notice();
      });
    },
    permit: pass,
    arrived: () => {
      if (state() === 'ready' || state() === 'ended') return Promise.resolve();
      return new Promise((resolve) => {
        arrivals.push(resolve);
      });
    },
    die: async () => {
      life += 1;
      db = openPool();
      waiting = [];
      ended = true;
      if (inTransaction) await client.query('ROLLBACK');
      inTransaction = false;
      holdsLocks = false;
    },
    setOpen: (now) => {
      open = now;
      notice();
    },
  };
}

function describe(
  config: unknown,
  given: unknown[] | undefined,
): { text: string; name: string | undefined; values: unknown[] } {
  if (typeof config === 'string') return { text: config, name: undefined, values: given ?? [] };
  const { text, name, values } = config as { text: string; name?: string; values?: unknown[] }; // pg's QueryConfig
  return { text, name, values: values ?? given ?? [] };
}

/** A prepared statement of another text needs another name. */
function mutated(config: unknown, text: string, name: string | undefined, mutation: Mutation | null): string {
  const changed = mutation?.(text) ?? text;
  if (changed === text) return config as string; // or a config: pg takes both
  if (typeof config === 'string') return changed;
  const named = name === undefined ? {} : { name: nameOf(changed) };
  return { ...(config as object), ...named, text: changed } as unknown as string; // as above
}

/** Names are the server's for as long as the connection lasts. */
function nameOf(text: string): string {
  return `mutated_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function shorten(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ').replaceAll('strandline.', '');
  return line.length > 70 ? `${line.slice(0, 70)}…` : line;
}
