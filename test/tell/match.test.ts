import { afterAll, beforeAll, expect, test } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { changeChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { evaluateRules } from '../../src/monitor/alerts/rule-evaluation.ts';
import { changeRule, createRule, editRule } from '../../src/monitor/alerts/manage-rules.ts';
import { newRule } from '../../src/monitor/alerts/rule-shapes.ts';
import { backtestRule } from '../../src/monitor/alerts/backtest.ts';
import { decodeInput } from '../../src/monitor/http/request-problems.ts';
import { findSearch } from '../../src/store/topics/searches.ts';
import { intercepted } from '../intercepted.ts';
import { read } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const ofPath = (path: string) =>
  stage.receiver.received.filter((one) => one.path === `/${path}`).map((one) => read(one).data);
const textsOf = (path: string) =>
  ofPath(path).flatMap(({ discoveries }) => discoveries.map((one) => (one['post'] as { text: string }).text)); // posts alone are found here

/** All discoveries of a search that are news, in the order of the feed. */
const newsOf = async (slug: string): Promise<string[]> =>
  (
    await stage.rows(
      `SELECT d.id FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
       WHERE s.slug = $1 AND NOT d.baseline ORDER BY d.id`,
      [slug],
    )
  ).map(({ id }) => String(id));

test('2,100 posts found at once are 21 messages, none of the baseline, each post once', async () => {
  const channel = await stage.channel('many');
  await stage.rule('many', 'many', { topic: undefined });
  const search = await stage.search('many');
  expect(await stage.tell(channel)).toBe(0);
  const run = await stage.finds(search, 2_100);
  await stage.tell();
  expect(await stage.deliveries('many')).toHaveLength(21);
  // More than one job sends, of more than are evaluated at once.
  for (let n = 0; n < 2; n++) await stage.tell(channel);
  expect(ofPath('many')).toHaveLength(21);
  expect(
    ofPath('many').every(({ run_id, discoveries }) => run_id === String(run) && discoveries.length === 100),
  ).toBe(true);
  expect(stage.receiver.taken('/many')).toEqual(await newsOf('many'));
  await changeRule(stage.world.ctx, 'many', 'remove');
});

test('a cooldown allows one message, which gathers everything found meanwhile, each once', async () => {
  const channel = await stage.channel('calm');
  await stage.rule('calm', 'calm', { search: (await stage.search('calm')).slug, cooldown: '1h' });
  const search = await searchNamed('calm');
  const times: number[] = [];
  for (let n = 0; n < 10; n++) {
    await stage.finds(search, n === 3 ? 150 : 1);
    const sent = await stage.tell(channel);
    for (let i = 0; i < sent; i++) times.push(stage.world.clock.now().getTime());
    stage.world.clock.advance(20 * MINUTE);
  }
  stage.world.clock.advance(HOUR);
  await stage.tell(channel);
  expect(times.length).toBe(4);
  expect(times.every((at, i) => i === 0 || at - (times[i - 1] ?? 0) >= HOUR)).toBe(true);
  expect(stage.receiver.taken('/calm')).toEqual(await newsOf('calm'));
  const [first, second] = ofPath('calm');
  expect(first).toMatchObject({ total: 1, run_id: expect.any(String) });
  // A hundred are told whole, the others by their ids.
  expect(second?.discoveries).toHaveLength(100);
  expect(second?.further_ids.length).toBe((second?.total ?? 0) - 100);
  expect(second?.run_id).toBeNull();
});

test('a shorter cooldown sends gathered discoveries sooner', async () => {
  const channel = await stage.channel('sooner');
  await stage.rule('sooner', 'sooner', { search: (await stage.search('sooner')).slug, cooldown: '1d' });
  const search = await searchNamed('sooner');
  for (let n = 0; n < 2; n++) {
    await stage.finds(search, 1);
    await stage.tell(channel);
    stage.world.clock.advance(HOUR);
  }
  expect(ofPath('sooner')).toHaveLength(1);
  await editRule(stage.world.ctx, 'sooner', { cooldown: 90 * 60 });
  expect(await stage.tell(channel)).toBe(1);
  expect(stage.receiver.taken('/sooner')).toEqual(await newsOf('sooner'));
});

test('words decide: required and excluded ones, ignoring case and accents', async () => {
  const channel = await stage.channel('words');
  const search = await stage.search('words');
  await stage.rule('words', 'words', { search: 'words', filter: 'zurich "night ferry" -cancelled' });
  await stage.finds(search, [
    'The NIGHT-FERRY to Zürich',
    'Zürich: night ferry CANCELLED',
    'a night on the ferry, Zürich',
    'the night ferry to Zurichhorn',
  ]);
  await stage.tell(channel);
  expect(textsOf('words')).toEqual(['The NIGHT-FERRY to Zürich']);
});

test('a rule notifies only about its search or topic, and only about discoveries after its creation', async () => {
  const channel = await stage.channel('scoped');
  const [one, two] = [await stage.search('scope-one', 'scope'), await stage.search('scope-two', 'scope')];
  const other = await stage.search('elsewhere');
  await stage.finds(one, ['before the rule']);
  await stage.rule('of-search', 'scoped', { search: 'scope-one' });
  await stage.rule('of-topic', 'scoped', { topic: 'scope' });
  await stage.finds(one, ['in one']);
  await stage.finds(two, ['in two']);
  await stage.finds(other, ['elsewhere']);
  await stage.tell(channel);
  const told = ofPath('scoped').map(
    ({ rule, discoveries }) =>
      `${rule}: ${discoveries.map((d) => (d['post'] as { text: string }).text).join()}`,
  ); // posts alone
  // A channel gets each item once, whichever rule matched.
  expect(told.toSorted()).toEqual(['of-search: in one', 'of-topic: in two']);
});

test('a channel reads only discoveries that its rules cover, and its cursor moves past all', async () => {
  await stage.channel('covering');
  const [covered, uncovered] = [await stage.search('covered'), await stage.search('uncovered')];
  await stage.rule('covering', 'covering', { search: 'covered' });
  await stage.tell();
  await stage.finds(covered, 2);
  await stage.finds(uncovered, 20);
  const whole: string[] = [];
  const db = intercepted(stage.world.db, {
    ofConnections: async (query, given) => {
      const result = await query(...given);
      for (const row of result.rows) if ('first_of_kind' in row) whole.push(String(row.id));
      return result;
    },
  });
  // There are channels of the other tests, too.
  await evaluateRules({ ...stage.world.ctx, db });
  expect(whole).toEqual(await newsOf('covered'));
  expect(
    await stage.rows(
      `SELECT slug FROM strandline.channels WHERE state = 'active' AND cursor < (SELECT max(id) FROM strandline.discoveries)`,
    ),
  ).toEqual([]);
});

test('eight concurrent matchers and eight savers miss nothing and repeat nothing', async () => {
  const channel = await stage.channel('busy');
  const searches = await Promise.all(Array.from({ length: 8 }, (_, i) => stage.search(`busy-${i}`, 'busy')));
  await stage.rule('busy', 'busy', { topic: 'busy' });
  const saving = new AbortController();
  const judging = Array.from({ length: 8 }, async () => {
    while (!saving.signal.aborted) await evaluateRules(stage.world.ctx);
  });
  await Promise.all(
    searches.map(async (search) => {
      for (let n = 0; n < 5; n++) await stage.finds(search, 3);
    }),
  );
  saving.abort();
  await Promise.all(judging);
  for (let n = 0; n < 4; n++) await stage.tell(channel);
  const all = (await Promise.all(searches.map(({ slug }) => newsOf(slug)))).flat();
  expect(all).toHaveLength(120);
  expect(stage.receiver.taken('/busy').toSorted()).toEqual(all.toSorted());
});

test('an edit applies the old rule to earlier discoveries; a paused rule sends nothing; a removed rule nothing more', async () => {
  const channel = await stage.channel('changing');
  const search = await stage.search('changing');
  await stage.rule('changing', 'changing', { search: 'changing', filter: 'apples' });
  await stage.finds(search, ['apples one', 'pears one']);
  await editRule(stage.world.ctx, 'changing', { filter: 'pears' });
  await stage.finds(search, ['apples two', 'pears two']);
  await changeRule(stage.world.ctx, 'changing', 'pause');
  await stage.finds(search, ['pears while paused']);
  await changeRule(stage.world.ctx, 'changing', 'resume');
  await stage.finds(search, ['pears three']);
  await stage.tell(channel);
  expect(textsOf('changing')).toEqual(['apples one', 'pears two', 'pears three']);
  await stage.finds(search, ['pears four']);
  await stage.tell();
  await changeRule(stage.world.ctx, 'changing', 'remove');
  await stage.tell(channel);
  expect(textsOf('changing')).toHaveLength(3);
  expect((await stage.deliveries('changing'))[0]).toMatchObject({
    state: 'cancelled',
    reason: 'the rule was removed',
  });
  await stage.rule('changing', 'changing', { search: 'changing' });
});

test('discoveries of a paused channel stay in the feed, and are delivered or skipped on resume, as chosen', async () => {
  const channel = await stage.channel('resting');
  const search = await stage.search('resting');
  await stage.rule('resting', 'resting', { search: 'resting' });
  await changeChannel(stage.world.ctx, 'resting', 'pause');
  await stage.finds(search, ['found while it rested']);
  expect(await stage.tell(channel)).toBe(0);
  await changeChannel(stage.world.ctx, 'resting', 'resume');
  await stage.tell(channel);
  await changeChannel(stage.world.ctx, 'resting', 'pause');
  await stage.finds(search, ['left out']);
  await editRule(stage.world.ctx, 'resting', { filter: 'found | left' });
  await changeChannel(stage.world.ctx, 'resting', 'resume', { skip: true });
  await stage.tell(channel);
  expect(textsOf('resting')).toEqual(['found while it rested']);
});

test('a preview of a rule matches what it would have sent, and sends nothing', async () => {
  const channel = await stage.channel('tried');
  const search = await stage.search('tried');
  await stage.rule('tried', 'tried', { search: 'tried', cooldown: '1h' });
  for (let n = 0; n < 6; n++) {
    await stage.finds(search, 2);
    await stage.tell(channel);
    stage.world.clock.advance(20 * MINUTE);
  }
  await stage.tell(channel);
  const sent = stage.receiver.received.length;
  const trial = await backtestRule(stage.world.ctx, 'tried', 2);
  expect(trial.discovery_ids.map(String)).toEqual(await newsOf('tried'));
  expect(trial.messages).toHaveLength(ofPath('tried').length);
  expect(trial.messages.reduce((sum, { discoveries }) => sum + discoveries, 0)).toBe(trial.total);
  expect(stage.receiver.received.length).toBe(sent);
});

test.each([
  [{ slug: 'Bad Slug', channels: ['calm'] }, 'slug'],
  [{ slug: 'x', channels: [] }, 'channels'],
  [{ slug: 'x', on: ['posts', 'completion'], channels: ['calm'] }, 'on'],
  [{ slug: 'x', filter: '"open', channels: ['calm'] }, 'filter'],
  [{ slug: 'x', cooldown: 'an hour', channels: ['calm'] }, 'cooldown'],
  [{ slug: 'x', cooldown: '60', channels: ['calm'] }, 'cooldown'],
  [{ slug: 'x', topic: 'a', search: 'b', channels: ['calm'] }, 'search'],
  [{ slug: 'x', channels: ['nobody'] }, 'no channel "nobody"'],
  [{ slug: 'x', search: 'nothing', channels: ['calm'] }, 'no search "nothing"'],
  [{ slug: 'calm', channels: ['calm'] }, 'the rule "calm" already exists'],
])('%j is refused: %s', async (written, words) => {
  const create = async () => createRule(stage.world.ctx, decodeInput(newRule, written));
  await expect(create()).rejects.toThrow(words);
});

async function searchNamed(slug: string) {
  const search = await findSearch(stage.world.db.pool, slug);
  if (search === null) throw new Error(`no search ${slug}`);
  return search;
}
