/**
 * A hosted service that answers at once, as a process of its own: each answer holds posts that no other held, made
 * beforehand but for their numbers, so that it takes as little of the two cores as can be. Tells its address when it is
 * ready and how many it answered when it is asked.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeAnswer } from '../posts.ts';

const FIRST = 10_000_000;
const posts = Number(process.argv[2]);
/** Between the parts stands the number of a post or of its author, the same in each place of one. */
const parts = ofTheLastHour(makeAnswer(FIRST, posts, 0)).split(/(1\d{7})(?=\D)/);
let answered = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const ahead = answered * posts;
    answered += 1;
    const body = parts.map((part, i) => (i % 2 === 0 ? part : String(Number(part) + ahead))).join('');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.on('message', () => process.send?.({ answered }));
process.once('disconnect', () => process.exit(0));

/** Written one after the other up to now, as what a search finds when it runs. */
function ofTheLastHour(answer: string): string {
  const { miner_tweets } = JSON.parse(answer) as { miner_tweets: object[] }; // our own
  const step = 3_600_000 / posts;
  return JSON.stringify({
    miner_tweets: miner_tweets.map((post, i) => ({
      ...post,
      created_at: new Date(Date.now() - i * step).toISOString(),
    })),
  });
}
