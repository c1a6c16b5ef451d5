/** A connection pool with limits per visitor, so that one visitor can never use all connections. */
import { callbackify } from 'node:util';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
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

type Connected = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (broken?: Error | boolean) => void,
) => void;

/**
 * A pool whose connections are requested like any other. @throws Refused `unavailable` if no connection of the
 * visitor's share is free in time
 */
export class SharedPool extends Pool {
  readonly #shares: ConnectionShares;
  readonly #visitors = new Map<string, { held: number; line: (() => void)[] }>();
  #all = 0;
  /** The visitor of each connection in use. */
  readonly #holders = new WeakMap<object, string>();

  constructor(config: PoolConfig, shares: ConnectionShares) {
    super(config);
    this.#shares = shares;
    this.on('release', (_error, client) => {
      const who = this.#holders.get(client);
      if (who === undefined) return;
      this.#holders.delete(client);
      this.#leave(who);
    });
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

  async #connect(): Promise<PoolClient> {
    const who = this.#shares.who();
    if (who === undefined) return super.connect();
    await this.#enter(who);
    try {
      const client = await super.connect();
      this.#holders.set(client, who);
      return client;
    } catch (error) {
      this.#leave(who);
      throw error;
    }
  }

  /** Waits for a slot. */
  async #enter(who: string): Promise<void> {
    const { all, each, waitMs } = this.#shares;
    const visitor = this.#visitors.get(who) ?? { held: 0, line: [] };
    this.#visitors.set(who, visitor);
    if (this.#all < all && visitor.held < each) {
      this.#all += 1;
      visitor.held += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        visitor.line.splice(visitor.line.indexOf(go), 1);
        this.#forget(who);
        const words =
          visitor.held >= each
            ? `your other requests are using all ${each} database connections of one visitor; send fewer at a time`
            : `all ${all} database connections for requests are in use; try again later`;
        reject(new Refused('unavailable', words));
      }, waitMs);
      const go = () => {
        clearTimeout(late);
        resolve();
      };
      visitor.line.push(go);
    });
  }

  /** Passes the slot to the waiting visitor with the fewest connections. */
  #leave(who: string): void {
    this.#all -= 1;
    const left = this.#visitors.get(who);
    if (left !== undefined) left.held -= 1;
    const waiting = [...this.#visitors.values()].filter(
      ({ held, line }) => line.length > 0 && held < this.#shares.each,
    );
    const least = Math.min(...waiting.map(({ held }) => held));
    const next = waiting.find(({ held }) => held === least);
    if (next !== undefined) {
      this.#all += 1;
      next.held += 1;
      next.line.shift()?.();
    }
    this.#forget(who);
  }

  #forget(who: string): void {
    const visitor = this.#visitors.get(who);
    if (visitor?.held === 0 && visitor.line.length === 0) this.#visitors.delete(who);
  }
}
