/** Active searches without a successful run for three intervals are found, whatever the cause. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { parseAdaptive, type Schedule, type SearchSchedule } from '../../src/monitor/schedule/schedule.ts';
import {
  describeLastRun,
  judgeSilence,
  computeSilentBefore,
} from '../../src/monitor/status/search-silence.ts';
import { editSearch } from '../../src/monitor/topics/save-search.ts';
import { changeSearch } from '../../src/monitor/topics/search-state.ts';
import { at, newSearch, run } from '../store/live.ts';
import { makeWorld, type World } from '../world.ts';

const GRACE_MS = 2 * MINUTE;
const every = (seconds: number): Schedule => ({ kind: 'every', seconds, phase: 7 });
const cron = (text: string, tz = 'UTC'): Schedule => ({ kind: 'cron', cron: text, tz });

test.each<[name: string, schedule: SearchSchedule, now: string, before: string]>([
  // An interval: three of them and the grace.
  ['every 15 minutes', every(900), '2026-11-21T12:00:00Z', '2026-11-21T11:13:00Z'],
  ['every week', every(604_800), '2026-11-21T12:00:00Z', '2026-10-31T11:58:00Z'],
  // Times: the third slot back, of those older than the grace.
  ['every minute', cron('* * * * *'), '2026-11-21T12:00:00Z', '2026-11-21T11:56:00Z'],
  [
    'daily, a slot within the grace period',
    cron('0 8 * * *'),
    '2026-11-21T08:01:00Z',
    '2026-11-18T08:00:00Z',
  ],
  ['daily, just past the grace period', cron('0 8 * * *'), '2026-11-21T08:02:00Z', '2026-11-19T08:00:00Z'],
  // 21 November 2026 is a Saturday.
  ['weekdays, on Sunday', cron('0 8 * * 1-5'), '2026-11-22T20:00:00Z', '2026-11-18T08:00:00Z'],
  ['weekdays, on Monday', cron('0 8 * * 1-5'), '2026-11-23T08:05:00Z', '2026-11-19T08:00:00Z'],
  ['three hours on one weekday', cron('0 8-10 * * 2'), '2026-11-24T09:30:00Z', '2026-11-17T10:00:00Z'],
  ['monthly', cron('0 0 1 * *'), '2026-11-21T12:00:00Z', '2026-09-01T00:00:00Z'],
  ['29 February', cron('0 0 29 2 *'), '2026-11-21T12:00:00Z', '2016-02-29T00:00:00Z'],
  // The clock is put back on 25 October: the day has 25 hours.
  ['daily in Berlin', cron('30 8 * * *', 'Europe/Berlin'), '2026-10-26T08:00:00Z', '2026-10-24T06:30:00Z'],
  // The longest interval of an adaptive one, unless its calls per day last only for longer ones.
  ['adaptive', parseAdaptive('auto'), '2026-11-21T12:00:00Z', '2026-11-20T17:58:00Z'],
  ['adaptive, twice a day', parseAdaptive('auto 2/day'), '2026-11-21T12:00:00Z', '2026-11-19T23:58:00Z'],
  ['adaptive, six a day', parseAdaptive('auto 1m-2m 6/day'), '2026-11-21T12:00:00Z', '2026-11-20T23:58:00Z'],
])('silent before: %s', (_name, schedule, now, before) => {
  expect(new Date(computeSilentBefore(schedule, new Date(now), GRACE_MS, {}))).toEqual(new Date(before));
});

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

/** The slugs of silent searches, so many minutes after noon. */
async function silentAt(minutes: number): Promise<string[]> {
  world.clock.set(at(minutes));
  const { total, searches } = await judgeSilence(world.ctx);
  expect(total).toBe(searches.length);
  return searches.map(({ slug }) => slug);
}
/** The longest call of this world, in minutes, rounded up. */
const graceMinutes = () => Math.ceil(Math.max(...Object.values(world.ctx.config.callTimeoutMs)) / MINUTE);

