/** With a source down for a week, every command that speaks of its runs says so. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../stub-service.ts';
import { makeStand, type Printed, type Stand } from './stand.ts';

let stand: Stand;
let watched: Printed;
let runId: string;

const DOWN = [
  { code: 'source_failed', tool: 'Hacker News Search', message: 'hacker-news failed: HTTP 503' },
  { code: 'tool_unanswered', tool: 'Hacker News Search', message: 'no source of this tool responded' },
];
const UNSET = [
  {
    code: 'source_needs_key',
    tool: 'Web Search',
    message: 'web needs a key that is not set: set BRAVE_API_KEY',
  },
  { code: 'tool_unanswered', tool: 'Web Search', message: 'no source of this tool responded' },
];

beforeAll(async () => {
  stand = await makeStand();
  let warnings = UNSET;
  stand.stub.answers((request, response) =>
    json(
      request.path.includes('twitter')
        ? { miner_tweets: [] }
        : {
            hacker_news_search_results: { organic_results: [] },
            completion: { summary: `Nothing new at ${stand.world.clock.now().toISOString()}.` },
            warnings,
          },
    )(request, response),
  );
  watched = await stand.run(['watch', 'tide pools']);
  warnings = [...UNSET, ...DOWN];
  stand.world.clock.advance(7 * 24 * 3_600_000);
  ({ id: runId } = await stand.json<{ id: string }>('search', 'run', 'tide-pools-ai', '--wait'));
});
afterAll(() => stand.close());

const FORUM = 'News Forum Search failed, no response since 2026-11-21';
const WEB = 'Web Search needs a key (BRAVE_API_KEY)';
const plain = (text: string) => text.replace(/\s+/g, ' ');

test('watch says which tools of its first run did not respond', () => {
  expect(watched.code, watched.stderr).toBe(0);
  expect(plain(watched.stderr)).toContain(`tide-pools-ai: 6 of 7 tools responded: ${WEB}`);
  expect(watched.stderr).not.toContain('News Forum');
});

describe('a week later', () => {
  test.each([
    ['runs show', () => ['runs', 'show', runId]],
    ['search show', () => ['search', 'show', 'tide-pools-ai']],
    ['completions show', () => ['completions', 'show', 'tide-pools-ai']],
    ['runs replay', () => ['runs', 'replay', runId]],
  ])('%s has the sentence about its run', async (_, argv) => {
    const { code, stdout } = await stand.run(argv());
    expect(code).toBe(0);
    expect(plain(stdout)).toContain(`5 of 7 tools responded: ${FORUM}; ${WEB}`);
  });

  test('runs show lists the tools, and has them in JSON', async () => {
    const { stdout } = await stand.run(['runs', 'show', runId]);
    expect(stdout).toMatch(/News Forum Search +no response +– +failed/);
    const { tools } = await stand.json<{ tools: { tool: string; last_responded_at: string | null }[] }>(
      'runs',
      'show',
      runId,
    );
    expect(tools).toHaveLength(7);
    expect(tools.find(({ tool }) => tool === 'News Forum Search')?.last_responded_at).toBe(
      '2026-11-21T12:00:00.000Z',
    );
  });

  test('runs list says how many did not respond', async () => {
    const { stdout } = await stand.run(['runs', 'list', '--search', 'tide-pools-ai']);
    expect(stdout).toContain('2 of 7 tools did not respond');
    expect(stdout).toContain('baseline; 1 of 7 tools did not respond');
  });

  test('new says what its results lack', async () => {
    const { stderr } = await stand.run(['new', '--topic', 'tide-pools']);
    // A source without a key is left out on purpose: only `status` and the saving of a search name it.
    expect(plain(stderr)).toContain(`Not observed: ${FORUM} (tide-pools-ai).`);
    expect(stderr).not.toContain('BRAVE_API_KEY');
    expect((await stand.run(['new', '--search', 'tide-pools-posts'])).stderr).not.toContain('Not observed');
  });

  test('status names them', async () => {
    const { stdout } = await stand.run(['status']);
    expect(plain(stdout)).toContain(`tools ${FORUM} (tide-pools-ai) ${WEB} (tide-pools-ai)`);
  });
});
