/** Long computations leave the event loop to others: counted in turns, not in time. */
import { expect, test, vi } from 'vitest';
import { createSlices, takeTurn } from '../../src/service/event-loop-turns.ts';
import { readEvidence } from '../../src/service/answering/evidence.ts';
import { SOURCES } from '../../src/model/enumerations.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { runAiSearch } from '../../src/service/ai-search.ts';
import { COMPLETION_ROLES } from '../../src/service/answering/completion-draft.ts';
import { createSandboxSources } from '../../src/service/sandbox/sandbox-sources.ts';
import { searchEntries } from '../../src/service/sources/feeds/feed-search.ts';
import { found } from './answer/found.ts';
import { query } from './sources/provider.ts';
import { NOON } from './running.ts';

/** Counts turns of the event loop during some work. */
async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const next = () => {
    turns += 1;
    if (!isDone) setImmediate(next);
  };
  setImmediate(next);
  await work();
  isDone = true;
  return turns;
}

test('computations that wait at once get one turn each', async () => {
  let turn = 0;
  const next = () => {
    turn += 1;
    if (turn < 100) setImmediate(next);
  };
  setImmediate(next);
  const turns = await Promise.all(Array.from({ length: 5 }, () => takeTurn().then(() => turn)));
  expect(new Set(turns).size).toBe(5);
});

test('a short computation takes no turn', async () => {
  const slices = createSlices();
  expect(await countTurns(slices)).toBe(0);
});

test('a response of seven tools takes a turn for each search, ranking and text, and more if they are long', async () => {
  const ctx = {
    sources: createSandboxSources(),
    log: createLogger('silent'),
    model: undefined,
    webGroup: false,
  };
  const request = {
    prompt: 'lunar lander',
    selected: SOURCES,
    model: 'NOVA',
    dateFilter: 'PAST_YEAR',
    count: 200,
    at: new Date(NOON),
  } as const;
  const form = { answers: 'flat', linksOnly: false } as const;
  const turns = await countTurns(() => runAiSearch(ctx, request, form, new AbortController().signal));
  expect(turns).toBeGreaterThanOrEqual(7 + 7 + COMPLETION_ROLES.length);
});

test('a search of many feed entries takes turns, and parses no link that is not asked for', async () => {
  const entries = Array.from({ length: 20_000 }, (_, i) => ({
    title: 'tidal',
    link: `https://a.example/${i}`,
    text: 'tidal turbines '.repeat(100),
    publishedAt: new Date(NOON).toISOString(),
  }));
  const parsed = vi.spyOn(globalThis, 'URL');
  let matching: readonly unknown[] = [{}];
  const turns = await countTurns(async () => {
    matching = await searchEntries(
      { entries, isShown: () => true, isCurrent: true },
      query({ prompt: 'lunar', keywords: ['lunar'] }),
    );
  });
  expect(matching).toEqual([]);
  expect(parsed).not.toHaveBeenCalled();
  parsed.mockRestore();
  expect(turns).toBeGreaterThan(0);
});

test('the best 40 of a source are read for the completion, however many there are', async () => {
  const items = Array.from({ length: 200 }, (_, i) =>
    found('web', `The turbine number ${i} turned for the first time on Monday.`, { place: 200 - i }),
  );
  const read = await readEvidence(new Map([['web', items]]));
  expect(read.map(({ place }) => place)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
});
