/** What service and receiver saw, next to the tables of the program. */
import type { Pool } from 'pg';
import { type Receiver, read } from '../tell/receiver.ts';
import type { ScriptedService } from './service.ts';

const TABLES = `
CREATE SCHEMA IF NOT EXISTS faults;
CREATE TABLE IF NOT EXISTS faults.requests (run_id bigint, n int, prompt text, at timestamptz, answered boolean);
CREATE TABLE IF NOT EXISTS faults.served (run_id bigint, n int, kind text, external text);
CREATE TABLE IF NOT EXISTS faults.receipts (path text, message_id text, hash text, rule text);
CREATE TABLE IF NOT EXISTS faults.told (path text, message_id text, rule text, discovery_id bigint);
TRUNCATE faults.requests, faults.served, faults.receipts, faults.told`;

export async function writeHistory(
  pool: Pool,
  { asked }: Pick<ScriptedService, 'asked'>,
  { received }: Pick<Receiver, 'received'>,
): Promise<void> {
  await pool.query(TABLES);
  await insert(
    pool,
    'faults.requests',
    asked.map(({ runId, call, prompt, at, answered }) => ({
      run_id: String(runId),
      n: call,
      prompt,
      at,
      answered,
    })),
  );
  const served = asked.flatMap(({ runId, call, posts, links }) => [
    ...posts.map((external) => ({ run_id: String(runId), n: call, kind: 'post', external })),
    ...links.map((external) => ({ run_id: String(runId), n: call, kind: 'link', external })),
  ]);
  await insert(pool, 'faults.served', served);
  const receipts = received.map((one) => {
    const { data } = read(one);
    return {
      path: one.path,
      message_id: one.id,
      hash: one.hash,
      rule: data.rule ?? null,
      ids: [...data.discoveries.map(({ id }) => id), ...data.further_ids],
    };
  });
  await insert(pool, 'faults.receipts', receipts);
  const told = receipts.flatMap(({ ids, path, message_id, rule }) =>
    ids.map((discovery_id) => ({ path, message_id, rule, discovery_id })),
  );
  await insert(pool, 'faults.told', told);
}

async function insert(pool: Pool, table: string, rows: readonly object[]): Promise<void> {
  await pool.query(`INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1)`, [
    JSON.stringify(rows),
  ]);
}
