import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { editedChannel } from '../../src/monitor/alerts/channel-shapes.ts';
import { decodeInput } from '../../src/monitor/http/request-problems.ts';
import {
  changeChannel,
  editChannel,
  rotateSecret,
  testChannel,
} from '../../src/monitor/alerts/manage-channels.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { resendMessages } from '../../src/monitor/alerts/resend.ts';
import { readChannel, readDelivery } from '../../src/store/alerts/alert-queries.ts';
import { Webhook } from 'standardwebhooks';
import { dies, read, type Behaviour, stalls, status } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ WEBHOOK_SECONDS: '1' });
});
afterAll(() => stage.close());

const never = new AbortController().signal;
const ofPath = (path: string) => stage.receiver.received.filter((one) => one.path === `/${path}`);

async function newsFor(name: string, posts = 3) {
  const search = await stage.search(name);
  const channel = await stage.channel(name);
  // Rules of each channel are evaluated in every test after it.
  onTestFinished(async () => void (await changeChannel(stage.world.ctx, name, 'remove')));
  await stage.rule(name, name, { search: name });
  await stage.finds(search, posts);
  return { search, channel };
}

test('a new post arrives once, signed, with its content', async () => {
  const { channel, search } = await newsFor('once');
  expect(await stage.tell(channel)).toBe(1);
  expect(await stage.tell(channel)).toBe(0);
  const [one] = ofPath('once');
  expect(ofPath('once')).toHaveLength(1);
  expect(one?.headers['content-type']).toBe('application/json');
  const { type, data } = read(one ?? { body: '' });
  expect({ type, rule: data.rule, total: data.total }).toEqual({
    type: 'strandline.discoveries',
    rule: 'once',
    total: 3,
  });
  expect(data.discoveries).toHaveLength(3);
  expect(data.discoveries[0]).toMatchObject({
    kind: 'post',
    search: search.slug,
    simulated: false,
    post: { text: 'a post' },
  });
  expect(await stage.deliveries('once')).toMatchObject([
    { state: 'delivered', attempts: 1, http_status: 200, discoveries: 3, code: null },
  ]);
});

const FAULTS: readonly (readonly [string, Behaviour, string])[] = [
  ['fails', status(500), 'http_status'],
  ['stalls', stalls, 'timeout'],
  ['redirects', status(302, { location: 'http://127.0.0.1:1/' }), 'redirect'],
  ['is-busy', status(429), 'slow_down'],
  ['dies-before-it-answers', dies, 'broken'],
];

test.each(FAULTS)(
  'a receiver that %s gets the same message again, byte for byte, until it accepts it',
  async (name, fault, code) => {
    const { channel } = await newsFor(name);
    stage.receiver.answers(fault, `/${name}`);
    expect(await stage.tell(channel)).toBe(0);
    expect(await stage.deliveries(name)).toMatchObject([{ state: 'pending', attempts: 1, code }]);
    expect(await stage.tell(channel)).toBe(0);
    expect(ofPath(name)).toHaveLength(1);
    stage.receiver.answers(status(204), `/${name}`);
    stage.world.clock.advance(10 * SECOND);
    expect(await stage.tell(channel)).toBe(1);
    const [first, second] = ofPath(name);
    expect(second?.id).toBe(first?.id);
    expect(second?.hash).toBe(first?.hash);
    expect(Number(second?.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first?.headers['webhook-timestamp']),
    );
    expect(await stage.deliveries(name)).toMatchObject([{ state: 'delivered', attempts: 2, code: null }]);
  },
);

test('honors Retry-After', async () => {
  const { channel } = await newsFor('asks-to-wait');
  stage.receiver.answers(status(503, { 'retry-after': '120' }), '/asks-to-wait');
  await stage.tell(channel);
  stage.receiver.answers(status(200), '/asks-to-wait');
  stage.world.clock.advance(119 * SECOND);
  expect(await stage.tell(channel)).toBe(0);
  stage.world.clock.advance(2 * SECOND);
  expect(await stage.tell(channel)).toBe(1);
});

