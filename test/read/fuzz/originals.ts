/** What is mutated: the recorded answers, in both dialects, as JSON and as streams. */
import { type Dialect, loadDialect } from '../../../src/protocol/dialect.ts';
import type { Operation } from '../../../src/model/enumerations.ts';
import { fromWire } from '../../../src/protocol/wire.ts';
import { sample, sampleJson } from '../../samples/sample.ts';
import type { Chance } from './random.ts';

export type Original = { operation: Operation; dialect: Dialect; value: unknown; events?: unknown[] };

const named = loadDialect('named');
const neutral = loadDialect('neutral');

const AI = ['ai-search.2025-03.named.json', 'ai-search.2026-04.named.json'].map(sampleJson);
const DOCUMENTED = sampleJson('microblog.2025-03.named.json');
const { miner_tweets: POSTS } = sampleJson('posts-80.named.json') as { miner_tweets: unknown[] }; // our own sample
const EVENTS = sample('ai-search.stream.named.sse.txt')
  .split('\n\n')
  .filter((event) => event.startsWith('data: {'))
  .map((event): unknown => JSON.parse(event.slice('data: '.length)));

/** One of them; of the many posts a few, and of the stream its beginning and its end. */
export function originalOf(chance: Chance): Original {
  const dialect = chance.of([named, neutral]);
  const inWords = (kind: 'ai-answer' | 'microblog-answer' | 'event', value: unknown) =>
    dialect === named ? value : fromWire(named, kind, value);
  switch (chance.below(4)) {
    case 0: {
      const value = chance.of(AI);
      return { operation: 'ai', dialect, value: inWords('ai-answer', value) };
    }
    case 1: {
      const tokens = 2 + chance.below(60);
      const events = [...EVENTS.slice(0, tokens), ...EVENTS.slice(-4)];
      return {
        operation: 'ai',
        dialect,
        value: null,
        events: events.map((event) => inWords('event', event)),
      };
    }
    case 2:
      return { operation: 'microblog', dialect, value: inWords('microblog-answer', DOCUMENTED) };
    default: {
      const from = chance.below(POSTS.length);
      const value = { miner_tweets: POSTS.slice(from, from + 1 + chance.below(4)) };
      return { operation: 'microblog', dialect, value: inWords('microblog-answer', value) };
    }
  }
}
