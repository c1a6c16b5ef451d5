/**
 * Another kind of channel is one file and one line: the program with no more than these has the kind in its commands, its API,
 * its pages, and on the wire.
 */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { connect } from '../../src/platform/postgres/connect.ts';
import { freshDatabase } from '../database.ts';
import { startExtended } from '../extended.ts';
import { until } from '../processes.ts';
import { json, startStub, type StubService, wirePost } from '../stub-service.ts';
import { makeDirectory } from '../temporary.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

const TOKEN = 'nt_canary-of-the-notebook';

const database = await freshDatabase();
let directory: string;
let stub: StubService;
let receiver: Receiver;
let program: ReturnType<typeof startExtended>;
let url: string;

beforeAll(async () => {
  directory = await makeDirectory();
  stub = await startStub(json({ miner_tweets: [wirePost('1')] }));
  receiver = await startReceiver();
  await writeFile(path.join(directory, 'token'), `${TOKEN}\n`);
  program = startExtended({
    DATABASE_URL: database.url,
    DATABASE_READER_URL: database.readerUrl,
    STRANDLINE_DATA_DIR: path.join(directory, 'data'),
    MASTER_KEY: 'm'.repeat(40),
    SEARCH_API_URL: stub.url,
    SEARCH_API_KEY: 'key',
    SERVICE_SOURCES: 'sandbox',
    WEBHOOK_ALLOW: '127.0.0.1',
    PORT: '0',
    SERVICE_PORT: '0',
  });
  url = await program.serve(['up'], /dashboard\s+(http:\/\/\S+)/);
});
afterAll(async () => {
  const printed = await program.end();
  await stub.close();
  await receiver.close();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
  expect(printed).not.toContain(TOKEN);
});

const run = (...argv: string[]) => program.run(argv);

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  const client = await connect(database.url, 'test');
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

const tokenFile = () => path.join(directory, 'token');

test('commands create, list and show it, with its secret from a file, encrypted and never shown', async () => {
  const { out: help } = await run('channels', 'add', '--help');
  expect(help).toContain('--webhook <url>');
  expect(help).toContain('--note-token-file <path>');
  const address = `${receiver.url}/by-command`;
  const options = ['--note-address', address, '--note-token-file', tokenFile()];
  expect(await run('channels', 'add', 'by-command', ...options)).toMatchObject({ code: 0, out: '' });
  expect((await run('channels', 'list')).out).toMatch(/by-command +note +http:\/\/127/);
  const { out } = await run('channels', 'show', 'by-command');
  expect(out).toContain(`note to ${address}`);
  expect(out).toMatch(/token of the notebook +\(hidden\)/);
  const wrong = [['--note-address', address], [...options, '--webhook', address], []];
  const refused = await Promise.all(wrong.map((each) => run('channels', 'add', 'wrong', ...each)));
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2]);
  expect(await run('channels', 'rotate', 'by-command')).toMatchObject({
    code: 1,
    err: expect.stringContaining('have no signing secret') as unknown,
  });
  const stored = JSON.stringify(
    await rows('SELECT c::text, a::text FROM strandline.channels c, strandline.audit_log a'),
  );
  expect(stored).toContain('(hidden)');
  expect(stored).not.toContain(TOKEN);
});

test('the API creates it, and the OpenAPI document describes it', async () => {
  const document = z
    .object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(await (await fetch(`${url}/openapi.json`)).json());
  const described = JSON.stringify(document.paths['/api/v1/channels']?.['post']);
  expect(described).toContain('"required":["slug","webhook"]');
  expect(described).toContain('"required":["slug","note_address","note_token"]');
  const post = (body: object) =>
    fetch(`${url}/api/v1/channels`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const made = await post({ slug: 'by-api', note_address: `${receiver.url}/by-api`, note_token: TOKEN });
  const text = await made.text();
  expect(made.status, text).toBe(201);
  expect(JSON.parse(text)).toMatchObject({ kind: 'note', host: `${receiver.url}/by-api`, secret: null });
  expect(text).not.toContain(TOKEN);
  for (const [body, expected] of [
    [{ slug: 'mixed', webhook: receiver.url, note_token: TOKEN }, /have no such setting/],
    [
      { slug: 'half', note_address: receiver.url },
      /"body.note_token".*"expected":"The token of the notebook/,
    ],
    [{ slug: 'nothing' }, /where to send messages: webhook; .*; or note_address and note_token"/],
  ] as const) {
    const refused = await post(body);
    const refusal = await refused.text();
    expect([refused.status, refusal]).toEqual([400, expect.stringMatching(expected)]);
    expect(refusal).not.toContain(TOKEN);
  }
});

test('the page shows its fields and creates it; an invalid token is not sent back', async () => {
  const page = await fetch(`${url}/alerts/channels/new?kind=note`);
  const html = await page.text();
  expect(html).toContain('name="note_address"');
  expect(html).toMatch(/<input[^>]*name="note_token"[^>]*type="password"/);
  const cookie = page.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const formToken = /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const send = async (token: string) => {
    const reply = await fetch(`${url}/alerts/channels`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        form_token: formToken,
        slug: 'by-page',
        note_address: `${receiver.url}/by-page`,
        note_token: token,
      }).toString(),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const refused = await send(TOKEN.repeat(10));
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('id="field-note_token-wrong"');
  expect(refused.text).not.toContain(TOKEN);
  const made = await send(TOKEN);
  expect(made.status, made.text).toBe(200);
  expect(made.text).not.toContain(TOKEN);
  const shown = await (await fetch(`${url}/alerts/channels/by-page`)).text();
  expect(shown).toContain('Token of the notebook');
  expect(shown).not.toContain('Rotate the secret');
});

test('discoveries are delivered in its own format, with its own error messages', async () => {
  receiver.answers(status(403), '/by-command');
  const failed = await run('channels', 'test', 'by-command');
  expect(failed).toMatchObject({
    code: 1,
    err: expect.stringContaining('the notebook did not take the note (403)') as unknown,
  });
  receiver.answers(status(200), '/by-command');
  const search = ['--service', 'hosted', '--operation', 'microblog', '--every', '1h', '--prompt', 'ferry'];
  expect((await run('search', 'add', 'ferry', ...search)).code).toBe(0);
  expect((await run('search', 'run', 'ferry', '--wait')).code).toBe(0);
  expect(
    (await run('rules', 'add', 'news', '--on', 'post', '--search', 'ferry', '--channel', 'by-command')).code,
  ).toBe(0);
  stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('2')] }));
  expect((await run('search', 'run', 'ferry', '--wait')).code).toBe(0);
  const ofCommand = () => receiver.received.filter(({ path: at }) => at === '/by-command');
  await until('it is delivered', async () => ofCommand().length > 1);
  expect(ofCommand()).toMatchObject([
    { body: 'A test of by-command.' },
    {
      body: 'news: 1 found in ferry.',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'text/plain' },
    },
  ]);
  await until(
    'that is noted',
    async () => (await rows(`SELECT FROM strandline.deliveries WHERE state = 'delivered'`)).length > 0,
  );
  const page = await (await fetch(`${url}/alerts/deliveries/1`)).text();
  expect(page).toContain('news: 1 found in ferry.');
});