test('410 disables the channel with a reason; a resumed channel gets what was found meanwhile, and the failed message on request', async () => {
  const { channel, search } = await newsFor('gone');
  stage.receiver.answers(status(410), '/gone');
  await stage.tell(channel);
  expect(await readChannel(stage.world.db, 'gone')).toMatchObject({
    state: 'disabled',
    state_reason: expect.stringContaining('410'),
    dead: 1,
  });
  await stage.finds(search, 1);
  expect(await stage.tell(channel)).toBe(0);
  expect(ofPath('gone')).toHaveLength(1);
  stage.receiver.answers(status(200), '/gone');
  await changeChannel(stage.world.ctx, 'gone', 'resume');
  expect(await stage.tell(channel)).toBe(1);
  expect(stage.receiver.taken('/gone')).toHaveLength(1);
  expect(await resendMessages(stage.world.ctx, { channel: 'gone' })).toBe(1);
  expect(await stage.tell(channel)).toBe(1);
  expect(new Set(stage.receiver.taken('/gone')).size).toBe(4);
  expect(ofPath('gone')[2]?.hash).toBe(ofPath('gone')[0]?.hash);
  expect(ofPath('gone')[2]?.id).toBe(ofPath('gone')[0]?.id);
});

test('a receiver that stays down gets eleven attempts over nearly three days; then the message has failed, with the reason', async () => {
  const { channel } = await newsFor('never');
  stage.receiver.answers(status(500, {}, 'no\u0000 such\n\u001b[31mthing'), '/never');
  const began = stage.world.clock.now().getTime();
  await stage.tell(channel);
  for (
    let [one] = await stage.deliveries('never');
    one?.state === 'pending';
    [one] = await stage.deliveries('never')
  ) {
    stage.world.clock.set(one.next_attempt_at ?? '');
    await stage.tell(channel);
  }
  const days = (stage.world.clock.now().getTime() - began) / DAY;
  expect(days).toBeGreaterThan(2.5);
  expect(days).toBeLessThan(3.3);
  const [dead] = await stage.deliveries('never');
  expect(dead).toMatchObject({
    state: 'dead',
    attempts: 11,
    http_status: 500,
    reason: expect.stringContaining('500'),
  });
  expect(new Set(ofPath('never').map(({ hash, id }) => `${id} ${hash}`)).size).toBe(1);
  expect((await readDelivery(stage.world.db, dead?.message_id ?? ''))?.answer).toBe('no such [31mthing');

  stage.receiver.answers(status(200), '/never');
  await resendMessages(stage.world.ctx, { delivery: dead?.id ?? 0n });
  expect(await stage.tell(channel)).toBe(1);
  expect(ofPath('never').at(-1)?.hash).toBe(ofPath('never')[0]?.hash);
  await expect(resendMessages(stage.world.ctx, { delivery: dead?.id ?? 0n })).rejects.toThrow('is delivered');
});

test('a channel with a changed address delivers waiting messages there, with the same id, body and secret', async () => {
  const { ctx, db } = stage.world;
  stage.receiver.answers(status(503), '/moved-away');
  const { channel } = await newsFor('moved-away');
  expect(await stage.tell(channel)).toBe(0);
  const [waiting] = await stage.deliveries('moved-away');
  const body = (await readDelivery(db, waiting?.id ?? 0n))?.body;
  const secrets = () => stage.rows(`SELECT secrets FROM strandline.channels WHERE slug = 'moved-away'`);
  const before = await secrets();

  const moved = await editChannel(ctx, 'moved-away', { webhook: `${stage.receiver.url}/moved-here` });
  expect(moved).toMatchObject({ state: 'active', failures: 0, failing_since: null, resting_until: null });
  expect(await stage.tell(channel), 'at once, though the former address had asked for a rest').toBe(1);
  const [arrived] = ofPath('moved-here');
  expect([arrived?.id, arrived?.body]).toEqual([waiting?.message_id, body]);
  expect([ofPath('moved-here').length, ofPath('moved-away').length]).toEqual([1, 1]);
  expect(await secrets()).toEqual(before);
});

