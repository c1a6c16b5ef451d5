/** What the calls of other searches cost to count, and that the result is right. */
import { expect, test } from 'vitest';
import { countSlots } from '../../src/monitor/schedule/cadence.ts';
import { sustainCalls } from '../../src/monitor/schedule/call-budget.ts';
import { sortPaces } from '../../src/monitor/schedule/service-fill.ts';
import type { PaceRow } from '../../src/store/runs/pace.ts';

const DAY = 86_400_000;
const from = Date.UTC(2026, 10, 24, 13);
const ahead = { from, until: from + DAY, config: { callsPerDay: 2_000 } };

function search(i: number, when: Partial<PaceRow>): PaceRow {
  return {
    search_id: BigInt(i),
    slug: `search-${i}`,
    topic: 'ferry',
    service_id: 1n,
    service_kind: 'hosted',
    operation: 'microblog',
    cron: null,
    every_seconds: null,
    auto: null,
    tz: 'UTC',
    current_request_version: 1,
    interval_seconds: null,
    recorded_seconds: null,
    spent_until: null,
    request_version: null,
    learned_at: null,
    rate: null,
    room: null,
    hour_posts: null,
    hour_spans: null,
    seen: null,
    missed: null,
    ...when,
  };
}

test('slots are counted once for each distinct cron schedule', async () => {
  const rows = Array.from({ length: 1_000 }, (_, i) =>
    search(i, i % 2 === 0 ? { cron: '* * * * *' } : { cron: '0 8 * * *', tz: 'Europe/Berlin' }),
  );
  let counted = 0;
  const { others } = await sortPaces(rows, ahead, (...span) => {
    counted += 1;
    return countSlots(...span);
  });
  expect(counted).toBe(2);
  expect(others).toBe(500 * 1_440 + 500);
});

test('other work gets a turn after at most fifty schedules', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => search(i, { cron: `${i % 60} ${i % 24} * * *` }));
  let [inTurn, most] = [0, 0];
  const turns = setInterval(() => {
    inTurn = 0;
  });
  const sorting = sortPaces(rows, ahead, () => {
    inTurn += 1;
    setImmediate(() => {
      inTurn = 0;
    });
    most = Math.max(most, inTurn);
    return 1;
  });
  expect(await sorting).toEqual({ adaptive: [], others: 300 });
  clearInterval(turns);
  expect(most).toBeLessThanOrEqual(50);
  expect(most).toBeGreaterThan(10);
});

test('an interval counts by its length, an adaptive AI search by its current one, an adaptive microblog search not', async () => {
  const { adaptive, others } = await sortPaces(
    [
      search(1, { every_seconds: 900 }),
      search(2, { auto: 'auto', operation: 'ai', interval_seconds: 7_200 }),
      search(3, { auto: 'auto 5m-2h' }),
      search(4, { cron: 'no schedule' }),
    ],
    ahead,
  );
  expect(others).toBe(96 + 12);
  expect(adaptive).toMatchObject([{ leastMs: 300_000, mostMs: 7_200_000 }]);
});

test('an adaptive search counts with no more calls than it may make a day, written or by default', async () => {
  const rows = [search(1, { auto: 'auto 1m-2m 24/day' }), search(2, { auto: 'auto' })];
  const slowest = DAY / sustainCalls(24);
  const { adaptive } = await sortPaces(rows, ahead);
  expect(adaptive).toMatchObject([
    { leastMs: slowest, mostMs: slowest },
    { leastMs: 120_000, mostMs: 21_600_000 },
  ]);
  const { adaptive: usual } = await sortPaces(rows, { ...ahead, config: {} });
  expect(usual).toMatchObject([{ leastMs: slowest }, { leastMs: slowest, mostMs: 21_600_000 }]);
});
