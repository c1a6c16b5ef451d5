/** Pages of rules, channels and deliveries. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { derivePending } from '../../../src/monitor/derive/follower.ts';
import { changeRule, editRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { insertManualRun } from '../../../src/monitor/topics/run-now.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { json, type StubService, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt, textOf } from './person.ts';

let stub: StubService;
let receiver: StubService;
let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  stub = await startStub(json({ miner_tweets: [wirePost('1')] }));
  receiver = await startStub(json({ ok: '<b>thanks</b>' }));
  world = await makeWorld({
    hosted: stub.url,
    env: { WEBHOOK_ALLOW: '127.0.0.1', MASTER_KEY: 'a key of a test, long enough for one' },
  });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
  const { created } = await createTopic(world.ctx, {
    name: 'Ferry',
    searches: [{ operation: 'microblog', prompt: 'ferry', every: '15m' }],
  });
  for (const { firstRunId } of created) await executeRun(world.ctx, firstRunId);
  await derivePending(world.ctx, { settleMs: null });
});
afterAll(async () => {
  await app.close();
  await world.close();
  await receiver.close();
  await stub.close();
});

const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;
const wrongIn = (html: string) =>
  [...html.matchAll(/id="field-(\w+)-wrong"/g)]
    .map(([, name = '']) => name)
    .toSorted((a, b) => a.localeCompare(b));

test('creating a channel shows its secret once', async () => {
  const bad = await person.post('/alerts/channels', { slug: 'Team Chat', webhook: `${receiver.url}/in` });
  expect([bad.status, wrongIn(bad.html)]).toEqual([400, ['slug']]);
  const nowhere = await person.post('/alerts/channels', { slug: 'team', webhook: 'ftp://x' });
  expect([nowhere.status, wrongIn(nowhere.html)]).toEqual([400, ['webhook']]);
  expect(nowhere.html).toContain('value="team"');

  const made = await person.post('/alerts/channels', {
    slug: 'team',
    webhook: `${receiver.url}/in?key=hush`,
  });
  expect(made.status).toBe(200);
  const secret = /whsec_[\w+/=]+/.exec(made.html)?.[0] ?? '';
  expect(secret.length).toBeGreaterThan(30);
  const again = await person.get('/alerts/channels/team');
  expect(textOf(again.html)).toContain('Sends to');
  expect(again.html).not.toContain(secret);
  expect(again.html, 'an address may be a secret').not.toContain('hush');
  const taken = await person.post('/alerts/channels', { slug: 'team', webhook: `${receiver.url}/other` });
  expect([taken.status, wrongIn(taken.html)]).toEqual([409, ['slug']]);
  const rotated = await person.post('/alerts/channels/team/secret');
  expect(/whsec_[\w+/=]+/.exec(rotated.html)?.[0]).not.toBe(secret);
  expect(textOf((await person.get('/alerts/channels/team')).html)).toContain('Previous secret');
});

test('a test message shows the escaped response', async () => {
  receiver.requests.length = 0;
  const { html, status } = await person.post('/alerts/channels/team/test');
  expect(status).toBe(200);
  expect(textOf(html)).toContain('Delivered (HTTP 200)');
  expect(html).not.toContain('<b>thanks');
  expect(receiver.requests).toMatchObject([{ path: '/in?key=hush', body: { type: 'strandline.test' } }]);
  receiver.answers(json({}, 500));
  expect(textOf((await person.post('/alerts/channels/team/test')).html)).toContain('Rejected: ');
  receiver.answers(json({}));
});

test('the address of a channel can be changed; its page shows only the host', async () => {
  const wrong = await person.post('/alerts/channels/team/edit', { webhook: 'ftp://x' });
  expect([wrong.status, wrongIn(wrong.html)]).toEqual([400, ['webhook']]);
  const moved = await person.post('/alerts/channels/team/edit', { webhook: `${receiver.url}/new?key=moved` });
  expect(moved).toMatchObject({ status: 303 });
  receiver.requests.length = 0;
  await person.post('/alerts/channels/team/test');
  expect(receiver.requests).toMatchObject([{ path: '/new?key=moved' }]);
  expect((await person.get('/alerts/channels/team')).html).not.toContain('key=moved');
});

test('a rule is created, edited, paused and removed; problems are at their fields and input is kept', async () => {
  const wrong = await person.post('/alerts/rules', {
    name: 'My rule',
    slug: 'My rule',
    filter: '"open',
    cooldown: 'soon',
    watches: 'topic:ferry',
  });
  expect(wrong.status).toBe(400);
  expect(wrongIn(wrong.html)).toEqual(['channels', 'cooldown', 'filter', 'on', 'slug']);
  const rest = await person.post('/alerts/rules', { name: 'My rule', filter: '"open', cooldown: 'soon' });
  expect(wrongIn(rest.html)).toEqual(['channels', 'cooldown', 'filter', 'on']);
  expect(rest.html).toContain('value="&quot;open"');

  const rule = {
    name: 'Ferry <b>',
    on: ['post', 'spike'],
    watches: 'topic:ferry',
    filter: 'ferry -late',
    cooldown: '15m',
    channels: 'team',
  };
  expect(await person.post('/alerts/rules', rule)).toMatchObject({
    status: 303,
    to: '/alerts/rules/ferry-b/past',
  });
  expect(
    await rows(
      `SELECT name, topic, kinds, filter, cooldown_seconds, channels FROM strandline_analytics.rules WHERE slug <> 'system'`,
    ),
  ).toEqual([
    {
      name: 'Ferry <b>',
      topic: 'ferry',
      kinds: ['post', 'spike'],
      filter: 'ferry -late',
      cooldown_seconds: 900,
      channels: ['team'],
    },
  ]);
  const shown = await person.get('/alerts/rules/ferry-b');
  expect(shown.html).toMatch(/value="topic:ferry" selected/);
  expect(shown.html).toMatch(/value="15m" selected/);
  expect(shown.html).not.toContain('Ferry <b>');
  expect(wrongIn((await person.post('/alerts/rules', { ...rule, name: 'ferry b' })).html)).toEqual(['slug']);

  await person.post('/alerts/rules/ferry-b', {
    ...rule,
    name: 'Ferry',
    watches: '',
    filter: '',
    cooldown: '0',
  });
  expect(
    await rows(
      `SELECT name, topic, filter, cooldown_seconds FROM strandline_analytics.rules WHERE slug = 'ferry-b'`,
    ),
  ).toEqual([{ name: 'Ferry', topic: null, filter: '', cooldown_seconds: 0 }]);
  const bad = await person.post('/alerts/rules/ferry-b', { ...rule, name: '', channels: [] });
  expect([bad.status, wrongIn(bad.html)]).toEqual([400, ['channels', 'name']]);

  await person.post('/alerts/rules/ferry-b/pause');
  expect(await rows(`SELECT state FROM strandline_analytics.rules WHERE slug = 'ferry-b'`)).toEqual([
    { state: 'paused' },
  ]);
  await person.post('/alerts/rules/ferry-b/resume');
  expect(await rows(`SELECT state FROM strandline_analytics.rules WHERE slug = 'ferry-b'`)).toEqual([
    { state: 'active' },
  ]);
});

test('a rule that cannot be saved keeps its scope, also if that was removed', async () => {
  await createTopic(world.ctx, {
    name: 'Lighthouse',
    service: 'hosted',
    searches: [{ operation: 'microblog', prompt: 'lighthouse', every: '15m' }],
  });
  const wrong = { name: 'Wrong', on: 'post', filter: '"open', channels: 'team', cooldown: '0' };
  const shownAfter = async (watches: string) => {
    const { status, html } = await person.post('/alerts/rules', { ...wrong, watches });
    expect([status, wrongIn(html)]).toEqual([400, ['filter']]);
    return /<option value="([^"]*:[^"]*)" selected[^>]*>([^<]*)/.exec(html)?.slice(1);
  };
  expect(await shownAfter('topic:ferry')).toEqual(['topic:ferry', 'topic Ferry']);
  expect(await shownAfter('topic:lighthouse')).toEqual(['topic:lighthouse', 'topic Lighthouse']);
  expect(await shownAfter('search:lighthouse-posts')).toEqual([
    'search:lighthouse-posts',
    'search Lighthouse: Posts',
  ]);
  await person.post('/topics/lighthouse/remove');
  expect(await shownAfter('topic:lighthouse')).toEqual(['topic:lighthouse', 'topic lighthouse (removed)']);
  expect(await shownAfter('topic:purged'), 'not even kept').toEqual([
    'topic:purged',
    'topic purged (removed)',
  ]);
  expect(await person.get('/alerts/rules/new?topic=purged')).toMatchObject({ status: 404 });
});

test('what was removed while a rule was written is a problem of its field, and input is kept', async () => {
  const rule = { name: 'Kept', on: 'post', channels: 'team', cooldown: '0' };
  for (const url of ['/alerts/rules', '/alerts/rules/ferry-b'])
    for (const [changed, field] of [
      [{ watches: 'topic:lighthouse' }, 'watches'],
      [{ watches: 'search:lighthouse-posts' }, 'watches'],
      [{ watches: 'topic:purged' }, 'watches'],
      [{ channels: ['team', 'gone'] }, 'channels'],
    ] as const) {
      const { status, html } = await person.post(url, { ...rule, ...changed });
      expect([status, wrongIn(html)], `${url} ${JSON.stringify(changed)}`).toEqual([409, [field]]);
      expect(html).toContain('value="Kept"');
    }
  expect(await person.post('/alerts/rules/nothing', rule)).toMatchObject({ status: 404 });
});

test('a rule on a removed topic or search says so, and everything else of it can be changed', async () => {
  await createTopic(world.ctx, {
    name: 'Beacon',
    searches: [{ operation: 'microblog', prompt: 'beacon', every: '15m' }],
  });
  const rule = { on: 'post', filter: '', channels: 'team', cooldown: '0' };
  const scopes = ['topic:beacon', 'search:beacon-posts'];
  for (const [i, watches] of scopes.entries()) {
    await person.post('/alerts/rules', { ...rule, name: 'Beacon', slug: `beacon-${i}`, watches });
    expect((await person.get(`/alerts/rules/beacon-${i}`)).html).not.toContain('removed');
    expect((await person.get(`/api/v1/rules/beacon-${i}`)).html).toContain('"scope_removed_at":null');
  }
  await person.post('/topics/beacon/remove');
  for (const [i, watches] of scopes.entries()) {
    const url = `/alerts/rules/beacon-${i}`;
    const { html } = await person.get(url);
    expect(html).toContain(`value="${watches}" selected`);
    expect(textOf(html)).toMatch(/The (?:topic|search) was removed on \S+\. This rule finds nothing new/);
    expect((await person.get(`/api/v1/rules/beacon-${i}`)).html).toMatch(/"scope_removed_at":"\d{4}-/);
    expect(await person.post(url, { ...rule, name: 'Renamed', watches })).toMatchObject({ status: 303 });
    const other = scopes[1 - i] ?? '';
    const refused = await person.post(url, { ...rule, name: 'Renamed', watches: other });
    expect([refused.status, wrongIn(refused.html)], other).toEqual([409, ['watches']]);
  }
  expect(
    await rows(
      "SELECT name, topic, search FROM strandline_analytics.rules WHERE slug LIKE 'beacon-%' ORDER BY slug",
    ),
  ).toEqual([
    { name: 'Renamed', topic: 'beacon', search: null },
    { name: 'Renamed', topic: 'beacon', search: 'beacon-posts' },
  ]);
  for (const i of scopes.keys()) await person.post(`/alerts/rules/beacon-${i}/remove`);
});

test('the preview of a rule shows past messages and sends nothing', async () => {
  stub.answers(json({ miner_tweets: [wirePost('2', { text: 'ferry <img src=x>' }), wirePost('3')] }));
  const { runId } = await insertManualRun(world.ctx, 'ferry-posts');
  await executeRun(world.ctx, runId);
  await derivePending(world.ctx, { settleMs: null });
  world.clock.advance(60_000);
  receiver.requests.length = 0;
  const { html, status } = await person.get('/alerts/rules/ferry-b/past');
  expect(status).toBe(200);
  expect(textOf(html)).toContain('2 new items in all');
  expect(textOf(html)).toContain('in 14 days');
  expect(html).not.toContain('<img src=x');
  expect(receiver.requests).toEqual([]);
  expect((await person.get('/alerts/rules/ferry-b/past?days=1000')).status).toBe(400);
});

test('deliveries are listed by state and channel, shown in full, and resent if they failed', async () => {
  const [{ rule, channel, run }] = await rows(
    `SELECT (SELECT id FROM strandline.rules WHERE archived_at IS NULL AND slug <> 'system') AS rule, (SELECT id FROM strandline.channels) AS channel,
       (SELECT max(id) FROM strandline.runs) AS run`,
  );
  const [{ id }] = await rows(
    `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, run_id, state, body, created_at, made_at, attempts,
       last_attempt_at, http_status, code, answer, reason)
     VALUES ('msg_1', $1, $2, $3, 'dead', '{"text":"<script>x</script>"}', now(), now(), 8, now(), 500, 'http_status',
       '<b>no</b>', null) RETURNING id`,
    [channel, rule, run],
  );
  const list = await person.get('/alerts/deliveries?state=dead&channel=team');
  expect(list.html).toContain(`href="/alerts/deliveries/${id}"`);
  expect((await person.get('/alerts/deliveries?state=delivered')).html).not.toContain(
    `href="/alerts/deliveries/${id}"`,
  );
  const { html } = await person.get(`/alerts/deliveries/${id}`);
  expect(textOf(html)).toContain('"text": "<script>x</script>"');
  expect(html).not.toContain('<script>x');
  expect(html).not.toContain('<b>no');
  expect(await person.post(`/alerts/deliveries/${id}/resend`)).toMatchObject({ status: 303 });
  expect(await rows('SELECT state FROM strandline.deliveries WHERE id = $1', [id])).toEqual([
    { state: 'pending' },
  ]);
  expect(await person.post(`/alerts/deliveries/${id}/resend`), 'no longer dead').toMatchObject({
    status: 409,
  });
  expect(textOf((await person.get('/alerts')).html)).toContain('Last deliveries');
  expect(await person.get('/alerts/deliveries/999')).toMatchObject({ status: 404 });
});

test('a form of a rule that was opened before another edit does not undo it, unless it is saved again', async () => {
  const rule = { name: 'Both', on: 'post', watches: '', filter: 'pier', cooldown: '0', channels: 'team' };
  await person.post('/alerts/rules', rule);
  const read = async () => {
    const { html } = await person.get('/alerts/rules/both');
    return /name="opened" value="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? 'none';
  };
  const opened = await read();
  await editRule(world.ctx, 'both', { filter: 'quay' });
  const saved = () => rows(`SELECT filter FROM strandline_analytics.rules WHERE slug = 'both'`);
  const refused = await person.post('/alerts/rules/both', { ...rule, opened });
  expect([refused.status, await saved()]).toEqual([409, [{ filter: 'quay' }]]);
  expect(textOf(refused.html)).toContain(
    'save again to replace it: "Both" about post of all searches, filter "quay", cooldown 0, no limit, quiet never UTC, to team',
  );
  await person.post('/alerts/rules/both', { ...rule, opened: await read() });
  expect(await saved()).toEqual([{ filter: 'pier' }]);
  await changeRule(world.ctx, 'both', 'remove');
});

test('a rule whose last channel was removed is saved with another one', async () => {
  await person.post('/alerts/channels', { slug: 'gone', webhook: `${receiver.url}/gone` });
  const rule = { name: 'Left', on: 'post', watches: '', filter: '', cooldown: '0', channels: 'gone' };
  await person.post('/alerts/rules', rule);
  await person.post('/alerts/channels/gone/remove');
  const { html } = await person.get('/alerts/rules/left');
  const opened = /name="opened" value="([^"]*)"/.exec(html)?.[1]?.replaceAll('&quot;', '"') ?? 'none';
  expect(opened).toContain('to no channel');
  expect(await person.post('/alerts/rules/left', { ...rule, channels: 'team', opened })).toMatchObject({
    status: 303,
  });
  await changeRule(world.ctx, 'left', 'remove');
});

test('channels pause and resume, with or without what was found meanwhile; removal asks for confirmation', async () => {
  await person.post('/alerts/channels/team/pause');
  const { html } = await person.get('/alerts/channels/team');
  expect(html).toContain('Resume and skip what was found meanwhile');
  const readWaiting = () =>
    rows("SELECT id FROM strandline.deliveries WHERE state IN ('gathering', 'pending') ORDER BY id");
  const waiting = await readWaiting();
  expect(waiting.length).toBeGreaterThan(0);
  const resumed = await person.follow('/alerts/channels/team/resume', { skip: 'yes' });
  expect(textOf(resumed.html)).toContain('Resumed. Waiting messages are sent.');
  expect(await rows("SELECT state FROM strandline_analytics.channels WHERE slug = 'team'")).toEqual([
    { state: 'active' },
  ]);
  expect(await readWaiting()).toEqual(waiting);
  expect(textOf((await person.get('/alerts/rules/ferry-b/remove')).html)).toContain('Cancel');
  expect(textOf((await person.get('/alerts/channels/team/remove')).html)).toContain(
    `cancels messages not sent yet (${waiting.length} waiting)`,
  );
  await person.post('/alerts/rules/ferry-b/remove');
  expect(await person.get('/alerts/rules/ferry-b')).toMatchObject({ status: 404 });
  expect(textOf((await person.get('/alerts/channels/team/remove')).html)).toContain(
    'Deletes its address and secret',
  );
  await person.post('/alerts/channels/team/remove');
  expect(await readWaiting()).toEqual([]);
  expect(await person.get('/alerts/channels/team')).toMatchObject({ status: 404 });
});

test('alert forms are refused without a form token', async () => {
  const before = await rows(
    'SELECT (SELECT count(*) FROM strandline.channels) AS channels, (SELECT count(*) FROM strandline.rules) AS rules',
  );
  for (const url of [
    '/alerts/channels',
    '/alerts/rules',
    ...['test', 'secret', 'resend', 'pause', 'resume', 'remove'].map(
      (what) => `/alerts/channels/team/${what}`,
    ),
    ...['pause', 'resume', 'remove'].map((what) => `/alerts/rules/ferry-b/${what}`),
    '/alerts/rules/ferry-b',
    '/alerts/deliveries/1/resend',
  ])
    expect(await person.forge(url, { slug: 'forged', webhook: receiver.url }), url).toMatchObject({
      status: 403,
    });
  expect(
    await rows(
      'SELECT (SELECT count(*) FROM strandline.channels) AS channels, (SELECT count(*) FROM strandline.rules) AS rules',
    ),
  ).toEqual(before);
});
