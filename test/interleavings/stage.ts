/** What interleavings are played on: a database, connections with gates, and a service; searches are made in batches. */
import { randomUUID } from 'node:crypto';
import type { PoolClient, QueryResult } from 'pg';
import { type Config, readConfig } from '../../src/config/config.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import type { WorkQueue } from '../../src/platform/queue/queue.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import { type Database, type Id, openDatabase } from '../../src/store/db/database.ts';
import { freshDatabase } from '../database.ts';
import { startStub, wirePost } from '../stub-service.ts';
import type { LeasedRun } from '../../src/store/runs/run-leases.ts';
import { type Gate, makeGate, type Mutation, type Statement } from './gate.ts';
import type { Limits } from './plan.ts';

/** The rows of one interleaving: a service with two searches. The first one is due, and each has a queued run. */
export type Scene = {
  /** Names it. */
  key: string;
  service: Id;
  slugs: readonly [string, string];
  searches: readonly [Id, Id];
  runs: readonly [Id, Id];
  /** The first slot that is due. */
  firstSlot: Date;
};

export const CONNECTIONS = 4;

export type Stage = {
  gates: readonly Gate[];
  /** Events of the world outside: leases that end, and the like. */
  outside: Gate;
  /** Holds a lock for a while. */
  slow: Gate;
  /** Asks what nobody must wait for. */
  observer: PoolClient;
  /** @param calledBefore whether its service has the row that minutes are counted in */
  nextScene(calledBefore: boolean): Promise<Scene>;
  /** For whoever works at this gate; calls are made to the service in this manner. */
  contextOf(gate: Gate, limits: Limits, response: ResponseKind): ActingContext;
  /** What is noted while one interleaving is played. */
  record: PlayRecord;
  reset(): void;
  /** Sets the clock of everyone ahead, until the next reset. */
  advance(ms: number): void;
  setMutation(mutation: Mutation | null): void;
  close(): Promise<void>;
};

/** How the service responds to the call of one worker. `stopping`: the worker stops before it sends. */
export const RESPONSES = [
  'posts',
  'unreadable',
  'unavailable',
  'refused',
  'unauthorized',
  'stopping',
] as const;
export type ResponseKind = (typeof RESPONSES)[number];

export type PlayRecord = {
  /** Runs that were offered to the queue, the newest last. */
  offered: Id[];
  violations: string[];
  /** Of successful leases, by run. */
  fences: Map<Id, number[]>;
  requests: string[];
  /** When executions of the request started. */
  executions: Date[];
  isRequestOverdue: boolean;
  /** Runs whose lease was not ended since their last lease. */
  leased: Set<Id>;
  /** Whether no scan was committed since the last one became old. */
  isOutage: boolean;
  /** Whether a process has died. */
  died: boolean;
  /** The newest fence of its run when a statement was sent. */
  fenceWhenSent: WeakMap<Statement, number>;
};

const BATCH = 200;
const DUE_MINUTES = 2;

const SET_UP = `
WITH moment AS (SELECT date_trunc('milliseconds', clock_timestamp()) AS now, date_trunc('minute', clock_timestamp()) AS minute),
keys AS (SELECT key, ord FROM unnest($1::text[]) WITH ORDINALITY u(key, ord)),
made_services AS (
  INSERT INTO strandline.services (name, kind, address, dialect, created_at)
  SELECT key, 'hosted', $2, 'named', now - interval '1 day' FROM keys, moment RETURNING id, name
), made_topics AS (
  INSERT INTO strandline.topics (slug, name, created_at) SELECT key, key, now - interval '1 day' FROM keys, moment RETURNING id, slug
), made_searches AS (
  INSERT INTO strandline.searches (topic_id, service_id, slug, operation, version, labels, state, state_since, created_at)
  SELECT t.id, s.id, key || side, 'microblog', 1, '{}', 'paused', now - interval '1 day', now - interval '1 day'
  FROM keys JOIN made_services s ON s.name = key JOIN made_topics t ON t.slug = key, unnest(ARRAY['-a', '-b']) side, moment
  RETURNING id, slug
), made_versions AS (
  INSERT INTO strandline.search_versions (search_id, version, request_version, prompt, tools, model, cron, tz, created_at)
  SELECT id, 1, 1, 'p', '{}', 'NOVA', '* * * * *', 'UTC', now - interval '1 day' FROM made_searches, moment
), made_states AS (
  INSERT INTO strandline.search_states (search_id, state, began_at) SELECT id, 'active', now - interval '1 day' FROM made_searches, moment
), made_runs AS (
  INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, slot_at, created_at, ended_at)
  SELECT id, 1, 1, 'schedule', 'cancelled', minute - interval '${DUE_MINUTES + 1} minutes', minute - interval '${DUE_MINUTES} minutes',
    minute - interval '${DUE_MINUTES} minutes'
  FROM made_searches, moment RETURNING id, search_id
)
SELECT k.key, s.id AS service, array_agg(w.id ORDER BY w.slug) AS searches, array_agg(w.slug ORDER BY w.slug) AS slugs,
  array_agg(r.id ORDER BY w.slug) AS runs, (SELECT minute - interval '${DUE_MINUTES} minutes' FROM moment) AS first_slot
FROM keys k JOIN made_services s ON s.name = k.key JOIN made_searches w ON w.slug IN (k.key || '-a', k.key || '-b') JOIN made_runs r ON r.search_id = w.id
GROUP BY k.key, k.ord, s.id ORDER BY k.ord`;

