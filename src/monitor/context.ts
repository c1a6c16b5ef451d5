import type { Config } from '../config/config.ts';
import type { Actor } from '../store/audit-entries.ts';
import type { ServiceKind } from '../store/services.ts';
import type { Database } from '../store/database.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { WorkQueue } from '../platform/queue/queue.ts';

/** Where a service is called and with which key; in which words stands with the service in the database. */
type Endpoint = { baseUrl: string; prefix: string | undefined; key: string | undefined };

/**
 * How it stands with the public sources of one's own service: one of them answers, none does just now, or
 * there are none (`SERVICE_SOURCES=sandbox`).
 */
export type OwnSources = 'answering' | 'silent' | 'none';

/** Everything that functions of the monitor need. Passed in, never imported, so that a test can pass something else. */
export type Context = {
  config: Config;
  clock: Clock;
  log: Logger;
  db: Database;
  queue: WorkQueue;
  /** Name of this process among the workers. */
  worker: string;
  /** The simulation whose searches this context creates and runs; null: those that the database's clock drives. */
  simulation: string | null;
  /** @throws RunError where this process does not know how to reach the service */
  endpoint: (kind: ServiceKind) => Promise<Endpoint>;
  ownSources: () => Promise<OwnSources>;
  /** From 0 to below 1; spreads retries. */
  random: () => number;
};

/**
 * The context of whoever changes something by intention: what they change is recorded under their name. Entry points make it,
 * of a request's visitor or of the account that runs a command; workers have none.
 */
export type ActingContext = Context & { actor: Actor };
