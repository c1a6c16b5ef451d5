/** Sources of topics: what people add, what runs send to which service, and what responses say of each. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { MINUTE } from '../../src/lib/time.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { readAllowed } from '../../src/platform/network.ts';
import type { ActingContext } from '../../src/monitor/context.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { listSources } from '../../src/monitor/sources/list-sources.ts';
import {
  addSource,
  importSources,
  removeSource,
  switchSource,
  testSource,
} from '../../src/monitor/sources/manage-sources.ts';
import { isAddress, watch } from '../../src/monitor/sources/watch-address.ts';
import { rewatchTopic } from '../../src/monitor/topics/rewatch-topic.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createTopic } from '../../src/monitor/topics/save-topic.ts';
import { changeTopic } from '../../src/monitor/topics/search-state.ts';
import { directParser } from '../service/sources/direct-parser.ts';
import { createOwnSourceReader } from '../../src/service/sources/feeds/own-sources.ts';
import { saveSourceReports } from '../../src/store/topics/topic-sources.ts';
import { watchProcessor } from '../processor.ts';
import { KEY, startForTest } from '../service/running.ts';
import { type Answer, startProvider, text } from '../service/sources/provider.ts';
import { json, startStub } from '../stub-service.ts';
import { makeWorld, START } from '../world.ts';

const log = createLogger('silent');

const HOST = 'harbour.example';
const rss = (...titles: string[]) =>
  text(
    `<rss version="2.0"><channel><title>Harbour news</title>${titles
      .map(
        (title) =>
          `<item><title>${title}</title><link>https://news.example/${encodeURIComponent(title)}</link><pubDate>Sat, 21 Nov 2026 09:00:00 GMT</pubDate></item>`,
      )
      .join('')}</channel></rss>`,
  );

/** A world with the own service, a web server whose addresses it may read, and a hosted service that records its requests. */
async function start(answers: Record<string, Answer>) {
  const provider = await startProvider((request, response) =>
    (answers[request.path] ?? text('no', 404))(request, response),
  );
  const clock = steppedClock(START);
  const own = createOwnSourceReader({
    allowed: readAllowed(HOST, 'FEEDS_ALLOW'),
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    maxMb: 1,
    maxFeedMs: 60_000,
    clock,
    log,
    who: 'strandline/test',
    openParser: () => directParser,
  });
  const service = await startForTest({ sources: [], live: [], own, webGroup: true, clock });
  const hosted = await startStub(
    json({ search_completion_links: [], completion_links: [], text_chunks: {}, completion: {} }),
  );
  const world = await makeWorld({ hosted: hosted.url, clock });
  onTestFinished(async () => {
    await service.close();
    await hosted.close();
    await own.close();
    await world.close();
  });
  const ctx: ActingContext = {
    ...world.ctx,
    ownSources: () => Promise.resolve('answering'),
    serviceSources: () =>
      Promise.resolve([
        {
          name: 'feeds',
          source: 'web',
          title: 'RSS and Atom feeds',
          isOn: true,
          reason: undefined,
          lastSuccess: undefined,
          lastFailure: undefined,
        },
        {
          name: 'brave',
          source: 'web',
          title: 'Brave',
          isOn: false,
          reason: 'needs BRAVE_API_KEY',
          lastSuccess: undefined,
          lastFailure: undefined,
        },
      ]),
    endpoint: (kind) =>
      kind === 'hosted'
        ? world.ctx.endpoint(kind)
        : Promise.resolve({ baseUrl: `${service.url}/live`, prefix: undefined, key: KEY }),
  };
  const at = (path: string) => `${provider.url.replace('127.0.0.1', HOST)}/${path}`;
  const make = (name: string, kind: 'own' | 'hosted') =>
    createTopic(ctx, {
      name,
      service: kind,
      searches: [
        { operation: 'ai', prompt: 'harbour ferry', tools: ['web'], date_filter: 'PAST_WEEK', every: '15m' },
        { operation: 'microblog', prompt: 'harbour ferry', every: '15m' },
      ],
    });
  const titles = async () =>
    (
      await world.db.pool.query<{ title: string }>('SELECT title FROM strandline.links ORDER BY title')
    ).rows.map(({ title }) => title);
  const ofTopic = async (slug: string) =>
    (await listSources(ctx, slug)).sources.filter(({ kind }) => kind !== 'service');
  const runAgain = async (search: string) => {
    clock.advance(16 * MINUTE);
    return executeRun(ctx, (await insertManualRun(ctx, search)).runId);
  };
  return { ...world, ctx, clock, provider, answers, hosted, at, make, titles, ofTopic, runAgain };
}