test('a disabled channel with a new address is retried, and failed messages are sent there on request', async () => {
  const { ctx, db } = stage.world;
  stage.receiver.answers(status(410), '/closed');
  const { channel } = await newsFor('closed');
  await stage.tell(channel);
  expect(await readChannel(db, 'closed')).toMatchObject({ state: 'disabled', dead: 1 });
  const moved = await editChannel(ctx, 'closed', { webhook: `${stage.receiver.url}/opened` });
  expect(moved).toMatchObject({ state: 'active', state_reason: null });
  expect(await resendMessages(ctx, { channel: 'closed' })).toBe(1);
  expect(await stage.tell(channel)).toBe(1);
  expect(ofPath('opened')[0]?.id).toBe(ofPath('closed')[0]?.id);
});

test('a failure at the old address during a change does not count for the new one', async () => {
  const { ctx } = stage.world;
  let moved: Promise<unknown> | undefined;
  stage.receiver.answers((request, response) => {
    moved = editChannel(ctx, 'moves-meanwhile', { webhook: `${stage.receiver.url}/moved-meanwhile` });
    void moved.then(() => status(410)(request, response));
  }, '/moves-meanwhile');
  const { channel } = await newsFor('moves-meanwhile');
  await stage.tell(channel);
  await moved;
  expect(await readChannel(stage.world.db, 'moves-meanwhile')).toMatchObject({
    state: 'active',
    failures: 0,
  });
  await deliverDueMessages(ctx, channel, never);
  expect(ofPath('moved-meanwhile')).toHaveLength(1);
});

test('a changed address is checked like that of a new channel; a paused channel stays paused', async () => {
  const { ctx } = stage.world;
  await stage.channel('stays');
  await changeChannel(ctx, 'stays', 'pause');
  const aboutWebhook = { problems: [expect.objectContaining({ path: 'webhook' })] };
  for (const webhook of ['no address', 'ftp://example.com/', 'https://hooks.slack.com/services/T0/B0/x'])
    expect(() => decodeInput(editedChannel, { channel: 'stays', webhook })).toThrow(
      expect.objectContaining(aboutWebhook),
    );
  const inside = editChannel(ctx, 'stays', { webhook: 'http://169.254.169.254/latest' });
  await expect(inside).rejects.toMatchObject(aboutWebhook);
  await expect(editChannel(ctx, 'nowhere', { webhook: stage.receiver.url })).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect(await editChannel(ctx, 'stays', { webhook: `${stage.receiver.url}/x` })).toMatchObject({
    state: 'paused',
  });
});

test('a channel that fails for five days is disabled, with the reason', async () => {
  const { channel, search } = await newsFor('five-days');
  stage.receiver.answers(status(500), '/five-days');
  for (let hours = 0; hours <= 5 * 24; hours += 24) {
    await stage.finds(search, 1);
    await stage.tell(channel);
    stage.world.clock.advance(24 * HOUR);
  }
  await stage.tell(channel);
  expect(await readChannel(stage.world.db, 'five-days')).toMatchObject({
    state: 'disabled',
    state_reason: expect.stringContaining('no delivery since'),
  });
  const before = ofPath('five-days').length;
  stage.world.clock.advance(DAY);
  await stage.tell(channel);
  expect(ofPath('five-days')).toHaveLength(before);
});