/**
 * The searches of a scene begin to take part, those of the scene before it no longer do: scans are to find one scene.
 * $1 searches, $2 first slot, $3 service, $4 whether it was called before, $5 searches of the scene before.
 */
const CHANGE_SCENE = `
WITH scanned AS (
  UPDATE strandline.scanner SET scanned_at = clock_timestamp() + interval '4 seconds'
), ended AS (
  UPDATE strandline.runs SET status = 'cancelled', ended_at = created_at, lease_until = NULL, offer_at = NULL
  WHERE search_id = ANY ($5::bigint[]) AND status IN ('queued', 'running')
), archived AS (
  UPDATE strandline.searches SET archived_at = clock_timestamp(), next_due_at = NULL WHERE id = ANY ($5::bigint[])
), due AS (
  UPDATE strandline.searches SET state = 'active',
    next_due_at = CASE WHEN id = ($1::bigint[])[1] THEN $2 ELSE clock_timestamp() + interval '1 day' END
  WHERE id = ANY ($1::bigint[])
), offered AS (
  UPDATE strandline.runs SET status = 'queued', ended_at = NULL, offer_at = clock_timestamp() - interval '1 second'
  WHERE search_id = ANY ($1::bigint[])
)
INSERT INTO strandline.call_minutes (service_id, sent_at) SELECT $3, '{}' WHERE $4`;

