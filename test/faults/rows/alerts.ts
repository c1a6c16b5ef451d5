/** Receivers that fail, and workers that die while sending. All responses: test/tell/deliver.test.ts. */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { createRule } from '../../../src/monitor/alerts/manage-rules.ts';
import { resendMessages } from '../../../src/monitor/alerts/resend.ts';
import { changeChannel, createChannel } from '../../../src/monitor/alerts/manage-channels.ts';
import { prepareProcess, type WorkerProcess } from '../../processes.ts';
import {
  type Behaviour,
  dies,
  read,
  type Receiver,
  stalls,
  startReceiver,
  status,
} from '../../tell/receiver.ts';
import { startMailServer } from '../../tell/mail-server.ts';
import { leadTelegramTo } from '../../tell/telegram-receiver.ts';
import { readConfig } from '../../../src/config/config.ts';
import { DAY } from '../../../src/lib/time.ts';
import { parseDigestSchedule } from '../../../src/monitor/schedule/digest-schedule.ts';
import { between, seeded } from '../random.ts';
import type { Row } from '../row.ts';
import { posts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

const ids = (n: number, from: number) => Array.from({ length: n }, (_, i) => String(from + i));

/** A search after its baseline: what it finds from now on is sent. */
async function looked(stage: Stage): Promise<void> {
  stage.service.answers(posts([]));
  const { runId } = await stage.add(1, { every: '7d' });
  assert.equal((await stage.ended(runId)).status, 'succeeded');
}

async function finds(stage: Stage, external: readonly string[]): Promise<void> {
  stage.service.answers(posts(external));
  assert.equal((await stage.ended(await stage.again(1))).status, 'succeeded');
}

type Delivery = {
  state: string;
  attempts: number;
  code: string | null;
  next_attempt_at: Date | null;
  resting_until: Date | null;
  /** Until when somebody sends to the channel. */
  lease_until: Date | null;
};

function deliveriesTo(stage: Stage, channel: string): Promise<Delivery[]> {
  return stage.rows(
    `SELECT d.state, d.attempts::int AS attempts, d.code, d.next_attempt_at, c.resting_until, c.lease_until FROM strandline.deliveries d
     JOIN strandline.channels c ON c.id = d.channel_id WHERE c.slug = $1 ORDER BY d.id`,
    [channel],
  );
}

const sentTo = (stage: Stage, channel: string) =>
  stage.receiver.received.filter(({ path }) => path === `/${channel}`);

/** What a receiver does the first time, and what that is called. */
const FAILURES: readonly (readonly [channel: string, behave: Behaviour, code: string])[] = [
  ['fails', status(500), 'http_status'],
  ['stalls', stalls, 'timeout'],
  ['breaks-off', (response) => void response.socket?.resetAndDestroy(), 'broken'],
  ['dies-before-it-answers', dies, 'broken'],
  ['is-busy', status(429), 'slow_down'],
];

const SLOW_PATH = '/slow';
type Settings = Readonly<Record<string, string>>;
const isSlow = (settings: Settings) => Object.values(settings).some((value) => value.endsWith(SLOW_PATH));

/** A channel of each kind. Telegram has one host, so its messages are led to the receiver. */
const createChannels = (url: string): Readonly<Record<string, Settings>> => ({
  hook: { webhook: `${url}/hook` },
  slow: { webhook: `${url}${SLOW_PATH}` },
  slack: { slack_secret_url: `${url}/slack` },
  teams: { teams_secret_url: `${url}/teams` },
  discord: { discord_secret_url: `${url}/discord` },
  ntfy: { ntfy_secret_url: `${url}/topic` },
  apprise: { apprise_secret_url: `${url}/notify/key` },
  telegram: {
    telegram_chat: '-1001234567890',
    telegram_token: '123456789:AAExampleExampleExampleExampleExample',
  },
  mail: { email: 'team@example.com' },
});

/** How often a worker is killed at random: `FAULTS_KILLS=100 npm run test:faults -- --only "F71 kinds"`. */
const KILLS = Number(process.env['FAULTS_KILLS'] ?? 6);

/**
 * Each day something is found and digests are due, and the only worker is killed at a moment that the seed decides: when so many
 * messages have arrived, and so many milliseconds later. `FAULTS_SEED` repeats it.
 */
async function killAtRandom(
  stage: Stage,
  first: WorkerProcess,
  { chats, restart }: { chats: Receiver; restart: () => Promise<WorkerProcess> },
): Promise<void> {
  const seed = Number(process.env['FAULTS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
  const random = seeded(seed);
  process.stdout.write(`F71 kinds: ${KILLS} kills, FAULTS_SEED=${seed}\n`);
  stage.note(`FAULTS_SEED=${seed} FAULTS_KILLS=${KILLS}`);
  chats.answers((response, received) => {
    const reply = status(200, { 'content-type': 'application/json' }, '{"ok":true}');
    setTimeout(() => reply(response, received), between(random, 0, 400));
  });
  let worker = first;
  for (let day = 1; day <= KILLS; day += 1) {
    const [messages, ms] = [between(random, 0, 9), between(random, 0, 500)];
    prepareProcess();
    const before = chats.received.length;
    await stage.moveTime(day * DAY);
    stage.service.answers(posts([String(1_000 + day)]));
    await stage.again(1);
    await stage.until(`day ${day}: ${messages} messages`, () =>
      Promise.resolve(chats.received.length >= before + messages),
    );
    await wait(ms);
    worker.child.kill('SIGKILL');
    await worker.ended;
    stage.note(`day ${day}: killed after ${messages} messages and ${ms} ms`);
    // The locks of its jobs end a quarter of a minute later; its leases end with the day.
    await stage.emptyQueue();
    worker = await restart();
  }
  await stage.moveTime((KILLS + 1) * DAY);
}

/** Every discovery and digest was delivered to every channel, each message under one id with one content. */
async function everythingArrived(
  stage: Stage,
  channels: readonly string[],
  list: () => readonly { id: string; content: string }[],
): Promise<void> {
  for (const slug of channels) {
    const countLeft = async () => {
      const [{ open, untold, digests }] = await stage.rows(
        `SELECT (SELECT count(*)::int FROM strandline.deliveries d WHERE d.channel_id = c.id AND d.state <> 'delivered') AS open,
           (SELECT count(*)::int FROM strandline.discoveries x WHERE x.kind = 'post' AND NOT x.baseline AND NOT EXISTS (
              SELECT FROM strandline.delivery_discoveries t JOIN strandline.rules r ON r.id = t.rule_id AND r.slug = c.slug
              WHERE t.channel_id = c.id AND t.discovery_id = x.id)) AS untold,
           (SELECT count(*)::int FROM strandline.deliveries d WHERE d.channel_id = c.id AND d.digest_id IS NOT NULL) AS digests
         FROM strandline.channels c WHERE c.slug = $1`,
        [slug],
      );
      return open + untold + (digests > 0 ? 0 : 1);
    };
    // A channel keeps the pace of its service, so many messages take many times as long as one.
    const last = { left: Number.POSITIVE_INFINITY };
    while (last.left > 0) {
      const { left } = last;
      await stage.until(`${slug}: fewer than ${left} are left`, async () => {
        last.left = await countLeft();
        return last.left < left;
      });
    }
  }
  const [{ messages }] = await stage.rows(
    `SELECT count(*)::int AS messages FROM strandline.deliveries d JOIN strandline.channels c ON c.id = d.channel_id
     WHERE c.slug = ANY ($1)`,
    [channels],
  );
  const received = list();
  const contents = new Set(received.map(({ content }) => content));
  assert.equal(contents.size, messages, 'what was sent again was the same');
  const named = received.filter(({ id }) => !id.endsWith('undefined'));
  assert.equal(
    new Set(named.map(({ id }) => id)).size,
    new Set(named.map(({ content }) => content)).size,
    'each has one id',
  );
}

export const ALERTS: readonly Row[] = [
  {
    id: 'F70',
    title:
      'receivers that fail, stall, disconnect, redirect, are busy or gone: the same message again until it is accepted, after an hour if requested, never after a permanent rejection',
    core: true,
    env: { WEBHOOK_SECONDS: '1' },
    play: async (stage) => {
      await stage.start();
      await looked(stage);
      const once = new Set<string>();
      for (const [channel, behave] of FAILURES) {
        await stage.alert(channel);
        stage.receiver.answers((response, received) => {
          if (once.has(channel)) return status(200)(response, received);
          once.add(channel);
          behave(response, received);
        }, `/${channel}`);
      }
      for (const [channel, behave] of [
        ['redirects', status(302, { location: `${stage.receiver.url}/elsewhere` })],
        ['wants-an-hour', status(503, { 'retry-after': '3600' })],
        ['is-gone', status(410)],
      ] as const) {
        await stage.alert(channel);
        stage.receiver.answers(behave, `/${channel}`);
      }
      await finds(stage, ['11']);

      for (const [channel, , code] of FAILURES) {
        await stage.until(`${channel}: it is taken`, async () => {
          const [one] = await deliveriesTo(stage, channel);
          if (one?.state === 'pending' && one.attempts === 1 && one.code !== null)
            assert.equal(one.code, code);
          return one?.state === 'delivered';
        });
        const [first, second, ...more] = sentTo(stage, channel);
        assert.deepEqual([first?.id, first?.hash, more], [second?.id, second?.hash, []], channel);
      }
      const [hour] = await deliveriesTo(stage, 'wants-an-hour');
      assert.equal(sentTo(stage, 'wants-an-hour').length, 1);
      assert.ok((hour?.next_attempt_at?.getTime() ?? 0) > stage.ctx.clock.now().getTime() + 3_500_000);
      const [gone] = await deliveriesTo(stage, 'is-gone');
      assert.deepEqual([gone?.state, gone?.attempts, gone?.code], ['dead', 1, 'gone']);
      const [channel] = await stage.rows(`SELECT state FROM strandline.channels WHERE slug = 'is-gone'`);
      assert.equal(channel.state, 'disabled');
      const [redirected] = await deliveriesTo(stage, 'redirects');
      assert.equal(redirected?.code, 'redirect');
      assert.deepEqual(sentTo(stage, 'elsewhere'), []);
      stage.receiver.answers(status(200), '/redirects');
    },
  },
  {
    id: 'F71',
    title:
      'a worker killed between sending a message and recording it leaves it to the next, which sends the same again',
    core: true,
    main: true,
    everyCommit: 'postgres',
    env: { WEBHOOK_SECONDS: '1' },
    play: async (stage) => {
      const victim = await stage.start();
      await looked(stage);
      await stage.alert('channel');
      stage.receiver.answers((response, received) => {
        victim.child.kill('SIGKILL');
        void victim.ended.then(() => status(200)(response, received));
      });
      stage.service.answers(posts(['11']));
      await stage.again(1);
      await victim.ended;
      assert.equal(stage.receiver.received.length, 1);
      const [pending] = await deliveriesTo(stage, 'channel');
      assert.deepEqual([pending?.state, pending?.attempts], ['pending', 1]);

      stage.receiver.answers(status(200));
      // Its lease and the lock of its job end a quarter of a minute later: F71 lease waits for them.
      await stage.rows(
        'UPDATE strandline.channels SET lease_until = created_at WHERE lease_until IS NOT NULL',
      );
      await stage.emptyQueue();
      await stage.start();
      await stage.until('it is delivered', async () => {
        const [one] = await deliveriesTo(stage, 'channel');
        return one?.state === 'delivered' && one.attempts === 2;
      });
      const [first, second, ...more] = stage.receiver.received;
      assert.deepEqual([second?.id, second?.hash, more], [first?.id, first?.hash, []]);
    },
  },
  {
    id: 'F71 kinds',
    title:
      'workers killed while receivers of every kind, chats and mail, have messages and did not reply, then at random moments, also of scheduled digests: the next sends the same again, with the same ids, also while one receiver never replies',
    core: true,
    everyCommit: 'postgres',
    movesTime: true,
    seconds: 180 + 30 * KILLS,
    except: { U7: 'its receivers are its own, and it compares what they got' },
    env: { WEBHOOK_SECONDS: '10' },
    play: async (stage) => {
      const [chats, mails] = [await startReceiver(), await startMailServer()];
      const telegram = chats.url;
      const leadBack = leadTelegramTo(telegram);
      try {
        const env = { SMTP_URL: `smtp://127.0.0.1:${mails.port}`, MAIL_FROM: 'alerts@example.org' };
        const ctx = { ...stage.ctx, config: readConfig({ ...stage.env, ...env }) };
        const victim = await stage.start(env, { telegram });
        await looked(stage);
        const channels = Object.entries(createChannels(chats.url));
        for (const [slug, settings] of channels) {
          await createChannel(ctx, { slug, ...settings });
          await createRule(ctx, { slug, on: ['post'], cooldown: 0, channels: [slug] });
        }
        chats.answers(stalls);
        mails.behaves({ 'mail-data': 'accept-and-stall' });
        stage.service.answers(posts(['11']));
        await stage.again(1);
        await stage.until('every receiver has its message', () =>
          Promise.resolve(chats.received.length + mails.mails.length === channels.length),
        );
        victim.child.kill('SIGKILL');
        await victim.ended;

        chats.answers(status(200, { 'content-type': 'application/json' }, '{"ok":true}'));
        // One kind goes on without a reply, and delays no other.
        chats.answers(stalls, SLOW_PATH);
        mails.behaves({});
        await stage.rows(
          'UPDATE strandline.channels SET lease_until = created_at WHERE lease_until IS NOT NULL',
        );
        await stage.emptyQueue();
        const next = await stage.start(env, { telegram });
        for (const [slug] of channels.filter(([, settings]) => !isSlow(settings)))
          await stage.until(`${slug}: it is delivered`, async () => {
            const [one] = await deliveriesTo(stage, slug);
            return one?.state === 'delivered' && one.attempts === 2;
          });
        const [slow] = await deliveriesTo(stage, 'slow');
        assert.equal(slow?.state, 'pending', 'the others did not wait for it');
        for (const path of new Set(chats.received.map((one) => one.path))) {
          const [first, ...more] = chats.received.filter((one) => one.path === path);
          assert.ok(more.length >= 1 || path === SLOW_PATH, path);
          for (const again of more) assert.deepEqual([again.id, again.hash], [first?.id, first?.hash], path);
        }
        const [mail, again, ...more] = mails.mails;
        assert.ok(/^Message-ID: <msg_/im.test(mail?.raw ?? ''));
        assert.deepEqual([again?.raw, more], [mail?.raw, []]);
        const others = channels.filter(([, settings]) => !isSlow(settings)).map(([slug]) => slug);
        for (const slug of others)
          await createRule(ctx, {
            slug: `${slug}-digest`,
            digest: parseDigestSchedule('daily 8:00'),
            channels: [slug],
          });
        await killAtRandom(stage, next, {
          chats,
          restart: () => stage.start(env, { telegram }),
        });
        await everythingArrived(stage, others, () => [
          ...chats.received
            .filter(({ path }) => path !== SLOW_PATH)
            .map(({ path, id, hash }) => ({ id: `${path} ${id}`, content: `${path} ${hash}` })),
          ...mails.mails.map(({ raw }) => ({
            id: /^Message-ID: (.*)$/im.exec(raw)?.[1] ?? '',
            content: raw,
          })),
        ]);
        await changeChannel(ctx, 'slow', 'remove');
      } finally {
        leadBack();
        await Promise.all([chats.close(), mails.close()]);
      }
    },
  },
  {
    id: 'F71 lease',
    title: 'the lease of a worker that died while sending expires, and the next one sends',
    core: true,
    env: { WEBHOOK_SECONDS: '1' },
    play: async (stage) => {
      const victim = await stage.start();
      await looked(stage);
      await stage.alert('channel');
      stage.receiver.answers(() => void victim.child.kill('SIGKILL'));
      stage.service.answers(posts(['11']));
      await stage.again(1);
      await victim.ended;
      stage.receiver.answers(status(200));
      await stage.start();
      await stage.until('it is delivered', async () => {
        const [one] = await deliveriesTo(stage, 'channel');
        return one?.state === 'delivered' && one.attempts === 2;
      });
    },
  },
  {
    id: 'F72',
    title:
      'one of three channels fails for three days: the others are notified immediately, its message fails after eleven attempts, and is resent on request',
    core: true,
    movesTime: true,
    seconds: 150,
    play: async (stage) => {
      await stage.start();
      await looked(stage);
      for (const channel of ['red', 'green', 'blue']) await stage.alert(channel);
      stage.receiver.answers(status(500), '/green');
      await finds(stage, ['11']);
      const others = async (messages: number) => {
        for (const channel of ['red', 'blue'])
          await stage.until(`${channel} has heard`, () =>
            Promise.resolve(stage.receiver.taken(`/${channel}`).length === messages),
          );
      };
      await others(1);
      let passed = 0;
      for (let attempts = 1; attempts <= 11; attempts += 1) {
        const one = await stage.until(`attempt ${attempts} is over`, async () => {
          const [delivery] = await deliveriesTo(stage, 'green');
          return delivery?.attempts === attempts && delivery.lease_until === null && delivery;
        });
        stage.note(`attempt ${attempts}: ${JSON.stringify(one)}`);
        const next = Math.max(one.next_attempt_at?.getTime() ?? 0, one.resting_until?.getTime() ?? 0);
        if (one.state === 'dead') continue;
        passed += Math.max(0, next - stage.ctx.clock.now().getTime());
        await stage.moveTime(passed);
      }
      const [dead] = await deliveriesTo(stage, 'green');
      assert.deepEqual([dead?.state, dead?.attempts], ['dead', 11]);
      assert.ok(passed > 2.5 * 86_400_000 && passed < 3.3 * 86_400_000);

      await finds(stage, ['11', '12']);
      await others(2);
      stage.receiver.answers(status(200), '/green');
      assert.equal(await resendMessages(stage.ctx, { channel: 'green' }), 1);
      await stage.until('the dead one is delivered', async () => {
        const [one] = await deliveriesTo(stage, 'green');
        return one?.state === 'delivered';
      });
      const [first] = sentTo(stage, 'green');
      const again = sentTo(stage, 'green').filter(({ id }) => id === first?.id);
      assert.equal(again.length, 12);
      assert.equal(new Set(again.map(({ hash }) => hash)).size, 1);
    },
  },
  {
    id: 'F73',
    title:
      'a baseline of 5,000 posts notifies nobody; 5,000 new ones are sent in messages of a hundred, or in one if the rule has a cooldown',
    core: false,
    seconds: 120,
    play: async (stage) => {
      await stage.alert('each');
      await createChannel(stage.ctx, { slug: 'gathered', webhook: `${stage.receiver.url}/gathered` });
      await createRule(stage.ctx, {
        slug: 'gathered',
        on: ['post'],
        channels: ['gathered'],
        cooldown: 3_600,
      });
      stage.service.answers(posts(ids(5_000, 10_000)));
      await stage.start();
      await stage.ended((await stage.add(1, { every: '7d' })).runId);
      await stage.settled();
      assert.equal(stage.receiver.received.length, 0);

      await finds(stage, ids(5_000, 20_000));
      await stage.until('all of them are told', () =>
        Promise.resolve(stage.receiver.taken('/each').length >= 5_000),
      );
      const each = sentTo(stage, 'each');
      assert.equal(each.length, 50);
      for (const message of each) assert.equal(read(message).data.discoveries.length, 100);
      await stage.until('one message is there', () => Promise.resolve(sentTo(stage, 'gathered').length > 0));
      assert.equal(sentTo(stage, 'gathered').length, 1);
      const [gathering] = await stage.rows(
        `SELECT count(*)::int AS discoveries FROM strandline.delivery_discoveries x JOIN strandline.channels c ON c.id = x.channel_id
         WHERE c.slug = 'gathered'`,
      );
      assert.equal(gathering.discoveries, 5_000);
      for (const { body } of stage.receiver.received) assert.ok(body.length < 1_000_000);
    },
  },
];
