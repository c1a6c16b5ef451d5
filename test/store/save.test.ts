import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { type Id, inTransaction, openDatabase } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { dropMonths } from '../../src/store/maintenance/partitions.ts';
import { findStored, saveContent, saveCounters } from '../../src/store/save/save-facts.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Diff } from '../../src/store/save/save-responses.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

async function newSearch(slug: string): Promise<Search> {
  const { search } = await createSearch(world.ctx, {
    slug,
    operation: 'microblog',
    prompt: slug,
    every: '15m',
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

function read(body: unknown, operation: 'ai' | 'microblog' = 'microblog') {
  return parseResponse({
    operation,
    body: JSON.stringify(body),
    contentType: 'application/json',
    dialect: loadDialect('named'),
  });
}

async function run(
  search: Search,
  body: unknown,
  at: Date,
  operation: 'ai' | 'microblog' = 'microblog',
  db = world.db,
): Promise<Diff> {
  return runQueued(await queue(search), search, body, at, operation, db);
}

/** Another process, as far as the database knows: what it saves is not saved together with what we save. */
const otherProcess = () => openDatabase(world.database.url, { max: 2, log: world.ctx.log });

const queue = (search: Search) =>
  insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at(0) });

async function runQueued(
  runId: Id,
  search: Search,
  body: unknown,
  at: Date,
  operation: 'ai' | 'microblog',
  db = world.db,
): Promise<Diff> {
  const leased = await leaseRun(db, { runId, worker: 'test', leaseMs: 30_000, now: at });
  if (leased === null) throw new Error('not leased');
  const diff = await saveFindings(db, {
    runId,
    fence: leased.fence,
    searchId: search.id,
    serviceId: search.service_id,
    findings: read(body, operation),
    observedAt: at,
    endedAt: at,
  });
  if (diff === null) throw new Error('not saved');
  return diff;
}

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 12, minutes));
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

test('the first succeeded run of a request is its baseline; the same response again finds nothing and writes no snapshot', async () => {
  const search = await newSearch('baseline');
  const body = { miner_tweets: [wirePost('100'), wirePost('101')] };
  const first = await run(search, body, at(0));
  expect(first).toMatchObject({ baseline: true, completionChanged: false });
  expect(first.newPosts).toHaveLength(2);

  const second = await run(search, body, at(1));
  expect(second).toMatchObject({ baseline: false, newPosts: [], newLinks: [] });
  expect(await rows('SELECT count(*)::int AS n FROM strandline.post_snapshots')).toEqual([{ n: 2 }]);
  expect(await rows('SELECT count(*)::int AS n FROM strandline.author_snapshots')).toEqual([{ n: 2 }]);
  expect(
    await rows('SELECT kind, baseline FROM strandline.discoveries WHERE search_id = $1', [search.id]),
  ).toEqual([
    { kind: 'post', baseline: true },
    { kind: 'post', baseline: true },
  ]);
  expect(await rows('SELECT cardinality(post_ids) AS n FROM strandline.run_results ORDER BY run_id')).toEqual(
    [{ n: 2 }, { n: 2 }],
  );
});

test('only a changed counter writes a snapshot; an unknown value does not overwrite a known one', async () => {
  const search = await newSearch('counters');
  const post = (like: number | null, view: number | null) => ({
    miner_tweets: [wirePost('200', { like_count: like, view_count: view })],
  });
  await run(search, post(5, null), at(0));
  await run(search, post(7, 900), at(1));
  await run(search, post(7, null), at(2));
  await run(search, post(6, 900), at(3));
  const id = (await rows(`SELECT id FROM strandline.posts WHERE external_id = '200'`))[0].id;
  expect(
    await rows(
      'SELECT like_count, view_count FROM strandline_analytics.post_engagement WHERE post_id = $1 ORDER BY observed_at',
      [id],
    ),
  ).toEqual([
    { like_count: 5n, view_count: null },
    { like_count: 7n, view_count: 900n },
    { like_count: 6n, view_count: 900n },
  ]);
  expect(
    await rows('SELECT like_count, view_count, observed_at FROM strandline_analytics.posts WHERE id = $1', [
      id,
    ]),
  ).toEqual([{ like_count: 6n, view_count: 900n, observed_at: at(3) }]);
});

