import type { Client } from 'pg';
import { Refused } from '../errors.ts';
import type { Logger } from './logger.ts';
import { QUEUE_CLIENT, QUEUE_PARTS, QUEUE_VERSION } from './queue-parts.ts';

/** The Postgres schema of the queue. */
export const QUEUE_SCHEMA = 'bullmq';

/** `absent`: no tables, or some part of what BullMQ's migrations made is missing or different. What others added is no matter. */
export type QueueState = 'absent' | 'behind' | 'current' | 'newer';

/**
 * Brings the queue's tables up to date, in one transaction of BullMQ's own. The client must be a single
 * connection.
 * @returns whether there was anything to do, and where the queue was damaged a sentence for a person
 * @throws Refused where a newer BullMQ made them
 */
export async function migrateQueue(
  client: Client,
  log: Logger,
): Promise<{ migrated: boolean; note?: string }> {
  const before = await queueState(client);
  if (before === 'newer')
    throw new Refused(
      'conflict',
      `The schema "${QUEUE_SCHEMA}" was made by a newer BullMQ than the one in this strandline; ` +
        'use the newer strandline.',
    );
  if (before === 'current') return { migrated: false };
  const note = before === 'absent' ? await dropDamaged(client, log) : undefined;
  const { runMigrations } = await import('bullmq');
  await runMigrations(client, QUEUE_SCHEMA);
  return { migrated: true, ...(note === undefined ? {} : { note }) };
}

/** So many missing parts are named; the others are counted. */
const MAX_NAMED = 5;

/** What is left of a queue cannot be migrated, and nothing in it is needed: the scan offers all work again. */
async function dropDamaged(client: Client, log: Logger): Promise<string | undefined> {
  const found = await readParts(client);
  let note: string | undefined;
  if (found.size > 0) {
    const lost = missingOf(found).map((part) => part.split(':', 2).join(' '));
    if (lost.length === 0) lost.push('rows of the table migration');
    const more = lost.length > MAX_NAMED ? ` and ${lost.length - MAX_NAMED} more` : '';
    const missing = lost.slice(0, MAX_NAMED).join(', ') + more;
    log.warn({ schema: QUEUE_SCHEMA, missing }, 'queue schema damaged, creating it again');
    note = `The schema "${QUEUE_SCHEMA}" was damaged and has been created again; missing or different: ${missing}.`;
  }
  await client.query(`DROP SCHEMA IF EXISTS ${QUEUE_SCHEMA} CASCADE`);
  return note;
}

function missingOf(found: ReadonlySet<string>): string[] {
  return QUEUE_PARTS.filter((part) => !found.has(part));
}

/** In what state the queue's tables are. */
export async function queueState(client: Client): Promise<QueueState> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('${QUEUE_SCHEMA}.migration') IS NOT NULL AS there`,
  );
  if (rows[0]?.there !== true) return 'absent';
  // As BullMQ reads it, which every command would load for this. A schema says which of its clients may still use it.
  const { rows: made } = await client.query<{ version: number | null; client: number | null }>(
    `SELECT max(version)::int AS version, max((to_jsonb(m)->>'min_client_version')::int) AS client
     FROM ${QUEUE_SCHEMA}.migration m`,
  );
  const { version = null, client: oldestClient = null } = made[0] ?? {};
  if (version === null) return 'absent';
  if (oldestClient !== null && oldestClient > QUEUE_CLIENT) return 'newer';
  if (version !== QUEUE_VERSION) return version < QUEUE_VERSION ? 'behind' : 'current';
  return missingOf(await readParts(client)).length === 0 ? 'current' : 'absent';
}

/**
 * Tables by their columns, indexes, sequences, triggers and functions, each as `kind:name:definition`. Not in the words that
 * the server writes for them, which depend on its version and on the search path.
 */
export async function readParts(client: Client): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ part: string }>(
    `SELECT 'column:' || c.relname || '.' || a.attname || ':' || y.typname || CASE WHEN a.attnotnull THEN '!' ELSE '' END AS part
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     JOIN pg_type y ON y.oid = a.atttypid
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p')
     UNION ALL
     SELECT 'index:' || c.relname || ':' || string_agg(a.attname, ',' ORDER BY a.attnum)
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = to_regnamespace($1) AND c.relkind = 'i' GROUP BY c.oid, c.relname
     UNION ALL
     SELECT 'sequence:' || relname || ':' FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind = 'S'
     UNION ALL
     SELECT 'trigger:' || c.relname || '.' || t.tgname || ':' FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
     WHERE c.relnamespace = to_regnamespace($1) AND NOT t.tgisinternal
     UNION ALL
     SELECT 'function:' || proname || '/' || pronargs || ':' || left(md5(prosrc), 8)
     FROM pg_proc WHERE pronamespace = to_regnamespace($1)`,
    [QUEUE_SCHEMA],
  );
  return new Set(rows.map(({ part }) => part));
}
