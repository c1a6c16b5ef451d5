/** `npm run sources:check` against providers that respond as expected, differently, with nothing, and not at all. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { optionalField, parseFittingItems, parsePayload } from '../../src/service/sources/parse/payload.ts';
import { hackerNews } from '../../src/service/sources/providers/hacker-news.ts';
import { programOf } from '../programs.ts';
import { makeDirectory } from '../temporary.ts';
import { memoryPorts } from '../service/sources/memory-ports.ts';
import { AGENT, type Answer, json, startProvider, text } from '../service/sources/provider.ts';
import { checkSource } from './check.ts';
import { createFormatReport } from './format.ts';

const story = (more: object = {}) => ({
  objectID: '1',
  created_at_i: Math.floor(systemClock.now().getTime() / 1_000) - 3_600,
  title: 'A story',
  url: 'https://a.example/',
  points: 3,
  num_comments: 1,
  story_text: null,
  ...more,
});
const hits = (...all: unknown[]) => json({ hits: all });

async function check(answer: Answer) {
  const { url, requests } = await startProvider(answer);
  const means = { clock: systemClock, log: createLogger('silent'), ports: memoryPorts(systemClock) };
  const checked = await checkSource(hackerNews({ at: url }), { ...means, who: 'test', agent: AGENT });
  return { ...checked, requests };
}

describe('a source', () => {
  test('is ok if everything is as its adapter expects', async () => {
    const { requests, ...checked } = await check(hits(story(), story({ objectID: '2' })));
    expect(checked).toMatchObject({ outcome: 'ok', results: 2, dated: 2, differences: [] });
    expect(checked.unseen).toEqual(['item.story_title', 'item.comment_text']);
    expect(requests.map(({ params }) => params['query'])).toEqual(['python']);
  });

  test.each<[what: string, answer: Answer, outcome: string, differences: unknown[]]>([
    [
      'a required member that some items lack',
      hits(story(), story({ created_at_i: undefined })),
      'differs',
      ['item.created_at_i: missing in 1 of 2'],
    ],
    [
      'an optional member of another type',
      hits(story({ points: '3' })),
      'differs',
      [expect.stringMatching(/^item\.points: unexpected in 1 of 1 \(.*expected number, received string\)$/)],
    ],
    [
      'a response of another format',
      json({ results: [] }),
      'failed',
      ['failed: unexpected response format', 'response.hits: missing in 1 of 1'],
    ],
    [
      'items of another format',
      hits({ id: 1 }),
      'failed',
      [
        'failed: unexpected item format',
        'item.objectID: missing in 1 of 1',
        'item.created_at_i: missing in 1 of 1',
      ],
    ],
    ['no results', hits(), 'empty', ['nothing found for "python" in 30 days']],
    [
      'results outside of the period',
      hits(story({ created_at_i: 1 })),
      'differs',
      ['older than asked for in 1 of 1 results'],
    ],
    ['a page instead of data', text('<html>'), 'failed', ['failed: the response is not JSON']],
    ['an error', json({}, 503), 'failed', ['failed: HTTP 503']],
    [
      'no response',
      (_request, response) => void response.destroy(),
      'unreached',
      [expect.stringMatching(/^failed: no response \(/)],
    ],
  ])('with %s', async (_what, answer, outcome, differences) => {
    expect(await check(answer)).toMatchObject({ outcome, differences });
  });
});

test('members are compared inside of lists, and of schemas that replace or transform', () => {
  const schema = z.object({
    rows: z.array(
      z.object({ at: z.string().transform(Date.parse), by: optionalField(z.object({ name: z.string() })) }),
    ),
    page: z.int().nullable().default(null),
  });
  const report = createFormatReport();
  const value = { rows: [{ at: 'x', by: { nick: 'a' } }, { at: 5 }, {}], page: null };
  report.add({ of: 'response', schema, values: [value] });
  expect(report.differences()).toEqual([
    'response.rows[].at: missing in 1 of 3',
    expect.stringContaining('response.rows[].at: unexpected in 1 of 3'),
    'response.rows[].by.name: missing in 1 of 1',
  ]);
  expect(report.unseen()).toEqual([]);
});

test('without a check, nothing is published', () => {
  const schema = z.object({ a: z.string() });
  expect(parseFittingItems(parsePayload('[{"a":"x"}]', z.array(z.unknown())), schema)).toEqual([{ a: 'x' }]);
});

describe('the command', () => {
  let directory: string;
  let at: { url: string };
  beforeEach(async () => {
    directory = await makeDirectory();
    at = await startProvider(hits(story()));
  });

  const run = (
    args: readonly string[],
    env: Record<string, string>,
    program = [programOf('test/provider-check/run.ts')],
  ) =>
    new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
      const { PATH = '' } = process.env;
      const options = { env: { PATH, STRANDLINE_DATA_DIR: directory, ...env } };
      execFile(process.execPath, [...program, ...args], options, (error, out, err) => {
        resolve({ code: error === null ? 0 : error.code, out, err });
      });
    });
  const only = (url: string) => ({
    SERVICE_SOURCES: 'hacker-news',
    SERVICE_SOURCE_URLS: `hacker-news=${url}`,
  });

  test('shows one row per source, and what is off', async () => {
    // As `npm run sources:check` starts it.
    const source = ['--import', 'tsx', path.join(import.meta.dirname, 'run.ts')];
    const { code, out } = await run([], only(at.url), source);
    expect(out).toMatch(/^source +outcome +results +dated +ms\nhacker-news +ok +1 +1 +\d+\n/);
    expect(out).toMatch(/^off: .*brave \(needs BRAVE_API_KEY\)/m);
    expect(code).toBe(0);
  });

  test('exits with 1 if something differs, also as JSON', async () => {
    const { url } = await startProvider(hits(story({ title: 7 })));
    const { code, out } = await run(['hacker-news', '--json'], only(url));
    expect(JSON.parse(out)).toMatchObject({ checks: [{ name: 'hacker-news', outcome: 'empty' }] });
    expect(code).toBe(1);
  });

  test('says that there is no network', async () => {
    const { url } = await startProvider((_request, response) => void response.destroy());
    const { code, out, err } = await run([], only(url));
    expect(out).toMatch(/^hacker-news +unreached/m);
    expect(err).toBe('No network: none of 1 providers could be reached. Nothing is known about them.\n');
    expect(code).toBe(2);
  });

  test.each([
    [['brave'], 'got "brave"; a configured source: it needs BRAVE_API_KEY'],
    [['nobody'], 'got "nobody"; one of hacker-news'],
    [['--what'], 'npm run -s sources:check'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run(args, only(at.url));
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  test('has nothing to check in the sandbox', async () => {
    const { code, err } = await run([], { SERVICE_SOURCES: 'sandbox' });
    expect(err).toContain('no source to check');
    expect(code).toBe(2);
  });
});
