/** The detail pages and the lists, over twelve simulated days with many failures. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import type { Database } from '../../../src/store/db/database.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { type History, liveHistory } from '../../house/questions/history.ts';
import { followStories } from '../../../src/store/stories/follow-stories.ts';
import { encodeBody } from '../../../src/store/runs/responses.ts';
import { personAt, type Person } from './person.ts';

let history: History;
let app: App;
let person: Person;
let db: Database;

beforeAll(async () => {
  history = await liveHistory();
  db = history.world.db;
  const home = homeOf(history.world);
  app = await buildHttpServer(home, WEB, { perMinute: 100_000 });
  person = personAt(app);
});
afterAll(async () => {
  await app.close();
  await history.close();
});

async function one<T>(sql: string): Promise<T> {
  const { rows } = await db.pool.query(sql);
  if (rows[0] === undefined) throw new Error(`nothing for ${sql}`);
  return rows[0] as T; // the columns that the test asks for
}

/** What a person reads, in one line. */
function words(html: string): string {
  return html
    .replace(/^[\s\S]*<main/, '<main')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ');
}

describe('a post', () => {
  test('shows text, searches and a counter that dropped', async () => {
    const { id, search } = await one<{ id: bigint; search: string }>(
      `SELECT s.post_id AS id, s.search FROM strandline_analytics.post_sightings s ORDER BY s.first_seen_at DESC LIMIT 1`,
    );
    await db.pool.query(
      `INSERT INTO strandline.post_snapshots (post_id, observed_at, like_count, view_count)
       SELECT $1, observed_at + n * interval '1 minute', 100 - 7 * n, 1000 FROM strandline.posts, generate_series(1, 2) n WHERE id = $1`,
      [id],
    );
    const { status, html } = await person.get(`/posts/${id}`);
    expect(status).toBe(200);
    expect(html).toContain(`href="/searches/${search}"`);
    expect(words(html)).toContain('likes dropped by 7 , from 93 to 86');
    expect(html).toContain('data-chart="lines"');
  });

  test('links to the post that it quotes if that is stored', async () => {
    const { id, quoted } = await one<{ id: bigint; quoted: bigint }>(
      `SELECT min(id) AS id, max(id) AS quoted FROM strandline.posts WHERE author_id IS NOT NULL`,
    );
    await db.pool.query(
      `UPDATE strandline.posts p SET quoted_status_id = o.external_id, in_reply_to_status_id = 'never-seen'
       FROM strandline.posts o WHERE p.id = $1 AND o.id = $2`,
      [id, quoted],
    );
    const { html } = await person.get(`/posts/${id}`);
    expect(html).toContain(`href="/posts/${quoted}"`);
    expect(words(html)).toContain('of the same service, not collected');
  });

  test('untrusted text is escaped', async () => {
    const { id } = await one<{ id: bigint }>('SELECT max(id) AS id FROM strandline.posts');
    await db.pool.query(
      `UPDATE strandline.posts SET text = $2, urls = $3, hashtags = $4, url = $5 WHERE id = $1`,
      [
        id,
        '<script>alert(1)</script>\u202egnp.exe',
        ['javascript:alert(1)', 'https://a.example/"><b>'],
        ['<img src=x>'],
        'javascript:alert(2)',
      ],
    );
    const { html } = await person.get(`/posts/${id}`);
    expect(html).not.toContain('<script>alert');
    expect(html).not.toContain('<img');
    expect(html).not.toContain('href="javascript:');
    expect(html).not.toContain('\u202e');
    expect(html).toContain('&lt;script>alert(1)');
  });
});

