import type { Settings } from '../../src/platform/postgres/server.ts';
import type { CheckId } from './checks.ts';
import type { Stage } from './stage.ts';

export type BackendName = 'postgres' | 'redis';

/** A row of the fault table: a fault, what must hold under it, and how both are produced. */
export type Row = Readonly<{
  /** As in the table: `F11`. Rows of one fault that differ in a case are `F50 429`, `F50 302`. */
  id: string;
  /** What it shows, as a sentence. */
  title: string;
  /** Core rows pass before any release. */
  core: boolean;
  /** Played with every `npm run test:all`: it has to be fast. On one back end if it does not involve the queue. */
  everyCommit?: boolean | BackendName;
  /** Played with every `npm test`, with the queue in Postgres: the six that matter most. */
  main?: boolean;
  /** Both, unless the fault exists on one only. */
  backends?: readonly BackendName[];
  /** Its own server with these settings, if it is to be killed, stopped or filled. */
  postgres?: Settings;
  /** The same; as on the command line of a redis-server. Ignored on the Postgres back end. */
  redis?: readonly string[];
  /** Allows `stage.moveTime` to move the clocks of all processes and of the database together. */
  movesTime?: boolean;
  /** Needs its own small disk: skipped if this process may not mount one. */
  mounts?: boolean;
  /** For every worker of the row; see `stage.start` for the defaults. */
  env?: Readonly<Record<string, string>>;
  /** It fails if it has not ended by then; a minute by default. */
  seconds?: number;
  /** If new work arrives while the row ends: work younger than this may be pending. */
  restMs?: number;
  /** Checks that do not apply, each with its reason. */
  except?: Readonly<Partial<Record<CheckId, string>>>;
  /** If a library prevents it from passing: which one, the upstream report, and what guards against it here. */
  guard?: string;
  play(stage: Stage): Promise<void>;
}>;
