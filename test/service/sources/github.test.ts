import { expect, test } from 'vitest';
import { github } from '../../../src/service/sources/providers/github.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, NOW, sample, startAdapter } from './provider.ts';

const make = (at: string) => github({ at, token: CANARY });
const WINDOW = 'in:title is:issue created:2026-11-14T12:00:00Z..2026-11-21T12:00:00Z';
const none = json({ total_count: 0, incomplete_results: false, items: [] });

describeProvider({
  make,
  recorded: [json(sample('github.search.json'))],
  found: [
    {
      source: 'discussion_board',
      title: 'Support for specifying a release asset label at upload',
      link: 'https://github.com/sigmavirus24/github3.py/issues/435',
      snippet:
        "Currently (looking at the develop branch) Release.upload_asset doesn't allow you to specify the label given to the asset. You have to make a second edit(label='...') call on the returned asset to set the label.\nSetting the label during asset upload is supported by Github: https://developer.github.com/v3/repos/releases/#upload-a-release-asset",
      summaryDescription: '',
      publishedAt: new Date('2015-09-07T10:04:13Z'),
      engagement: 5,
    },
    expect.objectContaining({ title: 'GitHub integration images', snippet: '', engagement: 4 }),
  ],
  asked: [
    {
      path: '/search/issues',
      params: { q: `tidal turbines ${WINDOW}`, per_page: '10', sort: 'created', order: 'desc' },
      headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${CANARY}` },
    },
  ],
  terms: { pace: { perMinute: 28, burst: 10 } },
  empty: none,
  frame: json({ total_count: 1 }),
  misfits: json({ items: [{ id: 1 }] }),
  outages: {
    'its limit': [
      json({ message: CANARY }, 403, {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(NOW.getTime() / 1_000 + 40),
      }),
      { code: 'source_busy', detail: 'HTTP 403', retryAfterMs: 40_000 },
    ],
    'its second limit': [
      json({ message: CANARY }, 403, { 'retry-after': '60' }),
      { code: 'source_busy', retryAfterMs: 60_000 },
    ],
    'a query that it does not accept': [
      json({ message: CANARY, errors: [{ code: 'invalid' }] }, 422),
      { code: 'source_refused', detail: 'HTTP 422' },
    ],
  },
  attempts: ['q', `tidal turbines fish ${WINDOW}`, `tidal turbines ${WINDOW}`],
  probe: {
    asked: { path: '/search/issues', params: { q: 'news in:title is:issue', per_page: '1' } },
    answer: none,
  },
});

test('without a token, a start or reactions; words are no operators', async () => {
  const [first] = (sample('github.search.json') as { items: object[] }).items;
  const items = [{ ...first, body: null, reactions: { total_count: 7 } }];
  const { find, provider, adapter } = await startAdapter((at) => github({ at }), json({ items }));
  const query = { prompt: 'rust repo:a/b "x"', keywords: ['rust', 'repo:a/b'], from: undefined };
  expect(await find(query)).toMatchObject([{ snippet: '', engagement: 12 }]);
  expect(provider.requests[0]?.params['q']).toBe(
    'rust repo a b in:title is:issue created:<=2026-11-21T12:00:00Z',
  );
  expect(provider.requests[0]?.headers.authorization).toBeUndefined();
  expect(adapter.pace.perMinute).toBeLessThan(10);
});

test('does not search without a word', async () => {
  const { find, provider } = await startAdapter(make, none);
  expect(await find({ prompt: '???', keywords: [] })).toEqual([]);
  expect(provider.requests).toHaveLength(0);
});
