/** Where requests must not go, and how secrets are sealed. */
import { existsSync } from 'node:fs';
import { beginDatabase } from '../../src/app/database-access.ts';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isPublic } from '../../src/lib/networks.ts';
import {
  findNetworkCode,
  readAllowed,
  readWebAddress,
  type Resolve,
  resolveAllowed,
} from '../../src/platform/network.ts';
import { openVault, vaultOf } from '../../src/platform/vault.ts';
import { createWebhookKind } from '../../src/monitor/alerts/channels/webhook.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { openProgram } from '../../src/app/program.ts';

/** An address of this machine that is not its loopback. */
const own =
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
const NO_DOORS = { ports: [], baseUrl: undefined };

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '192.0.1.1',
  '198.20.0.1',
  '2606:4700::1111',
  '2a00::1',
  '::ffff:8.8.8.8',
])('%s is public', (address) => expect(isPublic(address)).toBe(true));

test.each([
  '127.0.0.1',
  '127.9.9.9',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.127.255.255',
  '0.0.0.0',
  '0.1.2.3',
  '224.0.0.1',
  '239.1.1.1',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '::',
  '::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  '::127.0.0.1',
  '100::1',
  'fec0::1',
  '3fff::1',
])('%s is not public', (address) => expect(isPublic(address)).toBe(false));

const nobody: Resolve = () => Promise.reject(new Error('looked up'));
const asked = (address: string, allow?: string, resolve: Resolve = nobody) =>
  resolveAllowed(readWebAddress(address, 'webhook'), readAllowed(allow, 'WEBHOOK_ALLOW'), resolve);

test.each([
  'https://0x7f.1/',
  'https://2130706433/',
  'https://017700000001/',
  'https://127.1/',
  'https://[::ffff:7f00:1]/',
  'https://[::1]/',
  'https://0/',
  'https://１２７.0.0.1/',
  'https://169.254.169.254/latest/meta-data/',
])('%s is recognized and refused', async (address) => {
  await expect(asked(address)).rejects.toThrow('not a public address');
});

test.each([
  'ftp://host/',
  'javascript:alert(1)',
  'https://user:canary@host/',
  'no address',
  'file:///etc/passwd',
  `https://h/${'x'.repeat(2_000)}`,
])('%s is not a webhook address, and the error repeats nothing of it', (address) => {
  expect(() => readWebAddress(address, 'webhook')).toThrow('a URL such as');
  expect(() => readWebAddress(address, 'webhook')).not.toThrow('canary');
});

