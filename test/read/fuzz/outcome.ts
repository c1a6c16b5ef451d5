import { expect } from 'vitest';
import { POST_COUNTERS } from '../../../src/model/counters.ts';
import { MAX_TEXT_LENGTH } from '../../../src/lib/text.ts';
import { type RunCode, RunError } from '../../../src/model/errors.ts';
import type { ParsedResults } from '../../../src/model/parsed-results.ts';
import { MAX_ITEMS } from '../../../src/monitor/parse/response-generations.ts';
import { MAX_LINK_LENGTH } from '../../../src/model/links/link.ts';

/** What an answer as a whole may be said to be: all that is wrong with it stands in the bytes. */
const CODES = new Set<RunCode>([
  'bad_json',
  'bad_content_type',
  'decode_error',
  'schema_mismatch',
  'stream_incomplete',
  'too_large',
]);

/**
 * Runs a reading: what is found must be fit to be stored, an error must be a code of the list that says
 * something about an answer.
 * @returns `read`, or the code
 */
export function outcomeOf(read: () => ParsedResults): 'read' | RunCode {
  let found: ParsedResults;
  try {
    found = read();
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    expect(CODES).toContain(error.code);
    expect(error.message).toBe(error.code);
    return error.code;
  }
  expectFit(found);
  return 'read';
}

function expectFit(found: ParsedResults): void {
  expectClean(found);
  const posts = [...found.posts, ...found.nestedPosts];
  for (const post of posts) {
    expect(post.text.length).toBeLessThanOrEqual(MAX_TEXT_LENGTH);
    for (const counter of POST_COUNTERS) expectCount(post[counter]);
    if (post.created_at !== null) expect(new Date(post.created_at).toISOString()).toBe(post.created_at);
  }
  for (const { followers_count, statuses_count } of found.authors) {
    expectCount(followers_count);
    expectCount(statuses_count);
  }
  for (const list of [posts, found.authors]) {
    const ids = list.map((thing) => thing.external_id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[^\s\p{Cc}\p{Cs}]{1,256}$/u);
  }
  const authors = new Set(found.authors.map((author) => author.external_id));
  for (const { author_external_id: author } of posts) if (author !== null) expect(authors).toContain(author);
  const canonical = found.links.map((link) => link.canonical);
  expect(new Set(canonical).size).toBe(canonical.length);
  for (const link of canonical) {
    expect(link).toMatch(/^https:\/\/[^\s/]/);
    expect(link.length).toBeLessThanOrEqual(MAX_LINK_LENGTH);
  }
  expect(found.posts.length).toBeLessThanOrEqual(found.itemsSeen);
  expect(found.posts.length).toBeLessThanOrEqual(4 * MAX_ITEMS);
}

function expectCount(count: number | null): void {
  expect(count === null || (Number.isSafeInteger(count) && count >= 0)).toBe(true);
}

/** No text anywhere holds what Postgres refuses, its keys included; and no number is none. */
function expectClean(value: unknown): void {
  if (typeof value === 'string') expect(value.isWellFormed() && !value.includes('\0')).toBe(true);
  else if (typeof value === 'number') expect(value).not.toBeNaN();
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inside] of Object.entries(value)) {
      expectClean(name);
      expectClean(inside);
    }
  }
}
