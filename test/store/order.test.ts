/**
 * Facts are a function of the set of responses, not of their order: the same responses, saved as they were received,
 * or in any order and by any path (resumed, late, replayed, together), leave the same rows in every table of facts.
 *
 * Where responses know different members of an item, or have it nested in others, a late one is not promised to leave
 * its values: then what was found, by which search, when, and what it said of tools and statements is the same.
 */
import { afterAll, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveAgain, saveFindings, saveLate } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { seeded } from '../faults/random.ts';
import { wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { FACT_TABLES, listTables, LOG_TABLES, readFacts } from './fact-tables.ts';
import { at } from './live.ts';

const SEEDS = [1, 2, 3];
const SEARCHES = 8;
const RESPONSES = 32;

const worlds: World[] = [];
afterAll(async () => {
  for (const world of worlds) await world.close();
});

async function newWorld(): Promise<World> {
  const world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  worlds.push(world);
  return world;
}

function random(seed: number) {
  const next = seeded(seed);
  const below = (n: number) => Math.floor(next() * n);
  const pick = <T>(...values: readonly T[]): T => values[below(values.length)] as T; // never empty
  const shuffle = <T>(values: readonly T[]): T[] =>
    values
      .map((value) => ({ value, by: next() }))
      .toSorted((a, b) => a.by - b.by)
      .map(({ value }) => value);
  return { chance: (share: number) => next() < share, below, pick, shuffle };
}
type Random = ReturnType<typeof random>;

type Response = { name: string; search: number; minute: number; body: object };

const FORUM_DOWN = {
  hacker_news_search_results: { organic_results: [] },
  warnings: ['source_failed', 'tool_unanswered'].map((code) => ({
    code,
    tool: 'Hacker News Search',
    message: `hacker-news ${code}`,
  })),
};

const isAi = (search: number) => search % 2 === 0;

/**
 * Eight searches over the same posts, authors and links; whatever a service may say of them.
 * @param isWhole each response knows every member, and nests no post in another
 */
function makeResponses(rng: Random, isWhole: boolean): Response[] {
  const minutes = rng.shuffle(Array.from({ length: 600 }, (_, i) => i)).slice(0, RESPONSES);
  return minutes
    .toSorted((a, b) => a - b)
    .map((minute) => {
      const search = rng.below(SEARCHES);
      const ids = rng.shuffle([1, 2, 3, 4, 5, 6, 7, 8]).slice(0, rng.below(6));
      const posts = ids.map((id) => (isWhole ? makeWholePost(rng, id) : makePost(rng, id)));
      const body = isAi(search)
        ? { miner_tweets: posts, ...makeLinks(rng, isWhole), ...(minute % 3 === 0 ? FORUM_DOWN : {}) }
        : { miner_tweets: posts };
      return { name: `response at ${minute}`, search, minute, body };
    });
}

function makePost(rng: Random, id: number): Record<string, unknown> {
  const over: Record<string, unknown> = {
    text: rng.pick('as it was', 'as it was', 'edited', '', `long ${'and longer '.repeat(id)}`),
    created_at: at(rng.chance(0.9) ? -20 * id : -20 * id - 24 * 60).toISOString(),
    lang: rng.pick('en', 'en', 'en', 'de'),
    like_count: rng.pick(null, 1, 2, 3),
    view_count: rng.pick(null, null, 5, 6),
    retweet_count: rng.pick(0, 0, 0, null),
    entities: rng.pick(
      {},
      { hashtags: [{ text: 'one' }] },
      { hashtags: [{ text: 'two' }], urls: [] },
      { hashtags: [] },
    ),
    media: rng.pick([], null, [{ url: `https://m.example/${rng.below(2)}?sig=${rng.below(1000)}` }]),
    user: {
      id: String(900 + (rng.chance(0.95) ? id % 3 : 7)),
      username: rng.pick('name', 'name', 'renamed'),
      name: 'Somebody',
      description: rng.pick('bio', 'other bio', ''),
      followers_count: rng.pick(null, 10, 11),
      profile_image_url: rng.pick(undefined, `https://m.example/face?sig=${rng.below(1000)}`),
    },
  };
  for (const member of ['created_at', 'lang', 'entities', 'media', 'user', 'url', 'text'])
    if (rng.chance(0.12)) over[member] = undefined;
  if (rng.chance(0.3)) {
    const other = 1 + (id % 9);
    over['is_quote_tweet'] = true;
    over['quoted_status_id'] = String(other);
    over['quote'] = { ...makePost(rng, other), text: rng.pick('as it…', 'edi…', 'as it was'), quote: null };
  }
  return wirePost(String(id), over);
}

function makeWholePost(rng: Random, id: number): Record<string, unknown> {
  const post = makePost(rng, id);
  return {
    ...post,
    text: rng.pick('as it was', 'as it was', 'edited', `long ${'and longer '.repeat(id)}`),
    created_at: at(rng.chance(0.9) ? -20 * id : -20 * id - 24 * 60).toISOString(),
    lang: rng.pick('en', 'en', 'de'),
    like_count: rng.pick(1, 2, 3),
    view_count: rng.pick(5, 6),
    retweet_count: rng.pick(0, 0, 4),
    url: `https://x.example/${id}`,
    entities: { hashtags: [{ text: rng.pick('one', 'two') }], urls: [] },
    media: [],
    user: {
      id: String(900 + (id % 3)),
      username: rng.pick('name', 'name', 'renamed'),
      name: 'Somebody',
      description: rng.pick('bio', 'other bio'),
      followers_count: rng.pick(10, 11),
    },
    is_quote_tweet: false,
    quoted_status_id: null,
    quote: null,
  };
}

function makeLinks(rng: Random, isWhole: boolean): object {
  const link = () => `https://${rng.pick('a', 'b', 'c')}.example/${rng.pick('', '?utm_source=x')}`;
  const cited = rng
    .shuffle(['https://a.example/', 'https://b.example/', 'https://d.example/'])
    .slice(0, rng.below(4));
  return {
    hacker_news_search_results: {
      organic_results: Array.from({ length: rng.below(3) }, () => ({
        title: isWhole ? rng.pick('A', 'B') : rng.pick('A', 'B', ''),
        link: link(),
        snippet: isWhole ? rng.pick('words', 'other words') : rng.pick('words', 'other words', ''),
        date: isWhole
          ? rng.pick('2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z')
          : rng.pick('2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z', '3 hours ago', undefined),
        highlights: isWhole ? rng.pick(['one'], ['two']) : rng.pick(['one'], ['two'], undefined),
      })),
    },
    completion_links: cited,
    completion: { summary: rng.pick('One thing is so. Another is not.', 'One thing is so.', 'All is open.') },
  };
}

/** Runs of a world that save these responses, each in its own way. */
async function openRuns(world: World, responses: readonly Response[]) {
  const searches: Search[] = [];
  for (let i = 0; i < SEARCHES; i++) {
    world.clock.set(at(-60));
    const { search } = await createSearch(world.ctx, {
      slug: `search-${i}`,
      topic: i < 5 ? 'one' : 'two',
      operation: isAi(i) ? 'ai' : 'microblog',
      prompt: `prompt ${i}`,
      every: '15m',
    });
    searches.push(search);
  }
  const { pool } = world.db;
  await pool.query('DELETE FROM strandline.runs');
  const names = new Map<bigint, string>();
  const open = [];
  // Numbered in time, as the scan does, and leased when they are saved.
  for (const response of responses) {
    const search = searches[response.search];
    if (search === undefined) throw new Error('no such search');
    const time = at(response.minute);
    const runId = await insertRun(pool, { searchId: search.id, trigger: 'manual', now: time });
    await pool.query(
      `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at, received_at) VALUES ($1, 1, $2, 1, 'received', $3, $3)`,
      [runId, search.service_id, time],
    );
    names.set(runId, response.name);
    open.push({ response, time, input: { runId, ...readResponse(search, response), observedAt: time } });
  }
  return { open, names };
}
type OpenRun = Awaited<ReturnType<typeof openRuns>>['open'][number];

function readResponse(search: Search, { body, minute }: Response) {
  const findings = parseResponse({
    operation: search.operation,
    body: JSON.stringify(body),
    contentType: 'application/json',
    receivedAt: at(minute),
    dialect: loadDialect('named'),
  });
  return { searchId: search.id, serviceId: search.service_id, findings };
}

async function save(world: World, { input, time }: OpenRun): Promise<void> {
  const leased = await leaseRun(world.db, {
    runId: input.runId,
    worker: 'test',
    leaseMs: 30_000,
    now: time,
  });
  if (leased === null) throw new Error('not leased');
  await saveFindings(world.db, { ...input, fence: leased.fence, endedAt: time });
}

/** A run that failed although its response was there. */
async function lose(world: World, { input, time }: OpenRun): Promise<void> {
  await world.db.pool.query(
    `UPDATE strandline.runs SET status = 'failed', code = 'internal', ended_at = $2, offer_at = NULL WHERE id = $1`,
    [input.runId, time],
  );
  await world.db.pool.query(
    `INSERT INTO strandline.responses (run_id, n, http_status, body, sha256, bytes, received_at) VALUES ($1, 1, 200, '', '', 0, $2)`,
    [input.runId, time],
  );
}

async function saveBy(world: World, path: string, run: OpenRun): Promise<void> {
  const again = () => saveAgain(world.db, { ...run.input, response: 1, endedAt: run.time }, async () => {});
  if (path === 'late' || path === 'replayed') await lose(world, run);
  if (path === 'late') await saveLate(world.db, { ...run.input, response: 1, now: at(700) });
  else if (path === 'replayed') await again();
  else await save(world, run);
  if (path === 'twice') await again();
}

/** Saves drawn responses as they were received, and in any order and by any path. @returns both sets of facts */
async function saveInBothOrders(seed: number, isWhole: boolean) {
  const rng = random(seed);
  const responses = makeResponses(rng, isWhole);
  const [inTime, inDisorder] = [await newWorld(), await newWorld()];

  const first = await openRuns(inTime, responses);
  for (const [i, run] of first.open.entries()) {
    await save(inTime, run);
    if (i % 5 === 0) await inTime.derive();
  }
  await inTime.derive();

  const second = await openRuns(inDisorder, responses);
  const waiting = rng.shuffle(second.open);
  while (waiting.length > 0) {
    const group = waiting.splice(0, rng.pick(1, 1, 1, 4));
    const isTogether =
      group.length > 1 && new Set(group.map(({ input }) => input.searchId)).size === group.length;
    if (isTogether) await Promise.all(group.map((run) => save(inDisorder, run)));
    else
      for (const run of group)
        await saveBy(inDisorder, rng.pick('resumed', 'resumed', 'late', 'replayed', 'twice'), run);
    if (rng.chance(0.2)) await inDisorder.derive();
  }
  await inDisorder.derive();

  return {
    expected: await readFacts(inTime.db, first.names),
    facts: await readFacts(inDisorder.db, second.names),
  };
}

test.each(SEEDS)('whatever order responses are saved in, facts are the same (seed %i)', async (seed) => {
  const { expected, facts } = await saveInBothOrders(seed, true);
  for (const table of Object.keys(FACT_TABLES)) expect.soft(facts[table], table).toEqual(expected[table]);
  expect(expected['run_tools']?.join('\n'), 'some tools did not respond').toContain(
    '"reason":"source_failed"',
  );
});

/** Tables without what a late response may have known alone. */
const FOUND = [
  'link_addresses',
  'post_links',
  'link_sightings',
  'run_results',
  'run_tools',
  'rejects',
  'completions',
  'key_items',
  'claims',
  'completion_claims',
];

test.each(SEEDS)(
  'responses that know different members find the same in any order (seed %i)',
  async (seed) => {
    const { expected, facts } = await saveInBothOrders(seed, false);
    for (const table of FOUND) expect.soft(facts[table], table).toEqual(expected[table]);
    const undated = (rows: readonly string[] = []) =>
      rows.map((row) => row.replace(/"post_created_at":"[^"]*",?/, ''));
    expect(undated(facts['post_sightings']).toSorted()).toEqual(
      undated(expected['post_sightings']).toSorted(),
    );
    const named = (rows: readonly string[] = []) =>
      new Set(rows.map((row) => /"external_id":"([^"]*)"/.exec(row)?.[1]));
    for (const table of ['posts', 'authors']) expect(named(facts[table])).toEqual(named(expected[table]));
  },
);

test('every table is one of facts or a log', async () => {
  const world = await newWorld();
  const known = [...Object.keys(FACT_TABLES), ...LOG_TABLES].toSorted();
  expect(await listTables(world.db)).toEqual(known);
  for (const [table, leftOut] of Object.entries(FACT_TABLES)) {
    const { fields } = await world.db.pool.query(`SELECT * FROM strandline.${table} LIMIT 0`);
    expect(
      fields.map(({ name }) => name),
      table,
    ).toEqual(expect.arrayContaining(Object.keys(leftOut)));
  }
});
