import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createSlug,
  addSearches,
  createTopic,
  renameTopic,
  watchTopic,
} from '../../src/monitor/topics/save-topic.ts';
import { createFreeTest } from '../../src/app/source-variables.ts';
import { readConfig } from '../../src/config/config.ts';
import { describeCost, forecastSearches } from '../../src/monitor/topics/search-forecast.ts';
import { ensureService } from '../../src/store/services/services.ts';
import { changeTopic } from '../../src/monitor/topics/search-state.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

const posts = { operation: 'microblog', prompt: 'ferry', every: '15m' };
const rows = async (sql: string) => (await world.db.pool.query(sql)).rows;

test('a topic is saved with all its searches, which run immediately; more searches can join under their own names', async () => {
  const made = await createTopic(world.ctx, {
    name: ' Ferry \u202eports\n ',
    service: 'sandbox',
    searches: [posts, { operation: 'ai', prompt: 'ferry news', cron: '0 8 * * 1-5', tz: 'Europe/Berlin' }],
  });
  expect(made.topic).toBe('ferry-ports');
  expect(made.created.map(({ search }) => [search.slug, search.topic, search.cron])).toEqual([
    ['ferry-ports-posts', 'ferry-ports', null],
    ['ferry-ports-ai', 'ferry-ports', '0 8 * * 1-5'],
  ]);
  expect(world.enqueued.map(({ runId }) => runId)).toEqual(made.created.map((one) => one.firstRunId));
  expect(await rows('SELECT name FROM strandline.topics')).toEqual([{ name: 'Ferry ports' }]);
  const more = await addSearches(world.ctx, 'ferry-ports', { service: 'sandbox', searches: [posts, posts] });
  expect(more.created.map(({ search }) => search.slug)).toEqual([
    'ferry-ports-posts-2',
    'ferry-ports-posts-3',
  ]);
  expect(await rows('SELECT name FROM strandline.topics')).toEqual([{ name: 'Ferry ports' }]);
});

test('all errors are reported at once with their search, and nothing is saved', async () => {
  const before = await rows('SELECT count(*) FROM strandline.searches');
  await expect(
    createTopic(world.ctx, {
      name: '\u202e ',
      slug: 'Not One',
      searches: [
        { ...posts, prompt: '' },
        { operation: 'ai', prompt: 'x', every: '1s', model: 'FAST' },
      ],
    }),
  ).rejects.toMatchObject({
    problems: [
      { path: 'name' },
      { path: 'slug' },
      { path: 'searches[0].prompt' },
      { path: 'searches[1].model' },
      { path: 'searches[1].every' },
    ],
  });
  await expect(createTopic(world.ctx, { name: 'none', searches: [] })).rejects.toThrow('at least one search');
  await expect(
    createTopic(world.ctx, {
      name: 'torn',
      service: 'sandbox',
      searches: [posts, { ...posts, slug: 'ferry-ports-ai' }],
    }),
  ).rejects.toMatchObject({ kind: 'conflict' });
  expect(await rows('SELECT count(*) FROM strandline.searches')).toEqual(before);
  expect(await rows(`SELECT FROM strandline.topics WHERE slug = 'torn'`)).toEqual([]);
});

test('an error in a watched text refers to that text, and to the interval as written', async () => {
  const wrong = watchTopic(world.ctx, { text: ' ', slug: 'tide', postsEvery: '15m', aiEvery: '3x' });
  await expect(wrong).rejects.toMatchObject({ problems: [{ path: 'text' }] });
  for (const [name, every] of [
    ['posts_every', { postsEvery: '3x' }],
    ['ai_every', { aiEvery: '3x' }],
  ] as const)
    await expect(watchTopic(world.ctx, { text: 'tide', ...every })).rejects.toMatchObject({
      problems: [{ path: name, given: '3x' }],
    });
});

