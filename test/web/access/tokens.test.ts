import { afterAll, expect, test } from 'vitest';
import { Denied, expandScopes, type Scope } from '../../../src/monitor/access/visitor-scopes.ts';
import { createToken, listTokens, OPERATOR, revokeToken } from '../../../src/monitor/access/manage-tokens.ts';
import { readTokens } from '../../../src/store/access/tokens.ts';
import { makeStand } from '../../cli/stand.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
const cli = await makeStand();
const app = await stand.serve();
afterAll(async () => {
  await stand.close();
  await cli.close();
});

const { ctx, clock, db } = stand.world;
const ask = async (token?: string, url = '/api/v1/things') =>
  (await app.inject({ url, ...(token && { headers: { authorization: `Bearer ${token}` } }) })).statusCode;

test('without tokens, local visitors have access; once one exists, everyone needs it', async () => {
  expect(await ask()).toBe(200);
  const { key, prefix } = await createToken(ctx, { name: 'first', scopes: ['read'] }, OPERATOR);
  expect([await ask(), await ask(key)]).toEqual([401, 200]);
  await revokeToken(ctx, prefix);
  expect([await ask(), await ask(key)]).toEqual([200, 401]);
});

test('an ended token is rejected, and access stays closed', async () => {
  const expires = new Date(clock.now().getTime() + 60_000);
  const { key, id } = await createToken(
    ctx,
    { name: 'short', scopes: ['read'], expires_at: expires },
    OPERATOR,
  );
  expect(await ask(key)).toBe(200);
  clock.advance(60_000);
  expect([await ask(), await ask(key)]).toEqual([401, 401]);
  await revokeToken(ctx, String(id));
});

test('the stored form of a token cannot be used: the full token appears nowhere in the database', async () => {
  const { key, prefix } = await createToken(ctx, { name: 'kept', scopes: ['read', 'run'] }, OPERATOR);
  expect(key).toMatch(/^st_[0-9A-Za-z]{51}$/);
  const { rows } = await db.pool.query<{ row: string }>('SELECT t::text AS row FROM strandline.tokens t');
  expect(rows.some(({ row }) => row.includes(prefix))).toBe(true);
  expect(rows.filter(({ row }) => row.includes(key.slice(11)))).toEqual([]);
  await revokeToken(ctx, key);
});

test('the time of last use is written once a minute', async () => {
  const { key, prefix } = await createToken(ctx, { name: 'used', scopes: ['read'] }, OPERATOR);
  const lastUse = async () =>
    (await listTokens(ctx, { limit: 100 })).find((one) => one.prefix === prefix)?.last_used_at;
  expect(await lastUse()).toBeNull();
  await ask(key);
  const first = clock.now();
  expect(await lastUse()).toEqual(first);
  clock.advance(59_000);
  await ask(key);
  expect(await lastUse()).toEqual(first);
  clock.advance(2_000);
  await ask(key);
  expect(await lastUse()).toEqual(clock.now());
  await revokeToken(ctx, prefix);
});

test('service keys are not tokens, and tokens are not service keys', async () => {
  const { rows } = await db.pool.query<{ id: bigint }>(
    `INSERT INTO strandline.tokens (prefix, name, hash, scopes, created_at)
     VALUES ('serviceA', 'of the service', 'x', '{service}', now()) RETURNING id`,
  );
  expect((await listTokens(ctx, { limit: 100 })).some(({ prefix }) => prefix === 'serviceA')).toBe(false);
  expect((await readTokens(db, 'service', { limit: 100 })).map(({ prefix }) => prefix)).toEqual(['serviceA']);
  await expect(revokeToken(ctx, 'serviceA')).rejects.toThrow('no such token');
  await expect(revokeToken(ctx, String(rows[0]?.id))).rejects.toThrow('no such token');
  // It is nobody's right to come in here, so it closes nothing either.
  expect(await ask()).toBe(200);
});

