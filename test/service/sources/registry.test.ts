import type { ServerResponse } from 'node:http';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import type { Env } from '../../../src/config/settings.ts';
import { listNeeded, listVariables } from '../../../src/config/variable.ts';
import { SOURCES } from '../../../src/model/enumerations.ts';
import { steppedClock } from '../../../src/platform/clock.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { InvalidInput } from '../../../src/model/errors.ts';
import { registerHealthRoutes } from '../../../src/service/service-health.ts';
import type { ServicePorts } from '../../../src/service/ports.ts';
import { openSources } from '../../../src/service/sources/source-setup.ts';
import { chooseSources, SOURCE_REGISTRY } from '../../../src/service/sources/source-registry.ts';
import { item } from './living.ts';
import { memoryPorts } from './memory-ports.ts';
import { json, NOW, outageOf, query, startProvider, text } from './provider.ts';

const KEY = 'canary-0123456789';
/** Everything that a source can need. */
const EVERYTHING: Env = {
  BLUESKY_HANDLE: 'me.example',
  BLUESKY_APP_PASSWORD: KEY,
  X_BEARER_TOKEN: KEY,
  X_USD_PER_DAY: '1',
  REDDIT_CLIENT_ID: 'id',
  REDDIT_CLIENT_SECRET: KEY,
  REDDIT_USERNAME: 'me',
  LEMMY_SERVER: 'https://lemmy.example',
  FEEDS: 'http://127.0.0.1:1/feed',
  YOUTUBE_API_KEY: KEY,
  SEARXNG_URL: 'https://searx.example',
  BRAVE_API_KEY: KEY,
  TAVILY_API_KEY: KEY,
  EXA_API_KEY: KEY,
};

function open(env: Env = {}, more: Partial<ServicePorts> = {}) {
  const clock = steppedClock(NOW);
  const lines: string[] = [];
  const opened = openSources(readConfig(env).service.sources, {
    clock,
    log: createLogger('debug', [], { write: (line) => lines.push(line) }),
    ports: { ...memoryPorts(clock), ...more },
    version: '1.2.3',
  });
  onTestFinished(() => opened.close());
  const isOn = opened.statements.filter(({ state }) => state === 'on').map(({ name }) => name);
  return { ...opened, lines, isOn };
}

