/** Keys that are made by `service key create`, asked of the service as it runs. */
import { afterAll, expect, test, vi } from 'vitest';
import { makeKey } from '../../src/platform/keys.ts';
import { revokeKey } from '../../src/monitor/access/manage-tokens.ts';
import { accessServices } from '../../src/app/service-access.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { insertToken, readTokens, SERVICE_SCOPE } from '../../src/store/access/tokens.ts';
import { makeWorld } from '../world.ts';

const world = await makeWorld({ env: { SERVICE_PORT: '0', SERVICE_SOURCES: 'sandbox' } });
const { ctx, db, clock } = world;
const services = accessServices({ config: ctx.config, clock, log: ctx.log, open: true, db });
afterAll(async () => {
  await services.close();
  await world.close();
});

test('a created key opens the service and is marked as used; an API token and a revoked key are rejected', async () => {
  const { url } = await services.local();
  const ask = async (authorization: string) => {
    const response = await fetch(`${url}/search/ai/search/links/microblog`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'ferry', model: 'NOVA' }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const made = { name: 'x', expires_at: null, now: clock.now() };
  const key = makeKey('sk');
  const token = makeKey('st');
  await inTransaction(db, async (tx) => {
    await insertToken(tx, { ...made, prefix: key.id, hash: key.hash, scopes: [SERVICE_SCOPE] });
    await insertToken(tx, { ...made, prefix: token.id, hash: token.hash, scopes: ['admin'] });
  });
  const lastUse = async () => (await readTokens(db, 'service', { limit: 1 }))[0]?.last_used_at;

  expect(await ask(token.key)).toBe(401);
  expect(await lastUse()).toBeNull();
  expect(await ask(key.key)).toBe(200);
  await vi.waitFor(async () => expect(await lastUse()).toEqual(clock.now()));
  await revokeKey(world.ctx, 'service', key.id);
  clock.advance(11_000);
  expect(await ask(key.key)).toBe(401);
});
