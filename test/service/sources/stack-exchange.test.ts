import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { stackExchange } from '../../../src/service/sources/providers/stack-exchange.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { type Answer, json, query, sample, startAdapter, text } from './provider.ts';
import { item, startLive } from './living.ts';

const make = (at: string) => stackExchange({ sites: ['stackoverflow'], at });
const throttled = {
  error_id: 502,
  error_message: 'too many requests from this IP, more requests available in 67194 seconds',
  error_name: 'throttle_violation',
};
const none = json({ items: [], has_more: false, quota_max: 300, quota_remaining: 299 });

describeProvider({
  make,
  recorded: [json(sample('stack-exchange.search.json'))],
  found: [
    {
      source: 'discussion_board',
      title: 'Why is processing a sorted array faster than processing an unsorted array?',
      link: 'https://stackoverflow.com/questions/11227809/why-is-processing-a-sorted-array-faster-than-processing-an-unsorted-array',
      snippet:
        'In this C++ code, sorting the data (before the timed region) makes the primary loop ~6x faster:\n#include <algorithm>',
      summaryDescription: '',
      asks: true,
      publishedAt: new Date('2012-06-27T13:51:36Z'),
      engagement: 27_544,
    },
    expect.objectContaining({
      title: 'Opacity in IE8 works on <p> but not on <a>',
      snippet: '',
    }),
  ],
  asked: [
    {
      path: '/2.3/search/advanced',
      params: {
        q: 'tidal turbines',
        site: 'stackoverflow',
        sort: 'creation',
        order: 'desc',
        pagesize: '10',
        filter: 'withbody',
        fromdate: '1794657600',
        todate: '1795262400',
      },
    },
  ],
  spent: [1],
  empty: none,
  frame: json({ questions: [] }),
  misfits: json({ items: [{ question_id: 1 }] }),
  outages: {
    'too many requests': [json(throttled, 400), { code: 'source_busy', retryAfterMs: 3_600_000 }],
    'a question it does not accept': [
      json({ error_id: 400, error_name: 'bad_parameter', error_message: CANARY }, 400),
      { code: 'source_refused', detail: 'HTTP 400' },
    ],
  },
  attempts: ['q', 'tidal turbines fish', 'tidal turbines'],
  probe: {
    asked: { path: '/2.3/search/advanced', params: { q: 'news', site: 'stackoverflow', pagesize: '1' } },
    answer: none,
  },
});

test('reads compressed responses, which are all that it sends', async () => {
  const compressed: Answer = (request, response) => {
    expect(request.headers['accept-encoding']).toContain('gzip');
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(JSON.stringify(sample('stack-exchange.search.json'))));
  };
  const { find } = await startAdapter(make, compressed);
  expect(await find()).toHaveLength(2);
});

test('keeps the pause that it asks for, and tries no further words meanwhile', async () => {
  const { find, rests, provider } = await startAdapter(make, json({ items: [], backoff: 10 }));
  expect(await find({ prompt: 'a b c', keywords: ['a', 'b', 'c'] })).toEqual([]);
  expect(rests).toEqual([10_000]);
  expect(provider.requests).toHaveLength(1);
});

test('rests for an hour when its quota is used up', async () => {
  const { find, rests } = await startAdapter(make, json({ items: [], quota_remaining: 0 }));
  await find();
  expect(rests).toEqual([3_600_000]);
});

test('several sites: a failing one costs its own results; a key raises the quota', async () => {
  const sites = ['stackoverflow', 'unix'];
  const answer: Answer = (request, response) =>
    request.params['site'] === 'unix'
      ? text(CANARY, 500)(request, response)
      : json(sample('stack-exchange.search.json'))(request, response);
  const both = await startAdapter((at) => stackExchange({ sites, key: CANARY, at }), answer);
  expect(await both.find()).toHaveLength(2);
  expect(both.cuts).toMatchObject([{ code: 'source_failed', detail: 'HTTP 500' }]);
  expect(both.provider.requests.map(({ params }) => params['key'])).toEqual([CANARY, CANARY]);
  expect(both.adapter.allowance?.most).toBe(10_000);
  const failing = await startAdapter((at) => stackExchange({ sites, at }), text('', 500));
  expect(await failing.outage()).toMatchObject({ code: 'source_failed' });
  expect(failing.adapter).toMatchObject({
    title: 'Stack Exchange (stackoverflow, unix)',
    allowance: { most: 300 },
  });
});

test('a source that asks for a pause is left alone for so long, though it answered', async () => {
  const { source, clock } = startLive({
    find: async (_, { rest }) => {
      rest(10_000);
      return [item()];
    },
  });
  expect(await source.find(query())).toHaveLength(1);
  await expect(source.find(query({ prompt: 'other' }))).rejects.toMatchObject({
    code: 'source_busy',
    retryAfterMs: 10_000,
  });
  expect(await source.find(query())).toHaveLength(1); // from the cache
  clock.advance(10_000);
  expect(await source.find(query({ prompt: 'other' }))).toHaveLength(1);
});
