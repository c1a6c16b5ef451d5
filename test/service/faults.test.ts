import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aiResponse, microblogResponse } from '../../src/protocol/specification.ts';
import { z } from 'zod';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { TOOLS } from '../../src/model/enumerations.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { type Client, startForTest } from './running.ts';

/** Posts whose quotes are posts. */
const nestedAnswer = z.object({
  miner_microblog_posts: z.array(
    z.looseObject({
      is_quote_post: z.boolean(),
      quoted_status_id: z.string().nullable(),
      quote: z.looseObject({ id: z.string() }).nullable(),
    }),
  ),
});

const A = '/sandbox/search/ai/search';
const B = '/sandbox/search/ai/search/links/microblog';
const videos = {
  prompt: 'lunar lander',
  tools: ['Video Search', 'Discussion Board Search'],
  date_filter: 'PAST_MONTH',
};

let service: Client;
beforeAll(async () => {
  service = await startForTest();
});
afterAll(() => service.close());

async function posts(fault: string) {
  const response = await service.post(B, { prompt: 'harbour festival' }, { 'x-sandbox-fault': fault });
  return microblogResponse.parse(await response.json()).miner_microblog_posts;
}

async function answer(fault: string) {
  return aiResponse.parse(await (await service.post(A, videos, { 'x-sandbox-fault': fault })).json());
}

describe('an injected fault', () => {
  test.each([401, 402, 403, 422, 429, 500])('can be status %s with its documented body', async (status) => {
    for (const path of [A, B]) {
      const response = await service.post(path, videos, { 'x-sandbox-fault': String(status) });
      expect(response.status).toBe(status);
      expect(await response.json()).toHaveProperty('detail');
    }
  });

  test('can be an HTML page of a proxy', async () => {
    const response = await service.post(A, videos, { 'x-sandbox-fault': '503-html' });
    expect(response.status).toBe(503);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toMatch(/^<html>/);
  });

  test('is ignored outside the sandbox', async () => {
    const outside = B.slice('/sandbox'.length);
    const response = await service.post(outside, { prompt: 'x' }, { 'x-sandbox-fault': '500' });
    expect(response.status).toBe(200);
  });

  test('can be a slow response', async () => {
    const start = performance.now();
    await posts('slow=150');
    expect(performance.now() - start).toBeGreaterThanOrEqual(149);
  });

  test('can be a connection that breaks mid-response', async () => {
    const response = await service.post(A, videos, { 'x-sandbox-fault': 'truncate' });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('can be an empty response, or one without a group', async () => {
    expect(await posts('empty')).toEqual([]);
    expect((await answer('empty')).video_search_results).toEqual({ organic_results: [] });
    const missing = await answer('missing-group');
    expect(Object.keys(missing).filter((name) => name.endsWith('_results'))).toHaveLength(1);
  });

  test('can be duplicates of everything', async () => {
    const doubled = await posts('duplicates');
    expect(doubled).toHaveLength(80);
    expect(new Set(doubled.map(({ id }) => id)).size).toBe(40);
    const once = (await answer('')).video_search_results?.organic_results.length ?? 0;
    expect((await answer('duplicates')).video_search_results?.organic_results).toHaveLength(2 * once);
  });

  test('can be "null" instead of null, and decreased counters', async () => {
    const first = (await posts('null-strings')).find((post) => post.in_reply_to_status_id === 'null');
    expect(first?.in_reply_to_user_id).toBe('null');
    const usual = new Map((await posts('')).map((post) => [post.id, post.view_count ?? 0]));
    const fallen = await posts('counters-down, null-strings');
    expect(fallen.some((post) => (post.view_count ?? 0) < (usual.get(post.id) ?? 0))).toBe(true);
  });

  test('can be full posts instead of quotes, or null although something is quoted', async () => {
    const response = await service.post(
      B,
      { prompt: 'lunar lander' },
      { 'x-sandbox-fault': 'nested-quotes' },
    );
    const { miner_microblog_posts: nested } = nestedAnswer.parse(await response.json());
    const quotes = nested.filter((post) => post.is_quote_post);
    expect(quotes.some(({ quote }) => quote !== null)).toBe(true);
    for (const { quote, quoted_status_id } of quotes) {
      if (quote !== null) expect(quote.id).toBe(quoted_status_id);
      expect(quoted_status_id).toMatch(/^\d{19}$/);
    }
    const findings = parseResponse({
      operation: 'microblog',
      body: Buffer.from(JSON.stringify({ miner_microblog_posts: nested })),
      contentType: null,
      dialect: loadDialect('neutral'),
    });
    expect(findings.rejects).toEqual([]);
    expect(findings.posts).toHaveLength(40);
    const quoted = new Set(quotes.flatMap(({ quote }) => (quote === null ? [] : [quote.id])));
    const known = [...findings.posts, ...findings.nestedPosts].map(({ external_id }) => external_id);
    expect(known).toEqual(expect.arrayContaining([...quoted]));
  });

  test.each(['2', '3'])('can be the shape of generation %s, which parses like the first', async (number) => {
    const links = async (fault: string) => {
      const response = await service.post(A, { ...videos, tools: TOOLS }, { 'x-sandbox-fault': fault });
      const { findings, raw } = await readBack(response);
      expect(findings.rejects).toEqual([]);
      return { links: findings.links.map(({ address }) => address).toSorted(), raw };
    };
    const later = await links(`generation=${number}`);
    expect(later.links).toEqual((await links('')).links);
    if (number === '2') expect(Array.isArray(later.raw['video_search_results'])).toBe(true);
    else expect(typeof later.raw['completion']).toBe('string');
  });

  test.each([
    ['list', []],
    ['object', {}],
    ['null', null],
    ['absent', undefined],
  ])('can be an empty group as %s', async (form, looks) => {
    const fault = { 'x-sandbox-fault': `empty, empty-group=${form}` };
    const { findings, raw } = await readBack(await service.post(A, videos, fault));
    expect(raw['video_search_results']).toEqual(looks);
    expect(findings.rejects).toEqual([]);
  });
});

async function readBack(response: Response) {
  const text = await response.text();
  const findings = parseResponse({
    operation: 'ai',
    body: Buffer.from(text),
    contentType: 'application/json',
    dialect: loadDialect('neutral'),
  });
  return { findings, raw: z.record(z.string(), z.unknown()).parse(JSON.parse(text)) };
}