test('a late older response changes nothing that a newer one set', async () => {
  const search = await newSearch('late');
  await run(search, { miner_tweets: [wirePost('300', { like_count: 9, text: 'edited' })] }, at(10));
  await run(search, { miner_tweets: [wirePost('300', { like_count: 4, text: 'as it was' })] }, at(5));
  expect(
    await rows(`SELECT like_count, text FROM strandline_analytics.posts WHERE external_id = '300'`),
  ).toEqual([{ like_count: 9n, text: 'edited' }]);
});

test('the rows of a late copy are locked where all saves lock them: content first, then counters', async () => {
  const search = await newSearch('late-locks');
  const undated = { like_count: 9, text: 'edited', created_at: undefined };
  await run(search, { miner_tweets: [wirePost('3110', undated)] }, at(10));
  const late = {
    runId: await queue(search),
    searchId: search.id,
    serviceId: search.service_id,
    // Its text is ignored. The time of publication was unknown: that is filled.
    findings: read({ miner_tweets: [wirePost('3110', { like_count: 4, text: 'as it was' })] }),
    observedAt: at(5),
  };
  const post = `(SELECT id FROM strandline.posts WHERE external_id = '3110')`;
  const lock = (table: string, key: string) =>
    rows(`SELECT FROM strandline.${table} WHERE ${key} = ${post} FOR NO KEY UPDATE NOWAIT`);
  await inTransaction(world.db, async (tx) => {
    const known = await findStored(tx, [late]);
    await saveContent(tx, 'post', known.posts, { rules: [], isOnlyWriter: false });
    await expect(lock('posts', 'id')).rejects.toThrow('could not obtain lock');
    await lock('post_counters', 'post_id');
    expect(await saveCounters(tx, known)).toMatchObject({ late: { post: [{}] } });
    await expect(lock('post_counters', 'post_id')).rejects.toThrow('could not obtain lock');
  });
});

test('a late older response has its snapshot, and what a later result returned stays', async () => {
  const search = await newSearch('late-counters');
  const post = (like: number, view: number | null) => ({
    miner_tweets: [wirePost('310', { like_count: like, view_count: view })],
  });
  await run(search, post(1, 100), at(0));
  await run(search, post(5, null), at(10));
  await run(search, post(3, 200), at(5));
  await run(search, post(3, 200), at(6));
  const [{ id }] = await rows(`SELECT id FROM strandline.posts WHERE external_id = '310'`);
  expect(
    await rows(
      'SELECT like_count, view_count, observed_at FROM strandline.post_snapshots WHERE post_id = $1 ORDER BY 3',
      [id],
    ),
  ).toEqual([
    { like_count: 1n, view_count: 100n, observed_at: at(0) },
    { like_count: 3n, view_count: 200n, observed_at: at(5) },
    { like_count: 5n, view_count: null, observed_at: at(10) },
  ]);
  expect(
    await rows(
      'SELECT like_count, view_count, observed_at FROM strandline.post_counters WHERE post_id = $1',
      [id],
    ),
  ).toEqual([
    // The later result did not know the views: what it confirmed is what was known before the late one.
    { like_count: 5n, view_count: 100n, observed_at: at(10) },
  ]);
  const waiting = await rows(
    'SELECT cardinality(changed_posts) AS n FROM strandline.pending_derivations WHERE search_id = $1 ORDER BY at',
    [search.id],
  );
  expect(
    waiting.map(({ n }) => n),
    'a snapshot more is derived from',
  ).toEqual([0, 1, 0, 1]);
});

