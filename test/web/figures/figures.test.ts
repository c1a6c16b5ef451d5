/** Every figure that leads to a list is the number of what is listed there: on pages, in commands and in the API. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { HOUR } from '../../../src/lib/time.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { catchUpArchive } from '../../../src/store/archive/index-archive.ts';
import { commandsOf, homeOf } from '../../cli/stand.ts';
import { json, wirePost } from '../../stub-service.ts';
import { stubbedWorld } from '../../stubbed-world.ts';
import { personAt } from '../pages/person.ts';
import { compareFigures, createReader, walkPages } from './walk.ts';
import { at, liveADay, NOW_MINUTES } from './world.ts';

const stubbed = await stubbedWorld();
const { stub, world } = stubbed;
let app: App;

beforeAll(async () => {
  await liveADay(stubbed);
  app = await buildHttpServer(homeOf(world), WEB, { perMinute: 100_000 });
});
beforeEach(() => {
  world.clock.set(at(NOW_MINUTES));
});
afterAll(() => app.close());

const WALK = {
  each: 1,
  bars: 6,
  skips:
    /^\/(?:api|assets|docs|explore\/sql|new|sign-in|health)|\/(?:edit|new|remove|purge|add)(?:[?]|$)|cursor=|[?&]before=/,
};

test('each figure on a page that leads to a list is the number of its items', async () => {
  const person = personAt(app);
  // What is new since a visit is a figure, too.
  world.clock.set(at(NOW_MINUTES - 60));
  await person.get('/topics/ferries');
  await person.get('/searches/ferry-1');
  stub.answers(
    json({
      miner_tweets: [wirePost('6001', { created_at: at(NOW_MINUTES - 50).toISOString() }), wirePost('6002')],
    }),
  );
  world.clock.set(at(NOW_MINUTES - 5));
  await executeRun(world.ctx, (await insertManualRun(world.ctx, 'ferry-1')).runId);
  await world.derive();
  await catchUpArchive(world.db);
  world.clock.set(at(NOW_MINUTES));
  const read = createReader(person);
  const pages = await walkPages(
    read,
    [
      '/',
      '/topics/ferries',
      '/searches/ferry-2',
      '/compare?topics=ferries,buses&range=7d',
      '/explore?q=ferry',
    ],
    WALK,
  );
  const { compared, contradictions } = await compareFigures(read, pages, WALK);
  expect(contradictions).toEqual([]);
  // So many that a walk which no longer finds pages, bars or figures fails.
  expect(pages.size).toBeGreaterThan(100);
  expect(compared.length).toBeGreaterThan(250);
});

test('a figure that is not the number of its items is found', async () => {
  const read = createReader(personAt(app));
  const html = await read('/topics/ferries');
  for (const [figure, planted] of [
    [/(range=[0-9a-z]+"><data value=")\d+/, '$1999'],
    [/(<\/a><\/th><td class="number"><data value=")[1-9]\d*/, '$1999'],
  ] as const) {
    expect(html).toMatch(figure);
    const wrong = new Map([['/topics/ferries', html.replace(figure, planted)]]);
    const { contradictions } = await compareFigures(read, wrong, WALK);
    expect(contradictions).toMatchObject([{ value: 999 }]);
  }
});

const get = async <T>(url: string) => JSON.parse((await app.inject({ url })).body) as T; // what a test expects of a route

/** All items of a list of the API, page by page; each is listed once. */
async function listAll(
  what: 'posts' | 'links' | 'discoveries' | 'runs',
  query: Record<string, string>,
): Promise<{ id: string; [member: string]: unknown }[]> {
  const items = new Map<string, { id: string }>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asked = new URLSearchParams({
      ...query,
      limit: '200',
      ...(cursor === undefined ? {} : { cursor }),
    });
    const page = await get<{ items: { id: string }[]; next_cursor: string | null }>(
      `/api/v1/${what}?${asked}`,
    );
    for (const item of page.items) {
      expect(items.has(item.id), 'listed once').toBe(false);
      items.set(item.id, item);
    }
    cursor = page.next_cursor;
  }
  return [...items.values()];
}

