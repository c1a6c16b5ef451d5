/** The goal of a topic: who may set it, what is judged by it, and that nothing waits or costs without it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { dismiss } from '../../src/monitor/alerts/dismissals.ts';
import type { Judge } from '../../src/model/judging.ts';
import { judgeWaiting, startJudge } from '../../src/monitor/goals/judge-stories.ts';
import { tryGoal } from '../../src/monitor/goals/try-goal.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { createTopic, putTopic } from '../../src/monitor/topics/save-topic.ts';
import { setGoal } from '../../src/monitor/topics/topic-goal.ts';
import { applyFile } from '../../src/monitor/watch-file/apply.ts';
import { describeAll } from '../../src/monitor/watch-file/describe.ts';
import { planFile } from '../../src/monitor/watch-file/plan.ts';
import { readJudgements } from '../../src/store/queries/judgements.ts';
import { readStories } from '../../src/store/queries/stories.ts';
import { followStories } from '../../src/store/stories/follow-stories.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { saveFound } from '../store/finds.ts';
import { makeWorld, type World } from '../world.ts';
import { createStandInJudge, ruledIsRelevant } from '../stand-in-judge.ts';

const GOAL = 'rulings and filings, not opinion';
const RULING = 'The court ruled against the harbour company on Tuesday because of the storm';
const OPINION = 'I think this ferry company is the worst of all companies on the whole coast';
const judge = createStandInJudge();
const never = new AbortController().signal;

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1', judge });
});
beforeEach(() => {
  judge.asked = [];
  judge.reply = ruledIsRelevant;
});
afterAll(() => world.close());

let named = 0;
async function newSearch(goal: string | null = GOAL): Promise<{ topic: string; search: Search }> {
  const topic = `goal-${(named += 1)}`;
  const { search } = await createSearch(world.ctx, {
    slug: `in-${topic}`,
    topic,
    operation: 'microblog',
    prompt: topic,
    every: '1h',
  });
  await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  if (goal !== null) await setGoal(world.ctx, topic, goal);
  return { topic, search };
}
const follow = () => followStories(world.db, { batches: 100 });
const pass = async () => {
  await follow();
  return judgeWaiting(world.ctx, never);
};
const verdictsOf = async (topic: string) =>
  (await readJudgements(world.db, { topic, limit: 100 }))
    .map(({ text, relevant, why, waiting }) => ({ text, relevant, why, waiting }))
    .toReversed();

test('each story is judged once, and what joins it has its verdict', async () => {
  const { topic, search } = await newSearch();
  await saveFound(world, search, [
    { id: 1, text: RULING },
    { id: 2, text: `RT @x: ${RULING}` },
    { id: 3, text: OPINION },
  ]);
  expect(await pass()).toBe(2);
  expect(judge.asked).toMatchObject([{ goal: GOAL, texts: [RULING, OPINION], irrelevant: [] }]);
  expect(await verdictsOf(topic)).toEqual([
    { text: RULING, relevant: true, why: 'a ruling', waiting: false },
    { text: `RT @x: ${RULING}`, relevant: true, why: 'a ruling', waiting: false },
    { text: OPINION, relevant: false, why: 'an opinion', waiting: false },
  ]);
  world.clock.advance(MINUTE);
  await saveFound(world, search, [
    { id: 4, text: `Look: ${RULING}` },
    { id: 3, text: OPINION },
  ]);
  expect(await pass()).toBe(0);
  expect(judge.asked).toHaveLength(1);
  expect((await verdictsOf(topic)).at(-1)).toMatchObject({ text: `Look: ${RULING}`, relevant: true });
  const stories = (relevance: 'relevant' | 'irrelevant' | 'not_judged') =>
    readStories(world.db, { topic, relevance, limit: 10 });
  expect(await stories('relevant')).toMatchObject([{ relevant: true, why: 'a ruling', members: 3 }]);
  expect(await stories('irrelevant')).toEqual([]);
  expect(await stories('not_judged')).toEqual([]);
});

test('at most twenty stories are in a request, and what a person marked as not relevant is an example', async () => {
  const { topic, search } = await newSearch();
  await saveFound(
    world,
    search,
    Array.from({ length: 25 }, (_, i) => ({ id: i + 1 })),
  );
  await follow();
  const [first] = await readJudgements(world.db, { topic, limit: 1 });
  await dismiss(world.ctx, {
    topic,
    kind: 'post',
    id: first?.item_id ?? expect.fail('nothing found'),
  });
  expect(await pass()).toBe(24);
  expect(judge.asked.map(({ texts }) => texts.length)).toEqual([20, 4]);
  expect(judge.asked[0]?.irrelevant).toEqual([first?.text]);
  // What is hidden is not asked about.
  expect(judge.asked.flatMap(({ texts }) => texts)).not.toContain(first?.text);
});

test('a response that is none is asked for once more, then the story stays without a verdict', async () => {
  const { topic, search } = await newSearch();
  await saveFound(world, search, [{ id: 1, text: RULING }]);
  judge.reply = () => ({ outcome: 'unusable', reason: 'returned no verdicts' });
  expect(await pass()).toBe(0);
  expect(judge.asked).toHaveLength(2);
  world.clock.advance(HOUR);
  expect(await pass()).toBe(0);
  expect(judge.asked).toHaveLength(2);
  expect(await verdictsOf(topic)).toEqual([{ text: RULING, relevant: null, why: null, waiting: false }]);
});

test('a text without a verdict does not hold up the others', async () => {
  const { topic, search } = await newSearch();
  await saveFound(world, search, [
    { id: 1, text: RULING },
    { id: 2, text: OPINION },
  ]);
  judge.reply = (request) => {
    const { texts } = request;
    const reply = ruledIsRelevant(request);
    return reply.outcome === 'judged'
      ? { ...reply, verdicts: reply.verdicts.map((one, i) => (texts[i] === OPINION ? null : one)) }
      : reply;
  };
  expect(await pass()).toBe(1);
  expect(judge.asked.map(({ texts }) => texts)).toEqual([[RULING, OPINION], [OPINION]]);
  expect(await verdictsOf(topic)).toMatchObject([{ relevant: true }, { relevant: null, waiting: false }]);
});

test('a model that is unavailable is asked less and less often, and not after a day', async () => {
  const { topic, search } = await newSearch();
  await saveFound(world, search, [{ id: 1, text: RULING }]);
  judge.reply = () => ({ outcome: 'unavailable', reason: 'did not respond' });
  const asked: number[] = [];
  for (const minutes of [0, 1, 1, 1, 30]) {
    world.clock.advance(minutes * MINUTE);
    await pass();
    asked.push(judge.asked.length);
  }
  expect(asked).toEqual([1, 2, 2, 3, 4]);
  expect(await verdictsOf(topic)).toMatchObject([{ relevant: null, waiting: true }]);
  world.clock.advance(DAY);
  judge.reply = ruledIsRelevant;
  expect(await pass()).toBe(0);
  expect(await verdictsOf(topic)).toMatchObject([{ relevant: null, waiting: false }]);
});

test('another goal judges what is new and the last day again; the former goal has its verdicts again', async () => {
  const { topic, search } = await newSearch();
  await saveFound(world, search, [{ id: 1, text: RULING }]);
  await pass();
  world.clock.advance(2 * DAY);
  await saveFound(world, search, [{ id: 2, text: OPINION }]);
  await pass();
  await setGoal(world.ctx, topic, 'opinions');
  judge.reply = ({ texts }) => ({
    outcome: 'judged',
    verdicts: texts.map(() => ({ relevant: true, why: null })),
  });
  judge.asked = [];
  await pass();
  expect(judge.asked.map(({ goal, texts }) => [goal, texts])).toEqual([['opinions', [OPINION]]]);
  expect(await verdictsOf(topic)).toMatchObject([{ text: OPINION, relevant: true, why: null }]);
  await setGoal(world.ctx, topic, GOAL);
  expect(await pass()).toBe(0);
  expect(await verdictsOf(topic)).toMatchObject([{ relevant: true }, { relevant: false }]);
  await setGoal(world.ctx, topic, null);
  await saveFound(world, search, [{ id: 3 }]);
  expect(await pass()).toBe(0);
  expect(await verdictsOf(topic)).toEqual([]);
  expect(judge.asked).toHaveLength(1);
});

test('two workers ask about different stories', async () => {
  const { topic, search } = await newSearch();
  await saveFound(
    world,
    search,
    Array.from({ length: 21 }, (_, i) => ({ id: i + 1 })),
  );
  await follow();
  const both = await Promise.all([judgeWaiting(world.ctx, never), judgeWaiting(world.ctx, never)]);
  expect(both.reduce((sum, n) => sum + n, 0)).toBe(21);
  expect(new Set(judge.asked.flatMap(({ texts }) => texts)).size).toBe(21);
  expect(judge.asked.flatMap(({ texts }) => texts)).toHaveLength(21);
  expect((await verdictsOf(topic)).filter(({ relevant }) => relevant === null)).toEqual([]);
});

test('a trial shows what a goal would report of the last day, and saves nothing', async () => {
  const { topic, search } = await newSearch(null);
  await saveFound(world, search, [{ id: 9, text: `Old: ${RULING}` }]);
  world.clock.advance(2 * DAY);
  await saveFound(world, search, [
    { id: 1, text: 'A judge ruled that the bridge of Vellmar stays closed until the spring' },
    { id: 2, text: OPINION },
  ]);
  const trial = await tryGoal(world.ctx, topic, GOAL, never);
  expect(trial).toMatchObject({ topic, goal: GOAL, found: 2, problem: null });
  expect(trial.stories.map(({ text, verdict }) => [text.slice(0, 7), verdict?.relevant])).toEqual([
    ['I think', false],
    ['A judge', true],
  ]);
  expect(await verdictsOf(topic)).toEqual([]);
  judge.reply = () => ({ outcome: 'unusable', reason: 'returned no verdicts' });
  expect(await tryGoal(world.ctx, topic, GOAL, never)).toMatchObject({
    problem: 'The language model returned no verdicts.',
    stories: [{ verdict: null }, { verdict: null }],
  });
  judge.reply = () => ({ outcome: 'unavailable', reason: 'did not respond' });
  await expect(tryGoal(world.ctx, topic, GOAL, never)).rejects.toThrow('the language model did not respond');
  await expect(tryGoal(world.ctx, topic, ' ', never)).rejects.toThrow('goal');
});

test('a goal is a line of 300 characters, refused without a model; every door sets it', async () => {
  const { ctx } = world;
  const without = { ...ctx, judge: null };
  const searches = [{ operation: 'microblog', prompt: 'x', every: '1h' }];
  await expect(createTopic(without, { name: 'Refused', goal: GOAL, searches })).rejects.toThrow(
    'set LLM_BASE_URL and LLM_MODEL',
  );
  await createTopic(ctx, { name: 'Doors', slug: 'doors', goal: ` ${GOAL}\n`, searches });
  const goalOf = async () =>
    (await world.db.pool.query(`SELECT goal FROM strandline_analytics.topics WHERE slug = 'doors'`)).rows[0]
      .goal;
  expect(await goalOf()).toBe(GOAL);
  await expect(setGoal(ctx, 'doors', 'x'.repeat(301))).rejects.toThrow('at most 300 characters');
  // Without a model it may stay, and be removed.
  await setGoal(without, 'doors', GOAL);
  await expect(setGoal(without, 'doors', 'opinions')).rejects.toThrow('set LLM_BASE_URL');
  await putTopic(
    ctx,
    'doors',
    { name: 'Doors', goal: 'opinions', searches: [{ ...searches[0], prompt: 'x', slug: 'doors-posts' }] },
    { onlyCreate: false },
  );
  expect(await goalOf()).toBe('opinions');
  await setGoal(without, 'doors', null);
  expect(await goalOf()).toBeNull();
  // A file that does not name it has none; what describes the topic does.
  const file = { name: 'ours', topics: { doors: { name: 'Doors', goal: 'filings' } } };
  expect((await applyFile(ctx, file, { absent: 'keep' })).failed).toBeNull();
  expect(await goalOf()).toBe('filings');
  expect((await describeAll(ctx, 'doors')).file).toMatchObject({ topics: { doors: { goal: 'filings' } } });
  await expect(
    planFile(without, { ...file, topics: { doors: { goal: 'others' }, more: { goal: 'x' } } }, 'keep'),
  ).rejects.toThrow('set LLM_BASE_URL');
  expect((await planFile(without, file, 'keep')).steps.map(({ action }) => action)).toEqual(['unchanged']);
  expect((await applyFile(ctx, { ...file, topics: { doors: {} } }, { absent: 'keep' })).failed).toBeNull();
  expect(await goalOf()).toBeNull();
  const audited = await world.db.pool.query(
    `SELECT changes FROM strandline_analytics.audit_log WHERE subject = 'doors' AND changes ? 'goal' ORDER BY id`,
  );
  expect(audited.rows.map(({ changes }) => changes.goal)).toEqual([
    { after: GOAL },
    { before: GOAL, after: 'opinions' },
    { before: 'opinions', after: null },
    { before: null, after: 'filings' },
    { before: 'filings', after: null },
  ]);
});

test('without a model nothing is asked, and nothing fails', async () => {
  const { topic, search } = await newSearch();
  await saveFound(world, search, [{ id: 1, text: RULING }]);
  await follow();
  expect(await judgeWaiting({ ...world.ctx, judge: null }, never)).toBe(0);
  expect(judge.asked).toEqual([]);
  expect(await verdictsOf(topic)).toMatchObject([{ relevant: null, waiting: true }]);
});

test('the judge of a worker stops while a model hangs; what it asked about is asked again after its lease', async () => {
  await pass(); // what other tests left
  const { topic, search } = await newSearch();
  await saveFound(world, search, [{ id: 1, text: RULING }]);
  await follow();
  let isAsked = false;
  const hanging: Judge = {
    judge: (_request, signal) => {
      isAsked = true;
      return new Promise((_done, fail) => {
        signal.addEventListener('abort', () => fail(new Error('aborted')));
      });
    },
  };
  const judged: string[] = [];
  const noteJudged = async () => void judged.push(topic);
  const stop = startJudge({ ...world.ctx, judge: hanging }, noteJudged, 1);
  await expect.poll(() => isAsked).toBe(true);
  await stop();
  expect(await pass()).toBe(0);
  world.clock.advance(3 * MINUTE);
  expect(judged).toEqual([]);
  const stopAgain = startJudge(world.ctx, noteJudged, 1);
  await expect.poll(() => judged).toEqual([topic]);
  await stopAgain();
  expect(await verdictsOf(topic)).toMatchObject([{ relevant: true }]);
  expect(startJudge({ ...world.ctx, judge: null }, noteJudged)).toBeTypeOf('function');
});

test('a worker whose clock is a day ahead does not ask for what another worker has asked for', async () => {
  const { topic, search } = await newSearch();
  await saveFound(world, search, [{ id: 1, text: RULING }]);
  const killed = new Error('killed');
  judge.reply = () => Promise.reject(killed);
  await expect(pass()).rejects.toBe(killed);
  const clock = { ...world.clock, now: () => new Date(world.clock.now().getTime() + DAY) };
  judge.reply = ruledIsRelevant;
  expect(await judgeWaiting({ ...world.ctx, clock }, never)).toBe(0);
  expect(judge.asked).toHaveLength(1);
  world.clock.advance(HOUR);
  expect(await judgeWaiting({ ...world.ctx, clock }, never)).toBe(1);
  const [judged] = await world.db.pool
    .query('SELECT judged_at FROM strandline_analytics.judgements WHERE topic = $1', [topic])
    .then(({ rows }) => rows);
  expect(judged.judged_at).toEqual(world.clock.now());
});