test('messages delayed by an outage are sent as soon as it ends, each once, and in order after the first success', async () => {
  const { channel, search } = await newsFor('outage', 1);
  stage.receiver.answers(status(503), '/outage');
  for (let n = 0; n < 5; n++) {
    await stage.finds(search, 1);
    await stage.tell(channel);
    stage.world.clock.advance(12 * MINUTE);
  }
  // The channel rested in between: not every message used up an attempt each time.
  expect(ofPath('outage').length).toBeLessThan(10);
  stage.receiver.answers(status(200), '/outage');
  await stage.tell(channel);
  const taken = stage.receiver.taken('/outage');
  expect(taken).toHaveLength(6);
  expect(new Set(taken).size).toBe(6);
  const rest = taken.slice(1);
  expect(rest).toEqual(rest.toSorted((a, b) => Number(BigInt(a) - BigInt(b))));
});

test('a message rejected for its content delays no other', async () => {
  const { channel, search } = await newsFor('poison', 1);
  stage.receiver.answers((response, one) => {
    response.writeHead(one.body.includes('poison pill') ? 422 : 200).end();
  }, '/poison');
  await stage.tell(channel);
  await stage.finds(search, ['poison pill']);
  await stage.finds(search, ['honey']);
  expect(await stage.tell(channel)).toBe(1);
  expect(await stage.tell(channel)).toBe(0);
  expect((await stage.deliveries('poison')).map(({ state }) => state)).toEqual([
    'delivered',
    'pending',
    'delivered',
  ]);
});

test('of three channels, a failing one does not delay the others', async () => {
  const search = await stage.search('three');
  const ids = [await stage.channel('red'), await stage.channel('green'), await stage.channel('blue')];
  await stage.rule('three', ['red', 'green', 'blue'], { search: 'three' });
  stage.receiver.answers(stalls, '/green');
  await stage.finds(search, 5);
  await stage.tell(...ids);
  expect(stage.receiver.taken('/red')).toHaveLength(5);
  expect(stage.receiver.taken('/blue')).toHaveLength(5);
  expect(await stage.deliveries('green')).toMatchObject([{ state: 'pending', code: 'timeout' }]);
  // The others got theirs while it stalled, not behind it.
  const [red] = await stage.deliveries('red');
  expect(red?.state).toBe('delivered');
});

test('of several workers one sends at a time', async () => {
  const { channel, search } = await newsFor('crowd', 1);
  for (let n = 0; n < 4; n++) await stage.finds(search, 1);
  await stage.tell();
  await Promise.all(Array.from({ length: 6 }, () => deliverDueMessages(stage.world.ctx, channel, never)));
  await deliverDueMessages(stage.world.ctx, channel, never);
  expect(stage.receiver.taken('/crowd')).toHaveLength(5);
  expect(ofPath('crowd')).toHaveLength(5);
});

test('during a secret rotation both secrets sign; a day later only the new one; and altered messages fail verification', async () => {
  const { channel, search } = await newsFor('rotating', 1);
  const rotate = async () => String((await rotateSecret(stage.world.ctx, 'rotating')).secret);
  const second = await rotate();
  const third = await rotate();
  await stage.tell(channel);
  const [one] = ofPath('rotating');
  if (one === undefined) throw new Error('nothing came');
  expect(one.signature.split(' ')).toHaveLength(2);
  const signed = (secret: string, body: string) => {
    const at = new Date(Number(one.headers['webhook-timestamp']) * 1_000);
    return new Webhook(secret).sign(one.id, at, body);
  };
  expect(one.signature.split(' ')).toEqual([signed(third, one.body), signed(second, one.body)]);
  expect(one.signature).not.toContain(signed(third, `${one.body} `));
  stage.world.clock.advance(DAY + SECOND);
  await stage.finds(search, 1);
  await stage.tell(channel);
  expect(ofPath('rotating')[1]?.signature.split(' ')).toHaveLength(1);
  const stored = JSON.stringify(await stage.rows('SELECT secrets FROM strandline.channels'));
  expect(stored).toContain('v1:');
  for (const secret of [second, third]) expect(stored).not.toContain(secret.slice(6, 20));
});

