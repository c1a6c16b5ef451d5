import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aiResponse, microblogResponse } from '../../src/protocol/specification.ts';
import { loadDialect, buildOperationPaths } from '../../src/protocol/dialect.ts';
import { DATE_FILTERS, MODELS, TOOLS } from '../../src/model/enumerations.ts';
import { servedAiResponse, servedMicroblogResponse } from '../../src/protocol/extensions.ts';
import { fromWire, toWire } from '../../src/protocol/wire.ts';
import { ModelFailed } from '../../src/service/answering/language-model.ts';
import { NOTHING_FOUND } from '../../src/service/answering/completion-writer.ts';
import { MAX_PIECE_LENGTH } from '../../src/service/ai-search.ts';
import { computeTruth } from '../../src/service/sandbox/ground-truth.ts';
import { SANDBOX_SEED } from '../../src/service/sandbox/sandbox-sources.ts';
import { DAY } from '../../src/lib/time.ts';
import { z } from 'zod';
import { type Client, startForTest } from './running.ts';
import { foundItem, stubSource } from './stub-source.ts';

const named = loadDialect('named');
const neutral = loadDialect('neutral');

const marked = z.object({ id: z.string(), created_at: z.string(), popular: z.literal(true).optional() });

let service: Client;
beforeAll(async () => {
  service = await startForTest();
});
afterAll(() => service.close());

/** The same request in each dialect, its answer in the specification's words. */
async function ask(dialect: typeof named, kind: 'ai' | 'microblog', request: object, below = '') {
  const response = await service.post(
    `${below}${buildOperationPaths(dialect)[kind]}`,
    toWire(dialect, 'request', request),
  );
  expect(response.status).toBe(200);
  expect(response.headers.get('x-sandbox')).toBe('true');
  return fromWire(dialect, kind === 'ai' ? 'ai-answer' : 'microblog-answer', await response.json());
}

/** The groups that an answer shows for some tools. */
async function groups(...tools: string[]): Promise<string[]> {
  const answer = aiResponse.parse(await ask(neutral, 'ai', { prompt: 'sourdough', tools }));
  return Object.keys(answer).filter((name) => name.endsWith('_results'));
}

const everything = { prompt: 'tidal power', tools: TOOLS, date_filter: 'PAST_MONTH' };

test.each(MODELS)('a language model gets the time budget of %s, exact to the millisecond', async (model) => {
  const limits: boolean[] = [];
  const written = await startForTest({
    sources: [stubSource('web', async () => [foundItem('https://live.example/page')])],
    model: {
      name: 'stand-in',
      ask: (_, signal) => {
        limits.push(signal.aborted);
        return Promise.reject(new ModelFailed('empty'));
      },
    },
  });
  const response = await written.post('/search/ai/search', { ...everything, model });
  expect(response.status).toBe(200);
  expect(servedAiResponse.parse(await response.json()).completion_writer).toBe('extractive');
  expect(limits).not.toEqual([]);
  await written.close();
});

describe('operation A', () => {
  test('returns what the specification says, the same in both dialects and below /sandbox', async () => {
    const answer = await ask(neutral, 'ai', everything);
    expect(servedAiResponse.strict().parse(answer)).toEqual(answer);
    const { completion_writer, ...specified } = servedAiResponse.parse(answer);
    expect(completion_writer).toBe('extractive');
    expect(aiResponse.strict().parse(specified)).toEqual(specified);
    expect(await ask(named, 'ai', everything)).toEqual(answer);
    expect(await ask(named, 'ai', everything, '/sandbox')).toEqual(answer);
  });

  test('uses the names of the requested dialect', async () => {
    const response = await service.post('/desearch/ai/search', toWire(named, 'request', everything));
    const answer: unknown = await response.json();
    expect(answer).toHaveProperty('reddit_search_results.organic_results');
    expect(answer).toHaveProperty('completion.key_tweets');
    expect(answer).not.toHaveProperty('discussion_board_search_results');
  });

  test.each([...DATE_FILTERS])('returns what the specification says for %s', async (date_filter) => {
    for (const prompt of ['harbour festival', 'never heard of']) {
      const answer = await ask(neutral, 'ai', { prompt, tools: TOOLS, date_filter, model: 'HORIZON' });
      expect(() => servedAiResponse.strict().parse(answer)).not.toThrow();
    }
  });

  test('returns a group for each selected tool that has one, and none for the others', async () => {
    expect(await groups('Video Search')).toEqual(['video_search_results']);
    expect(await groups('Web Search', 'Microblog Search')).toEqual([]);
    expect((await groups(...TOOLS)).length).toBe(5);
  });

  test('cites only what it retrieved, numbered in the order of the list', async () => {
    const answer = aiResponse.parse(await ask(neutral, 'ai', everything));
    const { completion } = answer;
    const texts = [
      completion.summary,
      completion.microblog_summary,
      completion.discussion_board_summary,
      completion.news_forum_summary,
    ];
    const cited = new Set<string>();
    for (const [, number, link] of texts.join(' ').matchAll(/\[(\d+)\]\((\S+?)\)/g)) {
      expect(answer.completion_links[Number(number) - 1]).toBe(link);
      cited.add(link ?? '');
    }
    for (const { url } of [
      ...completion.key_posts,
      ...completion.key_microblog_posts,
      ...completion.key_news,
      ...completion.key_sources,
    ]) {
      cited.add(url);
    }
    expect(new Set(answer.completion_links)).toEqual(cited);
    expect(answer.search_completion_links).toEqual(expect.arrayContaining(answer.completion_links));
    expect(new Set(answer.search_completion_links).size).toBe(answer.search_completion_links.length);
  });

  test('uses posts and web pages for the completion and the links', async () => {
    const tools = ['Web Search', 'Microblog Search'];
    const answer = aiResponse.parse(await ask(neutral, 'ai', { prompt: 'harbour festival', tools }));
    expect(answer.completion.key_microblog_posts.length).toBeGreaterThan(0);
    expect(answer.completion.key_sources.length).toBeGreaterThan(0);
    expect(answer.text_chunks.microblog_summary.join('')).toBe(answer.completion.microblog_summary);
    for (const piece of answer.text_chunks.microblog_summary)
      expect(piece.length).toBeLessThanOrEqual(MAX_PIECE_LENGTH);
    expect(answer.completion.discussion_board_summary).toBe('');
    expect(answer.completion.key_posts).toEqual([]);
  });

  test('reports that nothing was found, and cites nothing', async () => {
    service.clock.set('2019-06-01T00:00:00Z'); // before the simulated world began
    const tools = ['Video Search', 'Microblog Search'];
    const answer = aiResponse.parse(await ask(neutral, 'ai', { prompt: 'sourdough', tools }));
    service.clock.set('2026-11-21T12:00:00Z');
    expect(answer.completion.summary).toBe(NOTHING_FOUND);
    expect(answer.video_search_results).toEqual({ organic_results: [] });
    expect(answer.completion_links).toEqual([]);
    expect(answer.search_completion_links).toEqual([]);
  });
});