describe('selecting sources', () => {
  test('each source is created once its settings are present, and declares its secrets', () => {
    const options = { at: undefined, version: '1' };
    for (const { facts, variables, open: make } of SOURCE_REGISTRY) {
      expect(make(readConfig(EVERYTHING).settings.read, options)).toMatchObject({ name: facts.name });
      const bare = make(readConfig({}).settings.read, options);
      expect(bare === undefined, facts.name).toBe(listNeeded(variables).length > 0);
      for (const [{ name, secret }] of listVariables(variables))
        expect(secret, name).toBe(/_(KEY|TOKEN|SECRET|PASSWORD)$/.test(name) ? 'whole' : undefined);
    }
  });

  test('auto selects sources without a key if nothing is configured', () => {
    const { isOn, statements } = open();
    expect(isOn).toEqual([
      'hacker-news',
      'mediawiki',
      'arxiv',
      'mastodon',
      'stack-exchange',
      'github',
      'feeds',
      'gdelt',
    ]);
    expect(statements.find(({ name }) => name === 'brave')).toEqual({
      name: 'brave',
      source: 'web',
      title: 'brave',
      state: 'off',
      reason: 'needs BRAVE_API_KEY',
      dates: undefined,
      terms: undefined,
    });
    expect(statements.find(({ name }) => name === 'arxiv')).toMatchObject({
      reason: undefined,
      dates: 'exact',
    });
  });

  test('auto selects every configured source; money is spent only if a budget is set', () => {
    expect(open(EVERYTHING).isOn).toEqual(SOURCE_REGISTRY.map(({ facts }) => facts.name));
    const { isOn } = open({ ...EVERYTHING, X_USD_PER_DAY: '0' });
    expect(isOn).not.toContain('x');
    expect(isOn).toHaveLength(SOURCE_REGISTRY.length - 1);
  });

  test('a list of names selects only these', () => {
    const { isOn, statements } = open({ ...EVERYTHING, SERVICE_SOURCES: 'arxiv,bluesky' });
    expect(isOn).toEqual(['arxiv', 'bluesky']);
    expect(statements.find(({ name }) => name === 'exa')?.reason).toBe('not in SERVICE_SOURCES');
  });

  test.each<[string, Env, RegExp]>([
    [
      'an unknown name',
      { SERVICE_SOURCES: 'auto,gopher' },
      /SERVICE_SOURCES: got "gopher"; one of auto, .*hacker-news/,
    ],
    ['a source without its key', { SERVICE_SOURCES: 'brave' }, /got "brave"; BRAVE_API_KEY to be set/],
    [
      'a source without its keys',
      { SERVICE_SOURCES: 'bluesky' },
      /BLUESKY_HANDLE and BLUESKY_APP_PASSWORD to be set/,
    ],
    [
      'a paid source without a budget',
      { SERVICE_SOURCES: 'x', X_BEARER_TOKEN: KEY },
      /got "x"; X_USD_PER_DAY to be set/,
    ],
    [
      'a paid source without a key',
      { SERVICE_SOURCES: 'x' },
      /got "x"; X_BEARER_TOKEN and X_USD_PER_DAY to be set/,
    ],
    ['nothing', { SERVICE_SOURCES: ',' }, /some of auto/],
    [
      'the simulation combined with real sources',
      { SERVICE_SOURCES: 'sandbox,auto' },
      /either sandbox or other sources/,
    ],
    [
      'an address without a source',
      { SERVICE_SOURCE_URLS: 'gopher=https://a.example' },
      /SERVICE_SOURCE_URLS: got "gopher"/,
    ],
    [
      'an address of a source that has its own',
      { SERVICE_SOURCE_URLS: 'feeds=https://a.example' },
      /SERVICE_SOURCE_URLS: got "feeds"; one of hacker-news/,
    ],
  ])('%s is refused', (_, over, words) => {
    const choose = () => chooseSources(readConfig(over).service.sources, '1');
    expect(choose).toThrow(InvalidInput);
    expect(choose).toThrow(words);
    expect(choose).not.toThrow(KEY);
  });
});

describe('selected sources', () => {
  test('give each tool a source or a reason for none', async () => {
    const { sources } = open();
    expect(new Set(sources.map(({ source }) => source))).toEqual(new Set(SOURCES));
    const [video, ...others] = sources.filter(({ source }) => source === 'video');
    expect(others).toEqual([]);
    const outage = await outageOf(video?.find(query()) ?? Promise.resolve());
    expect(outage.code).toBe('source_needs_key');
    expect(outage.message).toBe('needs a key that is not set: set YOUTUBE_API_KEY');
  });

  test('say how to enable a disabled one', async () => {
    const { sources } = open({ SERVICE_SOURCES: 'arxiv' });
    const forum = sources.find(({ source }) => source === 'news_forum');
    const outage = await outageOf(forum?.find(query()) ?? Promise.resolve());
    expect(outage.message).toBe('is off: add hacker-news to SERVICE_SOURCES');
    expect(forum).toMatchObject({ state: 'live', unavailable: true });
  });

  test('are the simulation on request', () => {
    const { sources } = open({ ...EVERYTHING, SERVICE_SOURCES: 'sandbox' });
    expect(sources.map(({ state }) => state)).toEqual(SOURCES.map(() => 'sandbox'));
  });

  test('are the archive on request, for every tool', async () => {
    const asked: unknown[] = [];
    const archive: ServicePorts['archive'] = {
      find: async (question) => {
        asked.push(question);
        return [item()];
      },
    };
    expect(open({}, { archive }).sources.some(({ name }) => name.startsWith('archive'))).toBe(false);
    const { sources } = open({ SERVICE_SOURCES: 'archive' }, { archive });
    expect(sources.map(({ name, state }) => [name, state])).toContainEqual(['archive-news-forum', 'live']);
    expect(sources).toHaveLength(SOURCES.length);
    const { keywords, timeoutMs, ...question } = query();
    expect(await sources[0]?.find({ ...question, keywords, timeoutMs })).toEqual([item()]);
    const newestWith = [['tidal', 'turbines']];
    expect(asked).toEqual([
      { ...question, source: 'web', newestWith, onFull: expect.any(Function) as unknown },
    ]);
  });

  test('are off where their variables say so', () => {
    const { statements } = open({ FEEDS: 'none' });
    expect(statements.find(({ name }) => name === 'feeds')).toMatchObject({
      state: 'off',
      reason: 'turned off by its variables',
    });
    expect(() => open({ FEEDS: 'none', SERVICE_SOURCES: 'feeds' })).toThrow(
      /got "feeds"; its variables to turn it on/,
    );
  });

  test('use the web search for Reddit if it has no source; sources of news cannot', async () => {
    const provider = await startProvider(json({ results: [], unresponsive_engines: [] }));
    const SEARXNG_URL = provider.url;
    const { sources, isOn } = open({ SEARXNG_URL });
    expect(isOn).toContain('reddit-through-searxng');
    await sources.find(({ name }) => name === 'reddit-through-searxng')?.find(query());
    expect(provider.requests[0]?.params['q']).toContain('site:reddit.com');
    expect(open({ ...EVERYTHING, SEARXNG_URL }).isOn).not.toContain('reddit-through-searxng');
    expect(open().isOn).not.toContain('reddit-through-searxng');
  });
});

