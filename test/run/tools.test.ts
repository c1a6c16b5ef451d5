/** Coverage by tool: "did not respond" is not "found nothing", in every run and as long as it lasts. */
import { readFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { formatDay } from '../../src/lib/display-format.ts';
import { describeToolCoverage } from '../../src/model/tool-coverage.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { parseLateResponses, replayRun } from '../../src/monitor/runs/late-and-replay.ts';
import { explainMissingTools, findMissingTools } from '../../src/monitor/topics/tool-sources.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch, editSearch, type NewSearch } from '../../src/monitor/topics/save-search.ts';
import { readRun } from '../../src/store/queries/run-list.ts';
import {
  readMissingHostedTools,
  readRunTools,
  readUnresponsiveTools,
} from '../../src/store/queries/run-tools.ts';
import { storeResponse } from '../../src/store/runs/responses.ts';
import { json } from '../stub-service.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { stub, world, rows } = await stubbedWorld();
afterEach(() => stub.answers(json({ miner_tweets: [] })));

const TOOLS = ['Web Search', 'News Forum Search', 'Video Search'];

async function add(slug: string, over: Partial<NewSearch> = {}) {
  return createSearch(world.ctx, {
    slug,
    operation: 'ai',
    prompt: `about ${slug}`,
    every: '1h',
    tools: TOOLS,
    ...over,
  });
}

async function runAgain(slug: string) {
  const { runId } = await insertManualRun(world.ctx, slug);
  return { runId, report: await executeRun(world.ctx, runId) };
}

const group = (n: number) => ({
  organic_results: Array.from({ length: n }, (_, i) => ({
    title: 't',
    link: `https://a.example/${i}`,
    snippet: '',
  })),
});
const silent = (tool: string, code: string, message: string) => [
  { code, tool, message },
  { code: 'tool_unanswered', tool, message: 'no source of this tool responded' },
];
const NEEDS_KEY = silent(
  'Web Search',
  'source_needs_key',
  'web needs a key that is not set: set BRAVE_API_KEY',
);
const FORUM_DOWN = silent('Hacker News Search', 'source_failed', 'hacker-news failed: HTTP 503');

const answer = (forum: number | null) => ({
  hacker_news_search_results: group(forum ?? 0),
  youtube_search_results: group(1),
  completion: { summary: 'x' },
  warnings: [...NEEDS_KEY, ...(forum === null ? FORUM_DOWN : [])],
});

async function describe(runId: bigint): Promise<string | null> {
  return describeToolCoverage(await readRunTools(world.db, [runId]), (at) =>
    formatDay(at, { zone: 'UTC', now: at }),
  );
}

test('a forum that is down for a week: each run says so, and since when', async () => {
  stub.answers(json(answer(12)));
  const { firstRunId } = await add('tides');
  await executeRun(world.ctx, firstRunId);
  expect(await describe(firstRunId)).toBe('2 of 3 tools responded: Web Search needs a key (BRAVE_API_KEY)');
  const first = await readRunTools(world.db, [firstRunId]);
  expect(first.map(({ tool, responded, items, truncated }) => [tool, responded, items, truncated])).toEqual([
    ['News Forum Search', true, 12, true],
    ['Video Search', true, 1, false],
    ['Web Search', false, null, null],
  ]);

  stub.answers(json(answer(null)));
  for (let day = 1; day <= 7; day += 1) {
    world.clock.advance(24 * 3_600_000);
    const { runId, report } = await runAgain('tides');
    expect(report).toMatchObject({ status: 'succeeded' });
    expect(await describe(runId)).toBe(
      '1 of 3 tools responded: News Forum Search failed, no response since 21 Nov; Web Search needs a key (BRAVE_API_KEY)',
    );
    expect(await readRun(world.db, runId)).toMatchObject({
      tools_asked: 3,
      tools_responded: 1,
      tools_silent: 2,
    });
  }
  expect(await readUnresponsiveTools(world.db, { search: 'tides' })).toMatchObject([
    { tool: 'News Forum Search', reason: 'source_failed', searches: 1, search: 'tides' },
    { tool: 'Web Search', reason: 'source_needs_key', last_responded_at: null },
  ]);

  stub.answers(json(answer(3)));
  const { runId } = await runAgain('tides');
  expect(await describe(runId), 'it is back, and only the key is missing').toBe(
    '2 of 3 tools responded: Web Search needs a key (BRAVE_API_KEY)',
  );
});

test('a list that the service says is full counts as cut, however short it is', async () => {
  const message = 'returned 3 of 61 results, the newest among them';
  const warnings = [{ code: 'list_full', tool: 'Hacker News Search', message }];
  stub.answers(json({ ...answer(3), warnings }));
  const { firstRunId } = await add('full');
  await executeRun(world.ctx, firstRunId);
  const tools = await readRunTools(world.db, [firstRunId]);
  const forum = tools.find(({ tool }) => tool === 'News Forum Search');
  expect(forum).toMatchObject({
    responded: true,
    items: 3,
    truncated: true,
    reason: 'list_full',
    detail: message,
  });
  expect(await describe(firstRunId)).toContain('News Forum Search: full list, more may match');
  expect(await readUnresponsiveTools(world.db, { search: 'full' })).toEqual([]);
});

test('the most items of a tool are those of its request: another request has its own limit', async () => {
  stub.answers(json(answer(20)));
  const { firstRunId } = await add('limits');
  await executeRun(world.ctx, firstRunId);
  stub.answers(json(answer(15)));
  const { runId } = await runAgain('limits');
  await editSearch(world.ctx, 'limits', { prompt: 'another prompt' });
  const { runId: edited } = await runAgain('limits');
  const truncated = (await readRunTools(world.db, [firstRunId, runId, edited])).flatMap((row) =>
    row.tool === 'News Forum Search' ? [[row.items, row.truncated]] : [],
  );
  expect(truncated).toEqual([
    [20, true],
    [15, false],
    [15, true],
  ]);
});

test('what a service does not report is unknown; results of a tool that was not asked are', async () => {
  stub.answers(json({ hacker_news_search_results: group(2), youtube_search_results: group(1) }));
  const { firstRunId } = await add('foreign', { tools: ['Web Search', 'News Forum Search'] });
  await executeRun(world.ctx, firstRunId);
  const tools = await readRunTools(world.db, [firstRunId]);
  expect(
    tools.map(({ tool, asked, responded, items, reason }) => [tool, asked, responded, items, reason]),
  ).toEqual([
    ['News Forum Search', true, true, 2, null],
    ['Web Search', true, null, null, 'not_reported'],
    ['Video Search', false, true, 1, null],
  ]);
  expect(await describe(firstRunId)).toBeNull();
  expect(await readRun(world.db, firstRunId)).toMatchObject({
    tools_asked: 2,
    tools_responded: 1,
    tools_silent: 0,
  });
});

test('a search whose only tool needs a key fails with its own code, and its run has the reason', async () => {
  stub.answers(json({ miner_tweets: [], warnings: NEEDS_KEY }));
  const { firstRunId } = await add('keyless', { tools: ['Web Search'] });
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({
    status: 'failed',
    code: 'source_needs_key',
  });
  expect(await describe(firstRunId)).toBe('Web Search needs a key (BRAVE_API_KEY)');
  expect(await readUnresponsiveTools(world.db, { search: 'keyless' })).toHaveLength(1);
});

test('a run that failed as a whole has rows with its code, and a replay replaces them', async () => {
  stub.answers(json({ error: 'no' }, 400));
  const { firstRunId } = await add('refused');
  expect(await executeRun(world.ctx, firstRunId)).toMatchObject({
    status: 'failed',
    code: 'invalid_request',
  });
  const tools = await readRunTools(world.db, [firstRunId]);
  expect(tools.map(({ tool, responded, reason }) => [tool, responded, reason])).toEqual(
    TOOLS.toSorted().map((tool) => [tool, false, 'invalid_request']),
  );
  expect(await describe(firstRunId), 'the code of the run says it').toBeNull();
  expect(await readUnresponsiveTools(world.db, { search: 'refused' })).toEqual([]);

  const receivedAt = new Date(world.clock.now().getTime() + 1_000);
  // The body of the refused call is stored, too.
  await rows(
    `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at)
     SELECT run_id, 2, service_id, fence, 'sent', sent_at FROM strandline.calls WHERE run_id = $1`,
    [firstRunId],
  );
  const body = Buffer.from(JSON.stringify(answer(null)));
  await storeResponse(world.db, {
    runId: firstRunId,
    response: { n: 2, receivedAt, httpStatus: 200, contentType: 'application/json', body },
    latencyMs: 1,
    costUsd: null,
  });
  await parseLateResponses(world.ctx, firstRunId);
  const late = await readRunTools(world.db, [firstRunId]);
  expect(late.map(({ tool, responded, observed_at }) => [tool, responded, observed_at])).toEqual([
    ['News Forum Search', false, receivedAt],
    ['Video Search', true, receivedAt],
    ['Web Search', false, receivedAt],
  ]);
  await replayRun(world.ctx, firstRunId);
  expect(await readRunTools(world.db, [firstRunId]), 'a replay gives equal rows').toEqual(late);
});

test('a run that failed without a call asked no tool', async () => {
  const { firstRunId } = await add('capped');
  const capped = { ...world.ctx, config: { ...world.ctx.config, callsPerDay: 0 } };
  expect(await executeRun(capped, firstRunId)).toMatchObject({ status: 'failed', code: 'budget_exceeded' });
  expect(await readRunTools(world.db, [firstRunId])).toEqual([]);
});

test('a late response in which no tool responded says why, where nothing was known', async () => {
  stub.answers(json({ error: 'no' }, 400));
  const { firstRunId } = await add('late', { tools: ['Web Search'] });
  await executeRun(world.ctx, firstRunId);
  const store = async (n: number, minutes: number, warnings: object[]) => {
    await rows(
      `INSERT INTO strandline.calls (run_id, n, service_id, fence, state, sent_at) SELECT $1, $2, service_id, fence, 'sent', sent_at
       FROM strandline.calls WHERE run_id = $1 AND n = 1 ON CONFLICT DO NOTHING`,
      [firstRunId, n],
    );
    await storeResponse(world.db, {
      runId: firstRunId,
      response: {
        n,
        receivedAt: new Date(world.clock.now().getTime() + minutes * 60_000),
        httpStatus: 200,
        contentType: 'application/json',
        body: Buffer.from(JSON.stringify({ miner_tweets: [], warnings })),
      },
      latencyMs: 1,
      costUsd: null,
    });
    await parseLateResponses(world.ctx, firstRunId);
    return (await readRunTools(world.db, [firstRunId])).map(({ reason }) => reason);
  };
  expect(await store(2, 5, NEEDS_KEY)).toEqual(['source_needs_key']);
  expect(await store(3, 4, silent('Web Search', 'source_quota', 'used up')), 'an older one').toEqual([
    'source_needs_key',
  ]);
});

test('the migration takes from stored completions which tools did not respond', async () => {
  stub.answers(json(answer(null)));
  const { firstRunId } = await add('before');
  await executeRun(world.ctx, firstRunId);
  const statement = /^INSERT INTO [^;]*;$/m.exec(
    await readFile('migrations/0009_run_tools.sql', 'utf8'),
  )?.[0];
  await rows('DELETE FROM strandline.run_tools');
  await rows(statement ?? '');
  const tools = await readRunTools(world.db, [firstRunId]);
  expect(tools.map(({ tool, responded, items, reason }) => [tool, responded, items, reason])).toEqual([
    // One warning has a label of another dialect: it may be about any tool.
    ['News Forum Search', null, null, 'not_reported'],
    ['Video Search', null, null, 'not_reported'],
    ['Web Search', false, null, 'source_needs_key'],
  ]);
  expect(await describe(firstRunId)).toBe(
    '1 of 3 tools did not respond: Web Search needs a key (BRAVE_API_KEY)',
  );
});

test('a hosted service is known by its last responses: a new search on tools that had none is saved, and says so', async () => {
  const ctx = { ...world.ctx, missingTools: () => readMissingHostedTools(world.db) };
  stub.answers(json(answer(null)));
  await add('known');
  await runAgain('known');
  const search = { operation: 'ai', tools: ['News Forum Search', 'Video Search'] } as const;
  const missing = await findMissingTools(ctx, 'hosted', search);
  expect(missing).toMatchObject([{ tool: 'News Forum Search', reason: 'source_failed' }]);
  const day = missing[0]?.observed_at?.toISOString().slice(0, 10);
  expect(explainMissingTools(missing)).toEqual([
    `no results when the hosted service was last asked: News Forum Search failed (${day})`,
  ]);
  await createSearch(ctx, {
    slug: 'unheard',
    operation: 'ai',
    prompt: 'x',
    every: '1h',
    tools: ['News Forum Search'],
  });
  stub.answers(json(answer(1)));
  await runAgain('known');
  expect(await findMissingTools(ctx, 'hosted', search)).toEqual([]);
});
