/** What a read-only visitor is offered: nothing that would be refused. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../../src/monitor/http/route-types.ts';
import type { Scope } from '../../../src/monitor/access/visitor-scopes.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { createTopic } from '../../../src/monitor/topics/save-topic.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { openStand } from '../access/stand.ts';
import { textOf } from './person.ts';

const stand = await openStand({
  env: { WEBHOOK_ALLOW: '127.0.0.1', MASTER_KEY: 'a key of a test, long enough for one' },
});
let app: App;
beforeAll(async () => {
  const { ctx } = stand.world;
  app = await stand.serve(WEB);
  await createTopic(ctx, {
    name: 'Ferry',
    service: 'sandbox',
    searches: [{ slug: 'ferry', operation: 'microblog', prompt: 'ferry', every: '15m' }],
  });
  await createChannel(ctx, { slug: 'team', webhook: 'http://127.0.0.1:9/x' });
  await createRule(ctx, { slug: 'all', name: 'All', on: ['post'], channels: ['team'] });
});
afterAll(() => stand.close());

async function seenBy(url: string, ...scopes: Scope[]) {
  const authorization = `Bearer ${await stand.token(...scopes)}`;
  const { statusCode, body } = await app.inject({ url, headers: { authorization } });
  return { status: statusCode, html: body };
}

/** What only others may do: forms that change something, and ways to such forms. */
const OFFERS =
  /type="submit" class="(?:main|plain|danger|quiet)"|href="[^"]*\/(?:new|edit|remove)(?:\?[^"]*)?"/g;

test.each([
  '/',
  '/alerts',
  '/alerts/rules/all',
  '/alerts/channels/team',
  '/topics/ferry',
  '/searches/ferry',
  '/system',
])('%s offers only actions that the visitor is allowed to take', async (url) => {
  expect((await seenBy(url, 'read')).html.match(OFFERS)).toBeNull();
  expect((await seenBy(url, 'admin')).html.match(OFFERS)?.length).toBeGreaterThan(0);
});

test('testing a channel, which shows the response of its receiver, is offered and allowed to admins only', async () => {
  const url = '/alerts/channels/team/test';
  expect((await seenBy('/alerts/channels/team', 'admin')).html).toContain(`action="${url}"`);
  const { html } = await seenBy('/alerts/channels/team', 'write');
  expect(html).not.toContain(`action="${url}"`);
  expect(html).toContain('action="/alerts/channels/team/pause"');
  const authorization = `Bearer ${await stand.token('write')}`;
  const refused = await app.inject({ method: 'POST', url, headers: { authorization } });
  expect([refused.statusCode, textOf(refused.body)]).toEqual([
    403,
    expect.stringContaining('the scope admin'),
  ]);
});

test('a search without matches offers to watch the words, if allowed', async () => {
  const url = '/explore?q=nowhere';
  expect((await seenBy(url, 'read')).html).not.toContain('Watch these words');
  expect((await seenBy(url, 'write')).html).not.toContain('Watch these words');
  expect((await seenBy(url, 'write', 'run')).html).toContain('href="/new?text=nowhere"');
});

test('a forbidden page names all missing scopes and how to get them', async () => {
  const { status, html } = await seenBy('/new', 'read');
  expect(status).toBe(403);
  expect(textOf(html)).toContain('lacks the scopes write and run');
  expect(textOf(html)).toContain('strandline token create --name NAME --scope write,run');
  const one = textOf((await seenBy('/alerts/rules/new', 'read')).html);
  expect(one).toContain('lacks the scope write');
  expect(one).toContain('--scope write .');
});
