/** A connection pool with limits per visitor, so that one visitor can never use all connections. */
import { callbackify } from 'node:util';
import { LRUCache } from 'lru-cache';
import pLimit, { type LimitFunction } from 'p-limit';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { getOrMake } from '../../lib/get-or-make.ts';
import { Refused } from '../../model/errors.ts';

export type ConnectionShares = {
  /** The visitor requesting a connection; undefined for the program itself, which has no limit. */
  who: () => string | undefined;
  /** Maximum connections of all visitors, below the pool size, so that some are left for the program. */
  all: number;
  /** Maximum connections per visitor. */
  each: number;
  /** How long a visitor may wait for a connection. */
  waitMs: number;
};

/** More visitors than have requests at a time; a forgotten visitor begins a new line. */
const MAX_VISITORS = 10_000;

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (broken?: Error | boolean) => void,
) => void;

/**
 * A pool whose connections are requested like any other. A visitor's requests wait in a line of their own for one of the
 * visitor's connections, and then, so at most `each` at a time, in the line of all visitors.
 * @throws Refused `unavailable` if no connection of the visitor's share is free in time
 */
export class SharedPool extends Pool {
  readonly #shares: ConnectionShares;
  readonly #everybody: LimitFunction;
  readonly #visitors = new LRUCache<string, LimitFunction>({ max: MAX_VISITORS });
  /** Ends the turn of each connection in use by a visitor. */
  readonly #turns = new WeakMap<object, () => void>();

  constructor(config: PoolConfig, shares: ConnectionShares) {
    super(config);
    this.#shares = shares;
    this.#everybody = pLimit(shares.all);
    this.on('release', (_error, client) => this.#turns.get(client)?.());
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    if (callback === undefined) return this.#connect();
    callbackify(() => this.#connect())((error: Error | null, client?: PoolClient) =>
      callback(error ?? undefined, client, (broken) => client?.release(broken)),
    );
    return undefined;
  }

  #connect(): Promise<PoolClient> {
    const who = this.#shares.who();
    if (who === undefined) return super.connect();
    const own = getOrMake<string, LimitFunction>(this.#visitors, who, () => pLimit(this.#shares.each));
    return new Promise((resolve, reject) => {
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
        reject(new Refused('unavailable', this.#describeWait()));
      }, this.#shares.waitMs);
      const turn = async () => {
        if (isLate) return;
        clearTimeout(late);
        const client = await super.connect();
        const released = new Promise<void>((end) => this.#turns.set(client, end));
        resolve(client);
        await released;
      };
      own(() => this.#everybody(turn)).catch(reject);
    });
  }

  #describeWait(): string {
    const { all, each } = this.#shares;
    return this.#everybody.activeCount >= all
      ? `all ${all} database connections for requests are in use; try again later`
      : `your other requests are using all ${each} database connections of one visitor; send fewer at a time`;
  }
}
