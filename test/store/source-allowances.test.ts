import { afterAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openDatabase } from '../../src/store/db/database.ts';
import {
  readUsedAllowance,
  refundAllowance,
  reserveSourceTurn,
  takeAllowance,
} from '../../src/store/services/source-pacing.ts';
import { freshDatabase } from '../database.ts';

const database = await freshDatabase();
const db = openDatabase(database.url, { log: createLogger('silent') });
const clock = steppedClock('2026-11-21T12:00:00.000Z');
afterAll(async () => {
  await db.close();
  await database.drop();
});

const take = (source: string, units: number, most: number, period = '2026-11-21') =>
  takeAllowance(db, clock, { source, period, most }, units);
const used = (source: string, period = '2026-11-21') => readUsedAllowance(db, { source, period, most: 0 });

describe('a quota', () => {
  test('is never exceeded by concurrent reservations', async () => {
    const taken = await Promise.all(Array.from({ length: 20 }, () => take('race', 3, 20)));
    expect(taken.filter(Boolean)).toHaveLength(6);
    expect(await used('race')).toBe(18);
    expect(await take('race', 2, 20)).toBe(true);
    expect(await take('race', 1, 20)).toBe(false);
  });

  test('without enough left grants nothing, and reserves nothing', async () => {
    expect(await take('none', 1, 0)).toBe(false);
    expect(await take('small', 5, 4)).toBe(false);
    expect(await used('small')).toBe(0);
    expect(await take('small', 4, 4)).toBe(true);
  });

  test('counts micro-dollars beyond 32 bits', async () => {
    expect(await take('dollars', 3_000_000_000, 5_000_000_000)).toBe(true);
    expect(await take('dollars', 3_000_000_000, 5_000_000_000)).toBe(false);
    expect(await used('dollars')).toBe(3_000_000_000);
  });

  test('accepts refunds, never below zero', async () => {
    await take('back', 5, 10);
    await refundAllowance(db, { source: 'back', period: '2026-11-21', most: 10 }, 2);
    expect(await used('back')).toBe(3);
    await refundAllowance(db, { source: 'back', period: '2026-11-21', most: 10 }, 9);
    expect(await used('back')).toBe(0);
  });

  test('is new in each period, and old periods are removed', async () => {
    await take('days', 1, 1);
    expect(await take('days', 1, 1, '2026-11-22')).toBe(true);
    expect(await used('days')).toBe(1);
    clock.advance(41 * DAY);
    await take('days', 1, 1, '2027-01-01');
    const { rows } = await db.pool.query(
      `SELECT period FROM strandline.source_allowances WHERE source = 'days'`,
    );
    expect(rows).toEqual([{ period: '2027-01-01' }]);
    expect(await used('dollars')).toBe(3_000_000_000); // of another source: its own next count sweeps it
  });
});

describe('turns at a source', () => {
  test('go on after the clock of the database was set back', async () => {
    // Times are stored in whole milliseconds.
    expect(await reserveSourceTurn(db, 'gdelt', 5_000, 60_000)).toBeLessThanOrEqual(1);
    // As if that turn had been reserved before: its time is an hour ahead.
    await db.pool.query(
      `UPDATE strandline.source_pacing SET at = at + interval '1 hour' WHERE source = 'gdelt'`,
    );
    expect(await reserveSourceTurn(db, 'gdelt', 5_000, 60_000)).toBeLessThanOrEqual(5_000);
  });

  test('are sequential for concurrent requests', async () => {
    const began = performance.now();
    const waits = await Promise.all(
      Array.from({ length: 10 }, () => reserveSourceTurn(db, 'arxiv', 3_100, 60_000)),
    );
    const took = performance.now() - began;
    const sorted = waits.map((ms) => ms ?? Number.NaN).sort((a, b) => a - b);
    for (const [i, ms] of sorted.entries()) {
      expect(ms).toBeGreaterThan(i * 3_100 - took - 2);
      expect(ms).toBeLessThanOrEqual(i * 3_100 + 1);
    }
  });

  test('are not reserved if they would be too late', async () => {
    await reserveSourceTurn(db, 'late', 10_000, 0);
    expect(await reserveSourceTurn(db, 'late', 10_000, 5_000)).toBeUndefined();
    expect(await reserveSourceTurn(db, 'late', 10_000, 5_000)).toBeUndefined();
    const next = await reserveSourceTurn(db, 'late', 10_000, 10_000);
    expect(next).toBeGreaterThan(9_000);
    expect(next).toBeLessThanOrEqual(10_000);
  });
});
