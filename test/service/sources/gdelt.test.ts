import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gdelt } from '../../../src/service/sources/providers/gdelt.ts';
import { describeProvider } from './provider-contract.ts';
import { json, sample, startAdapter, text } from './provider.ts';

const make = (at: string) => gdelt({ at });
const notice = (name: string) => readFileSync(new URL(`samples/gdelt.${name}.txt`, import.meta.url), 'utf8');
const article = (title: string, more = {}) => ({
  url: 'https://news.example/a',
  title,
  seendate: '20261120T081500Z',
  ...more,
});

describeProvider({
  make,
  recorded: [json(sample('gdelt.artlist.json'))],
  found: [
    {
      source: 'web',
      title: 'Customs grants approval to Vizhinjam International Seaport',
      link: 'https://www.thehindu.com/news/national/kerala/customs-grants-approval-to-vizhinjam-international-seaport/article68293772.ece',
      snippet: '',
      summaryDescription: '',
      publishedAt: new Date('2024-06-15T17:00:00Z'),
    },
    expect.objectContaining({
      title: 'ട്രോളിങ് നിയന്ത്രണം നീങ്ങി ; വിഴിഞ്ഞം തീരത്ത് ആവേശം , vizhinjam , fish',
    }),
    expect.objectContaining({ publishedAt: new Date('2024-07-15T10:30:00Z') }),
  ],
  asked: [
    {
      path: '/api/v2/doc/doc',
      params: {
        query: 'tidal turbines',
        mode: 'artlist',
        format: 'json',
        maxrecords: '20',
        sort: 'datedesc',
        startdatetime: '20261114120000',
        enddatetime: '20261121120000',
      },
    },
  ],
  terms: { everyMs: 5_100, covers: 'news' },
  empty: json({}),
  frame: json({ articles: 7 }),
  misfits: json({ articles: [{ url: 'https://news.example/' }] }),
  outages: {
    'its limit, with 200': [text(notice('rate-limited')), { code: 'source_busy' }],
    'its limit': [text(notice('rate-limited'), 429), { code: 'source_busy' }],
    'words that it does not accept, with 200': [text(notice('query-rejected')), { code: 'source_refused' }],
    'a word that it does not accept': [
      text('One or more of your keywords were too short, too long or too common: (locationcc:br)'),
      { code: 'source_refused' },
    ],
    nothing: [text(''), { code: 'source_failed' }],
  },
  probe: {
    asked: {
      path: '/api/v2/doc/doc',
      params: { query: 'news', mode: 'artlist', format: 'json', maxrecords: '1', timespan: '1d' },
    },
    answer: json({}),
  },
});

test.each([
  [
    { keywords: ['tidal power', 'ai', 'turbines'], prompt: 'turbines of "tidal power" and ai' },
    'turbines "tidal power"',
  ],
  [{ keywords: ['a', 'b', 'c'], prompt: 'a b c' }, undefined],
  [{ keywords: ['covid-19'], prompt: 'covid-19' }, '"covid 19"'],
  [{ keywords: ['turbines'], prompt: 'turbines site:bbc.co.uk' }, 'turbines domain:bbc.co.uk'],
  [{ keywords: ['one1', 'two2', 'three3', 'four4'], prompt: 'one1 two2 three3 four4' }, 'one1 two2 three3'],
])('asks for %j as %s', async (query, asked) => {
  const { find, provider } = await startAdapter(make, json({}));
  expect(await find(query)).toEqual([]);
  expect(provider.requests.map(({ params }) => params['query'])).toEqual(asked === undefined ? [] : [asked]);
});

test('reads what is almost JSON, and skips what does not fit', async () => {
  const body = JSON.stringify({
    articles: [article('A@B'), article('x', { seendate: 'today' }), article('y', { url: 'javascript:1' })],
  }).replace('A@B', 'A \\d C:\\Temp \\U0041 \u0007 \\"B\\" \\u00e9\\u00E9');
  const { find } = await startAdapter(make, text(body));
  expect(await find()).toEqual([expect.objectContaining({ title: 'A \\d C:\\Temp \\U0041 "B" éé' })]);
});