describe('a link', () => {
  test('shows who found it first, its ranks, and what cites it', async () => {
    const { id, search } = await one<{ id: bigint; search: string }>(
      `SELECT link_id AS id, search FROM strandline_analytics.link_sources WHERE nth = 1 ORDER BY searches DESC, link_id LIMIT 1`,
    );
    await db.pool.query(
      `UPDATE strandline.completions SET completion_links = ARRAY[$1::bigint] WHERE id = (SELECT max(id) FROM strandline.completions)`,
      [id],
    );
    const { run } = await one<{ run: bigint }>(
      'SELECT run_id AS run FROM strandline.completions ORDER BY id DESC LIMIT 1',
    );
    const { status, html } = await person.get(`/links/${id}`);
    expect(status).toBe(200);
    expect(html).toContain(`href="/searches/${search}"`);
    expect(html).toContain('Rank of this link in responses to trains: AI search');
    expect(html).toContain(`/searches/${search}`);
    expect(html).toContain(`href="/runs/${run}#completion"`);
  });

  test('lists posts whose text contains one of its addresses', async () => {
    const { id, address } = await one<{ id: bigint; address: string }>(
      'SELECT link_id AS id, address FROM strandline.link_addresses ORDER BY link_id LIMIT 1',
    );
    const { post } = await one<{ post: bigint }>('SELECT min(id) AS post FROM strandline.posts');
    await db.pool.query('UPDATE strandline.posts SET urls = $2 WHERE id = $1', [post, [address]]);
    await db.pool.query(
      'INSERT INTO strandline.post_links (post_id, link_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [post, id],
    );
    expect((await person.get(`/links/${id}`)).html).toContain(`href="/posts/${post}"`);
    expect((await person.get(`/posts/${post}`)).html).toContain(`href="/links/${id}"`);
  });
});

describe('versions', () => {
  const section = (html: string) =>
    words(html.slice(html.indexOf('id="versions"'))).replace(/ Newest posts.*/, '');

  test('a post shows what changed, newest first, and the run that saw it', async () => {
    const { id, run, search } = await one<{ id: bigint; run: bigint; search: string }>(
      `SELECT p.id, p.run_id AS run, s.slug AS search FROM strandline.posts p JOIN strandline.runs r ON r.id = p.run_id
       JOIN strandline.searches s ON s.id = r.search_id WHERE p.text <> '' AND p.lang IS NOT NULL
         AND p.id NOT IN (SELECT post_id FROM strandline.post_versions) ORDER BY p.id LIMIT 1`,
    );
    expect((await person.get(`/posts/${id}`)).html).not.toContain('id="versions"');
    await db.pool.query(
      `INSERT INTO strandline.post_versions (post_id, observed_at, run_id, is_partial, text, hashtags)
       SELECT id, observed_at - n * interval '1 hour', run_id, false, CASE n WHEN 0 THEN '<b>edited</b>' WHEN 2 THEN 'as it was' END,
         CASE n WHEN 1 THEN '{}'::text[] END
       FROM strandline.posts CROSS JOIN generate_series(0, 2) n WHERE id = $1`,
      [id],
    );
    const { html } = await person.get(`/posts/${id}`);
    expect(html).toContain(`href="/runs/${run}">trains: Posts`);
    expect(html).toContain(`/searches/${search}`);
    expect(section(html)).toMatch(/Text: &lt;b>edited&lt;\/b> .* Hashtags: none .* Text: as it was /);
    expect(section(html).match(/Text: /g)).toHaveLength(2);
  });

  test('an author shows former handles, and what is unknown', async () => {
    const { id } = await one<{ id: bigint }>(
      `SELECT id FROM strandline.authors WHERE id NOT IN (SELECT author_id FROM strandline.author_versions) ORDER BY id LIMIT 1`,
    );
    await db.pool.query(
      `INSERT INTO strandline.author_versions (author_id, observed_at, is_partial, username, description)
       SELECT id, observed_at - n * interval '1 hour', false, (ARRAY['after', 'before'])[n + 1], (ARRAY['', 'a bio'])[n + 1]
       FROM strandline.authors CROSS JOIN generate_series(0, 1) n WHERE id = $1`,
      [id],
    );
    const { html } = await person.get(`/authors/${id}`);
    expect(section(html)).toMatch(
      /unknown .*Handle: @after .*Profile text: none .*Handle: @before .*Profile text: a bio /,
    );
  });
});

test('an author is shown with topics and the delete command, whatever the ID', async () => {
  const { id, topic } = await one<{ id: bigint; topic: string }>(
    `SELECT p.author_id AS id, s.topic FROM strandline.posts p JOIN strandline.post_sightings g ON g.post_id = p.id
     JOIN strandline_analytics.searches s ON s.id = g.search_id WHERE p.author_id IS NOT NULL LIMIT 1`,
  );
  await db.pool.query(`UPDATE strandline.authors SET external_id = 'a''; rm -rf ~' WHERE id = $1`, [id]);
  const { html } = await person.get(`/authors/${id}`);
  expect(html).toContain(`href="/topics/${topic}"`);
  expect(html).toContain(String.raw`strandline authors forget 'a'\''; rm -rf ~' --service hosted`);
});

