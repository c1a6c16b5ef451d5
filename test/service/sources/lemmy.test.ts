import { expect, test } from 'vitest';
import { lemmy } from '../../../src/service/sources/providers/lemmy.ts';
import { CANARY, describeProvider } from './provider-contract.ts';
import { json, sample, startAdapter } from './provider.ts';

const make = (server: string) => lemmy({ server });
const post = (id: number) => ({
  post: { name: `Post ${id}`, ap_id: `https://lemmy.example/post/${id}`, published: '2026-11-20T00:00:00Z' },
  counts: { score: 1, comments: 0 },
});

describeProvider({
  make,
  recorded: [json(sample('lemmy.search.json'))],
  // Posts of the window under their own links; what is gone is gone.
  found: [
    {
      source: 'discussion_board',
      title: 'Tidal turbines & the sound: <nine> days',
      link: 'https://lemmy.example/post/101',
      snippet: 'They turned, says the report. See below.',
      summaryDescription: '',
      publishedAt: new Date('2026-11-20T08:30:15.123Z'),
      engagement: 53,
    },
    {
      source: 'discussion_board',
      title: 'Older by a zone that nobody wrote',
      link: 'https://other.example/post/7',
      snippet: '',
      summaryDescription: '',
      publishedAt: new Date('2026-11-19T23:00:00.500Z'),
      engagement: 2,
    },
  ],
  asked: [
    {
      path: '/api/v3/search',
      params: {
        q: 'tidal turbines',
        type_: 'Posts',
        listing_type: 'All',
        sort: 'New',
        limit: '50',
        page: '1',
      },
    },
  ],
  empty: json({ type_: 'Posts', posts: [] }),
  frame: json({ results: [] }),
  misfits: json({ posts: [{ id: 1 }] }),
  outages: {
    'its limit': [json({ error: 'rate_limit_error', words: CANARY }, 400), { code: 'source_busy' }],
    'a question it does not take': [json({ error: CANARY }, 400), { code: 'source_refused' }],
  },
  pages: {
    of: (page) => json({ posts: Array.from({ length: 50 }, (_, i) => post(50 * page + i)) }),
    size: 50,
    limit: 500,
    param: 'page',
    values: ['1', '2'],
  },
  windows: ['sort', 'New', 'New', 'New', 'New', 'New', 'New', 'New', 'New'],
  attempts: ['q', 'tidal turbines fish', 'tidal turbines'],
  probe: { asked: { path: '/api/v3/site' }, answer: json({ site_view: {}, version: '0.19.12' }) },
});

test('the probe distinguishes Lemmy from other servers', async () => {
  const { adapter, asking } = await startAdapter(make, json({ hello: 'world' }));
  await expect(adapter.probe?.(asking)).rejects.toThrow('unexpected response format');
});

test('reads a recorded post of lemmy.world', async () => {
  const { find } = await startAdapter(make, json(sample('lemmy.post-list.json')));
  expect(await find({ from: new Date('2026-08-01'), to: new Date('2026-09-01') })).toEqual([
    {
      source: 'discussion_board',
      title: 'This HAS to be satire',
      link: 'https://lemmy.world/post/50908658',
      snippet: '',
      summaryDescription: '',
      publishedAt: new Date('2026-08-20T20:31:39.106Z'),
      engagement: 1_003,
    },
  ]);
});