describe('a topic on the own service', () => {
  test('reads its sources, keeps what was said of each, and no longer what is switched off', async () => {
    const { ctx, make, at, titles, ofTopic, runAgain, answers, db, clock } = await start({
      '/feed': rss('The harbour ferry sails again', 'A recipe for soup'),
      '/all': rss('Bridge closed'),
    });
    const { created } = await make('Ferry', 'own');
    const first = await addSource(ctx, 'ferry', { address: `${at('feed')}?token=hidden` });
    expect(first).toMatchObject({
      added: [{ id: '1', kind: 'feed', title: 'Harbour news', on: true, all: false }],
      notes: [
        expect.stringContaining(
          'a feed ("Harbour news"): 2 entries, the newest "The harbour ferry sails again" of Sat, 21 Nov 2026',
        ),
      ],
    });
    expect(first.added[0]?.address).toMatch(/token=\*\*\*$/);
    await addSource(ctx, 'ferry', { address: at('all'), all: true });
    await addSource(ctx, 'ferry', { address: at('gone'), untested: true });
    expect((await addSource(ctx, 'ferry', { address: at('all') })).present).toEqual([at('all')]);

    const ai = created[0]?.search.slug ?? '';
    expect(await executeRun(ctx, created[0]?.firstRunId ?? 0n)).toMatchObject({
      status: 'succeeded',
      links: 2,
    });
    expect(await titles()).toEqual(['Bridge closed', 'The harbour ferry sails again']);
    expect(await ofTopic('ferry')).toMatchObject([
      {
        id: '1',
        entries: 2,
        problem: null,
        read_at: clock.now(),
        newest_at: new Date('2026-11-21T09:00:00Z'),
      },
      { id: '2', entries: 1, problem: null },
      { id: '3', entries: null, read_at: null, problem: 'HTTP 404', failed_at: clock.now() },
    ]);

    // Switched off, it is not read; what an earlier response said changes nothing.
    answers['/all'] = rss('Bridge closed', 'Bridge open');
    await switchSource(ctx, 'ferry', '2', false);
    await removeSource(ctx, 'ferry', '3');
    expect(await runAgain(ai)).toMatchObject({ status: 'succeeded', links: 1 });
    await saveSourceReports(
      db,
      created[0]?.search.id ?? 0n,
      [{ id: 1n, isRead: false, title: '', entries: 0, newestAt: null, problem: 'late' }],
      new Date(START),
    );
    expect(await ofTopic('ferry')).toMatchObject([
      { id: '1', problem: null },
      { id: '2', on: false },
    ]);
    await switchSource(ctx, 'ferry', '2', true);
    expect(await runAgain(ai)).toMatchObject({ links: 3 });

    // All of its sources fail: the run does, too, and says of each why.
    answers['/feed'] = text('', 500);
    answers['/all'] = text('', 410);
    expect(await runAgain(ai)).toMatchObject({ code: 'sources_down' });
    expect((await ofTopic('ferry')).map(({ problem }) => problem)).toEqual([
      'HTTP 500',
      'gone (HTTP 410); remove it from the sources',
    ]);
    const { rows } = await db.pool.query<{ changes: object }>(
      `SELECT changes FROM strandline.audit_log WHERE action = 'topic.sources_changed'`,
    );
    expect(rows).toHaveLength(6);
    expect(JSON.stringify(rows)).not.toContain('hidden');
  });

  test('is told what an address is, what fails and what to do', async () => {
    const { ctx, make, at } = await start({
      '/feed': rss('One'),
      '/site': text('<html><title>Site</title><link rel="alternate" type="application/rss+xml" href="feed">'),
      '/page': text('<html><title>Page</title><p>The harbour ferry sails at nine on Mondays.</p>'),
      '/search': rss('Found'),
    });
    await make('Ferry', 'own');
    const add = async (address: string) => {
      const { added, notes } = await addSource(ctx, 'ferry', { address });
      return `${added[0]?.kind} ${notes.join(' ').replace(/^\S+: /, '')}`;
    };
    expect(await add(at('site'))).toMatch(/^site a page whose feed is \S+\/feed \("Harbour news"\): 1 entry/);
    expect(await add(at('page'))).toBe(
      'page a page without a feed, whose text is watched ("Page"): 1 text, without dates: what is new counts from when it was first seen',
    );
    expect(await add(at('search?q=%7BsearchTerms%7D'))).toMatch(
      /^search a search, asked for "news" as a test/,
    );
    const problemOf = (address: string) =>
      addSource(ctx, 'ferry', { address }).then(
        () => '',
        (error: Error) => error.message,
      );
    expect(await problemOf(at('gone'))).toContain(
      'cannot be read: HTTP 404. Nothing is there: open the address in a browser',
    );
    expect(await problemOf('https://10.0.0.1/feed')).toContain(
      'is not a public address. To allow it, add it to FEEDS_ALLOW.',
    );
    expect(await problemOf('not an address')).toContain(
      'address: got "not an address"; the address of a feed',
    );
    expect(await problemOf(`https://a.example/${'x'.repeat(600)}`)).toContain('at most 500 characters');
    expect(await testSource(ctx, 'ferry', '1')).toMatchObject({
      found: 'feed',
      says: expect.stringContaining('a page whose feed is'),
    });
    expect(await testSource(ctx, 'ferry', 'brave')).toMatchObject({
      says: 'Brave: off: set BRAVE_API_KEY. To test all sources of the service: strandline doctor',
    });
    await expect(testSource(ctx, 'ferry', '99')).rejects.toThrow('the topic "ferry" has no source 99');
    await expect(switchSource(ctx, 'ferry', 'no-such', false)).rejects.toThrow('one of all, feeds, brave');
    await expect(removeSource(ctx, 'ferry', 'feeds')).rejects.toThrow('strandline sources off ferry feeds');
  });

  test('lists what a key would add; sources of the service can be switched off, one or all', async () => {
    const { ctx, make, db } = await start({});
    await make('Ferry', 'own');
    const states = async () =>
      (await listSources(ctx, 'ferry')).sources.map(({ id, on, needs }) => [id, on, needs]);
    expect(await states()).toEqual([
      ['feeds', true, null],
      ['brave', false, 'BRAVE_API_KEY'],
    ]);
    await switchSource(ctx, 'ferry', 'feeds', false);
    await switchSource(ctx, 'ferry', 'feeds', false);
    expect(await states()).toEqual([
      ['feeds', false, null],
      ['brave', false, 'BRAVE_API_KEY'],
    ]);
    await switchSource(ctx, 'ferry', 'feeds', true);
    await switchSource(ctx, 'ferry', 'all', false);
    await expect(switchSource(ctx, 'ferry', 'feeds', true)).rejects.toThrow('sources on ferry all');
    await switchSource(ctx, 'ferry', 'all', true);
    expect(await states()).toEqual([
      ['feeds', true, null],
      ['brave', false, 'BRAVE_API_KEY'],
    ]);
    const { rows } = await db.pool.query('SELECT FROM strandline.topic_sources');
    expect(rows).toHaveLength(0);
  });
});