describe('runs', () => {
  test.each(['trains-post', 'x'.repeat(200)])(
    'the filter keeps %s, which names no search, and says so',
    async (typed) => {
      const { status, html } = await person.get(`/runs?status=failed&search=${typed}`);
      expect(status).toBe(404);
      expect(html).toContain(`value="${typed}"`);
      expect(html).toContain('<option value="failed" selected>');
      expect(html).toMatch(/id="field-search-wrong"[^]*there is no search/);
      expect(words(html)).toContain('No runs match.');
    },
  );

  test('are filtered by status, and paging visits each once', async () => {
    const { n } = await one<{ n: number }>('SELECT count(*)::int AS n FROM strandline.runs');
    const seen = new Set<string>();
    for (let url: string | undefined = '/runs'; url !== undefined; ) {
      const { html } = await person.get(url);
      for (const [, id = ''] of html.matchAll(/<td class="number"><a href="\/runs\/(\d+)">/g)) {
        expect(seen.has(id)).toBe(false);
        seen.add(id);
      }
      url = /<a href="([^"]+)" rel="next">/.exec(html)?.[1]?.replaceAll('&amp;', '&');
    }
    expect(seen.size).toBe(n);
    const { html } = await person.get('/runs?status=failed&topic=trains&search=');
    expect(html).toContain('the service returned an error');
    expect(html.slice(html.indexOf('id="list"'))).not.toContain('badge is-succeeded');
  });

  test('a failed one says why and what to do, and can be run again', async () => {
    const { id, search } = await one<{ id: bigint; search: string }>(
      `SELECT id, search FROM strandline_analytics.runs WHERE status = 'failed' LIMIT 1`,
    );
    const { html } = await person.get(`/runs/${id}`);
    expect(html).toContain(`action="/searches/${search}/run"`);
    const told = words(html);
    expect(told).toContain('Run again');
    expect(told).toMatch(/HTTP 5\d\d/);
    expect(told).toContain('out of order');
    expect(told).toContain('the service returned an error');
    expect(told).toContain('the next slot runs as usual');
    expect(told).toContain('POST /');
    expect(told).not.toContain('k$y-of-the-test');
  });

  test('a successful one shows its response, downloads it, and parses it again', async () => {
    const { id } = await one<{ id: bigint }>(
      `SELECT run_id AS id FROM strandline.responses a JOIN strandline.runs r ON r.id = a.run_id
       WHERE status = 'succeeded' ORDER BY a.run_id DESC LIMIT 1`,
    );
    expect((await person.get(`/runs/${id}`)).html).toContain(`action="/runs/${id}/replay"`);
    const answer = await app.inject({ url: `/runs/${id}/answer` });
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    expect(answer.headers['content-disposition']).toContain('attachment');
    expect(() => JSON.parse(answer.body) as unknown).not.toThrow();
    const again = await person.follow(`/runs/${id}/replay`);
    expect(again.to).toBe(`/runs/${id}`);
    expect(words(again.html)).toContain('Parsed again, without a new call.');
    expect((await person.forge(`/runs/${id}/replay`)).status).toBe(403);
  });

  test('a first completion is called that; a later one is compared with the previous one', async () => {
    const of = (order: 'ASC' | 'DESC') =>
      one<{ id: bigint; changed: boolean }>(
        `SELECT run_id AS id, changed FROM strandline_analytics.completions ORDER BY observed_at ${order}, run_id ${order} LIMIT 1`,
      );
    const [first, last] = await Promise.all([of('ASC'), of('DESC')]);
    expect(first.id).not.toBe(last.id);
    const said = words((await person.get(`/runs/${first.id}`)).html);
    expect(said).toContain('; first answer of this search.');
    expect(said).not.toContain(' similar.');
    const { html } = await person.get(`/runs/${last.id}`);
    expect(words(html)).toMatch(
      new RegExp(
        `; ${last.changed ? 'changed' : 'not changed'} since run \\d+: \\d+ statements? new, .* similar\\.`,
      ),
    );
    expect(html).toContain(`/completions?to=${last.id}"`);
  });

  test('a completion has the titles of its sources, by their numbers, which lead to the links', async () => {
    const { run, link, title } = await one<{ run: bigint; link: bigint; title: string }>(
      `SELECT c.run_id AS run, l.id AS link, l.title FROM strandline_analytics.completions c
       JOIN strandline_analytics.links l ON l.id = c.completion_links[1] WHERE l.title IS NOT NULL ORDER BY c.id LIMIT 1`,
    );
    const { html } = await person.get(`/runs/${run}`);
    expect(html).toMatch(new RegExp(`<li value="\\d+"><a href="/links/${link}">`));
    expect(html).toMatch(new RegExp(`<sup><a href="/links/${link}"`));
    expect(words(html)).toContain(title.slice(0, 20));
  });

  test('the answers of a search are listed with their changes, and any two are compared by address', async () => {
    const { search, first, last } = await one<{ search: string; first: bigint; last: bigint }>(
      `SELECT search, (array_agg(run_id ORDER BY observed_at, run_id))[1] AS first,
         (array_agg(run_id ORDER BY observed_at DESC, run_id DESC))[1] AS last
       FROM strandline_analytics.completions GROUP BY search HAVING count(*) > 1 LIMIT 1`,
    );
    const answers = (await person.get(`/searches/${search}?tab=answers&range=30d`)).html;
    expect(answers).toContain(`href="/searches/${search}/completions?to=${last}"`);
    const { status, html } = await person.get(`/searches/${search}/completions?from=${first}&to=${last}`);
    expect(status).toBe(200);
    expect(words(html)).toContain(`run ${last} (`);
    expect(html).toContain(`name="from" value="${first}" checked`);
    // Only those in which something is new, and all of these.
    const { changed } = await one<{ changed: bigint[] }>(
      `SELECT array_agg(run_id) FILTER (WHERE changed) AS changed FROM strandline_analytics.completions WHERE search = '${search}'`,
    );
    const filtered = (await person.get(`/searches/${search}/completions?only=changed`)).html;
    const listRuns = (page: string) =>
      new Set([...page.matchAll(/completions\?to=(\d+)"/g)].map(([, run]) => run));
    expect(listRuns(filtered)).toEqual(new Set(changed.map(String)));
    expect(listRuns(html).size).toBeGreaterThan(changed.length);
    const invalid = await person.get(`/searches/${search}/completions?from=x`);
    expect(invalid.status).toBe(400);
    expect(words(invalid.html)).toContain('query.from : got &quot;x&quot;; expected an id: digits only');
    expect((await person.get(`/searches/${search}/completions?from=${last}&to=${first}`)).status).toBe(404);
  });
});

test('the page of answers says that there are none, of a search without any', async () => {
  const { html } = await person.get('/searches/trains-posts/completions');
  expect(words(html)).toContain('No answer with statements yet.');
});

describe('compare', () => {
  test('compares topics and says what was not observed', async () => {
    const { status, html } = await person.get('/compare?topics=trains,buses&range=30d');
    expect(status).toBe(200);
    expect(html).toContain('Share of each topic per day');
    expect(words(html)).toMatch(/\d of 30 days/);
    expect(html).toContain('buses, posts per day');
  });

  test('shows topics in the order of the address', async () => {
    for (const topics of ['trains,buses', 'buses,trains']) {
      const { html } = await person.get(`/compare?topics=${topics}&range=30d`);
      const charts = [...html.matchAll(/(\w+), posts per day/g)].map(([, topic]) => topic);
      expect([...new Set(charts)].join(',')).toBe(topics);
    }
  });

  test('accepts the form and says what it leaves out', async () => {
    const { html } = await person.get('/compare?topics=trains&topics=buses&topics=nobody&range=30d');
    expect(words(html)).toContain('Not shown: nobody');
    expect(words((await person.get('/compare')).html)).toContain('Choose two or more topics');
    expect((await person.get('/compare?range=often')).to).toBe('/compare');
  });
});

describe('explore', () => {
  test('counts all matches of a query, and has them in pages; explains a query that cannot be read', async () => {
    const { html } = await person.get('/explore?q=is:post+OR+is:link');
    expect(words(html)).toMatch(/[\d,]+ matches, 50 shown/);
    const [, next = ''] = /href="(\/explore\?[^"]*after=[^"]*)">Next page/.exec(html) ?? [];
    const second = await person.get(next.replaceAll('&amp;', '&'));
    expect(second.status).toBe(200);
    const first = /class="hit-head"[\s\S]*?<\/article>/.exec(html)?.[0] ?? 'none';
    expect(second.html).not.toContain(first);
    const [, list = ''] =
      /href="(\/topics\/trains\/posts[^"]*)">List posts/.exec(
        (await person.get('/explore?q=is:post+OR+is:link&topic=trains&within=year')).html,
      ) ?? [];
    expect(list).toContain('q=(is:post%20OR%20is:link)%20from:365d');
    expect((await person.get(list.replaceAll('&amp;', '&'))).status).toBe(200);
    const long = await person.get('/explore?q=ferry&lang=twenty-characters-or-more');
    expect([long.status, long.html.includes('id="field-lang-wrong"')]).toEqual([400, true]);
    expect(long.html).toContain('value="twenty-characters-or-more"');
    const wrong = await person.get('/explore?q=ferry+lnag:en');
    expect(wrong.status).toBe(400);
    expect(words(wrong.html)).toContain('at character 7: one of the fields author:');
    expect(wrong.html).toContain('id="field-words-wrong"');
  });

  test('a query returns a table of at most a thousand rows', async () => {
    const { html } = await person.post('/explore/sql', {
      sql: "select search, count(*) as n, '<b>' as mark from runs group by search -- all of them",
    });
    expect(html).toContain('trains-posts');
    expect(html).toContain('&lt;b>');
    const long = await person.post('/explore/sql', { sql: 'select n from generate_series(1, 5000) n' });
    expect(words(long.html)).toContain('1,000 rows');
    expect(words(long.html)).toContain('more rows exist');
  });

  test.each([
    ['drop table runs', 'begins with select'],
    ['select from from', 'syntax error'],
    ['select nme from runs', 'at character 8 ("nme from runs")'],
    ['select 1; select 2', 'only one statement is allowed'],
    ['select * from strandline.tokens', 'permission denied'],
    ['', 'Enter one SQL statement of at most 20000 characters.'],
    [`select '${'long'.repeat(5_000)}'`, 'Enter one SQL statement of at most 20000 characters.'],
  ])('an invalid query is explained, and kept: %.60s', async (sql, expected) => {
    const { status, html } = await person.post('/explore/sql', { sql });
    expect(status).toBe(400);
    expect(words(html).replaceAll('&quot;', '"')).toContain(expected);
    expect(html).toContain(`>${sql}</textarea>`);
  });

  test('the reference has every view, and examples fill the form', async () => {
    const { rows } = await db.pool.query<{ view: string }>(
      'SELECT DISTINCT view FROM strandline_analytics.contract_columns',
    );
    const { html } = await person.get('/explore/sql?view=posts');
    for (const { view } of rows) expect(html).toContain(`?view=${view}#view`);
    expect(html).toContain('Likes when last observed');
    expect((await person.get('/explore/sql?example=14')).html).toMatch(/<textarea[^>]*>with agreed as/);
    expect((await person.get('/explore/sql?example=99')).status).toBe(404);
  });
});

