/** Messages and channels that no current release writes: from an older one, a backup, or by hand. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Two channels that are told of one search, each with a message that waits. */
async function waiting(name: string) {
  const search = await stage.search(name);
  const spoilt = await stage.channel(`${name}-spoilt`);
  const sound = await stage.channel(`${name}-sound`);
  await stage.rule(name, [`${name}-spoilt`, `${name}-sound`]);
  await stage.finds(search, 1);
  return { spoilt, sound };
}
const soundIsTold = async (name: string) =>
  expect(await stage.deliveries(`${name}-sound`)).toMatchObject([{ state: 'delivered' }]);

test.each([
  ['a channel of an unknown kind', `UPDATE strandline.channels SET kind = 'Pigeon post'`, 'channels_kind'],
  ['a channel in no state', `UPDATE strandline.channels SET state = 'broken'`, 'channels_state'],
  ['a channel with three secrets', `UPDATE strandline.channels SET secrets = '{a,b,c}'`, 'channels_secrets'],
  [
    'a message in no state',
    `UPDATE strandline.deliveries SET state = 'lost', next_attempt_at = NULL`,
    'deliveries_state',
  ],
  [
    'a pending message without a body',
    `UPDATE strandline.deliveries SET state = 'pending', body = NULL, next_attempt_at = now()`,
    'deliveries_body',
  ],
  [
    'a finished message with a retry',
    `UPDATE strandline.deliveries SET state = 'dead', next_attempt_at = now()`,
    'deliveries_next',
  ],
])('the database refuses %s', async (what, sql, constraint) => {
  const name = what.replaceAll(/[^a-z]+/g, '-').slice(0, 40);
  const { spoilt, sound } = await waiting(name);
  await stage.tell(spoilt, sound);
  await expect(stage.rows(sql)).rejects.toMatchObject({ constraint });
});

test('a message to a removed channel is not sent, and others are', async () => {
  const { spoilt, sound } = await waiting('removed');
  await stage.rows(`UPDATE strandline.channels SET archived_at = now(), secrets = '{}' WHERE id = $1`, [
    spoilt,
  ]);
  expect(await stage.tell(spoilt, sound)).toBe(1);
  await soundIsTold('removed');
});

test.each([
  ['cut', `left(secrets[1], 30)`],
  ['encrypted with another key', `replace(secrets[1], split_part(secrets[1], ':', 2), 'other-key')`],
  [
    'of another channel',
    `(SELECT secrets[1] FROM strandline.channels o WHERE o.id <> c.id ORDER BY id LIMIT 1)`,
  ],
  ['in plain text', `'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0'`],
  ['that is malformed', `''`],
])('a secret %s sends nothing and says so, and other channels are notified', async (what, written) => {
  const name = `secret-${what.replaceAll(' ', '-')}`;
  const { spoilt, sound } = await waiting(name);
  await stage.rows(`UPDATE strandline.channels c SET secrets = ARRAY[${written}] WHERE id = $1`, [spoilt]);
  expect(await stage.tell(spoilt, sound)).toBe(1);
  await soundIsTold(name);
  expect(await stage.deliveries(`${name}-spoilt`)).toMatchObject([{ state: 'pending', code: 'secret' }]);
});

test('a body of 20 MB is sent as stored, and delays no other channel', async () => {
  const { spoilt, sound } = await waiting('large');
  await stage.tell();
  await stage.rows(
    `UPDATE strandline.deliveries SET state = 'pending', body = '"' || repeat('x', 20000000) || '"', made_at = now() WHERE channel_id = $1`,
    [spoilt],
  );
  await stage.tell(spoilt, sound);
  await soundIsTold('large');
  expect(await stage.deliveries('large-spoilt')).toMatchObject([{ state: 'delivered', attempts: 1 }]);
});
