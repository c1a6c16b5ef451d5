/** Mails are delivered through a mail server that fails in every documented way. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { editedChannel, newChannel } from '../../src/monitor/alerts/channel-shapes.ts';
import type { Settings } from '../../src/monitor/alerts/channels/channel-kind.ts';
import { decodeInput } from '../../src/monitor/http/request-problems.ts';
import {
  changeChannel,
  createChannel,
  editChannel,
  type WrittenChannel,
  testChannel,
} from '../../src/monitor/alerts/manage-channels.ts';
import { resendMessages } from '../../src/monitor/alerts/resend.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { readChannel, readDelivery } from '../../src/store/alerts/alert-queries.ts';
import { type MailServer, type Script, startMailServer } from './mail-server.ts';
import { openStage, type Stage } from './stage.ts';
import PostalMime from 'postal-mime';

const PASSWORD = 'a-p@ssword/of:the#server';
let stage: Stage;
let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
  stage = await openStage({
    SMTP_URL: `smtp://alerts%40example.org:${encodeURIComponent(PASSWORD)}@127.0.0.1:${server.port}`,
    MAIL_FROM: 'Alerts <alerts@example.org>',
    WEBHOOK_SECONDS: '2',
    BASE_URL: 'https://strandline.example',
  });
});
afterAll(async () => {
  await stage.close();
  await server.close();
});

const never = new AbortController().signal;

/** A channel with a message that is due. */
async function newsFor(name: string, email = `${name}@example.com`) {
  const search = await stage.search(name);
  const settings = decodeInput(newChannel, { slug: name, email }) as WrittenChannel; // texts
  const { channel } = await createChannel(stage.world.ctx, settings);
  onTestFinished(async () => {
    server.behaves({});
    await changeChannel(stage.world.ctx, name, 'remove');
  });
  await stage.rule(name, name, { search: name });
  await stage.finds(search, 3);
  return { search, channel: channel.id };
}
const mailsTo = (address: string) => server.mails.filter(({ to }) => to.includes(address));
const idOf = async (raw: string) => (await PostalMime.parse(raw)).messageId;

test('a new post arrives once, with the login and the sender of the installation', async () => {
  const { channel } = await newsFor('once');
  expect(await stage.tell(channel)).toBe(1);
  expect(await stage.tell(channel)).toBe(0);
  expect(mailsTo('once@example.com')).toMatchObject([
    { from: 'alerts@example.org', login: `alerts@example.org:${PASSWORD}` },
  ]);
  expect(await stage.deliveries('once')).toMatchObject([{ state: 'delivered', attempts: 1, code: null }]);
  const [delivery] = await stage.deliveries('once');
  const { answer } = (await readDelivery(stage.world.db, delivery?.id ?? 0n)) ?? {};
  expect(answer).toBe('250 2.0.0 queued as 4711');
});

const LATER = '451 4.3.0 later';
const NEVER = '554 5.7.1 never';
/** What is recorded, and whether the message is tried again (`retry`), after a rest of the channel, or never. */
const FAULTS: readonly (readonly [string, Script, string, 'retry' | 'rest' | 'dead' | 'disabled'])[] = [
  ['drops-at-connect', { connect: 'drop' }, 'broken', 'rest'],
  ['stalls-at-connect', { connect: 'stall' }, 'timeout', 'rest'],
  ['is-busy-at-connect', { connect: '421 4.3.2 busy' }, 'slow_down', 'rest'],
  ['refuses-at-connect', { connect: NEVER }, 'rejected', 'rest'],
  ['later-at-connect', { connect: LATER }, 'deferred', 'rest'],
  ['drops-at-ehlo', { ehlo: 'drop' }, 'broken', 'rest'],
  ['is-busy-at-ehlo', { ehlo: '421 4.3.2 busy' }, 'slow_down', 'rest'],
  ['wrong-login', { login: 'somebody:else' }, 'auth', 'disabled'],
  ['login-later', { auth: '454 4.7.0 later' }, 'deferred', 'rest'],
  ['login-mechanism', { auth: '534 5.7.9 too weak' }, 'auth', 'disabled'],
  ['drops-at-login', { auth: 'drop' }, 'broken', 'rest'],
  ['stalls-at-login', { auth: 'stall' }, 'timeout', 'rest'],
  ['sender-later', { mail: LATER }, 'deferred', 'rest'],
  ['sender-refused', { mail: '553 5.7.1 not yours' }, 'auth', 'disabled'],
  ['login-missing', { mail: '530 5.7.0 login first' }, 'auth', 'disabled'],
  ['too-large', { mail: '552 5.3.4 too large' }, 'rejected', 'dead'],
  ['drops-at-mail', { mail: 'drop' }, 'broken', 'rest'],
  ['greylists', { rcpt: '450 4.2.0 greylisted' }, 'deferred', 'retry'],
  ['unknown-mailbox', { rcpt: '550 5.1.1 unknown' }, 'rejected', 'dead'],
  ['drops-at-rcpt', { rcpt: 'drop' }, 'broken', 'rest'],
  ['stalls-at-rcpt', { rcpt: 'stall' }, 'timeout', 'rest'],
  ['data-later', { data: LATER }, 'deferred', 'rest'],
  ['data-refused', { data: NEVER }, 'rejected', 'dead'],
  ['drops-at-data', { data: 'drop' }, 'broken', 'rest'],
  ['content-later', { 'mail-data': LATER }, 'deferred', 'rest'],
  ['content-refused', { 'mail-data': NEVER }, 'rejected', 'dead'],
  ['drops-after-content', { 'mail-data': 'drop' }, 'broken', 'rest'],
  ['stalls-after-content', { 'mail-data': 'stall' }, 'timeout', 'rest'],
  ['accepts-and-drops', { 'mail-data': 'accept-and-drop' }, 'broken', 'rest'],
  ['talks-nonsense', { connect: 'hello' }, 'broken', 'rest'],
];

