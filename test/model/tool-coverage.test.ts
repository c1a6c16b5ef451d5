import { expect, test } from 'vitest';
import { describeToolCoverage, type ToolCoverage } from '../../src/model/tool-coverage.ts';

const now = new Date('2026-11-21T12:00:00Z');
const tool = (over: Partial<ToolCoverage>): ToolCoverage => ({
  tool: 'Web Search',
  asked: true,
  responded: true,
  items: 3,
  reason: null,
  detail: null,
  observed_at: now,
  last_responded_at: null,
  ...over,
});
const silent = (
  name: ToolCoverage['tool'],
  reason: ToolCoverage['reason'],
  over: Partial<ToolCoverage> = {},
) => tool({ tool: name, responded: false, items: null, reason, ...over });
const describe = (...tools: ToolCoverage[]) =>
  describeToolCoverage(tools, (at) => at.toISOString().slice(0, 10));

test('nothing is said where all tools responded, or nothing is known', () => {
  expect(describe()).toBeNull();
  expect(describe(tool({}), tool({ tool: 'Video Search' }))).toBeNull();
  expect(
    describe(tool({}), tool({ tool: 'Video Search', responded: null, reason: 'not_reported' })),
  ).toBeNull();
});

test('names each tool that did not respond, why, and what to set', () => {
  expect(
    describe(
      tool({ tool: 'Encyclopedia Search' }),
      silent('Web Search', 'source_needs_key', {
        detail: 'web needs a key that is not set: set BRAVE_API_KEY, or EXA_API_KEY\u001b[2J<b>',
      }),
      silent('Discussion Board Search', 'tool_unanswered'),
      tool({ tool: 'Microblog Search', asked: false }),
    ),
  ).toBe(
    '1 of 3 tools responded: Web Search needs a key (BRAVE_API_KEY or EXA_API_KEY); Discussion Board Search did not respond',
  );
});

test('names tools whose lists were full', () => {
  const full = tool({ tool: 'Web Search', reason: 'list_full' });
  expect(describe(full, tool({ tool: 'Video Search' }))).toBe('Web Search: full list, more may match');
  expect(describe(full, silent('Video Search', 'source_quota'))).toBe(
    '1 of 2 tools responded: Video Search has used up its allowance; Web Search: full list, more may match',
  );
});

test('a silence of a day or longer has its date', () => {
  const last = (hours: number) => ({ last_responded_at: new Date(now.getTime() - hours * 3_600_000) });
  expect(describe(tool({}), silent('Video Search', 'source_quota', last(23)))).toBe(
    '1 of 2 tools responded: Video Search has used up its allowance',
  );
  expect(describe(silent('News Forum Search', 'source_failed', last(168)))).toBe(
    'News Forum Search failed, no response since 2026-11-14',
  );
});

test('a run that failed as a whole is described by its code', () => {
  expect(
    describe(silent('Web Search', 'timeout_headers'), silent('Video Search', 'timeout_headers')),
  ).toBeNull();
});