test('a process with another master key sends nothing, and names the missing key', async () => {
  const { channel } = await newsFor('other-key', 1);
  const ctx = { ...stage.world.ctx, config: { ...stage.world.ctx.config, masterKey: 'x'.repeat(40) } };
  await stage.tell();
  await deliverDueMessages(ctx, channel, never);
  expect(ofPath('other-key')).toHaveLength(0);
  expect(await stage.deliveries('other-key')).toMatchObject([{ state: 'pending', code: 'secret' }]);
  await expect(testChannel(ctx, 'other-key')).rejects.toThrow(/encrypted with the master key [0-9a-f]{8}/);
});

test('a test message is sent immediately in any state of the channel, and shows the response', async () => {
  await stage.channel('tested');
  await changeChannel(stage.world.ctx, 'tested', 'pause');
  stage.receiver.answers(status(403, {}, 'not you'), '/tested');
  expect(await testChannel(stage.world.ctx, 'tested')).toMatchObject({
    kind: 'failed',
    code: 'http_status',
    httpStatus: 403,
    answer: 'not you',
  });
  stage.receiver.answers(status(200, {}, 'ok'), '/tested');
  expect(await testChannel(stage.world.ctx, 'tested')).toEqual({
    kind: 'taken',
    httpStatus: 200,
    answer: 'ok',
  });
  expect(ofPath('tested').map((one) => read(one).type)).toEqual(['strandline.test', 'strandline.test']);
  expect(await stage.deliveries('tested')).toEqual([]);
});

test('does not connect to an address that is no longer allowed', async () => {
  const { channel } = await newsFor('rebound', 1);
  await stage.rows(
    `UPDATE strandline.channels SET settings = replace(settings::text, '127.0.0.1', '127.0.0.2')::jsonb WHERE id = $1`,
    [channel],
  );
  await stage.tell(channel);
  expect(await stage.deliveries('rebound')).toMatchObject([{ state: 'pending', code: 'address' }]);
});

test('the scan enqueues a channel with pending messages until they are sent', async () => {
  const { channel } = await newsFor('forgotten-job', 1);
  await evaluateRules(stage.world.ctx);
  await stage.world.scan();
  expect(stage.world.channels).toContain(channel);
  await deliverDueMessages(stage.world.ctx, channel, never);
  stage.world.channels.length = 0;
  await stage.world.scan();
  expect(stage.world.channels).not.toContain(channel);
});

test('many channels to a host that never responds take eight places, and the others wait for the next scan', async () => {
  const search = await stage.search('silent-host');
  const names = Array.from({ length: 12 }, (_, i) => `silent-host-${i}`);
  const channels = await Promise.all(names.map((name) => stage.channel(name)));
  onTestFinished(async () => {
    for (const name of names) await changeChannel(stage.world.ctx, name, 'remove');
  });
  await stage.rule('silent-host', names, { search: 'silent-host' });
  for (const name of names) stage.receiver.answers(stalls, `/${name}`);
  await stage.finds(search, 1);
  await evaluateRules(stage.world.ctx);
  await Promise.all(channels.map((id) => deliverDueMessages(stage.world.ctx, id, never)));
  const tried = async () =>
    (await stage.rows(`SELECT attempts FROM strandline.deliveries WHERE channel_id = ANY ($1)`, [channels]))
      .map(({ attempts }) => Number(attempts))
      .toSorted((a, b) => a - b);
  expect(await tried()).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  const left = await stage.rows(
    `SELECT channel_id FROM strandline.deliveries WHERE channel_id = ANY ($1) AND attempts = 0`,
    [channels],
  );
  await Promise.all(left.map(({ channel_id }) => deliverDueMessages(stage.world.ctx, channel_id, never)));
  expect(await tried()).toEqual(Array.from({ length: 12 }, () => 1));
});