test.each(FAULTS)('%s', async (name, script, code, then) => {
  const { channel } = await newsFor(name);
  server.behaves(script);
  expect(await stage.tell(channel)).toBe(0);
  const [failed] = await stage.deliveries(name);
  expect(failed).toMatchObject({ state: then === 'dead' ? 'dead' : 'pending', attempts: 1, code });
  const row = await readChannel(stage.world.db, name);
  expect(row?.state).toBe(then === 'disabled' ? 'disabled' : 'active');
  expect(row?.resting_until === null).toBe(then !== 'rest');
  const stored = [failed, row, await readDelivery(stage.world.db, failed?.id ?? 0n)];
  expect(inspect(stored, { depth: null, maxStringLength: null })).not.toContain(PASSWORD);
  server.behaves({});
  if (then === 'disabled') await changeChannel(stage.world.ctx, name, 'resume');
  if (then === 'dead') await resendMessages(stage.world.ctx, { channel: name });
  stage.world.clock.advance(10 * SECOND);
  expect(await stage.tell(channel)).toBe(1);
  const mails = mailsTo(`${name}@example.com`);
  // Only what was accepted without a reply arrives twice: then with the same bytes, and so the same id.
  expect(mails).toHaveLength(name === 'accepts-and-drops' ? 2 : 1);
  expect(new Set(mails.map(({ raw }) => raw)).size).toBe(1);
  expect(await idOf(mails[0]?.raw ?? '')).toBe(`<${failed?.message_id}@example.org>`);
});

test('recipients who accepted a mail do not get it again, and the others get it when they may', async () => {
  const { channel } = await newsFor('some', 'a@example.com, b@example.com; c@example.com');
  server.behaves({
    recipients: { 'b@example.com': '450 4.2.0 greylisted', 'c@example.com': '550 5.1.1 unknown' },
  });
  expect(await stage.tell(channel)).toBe(0);
  expect(await stage.deliveries('some')).toMatchObject([{ state: 'pending', code: 'deferred' }]);
  // The server works: the channel does not rest, and has not failed.
  expect(await readChannel(stage.world.db, 'some')).toMatchObject({ failures: 0, resting_until: null });
  server.behaves({ recipients: { 'c@example.com': '550 5.1.1 unknown' } });
  stage.world.clock.advance(10 * SECOND);
  expect(await stage.tell(channel)).toBe(0);
  const [dead] = await stage.deliveries('some');
  expect(dead).toMatchObject({ state: 'dead', code: 'rejected' });
  expect(dead?.reason).toBe('the mail server refused the mail permanently (550 5.1.1, 1 of 2 recipients)');
  const { answer } = (await readDelivery(stage.world.db, dead?.id ?? 0n)) ?? {};
  expect(answer).toBe('c@example.com: 550 5.1.1 unknown');
  server.behaves({});
  await resendMessages(stage.world.ctx, { channel: 'some' });
  expect(await stage.tell(channel)).toBe(1);
  const sent = server.mails.filter(({ to }) => to.some((each) => /^[abc]@/.test(each)));
  expect(sent.map(({ to }) => to)).toEqual([['a@example.com'], ['b@example.com'], ['c@example.com']]);
  expect(new Set(sent.map(({ raw }) => raw)).size).toBe(1);
});

test('a mail to nobody who still lacks it counts as delivered', async () => {
  const { channel } = await newsFor('gone', 'a@gone.example, b@gone.example');
  server.behaves({ recipients: { 'b@gone.example': '450 4.2.0 greylisted' } });
  expect(await stage.tell(channel)).toBe(0);
  await editChannel(stage.world.ctx, 'gone', { email: 'a@gone.example' });
  expect(await stage.tell(channel)).toBe(1);
  expect(mailsTo('a@gone.example')).toHaveLength(1);
});