test('a hosted service is never sent an address, nor what is switched off', async () => {
  const { ctx, make, hosted, provider, at } = await start({ '/feed': rss('One') });
  const { created } = await make('Ferry', 'hosted');
  const { notes } = await addSource(ctx, 'ferry', { address: at('feed'), untested: true });
  expect(notes).toEqual([expect.stringContaining('a hosted service is never sent these addresses')]);
  await switchSource(ctx, 'ferry', 'all', false);
  for (const { firstRunId } of created) await executeRun(ctx, firstRunId);
  expect(hosted.requests).toHaveLength(2);
  expect(JSON.stringify(hosted.requests)).not.toMatch(/own_sources|harbour\.example/);
  expect(provider.requests).toEqual([]);
});

describe('an address that is watched', () => {
  test('is a topic with its title, and all of its new items', async () => {
    const { ctx, at, titles, runAgain, answers, db } = await start({
      '/': text(
        '<html><title>Front page</title><link rel="alternate" type="application/rss+xml" href="feed">',
      ),
      '/feed': rss('Soup', 'Bridges'),
    });
    const watched = await watch(ctx, { text: at('') });
    expect(watched.topic).toBe('harbour-news');
    expect(watched.notes[0]).toContain('a page whose feed is');
    const search = watched.created[0]?.search.slug ?? '';
    expect(await executeRun(ctx, watched.created[0]?.firstRunId ?? 0n)).toMatchObject({
      status: 'succeeded',
      links: 2,
    });
    answers['/feed'] = rss('A third thing', 'Soup', 'Bridges');
    await runAgain(search);
    expect(await titles()).toEqual(['A third thing', 'Bridges', 'Soup']);
    const { rows } = await db.pool.query(
      `SELECT text FROM strandline_analytics.discoveries WHERE NOT baseline AND kind = 'link'`,
    );
    expect(rows).toEqual([{ text: 'A third thing' }]);
    await expect(watch(ctx, { text: at('') })).rejects.toThrow('harbour-news');
  });

  test('is refused with what is wrong, before anything is created', async () => {
    const { ctx, at, db } = await start({});
    await expect(watch(ctx, { text: at('gone') })).rejects.toThrow('text: got');
    await expect(watch(ctx, { text: at('gone'), service: 'hosted' })).rejects.toThrow(
      'a hosted service is never sent an address',
    );
    expect((await db.pool.query('SELECT FROM strandline.topics')).rows).toHaveLength(0);
    expect(
      [
        'https://a.example',
        'feed:https://a.example/x',
        'a.example',
        'https://a.example and more',
        'https:',
        'what is https://a.example',
      ].map(isAddress),
    ).toEqual([true, true, false, false, false, false]);
  });
});

