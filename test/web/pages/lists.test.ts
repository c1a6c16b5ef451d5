/** The lists of a topic or search, over twelve simulated days: the address is their whole state. */
import { DISCOVERY_VIEWS } from '../../../src/store/queries/discoveries.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { catchUpArchive } from '../../../src/store/archive/index-archive.ts';
import { exportRows } from '../../../src/monitor/export/export-rows.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import type { Resource } from '../../../src/store/export/export-resources.ts';
import type { ExportFilter } from '../../../src/store/export/export-select.ts';
import { commandsOf, homeOf } from '../../cli/stand.ts';
import { type History, liveHistory } from '../../house/questions/history.ts';
import { type Person, personAt, textOf } from './person.ts';

const DAY = 86_400_000;
let history: History;
let app: App;
let person: Person;

beforeAll(async () => {
  history = await liveHistory();
  app = await buildHttpServer(homeOf(history.world), WEB, { perMinute: 100_000 });
  person = personAt(app);
  await catchUpArchive(history.world.db);
  await createChannel(history.world.ctx, { slug: 'ops', webhook: 'https://hooks.example/ops' });
});
afterAll(async () => {
  await app.close();
  await history.close();
});

async function idsOf(sql: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await history.world.db.pool.query<{ id: bigint }>(sql, values);
  return rows.map(({ id }) => String(id));
}

async function exported(resource: Resource, filter: ExportFilter): Promise<string[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of exportRows(history.world.ctx, resource, filter, { format: 'ndjson' }))
    pieces.push(piece);
  const lines = Buffer.concat(pieces).toString().split('\n').filter(Boolean);
  return lines.map((line) => (JSON.parse(line) as { id: string }).id); // the key of these resources
}

/** Ids of the items of a page, in order. */
function listed(html: string, kind: 'posts' | 'links'): string[] {
  const [, list = ''] = /<section id="list"(.*?)<\/section>/s.exec(html) ?? [];
  const pattern =
    kind === 'posts'
      ? /class="post-when" href="\/posts\/(\d+)"/g
      : /class="hit-head".*?href="\/links\/(\d+)"/gs;
  return [...list.matchAll(pattern)].map(([, id = '']) => id);
}

/** The address of the next page. */
function nextOf(html: string): string | undefined {
  return /href="([^"]*cursor=[^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll('&amp;', '&');
}

/** Ids on all pages, and the number that the first one states. */
async function readAll(address: string, kind: 'posts' | 'links'): Promise<{ ids: string[]; total: string }> {
  const ids: string[] = [];
  let total = '';
  for (let next: string | undefined = address; next !== undefined; ) {
    const { status, html } = await person.get(next);
    expect(status, next).toBe(200);
    total ||= /<h2>([\d,]+) /.exec(html)?.[1] ?? '';
    ids.push(...listed(html, kind));
    next = nextOf(html);
  }
  return { ids, total: total.replaceAll(',', '') };
}

const OF_TRAINS = `id IN (SELECT post_id FROM strandline_analytics.post_sightings g
  JOIN strandline_analytics.searches s ON s.id = g.search_id WHERE s.topic = 'trains')`;