test('a late response of a month that was dropped brings back the month of each snapshot that follows from it', async () => {
  const search = await newSearch('late-months');
  const on = (month: number, day: number) => new Date(Date.UTC(2026, month - 1, day));
  const post = (like: number) => ({ miner_tweets: [wirePost('311', { like_count: like })] });
  await run(search, post(5), on(6, 1));
  await run(search, post(5), on(9, 1));
  expect((await dropMonths(world.db, on(11, 1), () => true)).dropped).toContain('post_snapshots_2026_09');
  // Only now does the second response say something new.
  await run(search, post(3), on(6, 20));
  const snapshots = await rows(
    `SELECT like_count, s.observed_at FROM strandline.post_snapshots s JOIN strandline.posts p ON p.id = post_id
     WHERE external_id = '311' ORDER BY 2`,
  );
  expect(snapshots).toEqual([
    { like_count: 3n, observed_at: on(6, 20) },
    { like_count: 5n, observed_at: on(9, 1) },
  ]);
});

test('a copy of a post with only its id erases nothing', async () => {
  const search = await newSearch('bare');
  await run(search, { miner_tweets: [wirePost('350', { text: 'all of it' })] }, at(0));
  await run(
    search,
    { miner_tweets: [wirePost('351', { is_quote_tweet: true, quote: { id: '350' } })] },
    at(1),
  );
  expect(
    await rows(
      `SELECT text, like_count, author_username AS username FROM strandline_analytics.posts WHERE external_id = '350'`,
    ),
  ).toEqual([{ text: 'all of it', like_count: 1n, username: 'user_350' }]);
});

test('quoted posts are stored as posts with their authors, without a sighting', async () => {
  const search = await newSearch('quotes');
  const quoted = wirePost('401');
  const diff = await run(
    search,
    { miner_tweets: [wirePost('400', { is_quote_tweet: true, quoted_status_id: '401', quote: quoted })] },
    at(0),
  );
  expect(diff.newPosts).toHaveLength(1);
  expect(
    await rows(`SELECT p.external_id, a.username, p.quoted_status_id FROM strandline.posts p JOIN strandline.authors a ON a.id = p.author_id
    WHERE p.external_id IN ('400', '401') ORDER BY 1`),
  ).toEqual([
    { external_id: '400', username: 'user_400', quoted_status_id: '401' },
    { external_id: '401', username: 'user_401', quoted_status_id: null },
  ]);
});

test('a post stored without an author gets one from the first response that has it, and keeps it', async () => {
  const search = await newSearch('authors');
  const author = () =>
    rows(`SELECT a.username, p.observed_at FROM strandline.posts p LEFT JOIN strandline.authors a ON a.id = p.author_id
    WHERE p.external_id = '451'`);
  const { user: _, ...unsigned } = wirePost('451');
  const quoting = wirePost('450', { is_quote_tweet: true, quoted_status_id: '451', quote: unsigned });
  await run(search, { miner_tweets: [quoting] }, at(0));
  expect(await author()).toEqual([{ username: null, observed_at: at(0) }]);
  await run(search, { miner_tweets: [wirePost('451')] }, at(1));
  expect(await author()).toEqual([{ username: 'user_451', observed_at: at(1) }]);
  await run(search, { miner_tweets: [unsigned] }, at(2));
  expect(await author(), 'unknown now changes nothing').toEqual([
    { username: 'user_451', observed_at: at(1) },
  ]);
});

test('a link is its canonical address: another spelling is not new', async () => {
  const search = await newSearch('links');
  const answer = (link: string) => ({
    hacker_news_search_results: { organic_results: [{ title: 'A title', link, snippet: '' }] },
  });
  const first = await run(search, answer('http://News.example:80/item/?utm_source=x#top'), at(0), 'ai');
  const again = await run(search, answer('https://news.example/item'), at(1), 'ai');
  expect([first.newLinks.length, again.newLinks.length]).toEqual([1, 0]);
  expect(
    await rows(`SELECT count(*)::int AS n FROM strandline.link_addresses WHERE address LIKE '%ews.example%'`),
  ).toEqual([{ n: 2 }]);
});

