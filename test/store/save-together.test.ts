/** Runs saved in one transaction leave what they would leave one by one. */
import { assert, asyncProperty, constantFrom, integer, record, uniqueArray } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import type { Id } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { encodeBody } from '../../src/store/runs/responses.ts';
import type { ResponseToSave, SaveInput } from '../../src/store/save/outcome.ts';
import { type PastRun, savePastRuns } from '../../src/store/save/past-runs.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Diff } from '../../src/store/save/save-responses.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { intercepted } from '../intercepted.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { at } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

let searches = 0;
async function newSearch(): Promise<Search> {
  searches += 1;
  const { search } = await createSearch(world.ctx, {
    slug: `together-${searches}`,
    operation: 'ai',
    prompt: `together ${searches}`,
    every: '15m',
  });
  await rows('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  return search;
}

/** One post as a response has it: which, what of its text, and counters; null: unknown. */
type Said = {
  post: number;
  text: string | undefined;
  likes: number | null;
  views: number | null;
  fans: number | null;
};
type Response = { minute: number; posts: Said[]; links: { link: number; title: string }[] };

/** @param way goes into every id, so that the same responses can be saved twice in one database */
async function leased(search: Search, response: Response, way: string): Promise<SaveInput> {
  const { observedAt, ...results } = read(search, response, way);
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: observedAt });
  const run = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: observedAt });
  if (run === null) throw new Error('not leased');
  return { runId, fence: run.fence, ...results, observedAt, endedAt: observedAt };
}

/** What a search reads in a response. */
function read(search: Search, response: Response, way: string): Omit<ResponseToSave, 'runId'> {
  const tweets = response.posts.map(({ post, text, likes, views, fans }) =>
    wirePost(`${way}${post}`, {
      ...(text === undefined ? {} : { text }),
      like_count: likes,
      view_count: views,
      user: { id: `${way}${post % 3}`, username: `user_${post % 3}`, followers_count: fans },
    }),
  );
  const organic = response.links.map(({ link, title }) => ({
    title,
    link: `https://${way}.example/${link}`,
    snippet: '',
  }));
  return {
    searchId: search.id,
    serviceId: search.service_id,
    findings: parseResponse({
      operation: 'ai',
      body: JSON.stringify({
        miner_tweets: tweets,
        hacker_news_search_results: { organic_results: organic },
      }),
      contentType: 'application/json',
      dialect: loadDialect('named'),
    }),
    observedAt: at(response.minute),
  };
}

/** All that is stored of what one way saved, with the way taken out of the ids. */
async function stored(way: string, of: readonly Search[]): Promise<unknown> {
  const ids = of.map(({ id }) => id);
  const like = `${way}%`;
  const facts = await Promise.all([
    rows(
      `SELECT p.external_id, p.text, p.observed_at, p.first_seen_at, p.content_hash IS NULL AS unhashed, a.external_id AS author, k.*
       FROM strandline.posts p LEFT JOIN strandline.authors a ON a.id = p.author_id
       LEFT JOIN strandline.post_counters k ON k.post_id = p.id WHERE p.external_id LIKE $1 ORDER BY 1`,
      [like],
    ),
    rows(
      `SELECT a.external_id, a.username, a.observed_at AS content_at, k.*
       FROM strandline.authors a LEFT JOIN strandline.author_counters k ON k.author_id = a.id WHERE a.external_id LIKE $1 ORDER BY 1`,
      [like],
    ),
    rows(
      `SELECT p.external_id, s.* FROM strandline.post_snapshots s JOIN strandline.posts p ON p.id = s.post_id
       WHERE p.external_id LIKE $1 ORDER BY 1, s.observed_at`,
      [like],
    ),
    rows(
      `SELECT a.external_id, s.* FROM strandline.author_snapshots s JOIN strandline.authors a ON a.id = s.author_id
       WHERE a.external_id LIKE $1 ORDER BY 1, s.observed_at`,
      [like],
    ),
    rows(
      `SELECT p.external_id, v.observed_at, v.text FROM strandline.post_versions v JOIN strandline.posts p ON p.id = v.post_id
       WHERE p.external_id LIKE $1 ORDER BY 1, 2`,
      [like],
    ),
    rows(
      `SELECT array_position($1, s.search_id) AS search, p.external_id, s.first_seen_at, s.post_created_at
       FROM strandline.post_sightings s JOIN strandline.posts p ON p.id = s.post_id WHERE s.search_id = ANY ($1) ORDER BY 1, 2`,
      [ids],
    ),
    rows(
      `SELECT array_position($1, s.search_id) AS search, l.canonical, l.title, l.observed_at, s.first_seen_at, s.source
       FROM strandline.link_sightings s JOIN strandline.links l ON l.id = s.link_id WHERE s.search_id = ANY ($1) ORDER BY 1, 2`,
      [ids],
    ),
    rows(
      `SELECT array_position($1, r.search_id) AS search, r.status, r.baseline, r.items_seen, r.items_new, r.rejected, rr.observed_at, rr.link_sources,
         ARRAY(SELECT external_id FROM unnest(rr.post_ids) WITH ORDINALITY u(id, n) JOIN strandline.posts p ON p.id = u.id ORDER BY n) AS posts
       FROM strandline.runs r LEFT JOIN strandline.run_results rr ON rr.run_id = r.id WHERE r.search_id = ANY ($1) ORDER BY 1`,
      [ids],
    ),
    rows(
      `SELECT array_position($1, d.search_id) AS search, d.kind, count(*)::int, min(d.at), bool_or(d.late) AS late, bool_or(d.baseline) AS baseline
       FROM strandline.discoveries d WHERE d.search_id = ANY ($1) GROUP BY 1, 2 ORDER BY 1, 2`,
      [ids],
    ),
    rows(
      `SELECT array_position($1, d.search_id) AS search, d.at, d.posts, cardinality(d.new_posts) AS new, d.notify,
         ARRAY(SELECT external_id FROM strandline.posts p WHERE p.id = ANY (d.changed_posts) ORDER BY 1) AS changed
       FROM strandline.pending_derivations d WHERE d.search_id = ANY ($1) ORDER BY 1`,
      [ids],
    ),
  ]);
  const text = JSON.stringify(facts, (name, value: unknown) =>
    name === 'post_id' || name === 'author_id'
      ? undefined
      : typeof value === 'bigint'
        ? String(value)
        : value,
  );
  return JSON.parse(text.replaceAll(way, '<way>'));
}

