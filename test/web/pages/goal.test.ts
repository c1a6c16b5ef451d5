/** The page of the goal of a topic, stories by it, and the calls of the model on the page System and in `status`. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import { createServicePorts } from '../../../src/app/service-ports.ts';
import { WEB } from '../../../src/app/web-server.ts';
import { judgeWaiting } from '../../../src/monitor/goals/judge-stories.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { judgeStatus } from '../../../src/monitor/status/status-checks.ts';
import { readStatusFacts } from '../../../src/monitor/status/status-facts.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { followStories } from '../../../src/store/stories/follow-stories.ts';
import { homeOf } from '../../cli/stand.ts';
import { createStandInJudge, ruledIsRelevant } from '../../stand-in-judge.ts';
import { saveFound } from '../../store/finds.ts';
import { makeWorld, type World } from '../../world.ts';
import { type Person, personAt } from './person.ts';

const RULING = 'The court ruled against the harbour company on Tuesday because of the storm';
const OPINION = 'I think this ferry company is the worst of all companies on the whole coast';
const GOAL = 'rulings & filings, not opinion';
const never = new AbortController().signal;
const judge = createStandInJudge();

let world: World;
let app: App;
let person: Person;
beforeAll(async () => {
  world = await makeWorld({
    hosted: 'http://127.0.0.1:1',
    judge,
    env: { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'small-1', LLM_CALLS_PER_DAY: '70,judge=4' },
  });
  const { search } = await createSearch(world.ctx, {
    slug: 'bridge-posts',
    topic: 'bridge',
    operation: 'microblog',
    prompt: 'bridge',
    every: '1h',
  });
  await world.db.pool.query('DELETE FROM strandline.runs');
  await saveFound(world, search, [
    { id: 1, text: RULING },
    { id: 2, text: `RT @x: ${RULING}` },
    { id: 3, text: OPINION },
  ]);
  await followStories(world.db, { batches: 5 });
  app = await buildHttpServer(homeOf(world), WEB);
  person = personAt(app);
});
beforeEach(() => {
  world.ctx.judge = judge;
  judge.reply = ruledIsRelevant;
});
afterAll(async () => {
  await app?.close();
  await world.close();
});

test('without a model the field says what to set, and nothing is saved', async () => {
  world.ctx.judge = null;
  const page = await person.get('/topics/bridge/goal');
  expect(page.html).toContain('set LLM_BASE_URL and LLM_MODEL');
  expect(page.html).not.toContain('value="try"');
  const refused = await person.post('/topics/bridge/goal', { goal: GOAL, do: 'save' });
  expect(refused.status).toBe(400);
  expect(refused.html).toContain('a goal needs a language model');
  expect((await person.get('/new')).html).toContain('set LLM_BASE_URL and LLM_MODEL');
});

test('a goal is tried before it is saved, then judges, and filters stories', async () => {
  const tried = await person.post('/topics/bridge/goal', { goal: GOAL, do: 'try' });
  expect(tried.status).toBe(200);
  expect(tried.html).toContain('1 of 2 stories of the last day would be reported');
  expect(tried.html).toContain('rulings &amp; filings');
  expect(await goalOf()).toBeNull();
  judge.reply = () => ({ outcome: 'unavailable', reason: 'did not respond' });
  const failed = await person.post('/topics/bridge/goal', { goal: GOAL, do: 'try' });
  expect([failed.status, failed.html.includes('the language model did not respond')]).toEqual([503, true]);
  judge.reply = ruledIsRelevant;

  await person.follow('/topics/bridge/goal', { goal: GOAL, do: 'save' });
  expect(await goalOf()).toBe(GOAL);
  expect((await person.get('/topics/bridge/goal')).html).toContain('not judged yet');
  await judgeWaiting(world.ctx, never);
  const judged = async (query: string) => (await person.get(`/topics/bridge/goal${query}`)).html;
  expect(await judged('?is=relevant')).toContain('a ruling');
  expect(await judged('?is=relevant')).not.toContain('worst of all');
  expect(await judged('?is=irrelevant')).toContain('an opinion');
  expect(await judged('?is=not_judged')).toContain('Nothing.');
  expect((await person.get('/topics/bridge/stories')).html).toMatch(/relevant: <[^>]+>a ruling/);
  expect((await person.get('/topics/bridge/stories?is=irrelevant')).html).not.toContain('The court ruled');
  await person.follow('/topics/bridge/goal', { goal: '', do: 'save' });
  expect(await goalOf()).toBeNull();
});

test('calls by purpose are in the status, on the page System and in metrics', async () => {
  const { allowances } = createServicePorts(world.db, world.clock);
  const period = world.clock.now().toISOString().slice(0, 10);
  const count = (counter: string, units: number) =>
    allowances.take({ source: `llm:judge:${counter}`, period, most: 1_000_000 }, units);
  const before = await readStatusFacts(world.ctx);
  expect(before.model_calls.map(({ purpose, calls, most }) => [purpose, calls, most])).toEqual([
    ['plan', 0, 70],
    ['write', 0, 70],
    ['check', 0, 70],
    ['judge', 0, 4],
    ['brief', 0, 70],
    ['translate', 0, 70],
  ]);
  const checksOf = async () =>
    judgeStatus(await readStatusFacts(world.ctx), String).filter(({ name }) =>
      name.startsWith('language model'),
    );
  expect(await checksOf()).toEqual([]);
  await count('calls', 3);
  await count('failed', 3);
  await count('reported', 1);
  await count('input', 1_234);
  await count('output', 0);
  expect(await checksOf()).toMatchObject([
    { name: 'language model: judge', facts: '3 of 3 calls today failed' },
  ]);
  await count('calls', 1);
  expect(await checksOf()).toMatchObject([{ facts: 'all 4 calls of today are used' }]);
  const facts = await readStatusFacts(world.ctx);
  expect(facts.model_calls.find(({ purpose }) => purpose === 'judge')).toMatchObject({
    calls: 4,
    failed: 3,
    input_tokens: 1_234,
    output_tokens: 0,
  });
  const { html } = await person.get('/system');
  expect(html).toContain('Language model');
  expect(html).toContain('1,234');
  const metrics = await app.inject({ method: 'GET', url: '/metrics' });
  expect(metrics.body).toContain('strandline_model_calls_today{purpose="judge"} 4');
  expect(metrics.body).toContain('strandline_model_failures_today{purpose="judge"} 3');
  expect(metrics.body).toContain('strandline_model_calls_limit{purpose="judge"} 4');
  // Without a model there is nothing to show.
  const without = {
    ...world.ctx,
    config: { ...world.ctx.config, service: { ...world.ctx.config.service, model: undefined } },
  };
  expect((await readStatusFacts(without)).model_calls).toEqual([]);
});

async function goalOf(): Promise<unknown> {
  const { rows } = await world.db.pool.query(
    `SELECT goal FROM strandline_analytics.topics WHERE slug = 'bridge'`,
  );
  return rows[0].goal;
}
