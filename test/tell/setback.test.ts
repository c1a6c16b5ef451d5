/** After the clock of the database was set back, nothing waits until it is as late again. */
import { afterAll, expect, test } from 'vitest';
import { HOUR, SECOND } from '../../src/lib/time.ts';
import { inTransaction, readTime } from '../../src/store/db/database.ts';
import { finishSetback } from '../../src/store/runs/scanner.ts';
import { openStage } from './stage.ts';

const stage = await openStage();
afterAll(() => stage.close());

test('cooldowns, readings that were set aside and channels of a sender that died continue', async () => {
  const { db } = stage.world;
  const search = await stage.search('tides');
  const channel = await stage.channel('desk');
  await stage.rule('every-post', 'desk');
  await stage.finds(search, 1);
  expect(await stage.tell(channel)).toBe(1);
  const later = `clock_timestamp() + interval '2 hours'`;
  for (const sql of [
    `UPDATE strandline.deliveries SET made_at = ${later}`,
    `UPDATE strandline.pending_derivations SET retry_at = ${later}`,
    `UPDATE strandline.channels SET lease_until = ${later}`,
  ])
    expect((await db.pool.query(sql)).rowCount, sql).toBeGreaterThan(0);

  const now = await readTime(db.pool, { statementTime: () => null });
  await inTransaction(db, (tx) => finishSetback(tx, { now, leaseMs: 30 * SECOND, setBackMs: 2 * HOUR }));
  const [left] = await stage.rows(
    `SELECT (SELECT count(*)::int FROM strandline.deliveries WHERE made_at > clock_timestamp()) AS cooldowns,
       (SELECT count(*)::int FROM strandline.pending_derivations WHERE retry_at > clock_timestamp()) AS readings,
       (SELECT count(*)::int FROM strandline.channels WHERE lease_until > clock_timestamp() + interval '30 seconds') AS leases`,
  );
  expect(left).toEqual({ cooldowns: 0, readings: 0, leases: 0 });
});
