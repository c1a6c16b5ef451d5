/** Where a person reads, topics and searches have their names; slugs are in addresses only. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WEB } from '../../../src/app/web-server.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { openStand } from '../access/stand.ts';
import { type Person, personAt, textOf } from './person.ts';

const stand = await openStand();
let person: Person;
beforeAll(async () => {
  person = personAt(await stand.serve(WEB));
  await createTopic(stand.world.ctx, {
    name: 'Night ferry',
    slug: 'topic-slug',
    searches: [{ slug: 'search-slug', operation: 'microblog', prompt: 'ferry', every: '15m' }],
  });
});
afterAll(() => stand.close());

const TOPIC = '/topics/topic-slug';
const SEARCH = '/searches/search-slug';
test.each([
  '/',
  TOPIC,
  `${TOPIC}?range=7d`,
  `${TOPIC}/posts`,
  `${TOPIC}/links`,
  `${TOPIC}/discoveries`,
  `${TOPIC}/stories`,
  `${TOPIC}/sources`,
  `${TOPIC}/names`,
  `${TOPIC}/pause`,
  `${SEARCH}/posts`,
  `${SEARCH}/discoveries`,
  `${SEARCH}/completions`,
  `${SEARCH}/remove`,
  '/runs',
  '/runs/1',
  '/compare',
  '/alerts',
])('%s', async (address) => {
  const { status, html } = await person.get(address);
  expect(status).toBe(200);
  expect(html).toContain('-slug');
  expect(textOf(html)).toContain('Night ferry');
  // A short name can be changed where it is a field, which is no text.
  expect(textOf(html).replaceAll(/Short name \S+/g, '')).not.toMatch(/(?:topic|search)-slug/);
});
