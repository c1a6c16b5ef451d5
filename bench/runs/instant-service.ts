/**
 * A hosted service that answers at once, as a process of its own, made so that it takes as little of the two cores as can
 * be: its responses are written beforehand but for the numbers of posts and authors. The first response to a prompt holds
 * posts that no other held. Later ones hold new posts too, or, once it was told which share of them is to change, the same
 * posts, that share with other counters than the response before. Tells its address when it is ready.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeAnswer } from '../posts.ts';

const FIRST = 10_000_000;
/** Brings a post to the 2.5 kB that real ones have. */
const FILLING = 'and what else was said of it that evening by those who were there '.repeat(10).trim();
const posts = Number(process.argv[2]);
const BEGUN = Date.now();

/** What is asked again: null, new posts; otherwise the share of the same posts whose counters change. */
let changing: number | null = null;
/** By that share: two responses between which it changes, each in parts between which stands the number of a post or author. */
const written = new Map<number, readonly [string[], string[]]>();
const asked = new Map<string, { ahead: number; changes: number }>();
let answered = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { prompt } = JSON.parse(Buffer.concat(chunks).toString()) as { prompt: string }; // our own workers ask
    const known = changing === null ? undefined : asked.get(prompt);
    const share = changing ?? 0;
    const ahead = known?.ahead ?? answered * posts;
    const changes = known === undefined ? 0 : known.changes + (share === 0 ? 0 : 1);
    asked.set(prompt, { ahead, changes });
    answered += 1;
    const [even, odd] = written.get(share) ?? writeFor(share);
    const body = (changes % 2 === 0 ? even : odd)
      .map((part, i) => (i % 2 === 0 ? part : String(Number(part) + ahead)))
      .join('');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.on('message', (told: { changing: number }) => {
  changing = told.changing;
  process.send?.(told);
});
process.once('disconnect', () => process.exit(0));

function writeFor(share: number): readonly [string[], string[]] {
  const split = (text: string) => text.split(/(1\d{7})(?=\D)/);
  const both = [split(ofTheLastHour(0)), split(ofTheLastHour(share))] as const;
  written.set(share, both);
  return both;
}

/** Written one after the other up to now, as what a search finds when it runs. */
function ofTheLastHour(share: number): string {
  const [before, after] = [0, 1].map((edition) => tweetsOf(makeAnswer(FIRST, posts, edition)));
  const step = 3_600_000 / posts;
  return JSON.stringify({
    miner_tweets: before?.map((post, i) => ({
      ...post,
      ...(i % 10 < share * 10 ? { ...after?.[i], user: post['user'] } : {}),
      text: `${String(post['text'])} ${FILLING}`,
      created_at: new Date(BEGUN - i * step).toISOString(),
    })),
  });
}

function tweetsOf(answer: string): Record<string, unknown>[] {
  return (JSON.parse(answer) as { miner_tweets: Record<string, unknown>[] }).miner_tweets; // our own
}