test('a renamed topic keeps its slug; a removed one accepts neither a name nor a search', async () => {
  await renameTopic(world.ctx, 'ferry-ports', { name: "Ports'; --" });
  expect(await rows('SELECT slug, name FROM strandline.topics')).toEqual([
    { slug: 'ferry-ports', name: "Ports'; --" },
  ]);
  await expect(renameTopic(world.ctx, 'ferry-ports', { name: ' ' })).rejects.toMatchObject({
    problems: [{ path: 'name' }],
  });
  await expect(renameTopic(world.ctx, 'ferry-port', { name: 'x' })).rejects.toThrow(
    'did you mean ferry-ports',
  );
  await changeTopic(world.ctx, 'ferry-ports', 'remove');
  await expect(renameTopic(world.ctx, 'ferry-ports', { name: 'x' })).rejects.toMatchObject({
    kind: 'conflict',
  });
  await expect(
    addSearches(world.ctx, 'ferry-ports', { service: 'sandbox', searches: [posts] }),
  ).rejects.toMatchObject({ kind: 'conflict' });
});

test('the maximum per day is that of the busiest day, whatever the current day', async () => {
  const { clock } = world;
  const preview = async (cron: string) => {
    const when = { name: 'preview', operation: 'microblog', cron, tz: 'UTC' };
    return (await forecastSearches(world.ctx, 'own', [when])).searches[0]?.preview;
  };
  for (const [now, inDay] of [
    ['2026-11-20T12:00:00Z', 0], // a Friday, after its last run
    ['2026-11-22T12:00:00Z', 2],
    ['2026-11-26T03:00:00Z', 2],
  ] as const) {
    clock.set(now);
    expect(await preview('0 8,9 * * 1-5'), now).toMatchObject({
      runsPerDay: inDay,
      mostRunsPerDay: 2,
      mostCallsPerDay: 4,
    });
  }
  expect(await preview('*/30 * 1 * *')).toMatchObject({ runsPerDay: 0, mostRunsPerDay: 48 });
});

test.each([
  ['nothing', {}, 'free'],
  [
    'a language model',
    { LLM_BASE_URL: 'https://model.example/v1', LLM_MODEL: 'm' },
    'what its language model and sources with a key charge',
  ],
  ['the key of a source', { TAVILY_API_KEY: 'k' }, 'what its language model and sources with a key charge'],
])('calls of the own service are free if no one charges for them: with %s', async (_, env, cost) => {
  const config = readConfig(env);
  const ctx = { ...world.ctx, config, isFree: createFreeTest(config) };
  const search = { name: 'preview', operation: 'ai', every: '1h' };
  expect(describeCost(await forecastSearches(ctx, 'own', [search]))).toBe(cost);
  expect(describeCost(await forecastSearches(ctx, 'sandbox', [search]))).toBe('free');
});

test('the cost follows from the calls, up to the daily limit, and is unknown if never reported', async () => {
  const search = { name: 'preview', operation: 'ai', model: 'ORBIT', every: '1m' };
  const unknown = await forecastSearches(world.ctx, 'hosted', [search]);
  expect(unknown.searches[0]).toMatchObject({
    preview: { runsPerDay: 1440, mostCallsPerDay: 2880, callsPerDayLimit: 2000 },
    cost: null,
  });
  expect(unknown).toMatchObject({ calls: { day: 1440, month: 43_200, mostDay: 2880 }, cost: null });
  const { id } = await ensureService(world.db, {
    name: 'hosted',
    kind: 'hosted',
    address: null,
    dialect: 'neutral',
    now: world.clock.now(),
  });
  await world.db.pool.query(
    `INSERT INTO strandline.trials (service_id, operation, prompt, tools, model, streaming, extra, state, sent_at, deadline_at, cost_usd)
     SELECT $1, 'ai', 'harbour', '{Web Search}', 'ORBIT', false, '{}', 'received', now(), now(), cost FROM unnest('{0.01,0.01,0.02}'::numeric[]) cost`,
    [id],
  );
  const { searches, cost } = await forecastSearches(world.ctx, 'hosted', [search]);
  expect(searches[0]?.cost).toEqual({
    day: { usual_usd: 14.4, most_usd: 40 },
    month: { usual_usd: 432, most_usd: 1_200 },
  });
  expect(cost).toEqual(searches[0]?.cost);
});

test.each([
  ['Ärger im Büro', 'arger-im-buro'],
  ['Straßenbahn Łódź', 'strassenbahn-lodz'],
  ['Ørsted & œuvre', 'orsted-oeuvre'],
  ['İstanbul', 'istanbul'],
  ['tide pools!', 'tide-pools'],
  ['東京 quake', 'quake'],
  ['日本の地震', expect.stringMatching(/^topic-[0-9a-f]{8}$/)],
])('the slug of %s', (text, slug) => {
  expect(createSlug(text)).toEqual(slug);
});