test.each<[maker: Scope[], wanted: Scope[], made: boolean]>([
  [['admin'], ['read', 'write', 'run', 'sql', 'admin'], true],
  [['sql'], ['read', 'sql'], true],
  [['write', 'run'], ['sql'], false],
  [['write'], ['read', 'write'], true],
  [['write'], ['run'], false],
  [['read'], ['write'], false],
  [['write', 'run'], ['admin'], false],
])('a token with %j can grant %j: %s', async (maker, wanted, made) => {
  const attempt = createToken(ctx, { name: 'given', scopes: wanted }, { scopes: expandScopes(maker) });
  if (made) await revokeToken(ctx, (await attempt).prefix);
  else await expect(attempt).rejects.toBeInstanceOf(Denied);
});

test('a scope that this version does not know grants nothing, not even to read', () => {
  expect(expandScopes(['later'])).toEqual(new Set());
  expect(expandScopes(['later', 'run'])).toEqual(new Set(['run', 'read']));
});

test('lists the newest first, page by page', async () => {
  const names = ['one', 'two', 'three'];
  for (const name of names) await createToken(ctx, { name, scopes: ['read'] }, OPERATOR);
  const first = await listTokens(ctx, { limit: 2 });
  expect(first.map(({ name }) => name)).toEqual(['three', 'two']);
  const [next] = await listTokens(ctx, { limit: 1, before: first[1]?.id });
  expect(next?.name).toBe('one');
  for (const { prefix } of await listTokens(ctx, { limit: 3 })) await revokeToken(ctx, prefix);
});

test('token create prints a token once; list and revoke find it', async () => {
  const made = await cli.run([
    'token',
    'create',
    '--name',
    'a script',
    '--scope',
    'read,write',
    '--expires',
    '90d',
  ]);
  expect(made.stdout).toMatch(/^st_[0-9A-Za-z]{51}\n$/);
  expect(made.stderr).toContain('shown once. The API and the dashboard now require a token.');
  const [listed] = await cli.json<{ prefix: string; scopes: string[]; expires_at: string }[]>(
    'token',
    'list',
  );
  expect(listed).toMatchObject({ scopes: ['read', 'write'], name: 'a script', last_used_at: null });
  expect(Date.parse(listed?.expires_at ?? '') - cli.world.clock.now().getTime()).toBe(90 * 86_400_000);
  expect(JSON.stringify(listed)).not.toContain(made.stdout.trim().slice(11));
  const shown = await cli.run(['token', 'list']);
  expect(shown.stdout).toContain(listed?.prefix);
  const closed = await cli.run(['token', 'revoke', made.stdout.trim()]);
  expect(closed.stderr).toMatch(
    /revoked .*\nNo tokens are left: anyone on this machine has full access again/,
  );
});

test('a first token that is read-only comes with a hint for full access', async () => {
  const hint = 'This token is read-only. For full access: strandline token create --name NAME --scope admin';
  const made: string[] = [];
  const create = async (...args: string[]) => {
    const { stdout, stderr } = await cli.run(['token', 'create', ...args]);
    made.push(stdout.trim());
    return stderr;
  };
  expect(await create()).toContain(hint);
  expect(await create()).not.toContain(hint);
  for (const token of made.splice(0)) await cli.run(['token', 'revoke', token]);
  expect(await create('--scope', 'admin')).not.toContain(hint);
  for (const token of made) await cli.run(['token', 'revoke', token]);
});

test.each([
  [['--scope', 'read,root'], 'one of read, write, run, sql, admin'],
  [['--expires', '2020-01-01'], 'a time in the future'],
  [['--expires', 'soon'], 'a time in the future'],
  [['--name', ' '], '1 to 60 characters'],
])('token create %j is refused with the allowed values', async (args, words) => {
  const { code, stderr, stdout } = await cli.run(['token', 'create', ...args]);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(words);
});

test('a token is revoked by its id, however long', async () => {
  await db.pool.query('ALTER TABLE strandline.tokens ALTER COLUMN id RESTART WITH 123456789');
  const { id } = await createToken(ctx, { name: 'late', scopes: ['read'] }, OPERATOR);
  expect(String(id)).toHaveLength(9);
  expect((await revokeToken(ctx, id)).revoked_at).toEqual(clock.now());
});
