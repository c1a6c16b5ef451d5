/** A token gets a new key: what the previous one still opens, and for how long. */
import { afterAll, describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { openAccess } from '../../../src/monitor/access/authentication.ts';
import {
  createServiceKey,
  createToken,
  OPERATOR,
  revokeKey,
  revokeToken,
  rotateKey,
  rotateToken,
} from '../../../src/monitor/access/manage-tokens.ts';
import { rotatedToken } from '../../../src/monitor/access/token-shapes.ts';
import { inTransaction } from '../../../src/store/db/database.ts';
import { endSessionsByToken } from '../../../src/store/access/sessions.ts';
import { findToken, replaceKey } from '../../../src/store/access/tokens.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { until } from '../../processes.ts';
import { openStand } from './stand.ts';

const stand = await openStand();
const { ctx, clock, db } = stand.world;
afterAll(() => stand.close());
const access = await openAccess(ctx, { localMayEnter: true });
const app = await stand.serve(WEB, { perMinute: 1_000_000 });

const opens = async (asking: { token?: string; session?: string }) =>
  (
    await access
      .visitorOf({ token: undefined, session: undefined, address: '127.0.0.1', ...asking })
      .catch(() => ({ kind: 'refused' }))
  ).kind !== 'refused';
const isSignedIn = async (session: string) =>
  (await access.visitorOf({ token: undefined, session, address: '127.0.0.1' })).kind === 'session';
const make = (name: string) => createToken(ctx, { name, scopes: ['read'] }, OPERATOR);

test('without a grace period the previous key and its sessions end immediately; everything else of the token stays', async () => {
  const made = await make('at once');
  const session = await access.signIn(made.key, '127.0.0.1');
  const { key, ...rotated } = await rotateToken(ctx, made.prefix, 0);
  expect(key.slice(0, 11), 'the same name').toBe(made.key.slice(0, 11));
  expect(key).not.toBe(made.key);
  const { key: _, ...before } = made;
  expect(rotated).toEqual({ ...before, last_used_at: clock.now() });
  expect([await opens({ token: made.key }), await opens({ token: key })]).toEqual([false, true]);
  expect(await isSignedIn(session)).toBe(false);
});

test('with a grace period both keys work, and sessions of the previous key end with it, including those started meanwhile', async () => {
  const made = await make('by and by');
  const early = await access.signIn(made.key, '127.0.0.1');
  const { key, rotating_until } = await rotateToken(ctx, made.id, HOUR / SECOND);
  expect(rotating_until).toEqual(new Date(clock.now().getTime() + HOUR));
  const late = await access.signIn(made.key, '127.0.0.1');
  const lasting = await access.signIn(key, '127.0.0.1');
  clock.advance(HOUR - SECOND);
  expect([await opens({ token: made.key }), await opens({ token: key })]).toEqual([true, true]);
  expect(await Promise.all([early, late, lasting].map(isSignedIn))).toEqual([true, true, true]);
  clock.advance(SECOND);
  expect([await opens({ token: made.key }), await opens({ token: key })]).toEqual([false, true]);
  expect(await Promise.all([early, late, lasting].map(isSignedIn))).toEqual([false, false, true]);
});

test('a second rotation ends the key before the previous one, with its sessions', async () => {
  const made = await make('twice');
  const first = await access.signIn(made.key, '127.0.0.1');
  const second = await rotateToken(ctx, made.id, 60);
  const session = await access.signIn(second.key, '127.0.0.1');
  const third = await rotateToken(ctx, made.id, 60);
  const keys = [made.key, second.key, third.key];
  expect(await Promise.all(keys.map((token) => opens({ token })))).toEqual([false, true, true]);
  expect([await isSignedIn(first), await isSignedIn(session)]).toEqual([false, true]);
  clock.advance(MINUTE);
  expect(await isSignedIn(session)).toBe(false);
});

test('an expired or revoked token gets no new key, and revoking ends both keys', async () => {
  const made = await make('closed');
  const { key } = await rotateToken(ctx, made.id, 60);
  await revokeToken(ctx, made.id);
  expect([await opens({ token: made.key }), await opens({ token: key })]).toEqual([false, false]);
  await expect(rotateToken(ctx, made.id, 0)).rejects.toMatchObject({ kind: 'conflict' });
  await expect(rotateToken(ctx, 'nobody00', 0)).rejects.toMatchObject({ kind: 'not_found' });
  for (const grace of [-1, 1.5, 7 * 86_400 + 1, Number.NaN])
    expect(rotatedToken.safeParse({ token: made.prefix, grace_seconds: grace }).error?.issues).toMatchObject([
      { path: ['grace_seconds'] },
    ]);
});

test('a key rotated during a sign-in starts no session, or one that ends with it', async () => {
  const made = await make('at the same time');
  // Written down that it was used: the next one writes nothing before the session.
  await access.signIn(made.key, '127.0.0.1');
  const sessions = async () => {
    const counting =
      'SELECT count(*)::int AS n FROM strandline.sessions WHERE token_id = $1 AND ends_at IS NULL';
    return (await db.pool.query<{ n: number }>(counting, [made.id])).rows[0]?.n;
  };
  let signing: Promise<unknown> = Promise.resolve();
  await inTransaction(db, async (tx) => {
    await replaceKey(tx, made.id, { hash: Buffer.alloc(32, 1), formerUntil: null });
    await endSessionsByToken(tx, made.id, null);
    // Judged by what is committed: by the former key. Its outcome is looked at below.
    signing = access.signIn(made.key, '127.0.0.1').catch((error: unknown) => error);
    await until('signing in waits for the rotation', async () => {
      const waiting = await db.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.rows.length > 0;
    });
  });
  expect(await signing).toMatchObject({ kind: 'unknown_visitor' });
  expect(await sessions()).toBe(0);

  const { key } = await rotateToken(ctx, made.id, 0);
  const session = await access.signIn(key, '127.0.0.1');
  expect([await sessions(), await isSignedIn(session)]).toEqual([1, true]);
  const { rotating_until } = await rotateToken(ctx, made.id, 60);
  const late = await access.signIn(key, '127.0.0.1');
  const { rows } = await db.pool.query(
    'SELECT DISTINCT ends_at FROM strandline.sessions WHERE token_id = $1',
    [made.id],
  );
  expect([rows, await isSignedIn(late)]).toEqual([[{ ends_at: rotating_until }], true]);
});

test('service keys rotate by the same rules', async () => {
  const made = await createServiceKey(ctx, { name: 'partner' });
  const { key } = await rotateKey(ctx, 'service', made.key, 60);
  const known = async () =>
    (await findToken(db, { opens: 'service', prefix: made.prefix, now: clock.now() }))?.keyHashes.length;
  expect([key.slice(0, 11) === made.key.slice(0, 11), await known()]).toEqual([true, 2]);
  clock.advance(MINUTE);
  expect(await known()).toBe(1);
  await expect(rotateToken(ctx, made.prefix, 0)).rejects.toMatchObject({ kind: 'not_found' });
  await revokeKey(ctx, 'service', made.prefix);
  expect(await known()).toBeUndefined();
});

describe('whoami', () => {
  const ask = async (headers: Record<string, string>) => {
    const { statusCode, body } = await app.inject({ url: '/api/v1/token', headers });
    return { status: statusCode, body: JSON.parse(body) as Record<string, unknown> };
  };

  test('returns a token without its key, and a session with its token', async () => {
    const { key, prefix, id } = await createToken(ctx, { name: 'me', scopes: ['run'] }, OPERATOR);
    const token = { id: String(id), prefix, name: 'me', scopes: ['run'], expires_at: null };
    const own = await ask({ authorization: `Bearer ${key}` });
    expect(own).toMatchObject({ status: 200, body: { kind: 'token', scopes: ['read', 'run'], token } });
    expect(JSON.stringify(own.body)).not.toContain(key.slice(12));
    const cookie = `strandline=${await access.signIn(key, '127.0.0.1')}`;
    expect(await ask({ cookie })).toMatchObject({ status: 200, body: { kind: 'session', token } });
  });

  test('returns every scope and no token for local visitors while no token exists', async () => {
    expect((await ask({})).status).toBe(401);
    await db.pool.query('DELETE FROM strandline.tokens');
    expect(await ask({})).toEqual({
      status: 200,
      body: { kind: 'local', scopes: ['read', 'write', 'run', 'sql', 'admin'], token: null },
    });
  });
});