test('the System page shows workers, the scan, storage, budgets and versions', async () => {
  const told = words((await person.get('/system')).html);
  for (const part of [
    'Workers',
    'schedules are on hold',
    'Scan and queue',
    'last ran',
    'Unread responses',
    'raw responses',
    'PostgreSQL',
    'Limit per day',
    'indefinitely',
  ])
    expect(told).toContain(part);
});

test('the reference of the API shows every operation with a call', async () => {
  const document = JSON.parse((await app.inject({ url: '/openapi.json' })).body) as {
    paths: Record<string, Record<string, { operationId: string; tags?: string[] }>>;
  }; // our own document
  const index = (await person.get('/docs')).html;
  const tags = new Map<string, string>();
  for (const methods of Object.values(document.paths))
    for (const { operationId, tags: [tag = 'other'] = [] } of Object.values(methods)) {
      expect(index).toContain(`href="/docs?tag=${tag}#${operationId}"`);
      tags.set(tag, `${tags.get(tag) ?? ''} ${operationId}`);
    }
  for (const [tag, ids] of tags) {
    const { html } = await person.get(`/docs?tag=${tag}`);
    for (const id of ids.trim().split(' ')) expect(html).toContain(`id="${id}"`);
    expect(html.match(/<code>curl /g)?.length).toBe(ids.trim().split(' ').length);
  }
  expect((await person.get('/docs?schema=Run')).html).toContain('span_slots');
});