test('a search is silent three intervals after its last success, until it succeeds again', async () => {
  const ferry = await newSearch(world, 'ferry', { every: '15m' });
  await run(world, ferry, 0, []);
  expect(await silentAt(45)).toEqual([]);
  expect(await silentAt(46 + graceMinutes())).toEqual(['ferry']);
  await run(world, ferry, 60, []);
  expect(await silentAt(61)).toEqual([]);
  await changeSearch(world.ctx, 'ferry', 'pause');
});

test('a silent search is listed with its topic, since when, and how its last run ended', async () => {
  const tram = await newSearch(world, 'tram', { every: '15m', topic: 'rails' });
  await run(world, tram, 0, []);
  const { rows } = await world.db.pool.query<{ id: bigint }>(
    `INSERT INTO strandline.runs (search_id, version, request_version, trigger, status, code, created_at, ended_at)
     VALUES ($1, 1, 1, 'manual', 'failed', 'timeout_body', $2, $2) RETURNING id`,
    [tram.id, at(30)],
  );
  world.clock.set(at(120));
  const { searches } = await judgeSilence(world.ctx);
  expect(searches).toEqual([
    {
      slug: 'tram',
      topic: 'rails',
      since: at(0),
      last_success_at: at(0),
      run_id: rows[0]?.id,
      run_status: 'failed',
      run_code: 'timeout_body',
      run_reason: null,
      run_ended_at: at(30),
    },
  ]);
  expect(searches.map(describeLastRun)).toEqual([
    'the last run failed: the service did not finish its response in time',
  ]);
  await changeSearch(world.ctx, 'tram', 'pause');
});

test('a search that never ran is silent three intervals after it was created', async () => {
  await newSearch(world, 'never', { every: '1h' });
  const { searches } = await judgeSilence(world.ctx);
  expect(searches).toEqual([]);
  world.clock.advance(4 * HOUR);
  const [never] = (await judgeSilence(world.ctx)).searches;
  expect(never).toMatchObject({ slug: 'never', last_success_at: null, run_status: null });
  expect(never === undefined ? '' : describeLastRun(never)).toBe('no run has ended yet');
  await changeSearch(world.ctx, 'never', 'pause');
});

test('a resume or an edit restarts the interval; a paused or removed search is not silent', async () => {
  const bus = await newSearch(world, 'bus', { every: '15m' });
  await run(world, bus, 0, []);
  expect(await silentAt(120)).toEqual(['bus']);
  await changeSearch(world.ctx, 'bus', 'pause');
  expect(await silentAt(130)).toEqual([]);
  await changeSearch(world.ctx, 'bus', 'resume');
  expect(await silentAt(140)).toEqual([]);
  expect(await silentAt(240)).toEqual(['bus']);
  await editSearch(world.ctx, 'bus', { every: '30m' });
  expect(await silentAt(330)).toEqual([]);
  expect(await silentAt(340)).toEqual(['bus']);
  await changeSearch(world.ctx, 'bus', 'remove');
  expect(await silentAt(350)).toEqual([]);
});

test('a weekday search is not silent over the weekend, a daily one is', async () => {
  const weekdays = await newSearch(world, 'weekdays');
  const daily = await newSearch(world, 'daily');
  await editSearch(world.ctx, 'weekdays', { cron: '0 12 * * 1-5' });
  await editSearch(world.ctx, 'daily', { cron: '0 12 * * *' });
  // Noon is that of a Saturday: the last success was at Friday's slot.
  for (const search of [weekdays, daily]) await run(world, search, -DAY / MINUTE, []);
  expect(await silentAt((2 * DAY) / MINUTE - 60)).toEqual([]);
  expect(await silentAt((2 * DAY) / MINUTE + 60)).toEqual(['daily']);
  for (const slug of ['weekdays', 'daily']) await changeSearch(world.ctx, slug, 'pause');
});
