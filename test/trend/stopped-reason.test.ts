/** What stopped when posts became fewer. */
import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import type { ComparedPost } from '../../src/monitor/trends/rules/spike-reason.ts';
import { composeStopped, findStopped } from '../../src/monitor/trends/rules/stopped-reason.ts';

const START = Date.UTC(2026, 10, 13);
let nth = 0n;
/** Posts of one day, by author and domains; null: an unknown author. */
const post = (author: number | null, ...domains: string[]): ComparedPost => {
  nth += 1n;
  return {
    id: nth,
    at: START + Number(nth) * 60_000,
    author: author === null ? null : BigInt(author),
    textKey: null,
    text: '',
    hashtags: [],
    domains,
  };
};
const many = (count: number, make: (i: number) => ComparedPost) =>
  Array.from({ length: count }, (_, i) => make(i));
const find = (before: readonly ComparedPost[], after: readonly ComparedPost[] = [], afterMs = DAY) =>
  findStopped({ posts: before, ms: 7 * DAY }, { posts: after, ms: afterMs });

describe('a part that accounts for half of the decline is what stopped', () => {
  test('the author who wrote most of it', () => {
    const before = [...many(6, () => post(1)), ...many(4, (i) => post(10 + i))];
    expect(find(before)).toEqual({
      reason: 'author',
      name: null,
      share: 0.6,
      last: { id: before[5]?.id, at: before[5]?.at },
    });
  });

  test('the domain that most of it linked to, by many authors', () => {
    const before = [
      ...many(7, (i) => post(i, 'news.example')),
      ...many(3, (i) => post(20 + i, 'other.example')),
    ];
    expect(find(before)).toMatchObject({ reason: 'domain', name: 'news.example', share: 0.7 });
  });

  test('no single one where nobody stands out', () => {
    const before = many(12, (i) => post(i % 6, `site-${i % 5}.example`));
    expect(find(before)).toEqual({ reason: 'none', authors: 6 });
  });

  test('not the loudest author who goes on as before', () => {
    const before = [...many(35, () => post(1)), ...many(35, (i) => post(100 + i))];
    const after = many(5, () => post(1));
    expect(find(before, after)).toEqual({ reason: 'none', authors: 36 });
  });

  test('the author who fell silent, while others go on', () => {
    const before = [...many(35, () => post(1)), ...many(35, (i) => post(100 + i))];
    const after = many(5, (i) => post(100 + i));
    expect(find(before, after)).toMatchObject({ reason: 'author', share: 0.5 });
  });

  test('not two posts, nor posts of unknown authors', () => {
    expect(find(many(2, () => post(1)))).toEqual({ reason: 'none', authors: 1 });
    expect(find(many(5, () => post(null)))).toEqual({ reason: 'none', authors: 5 });
  });

  test('nothing where there is no decline', () => {
    expect(
      find(
        many(7, () => post(1)),
        many(5, () => post(1)),
      ),
    ).toMatchObject({ reason: 'none' });
  });
});

test('the sentence has the share, the time of the last post, and nobody’s name', () => {
  const last = { id: 1n, at: Date.UTC(2026, 10, 20, 0, 47) };
  expect(composeStopped({ reason: 'author', name: null, share: 0.62, last }, 'UTC')).toBe(
    '62 % of the posts of the week before were by one author, whose last one was on 20 Nov 2026, 00:47 UTC.',
  );
  expect(composeStopped({ reason: 'domain', name: 'news.example', share: 1, last }, 'UTC')).toBe(
    'All of the posts of the week before linked to news.example, last on 20 Nov 2026, 00:47 UTC.',
  );
  expect(composeStopped({ reason: 'none', authors: 1 }, 'UTC')).toBe(
    'No single cause: no author and no domain accounts for half of the decline; 1 author wrote the posts of the week before.',
  );
});
