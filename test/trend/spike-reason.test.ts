/** Why a window has so many posts: planted reasons are found, and nothing is found where there is none. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeReason, type ReasonFacts } from '../../src/monitor/trends/rules/reason-sentence.ts';
import {
  type ComparedPost,
  findReason,
  findReasonInSteps,
} from '../../src/monitor/trends/rules/spike-reason.ts';
import { seeded } from '../faults/random.ts';

const HOUR = 3_600_000;
const WORDS =
  'harbor ferry tide storm pier dock sailor cargo crane water morning ticket delay captain island route winter coast light bridge market summer engine signal weather travel family weekend photo quiet'.split(
    ' ',
  );

/** Ordinary posts: each by somebody else, of words that are drawn anew. */
function ordinary(count: number, seed: number, from = 0): ComparedPost[] {
  const next = seeded(seed);
  const pick = () => WORDS[Math.floor(next() * next() * WORDS.length)] ?? 'harbor';
  return Array.from({ length: count }, (_, i) => ({
    id: BigInt(from + i + 1),
    at: (from + i) * 60_000,
    author: BigInt(10_000 + from + i),
    textKey: BigInt(1_000_000 + from + i),
    text: Array.from({ length: 12 }, pick).join(' '),
    hashtags: next() < 0.2 ? ['harbor'] : [],
    domains: next() < 0.1 ? ['news.example'] : [],
  }));
}

const BEFORE = ordinary(400, 1, 100_000);

/** The first `share` of the posts, changed. */
function planted(
  { count, share, seed }: { count: number; share: number; seed: number },
  change: (post: ComparedPost, i: number) => ComparedPost,
): ComparedPost[] {
  const posts = ordinary(count, seed);
  const changed = Math.round(count * share);
  return posts.map((post, i) => (i < changed ? change(post, i) : post));
}

const withText = (post: ComparedPost) => ({
  ...post,
  textKey: 7n,
  text: 'the ferry to the island is cancelled today',
});
const withAuthor = (post: ComparedPost) => ({ ...post, author: 5n });
const withDomain = (post: ComparedPost) => ({ ...post, domains: ['report.example'] });
const withHashtag = (post: ComparedPost) => ({ ...post, hashtags: [...post.hashtags, 'strike'] });
const withWord = (post: ComparedPost) => ({ ...post, text: `${post.text} collision` });
const inJapanese = (post: ComparedPost) => ({ ...post, text: `${post.id}件の衝突が港であった` });

describe('planted reasons are found', () => {
  test.each([
    ['text', null, 60, 0.62, withText],
    ['text', null, 30, 0.4, withText],
    ['text', null, 900, 0.35, withText],
    ['text', null, 24, 1, withText],
    ['author', null, 60, 0.5, withAuthor],
    ['author', null, 40, 0.35, withAuthor],
    ['author', null, 500, 0.8, withAuthor],
    ['domain', 'report.example', 60, 0.6, withDomain],
    ['domain', 'report.example', 45, 0.4, withDomain],
    ['domain', 'report.example', 800, 0.5, withDomain],
    ['hashtag', 'strike', 60, 0.7, withHashtag],
    ['hashtag', 'strike', 40, 0.5, withHashtag],
    ['hashtag', 'strike', 700, 0.6, withHashtag],
    ['word', 'collision', 60, 0.8, withWord],
    ['word', 'collision', 40, 0.5, withWord],
    ['word', 'collision', 700, 0.55, withWord],
    ['word', '衝突', 50, 0.7, inJapanese],
  ] as const)('%s %s in %i posts, %d of them', (reason, name, count, share, change) => {
    const posts = planted({ count, share, seed: count }, change);
    const found = findReason(posts, BEFORE);
    expect(found).toMatchObject({ reason, reason_post_id: posts[0]?.id });
    expect(found.reason_name).toBe(name);
    expect(found.reason_share).toBeCloseTo(share, reason === 'author' || count < 50 ? 0 : 1);
  });

  test('two subjects at once: the one that more people wrote of', () => {
    const posts = planted({ count: 100, share: 0.45, seed: 9 }, withHashtag).map((post, i) =>
      i >= 45 ? { ...post, text: `${post.text} collision` } : post,
    );
    expect(findReason(posts, BEFORE)).toMatchObject({ reason: 'word', reason_name: 'collision' });
  });

  test('a story that many repeat in one text and others in their words is its word', () => {
    const posts = planted({ count: 100, share: 0.9, seed: 3 }, (post, i) =>
      withWord(i < 35 ? { ...post, textKey: 7n } : post),
    );
    expect(findReason(posts, BEFORE)).toMatchObject({ reason: 'word', reason_name: 'collision' });
  });
});

test('ordinary posts have no reason, however many: at most one window in twenty has a distinct name by chance', () => {
  const seeds = Array.from({ length: 60 }, (_, i) => i + 20);
  const found = seeds.map((seed) => findReason(ordinary(20 + seed * 5, seed), BEFORE));
  expect(found.filter(({ reason }) => reason !== 'none')).toEqual([]);
  expect(found.filter(({ names }) => names.length > 0).length).toBeLessThanOrEqual(6);
});