test('a name is refused if any of its addresses is not public', async () => {
  const both: Resolve = async () => [
    { address: '8.8.8.8', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ];
  await expect(asked('https://host.example/', undefined, both)).rejects.toThrow('10.0.0.1');
  expect(await asked('https://host.example/', '10.0.0.0/8', both)).toHaveLength(2);
});

test('http is only for hosts allowed by name or network', async () => {
  const out: Resolve = async () => [{ address: '8.8.8.8', family: 4 }];
  await expect(asked('http://host.example/', undefined, out)).rejects.toThrow('requires https');
  expect(await asked('http://host.example/', 'host.example', out)).toHaveLength(1);
  expect(await asked('http://127.0.0.1:1/', '127.0.0.0/8')).toHaveLength(1);
  await expect(asked('http://127.0.0.1/', '127.0.0.2')).rejects.toThrow('not a public address');
});

test.each(['10.0.0.0/33', '10.0.0.0/8/8', 'host/8', 'a b', 'http://x'])(
  'an allowance of %j is refused',
  (list) => {
    expect(() => readAllowed(list, 'WEBHOOK_ALLOW')).toThrow('WEBHOOK_ALLOW');
  },
);

test('connects to the checked address, so a changed DNS answer reaches nothing', async () => {
  const port = new URL(receiver.url).port;
  const answers = ['127.0.0.1', '127.0.0.2'];
  let looks = 0;
  const rebinding: Resolve = async () => [{ address: answers[Math.min(looks++, 1)] ?? '', family: 4 }];
  const kind = createWebhookKind(rebinding);
  const message = { id: 'msg_1', accepted: [], body: '{}', at: new Date('2026-11-21T12:00:00Z') };
  const to = { settings: { webhook: `http://rebinding.example:${port}/` }, secrets: ['whsec_AAAA'] };
  const means = {
    timeoutMs: 2_000,
    allow: '127.0.0.1',
    doors: NO_DOORS,
    mail: undefined,
    signal: new AbortController().signal,
  };
  expect(await kind.send(message, to, means)).toMatchObject({ kind: 'taken', httpStatus: 200 });
  // One look for one attempt: had the connection looked again, it would have gone to the second.
  expect(looks).toBe(1);
  expect(await kind.send(message, to, means)).toMatchObject({ kind: 'failed', code: 'address' });
  expect(receiver.received).toHaveLength(1);
});

test.each([
  ['http://127.0.0.1:7810/api/v1/searches/ferry/run', {}],
  ['http://localhost:7810/', {}],
  ['http://[::1]:7810/', {}],
  ['http://[::ffff:127.0.0.1]:7810/', {}],
  ['http://2130706433:7811/search/ai/search', {}],
  [`http://${own}:7810/`, {}],
  ['http://127.0.0.1:9464/metrics', { METRICS_PORT: '9464' }],
  ['http://127.0.0.1/', { PORT: '80' }],
  ['https://strandline.example/api/v1/searches', { BASE_URL: 'https://strandline.example' }],
  ['http://proxy.lan:8080/', { BASE_URL: 'http://proxy.lan:8080' }],
])(
  '%s is an address of this program: no channel can be created for it, and nothing is sent (%j)',
  async (address, env) => {
    const { webhook } = readConfig(env);
    const resolve: Resolve = async (host) => [
      host === 'localhost' ? { address: '127.0.0.1', family: 4 } : { address: '10.7.7.7', family: 4 },
    ];
    const kind = createWebhookKind(resolve);
    const allow = `127.0.0.0/8, ::1, ${own}, 10.0.0.0/8`;
    await expect(
      kind.assertReachable({ webhook: address }, { ...webhook, mail: undefined, allow }),
    ).rejects.toThrow('is strandline itself');
    const message = { id: 'msg_1', accepted: [], body: '{}', at: new Date('2026-11-21T12:00:00Z') };
    const means = { ...webhook, mail: undefined, allow, signal: new AbortController().signal };
    expect(
      await kind.send(message, { settings: { webhook: address }, secrets: ['whsec_AAAA'] }, means),
    ).toMatchObject({
      kind: 'failed',
      code: 'address',
      httpStatus: null,
    });
  },
);

test('another program on this machine can be notified, on its own port', async () => {
  const { webhook } = readConfig({});
  const kind = createWebhookKind(nobody);
  await expect(
    kind.assertReachable(
      { webhook: 'http://127.0.0.1:9000/' },
      { ...webhook, mail: undefined, allow: '127.0.0.1' },
    ),
  ).resolves.toBeUndefined();
});

test('an endless response is read up to a limit, and stored as one clean line', async () => {
  receiver.answers((response) => {
    response.writeHead(400);
    const more = () => {
      while (response.write('\u001b[31mx\n'.repeat(10_000)));
      response.once('drain', more);
    };
    more();
  });
  const to = { settings: { webhook: receiver.url }, secrets: ['whsec_AAAA'] };
  const means = {
    timeoutMs: 10_000,
    allow: '127.0.0.1',
    doors: NO_DOORS,
    mail: undefined,
    signal: new AbortController().signal,
  };
  const attempt = await createWebhookKind(nobody).send(
    { id: 'msg_1', accepted: [], body: '{}', at: new Date('2026-11-21T12:00:00Z') },
    to,
    means,
  );
  receiver.answers(status(200));
  expect(attempt).toMatchObject({ kind: 'failed', httpStatus: 400 });
  const answer = attempt.kind === 'failed' ? attempt.answer : '';
  expect(answer?.length).toBeLessThanOrEqual(1_000);
  // oxlint-disable-next-line no-control-regex
  expect(answer).not.toMatch(/[\u0000-\u001f]/);
});

test('a sealed secret opens only with its key and in its place', () => {
  const vault = vaultOf('k'.repeat(40));
  const sealed = vault.seal('whsec_canary', 'channels:7');
  expect(sealed).toMatch(/^v1:[0-9a-f]{8}:/);
  expect(sealed).not.toContain('canary');
  expect(vault.open(sealed, 'channels:7')).toBe('whsec_canary');
  expect(() => vault.open(sealed, 'channels:8')).toThrow('moved from another row');
  expect(() => vault.open(`${sealed.slice(0, -4)}AAAA`, 'channels:7')).toThrow('was modified');
  // Without its text, a shorter and shorter tag is all that is to be guessed.
  const [, , packed = ''] = sealed.split(':');
  const bytes = Buffer.from(packed, 'base64url');
  for (let length = 0; length <= 28; length++) {
    const cut = bytes.subarray(0, length).toString('base64url');
    expect(() => vault.open(`v1:${vault.keyId}:${cut}`, 'channels:7')).toThrow('was modified');
  }
  expect(vault.seal('same', 'a')).not.toBe(vault.seal('same', 'a'));
  expect(() => vaultOf('o'.repeat(40)).open(sealed, 'channels:7')).toThrow(`master key ${vault.keyId}`);
});

test('without MASTER_KEY a key is created once, in a file that only its owner can read', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'vault-'));
  try {
    const first = openVault({ masterKey: undefined, dataDir: path.join(dataDir, 'new') });
    expect(openVault({ masterKey: undefined, dataDir: path.join(dataDir, 'new') }).keyId).toBe(first.keyId);
    const file = path.join(dataDir, 'new', 'master.key');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toHaveLength(44);
    chmodSync(file, 0o640);
    expect(() => openVault({ masterKey: undefined, dataDir: path.join(dataDir, 'new') })).toThrow(
      'other users can read the master key. Run: chmod 600',
    );
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});