const said = record({
  post: integer({ min: 1, max: 6 }),
  text: constantFrom('one', 'two', '', undefined),
  likes: constantFrom(null, 0, 1, 2),
  views: constantFrom(null, 5, 6),
  fans: constantFrom(null, 10, 11),
});
const link = record({ link: integer({ min: 1, max: 3 }), title: constantFrom('A', 'B', '') });
const responses = uniqueArray(
  record({
    minute: integer({ min: 1, max: 30 }),
    posts: uniqueArray(said, { selector: ({ post }) => post, maxLength: 5 }),
    links: uniqueArray(link, { selector: (one) => one.link, maxLength: 3 }),
  }),
  { selector: ({ minute }) => minute, minLength: 2, maxLength: 8 },
);

let ways = 0;
test('saving together equals saving one by one, for any responses in any order', async () => {
  await assert(
    asyncProperty(responses, responses, async (before, group) => {
      const byTime = group.toSorted((a, b) => a.minute - b.minute);
      const outcomes: { diffs: unknown; facts: unknown }[] = [];
      for (const together of [false, true]) {
        ways += 1;
        const way = `${String(ways).padStart(6, '0')}w`;
        const of = await Promise.all(group.map(newSearch));
        for (const one of before.toSorted((a, b) => a.minute - b.minute))
          await saveFindings(
            world.db,
            await leased(await newSearch(), { ...one, minute: one.minute - 60 }, way),
          );
        const inputs: SaveInput[] = [];
        for (const [i, one] of group.entries()) {
          const search = of[i];
          if (search !== undefined) inputs.push(await leased(search, one, way));
        }
        const inTurn = byTime.map((one) => inputs[group.indexOf(one)]).filter((one) => one !== undefined);
        const diffs = new Map<Id, Diff | null>();
        if (together) {
          await Promise.all(
            inputs.map(async (one) => diffs.set(one.runId, await saveFindings(world.db, one))),
          );
        } else for (const one of inTurn) diffs.set(one.runId, await saveFindings(world.db, one));
        outcomes.push({
          diffs: inTurn.map(({ runId }) => {
            const diff = diffs.get(runId);
            return diff && { ...diff, newPosts: diff.newPosts.length, newLinks: diff.newLinks.length };
          }),
          facts: await stored(way, of),
        });
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
    }),
    { numRuns: 8 },
  );
});

/** How many transactions saved something. */
async function transactionsOf(work: () => Promise<unknown>): Promise<number> {
  const before = await rows('SELECT count(DISTINCT xmin::text)::int AS n FROM strandline.run_results');
  await work();
  const after = await rows('SELECT count(DISTINCT xmin::text)::int AS n FROM strandline.run_results');
  return after[0].n - before[0].n; // counts of SQL
}

const post = (n: number): Said => ({ post: n, text: 'words', likes: 1, views: null, fans: 1 });
async function eight(way: string): Promise<SaveInput[]> {
  const of = await Promise.all(Array.from({ length: 8 }, newSearch));
  return Promise.all(of.map((search, n) => leased(search, { minute: n, posts: [post(n)], links: [] }, way)));
}

test('eight concurrent saves share one transaction', async () => {
  const inputs = await eight('eight');
  const count = await transactionsOf(() => Promise.all(inputs.map((one) => saveFindings(world.db, one))));
  expect(count).toBe(1);
});

test('of two past runs of a search that share a transaction, the earlier finds an item first', async () => {
  const search = await newSearch();
  const same = { posts: [post(1)], links: [{ link: 1, title: 'A' }] };
  const runs = await Promise.all(
    [1, 2].map(async (minute): Promise<PastRun> => {
      return {
        ...read(search, { minute, ...same }, 'past'),
        version: 1,
        requestVersion: 1,
        trigger: 'schedule',
        worker: 'test',
        contentType: 'application/json',
        body: await encodeBody(Buffer.from('{}')),
        latencyMs: 1,
      };
    }),
  );
  const diffs = await savePastRuns(world.db, runs);
  expect(diffs.map((diff) => [diff.newPosts.length, diff.newLinks.length])).toEqual([
    [1, 1],
    [0, 0],
  ]);
});

test('what two late responses of a transaction change is derived again from the earlier one on', async () => {
  const save = async (...minutes: number[]) => {
    const inputs = await Promise.all(
      minutes.map(async (minute) => {
        const posts = [{ ...post(1), likes: minute }];
        return leased(await newSearch(), { minute, posts, links: [] }, 'twolate');
      }),
    );
    await Promise.all(inputs.map((one) => saveFindings(world.db, one)));
    return inputs.map(({ runId }) => runId);
  };
  await save(30);
  let late: Id[] = [];
  expect(
    await transactionsOf(async () => {
      late = await save(20, 10);
    }),
  ).toBe(1);
  const waiting = await rows(
    `SELECT d.at, cardinality(d.changed_posts) AS n FROM strandline.pending_derivations d WHERE run_id = ANY ($1) ORDER BY 1`,
    [late],
  );
  expect(waiting).toEqual([
    { at: at(10), n: 1 },
    { at: at(20), n: 1 },
  ]);
});

test('a save whose lease is lost is left out, and the others are stored', async () => {
  const inputs = await eight('lost');
  await rows('UPDATE strandline.runs SET fence = fence + 1 WHERE id = $1', [inputs[4]?.runId]);
  const diffs = await Promise.all(inputs.map((one) => saveFindings(world.db, one)));
  expect(diffs.map((diff) => diff?.newPosts.length ?? null)).toEqual([1, 1, 1, 1, null, 1, 1, 1]);
  expect(await rows(`SELECT FROM strandline.posts WHERE external_id = 'lost4'`)).toEqual([]);
});

test('a save that Postgres rejects fails alone, without partial data', async () => {
  const inputs = await eight('bad');
  const bad = inputs[5];
  if (bad?.findings.posts[0] === undefined) throw new Error('there are eight');
  bad.findings.posts[0].created_at = 'no time at all';
  const ended = await Promise.allSettled(inputs.map((one) => saveFindings(world.db, one)));
  expect(ended.map(({ status }) => status === 'fulfilled')).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    true,
    true,
  ]);
  expect(await rows('SELECT status FROM strandline.runs WHERE id = $1', [bad.runId])).toEqual([
    { status: 'running' },
  ]);
  expect(await rows(`SELECT FROM strandline.posts WHERE external_id = 'bad5'`)).toEqual([]);
});

test('a connection that breaks after the commit leaves every run saved once, and each save succeeds', async () => {
  const inputs = await eight('broken');
  let commits = 0;
  const db = intercepted(world.db, {
    ofConnections: async (query, given) => {
      const answer = await query(...given);
      if (given[0] === 'COMMIT') commits += 1;
      if (given[0] !== 'COMMIT' || commits !== 1) return answer;
      throw Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
    },
  });
  const diffs = await Promise.all(inputs.map((one) => saveFindings(db, one)));
  // They were committed, and nobody heard of it: their leases do not hold them any more, and the runs themselves are asked.
  expect(diffs).toEqual(Array.from({ length: 8 }, () => null));
  const ids = inputs.map(({ runId }) => runId);
  expect(
    await rows(
      `SELECT count(*)::int AS n FROM strandline.runs WHERE id = ANY ($1) AND status = 'succeeded'`,
      [ids],
    ),
  ).toEqual([{ n: 8 }]);
  expect(
    await rows(
      `SELECT count(*)::int AS n, count(DISTINCT thing)::int AS things FROM strandline.discoveries WHERE run_id = ANY ($1)`,
      [ids],
    ),
  ).toEqual([{ n: 8, things: 8 }]);
});
