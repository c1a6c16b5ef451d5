import { afterAll, beforeAll, expect, test } from 'vitest';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
});
afterAll(() => stand.close());

test('search try shows what one call returns and saves nothing', async () => {
  stand.stub.answers(json({ miner_tweets: [wirePost('1', { text: 'the \u001b[2Jferry' })] }));
  const argv = ['search', 'try', '--operation', 'microblog', '--prompt', 'ferry'];
  const printed = await stand.run(argv);
  expect(printed.code).toBe(0);
  expect(printed.stdout).toContain('1 post, 0 known');
  expect(printed.stdout).toContain('the ferry');
  expect(printed.stdout).not.toContain('\u001b');
  expect(await stand.json(...argv)).toMatchObject({
    posts_found: 1,
    posts: [{ external_id: '1', known: false }],
    cost_usd: null,
  });
  expect(stand.stub.requests).toHaveLength(2);
  expect(await stand.json('search', 'list')).toEqual([]);
});

test('search try reports invalid input before the call, and a failed call after it', async () => {
  stand.stub.requests.length = 0;
  const wrong = await stand.run(['search', 'try', '--operation', 'microblog', '--model', 'FAST']);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toMatch(/prompt[^]*model/);
  expect(stand.stub.requests).toHaveLength(0);
  stand.stub.answers(json({ detail: 'no' }, 402));
  const failed = await stand.run(['search', 'try', '--operation', 'ai', '--prompt', 'ferry']);
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toContain('no balance');
});

test('the cost of a trial counts toward the daily limit of its service', async () => {
  stand.stub.answers((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-stub-cost-usd': '0.25' });
    response.end(JSON.stringify({ miner_tweets: [] }));
  });
  type Today = { services: { calls_today: number; cost_usd_today: number | null }[] };
  const today = async () => (await stand.json<Today>('status')).services[0];
  const before = await today();
  await stand.run(['search', 'try', '--operation', 'microblog', '--prompt', 'ferry']);
  expect(await today()).toMatchObject({
    calls_today: (before?.calls_today ?? 0) + 1,
    cost_usd_today: (before?.cost_usd_today ?? 0) + 0.25,
  });
});

test('search try overrides options of a saved search without changing it', async () => {
  stand.stub.answers(json({ miner_tweets: [wirePost('7')] }));
  const when = ['--cron', '0 8 * * *', '--tz', 'Europe/Berlin'];
  await stand.run(['search', 'add', 'tram', '--operation', 'microblog', '--prompt', 'the tram', ...when]);
  const before = await stand.json('search', 'show', 'tram');
  stand.stub.requests.length = 0;
  expect(await stand.json('search', 'try', 'tram')).toMatchObject({ operation: 'microblog', posts_found: 1 });
  await stand.json('search', 'try', 'tram', '--prompt', 'the night tram');
  const asked = stand.stub.requests.map((request) => JSON.stringify(request));
  expect(asked).toEqual([expect.stringContaining('the tram'), expect.stringContaining('the night tram')]);
  expect(await stand.json('search', 'show', 'tram')).toEqual(before);
  for (const [argv, code, words] of [
    [['nope'], 1, 'nope'],
    [['tram', '--operation', 'ai'], 2, 'no value: the saved search has an operation'],
    [['--prompt', 'p'], 2, 'one of microblog, ai'],
  ] as const) {
    const refused = await stand.run(['search', 'try', ...argv]);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(words)]);
  }
  expect(stand.stub.requests).toHaveLength(2);
});