describe('operation B', () => {
  test('returns what the specification says, the same in both dialects, 40 posts with popular ones at the end', async () => {
    for (const prompt of ['harbour festival', 'lighthouse', 'never heard of']) {
      const answer = await ask(neutral, 'microblog', { prompt });
      const { miner_microblog_posts: posts } = servedMicroblogResponse.strict().parse(answer);
      const newest = posts.filter(({ popular }) => popular !== true);
      expect(posts.length).toBeLessThanOrEqual(40);
      expect(newest).toHaveLength(posts.length < 40 ? posts.length : 29);
      expect(posts.slice(29).every(({ popular }) => popular === true)).toBe(true);
      const { miner_microblog_posts: known } = microblogResponse.parse(answer);
      expect(known.map(({ id }) => id)).toEqual(posts.map(({ id }) => id));
      expect(await ask(named, 'microblog', { prompt, model: 'ORBIT' })).toEqual(answer);
    }
  });

  test.each([10, 200])(
    'returns at most %i posts, the newest without gaps, in every dialect',
    async (count) => {
      const prompt = 'lunar lander';
      const now = service.clock.now();
      const { posts } = computeTruth(SANDBOX_SEED, prompt, new Date(now.getTime() - DAY), now);
      const there = posts?.filter(
        ({ deleted_at: gone }) => gone === null || Date.parse(gone) > now.getTime(),
      );
      const popularCount = Math.floor((count * 2) / 7);
      const newest = there?.slice(popularCount - count).map(({ id }) => id);
      for (const [path, member] of [
        [buildOperationPaths(neutral).microblog, 'miner_microblog_posts'],
        [buildOperationPaths(named).microblog, 'miner_tweets'],
        [`/2026${buildOperationPaths(named).microblog}`, 'miner_tweets'],
      ] as const) {
        const response = await service.post(path, { prompt, count });
        const answer = z.record(z.string(), z.array(marked)).parse(await response.json());
        const [found, popular] = [false, true].map((is) =>
          answer[member]?.filter((post) => (post.popular ?? false) === is),
        );
        expect(found?.map(({ id }) => id).toSorted()).toEqual(newest?.toSorted());
        expect(found?.map(({ created_at }) => created_at)).toEqual(
          found?.map(({ created_at }) => created_at).toSorted((x, y) => y.localeCompare(x)),
        );
        expect(popular).toHaveLength(popularCount);
        expect(popular?.some(({ id }) => newest?.includes(id))).toBe(false);
      }
    },
  );

  test.each([[9], [201], ['20'], [20.5]])('refuses a count of %j', async (count) => {
    const response = await service.post(buildOperationPaths(neutral).microblog, { prompt: 'x', count });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ detail: [{ loc: ['body', 'count'] }] });
  });

  test('returns new posts and grown counters as time passes', async () => {
    const first = microblogResponse.parse(await ask(neutral, 'microblog', { prompt: 'harbour festival' }));
    service.clock.advance(5 * 60_000);
    const second = microblogResponse.parse(await ask(neutral, 'microblog', { prompt: 'harbour festival' }));
    const before = new Map(first.miner_microblog_posts.map((post) => [post.id, post]));
    const fresh = second.miner_microblog_posts.filter(({ id }) => !before.has(id));
    const grown = second.miner_microblog_posts.filter(
      ({ id, view_count }) => (view_count ?? 0) > (before.get(id)?.view_count ?? Number.POSITIVE_INFINITY),
    );
    expect(fresh.length).toBeGreaterThan(0);
    expect(grown.length).toBeGreaterThan(0);
  });
});
