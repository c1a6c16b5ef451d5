/** Rules that are kind: quiet hours, mutes and limits, from what is found to what a receiver gets. */
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseFutureTime } from '../../src/lib/future-time.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { mute, type MuteTarget, unmute } from '../../src/monitor/alerts/manage-mutes.ts';
import { createRule, editRule } from '../../src/monitor/alerts/manage-rules.ts';
import { decodeInput } from '../../src/monitor/http/request-problems.ts';
import { newRule } from '../../src/monitor/alerts/rule-shapes.ts';
import { DiscoveriesMessage } from '../../src/monitor/alerts/message.ts';
import { findPreset } from '../../src/monitor/alerts/rule-presets.ts';
import { listMutes } from '../../src/store/alerts/mutes.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { openStage, type Stage } from './stage.ts';
import { status } from './receiver.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ BASE_URL: 'https://strandline.example' });
});
afterAll(() => stage.close());

const messagesTo = (path: string) =>
  stage.receiver.received
    .filter((one) => one.path === `/${path}`)
    .map(({ body }) => DiscoveriesMessage.parse(JSON.parse(body)));
const sizesOf = (path: string) => messagesTo(path).map(({ data }) => data.total);
/** The clock of the stage, moved to the next such time of UTC. */
const waitUntil = (text: string) => {
  const { clock } = stage.world;
  const at = parseFutureTime(text, 'UTC')?.resolve(clock.now());
  if (at === undefined) throw new Error(text);
  clock.advance(at.getTime() - clock.now().getTime());
};
const future = (text: string) => {
  const time = parseFutureTime(text, 'UTC');
  if (time === undefined) throw new Error(text);
  return time;
};

/** A spike of a search, as the follower reports one. */
async function spikes(search: Search): Promise<void> {
  const now = stage.world.clock.now();
  await stage.rows(
    `WITH s AS (
       INSERT INTO strandline.spikes (search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd, usual,
         days, windows, score, threshold, sensitivity, provisional, tz, sentence, at)
       SELECT $1, max(id), 'posts', $2::timestamptz - interval '1 hour', $2, 90, false, 1, 10, 3, 10, 14, 300, 9, 4, 'normal', false, 'UTC', 'Many posts.', $2
       FROM strandline.runs WHERE search_id = $1 RETURNING id, run_id
     ) INSERT INTO strandline.discoveries (search_id, run_id, kind, thing, baseline, at) SELECT $1, run_id, 'spike', id, false, $2 FROM s`,
    [search.id, now],
  );
}

test('in quiet hours messages gather, and one is sent at their end', async () => {
  const channel = await stage.channel('night');
  const search = await stage.search('night');
  await stage.rule('night', 'night', { search: 'night', quiet_hours: '22:00-07:00', tz: 'Europe/Berlin' });
  waitUntil('20:50'); // 21:50 in Berlin
  await stage.finds(search, 1);
  expect(await stage.tell(channel)).toBe(1);
  for (let n = 0; n < 4; n += 1) {
    stage.world.clock.advance(30 * MINUTE);
    await stage.finds(search, 2);
    expect(await stage.tell(channel)).toBe(0);
  }
  expect((await stage.deliveries('night'))[0]).toMatchObject({
    state: 'gathering',
    waits_for: 'quiet_hours',
  });
  waitUntil('05:59');
  expect(await stage.tell(channel)).toBe(0);
  waitUntil('06:00');
  expect(await stage.tell(channel)).toBe(1);
  expect(sizesOf('night')).toEqual([1, 8]);
});

test('a worker that was down, and a retry, wait for the end of quiet hours, too', async () => {
  const channel = await stage.channel('late');
  const search = await stage.search('late');
  await stage.rule('late', 'late', { search: 'late', quiet_hours: '22:00-07:00', cooldown: '1h' });
  waitUntil('20:30');
  await stage.finds(search, 1);
  await stage.tell(channel);
  stage.world.clock.advance(10 * MINUTE);
  await stage.finds(search, 1);
  await stage.tell(); // due at 21:30, but nobody sends
  waitUntil('23:00');
  expect(await stage.tell(channel)).toBe(0);
  waitUntil('07:00');
  stage.receiver.answers(status(500), '/late');
  expect(await stage.tell(channel)).toBe(0);
  await stage.rows(
    `UPDATE strandline.deliveries SET next_attempt_at = next_attempt_at + interval '15 hours' WHERE state = 'pending'`,
  );
  stage.receiver.answers(status(200), '/late');
  waitUntil('22:30');
  expect(await stage.tell(channel)).toBe(0);
  waitUntil('07:00');
  expect(await stage.tell(channel)).toBe(1);
  expect(sizesOf('late')).toEqual([1, 1, 1]);
});

