/** Readers of an export that stop reading: they are disconnected, and others get their places. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exportRoutes } from '../../../src/api/export-routes.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { until } from '../../processes.ts';
import { openStand } from '../access/stand.ts';

const STALLED_MS = 6_000;
/** More than the buffers of both sockets hold, at 2 kB a post. */
const POSTS = 8_000;

const stand = await openStand();
let port: number;
let exported: string;
beforeAll(async () => {
  const { pool } = stand.world.db;
  const written = { slug: 'ferry-posts', operation: 'microblog', prompt: 'ferry', every: '1h' } as const;
  const { search } = await createSearch(stand.world.ctx, written);
  await pool.query(
    `WITH author AS (
       INSERT INTO strandline.authors (service_id, external_id, first_seen_at, observed_at) VALUES ($1, 'a', now(), now()) RETURNING id
     ), made AS (
       INSERT INTO strandline.posts (service_id, external_id, author_id, text, first_seen_at, observed_at, hashtags, mentions, urls, media, entities)
       SELECT $1, n, author.id, repeat('x', 2000), now(), now(), '{}', '{}', '{}', '[]', '{}' FROM author, generate_series(1, $2::int) n RETURNING id
     )
     INSERT INTO strandline.post_sightings (search_id, post_id, first_run_id, first_seen_at) SELECT $3, id, 1, now() FROM made`,
    [search.service_id, POSTS, search.id],
  );
  const app = await stand.serve({ api: [(api, home) => exportRoutes(api, home, STALLED_MS)], pages: [] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as AddressInfo); // a TCP server's address is never a string
  exported = `http://127.0.0.1:${port}/api/v1/exports/posts?format=ndjson`;
});
afterAll(() => stand.close());

const ASK = () => `GET /api/v1/exports/posts?format=ndjson HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;

/** Asks and takes nothing: what is readable and is not read fills the buffers. @param localAddress as whom */
async function stall(localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  socket.write(ASK());
  await once(socket, 'readable');
  return socket;
}

test('two stalled readers of a visitor block nobody; four are disconnected, and a fifth that reads gets everything', async () => {
  const silent = await Promise.all([stall('127.0.0.1'), stall('127.0.0.1')]);
  expect((await fetch(exported)).status, 'of the same visitor').toBe(429);
  silent.push(...(await Promise.all([stall('127.0.0.2'), stall('127.0.0.2')])));
  const fifth = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' });
  fifth.write(ASK());
  const [answer503] = (await once(fifth, 'data')) as [Buffer]; // a socket without an encoding
  expect(String(answer503)).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 5\r\n/i);
  fifth.destroy();
  const answer = await until('a place is free', async () => {
    const one = await fetch(exported);
    if (one.status === 200) return one;
    await one.body?.cancel();
    return undefined;
  });
  expect((await answer.text()).trimEnd().split('\n')).toHaveLength(POSTS);
  for (const socket of silent) socket.destroy();
});

test('a reader that reads slowly and disconnects midway costs no more', async () => {
  const held = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = held();
  for (let n = 0; n < 8; n += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.write(ASK());
    await until('it has read some of it', async () => {
      socket.read(1_024);
      return Promise.resolve(socket.bytesRead > 64_000);
    });
    socket.destroy();
  }
  // More than are let in at once came and went: each gave its place back, and what was to be read stayed in the database.
  expect(held() - before, 'of 128 MB that they could have read').toBeLessThan(40_000_000);
  const answer = await until('a place is free', async () => {
    const one = await fetch(exported);
    return one.status === 200 ? one : undefined;
  });
  expect((await answer.text()).trimEnd().split('\n')).toHaveLength(POSTS);
  const { rows } = await stand.world.db.pool.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
  );
  expect(rows, 'and no cursor stays open').toEqual([]);
});
