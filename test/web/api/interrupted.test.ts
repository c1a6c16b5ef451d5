/** Requests with an `Idempotency-Key` whose process is killed, or that take longer than they may: nothing happens twice. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildTimeLimit } from '../../../src/api/idempotency-key.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { createRule, findRuleRow } from '../../../src/monitor/alerts/manage-rules.ts';
import { createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { homeOf } from '../../cli/stand.ts';
import { until } from '../../processes.ts';
import { programOf } from '../../programs.ts';
import { gated, json, startStub, wirePost } from '../../stub-service.ts';
import { makeWorld } from '../../world.ts';

const env = { MASTER_KEY: 'of the test, which seals nothing that matters', WEBHOOK_ALLOW: '127.0.0.1' };
const stub = await startStub();
const world = await makeWorld({ hosted: stub.url, env });
// That of the process that is killed.
world.clock.set(new Date());
const { ctx } = world;
const { key: token } = await createToken(ctx, { name: 'of the test', scopes: ['admin'] }, OPERATOR);
const app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] });
const here = await app.listen({ port: 0, host: '127.0.0.1' });
beforeAll(async () => {
  const channel = { slug: 'ops', webhook: `${stub.url}/hook` };
  await createChannel(ctx, channel);
  await createRule(ctx, { slug: 'ferry', preset: 'more', channels: ['ops'] });
});
afterAll(async () => {
  await app.close();
  await stub.close();
  await world.close();
});
beforeEach(() => {
  stub.requests.length = 0;
  stub.answers(json({ miner_tweets: [wirePost('1')] }));
});

const rows = async (sql: string, values: unknown[] = []) =>
  (await world.db.pool.query<Record<string, unknown>>(sql, values)).rows;
const count = async (table: string) =>
  Number((await rows(`SELECT count(*) AS n FROM strandline.${table}`))[0]?.['n']);

let last = 0;
const newKey = () => `key-${(last += 1)}`;

async function send(path: string, { key, body, dies, at = here }: Sent) {
  const response = await fetch(`${at}/api/v1/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': key,
      ...(dies === true ? { 'x-dies': 'yes' } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, replayed: response.headers.get('idempotency-replayed') };
}
type Sent = { key: string; body?: unknown; dies?: true; at?: string };

/** Sends a request to another process, which is killed when it has done everything but reply. */
async function sendAndDie(path: string, request: Sent): Promise<void> {
  const child = fork(programOf('test/web/api/dying-server.ts'), [], {
    execArgv: [],
    env: {
      ...env,
      DATABASE_URL: world.database.url,
      SEARCH_API_URL: stub.url,
      SEARCH_API_KEY: 'k$y-of-the-test',
      SERVICE_SOURCES: 'sandbox',
    },
  });
  const ended = once(child, 'exit');
  const [at] = (await once(child, 'message')) as [string]; // what the program says
  await expect(send(path, { ...request, dies: true, at })).rejects.toThrow();
  expect((await ended)[1]).toBe('SIGKILL');
}

const passLimit = () => world.clock.advance(buildTimeLimit(ctx.config, true) + 1);

/** A search without a queued run. @returns counts its manual runs */
async function addSearch(slug: string): Promise<() => Promise<number>> {
  await createSearch(ctx, { slug, operation: 'microblog', prompt: 'tides', every: '1h' });
  await rows(`UPDATE strandline.runs SET status = 'cancelled', ended_at = now() WHERE status = 'queued'`);
  return () =>
    count(
      `runs WHERE trigger = 'manual' AND search_id = (SELECT id FROM strandline.searches WHERE slug = '${slug}')`,
    );
}

const RUN = ['searches/dies/run', undefined] as const;
test.each([
  ['a run is queued once', RUN, await addSearch('dies')],
  [
    'one token exists',
    ['tokens', { name: 'dies', scopes: ['read'] }],
    () => count(`tokens WHERE name = 'dies'`),
  ],
] as const)(
  'after its process was killed between effect and reply: %s',
  async (_what, [path, body], made) => {
    const key = newKey();
    world.clock.set(new Date());
    await sendAndDie(path, { key, body });
    expect((await send(path, { key, body })).status).toBe(409);
    passLimit();
    const again = await send(path, { key, body });
    expect([again.status, again.replayed], again.text).toEqual([path === RUN[0] ? 202 : 201, null]);
    expect(await made()).toBe(1);
    expect(await send(path, { key, body })).toMatchObject({ status: again.status, replayed: 'true' });
    expect(await made()).toBe(1);
  },
);

test('after its process was killed between effect and reply: a rule sends less by one step', async () => {
  const key = newKey();
  const cooldown = async () => (await findRuleRow(ctx, 'ferry')).cooldown_seconds;
  const before = await cooldown();
  world.clock.set(new Date());
  await sendAndDie('rules/ferry/fewer', { key });
  expect(await cooldown()).toBe(before);
  passLimit();
  expect((await send('rules/ferry/fewer', { key })).status).toBe(200);
  const after = await cooldown();
  expect(after).not.toBe(before);
  expect((await send('rules/ferry/fewer', { key })).replayed).toBe('true');
  expect(await cooldown()).toBe(after);
});

test('a slow request whose limit has passed changes nothing once another is executed', async () => {
  const manual = await addSearch('slow');
  const key = newKey();
  const locker = await world.db.pool.connect();
  await locker.query(`BEGIN; SELECT FROM strandline.searches WHERE slug = 'slow' FOR UPDATE`);
  const waiting = (wanted: number) =>
    until(`${wanted} wait`, async () => {
      const [row] = await rows(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return row?.['n'] === wanted;
    });
  const first = send('searches/slow/run', { key });
  await waiting(1);
  passLimit();
  const second = send('searches/slow/run', { key });
  await waiting(2);
  await locker.query('COMMIT');
  locker.release();
  expect((await first).status).toBe(409);
  expect((await second).status).toBe(202);
  expect(await manual()).toBe(1);
  expect(await send('searches/slow/run', { key })).toEqual({ ...(await second), replayed: 'true' });
});

test('a slow call whose limit has passed gets its reply, and repeated requests that of the later one', async () => {
  const trial = { operation: 'microblog', prompt: 'tides', service: 'hosted' };
  const key = newKey();
  const gate = gated(json({ miner_tweets: [] }));
  stub.answers(gate.answer);
  const first = send('searches/try', { key, body: trial });
  await until('it is called', () => Promise.resolve(stub.requests.length === 1));
  passLimit();
  stub.answers(json({ miner_tweets: [wirePost('7')] }));
  const second = await send('searches/try', { key, body: trial });
  gate.open();
  expect((await first).status).toBe(200);
  expect((await first).text).not.toBe(second.text);
  expect(await send('searches/try', { key, body: trial })).toEqual({ ...second, replayed: 'true' });
});