test('a completion has changed if a statement is new, not if words, counters or links differ; the first one has not', async () => {
  const search = await newSearch('completions');
  const [a, b] = ['https://a.example/1', 'https://b.example/2'];
  const answer = (summary: string) => ({
    search_completion_links: [a, b],
    completion: {
      summary,
      key_posts: [{ text: 'key', url: 'https://c.example/3' }],
      key_tweets: [],
      key_news: [],
      key_sources: [],
    },
  });
  const told = [
    `The port is closed because of fog [1](${a}). The thread has 24 replies [1](${a}).`,
    `Because of fog, the port is closed today [1](${b}). The thread has 31 replies [1](${b}).`,
    `Because of fog, the port is closed today, see ${b}. A crane fell on the pier at noon, see ${a}.`,
    'A crane fell on the pier at noon.',
  ];
  const diffs = [];
  for (const [i, summary] of told.entries()) diffs.push(await run(search, answer(summary), at(i), 'ai'));
  expect(diffs.map((diff) => diff.completionChanged)).toEqual([false, false, true, false]);
  expect(
    await rows(
      `SELECT changed, statements_new AS new, statements_gone AS gone, statements_kept AS kept, citations_added AS added,
         citations_removed AS removed, similarity, previous_run_id = lag(run_id) OVER (ORDER BY observed_at) AS previous
       FROM strandline_analytics.completions WHERE search = $1 ORDER BY observed_at`,
      [search.slug],
    ),
  ).toEqual([
    {
      changed: false,
      new: null,
      gone: null,
      kept: null,
      added: null,
      removed: null,
      similarity: null,
      previous: null,
    },
    { changed: false, new: 0, gone: 0, kept: 2, added: 1, removed: 1, similarity: 1, previous: true },
    { changed: true, new: 1, gone: 1, kept: 1, added: 1, removed: 0, similarity: 0.5, previous: true },
    { changed: false, new: 0, gone: 1, kept: 1, added: 0, removed: 2, similarity: 2 / 3, previous: true },
  ]);
  expect(
    await rows("SELECT thing FROM strandline.discoveries WHERE search_id = $1 AND kind = 'completion'", [
      search.id,
    ]),
  ).toHaveLength(1);
  expect(
    await rows(
      `SELECT k.text, l.canonical FROM strandline.key_items k JOIN strandline.links l ON l.id = k.link_id
    JOIN strandline.completions c ON c.id = k.completion_id WHERE c.search_id = $1 LIMIT 1`,
      [search.id],
    ),
  ).toEqual([{ text: 'key', canonical: 'https://c.example/3' }]);
});

test('a completion is compared with the one received before it, whichever run is older', async () => {
  const search = await newSearch('late-completion');
  const says = (summary: string) => ({ completion: { summary } });
  const [first, waiting, next] = [await queue(search), await queue(search), await queue(search)];
  const diffs = [
    await runQueued(first, search, says('The port is closed.'), at(0), 'ai'),
    await runQueued(next, search, says('A crane fell down.'), at(1), 'ai'),
    await runQueued(waiting, search, says('The crane fell down.'), at(2), 'ai'),
  ];
  expect(diffs.map((diff) => diff.completionChanged)).toEqual([false, true, false]);
});

test('a completion that is saved after a later one is compared, and the later one with it', async () => {
  const search = await newSearch('completion-between');
  const says = (summary: string) => ({ completion: { summary } });
  const [first, between, last] = [await queue(search), await queue(search), await queue(search)];
  await runQueued(first, search, says('The port is closed.'), at(0), 'ai');
  await runQueued(last, search, says('A crane fell down.'), at(2), 'ai');
  await runQueued(between, search, says('A crane fell down.'), at(1), 'ai');
  expect(
    await rows(
      'SELECT run_id, previous_run_id, changed FROM strandline.completions WHERE search_id = $1 ORDER BY observed_at',
      [search.id],
    ),
  ).toEqual([
    { run_id: first, previous_run_id: null, changed: false },
    { run_id: between, previous_run_id: first, changed: true },
    { run_id: last, previous_run_id: between, changed: false },
  ]);
});