describe('stories', () => {
  /** Two posts each of a topic say the same thing. */
  beforeAll(async () => {
    await db.pool.query(
      `UPDATE strandline.posts p SET text = (SELECT string_agg(left(md5(n.pair::text || w::text), 8), ' ') FROM generate_series(1, 12) w)
       FROM (
         SELECT post_id, (row_number() OVER (ORDER BY post_id) - 1) / 2 AS pair FROM strandline_analytics.post_sightings
         WHERE search = 'trains-posts' GROUP BY post_id ORDER BY post_id LIMIT 130
       ) n WHERE p.id = n.post_id`,
    );
    while (!(await followStories(db, { batches: 100 })));
  });

  test('of a topic are listed with the number of their items, and each has its items', async () => {
    const { id, topic, members, things, item } = await one<{
      id: bigint;
      topic: string;
      members: number;
      things: number;
      item: bigint;
    }>(
      `SELECT k.id, k.topic, k.members, k.things, i.item_id AS item FROM strandline_analytics.stories k
       JOIN strandline_analytics.story_items i ON i.story_id = k.id AND i.kind = 'post'
       ORDER BY k.last_news_at DESC, k.id DESC, i.discovery_id LIMIT 1`,
    );
    expect(members).toBeGreaterThan(1);
    const list = await person.get(`/topics/${topic}/stories`);
    expect(list.html).toContain(`href="/stories/${id}"`);
    const story = await person.get(`/stories/${id}`);
    expect(words(story.html)).toContain(`×${things}`);
    expect(words(story.html)).toContain('Posts and links that the topic found per');
    expect(words((await person.get(`/posts/${item}`)).html)).toContain(`${topic}: ×${things}`);
    expect(story.html).toContain(`href="/posts/${item}"`);
    expect((await person.get(`/topics/${topic}`)).html).toContain(`href="/topics/${topic}/stories"`);
  });

  test('are read page by page, and none twice', async () => {
    const { topic, n } = await one<{ topic: string; n: number }>(
      'SELECT topic, count(*)::int AS n FROM strandline_analytics.stories GROUP BY 1 ORDER BY 2 DESC LIMIT 1',
    );
    const seen: string[] = [];
    for (let next: string | undefined = `/topics/${topic}/stories`; next !== undefined; ) {
      const { html } = await person.get(next);
      seen.push(...[...html.matchAll(/href="\/stories\/(\d+)"/g)].map(([, id]) => id ?? ''));
      next = /href="([^"]*stories\?after=[^"]*)"/.exec(html)?.[1];
    }
    expect(n).toBeGreaterThan(50);
    expect(seen.length).toBe(n);
    expect(new Set(seen).size).toBe(n);
  });
});

