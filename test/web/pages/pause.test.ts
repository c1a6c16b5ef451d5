/** Stop and go on the pages: a search, a topic, everything; at once, and until a time. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { changeTopic } from '../../../src/monitor/topics/search-state.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { type StubService, startStub } from '../../stub-service.ts';
import { homeOf } from '../../cli/stand.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let stub: StubService;
let world: World;
let app: App;
let person: Person;

// The clock stands at noon of a Saturday, and a visitor without a script reads UTC.
beforeAll(async () => {
  stub = await startStub();
  world = await makeWorld({ hosted: stub.url });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
  for (const slug of ['ferry', 'tram'])
    await createSearch(world.ctx, {
      slug: `${slug}-posts`,
      topic: slug,
      operation: 'microblog',
      prompt: slug,
      every: '15m',
    });
});
afterAll(async () => {
  await app.close();
  await world.close();
  await stub.close();
});
beforeEach(async () => {
  for (const slug of ['ferry', 'tram']) await changeTopic(world.ctx, slug, 'resume');
});

const UNTIL = 'paused until Fri, 27 Nov, 09:00';

test.each(['/topics/ferry', '/searches/ferry-posts'])(
  '%s is paused until a time, and says so',
  async (place) => {
    expect((await person.get(place)).html).toContain(`href="${place}/pause"`);
    expect((await person.get(`${place}/pause`)).html).toContain('name="until"');
    const { to, html } = await person.follow(`${place}/pause`, { until: 'friday 9:00' });
    expect(to).toBe(place);
    expect(textOf(html)).toContain(UNTIL);
    expect(textOf((await person.get('/')).html)).toContain(UNTIL);
    const resumed = await person.follow(`${place}/resume`);
    expect(textOf(resumed.html)).not.toContain('paused until');
  },
);

test('everything is paused and resumed on System, and the overview says so', async () => {
  const { to, html } = await person.follow('/pause', { until: 'friday 9:00' });
  expect(to).toBe('/system');
  expect(textOf(html)).toContain('2 searches paused with all searches until Fri, 27 Nov, 09:00.');
  expect(textOf((await person.get('/')).html)).toContain('2 searches paused with all searches');
  const resumed = await person.follow('/resume');
  expect(textOf(resumed.html)).not.toContain('paused with all searches');
  expect(resumed.html).toContain('action="/pause"');
});

test.each(['/pause', '/topics/ferry/pause', '/searches/ferry-posts/pause'])(
  'an end that is no time, or over, is shown at its field of %s again, and nothing is paused',
  async (url) => {
    for (const [until, expected] of [
      ['later', 'a duration of at most 3660d'],
      ['2020-01-01', 'a time after now'],
    ] as const) {
      const { status, html } = await person.post(url, { until });
      expect(status).toBe(400);
      expect(html).toContain(`value="${until}"`);
      expect(textOf(html)).toContain(expected);
    }
    expect(textOf((await person.get('/')).html)).not.toContain('paused');
  },
);

test('the API pauses until a time; a body is not needed', async () => {
  const post = async (path: string, payload?: object) => {
    const { statusCode, body } = await app.inject({
      method: 'POST',
      url: `/api/v1/${path}`,
      ...(payload && { payload }),
    });
    return { status: statusCode, body: JSON.parse(body) as Record<string, unknown> };
  };
  expect(await post('topics/ferry/pause', { until: '2h' })).toMatchObject({
    status: 200,
    body: { status: 'paused', paused_until: '2026-11-21T14:00:00.000Z' },
  });
  expect(await post('pause')).toMatchObject({
    status: 200,
    body: { searches: ['tram-posts'], still_paused: 1, paused_until: null },
  });
  expect(await post('resume')).toMatchObject({ body: { searches: ['tram-posts'], still_paused: 1 } });
  expect(await post('searches/tram-posts/pause', { until: 'soon' })).toMatchObject({
    status: 400,
    body: { errors: [{ path: 'body.until', given: 'soon' }] },
  });
  expect(await post('searches/tram-posts/pause', { until: '2020-01-01T00:00Z' })).toMatchObject({
    status: 400,
  });
  expect(await post('pause', { end: '2h' })).toMatchObject({ status: 400 });
});