describe('requests to sources', () => {
  test('use a configured address and identify themselves', async () => {
    const provider = await startProvider(json({ hits: [] }));
    const { sources } = open({
      SERVICE_SOURCE_URLS: `hacker-news=${provider.url}`,
      SERVICE_CONTACT: 'me@site.example',
    });
    await sources.find(({ name }) => name === 'hacker-news')?.find(query({ keywords: ['tides'] }));
    expect(provider.requests.map(({ headers }) => headers['user-agent'])).toEqual([
      'strandline/1.2.3 (me@site.example)',
    ]);
  });

  test('probe all sources within two seconds', async () => {
    const well = await startProvider(json({ hits: [] }));
    const ill = await startProvider(text('words of theirs', 503));
    const silent = await startProvider(() => {});
    const { probe } = open({
      ...EVERYTHING,
      EXA_API_KEY: '',
      SERVICE_SOURCES: 'hacker-news,mediawiki,arxiv,brave',
      SERVICE_SOURCE_URLS: `hacker-news=${well.url},mediawiki=${ill.url},arxiv=${silent.url},brave=${ill.url}`,
    });
    const limit = vi.spyOn(AbortSignal, 'timeout');
    onTestFinished(() => limit.mockRestore());
    const probed = new Map((await probe()).map((one) => [one.name, one]));
    expect(limit).toHaveBeenCalledWith(2_000);
    expect(probed.get('hacker-news')).toMatchObject({ outcome: 'reachable', words: 'reachable: stories' });
    expect(probed.get('mediawiki')?.words).toBe('not reachable (failed: HTTP 503)');
    expect(probed.get('arxiv')).toMatchObject({
      outcome: 'unreachable',
      words: 'not reachable (timed out)',
    });
    expect(probed.get('brave')).toMatchObject({ outcome: 'unasked' }); // a key is not spent on a probe
    expect(probed.get('exa')).toMatchObject({ outcome: 'off', words: 'needs EXA_API_KEY' });
  });
});

test('send a whole burst at once', async () => {
  const burst = 30; // of the source that allows the largest
  const held: ServerResponse[] = [];
  // None is answered before all are there.
  const provider = await startProvider((_, response) => {
    held.push(response);
    if (held.length === burst) for (const one of held) one.end('{"hits":[]}');
  });
  const { sources } = open({
    SERVICE_SOURCES: 'hacker-news',
    SERVICE_SOURCE_URLS: `hacker-news=${provider.url}`,
  });
  const forum = sources.find(({ name }) => name === 'hacker-news');
  const keywords = ['tides'];
  const findings = Array.from({ length: burst }, async (_, n) =>
    forum?.find(query({ prompt: `${n}`, keywords, limit: n + 1 })),
  );
  expect(await Promise.all(findings)).toHaveLength(burst);
});