describe('evidence', () => {
  type File = {
    subject: { text?: string };
    versions: { text: string }[];
    sightings: { first_run_id: string; first_seen_at: string }[];
    posts: { text: string }[];
    responses: {
      run_id: string;
      received_at: string;
      sha256: string | null;
      sha256_matches: boolean | null;
      body: string | null;
      body_encoding: string | null;
    }[];
  };

  async function read(path: string): Promise<File> {
    const reply = await app.inject({ url: `/evidence/${path}/file` });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-disposition']).toContain('attachment');
    return reply.json<File>();
  }

  const newestPost = () =>
    one<{ id: bigint; external_id: string; run: bigint; search: string }>(
      `SELECT p.id, p.external_id, g.first_run_id AS run, g.search FROM strandline_analytics.post_sightings g
       JOIN strandline.posts p ON p.id = g.post_id JOIN strandline.responses a ON a.run_id = g.first_run_id
       ORDER BY g.first_seen_at DESC, p.id LIMIT 1`,
    );

  test('of a post has the response that first contained it, received when it was first seen, with its hash', async () => {
    const { id, external_id: external, run } = await newestPost();
    const evidence = await read(`post/${id}`);
    const response = evidence.responses.find(({ run_id }) => run_id === String(run));
    expect(response).toMatchObject({ sha256_matches: true, body_encoding: 'text' });
    expect(response?.body).toContain(external);
    expect(
      createHash('sha256')
        .update(response?.body ?? '')
        .digest('hex'),
    ).toBe(response?.sha256);
    expect(evidence.sightings).toContainEqual(
      expect.objectContaining({ first_run_id: String(run), first_seen_at: response?.received_at }),
    );
    const { html } = await person.get(`/evidence/post/${id}`);
    expect(html).toContain(response?.sha256);
    expect(words(html)).toContain('hash matches');
    expect((await person.get(`/posts/${id}`)).html).toContain(`href="/evidence/post/${id}"`);
    // The API says the same, but for the time at which it was made.
    const api = await app.inject({ url: `/api/v1/evidence/post/${id}` });
    expect({ ...api.json<object>(), made_at: '' }).toEqual({ ...evidence, made_at: '' });
  });

  test('of a link, a completion and a spike has the responses of their runs', async () => {
    const { link } = await one<{ link: bigint }>(
      'SELECT max(link_id) AS link FROM strandline.link_sightings',
    );
    const { run } = await one<{ run: bigint }>('SELECT max(run_id) AS run FROM strandline.completions');
    const { spike, revealed } = await one<{ spike: bigint; revealed: bigint }>(
      'SELECT id AS spike, run_id AS revealed FROM strandline.spikes ORDER BY id DESC LIMIT 1',
    );
    const ofLink = await read(`link/${link}`);
    expect(ofLink.sightings.length).toBeGreaterThan(0);
    expect(ofLink.responses.map(({ run_id }) => run_id)).toContain(ofLink.sightings[0]?.first_run_id);
    expect((await read(`completion/${run}`)).responses.map(({ run_id }) => run_id)).toEqual([String(run)]);
    const ofSpike = await read(`spike/${spike}`);
    expect(ofSpike.posts.length).toBeGreaterThan(0);
    expect(ofSpike.responses.map(({ run_id }) => run_id)).toContain(String(revealed));
    for (const path of [`link/${link}`, `completion/${run}`, `spike/${spike}`])
      expect((await person.get(`/evidence/${path}`)).status).toBe(200);
  });

  test('says that a stored response does not have its hash any more, and that another has expired', async () => {
    const { id, run } = await newestPost();
    await db.pool.query('UPDATE strandline.responses SET sha256 = $2 WHERE run_id = $1', [
      run,
      Buffer.alloc(32),
    ]);
    expect((await read(`post/${id}`)).responses).toContainEqual(
      expect.objectContaining({ run_id: String(run), sha256_matches: false }),
    );
    expect(words((await person.get(`/evidence/post/${id}`)).html)).toContain('do not rely on it');
    await db.pool.query('DELETE FROM strandline.responses WHERE run_id = $1', [run]);
    expect((await read(`post/${id}`)).responses).toContainEqual(
      expect.objectContaining({ run_id: String(run), sha256: null, sha256_matches: null, body: null }),
    );
    expect(words((await person.get(`/evidence/post/${id}`)).html)).toContain('expired');
  });

  test('a body that is not UTF-8 is written as base64, byte for byte', async () => {
    const { id, run } = await newestPost();
    const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x7b]);
    const { gzipped, sha256 } = await encodeBody(bytes);
    await db.pool.query(
      'UPDATE strandline.responses SET body = $2, sha256 = $3, bytes = 4 WHERE run_id = $1',
      [run, gzipped, sha256],
    );
    const response = (await read(`post/${id}`)).responses.find(({ run_id }) => run_id === String(run));
    expect(response).toMatchObject({ body_encoding: 'base64', sha256_matches: true });
    expect(Buffer.from(response?.body ?? '', 'base64')).toEqual(bytes);
  });
});

test.each([
  '/evidence/post/0',
  '/evidence/rumour/1',
  '/evidence/spike/99999999',
  '/stories/0',
  '/posts/0',
  '/posts/x',
  '/links/99999999999999999999',
  '/authors/0',
  '/runs/0',
  '/runs/0/answer',
  '/runs?topic=nobody',
  '/docs?tag=nothing',
])('%s is not found, with an explanation', async (url) => {
  const { status, html } = await person.get(url);
  expect(status).toBe(404);
  expect(words(html)).toMatch(/there is no|there is evidence of|has no stored response|the API has no part/i);
});

test('a method that a page does not have gets those that it has', async () => {
  const reply = await app.inject({ method: 'PUT', url: '/posts/1' });
  expect([reply.statusCode, reply.headers['allow']]).toEqual([405, 'GET, HEAD']);
});

test.each([
  ['/runs?status=odd', '/runs'],
  ['/runs?nothing=1', '/runs'],
  ['/explore?kind=odd', '/explore'],
  ['/runs?before=x', undefined],
])('%s leads to %s, or is refused with an explanation', async (url, to) => {
  const shown = await person.get(url);
  expect([shown.status, shown.to]).toEqual([to === undefined ? 400 : 303, to]);
});
