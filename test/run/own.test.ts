/** A search of the built-in service, from its sources over the wire into the database; and an outage. */
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { accessServices } from '../../src/app/service-access.ts';
import { json, type Provider, startProvider } from '../service/sources/provider.ts';
import { makeWorld } from '../world.ts';

const story = (objectID: string, created_at: string) => ({
  objectID,
  created_at,
  created_at_i: Date.parse(created_at) / 1_000,
  title: `Tidal turbines at work, part ${objectID}`,
  url: 'https://energy.example/tides',
  author: 'somebody',
  points: 120,
  num_comments: 45,
  _tags: ['story'],
});
const status = (id: string, content: string) => ({
  id,
  content,
  created_at: '2026-11-21T11:00:00.000Z',
  url: `https://social.example/@ines/${id}`,
  uri: `https://social.example/users/ines/statuses/${id}`,
  visibility: 'public',
  language: 'en',
  replies_count: 1,
  reblogs_count: 2,
  favourites_count: 3,
  reblog: null,
  account: {
    id: '7',
    username: 'ines',
    acct: 'ines',
    display_name: 'Ines',
    url: 'https://social.example/@ines',
    created_at: '2020-01-01T00:00:00.000Z',
    note: '<p>Tides.</p>',
    followers_count: 10,
    statuses_count: 20,
    fields: [],
  },
});

/** A world whose service asks two local providers. */
async function makeOwnWorld(forum: Provider, microblog: Provider, sources = 'hacker-news,mastodon') {
  const env = {
    SERVICE_SOURCES: sources,
    SERVICE_SOURCE_URLS: `hacker-news=${forum.url},mastodon=${microblog.url}`,
  };
  const world = await makeWorld({ env, kind: 'real' });
  const { config, clock, log, db } = world.ctx;
  world.clock.set('2026-11-21T12:00:00.000Z');
  const services = accessServices({ config, clock, log, db, open: false });
  onTestFinished(async () => {
    await services.close();
    await world.close();
  });
  const ctx = { ...world.ctx, endpoint: services.endpoint, ownSources: services.ownSources };
  const rows = async (sql: string) => (await db.pool.query(sql)).rows;
  /** The same world, as a process sees it whose service asks the archive alone. */
  const withArchive = () => {
    const archive = accessServices({
      config: readConfig({ ...env, SERVICE_SOURCES: 'archive' }),
      clock,
      log,
      db,
      open: false,
    });
    onTestFinished(() => archive.close());
    return { ...ctx, endpoint: archive.endpoint, ownSources: archive.ownSources };
  };
  return { ctx, clock: world.clock, rows, withArchive };
}

test('finds links and posts at public sources; counters that a source does not report stay unknown', async () => {
  const forum = await startProvider(json({ hits: [story('1', '2026-11-20T10:00:00.000Z')], nbHits: 1 }));
  const microblog = await startProvider(json([status('113000000000000001', '<p>tidal power &amp; us</p>')]));
  const { ctx, rows } = await makeOwnWorld(forum, microblog);
  const ai = await createSearch(ctx, {
    slug: 'tides-ai',
    prompt: 'tidal turbines',
    operation: 'ai',
    tools: ['News Forum Search'],
    date_filter: 'PAST_WEEK',
    every: '1h',
  });
  expect(ai.search).toMatchObject({ service: 'own' });
  expect(await executeRun(ctx, ai.firstRunId)).toMatchObject({ status: 'succeeded', links: 1 });
  const posts = await createSearch(ctx, {
    slug: 'tides-posts',
    prompt: 'tidal power',
    operation: 'microblog',
    every: '1h',
  });
  expect(await executeRun(ctx, posts.firstRunId)).toMatchObject({ status: 'succeeded', posts: 1 });
  expect(await rows('SELECT canonical FROM strandline.links')).toEqual([
    { canonical: 'https://news.ycombinator.com/item?id=1' },
  ]);
  expect(
    await rows('SELECT text, like_count, view_count, bookmark_count FROM strandline_analytics.posts'),
  ).toEqual([{ text: 'tidal power & us', like_count: 3n, view_count: null, bookmark_count: null }]);
});

test('an outage of all sources is a failed run, never an empty or simulated one', async () => {
  const forum = await startProvider((_, response) => void response.writeHead(503).end('no'));
  const microblog = await startProvider(json([]));
  const { ctx, rows, clock } = await makeOwnWorld(forum, microblog);
  const { firstRunId } = await createSearch(ctx, {
    slug: 'tides',
    prompt: 'tidal turbines',
    service: 'own',
    operation: 'ai',
    tools: ['News Forum Search'],
    date_filter: 'PAST_WEEK',
    every: '1h',
  });
  expect(await executeRun(ctx, firstRunId)).toMatchObject({ status: 'failed', code: 'sources_down' });
  expect(await rows('SELECT * FROM strandline.links')).toEqual([]);
  forum.answers(json({ hits: [story('2', '2026-11-20T10:00:00.000Z')], nbHits: 1 }));
  clock.advance(10 * 60_000);
  const { runId } = await insertManualRun(ctx, 'tides');
  expect(await executeRun(ctx, runId)).toMatchObject({
    status: 'succeeded',
    diff: { baseline: true },
  });
});

test('collected items are found again in the archive, by their date, and without counters', async () => {
  const dated = { ...story('3', '2026-11-20T10:00:00.000Z'), title: 'Basking seals near the pier' };
  const forum = await startProvider(json({ hits: [dated], nbHits: 1 }));
  const microblog = await startProvider(json([status('113000000000000002', '<p>seals, seals</p>')]));
  const { ctx, clock, withArchive } = await makeOwnWorld(forum, microblog);
  const every = '1h';
  const tools = ['News Forum Search'] as const;
  const first = await createSearch(ctx, {
    slug: 'a',
    prompt: 'seals pier',
    operation: 'ai',
    tools,
    date_filter: 'PAST_WEEK',
    every,
  });
  expect(await executeRun(ctx, first.firstRunId)).toMatchObject({ links: 1 });
  const posts = await createSearch(ctx, { slug: 'b', prompt: 'seals', operation: 'microblog', every });
  expect(await executeRun(ctx, posts.firstRunId)).toMatchObject({ posts: 1 });
  clock.advance(60_000);

  const archive = withArchive();
  expect(await archive.ownSources(), 'the archive is no simulation').toBe('answering');
  const again = await createSearch(archive, {
    slug: 'c',
    prompt: 'basking seals',
    operation: 'ai',
    tools,
    date_filter: 'PAST_WEEK',
    every,
  });
  expect(again.search).toMatchObject({ service: 'own' });
  expect(await executeRun(archive, again.firstRunId)).toMatchObject({ status: 'succeeded', links: 1 });
  const today = await createSearch(archive, {
    slug: 'today',
    prompt: 'basking seals',
    operation: 'ai',
    tools,
    date_filter: 'PAST_24_HOURS',
    every,
  });
  expect(await executeRun(archive, today.firstRunId)).toMatchObject({ status: 'succeeded', links: 0 });
  const seen = await createSearch(archive, { slug: 'd', prompt: 'seals', operation: 'microblog', every });
  expect(await executeRun(archive, seen.firstRunId)).toMatchObject({ status: 'succeeded', posts: 1 });
});
