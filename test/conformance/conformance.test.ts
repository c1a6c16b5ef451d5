/** The check itself: our own service passes all of it in every dialect, and a wrong one fails where it is wrong. */
import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { programOf } from '../programs.ts';
import { stubSource } from '../service/stub-source.ts';
import { type Client, KEY, startForTest } from '../service/running.ts';
import { judgeAiAnswer, judgeMicroblogAnswer } from './answers.ts';
import { readNames } from './names.ts';
import { type Check, createReport, linesOf, summaryOf } from './report.ts';
import { walk } from './walk.ts';
import { startWrongService } from './wrong-service.ts';

let service: Client;
beforeAll(async () => {
  service = await startForTest({ clock: systemClock, live: [stubSource('web', async () => [])] });
});
afterAll(() => service.close());

describe.each(['neutral', 'named', 'named-2026'])('our own service, %s,', (name) => {
  const names = readNames(name);
  const below = name === 'named-2026' ? '/2026' : '';

  test('passes every check of the specification and every check beyond it', async () => {
    const { report } = await walk({ url: `${service.url}/sandbox${below}`, names, key: KEY, brief: false });
    const checks = report.checks();
    expect(linesOf(checks.filter(({ outcome }) => outcome !== 'ok'))).toEqual([]);
    expect(checks.length).toBeGreaterThan(name === 'named-2026' ? 110 : 120);
  });

  test('is checked in six calls', async () => {
    const { report, calls } = await walk({ url: `${service.url}${below}`, names, key: KEY, brief: true });
    expect(calls).toBeLessThanOrEqual(6);
    expect(summaryOf(report.checks())).toMatchObject({ failed: 0, differs: 0, unseen: 0 });
  });

  test('breaks no rule when nothing is found and sources are missing', async () => {
    const { report } = await walk({ url: `${service.url}/live${below}`, names, key: KEY, brief: false });
    expect(summaryOf(report.checks())).toMatchObject({ failed: 0, differs: 0 });
  });
});

describe('a non-conforming server', () => {
  let checks: Check[];
  beforeAll(async () => {
    const wrong = await startWrongService();
    const { report } = await walk({ url: wrong.url, names: readNames('neutral'), key: 'k', brief: false });
    checks = report.checks();
    await wrong.close();
  });
  const outcomeOf = (says: string) =>
    checks.filter((check) => check.says.includes(says)).map(({ outcome }) => outcome);

  test.each([
    'video_search_results is there when its tool is selected',
    'encyclopedia_search_results is there when its tool is selected',
    'link is a URL',
    'snippet is a string',
    'with_metadata is absent on the other groups',
    'with_metadata is a boolean on Preprint Search',
    'text_chunks joined are the microblog summary',
    'completion_links are among search_completion_links',
    'key_news is an array',
    'news_forum_summary is a string',
    'id is a string that is not empty',
    'like_count is an integer',
    'view_count is an integer',
    'repost_count is an integer',
    'verified is a boolean',
    'created_at is an ISO 8601 UTC timestamp',
    'quote is a string or null',
    'quoted_status_id is a string or null',
    'media is an array',
    'nobody is answered without a key',
  ])('breaks a rule: %s', (says) => {
    expect(outcomeOf(says).length).toBeGreaterThan(0);
    for (const outcome of outcomeOf(says)) expect(outcome).toBe('failed');
  });

  test.each([
    'A without a key is 401',
    'A with a model that there is not is 422',
    'preprint_search_results is absent when its tool is not selected',
    'ends with [DONE]',
    'holds its completion',
    'holds no error',
  ])('is reported where the specification is silent: %s', (says) => {
    expect(outcomeOf(says)).toEqual(['differs']);
  });

  test('passes the checks that it satisfies', () => {
    expect(outcomeOf('summary is a string')).toContain('ok');
    expect(outcomeOf('title is a string')).toEqual(['ok']);
  });
});

describe('a response in another form than that of 2026', () => {
  const names = readNames('named-2026');
  const entity = { hashtags: [{ text: 'tide' }] };
  const post = {
    id: '1',
    text: 'x',
    created_at: '2026-11-20T10:00:00Z',
    like_count: null,
    quote: 'text',
    entities: entity,
  };
  const judged = (judge: (report: ReturnType<typeof createReport>) => void, outcome: string) => {
    const report = createReport();
    judge(report);
    return report.checks().flatMap((check) => (check.outcome === outcome ? [check.says] : []));
  };

  test('fails where it differs', () => {
    const answer = {
      search: { organic_results: [] },
      reddit_search: [{ title: 'x' }],
      completion: {},
      text: null,
    };
    const tools = ['Web Search', 'Discussion Board Search'];
    expect(judged((report) => judgeAiAnswer(report, names, answer, tools), 'failed')).toEqual([
      'completion is a string, or null',
      'search is an array when its tool is selected',
      'link is a URL',
      'snippet is a string',
    ]);
    const posts = { miner_tweets: [post] };
    const failed = judged((report) => judgeMicroblogAnswer(report, names, posts), 'failed');
    expect(failed).toEqual(
      expect.arrayContaining([
        'like_count is an integer',
        'quote is a post, or null',
        'hashtags.indices is two integers, or none',
      ]),
    );
    expect(failed).not.toContain('view_count is an integer, or null');
  });

  test('differs if a group is there that was not selected', () => {
    const answer = { search: [], tweets: [], text: null, completion: '' };
    const says = 'tweets is absent when its tool is not selected';
    expect(judged((report) => judgeAiAnswer(report, names, answer, ['Web Search']), 'differs')).toEqual([
      says,
    ]);
  });
});

test('names can come from a separate file', () => {
  const names = readNames(new URL('names.example.json', import.meta.url).pathname);
  expect([names.prefix, names.microblogPath]).toEqual(['v1', 'ai/search/links/microblog']);
  expect([names.tool('Video Search'), names.tool('Web Search')]).toEqual(['Film Search', 'Web Search']);
  expect(names.member('repost_count')).toBe('boost_count');
});

describe('the command', () => {
  const run = (args: readonly string[], program = [programOf('test/conformance/run.ts')]) =>
    new Promise<{ code: number | string | null | undefined; out: string }>((resolve) => {
      execFile(process.execPath, [...program, ...args], (error, out) => {
        resolve({ code: error === null ? 0 : error.code, out });
      });
    });

  test('prints one line per check and a summary', async () => {
    // As `npm run conformance` starts it.
    const source = ['--import', 'tsx', new URL('run.ts', import.meta.url).pathname];
    const { code, out } = await run(
      ['--url', service.url, '--key', KEY, '--names', 'named', '--brief', '--strict'],
      source,
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {6}Resources \/ Search result item: title is a string \(\d+\)$/m);
    expect(out).toMatch(/^\d+ ok, 0 failed, 0 differs, 0 unseen; 6 calls$/m);
  });

  test('fails when a rule is broken or an argument is invalid', async () => {
    const wrong = await startWrongService();
    const { code, out } = await run(['--url', wrong.url, '--key', 'k', '--brief', '--json']);
    await wrong.close();
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ calls: 6, summary: { failed: expect.any(Number) as number } });
    expect((await run(['--url', 'x'])).code).toBe(2);
    expect((await run(['--what'])).code).toBe(2);
  });
});
