/** The text of a digest keeps its limits, whatever a digest contains. */
import { expect, test } from 'vitest';
import {
  composeSections,
  countWords,
  MAX_HEAD_WORDS,
  MAX_WORDS,
} from '../../src/monitor/digests/digest-sections.ts';
import { Digest, type DigestItem, MAX_DIGEST_TEXT } from '../../src/monitor/digests/digest-shapes.ts';

const LONG = 'word '.repeat(200).trim().slice(0, MAX_DIGEST_TEXT);
const at = '2026-11-21T12:00:00.000Z';
const times = <T>(n: number, make: (i: number) => T) => Array.from({ length: n }, (_, i) => make(i));
const ofSearch = (i: number) => ({
  topic: `t${i}`,
  topic_name: `The topic ${i}`,
  search: `search-${i}`,
  search_name: `The topic ${i}: Posts`,
});

const item = (i: number): DigestItem => ({
  kind: 'post',
  id: String(i),
  ...ofSearch(i),
  text: LONG,
  author: 'ada',
  url: 'https://a.example/1',
  page: `/posts/${i}`,
  published_at: at,
  like_count: 1_204,
  repost_count: 7,
  reply_count: null,
  quote_count: 0,
  view_count: 1,
  copies: 27,
  authors: 3,
  story_id: '29',
});

/** As much of everything as a digest may contain. */
const full: Digest = {
  from: '2026-11-20T12:00:00.000Z',
  until: at,
  tz: 'Europe/Berlin',
  topic: null,
  search: null,
  topic_name: null,
  search_name: null,
  simulated: false,
  brief: null,
  collected: {
    topics: 200,
    searches: 400,
    runs: { succeeded: 9_000, failed: 40, skipped: 20 },
    coverage: 0.97,
    calls: 9_040,
    cost_usd: 12.5,
    calls_without_cost: 4,
    free: false,
  },
  not_collected: times(200, (i) => ({
    reason: 'failed',
    ...ofSearch(i + 500),
    runs: 3,
    of: 90,
    detail: LONG,
  })),
  attention: times(3, (i) => ({
    kind: 'search',
    ...ofSearch(i),
    status: 'failing',
    status_name: 'failing',
    since: at,
    reason: LONG,
    advice: null,
  })),
  attention_more: 12,
  answers: times(200, (i) => ({
    ...ofSearch(i),
    at,
    before_at: at,
    changed: true,
    added: times(5, () => LONG),
    added_claims: times(5, String),
    removed: times(5, () => LONG),
    more_added: 3,
    more_removed: 3,
    text: null,
  })),
  topics: times(200, (i) => ({
    topic: `t${i}`,
    topic_name: `The topic ${i}`,
    posts: 1_000,
    links: 100,
    least: true,
    items: times(3, item),
  })),
  growing: times(3, (i) => ({ kind: 'item', item: item(i), gained: 900, hours: 2, typical_per_hour: 12 })),
  held: times(200, (i) => ({
    topic: null,
    rule: `r${i}`,
    name: `The rule ${i}`,
    since: null,
    counts: { post: 1_000, link: 20, spike: 2 },
    page: `/alerts/deliveries/${i}`,
  })),
  muted: times(200, (i) => ({ topic: `m${i}`, topic_name: `A muted topic ${i}`, until: at })),
  quiet: times(200, (i) => ({ topic: `q${i}`, topic_name: `A quiet topic ${i}`, checked: i % 2 === 0 })),
};

const head = ['collected', 'attention', 'answer'];

test('at most 400 words, of which the first three parts fit on the screen of a phone', () => {
  const sections = composeSections(full);
  expect(sections.map(({ id }) => id)).toEqual([...head, 'new', 'growing', 'quiet', 'held']);
  expect(countWords(sections)).toBeLessThanOrEqual(MAX_WORDS);
  expect(countWords(sections.filter(({ id }) => head.includes(id)))).toBeLessThanOrEqual(MAX_HEAD_WORDS);
  // Something of each topic that is shown, and how many are not.
  const news = sections.find(({ id }) => id === 'new')?.lines ?? [];
  expect(news.filter(({ style }) => style === 'name')).toHaveLength(
    news.filter(({ style }) => style === 'thing').length,
  );
  expect(news.at(-1)?.words).toMatch(/^and 19\d more topics$/);
});

test('texts of languages without spaces are cut by length, and a short digest is whole', () => {
  const unspaced = '見'.repeat(MAX_DIGEST_TEXT);
  const [first] = full.topics;
  if (first === undefined) throw new Error('no topic');
  const one: Digest = {
    ...full,
    not_collected: [],
    attention: [],
    attention_more: 0,
    answers: [],
    growing: [],
    quiet: [],
    held: [],
    muted: [],
    topics: [{ ...first, items: [{ ...item(1), text: unspaced, copies: 1, author: null }] }],
  };
  const sections = composeSections(one);
  expect(sections.map(({ id }) => id)).toEqual(['collected', 'attention', 'new']);
  expect(sections[1]?.lines.map(({ words }) => words)).toEqual(['Nothing.']);
  expect(sections[2]?.lines.map(({ style, words }) => [style, words.length < 210 ? 'short' : words])).toEqual(
    [
      ['name', 'short'],
      ['thing', 'short'],
      ['note', 'short'],
    ],
  );
});

test('times are those of the reader', () => {
  const words = (zone?: string) => composeSections(full, zone)[0]?.lines[1]?.words;
  expect(words()).toBe('Fri, 20 Nov 2026, 13:00 to Sat, 21 Nov 2026, 13:00, Europe/Berlin time');
  expect(words('UTC')).toBe('Fri, 20 Nov 2026, 12:00 to Sat, 21 Nov 2026, 12:00, UTC');
});

test('a value of everything is a digest', () => {
  expect(Digest.safeParse(full).error?.issues).toBeUndefined();
});
