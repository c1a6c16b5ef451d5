import type { Settings } from '../../src/platform/postgres/server.ts';
import type { CheckId } from './checks.ts';
import type { Stage } from './stage.ts';

export type BackendName = 'postgres' | 'redis';

/** A row of the fault table: one fault, what has to hold under it, and how both are made to happen. */
export type Row = Readonly<{
  /** As in the table: `F11`. Rows of one fault that differ in a case are `F50 429`, `F50 302`. */
  id: string;
  /** What it shows, as a sentence. */
  title: string;
  /** Core rows hold before anything is released. */
  core: boolean;
  /** Played with every `npm test`: it has to be quick. On one back end where what it shows does not touch the queue. */
  everyCommit?: boolean | BackendName;
  /** Both, unless the fault can be had on one only. */
  backends?: readonly BackendName[];
  /** A server of its own, with these settings, where it is to be killed, stopped, filled. */
  postgres?: Settings;
  /** The same; as on the command line of a redis-server. Left alone on the Postgres back end. */
  redis?: readonly string[];
  /** Lets `stage.moveTime` move the clocks of all processes and of the database together. */
  movesTime?: boolean;
  /** Needs a small disk of its own: left out where this process may not mount one. */
  mounts?: boolean;
  /** For every worker of the row; see `stage.start` for what holds otherwise. */
  env?: Readonly<Record<string, string>>;
  /** It fails when it has not ended by then; a minute unless said. */
  seconds?: number;
  /** Where work goes on coming while the row ends: what is younger than this may be left undone. */
  restMs?: number;
  /** Universal checks that do not apply, each with the reason why. */
  except?: Readonly<Partial<Record<CheckId, string>>>;
  /** Where a library keeps it from holding: which, the issue upstream, and what guards against it here. */
  guard?: string;
  play(stage: Stage): Promise<void>;
}>;
