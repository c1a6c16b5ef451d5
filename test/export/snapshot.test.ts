import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openSnapshot } from '../../src/store/export/snapshot.ts';
import { makeWorld, type World } from '../world.ts';

/** More rows than a test could wait for. In this place a series is made row by row, not all of it beforehand. */
const ENDLESS = `SELECT generate_series(1, 2000000000), repeat('x', 1000)`;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

/** What exports do in Postgres at this moment. */
async function statements(): Promise<string[]> {
  const { rows } = await world.db.pool.query<{ query: string }>(
    `SELECT left(query, 4) AS query FROM pg_stat_activity
      WHERE application_name = 'strandline export' AND datname = current_database() AND state = 'active'`,
  );
  return rows.map(({ query }) => query);
}

it('a reader that stops early ends the statement and leaves the connection usable', async () => {
  const snapshot = await openSnapshot(world.db);
  let batches = 0;
  for await (const rows of snapshot.copy(ENDLESS)) {
    batches += rows.length > 0 ? 1 : 0;
    if (batches === 3) break;
  }
  // Postgres reports a statement as active for a moment after its client got the error.
  await snapshot.client.query('ROLLBACK');
  expect(await statements()).toEqual([]);
  await snapshot.close();
});

it('may be closed before Postgres has said that the statement is over', async () => {
  const snapshot = await openSnapshot(world.db);
  const query = vi.spyOn(snapshot.client, 'query');
  for await (const rows of snapshot.copy('SELECT 1')) expect(rows).toEqual([['1']]);
  const stream: unknown = query.mock.results[0]?.value;
  // The client ends its statements with this error, those that have their rows, too.
  if (!(stream instanceof Readable)) throw new Error('COPY is no stream');
  expect(stream.emit('error', new Error('Connection terminated'))).toBe(true);
  await snapshot.close();
});

it('does not read ahead for a reader that stops reading', async () => {
  const snapshot = await openSnapshot(world.db);
  const rows = snapshot.copy(ENDLESS);
  await rows.next();
  // Postgres stalls once the socket buffers are full.
  await vi.waitFor(async () => {
    const { rows: waiting } = await world.db.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = 'strandline export'
        AND datname = current_database() AND wait_event = 'ClientWrite'`,
    );
    expect(waiting).toHaveLength(1);
  });
  await rows.return();
  await snapshot.close();
});

it('a signal ends a statement that has not returned a row yet', async () => {
  const stopping = new AbortController();
  const snapshot = await openSnapshot(world.db, stopping.signal);
  const reading = snapshot.copy('SELECT pg_sleep(600)').next();
  const failed = expect(reading).rejects.toThrow('nobody waits');
  await vi.waitFor(async () => expect(await statements()).toEqual(['COPY']), { timeout: 60_000 });
  stopping.abort(new Error('nobody waits'));
  await failed;
  await snapshot.client.query('ROLLBACK');
  expect(await statements()).toEqual([]);
  await snapshot.close();
});

it('an error of Postgres midway is reported as it is', async () => {
  const snapshot = await openSnapshot(world.db);
  const reading = async () => {
    for await (const rows of snapshot.copy('SELECT 1 / (100000 - generate_series(1, 100000))'))
      expect(rows).not.toEqual([]);
  };
  await expect(reading()).rejects.toThrow('division by zero');
  await snapshot.close();
});

it('a connection lost midway is an error, not an end', async () => {
  const snapshot = await openSnapshot(world.db);
  const reading = async () => {
    for await (const rows of snapshot.copy(ENDLESS)) {
      expect(rows.length).toBeLessThan(1_000_000);
      await world.db.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE application_name = 'strandline export' AND datname = current_database()`,
      );
    }
  };
  await expect(reading()).rejects.toThrow(/terminat/);
  await snapshot.close();
});

it('all resources are read from one snapshot of the database', async () => {
  const snapshot = await openSnapshot(world.db);
  await world.db.pool.query(
    `INSERT INTO strandline.links (canonical, url, site, first_seen_at, observed_at)
     VALUES ('https://late.example', 'https://late.example/', 'late.example', '2026-11-21', '2026-11-21')`,
  );
  const found = [];
  for await (const rows of snapshot.copy('SELECT url FROM strandline_analytics.links')) found.push(...rows);
  expect(found).toEqual([]);
  await snapshot.close();
});

it('changes nothing', async () => {
  const snapshot = await openSnapshot(world.db);
  await expect(snapshot.client.query('DELETE FROM strandline.links')).rejects.toThrow('read-only');
  await snapshot.close();
});
