import type { AskedSource } from '../model/asked-source.ts';
import type { BriefWriter } from '../model/briefs.ts';
import type { Translator } from '../model/translating.ts';
import type { Judge } from '../model/judging.ts';
import type { DatabaseKind } from '../model/database-kind.ts';
import type { Source } from '../model/enumerations.ts';
import type { MissingTool } from '../model/tool-coverage.ts';
import type { Config } from '../config/config.ts';
import type { Actor } from '../store/access/audit-entries.ts';
import type { ServiceKind } from '../model/closed-lists.ts';
import type { Database, Id } from '../store/db/database.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { WorkQueue } from '../platform/queue/queue.ts';

/** The address and key of a service. Its dialect is stored with the service in the database. */
type Endpoint = { baseUrl: string; prefix: string | undefined; key: string | undefined };

/** Public sources of the own service: at least one responds, none does now, or there are none (`SERVICE_SOURCES=sandbox`). */
export type OwnSources = 'answering' | 'unreachable' | 'none';

/** A source of the own service: on, or off with the reason, and how it did since this process started. */
export type ServiceSource = {
  name: string;
  source: Source;
  title: string;
  isOn: boolean;
  /** Why it is off: `needs BRAVE_API_KEY`. */
  reason: string | undefined;
  lastSuccess: Date | undefined;
  lastFailure: { at: Date; reason: string } | undefined;
};

/** A database that a program runs itself, with that of the sandbox beside it. */
export type EmbeddedDatabase = { url: string; sandbox: { url: string }; dataDirectory: string };

/** Everything that functions of the monitor need. Passed in, never imported, so that tests can replace it. */
export type Context = {
  config: Config;
  /** Kind of the database: a program of the sandbox calls the sandbox's service, any other program never does. */
  kind: DatabaseKind;
  clock: Clock;
  log: Logger;
  db: Database;
  queue: WorkQueue;
  /** Name of this process among the workers. */
  worker: string;
  /** @throws RunError if this process is not configured to reach the service */
  endpoint: (kind: ServiceKind) => Promise<Endpoint>;
  /** @param after.failed no source responded to a call: probes again, at most every ten seconds */
  ownSources: (after?: { failed: boolean }) => Promise<OwnSources>;
  /** Tools that have no source on a service of this program; none for a hosted service, which is not asked. */
  missingTools: (kind: ServiceKind) => Promise<readonly MissingTool[]>;
  /** Sources of the own service; none in the sandbox. Sends no requests. */
  serviceSources: () => Promise<readonly ServiceSource[]>;
  /** What a run asks its sources, as they respond; empty unless this process runs it, on a service of its own. */
  progress: (kind: ServiceKind, runId: Id) => readonly AskedSource[];
  /** Whether calls of a service are known to cost nothing. */
  isFree: (kind: ServiceKind) => Promise<boolean>;
  /** Judges by the goals of topics; null: no language model is configured (`LLM_BASE_URL`). */
  judge: Judge | null;
  /** Writes briefs; null: no language model is configured. */
  briefWriter: BriefWriter | null;
  /** Translates for readers; null: no language model is configured. */
  translator: Translator | null;
  /** From 0 to below 1; spreads retries. */
  random: () => number;
};

/**
 * The context of a person or client who changes something; changes are recorded under their name. Entry points create it
 * from the visitor of a request or the account that runs a command. Workers have none.
 */
export type ActingContext = Context & { actor: Actor };