test('what completions say is news against those of the days before, whatever order they are saved in', async () => {
  const texts = [
    'The port is closed.',
    'A crane fell on the pier.',
    'Trams run all night long.',
    'A crane fell on the pier.',
    'The bakery sells rye bread.',
    'Trams run all night long.',
  ];
  const orders = [
    [0, 1, 2, 3, 4, 5],
    [5, 3, 0, 4, 1, 2],
    [0, 5, 4, 3, 2, 1],
  ];
  const changed = [];
  for (const [n, order] of orders.entries()) {
    const search = await newSearch(`news-order-${n}`);
    for (const i of order) await run(search, { completion: { summary: texts[i] } }, at(i), 'ai');
    const found = await rows(
      'SELECT changed FROM strandline.completions WHERE search_id = $1 ORDER BY observed_at',
      [search.id],
    );
    changed.push(found.map((row) => row.changed));
  }
  expect(changed).toEqual(orders.map(() => [false, true, true, false, true, false]));
});

test('two searches that save the same new posts concurrently each record one sighting per post, forty times', async () => {
  const [one, two] = [await newSearch('race-one'), await newSearch('race-two')];
  const rounds = 40;
  const other = otherProcess();
  let found = 0;
  for (let round = 0; round < rounds; round += 1) {
    const posts = Array.from({ length: 5 }, (_, i) =>
      wirePost(`5${round}${i}`, { user: { id: `77${round % 7}${i}`, username: 'same' } }),
    );
    const diffs = await Promise.all([
      run(one, { miner_tweets: posts }, at(0)),
      run(two, { miner_tweets: posts.toReversed() }, at(0), 'microblog', other),
    ]);
    found += diffs[0].newPosts.length + diffs[1].newPosts.length;
    if (diffs.some((diff) => diff.newPosts.length !== 5))
      throw new Error(`round ${round}: ${diffs.map((diff) => diff.newPosts.length).join(' and ')}`);
  }
  await other.close();
  expect(found).toBe(rounds * 10);
  expect(
    await rows('SELECT count(*)::int AS n FROM strandline.post_sightings WHERE search_id IN ($1, $2)', [
      one.id,
      two.id,
    ]),
  ).toEqual([{ n: rounds * 10 }]);
});

test('a reader that follows the feed by cursor misses nothing while eight writers commit', async () => {
  const searches = await Promise.all(Array.from({ length: 8 }, (_, i) => newSearch(`writer-${i}`)));
  const before = (await rows('SELECT coalesce(max(id), 0) AS id FROM strandline.discoveries'))[0]
    .id as bigint; // int8 is read as bigint
  const seen = new Set<bigint>();
  let cursor = before;
  let writing = true;
  const reader = (async () => {
    for (let last = false; ; ) {
      last = !writing;
      const page = await rows('SELECT id FROM strandline.discoveries WHERE id > $1 ORDER BY id LIMIT 50', [
        cursor,
      ]);
      for (const { id } of page) {
        seen.add(id);
        cursor = id;
      }
      if (last && page.length === 0) return;
    }
  })();
  await Promise.all(
    searches.map(async (search, w) => {
      const process = otherProcess();
      for (let round = 0; round < 20; round += 1) {
        const posts = [wirePost(`8${w}${round}1`), wirePost(`8${w}${round}2`)];
        await run(search, { miner_tweets: posts }, at(0), 'microblog', process);
      }
      await process.close();
    }),
  );
  writing = false;
  await reader;
  expect(seen.size).toBe(8 * 20 * 2);
});

test('a save keeps its cached plans, whatever the tables were when they were created', async () => {
  const db = openDatabase(world.database.url, { max: 1, log: world.ctx.log });
  const search = await newSearch('plans');
  for (let look = 0; look < 7; look++) {
    const post = (id: number) => wirePost(String(id), { like_count: look });
    const body = { miner_tweets: [post(700), post(701 + look)] };
    await runQueued(await queue(search), search, body, at(look), 'microblog', db);
  }
  const { rows: planned } = await db.pool.query<{ name: string; customs: number }>(
    `SELECT name, custom_plans::int AS customs FROM pg_prepared_statements WHERE generic_plans > 0 AND name = ANY ($1)`,
    [['find_stored', 'save_posts', 'save_counters', 'sight', 'append_discoveries']],
  );
  await db.close();
  expect(planned).toHaveLength(5);
  expect(planned.filter(({ customs }) => customs > 0)).toEqual([]);
});
