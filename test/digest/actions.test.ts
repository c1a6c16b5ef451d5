/** What a person does from a digest: nothing happens by opening a link, a button changes what is said from then on. */
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import { PLAIN_FORMAT, renderItems } from '../../src/monitor/alerts/channels/chat-message.ts';
import { composeMail } from '../../src/monitor/alerts/channels/email-message.ts';
import { summarizeMessage } from '../../src/monitor/alerts/channels/message-summary.ts';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { deliverDueMessages } from '../../src/monitor/alerts/deliver.ts';
import { dismiss, restore } from '../../src/monitor/alerts/dismissals.ts';
import { findRuleRow } from '../../src/monitor/alerts/manage-rules.ts';
import { planFewer, sendFewer } from '../../src/monitor/alerts/send-fewer.ts';
import { findFewerMessages, readPreset } from '../../src/monitor/alerts/rule-presets.ts';
import { findFewerDigests, writeDigestSchedule } from '../../src/monitor/schedule/digest-schedule.ts';
import { parseDigestSchedule } from '../../src/monitor/schedule/digest-schedule.ts';
import { planDigests } from '../../src/monitor/schedule/plan-digests.ts';
import { writeMarkdown } from '../../src/monitor/digests/digest-markdown.ts';
import { readDigest } from '../../src/monitor/digests/read-digest.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { homeOf } from '../cli/stand.ts';
import { personAt } from '../web/pages/person.ts';
import { openStage, type Stage } from '../tell/stage.ts';

const BASE = 'https://strandline.example';
let stage: Stage;
let ferry: Search;
let ops: bigint;
beforeAll(async () => {
  stage = await openStage();
  ferry = await stage.search('ferry');
  ops = await stage.channel('ops');
});
afterAll(() => stage.close());

const findPost = async (text: string): Promise<bigint> =>
  (await stage.rows('SELECT max(id) AS id FROM strandline.posts WHERE text = $1', [text]))[0].id;
/** Texts of the posts that the last message reports. */
const lastTexts = () => {
  const { data } = JSON.parse(stage.receiver.received.at(-1)?.body ?? '');
  return data.discoveries.map((found: { post: { text: string } }) => found.post.text);
};

test('what is dismissed is reported by no rule of its topic, and no copy of it, until it is restored', async () => {
  const { ctx } = stage.world;
  const text = 'The harbour office sells calendars again this winter';
  await stage.rule('all', 'ops', { topic: 'ferry' });
  // A rule on the search reports what is new to the search, so a copy would be reported.
  await stage.rule('waits', 'ops', { search: 'ferry', cooldown: '1h', filter: 'calendars' });
  await stage.finds(ferry, [text, 'Ferry 7 is late']);
  expect(await stage.tell(ops)).toBeGreaterThan(0);
  const id = await findPost(text);
  await expect(dismiss(ctx, { topic: 'ferry', kind: 'link', id })).rejects.toThrow('has found no link');
  expect(await dismiss(ctx, { topic: 'ferry', kind: 'post', id })).toBe(true);
  expect(await dismiss(ctx, { topic: 'ferry', kind: 'post', id })).toBe(false);

  stage.world.clock.advance(7_200_000);
  await stage.finds(ferry, [`@ines ${text}!`, 'The pier is closed today']);
  expect(await stage.tell(ops)).toBe(1);
  expect(lastTexts()).toEqual(['The pier is closed today']);
  const now = stage.world.clock.now();
  const span = { from: new Date(0), until: new Date(now.getTime() + 1), tz: 'UTC' };
  const read = async () =>
    (await readDigest(ctx, span)).topics.flatMap(({ items }) => items.map((item) => item.text));
  expect(await read()).not.toContain(text);

  expect(await restore(ctx, { topic: 'ferry', kind: 'post', id })).toBe(true);
  expect(await restore(ctx, { topic: 'ferry', kind: 'post', id })).toBe(false);
  expect(await read()).toContain(text);
  expect(await stage.rows('SELECT action FROM strandline.audit_log ORDER BY id DESC LIMIT 2')).toEqual([
    { action: 'topic.item_restored' },
    { action: 'topic.item_dismissed' },
  ]);
});

test('a message that waits leaves out what is dismissed meanwhile, and is not sent if nothing else is in it', async () => {
  const { ctx } = stage.world;
  await stage.rule('later', 'ops', { topic: 'ferry', quiet_hours: '00:00-23:59' });
  await stage.rows(`UPDATE strandline.rules SET archived_at = now() WHERE slug IN ('all', 'waits')`);
  const [one, other] = ['A raffle at the lighthouse on Sunday', 'Ferry 9 runs aground near the pier'];
  await stage.finds(ferry, [one, other]);
  expect(await stage.tell(ops)).toBe(0);
  await dismiss(ctx, { topic: 'ferry', kind: 'post', id: await findPost(one) });
  await stage.rows(`UPDATE strandline.rules SET quiet_hours = NULL WHERE slug = 'later'`);
  stage.world.clock.advance(86_400_000);
  expect(await stage.tell(ops)).toBe(1);
  expect(lastTexts()).toEqual([other]);
});

