/** Briefs on pages and in the API: marked, with numbers that lead to what they cite, and nothing of it without a model. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/time.ts';
import { writeBriefs } from '../../../src/monitor/briefs/write-briefs.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { homeOf } from '../../cli/stand.ts';
import { createStandInBriefWriter } from '../../stand-in-brief-writer.ts';
import { saveFound } from '../../store/finds.ts';
import { makeWorld, START, type World } from '../../world.ts';
import { type Person, personAt } from './person.ts';

const writer = createStandInBriefWriter();
const [FERRY, COURT] = [
  'The ferry <b>is cancelled</b> until Monday',
  'The court ruled against the harbour company',
];

let world: World;
let app: App;
let person: Person;
let spike: bigint;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1', briefWriter: writer });
  const { search } = await createSearch(world.ctx, {
    slug: 'harbour-posts',
    topic: 'harbour',
    operation: 'microblog',
    prompt: 'harbour',
    every: '1h',
  });
  await world.db.pool.query('DELETE FROM strandline.runs');
  await saveFound(world, search, []);
  world.clock.advance(HOUR);
  await saveFound(world, search, [
    { id: 1, text: FERRY },
    { id: 2, text: COURT },
  ]);
  const { rows } = await world.db.pool.query(
    `INSERT INTO strandline.spikes (search_id, run_id, measure, window_start, window_end, n, lower_bound, coverage, mean, sd, usual,
       days, windows, score, threshold, sensitivity, provisional, tz, sentence, at)
     SELECT $1, max(id), 'posts', $2::timestamptz - interval '2 days', $2, 42, false, 1, 9, 3, 10, 14, 300, 9, 4.5, 'normal', false, 'UTC',
       'About four times the usual', $2 FROM strandline.runs WHERE search_id = $1 RETURNING id`,
    [search.id, world.clock.now()],
  );
  spike = rows[0].id;
  world.clock.advance(MINUTE);
  expect(await writeBriefs(world.ctx, new AbortController().signal)).toBe(2);
  app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: WEB.pages });
  person = personAt(app);
});
beforeEach(() => {
  world.ctx.briefWriter = writer;
  world.clock.set(new Date(Date.parse(START) + HOUR + 2 * MINUTE));
});
afterAll(async () => {
  await app?.close();
  await world.close();
});

const show = async (path: string) => {
  const { html } = await person.get(path);
  return { html, blocks: html.match(/<div class="brief">.*?<\/div>/gs) ?? [] };
};
const get = async (path: string) => (await app.inject(`/api/v1${path}`)).json();
const TOPIC = '/topics/harbour?range=7d';

test('on a topic it stands above what changed, marked, with numbers that lead to its posts, and texts are escaped', async () => {
  const { html, blocks } = await show(TOPIC);
  expect(blocks).toHaveLength(1);
  const [block = ''] = blocks;
  expect(block).toContain('It is said: ');
  expect(block).toContain('Written by a language model (<bdi dir="auto">small-1</bdi>), <time');
  expect(block).toContain('of the last 24 hours');
  const numbers = block.matchAll(/<a href="([^"]+)" title="[^"]+">(\d)<\/a>/g);
  expect(Array.from(numbers, ([, href, n]) => [href, n])).toEqual([
    [`/evidence/spike/${spike}`, '1'],
    [expect.stringMatching(/^\/posts\/\d+$/), '2'],
  ]);
  expect(html).not.toContain('<b>is cancelled');
  expect(html.indexOf('id="changed"')).toBeLessThan(html.indexOf('class="brief"'));
  // Never the only content.
  expect(html).toContain('class="spike-sentence"');
  expect(html).toContain('First post');
});

test('a window and the page of a search have that of the spike', async () => {
  const until = Date.parse(START) + HOUR;
  const window = new URLSearchParams({
    from: new Date(until - 20 * HOUR).toISOString(),
    to: new Date(until - 10 * HOUR).toISOString(),
  });
  for (const path of [`${TOPIC}&${window.toString()}`, '/searches/harbour-posts?range=7d']) {
    const { blocks } = await show(path);
    expect(
      blocks.map((block) => [block.includes(`/evidence/spike/${spike}`), block.includes('24 hours')]),
    ).toEqual([[true, false]]);
  }
});

test('the page of a spike begins with it, and its file of evidence does not have it', async () => {
  const { html, blocks } = await show(`/evidence/spike/${spike}`);
  expect(blocks).toHaveLength(1);
  expect(blocks[0]).toContain('not in the file');
  expect(html.indexOf('class="brief"')).toBeLessThan(html.indexOf('id="subject"'));
  expect(JSON.stringify(await get(`/evidence/spike/${spike}`))).not.toContain('It is said');
});

test('the API has it where the topic and the spikes are read', async () => {
  expect((await get('/topics/harbour')).brief).toMatchObject({
    model: 'small-1',
    sentences: [{ sources: [1] }, { sources: [2] }],
    sources: [
      { n: 1, kind: 'spike' },
      { n: 2, kind: 'post' },
    ],
  });
  expect((await get('/trends/spikes')).items).toMatchObject([
    { id: String(spike), brief: { sources: [{ kind: 'spike', id: String(spike) }, { kind: 'post' }] } },
  ]);
});

test('a topic shows none that is a day old', async () => {
  world.clock.advance(DAY);
  expect((await get('/topics/harbour')).brief).toBeNull();
  expect((await show(TOPIC)).html).not.toContain('of the last 24 hours');
});

test('without a model pages have none, and read nothing for it', async () => {
  world.ctx.briefWriter = null;
  // A statement that reads them would fail.
  await world.db.pool.query('ALTER TABLE strandline.briefs RENAME TO unread');
  try {
    for (const path of [TOPIC, '/searches/harbour-posts?range=7d', `/evidence/spike/${spike}`]) {
      const { html, blocks } = await show(path);
      expect([blocks, /spike-sentence|About four times the usual/.test(html)], path).toEqual([[], true]);
    }
    expect((await get('/topics/harbour')).brief).toBeNull();
    expect((await get('/trends/spikes')).items).toMatchObject([{ brief: null }]);
  } finally {
    await world.db.pool.query('ALTER TABLE strandline.unread RENAME TO briefs');
  }
});