describe('posts', () => {
  test('pages contain each post once, newest first, and their number is stated', async () => {
    const { ids, total } = await readAll('/topics/trains/posts?range=all', 'posts');
    expect(ids).toEqual(
      await idsOf(
        `SELECT id FROM strandline_analytics.posts WHERE ${OF_TRAINS} ORDER BY created_at DESC, id DESC`,
      ),
    );
    expect(ids.length).toBeGreaterThan(50);
    expect(total).toBe(String(ids.length));
  });

  test.each([
    ['engagement', 'engagement'],
    ['growth', 'gained_engagement'],
    ['likes', 'like_count'],
  ])('sorts by %s', async (sort, column) => {
    const { ids } = await readAll(`/topics/trains/posts?range=all&sort=${sort}`, 'posts');
    const counts = new Map(
      (
        await history.world.db.pool.query<{ id: bigint; n: string | null }>(
          `SELECT post_id AS id, ${column} AS n FROM strandline_analytics.post_growth`,
        )
      ).rows.map(({ id, n }) => [String(id), n === null ? 0 : Number(n)]),
    );
    const shown = ids.map((id) => counts.get(id) ?? 0);
    expect(new Set(ids).size).toBe(ids.length);
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
    expect(shown[0]).toBeGreaterThan(0);
  });

  test('a query and times narrow the list; bars of the chart lead to their part', async () => {
    const [until] = (
      await history.world.db.pool.query<{ at: Date }>(
        `SELECT max(created_at) AS at FROM strandline_analytics.posts WHERE ${OF_TRAINS}`,
      )
    ).rows;
    const to = new Date(Math.floor((until?.at.getTime() ?? 0) / DAY) * DAY);
    const from = new Date(to.getTime() - 2 * DAY);
    const range = `from=${from.toISOString()}&to=${to.toISOString()}`;
    const { ids, total } = await readAll(`/searches/trains-posts/posts?q=-is:repost&${range}`, 'posts');
    expect(ids).toEqual(
      await idsOf(
        `SELECT id FROM strandline_analytics.posts
         WHERE ${OF_TRAINS} AND NOT coalesce(is_repost, false) AND created_at >= $1 AND created_at < $2
         ORDER BY created_at DESC, id DESC`,
        [from, to],
      ),
    );
    expect(total).toBe(String(ids.length));
    expect(ids.length).toBeGreaterThan(0);
    const { html } = await person.get(`/searches/trains-posts/posts?q=-is:repost&${range}`);
    const bars = [
      ...html.matchAll(
        /<a href="([^"]+)"><time[^>]*>[^<]*<\/time><\/a><\/th><td class="number"><data value="(\d+)"/g,
      ),
    ];
    expect(bars.reduce((sum, [, , n]) => sum + Number(n), 0)).toBe(ids.length);
    const [, address = '', n = ''] = bars.find(([, , count]) => Number(count) > 0) ?? [];
    expect((await readAll(address.replaceAll('&amp;', '&'), 'posts')).ids).toHaveLength(Number(n));
  });

  test('each list highlights the words of the query in what it shows', async () => {
    for (const list of ['posts', 'discoveries']) {
      const { html } = await person.get(`/topics/trains/${list}?range=all&q=post`);
      const [, items = ''] = /<section id="list"(.*?)<\/section>/s.exec(html) ?? [];
      const each = items.split('<li>').slice(1);
      expect(each.length, list).toBeGreaterThan(0);
      for (const item of each) expect(item.toLowerCase(), list).toContain('<mark>post</mark>');
    }
    const { html } = await person.get('/topics/trains/posts?range=all');
    expect(html).not.toContain('<mark>');
  });

  test('local times of the form become an address that means the same everywhere', async () => {
    const { status, to } = await person.get('/topics/trains/posts?q=post&from=2026-11-20T08:30&to=&range=7d');
    expect(status).toBe(303);
    expect(to).toBe('/topics/trains/posts?q=post&from=2026-11-20T08:30Z');
  });

  test.each([
    ['q=lnag:en', 'at character 1: one of the fields author:'],
    [`q=${'long'.repeat(300)}`, 'expected at most 1000 characters'],
    ['from=soon', 'expected a time such as'],
    ['to=2026-11-19&from=2026-11-20', 'got "2026-11-19"; expected a time after From'],
  ])('%.40s is refused at its field, which keeps it', async (query, words) => {
    const { status, html } = await person.get(`/topics/trains/posts?${query}`);
    expect(status).toBe(400);
    expect(textOf(html)).toContain(words);
    expect(html).toContain('Filter posts');
    const [, field = '', value = ''] = /^(\w+)=([^&]*)/.exec(query) ?? [];
    expect(html).toMatch(new RegExp(`id="field-${field}"[^>]* aria-invalid`));
    expect(html).toContain(`id="field-${field}-wrong"`);
    if (value !== 'soon') expect(html).toContain(`value="${value}${field === 'to' ? 'T00:00' : ''}"`);
  });

  test('a cursor belongs to its list', async () => {
    const { html } = await person.get('/topics/trains/posts?range=all');
    const [, cursor = ''] = /cursor=([^"&]+)/.exec(html) ?? [];
    expect(cursor).not.toBe('');
    expect((await person.get(`/topics/trains/posts?range=all&q=post&cursor=${cursor}`)).status).toBe(400);
    expect((await person.get(`/topics/buses/posts?range=all&cursor=${cursor}`)).status).toBe(400);
  });
});