test('waiting mails go to the new recipients of an edited channel', async () => {
  const { channel } = await newsFor('moved');
  server.behaves({ connect: 'drop' });
  expect(await stage.tell(channel)).toBe(0);
  server.behaves({});
  const recipients = { channel: 'moved', email: 'New@Example.COM, new@example.com' };
  const { channel: moved = '', ...settings } = decodeInput(editedChannel, recipients) as Settings; // texts
  await editChannel(stage.world.ctx, moved, settings);
  stage.world.clock.advance(MINUTE);
  expect(await stage.tell(channel)).toBe(1);
  expect(mailsTo('new@example.com')).toHaveLength(1);
});

test('a dead mail server delays no other channel', async () => {
  const { channel } = await newsFor('stuck');
  const webhook = await stage.channel('quick');
  onTestFinished(async () => void (await changeChannel(stage.world.ctx, 'quick', 'remove')));
  const search = await stage.search('third');
  await stage.rule('third', 'quick', { search: 'third' });
  await stage.finds(search, 1);
  server.behaves({ connect: 'stall' });
  await evaluateRules(stage.world.ctx);
  const stopping = new AbortController();
  const stuck = deliverDueMessages(stage.world.ctx, channel, stopping.signal);
  expect(await deliverDueMessages(stage.world.ctx, webhook, never)).toBe(1);
  stopping.abort();
  expect(await stuck).toBe(0);
  // An attempt that was aborted is no failure; the message waits.
  expect(await stage.deliveries('stuck')).toMatchObject([{ state: 'pending', code: null }]);
  await expect.poll(() => server.open(), { timeout: 30_000 }).toBe(0);
});

test('a worker that dies after sending sends the same bytes again', async () => {
  const { channel } = await newsFor('killed');
  await evaluateRules(stage.world.ctx);
  // After the mail was sent, the database is out of its reach.
  const db = new Proxy(stage.world.ctx.db, {
    get: (target, name) => {
      if (mailsTo('killed@example.com').length > 0) throw new Error('killed');
      return Reflect.get(target, name) as unknown;
    },
  });
  const dying = { ...stage.world.ctx, db };
  await expect(deliverDueMessages(dying, channel, never)).rejects.toThrow('killed');
  expect(await stage.deliveries('killed')).toMatchObject([{ state: 'pending', attempts: 1 }]);
  await stage.rows('UPDATE strandline.channels SET lease_until = NULL WHERE id = $1', [channel]);
  stage.world.clock.advance(HOUR);
  expect(await stage.tell(channel)).toBe(1);
  const [first, second] = mailsTo('killed@example.com');
  expect(second?.raw).toBe(first?.raw);
});

test('a test message arrives at once, and a refused login is told without the password', async () => {
  await newsFor('tested');
  expect(await testChannel(stage.world.ctx, 'tested')).toMatchObject({ kind: 'taken' });
  const [mail] = mailsTo('tested@example.com');
  const parsed = await PostalMime.parse(mail?.raw ?? '');
  expect(parsed.subject).toBe('[strandline] Test of tested');
  expect(parsed.text).toContain('strandline can send messages here.');
  server.behaves({ login: 'somebody:else' });
  const refused = await testChannel(stage.world.ctx, 'tested');
  expect(refused).toMatchObject({ kind: 'failed', code: 'auth', detail: '535 5.7.8', answer: null });
  expect(JSON.stringify(refused)).not.toContain(PASSWORD);
});

test.each([
  ['', 'one to 20'],
  ['nobody', '"nobody" is none'],
  ['Anna <a@example.com>', '"Anna" is none'],
  ['a@example.com\r\nBcc: b@example.com', '"Bcc:" is none'],
  ['a@@example.com', 'is none'],
  ['a@exa mple.com', '"mple.com" is none'],
  ['a@127.0.0.1', 'is none'],
  ['a@-x.example', 'is none'],
  [`${'a'.repeat(65)}@example.com`, 'is none'],
  ['"a b"@example.com', 'is none'],
  ['jörg@example.com', 'is none'],
  ['a@example.com>', 'is none'],
  [Array.from({ length: 21 }, (_, i) => `a${i}@example.com`).join(','), 'one to 20'],
])('%s is refused', async (email, expected) => {
  expect(() => decodeInput(newChannel, { slug: 'wrong', email })).toThrow(
    expect.objectContaining({
      problems: [{ path: 'email', given: email, expected: expect.stringContaining(expected) as unknown }],
    }),
  );
});

test('names of hosts in any script are stored as the wire has them', async () => {
  const settings = decodeInput(newChannel, { slug: 'idn', email: 'a@Bücher.example b+x@EXAMPLE.org' });
  await createChannel(stage.world.ctx, settings as WrittenChannel); // texts
  expect(await readChannel(stage.world.db, 'idn')).toMatchObject({
    host: 'a@xn--bcher-kva.example, b+x@example.org',
  });
  await changeChannel(stage.world.ctx, 'idn', 'remove');
});
