import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkMasterKey } from '../../src/cli/master-key-check.ts';
import { vaultOf } from '../../src/platform/vault.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { emptyDatabase, type TestDatabase } from '../database.ts';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
let folder: string;
let empty: TestDatabase;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'strandline-keep-'));
  empty = await emptyDatabase();
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('2')] }));
  await stand.run(['search', 'add', 'ferry', '--operation', 'microblog', '--prompt', 'p', '--every', '15m']);
});
afterAll(async () => {
  await stand.close();
  await empty.drop();
  await rm(folder, { recursive: true });
});

test('backup and restore report what they wrote and where, and refuse a database that is not empty', async () => {
  const directory = path.join(folder, 'one');
  const { code, stdout, stderr } = await stand.run(['backup', directory]);
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^Backed up [\d,]+ rows of \d+ tables .* to .*one$/);
  expect(JSON.parse(await readFile(path.join(directory, 'manifest.json'), 'utf8'))).toMatchObject({
    format: 'strandline backup 1',
  });
  expect((await stand.run(['backup', directory])).stderr).toMatch(/^error: .* already exists/);
  const nowhere = path.join(folder, 'nope');
  expect(await stand.run(['backup', path.join(nowhere, 'b')])).toMatchObject({
    code: 1,
    stderr: `error: the folder ${nowhere} does not exist\n`,
  });

  const env = { DATABASE_URL: empty.url, DATABASE_READER_URL: empty.readerUrl };
  const restored = await stand.run(['restore', directory, '--json'], { env });
  expect(restored.code, restored.stderr).toBe(0);
  const { tables } = JSON.parse(restored.stdout) as { tables: { table: string; rows: number }[] }; // as printed
  expect(tables).toContainEqual(expect.objectContaining({ table: 'posts', rows: 2 }));
  expect(restored.stderr).not.toContain('encrypted');
  const again = await stand.run(['restore', directory], { env });
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(/^error: the database .* is not empty.*STRANDLINE_DATA_DIR/);
  expect(again.stderr).not.toContain(new URL(empty.url).password);
});

test('restore names the key of its channels; doctor reports whether the current one decrypts them', async () => {
  const { ctx } = stand.world;
  const keyed = (masterKey: string | undefined) => ({
    ctx: { ...ctx, config: { ...ctx.config, dataDir: path.join(folder, 'keys'), masterKey } },
  });
  const master = 'a master key of a test, long enough';
  const { keyId } = vaultOf(master);
  expect(await checkMasterKey(keyed(undefined))).toEqual([]);
  await createChannel(keyed(master).ctx, { slug: 'desk', webhook: 'https://93.184.216.34/hook' });
  expect(await checkMasterKey(keyed(master))).toMatchObject([
    { state: 'ok', facts: expect.stringContaining(keyId) },
  ]);
  expect(await checkMasterKey(keyed(`${master}, another`))).toMatchObject([
    { state: 'failed', facts: expect.stringContaining(`encrypted with the master key ${keyId}`) },
  ]);
  expect(await checkMasterKey(keyed(undefined))).toMatchObject([
    {
      state: 'failed',
      facts: `secrets of 1 channel are encrypted with the key ${keyId}; no master key is configured`,
    },
  ]);
  // A preview deletes nothing.
  await expect(access(path.join(folder, 'keys'))).rejects.toThrow('ENOENT');

  const directory = path.join(folder, 'sealed');
  await stand.run(['backup', directory]);
  const elsewhere = await emptyDatabase();
  const env = { DATABASE_URL: elsewhere.url, DATABASE_READER_URL: elsewhere.readerUrl };
  const { code, stderr } = await stand.run(['restore', directory], { env });
  await elsewhere.drop();
  expect(code, stderr).toBe(0);
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
    new RegExp(`^secrets of 1 channel are encrypted with the key ${keyId}: copy master.key`),
  );
});

test('deleting an author requires --yes; without it, the command shows what it would delete and exits with 2', async () => {
  const plan = await stand.run(['author', 'forget', '@user_1', '--service', 'hosted']);
  expect([plan.code, plan.stdout]).toEqual([2, '']);
  expect(plan.stderr).toContain(
    '@user_1 (91): 1 post, 0 links and the raw responses that name them would be deleted',
  );
  expect(await stand.json('posts', 'list')).toHaveLength(2);
  expect(await stand.json('author', 'forget', '@user_1', '--service', 'hosted', '--yes')).toMatchObject({
    author: '91',
    forgotten: true,
    removed: { authors: 1, posts: 1, answers: 1 },
  });
  expect(await stand.json('posts', 'list')).toMatchObject([{ external_id: '2' }]);
  expect((await stand.run(['author', 'forget', '91', '--service', 'hosted'])).stderr).toBe(
    'Already deleted.\n',
  );
  const unknown = await stand.run(['author', 'forget', '@nobody', '--service', 'hosted', '--yes']);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no author @nobody of hosted')]);
});

test('an author is deleted by id or @handle; a bare name gets a hint about the @', async () => {
  const forget = (author: string) => stand.run(['author', 'forget', author, '--service', 'hosted', '--yes']);
  expect(await forget('@user_1')).toMatchObject({
    code: 1,
    stderr:
      'error: no author @user_1 of hosted is stored; for a forgotten author, use the ID (usernames are not kept)\n',
  });
  expect(await forget('user_2')).toMatchObject({
    code: 1,
    stderr: 'error: no author user_2 of hosted is stored; for a username, write @user_2\n',
  });
  expect(await forget('91')).toMatchObject({ code: 0, stderr: 'Already deleted.\n' });
});

test('retention shows periods and expired data, and deletes it on request', async () => {
  await stand.world.db.pool.query(
    `INSERT INTO strandline.responses (run_id, n, http_status, body, sha256, bytes, received_at, read_at)
     SELECT min(id), 9, 200, '\\x00', '\\x00', 1, '2026-01-01', '2026-01-01' FROM strandline.runs`,
  );
  const shown = await stand.run(['retention', 'show']);
  expect(shown.stdout).toContain('kept 30 days');
  expect(shown.stdout).toContain('kept indefinitely');
  expect(shown.stdout).toContain('1 raw response (1 B)');
  expect((await stand.run(['retention', 'run', '--dry-run'])).stderr).toContain(
    'Would delete: 1 raw response',
  );
  expect(await stand.json('retention', 'run')).toMatchObject({
    answers: 1,
    rejects: 0,
    messages: 0,
    months: [],
  });
  expect((await stand.run(['retention', 'run'])).stderr).toBe('Deleted: nothing\n');
});
