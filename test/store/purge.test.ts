/** A purge leaves what other searches found as if the purged ones had never been. */
import { expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { parseLateResponses } from '../../src/monitor/runs/late-and-replay.ts';
import { finishPurge, previewPurge, requestPurge } from '../../src/monitor/topics/purge-topic.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import type { PurgeCounts } from '../../src/store/erase/orphans.ts';
import { continuePurges } from '../../src/store/erase/purge.ts';
import { storeResponse } from '../../src/store/runs/responses.ts';
import { intercepted } from '../intercepted.ts';
import { until } from '../processes.ts';
import { gated, json, wirePost } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';
import { findDangling } from './dangling.ts';
import { LOG_TABLES, readFacts } from './fact-tables.ts';

const { stub, world, rows } = await stubbedWorld();

const MINUTE = 60_000;
const url = (n: number) => `https://news.example/${n}`;

async function run(slug: string, body: unknown, operation: 'ai' | 'microblog', topic: string) {
  stub.answers(json(body));
  const made = await createSearch(world.ctx, { slug, topic, operation, prompt: slug, every: '15m' });
  expect((await executeRun(world.ctx, made.firstRunId))?.status).toBe('succeeded');
}

async function runAgain(slug: string, body: unknown) {
  stub.answers(json(body));
  world.clock.advance(MINUTE);
  const { runId } = await insertManualRun(world.ctx, slug);
  expect((await executeRun(world.ctx, runId))?.status).toBe('succeeded');
}

const posts = (ids: readonly number[], over: Record<string, unknown> = {}) => ({
  miner_tweets: ids.map((id) => wirePost(String(id), over)),
});
/** Links in the text of a post. */
const linking = (...numbers: readonly number[]) => ({
  entities: { urls: numbers.map((n) => ({ expanded_url: url(n) })) },
});
const quoting = (id: number, quoted: number, more: Record<string, unknown> = {}) =>
  wirePost(String(id), {
    is_quote_tweet: true,
    quoted_status_id: String(quoted),
    quote: wirePost(String(quoted), more),
  });
const answer = (found: readonly number[], cited: readonly number[], word: string) => ({
  web_search_results: {
    organic_results: found.map((n) => ({ title: `Page ${n}`, link: url(n), snippet: `about ${n}` })),
  },
  search_completion_links: found.map(url),
  completion_links: cited.map(url),
  completion: {
    summary: cited.map((n) => `A claim of ${word} [${n}](${url(n)}).`).join(' '),
    key_posts: [],
    key_tweets: [],
    key_news: [],
    key_sources: cited.map((n) => ({ text: `${word} ${n}`, url: url(n) })),
  },
});

/** Facts, and the number of rows of all other tables. */
async function readAll() {
  await world.derive();
  await fillArchive(world.db, { batches: 20 });
  const runs = await rows(
    `SELECT r.id, s.slug || ' ' || row_number() OVER (PARTITION BY s.id ORDER BY r.id) AS name
     FROM strandline.runs r JOIN strandline.searches s ON s.id = r.search_id`,
  );
  const counts = await Promise.all(
    LOG_TABLES.filter((table) => !STAYS.has(table)).map(async (table) => {
      const [row] = await rows(`SELECT count(*)::int AS n FROM strandline.${table}`);
      return [table, row.n] as const;
    }),
  );
  return {
    facts: await readFacts(world.db, new Map(runs.map(({ id, name }) => [id, name]))),
    counts: Object.fromEntries(counts),
  };
}

/** Calls were made, and entries were written. */
const STAYS = new Set(['call_days', 'call_minutes', 'audit_log', 'counts', 'count_increments']);

/** Two topics: what the second finds overlaps with the first in every way. */
async function watchBoth() {
  await run(
    'kept-posts',
    { miner_tweets: [...posts([1, 2]).miner_tweets, quoting(3, 4)] },
    'microblog',
    'kept',
  );
  // Everything that is seen again later was seen twice before: whether a counter is known twice is a fact, too.
  await runAgain('kept-posts', {
    miner_tweets: [...posts([1, 2], { like_count: 7 }).miner_tweets, quoting(3, 4)],
  });
  await run('kept-ai', answer([1, 2, 3], [2, 3], 'kept'), 'ai', 'kept');
  const before = await readAll();
  world.clock.advance(MINUTE);
  const mine = {
    miner_tweets: [
      ...posts([2], { like_count: 7 }).miner_tweets,
      ...posts([11, 12], { text: 'gone', ...linking(13, 3, 20) }).miner_tweets,
      // Nested in what stays; nested in two posts of the same response; and a post that another one quotes.
      quoting(14, 4),
      quoting(15, 16),
      quoting(17, 16),
      quoting(18, 15),
    ],
  };
  await run('gone-posts', mine, 'microblog', 'gone');
  await runAgain('gone-posts', { miner_tweets: posts([11, 12, 19], { like_count: 99 }).miner_tweets });
  await run('gone-ai', answer([2, 13, 14], [2, 14, 15], 'gone'), 'ai', 'gone');
  await runAgain('gone-ai', answer([3, 14], [16], 'again'));
  return before;
}

/** What previews count. */
async function countStored() {
  const n = (table: string) => `(SELECT count(*)::int FROM strandline.${table}) AS ${table}`;
  const [row] = await rows(
    `SELECT ${['searches', 'runs', 'completions', 'posts', 'links'].map(n).join(', ')}`,
  );
  return row;
}

const target = { kind: 'topic', slug: 'gone' } as const;

test('everything else is as before, however often the purge is interrupted', async () => {
  const before = await watchBoth();
  const during = await readAll();
  expect(during).not.toEqual(before);
  const preview = await previewPurge(world.db, target);
  expect(preview).toMatchObject({ searches: 2, runs: 4, completions: 2, posts: 8, links: 5 });
  const stored = await countStored();
  await requestPurge(world.ctx, target);
  // Stopped after one batch, after two, and so on.
  for (let most = 1; ; most += 1) {
    let n = 0;
    if (await continuePurges(world.db, () => (n += 1) <= most)) break;
    expect(most).toBeLessThan(100);
  }
  const left = await countStored();
  for (const name of Object.keys(stored))
    expect(stored[name] - left[name], `${name} as the preview said`).toBe(preview[name as keyof PurgeCounts]); // the same names
  const after = await readAll();
  for (const [table, facts] of Object.entries(after.facts))
    expect.soft(facts, table).toEqual(before.facts[table]);
  expect(await findDangling(world.db)).toEqual([]);
  expect(after.counts).toEqual(before.counts);
  // The names are free, and what was found is new again.
  await run('gone-posts', posts([11]), 'microblog', 'gone');
  const [found] = await rows(
    `SELECT count(*)::int AS n FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
     WHERE s.slug = 'gone-posts' AND d.first_in_topic`,
  );
  expect(found).toEqual({ n: 1 });
  await finishPurge(world.db, await requestPurge(world.ctx, target));
});

test('a purged search keeps the keys of its topic, and the topic', async () => {
  await run('one', posts([31, 32]), 'microblog', 'pair');
  await run('two', posts([32]), 'microblog', 'pair');
  const ofTopic = `i.topic_id = (SELECT id FROM strandline.topics WHERE slug = 'pair')`;
  await rows(`UPDATE strandline.topic_items i SET dismissed_at = now() WHERE key LIKE '%31' AND ${ofTopic}`);
  const keys = `SELECT key, reported, dismissed_at IS NOT NULL AS dismissed FROM strandline.topic_items i WHERE ${ofTopic} ORDER BY key`;
  const before = await rows(keys);
  expect(before.filter(({ dismissed }) => dismissed)).toHaveLength(1);
  await finishPurge(world.db, await requestPurge(world.ctx, { kind: 'search', slug: 'one' }));
  expect(await rows(keys)).toEqual(before);
  expect(await rows(`SELECT external_id FROM strandline.posts WHERE external_id IN ('31', '32')`)).toEqual([
    { external_id: '32' },
  ]);
  expect(await rows(`SELECT slug FROM strandline.searches WHERE slug IN ('one', 'two')`)).toEqual([
    { slug: 'two' },
  ]);
});

test('a post leaves with a post that refers to it, whichever batch that one is in', async () => {
  const [first, ...others] = Array.from({ length: 520 }, (_, n) => 1_000 + n);
  await run('many', posts([first ?? 0]), 'microblog', 'many');
  for (let from = 0; from < others.length; from += 100)
    await runAgain('many', posts(others.slice(from, from + 100)));
  await runAgain('many', { miner_tweets: [quoting(2_000, first ?? 0)] });
  const requested = await requestPurge(world.ctx, { kind: 'topic', slug: 'many' });
  const deleted: (number | null)[] = [];
  const db = intercepted(world.db, {
    ofConnections: async (query, given) => {
      const result = await query(...given);
      if (String(given[0]).startsWith('DELETE FROM strandline.posts ')) deleted.push(result.rowCount);
      return result;
    },
  });
  await continuePurges(db, () => true);
  expect(deleted, 'saves wait for one batch only').toEqual([500, 21]);
  await finishPurge(world.db, requested);
  expect(await rows(`SELECT external_id FROM strandline.posts WHERE length(external_id) = 4`)).toEqual([]);
});

test('waits for a run in progress, and saves of other searches go on', async () => {
  await run('busy', posts([41]), 'microblog', 'busy');
  await run('other', posts([42]), 'microblog', 'other');
  const held = gated(json(posts([41, 43])));
  stub.answers(held.answer);
  const { runId } = await insertManualRun(world.ctx, 'busy');
  const ended = executeRun(world.ctx, runId);
  await expect
    .poll(() => rows('SELECT status FROM strandline.runs WHERE id = $1', [runId]))
    .toEqual([{ status: 'running' }]);
  const requested = await requestPurge(world.ctx, { kind: 'search', slug: 'busy' });
  expect(await continuePurges(world.db, () => true)).toBe(false);
  held.open();
  expect((await ended)?.status).toBe('succeeded');
  const finished = finishPurge(world.db, requested);
  await runAgain('other', posts([41, 42]));
  expect(await finished).toBe(true);
  expect(
    await rows(`SELECT external_id FROM strandline.posts WHERE external_id IN ('41', '42', '43') ORDER BY 1`),
  ).toEqual([{ external_id: '41' }, { external_id: '42' }]);
});

test('what another search finds while a purge is planned stays, with what it refers to', async () => {
  const shared = { ...quoting(71, 72, linking(73)), ...linking(77) };
  await run('planned', { miner_tweets: [wirePost('70'), shared, quoting(74, 75)] }, 'microblog', 'planned');
  await run('finder', posts([76]), 'microblog', 'finder');
  const links = () =>
    rows('SELECT url FROM strandline.links WHERE url = ANY ($1) ORDER BY 1', [[73, 77].map(url)]);
  const before = await links();
  expect(before).toEqual([{ url: url(73) }, { url: url(77) }]);
  const requested = await requestPurge(world.ctx, { kind: 'topic', slug: 'planned' });
  let found = false;
  const db = intercepted(world.db, {
    ofPool: async (query, given) => {
      const result = await query(...given);
      if (!found && String(given[0]).includes('leaving')) {
        found = true;
        await runAgain('finder', { miner_tweets: [shared] });
      }
      return result;
    },
  });
  expect(await continuePurges(db, () => true)).toBe(true);
  expect(found).toBe(true);
  await finishPurge(world.db, requested);
  const left = `SELECT external_id FROM strandline.posts WHERE external_id IN ('70', '71', '72', '74', '75') ORDER BY 1`;
  expect(await rows(left)).toEqual([{ external_id: '71' }, { external_id: '72' }]);
  expect(await links()).toEqual(before);
  expect(await findDangling(world.db)).toEqual([]);
});

test('a response that arrives after the purge of its search is not stored', async () => {
  await run('tardy', posts([81]), 'microblog', 'tardy');
  const [{ id }] = await rows(`SELECT max(id) AS id FROM strandline.runs`);
  const body = Buffer.from(JSON.stringify(posts([82])));
  const response = {
    n: 2,
    httpStatus: 200,
    contentType: 'application/json',
    body,
    receivedAt: world.clock.now(),
  };
  await finishPurge(world.db, await requestPurge(world.ctx, { kind: 'search', slug: 'tardy' }));
  await expect(
    storeResponse(world.db, { runId: id, response, latencyMs: 1, costUsd: null }),
  ).rejects.toThrow();
  await parseLateResponses(world.ctx, id);
  expect(await rows(`SELECT FROM strandline.posts WHERE external_id IN ('81', '82')`)).toEqual([]);
});

test('a late save that has locked its run finishes first: neither it nor the purge is aborted', async () => {
  await run('late', posts([901]), 'microblog', 'late');
  await requestPurge(world.ctx, { kind: 'topic', slug: 'late' });
  const deadlocks = async () =>
    (await rows('SELECT deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()'))[0].n;
  const before = await deadlocks();
  const late = await world.db.pool.connect();
  await late.query('BEGIN');
  await late.query(
    `SELECT FROM strandline.runs WHERE search_id = (SELECT id FROM strandline.searches WHERE slug = 'late') FOR NO KEY UPDATE`,
  );
  const purging = continuePurges(world.db, () => true);
  await until('the purge waits for a lock', async () => {
    const waiting = await rows(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FOR UPDATE%'`,
    );
    return waiting.length > 0;
  });
  // What the save calls next: it waits for whoever has blocked saves.
  await late.query('SELECT strandline.any_forgotten()');
  await late.query('COMMIT');
  late.release();
  await purging;
  expect(await deadlocks()).toBe(before);
  expect(await rows(`SELECT FROM strandline.topics WHERE slug = 'late'`)).toEqual([]);
});

test('messages about what is purged lose their text, and rules about it go', async () => {
  await run('told', posts([51]), 'microblog', 'told');
  await rows(
    `INSERT INTO strandline.channels (slug, kind, settings, target, secrets, state, state_since, cursor, created_at)
     VALUES ('hook', 'webhook', '{}', 'h', '{}', 'active', now(), 0, now())`,
  );
  await rows(
    `INSERT INTO strandline.rules (slug, name, topic_id, search_id, kinds, filter, cooldown_seconds, state, state_since, after, created_at)
     SELECT u.slug, u.slug, u.topic_id, u.search_id, '{post}', '', 0, 'active', now(), 0, now() FROM (
       SELECT 'all' AS slug, NULL::bigint AS topic_id, NULL::bigint AS search_id
       UNION ALL SELECT 'of-topic', id, NULL FROM strandline.topics WHERE slug = 'told'
       UNION ALL SELECT 'of-search', NULL, id FROM strandline.searches WHERE slug = 'told') u`,
  );
  await rows(
    `WITH sent AS (
       INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, body, created_at, delivered_at)
       SELECT 'msg_' || r.slug, c.id, r.id, 'delivered', 'post 51', now(), now()
       FROM strandline.channels c, strandline.rules r WHERE r.slug <> 'system' RETURNING id, rule_id, channel_id)
     INSERT INTO strandline.delivery_discoveries (rule_id, discovery_id, channel_id, delivery_id)
     SELECT rule_id, d.id, channel_id, sent.id FROM sent, strandline.discoveries d
     JOIN strandline.searches s ON s.id = d.search_id WHERE s.slug = 'told' AND d.kind = 'post'`,
  );
  const [{ id: told }] = await rows(
    `WITH event AS (
       INSERT INTO strandline.system_events (kind, subject_key, subject, search_id, since, noticed_at, opened_at, recurrences)
       SELECT 'search_failing', id::text, slug, id, now(), now(), now(), 0 FROM strandline.searches WHERE slug = 'told' RETURNING id
     ), sent AS (
       INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, body, created_at, delivered_at)
       SELECT 'msg_problem', c.id, r.id, 'delivered', 'Search told has been failing', now(), now()
       FROM strandline.channels c, strandline.rules r WHERE r.slug = 'system' RETURNING id, rule_id, channel_id)
     INSERT INTO strandline.delivery_events (rule_id, event_id, channel_id, part, delivery_id)
     SELECT rule_id, event.id, channel_id, 'beginning', sent.id FROM sent, event RETURNING event_id AS id`,
  );
  await finishPurge(world.db, await requestPurge(world.ctx, { kind: 'topic', slug: 'told' }));
  expect(await rows('SELECT id FROM strandline.system_events WHERE id = $1', [told])).toEqual([]);
  expect(await rows('SELECT message_id, body FROM strandline.deliveries ORDER BY message_id')).toEqual([
    { message_id: 'msg_all', body: null },
    { message_id: 'msg_problem', body: null },
  ]);
  expect(await rows('SELECT slug FROM strandline.rules ORDER BY id')).toEqual([
    { slug: 'system' },
    { slug: 'all' },
  ]);
});

test('it is recorded, and an unknown slug is refused', async () => {
  await expect(requestPurge(world.ctx, { kind: 'topic', slug: 'nowhere' })).rejects.toThrow(
    'there is no topic',
  );
  expect(
    await rows(
      `SELECT action, changes->'posts' AS posts FROM strandline.audit_log WHERE subject = 'busy' AND action LIKE '%purged'`,
    ),
  ).toEqual([{ action: 'search.purged', posts: { before: 1, after: 0 } }]);
});