test('the API and commands state the numbers of what they list', async () => {
  const { json: run } = commandsOf(homeOf(world), { DATABASE_URL: world.database.url });
  const listPosts = async (query: Record<string, string>) => (await listAll('posts', query)).length;
  let compared = 0;
  for (const search of ['ferry-1', 'ferry-2', 'ferry-ai', 'bus-1', 'tram-1'])
    for (const { posts, from, until } of await run<{ posts: number; from: string; until: string }[]>(
      'trends',
      '--search',
      search,
      '--days',
      '2',
    )) {
      expect(posts, search).toBe(await listPosts({ search, since: from, until }));
      compared += 1;
    }
  // In the views, removed searches count, too.
  const { rows } = await world.db.pool.query<{ topic: string; bucket_at: Date; posts: number }>(
    `SELECT s.topic, v.bucket_at, sum(v.topic_posts)::int AS posts FROM strandline_analytics.volume_hourly v
     JOIN strandline_analytics.searches s ON s.id = v.search_id GROUP BY 1, 2 HAVING sum(v.posts) > 0 ORDER BY 2, 1`,
  );
  for (const { topic, bucket_at, posts } of rows.filter((_, i) => i % 4 === 0)) {
    const until = new Date(bucket_at.getTime() + HOUR).toISOString();
    expect(posts, `${topic} ${until}`).toBe(
      await listPosts({ topic, since: bucket_at.toISOString(), until }),
    );
    compared += 1;
  }
  // So do they in the API: the sum over the searches of a topic counts each of its posts once.
  const until = at(NOW_MINUTES - (NOW_MINUTES % 60)).toISOString();
  const since = at(-24 * 60).toISOString();
  for (const topic of ['ferries', 'buses', 'trams']) {
    const { items: volumes } = await get<{ items: { buckets: { topic_posts: number }[] }[] }>(
      `/api/v1/trends/volume?topic=${topic}&since=${since}&until=${until}`,
    );
    const posts = volumes
      .flatMap(({ buckets }) => buckets)
      .reduce((sum, bucket) => sum + bucket.topic_posts, 0);
    expect(posts, topic).toBe(await listPosts({ topic, since, until }));
    compared += 1;
  }
  for (const { slug, searches } of await run<{ slug: string; searches: number }[]>('topic', 'list')) {
    expect(searches, slug).toBe((await run<unknown[]>('search', 'list', '--topic', slug)).length);
    compared += 1;
  }
  const { runs_24h } = await run<{ runs_24h: { runs: number }[] }>('status');
  const dayAgo = new Date(at(NOW_MINUTES).getTime() - 24 * HOUR).toISOString();
  const items = await listAll('runs', { since: dayAgo });
  expect(runs_24h.reduce((sum, { runs }) => sum + runs, 0)).toBe(items.length);
  expect(compared + 1).toBeGreaterThan(15);
});

test('commands find and show as many as the API, pages and SQL', async () => {
  const { json: run, run: print } = commandsOf(homeOf(world), { DATABASE_URL: world.database.url });
  const count = async (sql: string, values: unknown[] = []) => {
    const { rows } = await world.db.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${sql}`,
      values,
    );
    return rows[0]?.n;
  };
  const person = personAt(app);
  const statedBy = async (url: string) =>
    Number(/<h2>([\d,]+) /.exec((await person.get(url)).html)?.[1]?.replaceAll(',', ''));

  for (const query of [
    'ferry',
    'ferry OR tram',
    'host:site-0.example',
    'domain:site-0.example',
    'lang:pt-BR',
    '-ferry is:post',
  ]) {
    const { stdout, stderr } = await print(['find', query, '--topic', 'ferries', '--limit', '3']);
    const found = Number(/([\d,]+) match(?:es)?\b/.exec(`${stdout}${stderr}`)?.[1]);
    const text = encodeURIComponent(query);
    const lists = [];
    for (const kind of ['posts', 'links']) {
      const stated = await statedBy(`/topics/ferries/${kind}?q=${text}&range=all`);
      expect(stated, `${kind} ${query}`).toBe(
        (await listAll(kind as 'posts' | 'links', { topic: 'ferries', text: query })).length,
      ); // as listed
      lists.push(stated);
    }
    expect(found, query).toBe(lists.reduce((sum, n) => sum + n, 0));
    expect(await statedBy(`/explore?q=${text}&topic=ferries`), query).toBe(found);
    const { total } = await get<{ total: number }>(`/api/v1/find?text=${text}&topic=ferries&limit=1`);
    expect(total, query).toBe(found);
  }

  const since = at(12 * 60).toISOString();
  for (const [options, query, condition] of [
    [[], { view: 'topic' }, 'first_in_topic'],
    [['--by-search'], { view: 'search' }, 'true'],
  ] as const) {
    const shown = await run<{ id: string }[]>('new', '--topic', 'ferries', '--since', since, ...options);
    const listed = await listAll('discoveries', { topic: 'ferries', since, ...query });
    expect(shown.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toReversed());
    expect(shown.length).toBe(
      await count(`strandline_analytics.discoveries WHERE topic = 'ferries' AND at >= $1 AND ${condition}`, [
        since,
      ]),
    );
    expect(shown.length).toBe(await statedBy(`/topics/ferries/discoveries?from=${since}&view=${query.view}`));
  }

  const trial = await run<{ total: number; messages: { discoveries: number }[]; discovery_ids: string[] }>(
    'rules',
    'try',
    'all-ferries',
    '--days',
    '7',
  );
  expect(trial.total).toBe(new Set(trial.discovery_ids).size);
  // What arrived late is old news, and no rule reports it.
  expect(trial.total).toBe(
    await count(
      `strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.topics t ON t.id = s.topic_id
       WHERE t.slug = 'ferries' AND d.kind IN ('post', 'link') AND d.first_in_topic AND NOT d.baseline AND NOT d.late`,
    ),
  );

  const { body: metrics } = await app.inject({ url: '/metrics' });
  const sum = (name: string, labels = '') =>
    [...metrics.matchAll(new RegExp(`^${name}\\{[^}]*${labels}[^}]*\\} (\\d+)$`, 'gm'))].reduce(
      (total, [, n]) => total + Number(n),
      0,
    );
  expect(sum('strandline_discoveries_total')).toBeGreaterThanOrEqual(
    (await count('strandline.discoveries')) ?? 0,
  );
  expect(sum('strandline_searches')).toBe((await run<unknown[]>('search', 'list')).length);
});