describe('health', () => {
  async function told(opened: ReturnType<typeof open>) {
    const app = fastify();
    onTestFinished(() => app.close());
    registerHealthRoutes(app, {
      version: '1',
      instance: 'i',
      sources: opened.sources,
      health: opened.health,
    });
    const { statusCode, body } = await app.inject('/healthz/sources');
    expect(statusCode).toBe(200);
    return body;
  }

  test('reports each source, without a key and without external text', async () => {
    const provider = await startProvider(text(`words of theirs ${KEY}`, 429, { 'retry-after': '30' }));
    const addresses = SOURCE_REGISTRY.filter(({ facts }) => facts.addresses !== 'own').map(
      ({ facts }) => `${facts.name}=${provider.url}`,
    );
    const opened = open({ ...EVERYTHING, SERVICE_SOURCE_URLS: addresses.join(',') });
    await Promise.all(opened.sources.map((one) => one.find(query()).catch(() => {})));
    const body = await told(opened);
    expect(body + opened.lines.join('')).not.toMatch(/canary|words of theirs/);
    const { sources, adapters } = JSON.parse(body) as { sources: unknown[]; adapters: { name: string }[] };
    expect(sources).toEqual(SOURCES.map((source) => ({ source, state: 'live' })));
    expect(adapters.find(({ name }) => name === 'hacker-news')).toEqual({
      name: 'hacker-news',
      source: 'news_forum',
      title: 'Hacker News (Algolia search)',
      state: 'live',
      reason: null,
      dates: 'exact',
      terms: expect.stringContaining('10,000 requests an hour') as string,
      left_alone_until: '2026-11-21T12:00:30.000Z',
      allowance: null,
      last_success_at: null,
      last_failure_at: '2026-11-21T12:00:00.000Z',
      last_failure: 'reached its rate limit: HTTP 429',
      last_failure_code: 'source_busy',
      problems: [],
    });
    expect(adapters.find(({ name }) => name === 'feeds')).toMatchObject({
      title: 'RSS and Atom feeds (127.0.0.1)',
      problems: [
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/feed: 127\.0\.0\.1 is not a public address/),
      ],
    });
    expect(adapters.find(({ name }) => name === 'youtube')).toMatchObject({
      allowance: { most: 100, unit: 'searches', period: '2026-11-21' },
    });
  });

  test('lists a disabled source with its reason, and without terms if it cannot be created', async () => {
    const { adapters } = JSON.parse(await told(open())) as { adapters: { name: string }[] };
    expect(adapters.find(({ name }) => name === 'exa')).toMatchObject({
      title: 'exa',
      state: 'off',
      reason: 'needs EXA_API_KEY',
      dates: null,
      terms: null,
    });
  });

  test('a source that is slow, costs money or weighs all words gets only the original prompt', async () => {
    const { sources } = open({ ...EVERYTHING, SERVICE_SOURCES: 'auto,archive' });
    const own = sources.filter(({ wordings }) => wordings === 'own').map(({ name }) => name);
    expect(own.filter((name) => !name.startsWith('archive-'))).toEqual([
      'mediawiki',
      'arxiv',
      'x',
      'stack-exchange',
      'github',
      'lemmy',
      'youtube',
      'feeds',
      'gdelt',
      'searxng',
      'brave',
      'tavily',
      'exa',
    ]);
    expect(own.filter((name) => name.startsWith('archive-'))).toHaveLength(SOURCES.length);
  });

  test('a tool that only has a reason is not live', async () => {
    const { sources } = JSON.parse(await told(open())) as { sources: unknown[] };
    expect(sources).toContainEqual({ source: 'video', state: 'none' });
    expect(sources).toContainEqual({ source: 'preprint', state: 'live' });
  });
});
