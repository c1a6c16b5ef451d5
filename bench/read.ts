/**
 * Reading an answer: CPU per post, against JSON.parse of the same text in the same run (the ratio is what
 * can be compared between machines), and the longest single read of about 1 MB, which is how long the loop
 * is blocked. Run: node --import tsx bench/read.ts
 */
import { readFileSync } from 'node:fs';
import { loadDialect } from '../src/protocol/dialect.ts';
import { parseResponse } from '../src/monitor/parse/parse-response.ts';

const ROUNDS = 60;
const dialect = loadDialect('named');
const body = readFileSync(new URL('../test/samples/posts-80.named.json', import.meta.url), 'utf8');
const posts = postsOf(body);
const small = JSON.stringify({ miner_tweets: posts.map(withoutMedia) });
const megabyte = new TextEncoder().encode(JSON.stringify({ miner_tweets: manyPosts(1_000_000) }));

const read = cpuOf(() => parseResponse({ operation: 'microblog', body, contentType: null, dialect }));
const parse = cpuOf(() => JSON.parse(body));
const readSmall = cpuOf(() =>
  parseResponse({ operation: 'microblog', body: small, contentType: null, dialect }),
);
const block = longestOf(() =>
  parseResponse({ operation: 'microblog', body: megabyte, contentType: null, dialect }),
);

export const result = {
  posts: posts.length,
  bytesPerPost: Math.round(body.length / posts.length),
  readMicrosPerPost: round(read / posts.length),
  parseMicrosPerPost: round(parse / posts.length),
  ratioToParse: round(read / parse),
  smallBytesPerPost: Math.round(small.length / posts.length),
  smallReadMicrosPerPost: round(readSmall / posts.length),
  megabyteMedianMs: round(block.median),
  megabyteLongestMs: round(block.longest),
};
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);

function postsOf(text: string): { id: string }[] {
  return (JSON.parse(text) as { miner_tweets: { id: string }[] }).miner_tweets; // our own sample
}

/** A post of its own members only: nothing quoted, no descriptions of pictures. */
function withoutMedia(post: { id: string }): unknown {
  return { ...post, extended_entities: undefined, entities: {}, quote: null };
}

/** The sample's posts again and again under ids of their own, until they fill so many characters. */
function manyPosts(chars: number): unknown[] {
  const copies = Math.ceil(chars / body.length);
  return Array.from({ length: copies }, (_, n) => posts.map((post) => ({ ...post, id: `${n}${post.id}` })))
    .flat()
    .slice(0, Math.floor((chars / body.length) * posts.length));
}

/** CPU of one call in microseconds: the median of many rounds, after a warm-up. */
function cpuOf(work: () => unknown): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  }).slice(ROUNDS / 3);
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function longestOf(work: () => unknown): { median: number; longest: number } {
  const times = Array.from({ length: 20 }, () => {
    const before = performance.now();
    work();
    return performance.now() - before;
  }).sort((a, b) => a - b);
  return { median: times[10] ?? Number.NaN, longest: times.at(-1) ?? Number.NaN };
}

function round(n: number): number {
  return Math.round(n * 100) / 100;
}
