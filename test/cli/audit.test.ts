/** Changes made by commands are in the audit log, under the account that ran them. */
import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditRow } from '../../src/store/queries/audit-log.ts';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1')] }));
  stand.home.ctx.config = {
    ...stand.home.ctx.config,
    masterKey: 'of the test, which seals nothing that matters',
  };
});
afterAll(() => stand.close());

type Printed = Omit<AuditRow, 'id'> & { id: string };
const log = (...more: string[]) => stand.json<Printed[]>('audit', ...more);
const WEBHOOK = 'https://93.184.215.14/hook?key=canary-of-the-address';

/** In an order in which each can run after the ones before it. */
const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['watch gulls --name Gulls --service hosted', ['topic.created']],
  ['search add terns --operation microblog --prompt terns --every 1h', ['search.created']],
  ['search edit terns --every 2h', ['search.updated']],
  ['search edit terns --every 2h', []],
  ['search pause terns', ['search.paused']],
  ['search pause terns', []],
  ['search resume terns', ['search.resumed']],
  ['search run terns', ['run.requested']],
  ['runs replay 1', ['run.replayed']],
  ['topic pause gulls', ['topic.paused']],
  ['topic resume gulls', ['topic.resumed']],
  [`channels add desk --webhook ${WEBHOOK}`, ['channel.created']],
  ['channels edit desk --webhook https://93.184.215.14/other', ['channel.updated']],
  ['channels rotate desk', ['channel.secret_rotated']],
  ['channels pause desk', ['channel.paused']],
  ['channels resume desk --skip', ['channel.resumed']],
  ['rules add news --channel desk', ['rule.created']],
  ['rules edit news --cooldown 1h', ['rule.updated']],
  ['rules try news', []],
  ['rules pause news', ['rule.paused']],
  ['rules resume news', ['rule.resumed']],
  ['rules remove news', ['rule.removed']],
  ['channels remove desk', ['channel.removed']],
  ['feeds add --topic gulls ferry', ['feed.created']],
  ['feeds remove 1', ['feed.revoked']],
  ['shares add /topics/gulls?range=7d', ['share.created']],
  ['shares remove 1', ['share.revoked']],
  ['shares remove 1', []],
  ['views add gulls /topics/gulls?range=7d', ['view.saved']],
  ['views remove gulls', ['view.removed']],
  ['sources add gulls https://gulls.example/feed --untested', ['topic.sources_changed']],
  ['sources add gulls https://gulls.example/feed --untested', []],
  ['sources off gulls 1', ['topic.sources_changed']],
  ['sources off gulls 1', []],
  ['sources on gulls 1', ['topic.sources_changed']],
  ['sources list gulls', []],
  ['sources remove gulls 1', ['topic.sources_changed']],
  ['names set gulls Herring --aliases Silver,Larus --domains herring.example', ['topic.names_changed']],
  ['names set gulls herring --rival', ['topic.names_changed']],
  ['names set gulls herring --rival', []],
  ['names list gulls', []],
  ['names remove gulls HERRING', ['topic.names_changed']],
  ['search remove terns', ['search.removed']],
  ['topic remove gulls', ['topic.removed']],
  ['service key create --name partner', ['service_key.created']],
  ['token create --name laptop --scope read', ['token.created']],
];

test.each(COMMANDS)('%s', async (command, actions) => {
  const before = (await log('--limit', '1'))[0]?.id ?? '0';
  const { code, stderr } = await stand.run(command.split(' '));
  expect(code, stderr).toBe(0);
  const left = (await log()).filter(({ id }) => BigInt(id) > BigInt(before));
  expect(left.map(({ action }) => action)).toEqual(actions);
  for (const row of left)
    expect(row).toMatchObject({ actor: 'command_line', name: userInfo().username, token: null });
});

test('no entry names a forgotten author', async () => {
  const author = await stand.world.db.pool.query<{ id: bigint; external_id: string; username: string }>(
    'SELECT id, external_id, username FROM strandline.authors ORDER BY id LIMIT 1',
  );
  const [known] = author.rows;
  if (known === undefined) throw new Error('no author');
  const forget = ['author', 'forget', known.external_id, '--service', 'hosted'];
  expect((await stand.run(forget)).code, 'without --yes nothing goes').toBe(2);
  expect(await log('--action', 'author.forgotten')).toEqual([]);
  expect((await stand.run([...forget, '--yes'])).code).toBe(0);
  const [row] = await log('--action', 'author.forgotten');
  expect(row).toMatchObject({ subject: String(known.id), changes: { service: { after: 'hosted' } } });
  expect(JSON.stringify({ ...row, id: 0, at: 0, subject: 0 })).not.toContain(known.username);
});

test('key rotations are logged without the keys', async () => {
  for (const [group, action] of [
    [['token'], 'token.rotated'],
    [['service', 'key'], 'service_key.rotated'],
  ] as const) {
    const [{ prefix } = { prefix: '' }] = await stand.json<{ prefix: string }[]>(...group, 'list');
    const { code, stdout, stderr } = await stand.run([...group, 'rotate', prefix, '--grace', '2h']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^s[tk]_[0-9A-Za-z]{51}\n$/)]);
    expect(stderr).toContain('The old one works until');
    expect((await log('--limit', '1'))[0]).toMatchObject({ action, subject: prefix });
    expect(await stand.run([...group, 'rotate', prefix, '--grace', '8d'])).toMatchObject({ code: 2 });
  }
});

test('shows the changes of one object as a table, without secrets', async () => {
  const { stdout } = await stand.run(['audit', '--subject', 'news']);
  expect(stdout.split('\n')[0]).toMatch(/time .* action .* subject .* changes/);
  expect(stdout).toContain('cooldown_seconds: 21600 → 3600');
  expect((await stand.run(['audit', '--limit', '1000'])).stdout).not.toContain('canary');
  expect(await stand.run(['audit', '--action', 'topic.eaten'])).toMatchObject({ code: 2 });
  expect(await stand.run(['audit', '--token', 'nobody00'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'No entries.\n',
  });
});