test('what exceeds the limit waits, gathered, for the next day, and the messages say so', async () => {
  const channel = await stage.channel('limited');
  const search = await stage.search('limited');
  waitUntil('00:30');
  await stage.rule('limited', 'limited', { search: 'limited', max_per_day: 3, on: ['post', 'spike'] });
  for (let n = 0; n < 6; n += 1) {
    await stage.finds(search, 1);
    await stage.tell(channel);
    stage.world.clock.advance(HOUR);
  }
  expect(sizesOf('limited')).toEqual([1, 1]);
  await spikes(search);
  await stage.finds(search, 1);
  expect(await stage.tell(channel), 'the place that is kept for a spike').toBe(1);
  stage.world.clock.advance(HOUR);
  await spikes(search);
  await stage.finds(search, 1);
  expect(await stage.tell(channel)).toBe(0);
  waitUntil('00:00');
  expect(await stage.tell(channel)).toBe(1);
  expect(sizesOf('limited')).toEqual([1, 1, 6, 2]);
  expect(messagesTo('limited').map((one) => summarizeMessage(one).lead)).toEqual([
    null,
    'Message 2 of at most 3 today: until tomorrow, only spikes are sent.',
    'Message 3 of at most 3 today: the next comes tomorrow.',
    'Collected since the limit of 3 messages a day was reached.',
  ]);
  expect(summarizeMessage(messagesTo('limited')[2] ?? fail()).title).toBe('limited: 5 posts, 1 spike');
});

test('a spike ends the cooldown and takes along what it gathered', async () => {
  const channel = await stage.channel('urgent');
  const search = await stage.search('urgent');
  await stage.rule('urgent', 'urgent', { search: 'urgent', on: ['post', 'spike'], cooldown: '6h' });
  await stage.finds(search, 1);
  await stage.tell(channel);
  await stage.finds(search, 3);
  expect(await stage.tell(channel)).toBe(0);
  await spikes(search);
  expect(await stage.tell(channel)).toBe(1);
  await stage.finds(search, 1);
  expect(await stage.tell(channel)).toBe(0);
  expect(sizesOf('urgent')).toEqual([1, 4]);
});

