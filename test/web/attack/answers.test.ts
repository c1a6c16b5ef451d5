/** The response of a receiver is shown only to visitors who may see secrets of channels. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { homeOf } from '../../cli/stand.ts';
import { openStand } from '../access/stand.ts';

const stand = await openStand({
  env: { MASTER_KEY: 'of the test, which seals nothing that matters', WEBHOOK_ALLOW: '127.0.0.1' },
});
const { ctx, db } = stand.world;
let app: App;
beforeAll(async () => {
  const { channel } = await createChannel(ctx, { slug: 'ops', webhook: 'http://127.0.0.1:1/' });
  const rule = await createRule(ctx, { slug: 'news', channels: ['ops'] });
  await db.pool.query(
    `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, body, created_at, attempts, answer)
     VALUES ('msg_1', $1, $2, 'dead', '{}', $3, 11, 'inside-the-network')`,
    [channel.id, rule.id, ctx.clock.now()],
  );
  app = await buildHttpServer(homeOf(stand.world), WEB);
});
afterAll(async () => {
  await app.close();
  await stand.close();
});

test.each([
  ['read', false],
  ['write', false],
  ['admin', true],
] as const)('%s', async (scope, shown) => {
  const authorization = `Bearer ${await stand.token(scope)}`;
  for (const url of ['/alerts/deliveries/1', '/api/v1/deliveries/1']) {
    const answer = await app.inject({ url, headers: { authorization } });
    expect([url, answer.statusCode, answer.body.includes('inside-the-network')]).toEqual([url, 200, shown]);
  }
});
