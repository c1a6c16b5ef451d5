/** Notes of a topic: on its page, in the API, in SQL; and "not relevant" on its pages. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { HOUR } from '../../../src/lib/time.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { finishPurge, requestPurge } from '../../../src/monitor/topics/purge-topic.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { followStories } from '../../../src/store/stories/follow-stories.ts';
import type { Search } from '../../../src/store/topics/searches.ts';
import { homeOf } from '../../cli/stand.ts';
import { saveFound } from '../../store/finds.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt } from './person.ts';

const TEXT = 'City council votes to close the Harbour Street bridge for two years from January';
let world: World;
let app: App;
let person: Person;
let search: Search;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
  const asked = {
    slug: 'bridge-posts',
    topic: 'bridge',
    operation: 'microblog',
    prompt: 'bridge',
    every: '1h',
  } as const;
  search = (await createSearch(world.ctx, asked)).search;
  await rows('DELETE FROM strandline.runs');
  await saveFound(world, search, [{ id: 1, text: TEXT }, { id: 2, text: `RT @x: ${TEXT}` }, { id: 3 }]);
  await followStories(world.db, { batches: 5 });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
});
afterAll(async () => {
  await app?.close();
  await world.close();
});
const rows = async (sql: string) => (await world.db.pool.query(sql)).rows;

test('a note stands on the chart of its topic and in its table, is edited and removed, and its text is never code', async () => {
  const at = new Date(Math.floor(world.clock.now().getTime() / HOUR) * HOUR - HOUR);
  const local = at.toISOString().slice(0, 16);
  const form = await person.get(`/topics/bridge/notes?at=${at.toISOString()}`);
  expect(form.html).toContain(`value="${local}"`);

  const hostile = `<img src=x onerror=alert(1)> "campaign"\u202e started`;
  const added = await person.follow('/topics/bridge/notes', { at: local, text: ` ${hostile} ` });
  expect(added.to).toBe('/topics/bridge/notes');
  const { html } = await person.get('/topics/bridge?range=7d');
  for (const page of [added.html, html]) {
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202e');
    expect(page).toContain('&lt;img src=x onerror=alert(1)>');
  }
  // The mark, its list, and the row of its hour.
  expect(html).toMatch(/data-mark="note"/);
  expect(html).toMatch(/<th scope="row">(?:(?!<\/th>).)*Note: &lt;img/s);
  expect(html).toContain('href="/topics/bridge/notes">1 note</a>');

  const [{ id }] = await rows('SELECT id FROM strandline_analytics.topic_notes');
  await person.follow('/topics/bridge/notes', { edit: String(id), at: local, text: 'Campaign started' });
  expect(
    await rows(
      'SELECT topic, text, at, added_by, edited_at IS NOT NULL AS edited FROM strandline_analytics.topic_notes',
    ),
  ).toEqual([{ topic: 'bridge', text: 'Campaign started', at, added_by: 'this machine', edited: true }]);
  for (const [text, words] of [
    ['', 'a text of 1 to 280 characters'],
    ['x'.repeat(281), 'a text of 1 to 280 characters'],
  ] as const) {
    const refused = await person.post('/topics/bridge/notes', { at: local, text });
    expect([refused.status, refused.html.includes(words)]).toEqual([400, true]);
  }
  expect((await person.post('/topics/bridge/notes', { at: 'soon', text: 'x' })).html).toContain(
    'a date and time',
  );
  expect((await person.forge('/topics/bridge/notes/remove', { note: String(id) })).status).toBe(403);
  await person.follow('/topics/bridge/notes/remove', { note: String(id) });
  expect(await rows('SELECT id FROM strandline.topic_notes')).toEqual([]);
  expect(
    (await rows(`SELECT action FROM strandline.audit_log WHERE action LIKE 'topic.note%' ORDER BY id`)).map(
      ({ action }) => action,
    ),
  ).toEqual(['topic.note_added', 'topic.note_changed', 'topic.note_removed']);
});

test('a story is hidden from its page and from a list, and shown again, without scripts', async () => {
  const [{ id, first_item_id: post }] = await rows('SELECT * FROM strandline_analytics.stories');
  const list = (await person.get('/topics/bridge/stories')).html;
  expect(list).toContain(TEXT);
  expect(list).toMatch(new RegExp(`<button type="submit" form="dismiss"[^>]* name="post" value="${post}"`));
  const hidden = await person.follow('/topics/bridge/dismiss', {
    post: String(post),
    back: `/stories/${id}`,
  });
  expect(hidden.to).toBe(`/stories/${id}`);
  expect(hidden.html).toContain('Hidden as not relevant by');
  for (const path of ['/topics/bridge/stories', '/topics/bridge?range=7d', '/topics/bridge/posts']) {
    const { html } = await person.get(path);
    expect(html, path).not.toContain(TEXT);
    expect(html, path).toContain('href="/topics/bridge/dismissed">Show them</a>');
  }
  expect((await person.get('/topics/bridge/dismissed')).html).toContain(TEXT);
  await person.follow('/topics/bridge/restore', { post: String(post), back: '/topics/bridge/stories' });
  expect((await person.get('/topics/bridge/stories')).html).toContain(TEXT);
});

test('the API adds, lists, edits and removes notes; a purge of the topic deletes them', async () => {
  const send = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) => {
    const answer = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        'x-strandline': 'test',
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    return { status: answer.statusCode, body: JSON.parse(answer.body) };
  };
  const added = await send('POST', '/topics/bridge/notes', { text: 'Press release' });
  expect(added).toMatchObject({
    status: 201,
    body: { topic: 'bridge', text: 'Press release', edited_at: null },
  });
  const { id, at } = added.body;
  expect(await send('PATCH', `/notes/${id}`, { text: 'Press release, second' })).toMatchObject({
    body: { at, text: 'Press release, second' },
  });
  expect((await send('GET', '/topics/bridge/notes')).body.notes).toHaveLength(1);
  expect((await send('DELETE', `/notes/${id}`)).status).toBe(200);
  expect((await send('DELETE', `/notes/${id}`)).status).toBe(404);
  await send('POST', '/topics/bridge/notes', { text: 'Another' });
  await finishPurge(world.db, await requestPurge(world.ctx, { kind: 'topic', slug: 'bridge' }));
  expect(await rows('SELECT count(*)::int AS n FROM strandline.topic_notes')).toEqual([{ n: 0 }]);
});