const coded = (code: unknown, cause?: unknown) => Object.assign(new Error('text', { cause }), { code });
const attempts = (errors: unknown[], more: object) => Object.assign(new AggregateError(errors), more);
test.each([
  ['its own', coded('ECONNRESET', coded('EPIPE')), 'ECONNRESET'],
  ['of its cause', new Error('text', { cause: coded('EPIPE') }), 'EPIPE'],
  ['of the cause of one with a number', coded(20, coded('EPIPE')), 'EPIPE'],
  ['its own before that of an attempt', attempts([coded('EACCES')], { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
  ['of the first attempt', attempts([coded('EACCES'), coded('EPIPE')], { cause: coded('EPERM') }), 'EACCES'],
  ['of the cause of attempts without one', attempts([new Error('x')], { cause: coded('EPERM') }), 'EPERM'],
  ['of the cause of no attempts', attempts([], { cause: coded('EPERM') }), 'EPERM'],
  ['none', new Error('secret'), undefined],
  ['none of what is no error', { code: 'EPERM' }, undefined],
])('the code of a failed connection: %s', (_, error, code) => expect(findNetworkCode(error)).toBe(code));

test('an invalid entry of either list is reported at startup, before any change', async () => {
  const config = readConfig({ WEBHOOK_ALLOW: '10.0.0.0/64', STRANDLINE_DATA_DIR: '/nowhere/at/all' });
  const options = { config, log: createLogger('silent'), role: 'owner' } as const;
  const refused = { problems: [{ path: 'CHANNELS_ALLOW', given: '10.0.0.0/64' }] };
  await expect(openProgram(options)).rejects.toMatchObject(refused);
  // `up` begins with the database.
  await expect(beginDatabase(options)).rejects.toMatchObject(refused);
  expect(existsSync('/nowhere')).toBe(false);
});