export async function openStage(): Promise<Stage> {
  const database = await freshDatabase();
  const log = createLogger('silent');
  const own: Database = openDatabase(database.url, { max: CONNECTIONS + 3, log });
  const clients = await Promise.all(Array.from({ length: CONNECTIONS + 3 }, () => own.pool.connect()));
  const [observer, ...gated] = clients as [PoolClient, ...PoolClient[]]; // there are seven
  let mutation: Mutation | null = null;
  let record = freshRecord();
  let ahead = 0;
  const clock: Clock = {
    now: () => new Date(Date.now() + ahead),
    statementTime: () => (ahead === 0 ? systemClock.statementTime() : clock.now()),
  };

  const events = {
    sent: (statement: Statement) => {
      const fence = record.fences.get(only(statement.values[0]) as Id)?.at(-1);
      if (fence !== undefined) record.fenceWhenSent.set(statement, fence);
    },
    completed: (statement: Statement, result: QueryResult) => note(record, statement, result),
    refused: (statement: Statement, state: string, error: Error) => {
      // Two runs of one search: the program expects it. What stands behind a failed statement fails with it.
      if (state === '25P02' || error.message.includes('runs_one_running')) return;
      record.violations.push(`Postgres refused ${statement.name}: ${error.message}`);
    },
  };
  const gates = await Promise.all(gated.map((client) => makeGate(client, events, () => mutation)));
  const [outside, slow] = [gates.pop(), gates.pop()];
  if (outside === undefined || slow === undefined)
    throw new Error('there is one connection for each worker, and two more');

  const stub = await startStub();
  stub.answers(async (request, response) => {
    const [run, call] = [String(request.headers['x-run-id']), String(request.headers['x-call'])];
    record.requests.push(`${run}/${call}`);
    const { rowCount } = await observer.query(
      'SELECT FROM strandline.responses WHERE run_id = $1 AND read_at IS NULL',
      [run],
    );
    if (rowCount !== 0)
      record.violations.push(`call ${call} of run ${run} was made although a stored response was unread`);
    const kind = request.path.split('/')[1];
    const [status, body] =
      kind === 'unavailable'
        ? [503, {}]
        : kind === 'unauthorized'
          ? [401, {}]
          : kind === 'unreadable'
            ? [200, { miner_tweets: 1 }]
            : [200, { miner_tweets: ['1', `${run}0${call}`].map((id) => wirePost(id)) }];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });

  const config: Config = readConfig({
    DATABASE_URL: database.url,
    SEARCH_API_URL: stub.url,
    SEARCH_API_KEY: 'k$y-of-the-test',
    RUN_LEASE_SECONDS: '600',
  });
  let scenes: Scene[] = [];
  let before: readonly Id[] = [];
  const queue: WorkQueue = {
    kind: 'postgres',
    enqueueRuns: (runs) => {
      record.offered.push(...runs.map(({ runId }) => runId));
      return Promise.resolve();
    },
    enqueueChannels: () => Promise.resolve(),
    enqueueWork: () => Promise.resolve(),
    restartScan: () => Promise.resolve(),
    depth: () => Promise.resolve({}),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return {
    gates,
    outside,
    slow,
    observer,
    get record() {
      return record;
    },
    reset: () => {
      record = freshRecord();
      ahead = 0;
    },
    advance: (ms) => {
      ahead += ms;
    },
    nextScene: async (calledBefore) => {
      if (scenes.length === 0) scenes = await makeScenes(observer, stub.url);
      const scene = scenes.shift();
      if (scene === undefined) throw new Error('no scene was made');
      const { searches, firstSlot, service } = scene;
      await observer.query({
        name: 'change_scene',
        text: CHANGE_SCENE,
        values: [searches, firstSlot, service, calledBefore, before],
      });
      before = searches;
      return scene;
    },
    contextOf: (gate, limits, response) => ({
      config: {
        ...config,
        maxCallsPerRun: limits.perRun,
        callsPerDay: limits.perDay,
        callsPerMinute: limits.perMinute,
      },
      kind: 'real',
      clock,
      log: watchedLog(log, record),
      db: gate.db,
      queue,
      worker: `connection ${gates.indexOf(gate)}`,
      actor: { kind: 'program', name: 'interleavings' },
      // A port that nobody listens at: the call certainly never left.
      endpoint: () =>
        Promise.resolve({
          baseUrl: response === 'refused' ? 'http://127.0.0.1:1' : stub.url,
          prefix: response,
          key: undefined,
        }),
      ownSources: () => Promise.resolve('none'),
      progress: () => [],
      missingTools: () => Promise.resolve([]),
      serviceSources: () => Promise.resolve([]),
      isFree: () => Promise.resolve(true),
      judge: null,
      briefWriter: null,
      translator: null,
      random: () => 0.5,
    }),
    setMutation: (next) => {
      mutation = next;
    },
    close: async () => {
      for (const client of clients) client.release();
      await own.close();
      await stub.close();
      await database.drop();
    },
  };
}

async function makeScenes(db: PoolClient, address: string): Promise<Scene[]> {
  const keys = Array.from({ length: BATCH }, () => `i${randomUUID()}`);
  const { rows } = await db.query<Omit<Scene, 'firstSlot'> & { first_slot: Date }>(SET_UP, [keys, address]);
  return rows.map(({ first_slot: firstSlot, ...row }) => ({ ...row, firstSlot }));
}

function freshRecord(): PlayRecord {
  return {
    offered: [],
    violations: [],
    fences: new Map(),
    requests: [],
    executions: [],
    isRequestOverdue: false,
    leased: new Set(),
    isOutage: false,
    died: false,
    fenceWhenSent: new WeakMap(),
  };
}

/** What only whoever sees the order of statements knows. */
function note(record: PlayRecord, statement: Statement, { rows, rowCount }: QueryResult): void {
  const { name, values } = statement;
  if (name === 'begin_scan' && rowCount !== 0) record.isOutage = false;
  if (name === 'lease_run') for (const row of rows) noteLease(record, row as LeasedRun); // what the statement returns
  const won = name === 'win_run' && rowCount !== 0;
  const opened = name === 'open_call' && (rows[0] as { kind: string } | undefined)?.kind === 'opened';
  if (!won && !opened) return;
  const newest = record.fenceWhenSent.get(statement) ?? 0;
  if (newest > Number(only(values[1])))
    record.violations.push(
      `run ${String(only(values[0]))} was ${won ? 'saved' : 'called for'} by somebody who had lost it`,
    );
}

/** Of a statement for many runs: here each connection has one. */
function only(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

function noteLease(
  record: PlayRecord,
  { id, fence, leases }: Pick<LeasedRun, 'id' | 'fence' | 'leases'>,
): void {
  const before = record.fences.get(id) ?? [];
  if (before.some((other) => other >= fence))
    record.violations.push(`run ${id} was leased with fence ${fence}, which is not new`);
  if (leases > 1 && record.leased.has(id))
    record.violations.push(`run ${id} was leased although its lease went on`);
  if (leases > 1 && record.isOutage)
    record.violations.push(`run ${id} was taken over before a scan had extended its lease`);
  record.fences.set(id, [...before, fence]);
  record.leased.add(id);
}

/** What is logged where the service refuses the key, or its response says nothing. */
const EXPECTED = new Set(['all searches of the service stopped', 'late response unreadable']);

/** What a program logs as an error is one; so is a database that seems to be away. */
function watchedLog(log: Logger, record: PlayRecord): Logger {
  const hear = (fields: object, message: string) => {
    if (EXPECTED.has(message)) return;
    const why = 'err' in fields && fields.err instanceof Error ? `: ${fields.err.message}` : '';
    record.violations.push(`logged "${message}"${why}`);
  };
  return Object.assign(Object.create(log) as Logger, { error: hear, warn: hear }); // the same logger, heard
}
