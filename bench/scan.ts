/**
 * What a scan reads: buffers of tables and indexes, with nothing due and with 1,000 searches due, in databases of 10,000 and
 * of a million searches. A scan must cost what is due, and not what is saved. It prints and fails on nothing.
 *
 *   npm run -s bench:scan -- [--searches 10000,1000000]
 */
import { parseArgs } from 'node:util';
import { createLogger } from '../src/platform/logger.ts';
import { connect } from '../src/platform/postgres/connect.ts';
import type { Context } from '../src/monitor/context.ts';
import { scan } from '../src/monitor/schedule/scan.ts';
import { type Database, openDatabase } from '../src/store/db/database.ts';
import { ensureService } from '../src/store/services/services.ts';
import { median } from './measure.ts';
import { webHomeOn } from './pages/web-home.ts';
import { aligned } from './report.ts';
import { openStage, START } from './stage.ts';

const DUE = 1_000;
const ROUNDS = 5;
/** Both within this share of the smallest database's. */
const TARGET = 1.2;

const { values } = parseArgs({ options: { searches: { type: 'string', default: '10000,1000000' } } });
const sizes = values.searches.split(',').map(Number);

const stage = await openStage(4);
try {
  const measured: { searches: number; idle: number; due: number }[] = [];
  for (const searches of sizes) {
    const { db, url, readerUrl } = await stage.addDatabase(`scan_${searches}`);
    await fill(db, url, searches);
    // One connection: its statistics are complete once it has written them.
    const scanner = openDatabase(url, { log: createLogger('silent'), max: 1 });
    stage.adopt(scanner);
    const { ctx } = webHomeOn(scanner, { url, readerUrl });
    // Plans are kept after five executions.
    for (let n = 0; n < 10; n += 1) await scanDue(db, ctx, n % 2 === 0 ? 0 : 10, searches);
    const rounds = async (due: number) => {
      const seen: number[] = [];
      for (let n = 0; n < ROUNDS; n += 1) seen.push(await scanDue(db, ctx, due, searches));
      return median(seen);
    };
    measured.push({ searches, idle: await rounds(0), due: await rounds(DUE) });
  }
  const [smallest] = measured;
  if (smallest === undefined) throw new Error('--searches names one size or more');
  const lines = [['searches', 'nothing due', 'ratio', '', `${DUE} due`, 'ratio', '']];
  for (const { searches, idle, due } of measured) {
    const [idleRatio, dueRatio] = [idle / smallest.idle, due / smallest.due];
    const held = (ratio: number) => (ratio <= TARGET ? '✓' : '✗');
    lines.push([
      String(searches),
      String(idle),
      idleRatio.toFixed(2),
      held(idleRatio),
      String(due),
      dueRatio.toFixed(2),
      held(dueRatio),
    ]);
  }
  process.stdout.write(`Buffers that one scan reads (8 kB each), target ${TARGET}\n${aligned(lines)}\n`);
} finally {
  await stage.close();
}

/** Searches that are due in a year's time, each with a run behind it. */
async function fill(db: Database, url: string, searches: number): Promise<void> {
  await ensureService(db, { name: 'hosted', kind: 'hosted', address: null, dialect: 'named', now: START });
  // Without the time limits of the program's connections.
  const client = await connect(url, 'strandline bench');
  const run = (sql: string, given: unknown[]) => client.query(sql, given);
  await run(`INSERT INTO strandline.topics (slug, name, created_at) VALUES ('bench', 'bench', $1)`, [START]);
  for (let done = 0; done < searches; done += 100_000) {
    await run(
      `WITH added AS (
         INSERT INTO strandline.searches (topic_id, service_id, slug, operation, version, labels, state, state_since, next_due_at, created_at)
         SELECT t.id, v.id, 's' || n, 'microblog', 1, '{}', 'active', $1::timestamptz, clock_timestamp() + interval '1 year' + n * interval '1 ms', $1
         FROM generate_series($2::int, $3::int) n, strandline.topics t, strandline.services v RETURNING id
       ), versions AS (
         INSERT INTO strandline.search_versions (search_id, version, request_version, prompt, tools, model, extra, every_seconds, tz, created_at)
         SELECT id, 1, 1, 'p', '{}', 'NOVA', '{}', 31536000, 'UTC', $1 FROM added
       )
       INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, created_at, started_at, ended_at)
       SELECT id, 1, 1, 'first', 'succeeded', $1, $1, $1 FROM added`,
      [START, done + 1, Math.min(done + 100_000, searches)],
    );
  }
  for (const table of ['searches', 'search_versions', 'runs'])
    await client.query(`VACUUM ANALYZE strandline.${table}`);
  await client.end();
}

/** Makes some searches due, all over the table, and scans. @returns the buffers that the scan read */
async function scanDue(db: Database, ctx: Context, due: number, searches: number): Promise<number> {
  await db.pool.query(
    `UPDATE strandline.searches SET next_due_at = clock_timestamp() - interval '1 second', created_at = now() - interval '2 years'
     WHERE id IN (SELECT 1 + ($2::int * (n::float8 + random()) / $1)::int FROM generate_series(0, $1::int - 1) n)`,
    [due === 0 ? 1 : due, due === 0 ? 0 : searches - 1],
  );
  if (due === 0) await scan(ctx);
  const before = await buffers(db, ctx);
  await scan(ctx);
  const read = (await buffers(db, ctx)) - before;
  await db.pool.query(
    `UPDATE strandline.runs SET status = 'cancelled', ended_at = created_at, offer_at = NULL, reason = 'bench' WHERE status = 'queued'`,
  );
  await db.pool.query('VACUUM strandline.searches');
  await db.pool.query('VACUUM strandline.runs');
  return read;
}

async function buffers(db: Database, { db: scanner }: Context): Promise<number> {
  await scanner.pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await db.pool.query<{ n: number }>(
    `SELECT sum(coalesce(heap_blks_hit, 0) + coalesce(heap_blks_read, 0) + coalesce(idx_blks_hit, 0) + coalesce(idx_blks_read, 0))::float8 AS n
     FROM pg_statio_user_tables WHERE schemaname = 'strandline'`,
  );
  return rows[0]?.n ?? Number.NaN;
}
