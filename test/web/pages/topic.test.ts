/** The overview, a topic and a search, over a small world: with and without data. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { buildVolume, sumBuckets } from '../../../src/web/topic/topic-data.ts';
import { chooseDays } from '../../../src/web/topic/voices-data.ts';
import { chooseRange } from '../../../src/web/topic/time-range.ts';
import { derivePending } from '../../../src/monitor/derive/follower.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { addSearches, createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { computePulse, computeTypicalVolume } from '../../../src/monitor/trends/rules/volume-comparison.ts';
import { readSearchesNow } from '../../../src/store/queries/search-activity.ts';
import { readBuckets, readVolumeSums } from '../../../src/store/queries/volume.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { type StubService, startStub, wirePost } from '../../stub-service.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

const HOUR = 3_600_000;
let stub: StubService;
let world: World;
let app: App;
let person: Person;
let posts: unknown[];
let warnings: unknown[] = [];

beforeAll(async () => {
  posts = [wirePost('1')];
  stub = await startStub((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ miner_tweets: posts, warnings }));
  });
  world = await makeWorld({ hosted: stub.url });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});

async function runQueued(): Promise<void> {
  for (let next = world.enqueued.shift(); next !== undefined; next = world.enqueued.shift())
    await executeRun(world.ctx, next.runId);
  await derivePending(world.ctx, { settleMs: null });
}

describe('pages', () => {
  test('an empty overview asks what should be watched', async () => {
    const { status, html } = await person.get('/');
    expect(status).toBe(200);
    expect(textOf(html)).toContain('What should be watched?');
    expect(html).toContain('action="/new"');
    // It costs money here, so the next page says what.
    expect(html).toContain('name="do" value="preview"');
  });

  test('unobserved time is not called observed', async () => {
    await createTopic(world.ctx, {
      name: 'Sample',
      service: 'hosted',
      searches: [{ slug: 'sample', operation: 'microblog', prompt: 'lighthouses', every: '15m' }],
    });
    world.enqueued.length = 0;
    expect(textOf((await person.get('/')).html)).toMatch(
      /Sample waiting for its first run not observed no data/,
    );
    const said = textOf((await person.get('/topics/sample?range=24h')).html);
    expect(said).toContain('not observed by any run');
    expect(said).not.toContain('fully observed');
  });

  test('with a source down for a week, the pages about its searches and runs say so', async () => {
    const visitor = personAt(app);
    const { created } = await createTopic(world.ctx, {
      name: 'Tides',
      searches: [
        {
          slug: 'tides-ai',
          operation: 'ai',
          prompt: 'tides',
          every: '1d',
          tools: ['News Forum Search', 'Video Search'],
        },
      ],
    });
    warnings = [{ code: 'source_off', tool: 'a tool of another search', message: 'off' }];
    await runQueued();
    expect(textOf((await visitor.get('/topics/tides')).html)).not.toContain('Not observed');
    const firstRun = textOf((await visitor.get(`/runs/${created[0]?.firstRunId}`)).html);
    expect(firstRun).toContain('What each tool of the search returned.');
    warnings = ['source_failed', 'tool_unanswered'].map((code) => ({
      code,
      tool: 'Hacker News Search',
      message: 'hacker-news failed: <b>503',
    }));
    const before = world.clock.now();
    world.clock.advance(7 * 24 * HOUR);
    const { runId } = await insertManualRun(world.ctx, 'tides-ai');
    await executeRun(world.ctx, runId);
    const silence = 'News Forum Search failed, no response since 21 Nov';
    for (const page of ['/', '/topics/tides', '/searches/tides-ai', '/topics/tides/links']) {
      const { html } = await visitor.get(page);
      expect(textOf(html), page).toContain(`Not observed: ${silence} (tides-ai).`);
      expect(html, page).toContain('data-live="silent-tools"');
    }
    expect((await visitor.get('/topics/tides/posts')).html).not.toContain('Not observed: ');
    const run = await visitor.get(`/runs/${runId}`);
    expect(textOf(run.html)).toContain(`1 of 2 tools responded: ${silence}`);
    expect(run.html).toContain('hacker-news failed: &lt;b>503');
    for (const page of ['/runs?search=tides-ai', '/topics/tides'])
      expect(textOf((await visitor.get(page)).html), page).toContain('1 of 2 tools did not respond');
    world.clock.set(before.toISOString());
    warnings = [];
  });

  test('a topic shows results and runs of its searches', async () => {
    await createTopic(world.ctx, {
      name: 'Ferry <i>7',
      searches: [{ slug: 'ferry-posts', operation: 'microblog', prompt: 'harbour ferry', every: '15m' }],
    });
    await runQueued();
    const topic = '/topics/ferry-i-7';
    const { status, html } = await person.get(`${topic}?range=24h`);
    expect(status).toBe(200);
    const said = textOf(html);
    expect(said).not.toContain('last visit');
    expect(html).toContain('href="/searches/ferry-posts"');
    expect(said).toContain('1 succeeded');
    expect(html).not.toContain('<i>');
    expect(html).toContain(`action="${topic}/pause"`);
    expect(html).toContain('data-events="/api/v1/events?topic=ferry-i-7&amp;view=topic"');
    const overview = await person.get('/');
    expect(textOf(overview.html)).toContain('Ferry <i>7');
    expect(overview.html).not.toContain('Watch something of your own');
  });

  test('AI searches that find only links are shown without post volume', async () => {
    const topic = { name: 'Pier', service: 'hosted' };
    const every = '1h';
    await createTopic(world.ctx, {
      ...topic,
      searches: [{ slug: 'pier-ai', operation: 'ai', prompt: 'pier', tools: ['Web Search'], every }],
    });
    world.enqueued.length = 0;
    for (const place of ['/topics/pier?range=24h', '/searches/pier-ai?range=7d']) {
      const { html } = await person.get(place);
      const said = textOf(html);
      expect(said, place).toContain('inks only; no post volume');
      expect(said, place).not.toMatch(/not observed|complete counts/);
      expect(html, place).not.toContain('data-chart');
    }
    const [row = ''] =
      /<tr>(?:(?!<tr>)[^])*topics\/pier"[^]*?<\/tr>/.exec((await person.get('/')).html) ?? [];
    expect(textOf(row)).toContain('links only; no post volume');
    expect(textOf(row)).not.toContain('not observed');
    // A search for posts beside it can fill them.
    await addSearches(world.ctx, 'pier', {
      ...topic,
      searches: [{ slug: 'pier-posts', operation: 'microblog', prompt: 'pier', every }],
    });
    world.enqueued.length = 0;
    expect((await person.get('/topics/pier?range=24h')).html).toContain('data-chart');
  });

  test('topics younger than two days are shown per hour, older ones per day', async () => {
    const shown = async (url: string) => (await person.get(url)).html;
    expect(await shown('/searches/ferry-posts')).toContain('href="?range=24h" aria-current="true"');
    expect(await shown('/')).toContain('Ferry &lt;i>7, posts per hour, last 24 hours');
    const later = new Date(world.clock.now().getTime() + 48 * HOUR);
    const searches = [{ created_at: world.clock.now() }];
    expect([chooseRange(searches, world.clock.now()), chooseRange(searches, later)]).toEqual(['24h', '7d']);
  });

  test('each choice of the page of a topic keeps the other one', async () => {
    const { html } = await person.get('/topics/ferry-i-7?range=30d&tab=posts&sort=oldest&earlier=yes');
    expect(html).toContain('href="?range=7d&amp;tab=posts&amp;sort=oldest&amp;earlier=yes"');
    expect(html).toContain('href="?range=30d&amp;tab=links&amp;earlier=yes"');
    expect(html).toContain('href="?range=30d&amp;tab=posts&amp;earlier=yes"');
    expect(html).toContain('href="?range=30d&amp;tab=posts&amp;sort=oldest"');
    expect((await person.get('/searches/ferry-posts?range=30d')).html).toContain('href="?range=7d"');
  });

  test.each([
    ['tab=answers', 'There is no tab answers here (stories, posts, links, voices): this is stories.', '?'],
    ['tab=links&sort=rising', 'There is no sort rising here (newest, oldest)', '?tab=links'],
    ['from=soon', 'from: "soon" is no time, and is left out.', '?'],
    ['from=2026-11-21T10:00Z&to=2026-11-21T09:00Z', 'The window ends before it begins', '?'],
  ])('%s leaves out what the page does not have, and says so', async (query, note, here) => {
    const { status, html } = await person.get(`/topics/ferry-i-7?${query}`);
    expect(status).toBe(200);
    expect(textOf(html).replaceAll('&quot;', '"')).toContain(note);
    expect(html).toContain(`href="${here.replaceAll('&', '&amp;')}" aria-current="true"`);
  });

  test('a window is in the address: what is beside and below the chart is of its time alone', async () => {
    const at = (hours: number) => new Date(world.clock.now().getTime() + hours * HOUR).toISOString();
    posts = [
      wirePost('early', { text: 'the early ferry', created_at: at(-5) }),
      wirePost('late', { text: 'the late ferry', created_at: at(-1) }),
    ];
    const { firstRunId } = await createSearch(world.ctx, {
      slug: 'windows',
      operation: 'microblog',
      prompt: 'ferries',
      every: '1h',
      service: 'hosted',
    });
    await executeRun(world.ctx, firstRunId);
    await derivePending(world.ctx, { settleMs: null });
    const window = `from=${at(-6)}&to=${at(-4)}`;
    const said = textOf((await person.get(`/searches/windows?tab=posts&${window}`)).html);
    expect(said).toContain('the early ferry');
    expect(said).not.toContain('the late ferry');
    expect(said).toMatch(/What changed .* to .* Whole range 1 post/);
    // Without scripts, bars lead to their windows, and a form to any.
    const { html } = await person.get('/searches/windows?tab=posts');
    expect(html).toMatch(/<a href="\?tab=posts&amp;from=[\dTZ:-]+&amp;to=[\dTZ:-]+" tabindex="-1"><rect/i);
    const sent = await person.get('/searches/windows?from=2026-11-21T08:00&to=2026-11-21T09:10');
    expect([sent.status, sent.to]).toEqual([
      303,
      '/searches/windows?from=2026-11-21T08:00Z&to=2026-11-21T09:15Z',
    ]);
    const oldest = textOf((await person.get('/searches/windows?tab=posts&sort=oldest')).html);
    expect(oldest.indexOf('the early ferry')).toBeLessThan(oldest.lastIndexOf('the late ferry'));
  });

  test('the period before is a line with a column of its table, as long as the range', async () => {
    const { html } = await person.get('/searches/ferry-posts?range=24h&earlier=yes');
    const [, values = ''] = /data-earlier="([^"]*)"/.exec(html) ?? [];
    expect(values.split(',')).toHaveLength(24);
    expect(html).toContain('<th scope="col" class="number expected">24 hours before</th>');
    expect((await person.get('/searches/ferry-posts?range=24h')).html).not.toContain('data-earlier');
  });

  test('discoveries since the last visit are marked until the next visit', async () => {
    const { html } = await person.get('/searches/ferry-posts');
    expect(html).not.toContain('is-new');
    world.clock.advance(HOUR);
    posts = [wirePost('2'), wirePost('1')];
    const { runId } = await insertManualRun(world.ctx, 'ferry-posts');
    await executeRun(world.ctx, runId);
    await derivePending(world.ctx, { settleMs: null });
    for (const time of ['the first look', 'again in the same visit']) {
      const seen = await person.get('/searches/ferry-posts');
      expect(seen.html.match(/line is-post fresh/g), time).toHaveLength(1);
      expect(textOf(seen.html), time).toContain('New since last visit 1 item 1 post');
    }
    world.clock.advance(HOUR);
    expect((await person.get('/searches/ferry-posts')).html).not.toContain('line is-post fresh');
  });

  test('a search with an adaptive interval lists its changes with their reasons, as the API does', async () => {
    const hosted = { operation: 'microblog', prompt: 'eels', service: 'hosted' };
    posts = Array.from({ length: 20 }, (_, i) => {
      const at = world.clock.now().getTime() - i * 180_000;
      return wirePost(`eel-${i}`, { created_at: new Date(at).toISOString() });
    });
    const { firstRunId } = await createSearch(world.ctx, { ...hosted, slug: 'eels-auto', every: 'auto' });
    await executeRun(world.ctx, firstRunId);
    await derivePending(world.ctx, { settleMs: null });
    const { html } = await person.get('/searches/eels-auto');
    expect(textOf(html)).toContain('Interval changes');
    expect(textOf(html)).toContain(
      'every hour: limited to 24 calls a day; about 20 posts an hour, at most 20 in a response',
    );
    const { html: list } = await person.get('/api/v1/searches/eels-auto/interval-changes');
    expect(JSON.parse(list)).toMatchObject({
      items: [{ search: 'eels-auto', seconds_before: null, reason: 'budget', new_items: 20 }],
      next_cursor: null,
    });
    expect(textOf((await person.get('/searches/ferry-posts')).html)).not.toContain('Interval changes');
  });

  test.each(['24h', '7d', '30d', '90d'])(
    'a range of %s is one of four links, and the chart has its table',
    async (range) => {
      const { status, html } = await person.get(`/searches/ferry-posts?range=${range}`);
      expect(status).toBe(200);
      expect(html).toMatch(new RegExp(`href="\\?range=${range}" aria-current="true"`));
      expect(html).toContain('Show as table');
    },
  );

  test.each([
    ['/topics/fery', 404, 'there is no topic'],
    ['/searches/ferry-post', 404, 'did you mean ferry-posts'],
    ['/nowhere', 404, 'no page or route at this address'],
  ])('%s is a page that says what is wrong', async (url, status, words) => {
    const seen = await person.get(url);
    expect(seen.status).toBe(status);
    expect(seen.html).toMatch(/^<!doctype html>/);
    expect(textOf(seen.html).toLowerCase()).toContain(words.toLowerCase());
  });

  test('assets have content-hashed addresses and are cached permanently', async () => {
    const { html } = await person.get('/');
    const [address = ''] = /\/assets\/style\.[\w-]{12}\.css/.exec(html) ?? [];
    const first = await app.inject(address);
    expect(first.statusCode).toBe(200);
    expect(first.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const again = await app.inject({
      url: address,
      headers: { 'if-none-match': String(first.headers.etag) },
    });
    expect(again.statusCode).toBe(304);
    expect((await app.inject('/assets/style.css')).statusCode).toBe(404);
    expect((await app.inject('/assets/..%2fstrandline.js')).statusCode).toBe(404);
  });
});

describe('against a typical day', () => {
  const day = (n: number, coverage = 1, lowerBound = false, hours = 1) => ({
    posts: n,
    observedPosts: n,
    coverage,
    lowerBound,
    hours,
  });

  test.each([
    ['the middle of days', [day(10), day(30), day(20)], 20],
    ['scaled up by coverage', [day(10, 0.5), day(20), day(20)], 20],
    ['days with little coverage do not count', [day(1, 0.1), day(10), day(10), day(10)], 10],
    ['truncated days count with the rate that they measured', [day(30, 0.1, true), day(300), day(10)], 300],
    [
      'minutes of a busy day do not count',
      [day(24, 5 / 1_440, false, 1 / 24), day(10), day(10), day(16, 0.5)],
      10,
    ],
    ['two days are too few', [day(10), day(10)], null],
  ])('%s', (_, days, usual) => expect(computeTypicalVolume(days)).toBe(usual));

  test('a search without data is left out of the ratio; not observed is not zero', () => {
    expect(
      computePulse([
        { now: day(40), typical: 20 },
        { now: day(7), typical: null },
      ]).ratio,
    ).toBe(2);
    expect(computePulse([{ now: day(0, 0), typical: 20 }]).ratio).toBeNull();
    expect(computePulse([{ now: day(0, 0), typical: null }]).coverage).toBeNull();
    expect(computePulse([{ now: day(0), typical: 20 }]).ratio).toBe(0);
    expect(computePulse([{ now: day(60, 0.02, false, 1 / 24), typical: 1_000 }]).ratio).toBeNull();
    // At least 8 where 20 are usual says nothing; at least 40 says something.
    expect(computePulse([{ now: { ...day(8, 0.1, true), observedPosts: 2 }, typical: 20 }]).ratio).toBeNull();
    expect(
      computePulse([{ now: { ...day(40, 0.1, true), observedPosts: 2 }, typical: 20 }]).ratio,
    ).toBeGreaterThanOrEqual(2);
  });

  test.each([
    ['a week', [10, 10], 7],
    ['a week, if no more is available', Array(7).fill(1_428), 7],
    ['fewer days of a busy topic', [4_500, 4_500, 4_500], 2],
    ['one day, however busy', [90_000, 1], 1],
    ['an uncounted value is unknown', [], 7],
  ])('tops are taken from %s', (_, perDay, days) => {
    const today = new Date('2026-11-21');
    const past = perDay.flatMap((held: number, i) => {
      const day_at = new Date(today.getTime() - (i + 1) * 24 * HOUR);
      return [
        { day_at, posts: Math.floor(held / 2) },
        { day_at, posts: Math.ceil(held / 2) },
      ];
    });
    expect(chooseDays(past, today)).toBe(days);
  });

  test('volume computed in the database equals volume computed in code', async () => {
    const searches = await Promise.all(
      [1, 2, 3].map(async (n) => {
        const written = { slug: `sums-${n}`, operation: 'microblog', prompt: 'p', every: '1h' } as const;
        return (await createSearch(world.ctx, written)).search.id;
      }),
    );
    // Quarters of a day: seen wholly, in part or not at all, cut or not, with posts or without.
    await world.db.pool.query(
      `INSERT INTO strandline.volume (search_id, bucket_at, posts, topic_posts, exposure_ms, cut)
       SELECT s.id, timestamptz '2026-11-01Z' + q * interval '15 minutes', (q * s.ord) % 4, (q * s.ord) % 4 / 2,
         CASE WHEN q % 3 = 0 OR q / 4 = 10 THEN 900000 WHEN q % 3 = 1 THEN 420000 ELSE 0 END, (q * s.ord) % 7 = 0
       FROM unnest($1::bigint[]) WITH ORDINALITY s(id, ord), generate_series(0, 95) q WHERE q / 4 % 5 <> s.ord`,
      [searches],
    );
    const range = { from: new Date('2026-11-01T00:30Z'), until: new Date('2026-11-01T22:30Z') };
    const rows = await readBuckets(world.db, { searchIds: searches, per: 'hour', ...range, limit: 1_000 });
    for (const once of [true, false]) {
      const here = sumBuckets(
        rows.map(({ bucket_at, ...row }) => ({ ...row, at: bucket_at })),
        once,
      );
      const there = await readVolumeSums(world.db, { searchIds: searches, per: 'hour', ...range, once });
      expect(there.buckets).toEqual(here.buckets.toSorted((a, b) => Number(a.at) - Number(b.at)));
      expect(there.searches).toEqual(
        here.searches.map((one) => ({ ...one, observed: expect.closeTo(one.observed, 9) })),
      );
      for (const is of ['least', 'partial'] as const)
        expect(new Set(there.buckets.map((bucket) => bucket[is])).size).toBe(2);
    }

    // The overview counts the same observed hours.
    const whole = { from: new Date('2026-11-01T00:00Z'), until: new Date('2026-11-02T00:00Z') };
    const sums = await readVolumeSums(world.db, { searchIds: searches, per: 'hour', ...whole, once: true });
    const now = await readSearchesNow(world.db, whole);
    const hours = new Map(now.map((row) => [row.search_id, row.hours]));
    expect(sums.searches.map(({ search_id }) => hours.get(search_id))).toEqual(
      sums.searches.map(({ touched }) => expect.closeTo(touched / 24, 9)),
    );
    expect(sums.searches.some(({ touched }) => touched > 0 && touched < 24)).toBe(true);
  });

  test('a usual month of a topic is usual, although two of its searches find the same posts', async () => {
    const searches = ['kelp-1', 'kelp-2'].map(
      (slug) => ({ slug, operation: 'microblog', prompt: 'kelp', every: '1h' }) as const,
    );
    await createTopic(world.ctx, { name: 'Kelp', searches });
    world.enqueued.length = 0;
    // Ten posts a day, found by both; the first search had them first.
    await world.db.pool.query(
      `INSERT INTO strandline.search_days (search_id, day_at, posts, topic_posts, topic_reposts, exposed_posts, exposure_ms, hours, cut)
       SELECT id, day_at, 10, CASE slug WHEN 'kelp-1' THEN 10 ELSE 0 END, 0, 10, 86400000, 24, false
       FROM strandline.searches, generate_series($1::timestamptz - interval '29 days', $1, interval '1 day') day_at
       WHERE slug LIKE 'kelp-_'`,
      [new Date(Math.floor(world.clock.now().getTime() / (24 * HOUR)) * 24 * HOUR)],
    );
    for (const place of ['/topics/kelp', '/searches/kelp-2'])
      expect(textOf((await person.get(`${place}?range=30d`)).html), place).toContain('vs. typical day 1×');
  });

  test('a bucket without a row is a gap; one that was observed in part is no lower bound', () => {
    const at = new Date(0);
    const row = { search_id: 1n, at, posts: 4, topic_posts: 3, observed_posts: 4, coverage: 0.5 };
    const volume = buildVolume(sumBuckets([{ ...row, lower_bound: false }], true).buckets, {
      from: at,
      until: new Date(2 * HOUR),
      stepMs: HOUR,
    });
    expect(volume.values).toEqual([3, null]);
    expect(volume.least).toEqual([false, false]);
    expect(volume.partial).toEqual([true, false]);
  });
});
