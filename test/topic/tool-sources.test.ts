/** A search on tools that have no source is refused; with some that have one, it is saved with a warning. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Tool, TOOLS } from '../../src/model/enumerations.ts';
import { InvalidInput } from '../../src/model/errors.ts';
import type { MissingTool } from '../../src/model/tool-coverage.ts';
import { createSearch, editSearch } from '../../src/monitor/topics/save-search.ts';
import { addSearches, createTopic, watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { describeToolSources } from '../../src/monitor/topics/tool-sources.ts';
import { makeStand, type Stand } from '../cli/stand.ts';

let stand: Stand;
const MISSING: MissingTool[] = [
  {
    tool: 'Web Search',
    reason: 'source_needs_key',
    detail: 'set BRAVE_API_KEY, or EXA_API_KEY',
    observed_at: null,
  },
  { tool: 'Video Search', reason: 'source_off', detail: 'add youtube to SERVICE_SOURCES', observed_at: null },
];
const WORDS =
  'Web Search needs a key (BRAVE_API_KEY or EXA_API_KEY); Video Search has no source (SERVICE_SOURCES)';

beforeAll(async () => {
  stand = await makeStand();
  stand.world.ctx.missingTools = (kind) => Promise.resolve(kind === 'hosted' ? MISSING : []);
});
afterAll(() => stand.close());

const search = (slug: string, ...tools: Tool[]) => ({
  slug,
  operation: 'ai',
  prompt: 'tide pools',
  every: '1h',
  tools,
});

async function problemsOf(saving: Promise<unknown>) {
  const error: unknown = await saving.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof InvalidInput ? error.problems : [];
}

test('refuses a search none of whose tools has a source, and names what to set', async () => {
  const { ctx } = stand.world;
  const tools: Tool[] = ['Web Search', 'Video Search'];
  const problem = { given: tools, expected: `a tool with a source: ${WORDS}` };
  expect(await problemsOf(createSearch(ctx, search('none', ...tools)))).toEqual([
    { path: 'tools', ...problem },
  ]);
  const topic = {
    name: 'Tides',
    searches: [search('some', 'Encyclopedia Search'), search('none', ...tools)],
  };
  expect(await problemsOf(createTopic(ctx, topic))).toEqual([{ path: 'searches[1].tools', ...problem }]);
  await createSearch(ctx, search('edited', 'Encyclopedia Search'));
  expect(await problemsOf(editSearch(ctx, 'edited', { tools }))).toEqual([{ path: 'tools', ...problem }]);
  expect(await problemsOf(addSearches(ctx, 'edited', { searches: [search('none', ...tools)] }))).toHaveLength(
    1,
  );
  const { rows } = await stand.world.db.pool.query('SELECT slug FROM strandline.searches');
  expect(rows).toEqual([{ slug: 'edited' }]);
});

test('a search that lost its sources can be edited otherwise', async () => {
  const { ctx } = stand.world;
  const usual = ctx.missingTools;
  ctx.missingTools = () =>
    Promise.resolve([{ tool: 'Encyclopedia Search', reason: 'source_off', detail: null, observed_at: null }]);
  expect(await editSearch(ctx, 'edited', { prompt: 'rock pools' })).toMatchObject({ changed: true });
  ctx.missingTools = () =>
    Promise.resolve([{ tool: 'Microblog Search', reason: 'source_off', detail: null, observed_at: null }]);
  ctx.missingTools = usual;
});

test('watch leaves out a search none of whose tools has a source, and says why', async () => {
  const { ctx } = stand.world;
  const usual = ctx.missingTools;
  const off = (...tools: readonly Tool[]) => {
    ctx.missingTools = () =>
      Promise.resolve(
        tools.map((tool) => ({ tool, reason: 'source_off', detail: null, observed_at: null }) as const),
      );
  };
  off('Microblog Search');
  expect(await problemsOf(watchTopic(ctx, { text: 'rock pools', postsEvery: '5m' }))).toMatchObject([
    { path: 'posts_every', given: '5m', expected: expect.stringContaining('Microblog Search') as unknown },
  ]);
  const { stderr } = await stand.run(['watch', 'rock pools']);
  expect(stderr).toMatch(/One search instead of two: Microblog Search .*\. With a source, add the other/);
  expect(await stand.json('topic', 'show', 'rock-pools')).toMatchObject({
    searches: [{ slug: 'rock-pools-ai' }],
  });
  off(...TOOLS);
  expect(await problemsOf(watchTopic(ctx, { text: 'kelp' }))).toMatchObject([{ path: 'service' }]);
  ctx.missingTools = usual;
});

test('warns of the tools that have none, on edit and preview', async () => {
  const { stderr } = await stand.run([
    'search',
    'edit',
    'edited',
    '--tools',
    'Web Search,Encyclopedia Search',
  ]);
  const words = 'edited: not searched until you configure a source: Web Search needs a key';
  expect(stderr).toContain(words);
  expect((await stand.run(['search', 'preview', 'edited'])).stderr).toContain(words);
  const refused = await stand.run([
    'search',
    'add',
    'none',
    '--operation',
    'ai',
    '--prompt',
    'x',
    '--every',
    '1h',
    '--tools',
    'Web Search',
  ]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('Web Search needs a key (BRAVE_API_KEY or EXA_API_KEY)');
});

test('a forecast shows calls, cost and once each key that is missing before the first run; preview and API show the same', async () => {
  const { stderr } = await stand.run(['watch', 'storm surge', '--every', '1h']);
  expect(stderr).toContain(
    '48 calls a day and 1,440 in 30 days, at most 96 a day with retries; cost: unknown: the service has not reported',
  );
  expect(stderr.split(/BRAVE_API_KEY or EXA_API_KEY/)).toHaveLength(2);
  expect(stderr.indexOf('48 calls')).toBeLessThan(stderr.indexOf('Watching storm-surge'));
  const preview = {
    calls_per_month: 720,
    most_calls_per_month: 1_440,
    cost_per_month: null,
    missing_tools: MISSING,
  };
  expect(await stand.json('search', 'preview', 'storm-surge-ai')).toMatchObject(preview);
});

test('before the first run, tools with a source and those without are named', () => {
  const searches = [
    { operation: 'microblog', tools: [] },
    { operation: 'ai', tools: ['Web Search', 'Microblog Search', 'Video Search', 'Preprint Search'] },
  ] as const;
  expect(describeToolSources(searches, MISSING)).toBe(
    `Tools with a source: Microblog Search, Preprint Search. Without: ${WORDS}.`,
  );
});