test('one step down: presets, own settings, and schedules of digests', async () => {
  const own = { kinds: ['spike'], cooldown_seconds: 0, max_per_day: null };
  expect(findFewerMessages(readPreset('more'))).toEqual({ preset: 'balanced' });
  expect(findFewerMessages(readPreset('balanced'))).toEqual({ preset: 'fewer' });
  expect(findFewerMessages(readPreset('fewer'))).toBeNull();
  expect(findFewerMessages(own)).toEqual({ cooldown_seconds: 21_600, max_per_day: 5 });
  expect(findFewerMessages({ ...own, cooldown_seconds: 604_800, max_per_day: 5 })).toEqual({
    cooldown_seconds: 604_800,
    max_per_day: 2,
  });
  expect(findFewerMessages({ ...own, cooldown_seconds: 604_800, max_per_day: 1 })).toBeNull();

  const at = new Date('2026-11-27T12:00:00Z'); // a Friday
  const fewer = (cron: string, tz = 'Europe/Berlin') => findFewerDigests(cron, tz, at);
  expect([
    fewer('0 */6 * * *'), // next at 18:00
    fewer('0 8 * * *'), // next on Saturday
    fewer('0 8 * * 1-5'),
    fewer('0 8 * * 1'),
    fewer('0 8 1 * *'),
    fewer('30 2 * * *', 'America/New_York'),
  ]).toEqual(['0 18 * * *', '0 8 * * 6', '0 8 * * 1', null, null, '30 2 * * 6']);
  for (const cron of ['0 8 * * *', '30 7 * * 1-5', '5 17 * * 0', '0 8,20 * * *'])
    expect(parseDigestSchedule(writeDigestSchedule(cron))).toBe(cron);

  const { ctx, clock } = stage.world;
  await stage.rule('mornings', 'ops', { topic: 'ferry', digest: '0 8 * * *' });
  const { digest } = await sendFewer(ctx, 'mornings');
  expect(writeDigestSchedule(digest ?? '')).toMatch(/^weekly \w{3} 8:00$/);
  await expect(sendFewer(ctx, 'mornings')).rejects.toThrow(/to send less, mute it/);
  expect(planFewer(await findRuleRow(ctx, 'mornings'), clock.now())).toMatchObject({ next: null });
});

test('a digest leads to pages: mute and fewer for its rule, not relevant for each thing; a button changes something, a link does not', async () => {
  const { ctx, clock } = stage.world;
  await stage.rows('UPDATE strandline.rules SET archived_at = now()');
  await stage.rule('mails', 'ops', { topic: 'ferry', digest: '0 8 * * *' });
  await planDigests(ctx, clock.now());
  const text = 'The first boat of the season arrives at noon';
  await stage.finds(ferry, [{ text, like_count: 90_000 }]);
  clock.advance(8 * 86_400_000);
  await planDigests(ctx, clock.now());
  await composeDigests(ctx);
  expect(await deliverDueMessages(ctx, ops, new AbortController().signal)).toBe(1);
  const message = JSON.parse(stage.receiver.received.at(-1)?.body ?? '');
  message.data.link = `${BASE}/digests/${message.data.id}`; // as with BASE_URL, which would ask for a login here
  const mail = await new PostalMime().parse(
    await composeMail(
      message,
      { from: { name: '', address: 'a@example.org' }, to: ['b@example.org'] },
      { id: 'msg_1', channel: 'ops', baseUrl: BASE },
    ),
  );
  const id = await findPost(text);
  const paths = [
    '/alerts/mute?rule=mails',
    '/alerts/rules/mails/fewer',
    `/topics/ferry/dismissed?post=${id}`,
  ];
  const chat = renderItems(summarizeMessage(message), PLAIN_FORMAT);
  const markdown = writeMarkdown(message.data.digest, { base: BASE, rule: 'mails' });
  for (const path of paths) {
    expect(mail.text).toContain(`${BASE}${path}`);
    expect(mail.html).toContain(`href="${BASE}${path}"`);
    expect(chat).toContain(`${BASE}${path}`);
    expect(markdown).toContain(`(<${BASE}${path}>)`);
  }

  const state = () =>
    stage.rows(`SELECT r.digest, r.muted_until, (SELECT count(*)::int FROM strandline.topic_items WHERE dismissed_at IS NOT NULL) AS n
      FROM strandline.rules r WHERE slug = 'mails'`);
  await stage.rows(`UPDATE strandline.rules SET digest = '0 8 * * *' WHERE slug = 'mails'`);
  const before = await state();
  const app = await buildHttpServer(homeOf(stage.world), WEB);
  try {
    const person = personAt(app);
    for (const path of paths) expect((await person.get(path)).status, path).toBe(200);
    expect(await state()).toEqual(before);
    // Without the token of its form, a button changes nothing either.
    const forged = await person.forge('/topics/ferry/dismiss', { post: String(id) });
    expect([forged.status, await state()]).toEqual([403, before]);
    await person.post('/topics/ferry/dismiss', { post: String(id) });
    await person.post('/alerts/rules/mails/fewer', {});
    await person.post('/alerts/mute', { what: 'rule:mails', until: '2d' });
  } finally {
    await app.close();
  }
  const [after] = await state();
  expect(writeDigestSchedule(after.digest)).toMatch(/^weekly /);
  expect(after.muted_until > clock.now()).toBe(true);
  expect(after.n).toBe(before[0].n + 1);
});
