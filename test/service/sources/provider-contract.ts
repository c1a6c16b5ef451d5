/**
 * What holds for every provider, tested for each by one row: its requests, how its responses parse, and an error
 * without external text if there are none.
 */
import { describe, expect, test } from 'vitest';
import { DAY } from '../../../src/lib/time.ts';
import type { Adapter } from '../../../src/service/sources/adapter.ts';
import {
  type Answer,
  type Answers,
  everyWordOf,
  NOW,
  outageOf,
  query,
  type Request,
  startAdapter,
  startAsking,
  text,
} from './provider.ts';

/** In every failure that a provider answers with, and in every key: no error may repeat it. */
export const CANARY = 'words-of-theirs-canary';

type Asked = {
  method?: string;
  path: string;
  /** All of them. */
  params?: Record<string, string>;
  /** Some of them. */
  headers?: Record<string, string>;
  /** All of it; it is JSON. */
  body?: unknown;
};
type Outage = {
  code: string;
  detail?: string | undefined;
  retryAfterMs?: number | undefined;
  /** How often it is asked; once where nothing is said. */
  requests?: number;
};

export type ProviderRow = {
  /** Its keys contain {@link CANARY}. */
  make: (url: string) => Adapter;
  /** What it answers before any search: a session, a token. */
  before?: Answer[];
  /** Recorded or documented responses of one search, and what they read as. */
  recorded: Answers;
  found: unknown;
  /** What that search asks, after `before`. */
  asked: Asked[];
  /** What that search takes of its allowance, and returns. */
  spent?: number[];
  /** The adapter's members that its terms of use dictate. */
  terms?: Partial<Adapter>;
  /** A response without results, where there may be none. */
  empty: Answer;
  /** JSON, but not the response of a search. */
  frame: Answer;
  /** Results none of which fits. */
  misfits: Answer;
  /** Where it differs from others, and what it alone says; each by its name. */
  outages?: Record<string, [Answer, Outage]>;
  /** Statuses that are read otherwise than by all. */
  statuses?: Partial<Record<401 | 403 | 429 | 500, Outage>>;
  /** What is no JSON. */
  unreadable?: string;
  /** A full page by its number, so many items on it, and the parameter that names the page with its values. */
  pages?: {
    of: (page: number) => Answer;
    size: number;
    limit: number;
    param: string;
    values: (string | undefined)[];
  };
  /** The parameter that says how far back, and its value for the days of {@link WINDOWS}. */
  windows?: [param: string, ...values: (string | undefined)[]];
  /** The parameter with the words, and what is tried where nothing is found. */
  attempts?: [param: string, ...values: string[]];
  /** The one small request that shows whether it answers. */
  probe?: { asked: Asked; answer: Answer };
};

const WINDOWS = [1, 2, 7, 14, 30, 60, 365, 730];
const failure = (status: number) => text(CANARY, status, { 'retry-after': status === 429 ? '7' : '' });

function compareRequests(requests: readonly Request[], asked: readonly Asked[]): void {
  expect(requests.map(({ path }) => path)).toEqual(asked.map(({ path }) => path));
  for (const [i, { method = 'GET', params, headers = {}, body }] of asked.entries()) {
    const request = requests[i];
    expect(request?.method).toBe(method);
    if (params !== undefined) expect(request?.params).toEqual(params);
    if (body !== undefined) expect(JSON.parse(request?.body ?? '')).toEqual(body);
    expect(request?.headers).toMatchObject(headers);
    expect(request?.headers['user-agent']).toContain('strandline');
    // Addresses end up in the logs of whoever stands between.
    expect(request?.target).not.toContain(CANARY);
  }
}

