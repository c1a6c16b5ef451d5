/** What a person hides as not relevant, on pages: left out, counted, and one click from being shown again. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEB } from '../../../src/app/web-server.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { renameTopic } from '../../../src/monitor/topics/save-topic.ts';
import { fillArchive } from '../../../src/store/archive/index-archive.ts';
import { followStories } from '../../../src/store/stories/follow-stories.ts';
import type { Search } from '../../../src/store/topics/searches.ts';
import { saveFound } from '../../store/finds.ts';
import { openStand } from '../access/stand.ts';
import { type Person, personAt, textOf } from './person.ts';

const stand = await openStand({ hosted: 'http://127.0.0.1:1' });
const { world } = stand;
let person: Person;
const BRIDGE = 'City council votes to close the Harbour Street bridge for two years from January';
const KEEPER = 'The lighthouse keeper of the northern island retires after forty quiet winters at sea';
let post: bigint;

async function newSearch(topic: string): Promise<Search> {
  const search = {
    slug: `${topic}-posts`,
    topic,
    operation: 'microblog',
    prompt: topic,
    every: '1h',
  } as const;
  return (await createSearch(world.ctx, search)).search;
}

beforeAll(async () => {
  person = personAt(await stand.serve(WEB));
  const [pier, quay] = [await newSearch('pier'), await newSearch('quay')];
  await renameTopic(world.ctx, 'pier', { name: 'The pier' });
  await renameTopic(world.ctx, 'quay', { name: 'The quay' });
  await saveFound(world, pier, [{ id: 9, text: 'baseline' }]);
  await saveFound(world, quay, [{ id: 8, text: 'baseline' }]);
  world.clock.advance(1_000);
  await saveFound(world, pier, [
    { id: 1, text: BRIDGE },
    { id: 2, text: `RT @x: ${BRIDGE}` },
    { id: 3, text: KEEPER },
    { id: 4, text: `RT @y: ${KEEPER}` },
  ]);
  await saveFound(world, quay, [{ id: 1, text: BRIDGE }], [], { by: pier });
  while (!(await fillArchive(world.db, { batches: 50 })));
  await followStories(world.db, { batches: 100 });
  world.clock.advance(1_000);
  const { rows } = await world.db.pool.query('SELECT id FROM strandline.posts WHERE text = $1', [BRIDGE]);
  post = rows[0].id;
});
afterAll(() => stand.close());

const texts = async (address: string) => textOf((await person.get(address)).html);

test('a post offers each topic that found it, and says who hides it, with a way back', async () => {
  const address = `/posts/${post}`;
  const before = await texts(address);
  expect(before).toContain('Not relevant for The pier');
  expect(before).toContain('Not relevant for The quay');
  expect(before).toContain('The pier: ×2');
  const hidden = await person.follow('/topics/pier/dismiss', { post: String(post), back: address });
  expect(hidden.to).toBe(address);
  const words = textOf(hidden.html);
  expect(words).toMatch(/Hidden as not relevant for The pier by \S.* on 21 Nov/);
  expect(words).not.toContain('Not relevant for The pier');
  expect(words).toContain('Not relevant for The quay');
  expect(
    textOf((await person.follow('/topics/pier/restore', { post: String(post), back: address })).html),
  ).toContain('Not relevant for The pier');
});

test('a way back leads to this server only', async () => {
  for (const back of ['//evil.example', 'https://evil.example', '/\\evil.example', ''])
    expect((await person.post('/topics/pier/restore', { post: String(post), back })).to).toBe(
      '/topics/pier/dismissed',
    );
});

test('lists of a topic have a button for each item, and one form', async () => {
  for (const [kind, most] of [
    ['posts', 5],
    ['discoveries', 3],
  ] as const) {
    const { html } = await person.get(`/topics/pier/${kind}?range=all`);
    expect(html.match(/<form[^>]* action="\/topics\/pier\/dismiss"/g)).toHaveLength(1);
    expect(html.match(/form="dismiss"/g)).toHaveLength(most);
    expect(html).toContain(`name="post" value="${post}"`);
  }
});

test('a match of Explore has a button for each topic that found it, or for the one of the search', async () => {
  const buttons = (html: string) =>
    [...html.matchAll(/<button[^>]*class="quiet dismiss"[^>]*>/g)].map(
      ([button]) => /formaction="([^"]*)"[^>]*aria-label="([^"]{0,30})/.exec(button)?.slice(1, 3) ?? [],
    );
  const { html } = await person.get('/explore?q=lighthouse+OR+council&kind=post');
  expect(html.match(/id="dismiss"/g)).toHaveLength(1);
  const found = buttons(html);
  expect(found).toContainEqual([
    '/topics/pier/dismiss',
    expect.stringContaining('Not relevant for The pier'),
  ]);
  expect(found).toContainEqual([
    '/topics/quay/dismiss',
    expect.stringContaining('Not relevant for The quay'),
  ]);
  expect(found).toContainEqual([
    '/topics/pier/dismiss',
    expect.stringContaining('Not relevant: The lightho'),
  ]);
  const ofQuay = buttons((await person.get('/explore?q=lighthouse+OR+council&topic=quay')).html);
  expect(ofQuay).toEqual([['/topics/quay/dismiss', expect.stringContaining('Not relevant: City')]]);
});

test('the overview and Explore count what they leave out, and show it at the same address', async () => {
  expect(await texts('/?range=7d')).toContain('2 new stories');
  await person.follow('/topics/pier/dismiss', { post: String(post), back: '/?range=7d' });

  const overview = await person.get('/?range=7d');
  expect(textOf(overview.html)).toContain('1 new story');
  expect(textOf(overview.html)).toContain(KEEPER);
  expect(textOf(overview.html)).not.toContain(BRIDGE);
  expect(textOf(overview.html)).toContain('1 hidden');
  expect(overview.html).toContain('formaction="/topics/pier/dismiss"');
  const [, hiddenStories = ''] = /href="([^"]*hidden=yes[^"]*)"/.exec(overview.html) ?? [];
  const shown = await texts(hiddenStories.replaceAll('&amp;', '&'));
  expect(shown).toContain(BRIDGE);
  expect(shown).toContain('1 hidden new story');
  expect(shown).not.toContain(KEEPER);
  expect(shown).toContain('Show the others (1)');

  const explored = await person.get('/explore?q=harbour&topic=pier');
  expect(textOf(explored.html)).toContain('Nothing that was found matches');
  expect(textOf(explored.html)).toContain('2 hidden');
  const [, hiddenHits = ''] = /href="([^"]*hidden=yes[^"]*)"/.exec(explored.html) ?? [];
  const hits = await texts(hiddenHits.replaceAll('&amp;', '&'));
  expect(hits).toContain('2 hidden matches');
  expect(hits).not.toContain('Make a rule');
  expect(hits).toContain(BRIDGE);
  // Another topic shows the post, so that a search of all topics has it.
  expect(await texts('/explore?q=harbour')).toContain('1 match');
  expect(await texts('/explore?q=lighthouse')).not.toMatch(/\d hidden/);
  expect(await texts('/topics/pier/posts?range=all')).toContain(
    '1 thing of this topic is hidden as not relevant',
  );
  await person.follow('/topics/pier/restore', { post: String(post), back: '/' });
  expect(await texts('/?range=7d')).toContain('2 new stories');
});

test('nothing is said where nothing is hidden', async () => {
  for (const address of ['/?range=7d', '/explore?q=harbour', '/topics/pier/posts?range=all'])
    expect(await texts(address)).not.toMatch(/\bhidden\b/);
});