describe('lists', () => {
  test('of a thousand feeds: a hundred are added, the others refused with the reason; once more, all are there', async () => {
    const { ctx, make, ofTopic } = await start({});
    await make('Ferry', 'own');
    const opml = `<?xml version="1.0"?><opml version="2.0"><body><outline text="Folder">${Array.from(
      { length: 1_000 },
      (_, i) =>
        `<outline type="rss" text="Feed ${i} &amp; more" xmlUrl="https://f${i}.example/feed?a=1&amp;b=2"/>`,
    ).join('')}</outline></body></opml>`;
    const { added, present, refused } = await importSources(ctx, 'ferry', { opml });
    expect([added.length, present.length, refused.length]).toEqual([100, 0, 900]);
    expect(added[0]).toMatchObject({
      kind: 'feed',
      title: 'Feed 0 & more',
      address: 'https://f0.example/feed?a=1&b=2',
    });
    expect(refused[0]).toEqual({
      address: 'https://f100.example/feed?a=1&b=2',
      reason: 'a topic has at most 100 sources',
    });
    expect((await importSources(ctx, 'ferry', { opml })).present).toHaveLength(100);
    expect(await ofTopic('ferry')).toHaveLength(100);
  });

  test('that are hostile, broken or plain', async () => {
    const { ctx, make } = await start({});
    await make('Ferry', 'own');
    const take = async (opml: string) => {
      const { added, refused } = await importSources(ctx, 'ferry', { opml });
      return [...added.map(({ address }) => address), ...refused.map(({ address }) => `refused ${address}`)];
    };
    expect(
      await take(
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml><body><outline xmlUrl="https://b.example/&a;"/><outline xmlUrl=\'javascript:alert(1)\'/><outline xmlUrl="https://user:pw@c.example/"/>',
      ),
    ).toEqual(['https://b.example/&a;', 'refused javascript:alert(1)', 'refused https://user:pw@c.example/']);
    expect(await take('# mine\nd.example\nfeed://e.example/rss\n\nhttps://f.example/?q={query}')).toEqual([
      'https://d.example/',
      'https://e.example/rss',
      'https://f.example/?q={query}',
    ]);
    for (const opml of [
      `<opml>${'<outline '.repeat(90_000)}`,
      `<opml>${'<outline a="'.repeat(70_000)}`,
      `<opml><outline ${'xmlUrl="'.repeat(100_000)}`,
      `<opml><outline ${'text '.repeat(160_000)}`,
    ]) {
      const computed = watchProcessor();
      const { added } = await importSources(ctx, 'ferry', { opml }).catch((error: unknown) => {
        expect(String(error)).toContain('opml: got');
        return { added: [] };
      });
      expect(added).toEqual([]);
      expect(computed()).toBeLessThan(5_000);
    }
  });
});

test('sources follow their topic to another service, and end with it', async () => {
  const { ctx, make, db, ofTopic } = await start({});
  await make('Ferry', 'hosted');
  await addSource(ctx, 'ferry', { address: 'https://a.example/feed', untested: true, all: true });
  const { topic } = await rewatchTopic(ctx, 'ferry', { service: 'own' });
  expect(await ofTopic(topic)).toMatchObject([{ address: 'https://a.example/feed', all: true, on: true }]);
  const count = async () => (await db.pool.query('SELECT FROM strandline.topic_sources')).rows.length;
  expect(await count()).toBe(2);
  await changeTopic(ctx, topic, 'remove');
  expect(await count()).toBe(1);
  await changeTopic(ctx, 'ferry', 'remove');
  expect(await count()).toBe(0);
});
