import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aiAnswer } from '../../src/contract/ai-answer.ts';
import { microblogAnswer } from '../../src/contract/microblog-answer.ts';
import { type Client, startForTest } from './running.ts';

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
  return microblogAnswer.parse(await response.json()).miner_microblog_posts;
}

async function answer(fault: string) {
  return aiAnswer.parse(await (await service.post(A, videos, { 'x-sandbox-fault': fault })).json());
}

describe('a fault that is asked for', () => {
  test.each([401, 422, 429, 500])('can be status %s with its documented body', async (status) => {
    for (const path of [A, B]) {
      const response = await service.post(path, videos, { 'x-sandbox-fault': String(status) });
      expect(response.status).toBe(status);
      expect(await response.json()).toHaveProperty('detail');
    }
  });

  test('is not obeyed outside of the sandbox', async () => {
    const outside = B.slice('/sandbox'.length);
    const response = await service.post(outside, { prompt: 'x' }, { 'x-sandbox-fault': '500' });
    expect(response.status).toBe(200);
  });

  test('can be slow: the answer comes late', async () => {
    const start = performance.now();
    await posts('slow=150');
    expect(performance.now() - start).toBeGreaterThanOrEqual(149);
  });

  test('can be a connection that breaks in the middle of the answer', async () => {
    const response = await service.post(A, videos, { 'x-sandbox-fault': 'truncate' });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  test('can be an empty answer, or one without a group', async () => {
    expect(await posts('empty')).toEqual([]);
    expect((await answer('empty')).video_search_results).toEqual({ organic_results: [] });
    const missing = await answer('missing-group');
    expect(Object.keys(missing).filter((name) => name.endsWith('_results'))).toHaveLength(1);
  });

  test('can be everything twice', async () => {
    const doubled = await posts('duplicates');
    expect(doubled).toHaveLength(80);
    expect(new Set(doubled.map(({ id }) => id)).size).toBe(40);
    const once = (await answer('')).video_search_results?.organic_results.length ?? 0;
    expect((await answer('duplicates')).video_search_results?.organic_results).toHaveLength(2 * once);
  });

  test('can be "null" in place of null, and counters that fell', async () => {
    const first = (await posts('null-strings')).find((post) => post.in_reply_to_status_id === 'null');
    expect(first?.in_reply_to_user_id).toBe('null');
    const usual = new Map((await posts('')).map((post) => [post.id, post.view_count ?? 0]));
    const fallen = await posts('counters-down, null-strings');
    expect(fallen.some((post) => (post.view_count ?? 0) < (usual.get(post.id) ?? 0))).toBe(true);
  });
});