export function describeProvider(row: ProviderRow): void {
  const { before = [], recorded, pages, windows, attempts, probe } = row;
  const start = async (...[first, ...others]: Answers) => {
    const [opening = first, ...rest] = [...before, first, ...others];
    const started = await startAdapter(row.make, opening, ...rest);
    const searches = () => started.provider.requests.slice(before.length);
    /** Without what is asked beside them. */
    const pagesAsked = () => searches().filter(({ path }) => path === row.asked[0]?.path);
    return { ...started, searches, pagesAsked };
  };

  describe('as every provider', () => {
    test('reads what was recorded, and asks for it in these words', async () => {
      const { find, searches, adapter, spent } = await start(...recorded);
      expect(await find()).toEqual(row.found);
      compareRequests(searches(), row.asked);
      expect(spent).toEqual(row.spent ?? []);
      expect(adapter).toMatchObject(row.terms ?? {});
    });

    test('finds nothing where there is nothing', async () => {
      const { find } = await start(row.empty);
      expect(await find()).toEqual([]);
    });

    test.each<[string, Answer, Outage]>([
      ['401', failure(401), { code: 'source_refused', detail: 'HTTP 401', ...row.statuses?.[401] }],
      ['403', failure(403), { code: 'source_refused', detail: 'HTTP 403', ...row.statuses?.[403] }],
      ['429', failure(429), { code: 'source_busy', retryAfterMs: 7_000, ...row.statuses?.[429] }],
      ['500', failure(500), { code: 'source_failed', detail: 'HTTP 500', ...row.statuses?.[500] }],
      [
        'what is no JSON',
        text(`<html>${CANARY}`),
        { code: 'source_failed', detail: row.unreadable ?? 'the response is not JSON' },
      ],
      ['another frame', row.frame, { code: 'source_failed', detail: 'unexpected response format' }],
      ['results that do not fit', row.misfits, { code: 'source_failed', detail: 'unexpected item format' }],
      ...Object.entries(row.outages ?? {}).map(
        ([name, outage]) => [name, ...outage] satisfies [string, Answer, Outage],
      ),
    ])('says why there is nothing: %s', async (_, answer, { requests = 1, ...expected }) => {
      const { outage, searches } = await start(answer);
      const down = await outage();
      expect(down).toMatchObject(expected);
      expect(searches()).toHaveLength(requests);
      expect(everyWordOf(down)).not.toContain(CANARY);
    });

    test('ends with the one who asked', async () => {
      const gone = new AbortController();
      const { adapter } = await start(() => gone.abort(new Error('gone')));
      await expect(adapter.find(query(), startAsking(gone.signal).asking)).rejects.toThrow('gone');
    });

    if (pages !== undefined)
      test('reads page after page, no more than are of use, and loses none that came', async () => {
        const { of, size, limit, param, values } = pages;
        const all = await start(...(values.map((_, n) => of(n)) as Answers), of(values.length));
        expect(await all.find({ limit })).toHaveLength(size * values.length);
        expect(all.pagesAsked().map(({ params }) => params[param])).toEqual(values);
        const enough = await start(of(0), of(1));
        expect(await enough.find({ limit: size })).toHaveLength(size);
        expect(enough.pagesAsked()).toHaveLength(1);
        const cut = await start(of(0), failure(500));
        expect(await cut.find({ limit })).toHaveLength(size);
        expect(cut.cuts).toMatchObject([{ code: 'source_failed', detail: 'HTTP 500' }]);
      });

    if (windows !== undefined)
      test('asks as far back as the window reaches', async () => {
        const [param, ...values] = windows;
        const { find, searches } = await start(row.empty);
        const firsts: (string | undefined)[] = [];
        for (const days of WINDOWS) {
          const earlier = searches().length;
          await find({ from: new Date(NOW.getTime() - days * DAY) });
          firsts.push(searches()[earlier]?.params[param]);
        }
        expect(firsts).toEqual(values);
      });

    if (attempts !== undefined)
      test('tries fewer words where it finds nothing', async () => {
        const [param, ...values] = attempts;
        const many = {
          prompt: 'Do tidal turbines really harm the fish of the sound, or seals?',
          keywords: ['turbines', 'tidal', 'fish', 'sound', 'seals'],
        };
        const { find, searches, provider } = await start(row.empty);
        expect(await find(many)).toEqual([]);
        expect(searches().map(({ params }) => params[param])).toEqual(values);
        provider.requests.length = 0;
        provider.answers(row.empty, ...recorded);
        expect(await find({ ...many, from: undefined })).not.toEqual([]);
        expect(provider.requests).toHaveLength(2);
      });

    if (probe !== undefined)
      test('is probed by one small request', async () => {
        const { adapter, asking, provider } = await startAdapter(row.make, probe.answer, failure(502));
        await adapter.probe?.(asking);
        compareRequests(provider.requests, [probe.asked]);
        const down = await outageOf(adapter.probe?.(asking) ?? Promise.resolve());
        expect(down).toMatchObject({ code: 'source_failed', detail: 'HTTP 502' });
      });
  });
}
