/** Emerging names by the API and on their page: of observed days, each post once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEB } from '../../../src/app/web-server.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { saveBody } from '../../store/finds.ts';
import { wirePost } from '../../stub-service.ts';
import { openStand } from '../access/stand.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { personAt, textOf } from '../pages/person.ts';

const HOUR = 3_600_000;
const stand = await openStand({ hosted: 'http://127.0.0.1:1' });
const { world } = stand;
let app: App;

beforeAll(async () => {
  app = await stand.serve(WEB);
  const search = (slug: string, prompt: string) =>
    createSearch(world.ctx, { slug, topic: 'pier', operation: 'microblog', prompt, every: '4h' });
  const searches = [(await search('pier-a', 'pier')).search, (await search('pier-b', 'harbour')).search];
  let id = 0;
  // Eight days and a half of runs: from the fifth day on, somebody is spoken of on two days.
  for (let run = 0; run < 52; run += 1) {
    const now = world.clock.now();
    const isSpoken = run >= 30 && run < 36;
    const posts = Array.from({ length: 4 }, (_, i) =>
      wirePost(`p${(id += 1)}`, {
        created_at: new Date(now.getTime() - (i + 1) * 600_000).toISOString(),
        text:
          isSpoken && i < 3 ? `at the pier with Ida Ekstad, number ${id}` : `quiet water at the pier, ${id}`,
      }),
    );
    // Both searches find the same posts.
    for (const each of searches) await saveBody(world, each, { miner_tweets: posts });
    world.clock.advance(4 * HOUR);
  }
  await world.derive();
});
afterAll(() => stand.close());

test('its page names each day, leads to the posts, and says which days were not observed', async () => {
  const { status, html } = await personAt(app).get('/topics/pier/emerging');
  expect(status).toBe(200);
  const words = textOf(html);
  expect(words).toContain('Ida Ekstad');
  expect(words).toMatch(/24 posts of 24 authors compared/);
  expect(html).toContain('/explore?topic=pier&amp;q=%22Ida%20Ekstad%22');
});

type Day = {
  day: string;
  posts: number | null;
  authors: number | null;
  compared_days: number;
  names: { name: string }[] | null;
};

test('each day has its names with shares of authors, newest day first; each post of two searches counts once', async () => {
  const token = await stand.token('read');
  const reply = await app.inject({
    url: '/api/v1/topics/pier/emerging?days=9',
    headers: { authorization: `Bearer ${token}` },
  });
  expect(reply.statusCode).toBe(200);
  const days: Day[] = reply.json().items;
  expect(days.map(({ day }) => day)).toEqual(
    Array.from({ length: 9 }, (_, i) => new Date(Date.UTC(2026, 10, 30 - i)).toISOString()),
  );
  const spoken = days.filter(({ names }) => (names ?? []).some(({ name }) => name === 'Ida Ekstad'));
  expect(spoken.map(({ day }) => day.slice(8, 10))).toEqual(['26']);
  for (const { posts, authors } of days) expect(posts).toBe(authors);
  expect(days.find(({ day }) => day.startsWith('2026-11-25'))?.posts).toBe(24);
  expect(days.at(-1)).toMatchObject({ compared_days: 1 });
  const all = await app.inject({
    url: '/api/v1/topics/pier/emerging?days=14',
    headers: { authorization: `Bearer ${token}` },
  });
  expect(all.json().items.at(-1)).toMatchObject({
    posts: null,
    authors: null,
    compared_days: 0,
    names: null,
  });
});