describe('links and discoveries', () => {
  test('links are listed once per topic, most recently found first', async () => {
    const { ids, total } = await readAll('/topics/trains/links?range=all', 'links');
    const found = await idsOf(
      `SELECT DISTINCT g.link_id AS id FROM strandline_analytics.link_sightings g
       JOIN strandline_analytics.searches s ON s.id = g.search_id WHERE s.topic = 'trains' ORDER BY 1 DESC`,
    );
    expect(ids).toEqual(found);
    expect(total).toBe(String(found.length));
    const [link] = (
      await history.world.db.pool.query<{ site: string }>(
        'SELECT site FROM strandline_analytics.links WHERE id = $1',
        [found[0]],
      )
    ).rows;
    const ofSite = await readAll(`/topics/trains/links?range=all&q=domain:${link?.site}`, 'links');
    expect(ofSite.ids).toContain(found[0]);
    expect(ofSite.ids.length).toBeLessThan(found.length);
  });

  test('discoveries after one of the feed are those since a visit, without baselines', async () => {
    const [after = ''] = await idsOf(
      `SELECT id FROM strandline_analytics.discoveries WHERE topic = 'trains' ORDER BY id DESC OFFSET 30 LIMIT 1`,
    );
    const { html } = await person.get(`/topics/trains/discoveries?after=${after}`);
    const later = await idsOf(
      `SELECT id FROM strandline_analytics.discoveries WHERE topic = 'trains' AND id > $1 AND NOT baseline AND first_in_topic`,
      [after],
    );
    expect(textOf(html)).toContain(`${later.length} new items, without earlier ones`);
    expect(html.match(/class="line is-/g)).toHaveLength(later.length);
    const [, tabs = ''] = /<nav class="tabs" aria-label="Lists">([^]*?)<\/nav>/.exec(html) ?? [];
    expect([...tabs.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      '/topics/trains/posts',
      '/topics/trains/links',
      `/topics/trains/discoveries?after=${after}`,
    ]);
    const posts = `/topics/trains/posts?range=all&after=${after}`;
    expect(textOf((await person.get(posts)).html)).not.toContain('without earlier ones');
    expect((await readAll(posts, 'posts')).ids, 'on all pages').toEqual(
      (await readAll('/topics/trains/posts?range=all', 'posts')).ids,
    );
  });

  test('after a visit at which there was no discovery, all are new', async () => {
    const { status, html } = await person.get('/topics/trains/discoveries?after=0');
    expect(status).toBe(200);
    expect(textOf(html)).toContain('new items, without earlier ones');
  });

  test.each(['abc', '99999999999999999999', '9223372036854775808'])(
    'no discovery of the feed is %s',
    async (after) => expect((await person.get(`/topics/trains/discoveries?after=${after}`)).status).toBe(400),
  );

  test('an unknown topic or search is refused', async () => {
    expect((await person.get('/topics/nowhere/links')).status).toBe(404);
    expect((await person.get('/searches/nowhere/discoveries')).status).toBe(404);
  });
});

/** Conditions of each kind, alone and combined; one that nothing meets, too. */
const QUERIES = [
  '-is:repost post',
  '"of 1" OR "rail example"',
  'lang:de OR lang:ja',
  'author:ada -lang:en',
  'domain:example -domain:site-1.example',
  '#rail -hashtag:europe',
  'source:news_forum OR is:quote',
  '-source:microblog news',
  'from:5d to:2d',
  'min-engagement:40 is:post',
  'is:repost (#rail OR min-engagement:20)',
  `post (domain:example OR "it's" OR #ferry OR -author:nobody)`,
  'nowhere',
];

/** A row of a list, or a hit of find. */
type Item = { id: string; post: { id: string } | null; link: { id: string } | null };

describe.each(QUERIES)('the query %s', (query) => {
  const q = encodeURIComponent(query);

  /** Items on all pages of a list of the API. */
  async function listedBy(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let more: string | null = ''; more !== null; ) {
      const { body } = await app.inject({ url: `/api/v1/${path}topic=trains&text=${q}&limit=100${more}` });
      const page = JSON.parse(body) as { items: Item[]; next_cursor: string | null }; // the API's own list
      items.push(...page.items);
      more = page.next_cursor && `&cursor=${page.next_cursor}`;
    }
    return items;
  }

  test('selects the same posts and links in pages, the API, commands, exports and a rule', async () => {
    const { json } = commandsOf(homeOf(history.world), {});
    const items: Record<string, string[]> = {};
    for (const [kind, one] of [
      ['posts', 'post'],
      ['links', 'link'],
    ] as const) {
      const { ids, total } = await readAll(`/topics/trains/${kind}?range=all&q=${q}`, kind);
      const sorted = ids.toSorted();
      items[kind] = ids;
      expect(total).toBe(String(ids.length));
      expect((await listedBy(`${kind}?`)).map(({ id }) => id)).toEqual(ids);
      const printed = await json<Item[]>(kind, 'list', query, '--topic', 'trains', '--limit', '1000');
      expect(printed.map(({ id }) => id)).toEqual(ids);
      expect((await exported(kind, { topic: 'trains', query })).toSorted()).toEqual(sorted);
      const hits = (await listedBy(`find?kind=${one}&`)).map((hit) => String(hit[one]?.id));
      expect(hits.toSorted()).toEqual(sorted);
      const found = await json<Item[]>('find', query, '--topic', 'trains', '--kind', one, '--limit', '100');
      expect(found).toHaveLength(Math.min(100, ids.length));
      expect(sorted).toEqual(expect.arrayContaining(found.map((hit) => hit[one]?.id)));
    }
    const rule = `query-${QUERIES.indexOf(query)}`;
    const filter = ['--topic', 'trains', '--filter', query];
    await json('rules', 'add', rule, '--on', 'post,link', ...filter, '--channel', 'ops');
    const { discovery_ids } = await json<{ discovery_ids: string[] }>('rules', 'try', rule, '--days', '90');
    expect(discovery_ids).toEqual(
      await idsOf(
        `SELECT id FROM strandline_analytics.discoveries WHERE topic = 'trains' AND first_in_topic AND NOT baseline
           AND (post_id = ANY ($1) OR link_id = ANY ($2)) ORDER BY id`,
        [items['posts'], items['links']],
      ),
    );
  });

  test('selects the discoveries of the export, by topic and by search', async () => {
    for (const view of DISCOVERY_VIEWS) {
      const { html } = await person.get(`/topics/trains/discoveries?range=all&view=${view}&q=${q}`);
      const of = await exported('discoveries', { topic: 'trains', query, view });
      const [, total = ''] = /<h2>([\d,]+) new items?/.exec(html) ?? [];
      expect(total.replaceAll(',', '')).toBe(String(of.length));
    }
  });
});

test('the links of a list export exactly its rows', async () => {
  const { html } = await person.get('/searches/trains-posts/posts?q=lang:en&from=2d');
  const [, link = ''] = /href="(\/api\/v1\/exports\/posts\?[^"]*format=ndjson[^"]*)"/.exec(html) ?? [];
  const response = await app.inject({ url: link.replaceAll('&amp;', '&') });
  expect(response.statusCode).toBe(200);
  const rows = response.body.trim().split('\n');
  const { ids } = await readAll('/searches/trains-posts/posts?q=lang:en&from=2d', 'posts');
  expect(rows.map((row) => (JSON.parse(row) as { id: string }).id).toSorted()).toEqual(ids.toSorted());
  const [, rule = ''] = /href="(\/alerts\/rules\/new[^"]*)"/.exec(html) ?? [];
  const form = await person.get(rule.replaceAll('&amp;', '&'));
  expect(form.html).toMatch(/name="filter"[^>]* value="lang:en"/);
  expect(form.html).toMatch(
    /<option[^>]*value="search:trains-posts"[^>]* selected|selected[^>]*value="search:trains-posts"/,
  );
  expect(form.html.match(/type="checkbox"[^>]*name="on"[^>]*checked/g)).toHaveLength(1);
});

test('figures and names of a topic lead to its lists', async () => {
  const pages = await Promise.all(
    ['stories', 'voices'].map((tab) => person.get(`/topics/trains?range=30d&tab=${tab}`)),
  );
  const html = pages.map((page) => page.html).join('');
  for (const link of [
    /href="\/topics\/trains\/posts\?range=30d"/,
    /data-list="\/topics\/trains\/posts"/,
    /href="\/topics\/trains\/posts\?q=lang:\w+&amp;from=/,
    /href="\/topics\/trains\/posts\?q=author-id:[^"]+&amp;from=/,
    /href="\/topics\/trains\/discoveries\?range=30d"/,
  ])
    expect(html).toMatch(link);
});