test('what was there before is no reason', () => {
  const then = BEFORE.map((post, i) => (i % 3 === 0 ? withDomain(withHashtag(post)) : post));
  const posts = planted({ count: 90, share: 0.4, seed: 5 }, (post) => withDomain(withHashtag(post)));
  expect(findReason(posts, then)).toMatchObject({ reason: 'none', reason_name: null });
});

test('one author makes no trend of a word, but is the reason', () => {
  const posts = planted({ count: 80, share: 0.5, seed: 6 }, (post) => withWord(withAuthor(post)));
  const found = findReason(posts, BEFORE);
  expect(found).toMatchObject({ reason: 'author' });
  expect(found.names.map(({ name }) => name)).not.toContain('collision');
});

test('a search without an earlier post compares with nothing, and texts and authors are found all the same', () => {
  expect(findReason(planted({ count: 40, share: 0.6, seed: 8 }, withText), [])).toMatchObject({
    reason: 'text',
    rest: (40 - 24 + 1) / 40,
  });
  expect(findReason(ordinary(3, 1), [])).toMatchObject({ window_authors: 3 });
});

test('whatever posts say, the result is about them: shares from 0 to 1, and the order of posts does not matter', () => {
  const post = fc.record({
    id: fc.bigInt({ min: 1n, max: 10_000n }),
    at: fc.integer({ min: 0, max: HOUR }),
    author: fc.option(fc.bigInt({ min: 1n, max: 9n })),
    textKey: fc.option(fc.bigInt({ min: 1n, max: 5n })),
    text: fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('one two three', 'https://x.example/a #b @c'),
    ),
    hashtags: fc.uniqueArray(fc.constantFrom('a', 'b', 'ü'), { maxLength: 2 }),
    domains: fc.uniqueArray(fc.constantFrom('x.example', 'y.example'), { maxLength: 2 }),
  });
  const posts = fc.uniqueArray(post, { selector: ({ id }) => id, minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(posts, posts, (window, before) => {
      const found = findReason(window, before);
      for (const share of [found.reason_share, found.rest, found.reason_share_before])
        if (share !== null) expect(share).toSatisfy((x: number) => x >= 0 && x <= 1);
      expect(found.reason === 'none').toBe(found.reason_post_id === null);
      if (found.reason_post_id !== null) expect(window.map(({ id }) => id)).toContain(found.reason_post_id);
      expect(findReason(window.toReversed(), before).reason_share).toBe(found.reason_share);
    }),
    { numRuns: 300 },
  );
});

const FACTS: ReasonFacts = {
  reason: 'text',
  reason_name: null,
  reason_share: 0.62,
  reason_share_before: null,
  reason_post_at: new Date('2026-11-20T00:47:00Z'),
  reason_author_username: null,
  n_without_reason: 53,
  window_authors: 120,
  usual: 22.1,
  tz: 'UTC',
};

test.each<[Partial<ReasonFacts>, string | null, string | null]>([
  [
    {},
    'ship_news',
    '62 % of the posts repeat one text, first by @ship_news on 20 Nov 2026, 00:47 UTC. Without it: 53 posts, 2.4x the usual 22.1.',
  ],
  [
    { reason_share: 1, usual: 0 },
    null,
    'All of the posts are one text, first on 20 Nov 2026, 00:47 UTC. Without it: 53 posts.',
  ],
  [
    { reason: 'author', n_without_reason: 1, usual: 0 },
    'a',
    '62 % of the posts are by one author, @a. Without it: 1 post.',
  ],
  [
    { reason: 'domain', reason_name: 'report.example', reason_share_before: 0.03, n_without_reason: null },
    null,
    '62 % of the authors link to report.example, 3.0 % in the week before; first on 20 Nov 2026, 00:47 UTC.',
  ],
  [
    { reason: 'hashtag', reason_name: 'strike', reason_share_before: 0, n_without_reason: null },
    'a',
    '62 % of the authors use #strike, 0 % in the week before; first by @a on 20 Nov 2026, 00:47 UTC.',
  ],
  [
    { reason: 'none', reason_share: null, reason_post_at: null, n_without_reason: null },
    null,
    'No single cause: no text, author, domain, hashtag or word stands out among 120 authors.',
  ],
  [{ reason: null }, null, null],
])('%o is said so', (facts, author, sentence) => {
  expect(composeReason({ ...FACTS, ...facts, reason_author_username: author })).toBe(sentence);
});

test('pauses after each post, however many there are', () => {
  const posts = ordinary(70, 4);
  let pauses = 0;
  const work = findReasonInSteps(posts, BEFORE);
  while (work.next().done !== true) pauses += 1;
  expect(pauses).toBe(posts.length + BEFORE.length);
});
