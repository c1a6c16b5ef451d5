/** Which service a new search uses, permanently. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import type { Context, OwnSources } from '../../src/monitor/context.ts';
import { chooseService } from '../../src/monitor/topics/service-choice.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});
afterAll(() => world.close());

function standing(sources: OwnSources, env: Record<string, string> = {}): Context {
  return {
    ...world.ctx,
    kind: 'real',
    config: readConfig(env),
    ownSources: () => Promise.resolve(sources),
  };
}
const inSandbox = (): Context => ({ ...standing('none', hosted), kind: 'sandbox' });
const hosted = { SEARCH_API_URL: 'https://api.example' };

test.each([
  ['a public source responds', () => standing('answering'), undefined, 'own'],
  ['a hosted service is configured', () => standing('answering', hosted), undefined, 'hosted'],
  ['the user selects own, though none responds at the moment', () => standing('unreachable'), 'own', 'own'],
  ['in the sandbox', () => inSandbox(), undefined, 'sandbox'],
  ['the user selects the sandbox in the sandbox', () => inSandbox(), 'sandbox', 'sandbox'],
])('%s', async (_, ctx, asked, kind) => {
  expect(await chooseService(ctx(), asked)).toMatchObject({ name: kind, kind });
});

test.each([
  ['own', () => standing('none'), 'SERVICE_SOURCES'],
  ['hosted', () => standing('answering'), 'SEARCH_API_URL'],
  ['other', () => standing('answering'), 'own or hosted'],
  ['sandbox', () => standing('answering'), '--sandbox'],
  ['own', () => inSandbox(), 'the sandbox has no other service'],
  ['hosted', () => inSandbox(), 'the sandbox has no other service'],
])('%s is refused if it is not available, with what to do', async (asked, ctx, words) => {
  await expect(chooseService(ctx(), asked)).rejects.toThrow(words);
});

test('nothing is simulated unasked: without a reachable source, the own service waits for one', async () => {
  expect(await chooseService(standing('unreachable'), undefined)).toMatchObject({ kind: 'own' });
});

test('public sources are not probed if the service is named or hosted', async () => {
  const ownSources = () => Promise.reject(new Error('looked'));
  const ctx = { ...standing('none', hosted), ownSources };
  await chooseService(ctx, undefined);
  await chooseService({ ...ctx, kind: 'sandbox' }, 'sandbox');
});
