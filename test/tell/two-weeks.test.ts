/** The default rule on three topics of the demo, over two simulated weeks: few messages, and every planted burst among them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillDemo } from '../../src/app/demo.ts';
import { groupBy } from '../../src/lib/group-by.ts';
import { DAY, HOUR } from '../../src/lib/time.ts';
import { type Backtest, backtestNewRule } from '../../src/monitor/alerts/backtest.ts';
import { previewedRule } from '../../src/monitor/alerts/rule-shapes.ts';
import { decodeInput } from '../../src/monitor/http/request-problems.ts';
import { computeTruth } from '../../src/service/sandbox/ground-truth.ts';
import { SANDBOX_SEED } from '../../src/service/sandbox/sandbox-sources.ts';
import { makeWorld, type World } from '../world.ts';

const DAYS = 14;
const TOPICS = ['night trains', 'seed bank', 'comet tove'];
let world: World;
let preview: Backtest;
/** Processor time of previews, in milliseconds: the first one also compiles the code. */
const cpuMs: number[] = [];

beforeAll(async () => {
  world = await makeWorld({ kind: 'sandbox' });
  const to = world.clock.now();
  await fillDemo(world.ctx, world.database.url, { days: DAYS, topics: TOPICS.length, to });
  const { days, ...rule } = decodeInput(previewedRule, {});
  for (let i = 0; i < 3; i += 1) {
    const before = process.cpuUsage();
    preview = await backtestNewRule(world.ctx, rule, days);
    const { user, system } = process.cpuUsage(before);
    cpuMs.push((user + system) / 1_000);
  }
}, 900_000);
afterAll(() => world.close());

test('at most five messages a day, newest first, and each discovery in one of them', () => {
  const { messages, total, waiting } = preview;
  expect(messages.length).toBeGreaterThan(DAYS);
  const days = groupBy(messages, ({ at }) => at.toISOString().slice(0, 10));
  for (const [day, sent] of days) expect(sent.length, day).toBeLessThanOrEqual(5);
  expect(messages.reduce((sum, { discoveries }) => sum + discoveries, waiting)).toBe(total);
  const times = messages.map(({ at }) => at.getTime());
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  for (const { items } of messages) expect(items.length).toBeGreaterThan(0);
});

test('every spike is sent when it is found, or at midnight after five messages; every planted burst is among them', async () => {
  const { rows } = await world.db.pool.query<{ at: Date; sentence: string; topic: string; window_end: Date }>(
    `SELECT d.at, x.sentence, x.window_end, t.slug AS topic FROM strandline.discoveries d JOIN strandline.spikes x ON x.id = d.thing
     JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.topics t ON t.id = s.topic_id
     WHERE d.kind = 'spike' AND x.only_by IS NULL AND NOT d.late AND d.at >= $1 ORDER BY d.id`,
    [preview.since],
  );
  const sentAt = (sentence: string) =>
    preview.messages
      .filter(({ items }) => items.some(({ text }) => text?.startsWith(sentence) === true))
      .map(({ at }) => at);
  for (const { at, sentence } of rows) {
    const day = at.toISOString().slice(0, 10);
    const isFull =
      preview.messages.filter((message) => message.at.toISOString().startsWith(day)).length === 5;
    const midnight = new Date(Date.parse(day) + DAY);
    expect(sentAt(sentence), sentence).toHaveLength(1);
    expect([at, ...(isFull ? [midnight] : [])], sentence).toContainEqual(sentAt(sentence)[0]);
  }
  const planted = TOPICS.flatMap((topic) =>
    computeTruth(SANDBOX_SEED, topic, new Date(preview.since.getTime() + 2 * DAY), preview.until).bursts.map(
      (burst) => ({
        slug: `demo-${topic.replace(' ', '-')}`,
        from: Date.parse(burst.onset),
        until: Date.parse(burst.end) + 6 * HOUR,
      }),
    ),
  );
  expect(planted.length).toBeGreaterThan(2);
  for (const { slug, from, until } of planted)
    expect(
      rows.filter(
        (spike) =>
          spike.topic === slug &&
          spike.window_end.getTime() > from &&
          sentAt(spike.sentence).some((at) => at.getTime() <= until),
      ),
      `${slug} ${new Date(from).toISOString()}`,
    ).not.toEqual([]);
});

test('the preview takes less than a second of processor time', () => {
  expect(Math.min(...cpuMs)).toBeLessThan(1_000);
});