describe('a mute', () => {
  test('of a rule: nothing is sent until it ends, and one message sums up', async () => {
    const [channel, other] = [await stage.channel('muted'), await stage.channel('heard')];
    const search = await stage.search('muted');
    await stage.rule('muted', 'muted', { search: 'muted', on: ['post', 'spike'], cooldown: '1h' });
    await stage.rule('heard', ['muted', 'heard'], { search: 'muted' });
    waitUntil('08:00');
    await stage.finds(search, 1);
    await stage.tell(channel, other);
    await stage.finds(search, 2); // gathers in the cooldown
    await stage.tell();
    const { ctx } = stage.world;
    expect(await mute(ctx, { scope: 'rule', slug: 'muted' }, future('2026-12-20T09:00Z'))).toMatchObject({
      scope: 'rule',
      slug: 'muted',
    });
    stage.world.clock.advance(2 * HOUR);
    await stage.finds(search, [{ text: 'one', favorite_count: 1 }]);
    await spikes(search);
    await stage.tell(channel, other);
    stage.world.clock.advance(30 * 24 * HOUR);
    await stage.tell(channel, other);
    const summary = messagesTo('muted').filter(({ data }) => data.muted !== null);
    expect(summary).toHaveLength(1);
    expect(summarizeMessage(summary[0] ?? fail())).toMatchObject({
      title: expect.stringContaining('1 spike'),
      lead: expect.stringMatching(/^Muted until 20 Dec 2026, 09:00 UTC: .*1 spike\.$/),
      url: expect.stringMatching(/^https:\/\/strandline\.example\/alerts\/deliveries\/\d+$/),
    });
    // The other rule of the channel was not muted.
    expect(messagesTo('muted').some(({ data }) => data.rule === 'heard')).toBe(true);
    const items = messagesTo('muted').flatMap(({ data }) => data.discoveries.map(({ id }) => id));
    expect(new Set(items).size).toBe(items.length);
    expect(items).toHaveLength(5);
  });

  test('that is lifted early is summed up at once', async () => {
    const channel = await stage.channel('lifted');
    const search = await stage.search('lifted');
    await stage.rule('lifted', 'lifted', { search: 'lifted' });
    const { ctx, clock } = stage.world;
    await mute(ctx, { scope: 'all' }, future('3d'));
    for (let n = 0; n < 3; n += 1) {
      await stage.finds(search, 50);
      expect(await stage.tell(channel)).toBe(0);
      clock.advance(HOUR);
    }
    expect(await listMutes(stage.world.db, clock.now())).toMatchObject([
      { scope: 'all', slug: null, held: 150 },
    ]);
    expect(await unmute(ctx, { scope: 'all' })).toMatchObject({ held: 150 });
    expect(await unmute(ctx, { scope: 'all' })).toBeNull();
    expect(await stage.tell(channel)).toBe(1);
    const [only] = messagesTo('lifted');
    expect(only?.data).toMatchObject({ total: 150, counts: { post: 150 }, muted: { topic: null } });
    expect(only?.data.muted?.until).toBe(clock.now().toISOString());
    expect(only?.data.further_ids).toHaveLength(50);
    expect(
      await stage.rows(
        `SELECT action, subject FROM strandline.audit_log WHERE action LIKE 'alerts.%' ORDER BY id`,
      ),
    ).toEqual([
      { action: 'alerts.muted', subject: null },
      { action: 'alerts.unmuted', subject: null },
    ]);
  });

  test('of a topic holds back what is about it, in rules of wider scope, too', async () => {
    const channel = await stage.channel('wide');
    const [loud, calm] = [await stage.search('loud'), await stage.search('calm')];
    await stage.rule('wide', 'wide', { cooldown: '1h' });
    await stage.finds(calm, 1);
    await stage.tell(channel);
    await stage.finds(loud, 2); // both gather in the cooldown
    await stage.finds(calm, 3);
    await stage.tell();
    const { ctx, clock } = stage.world;
    await mute(ctx, { scope: 'topic', slug: 'loud' }, future('2d'));
    clock.advance(2 * HOUR);
    await stage.finds(loud, 4);
    await stage.tell(channel);
    expect(sizesOf('wide')).toEqual([1, 3]);
    expect(await listMutes(stage.world.db, clock.now())).toMatchObject([
      { scope: 'topic', slug: 'loud', held: 6 },
    ]);
    clock.advance(48 * HOUR);
    await stage.tell(channel);
    expect(sizesOf('wide')).toEqual([1, 3, 6]);
    expect(summarizeMessage(messagesTo('wide')[2] ?? fail()).lead).toMatch(
      /^Topic loud muted until .*: 6 posts\.$/,
    );
    const states = await stage.rows(
      `SELECT d.state FROM strandline.deliveries d JOIN strandline.channels c ON c.id = d.channel_id WHERE c.slug = 'wide'`,
    );
    expect(states.map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered']);
  });

  test.each([
    ['a time that is over', '2026-11-01T00:00Z'],
    ['more than a year', '2030-01-01T00:00Z'],
  ])('until %s is refused', async (_, until) => {
    await expect(mute(stage.world.ctx, { scope: 'all' }, future(until))).rejects.toThrow(
      'at most 366 days ahead',
    );
    await expect(mute(stage.world.ctx, { scope: 'rule', slug: 'nobody' }, future('1h'))).rejects.toThrow(
      'no rule "nobody"',
    );
  });
});

test('at random: everything is sent once, nothing in quiet hours or while muted, never more than the limit a day', async () => {
  const { ctx, clock } = stage.world;
  const targets = (n: number): MuteTarget[] => [
    { scope: 'all' },
    { scope: 'rule', slug: `random-${n}` },
    { scope: 'topic', slug: `random-${n}-a` },
  ];
  const act = fc.oneof(
    { weight: 5, arbitrary: fc.record({ finds: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ spikes: fc.nat(1) }) },
    { weight: 2, arbitrary: fc.record({ mute: fc.nat(2), hours: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ unmute: fc.nat(2) }) },
  );
  const plan = fc.array(fc.tuple(act, fc.integer({ min: 10, max: 500 })), { minLength: 10, maxLength: 40 });
  let n = 0;
  await fc.assert(
    fc.asyncProperty(plan, async (steps) => {
      n += 1;
      for (const target of [{ scope: 'all' } as const]) await unmute(ctx, target);
      const slug = `random-${n}`;
      const channel = await stage.channel(slug);
      const searches = [await stage.search(`${slug}-a`), await stage.search(`${slug}-b`)];
      await createRule(ctx, {
        slug,
        on: ['post', 'spike'],
        cooldown: 3 * 3_600,
        max_per_day: 3,
        quiet_hours: '22:00-07:00',
        tz: 'Europe/Berlin',
        channels: [slug],
      });
      await stage.tell(channel);
      const sent: Date[] = [];
      const tell = async () => {
        const before = messagesTo(slug).length;
        const muted = new Map(
          (await listMutes(stage.world.db, clock.now())).map((row) => [`${row.scope} ${row.slug}`, row]),
        );
        await stage.tell(channel);
        for (const { data } of messagesTo(slug).slice(before)) {
          const local = new Date(clock.now().getTime() + HOUR).getUTCHours();
          expect(local >= 7 && local < 22).toBe(true);
          expect([muted.has('all null'), muted.has(`rule ${slug}`)]).toEqual([false, false]);
          if (muted.has(`topic ${slug}-a`))
            expect(data.discoveries.map(({ topic }) => topic)).not.toContain(`${slug}-a`);
          sent.push(clock.now());
        }
      };
      for (const [step, minutes] of steps) {
        if ('finds' in step) await stage.finds(searches[step.finds] ?? fail(), 2);
        else if ('spikes' in step) await spikes(searches[step.spikes] ?? fail());
        else if ('mute' in step) await mute(ctx, targets(n)[step.mute] ?? fail(), future(`${step.hours}h`));
        else await unmute(ctx, targets(n)[step.unmute] ?? fail());
        await tell();
        clock.advance(minutes * MINUTE);
        await tell();
      }
      for (let hours = 0; hours < 24 * 5; hours += 3) {
        clock.advance(3 * HOUR);
        await tell();
      }
      const found = await stage.rows(
        `SELECT d.id FROM strandline.discoveries d WHERE d.search_id = ANY ($1) AND NOT d.baseline ORDER BY 1`,
        [searches.map(({ id }) => id)],
      );
      expect(stage.receiver.taken(`/${slug}`).toSorted()).toEqual(
        found.map(({ id }) => String(id)).toSorted(),
      );
      const days = sent.map((at) => new Date(at.getTime() + HOUR).toISOString().slice(0, 10));
      for (const day of days) expect(days.filter((one) => one === day).length).toBeLessThanOrEqual(3);
    }),
    { numRuns: 6 },
  );
});

test('presets set kinds, cooldown and limit; a rule has the preset that it equals', async () => {
  const { ctx } = stage.world;
  await stage.channel('preset');
  const rule = await createRule(ctx, { slug: 'preset', channels: ['preset'] });
  expect(findPreset(rule)).toBe('balanced');
  expect(rule).toMatchObject({ cooldown_seconds: 6 * 3_600, max_per_day: 5, quiet_hours: null, tz: 'UTC' });
  expect(findPreset(await editRule(ctx, 'preset', { preset: 'fewer', quiet_hours: '22:00-07:00' }))).toBe(
    'fewer',
  );
  expect(findPreset(await editRule(ctx, 'preset', { preset: 'more', cooldown: 7_200 }))).toBe('own');
  const all = await editRule(ctx, 'preset', { preset: 'more', quiet_hours: null });
  expect([findPreset(all), all.max_per_day, all.quiet_hours]).toEqual(['more', null, null]);
  const own = await createRule(ctx, { slug: 'own', on: ['post'], cooldown: 1_800, channels: ['preset'] });
  expect([findPreset(own), own.max_per_day]).toEqual(['own', null]);
});

test.each([
  [{ quiet_hours: '22-7' }, 'two different times of day'],
  [{ tz: 'Europe/Berln' }, 'the name of a time zone, such as Europe/Berlin, or UTC'],
  [{ preset: 'less' }, 'one of fewer, balanced, more'],
  [{ max_per_day: 0 }, 'a whole number from 1 to 1000'],
  [{ max_per_day: 1.5 }, 'a whole number from 1 to 1000'],
])('%j is refused: %s', (written, words) => {
  expect(() => decodeInput(newRule, { slug: 'x', channels: ['preset'], ...written })).toThrow(words);
});

function fail(): never {
  throw new Error('missing');
}
