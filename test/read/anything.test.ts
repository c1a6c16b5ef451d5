/** Whatever the input, parsing ends: with results that can be stored, or with an error and a code. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { OPERATIONS } from '../../src/model/enumerations.ts';
import { readErrorBody } from '../../src/protocol/error-body.ts';
import { createStreamReader } from '../../src/protocol/stream.ts';
import { fromWire, toWire, type WireKind } from '../../src/protocol/wire.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { sample } from '../samples/sample.ts';
import { outcomeOf } from './fuzz/outcome.ts';

const dialects = ['neutral', 'named'].map(loadDialect);
const anyDialect = fc.constantFrom(...dialects);
const anyOperation = fc.constantFrom(...OPERATIONS);

/** Members that mean something somewhere, so that random objects reach into every reader. */
const MEMBERS =
  `id user text quote retweet repost entities media url link title snippet created_at lang username
  like_count retweet_count repost_count is_retweet quoted_status_id in_reply_to_screen_name conversation_id
  miner_tweets miner_microblog_posts tweets microblog search web youtube_search_results organic_results
  completion text_chunks twitter_summary summary key_tweets key_news search_completion_links completion_links
  miner_link_scores warnings texts hashtags urls user_mentions expanded_url screen_name
  type role content error detail __proto__ constructor`.split(/\s+/);

const { value: anything } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    tie('leaf'),
    tie('list'),
    tie('object'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc
    .array(fc.tuple(fc.constantFrom(...MEMBERS), tie('value')), { maxLength: 6 })
    .map((pairs) => Object.fromEntries(pairs)),
  leaf: fc.oneof(
    fc.constantFrom(null, true, '', 'null', '1', 'https://a.example/x', '2026-01-01T00:00:00Z', 1e30, -1, 17),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.double(),
  ),
}));

test('any JSON parses or is refused with a code', () => {
  fc.assert(
    fc.property(anything, anyOperation, anyDialect, (value, operation, dialect) => {
      const body = JSON.stringify(value);
      outcomeOf(() => parseResponse({ operation, body, contentType: null, dialect }));
    }),
    { numRuns: 200 },
  );
});

test('any bytes parse or are refused with a code', () => {
  fc.assert(
    fc.property(fc.uint8Array(), anyOperation, anyDialect, (body, operation, dialect) => {
      outcomeOf(() => parseResponse({ operation, body, contentType: null, dialect }));
      const reader = createStreamReader(dialect);
      reader.push(body);
      reader.end();
      expect(reader.complete).toBe(false);
    }),
  );
});

test('a recorded response with any value replaced parses or is refused with a code', () => {
  const recorded = [
    'ai-search.2025-03.named.json',
    'ai-search.2026-04.named.json',
    'microblog.2025-03.named.json',
  ].map((name) => ({
    operation: name.startsWith('ai') ? ('ai' as const) : ('microblog' as const),
    json: JSON.parse(sample(name)) as unknown,
  }));
  fc.assert(
    fc.property(fc.constantFrom(...recorded), fc.nat(), anything, ({ operation, json }, at, value) => {
      const body = JSON.stringify(mutated(json, at, value));
      outcomeOf(() => parseResponse({ operation, body, contentType: null, dialect: loadDialect('named') }));
    }),
    { numRuns: 200 },
  );
});

test('a recorded stream with any cut or corruption parses or is refused with a code', () => {
  const stream = sample('ai-search.stream.named.sse.txt').slice(0, 12_000);
  fc.assert(
    fc.property(fc.nat(12_000), fc.string({ unit: 'binary' }), (at, noise) => {
      const body = stream.slice(0, at) + noise + stream.slice(at);
      outcomeOf(() =>
        parseResponse({ operation: 'ai', body, contentType: null, dialect: loadDialect('named') }),
      );
    }),
    { numRuns: 50 },
  );
});

test('an error body never throws, and its message is short', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        anything.map((value) => JSON.stringify(value)),
      ),
      (text) => {
        const { message } = readErrorBody(text);
        expect(message?.length ?? 0).toBeLessThanOrEqual(2_000);
      },
    ),
  );
});

test('a round trip through a dialect changes nothing', () => {
  const kinds = fc.constantFrom<WireKind>('request', 'ai-answer', 'microblog-answer', 'post', 'event');
  fc.assert(
    fc.property(kinds, anything, (kind, value) => {
      const named = loadDialect('named');
      // Settled first: only what is spelt in one way has a way back.
      const neutral = fromWire(named, kind, value);
      expect(fromWire(named, kind, toWire(named, kind, neutral))).toEqual(neutral);
    }),
    { numRuns: 200 },
  );
});

test('ids survive, one post each', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.bigInt({ min: 1n, max: 2n ** 70n })), fc.boolean(), (ids, quoted) => {
      const posts = ids.map((id) => `{"id":${quoted ? `"${id}"` : id}}`);
      const body = `{"miner_tweets":[${posts.join()}]}`;
      const found = parseResponse({
        operation: 'microblog',
        body,
        contentType: null,
        dialect: loadDialect('named'),
      });
      expect(found.posts.map((post) => post.external_id)).toEqual(ids.map(String));
    }),
  );
});

/** A copy of a JSON value in which the value met as number `at` of a walk is another one. */
function mutated(value: unknown, at: number, other: unknown): unknown {
  const size = sizeOf(value);
  let met = 0;
  const walk = (inside: unknown): unknown => {
    if (met++ === at % size) return other;
    if (Array.isArray(inside)) return inside.map(walk);
    if (typeof inside !== 'object' || inside === null) return inside;
    return Object.fromEntries(Object.entries(inside).map(([key, member]) => [key, walk(member)]));
  };
  return walk(value);
}
function sizeOf(value: unknown): number {
  return typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inside) => sum + sizeOf(inside), 1)
    : 1;
}
