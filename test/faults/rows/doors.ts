/** Unusual requests, many of them at once. More of them in test/web/access and test/web/attack. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { startCommand } from '../../worker-command.ts';
import type { Row } from '../row.ts';
import { ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** The event streams that a process keeps open; the next ones are told to retry. */
const STREAMS_MOST = { all: 500, each: 50 };

type Api = { url: string; port: number; log: readonly string[] };

/** With `strandline api` next to other processes of the row. It must be alive at the end, and exit cleanly. */
async function withApi(stage: Stage, play: (api: Api) => Promise<void>): Promise<void> {
  const command = startCommand({ ...stage.env, PORT: '0' }, 'api');
  try {
    const line = await command.says(/web server started/);
    const [url = ''] = /http:\/\/[\d.]+:\d+/.exec(line) ?? [];
    await play({ url, port: Number(new URL(url).port), log: command.told });
    command.kill('SIGTERM');
    assert.deepEqual(await command.ended, { code: 0, signal: null });
  } finally {
    command.kill('SIGKILL');
    await command.ended;
  }
}

/** Sends bytes as they are. @returns all that comes back, until the other side closes or the head of an answer is there */
function send(port: number, request: string | Buffer): { socket: Socket; answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  const answer = new Promise<string>((resolve) => {
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
    });
    // A body that is not read to its end ends in a reset: what was answered before it counts.
    socket.on('error', () => {});
    socket.on('close', () => resolve(heard));
  });
  socket.write(request);
  return { socket, answer };
}

const head = (what: string, port: number, more: readonly string[] = []) =>
  [what, `Host: 127.0.0.1:${port}`, ...more, '', ''].join('\r\n');

const post = (port: number, length: number) =>
  head('POST /api/v1/searches HTTP/1.1', port, [
    'Content-Type: application/json',
    `Content-Length: ${length}`,
    'Connection: close',
  ]);

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);

const create = (url: string, slug: string) =>
  fetch(`${url}/api/v1/searches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ slug, operation: 'microblog', prompt: '2', every: '1h' }),
  });

export const DOORS: readonly Row[] = [
  {
    id: 'F80',
    title:
      'bodies of 10 MB, JSON with 10,000 levels, a body that does not arrive: each is refused; one search created twice concurrently is created once',
    core: true,
    seconds: 90,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await withApi(stage, async ({ url, port }) => {
        const slow = send(port, `${post(port, 100)}{"a":`);
        const large = Buffer.concat([Buffer.from(post(port, 10_000_000)), Buffer.alloc(10_000_000, ' ')]);
        assert.equal(statusOf(await send(port, large).answer), 413);
        const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
        assert.equal(statusOf(await send(port, `${post(port, deep.length)}${deep}`).answer), 400);

        const made = await Promise.all([create(url, 'twice'), create(url, 'twice')]);
        assert.deepEqual(
          made.map(({ status }) => status).toSorted((a, b) => a - b),
          [201, 409],
        );
        assert.deepEqual(await stage.rows(`SELECT slug FROM strandline.searches`), [{ slug: 'twice' }]);
        assert.equal(statusOf(await slow.answer), 408);
      });
    },
  },
  {
    id: 'F80 crowd',
    title:
      '500 concurrent requests get responses; of 600 event readers as many stay as there are places, each gets new discoveries, and the API responds meanwhile',
    core: true,
    seconds: 90,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await withApi(stage, async ({ url, port }) => {
        const asked = Array.from({ length: 500 }, async () => {
          const answer = await fetch(`${url}/api/v1/searches`);
          await answer.arrayBuffer();
          return answer.status;
        });
        assert.deepEqual([...new Set(await Promise.all(asked))], [200]);

        const readers = Array.from({ length: 600 }, (_, n) => {
          // Each address is a visitor with its own share.
          const localAddress = `127.0.0.${1 + Math.floor(n / STREAMS_MOST.each)}`;
          const socket = connect({ port, host: '127.0.0.1', localAddress });
          const reader = { socket, heard: '' };
          socket.on('error', () => {});
          socket.on('data', (bytes) => {
            reader.heard += bytes.toString('utf8');
          });
          socket.write(head('GET /api/v1/events HTTP/1.1', port));
          return reader;
        });
        await stage.until('each has its answer', () =>
          Promise.resolve(readers.every(({ heard }) => statusOf(heard) !== 0)),
        );
        const staying = readers.filter(({ heard }) => statusOf(heard) === 200);
        const away = readers.filter(({ heard }) => statusOf(heard) === 503);
        assert.deepEqual([staying.length, away.length], [STREAMS_MOST.all, 100]);
        for (const { heard } of away) assert.match(heard, /\r\nretry-after: \d+\r\n/i);

        await stage.start();
        const { runId } = await stage.add(1);
        assert.equal((await stage.ended(runId)).status, 'succeeded');
        await stage.until('each has heard of all three', () =>
          Promise.resolve(staying.every(({ heard }) => heard.split('event: discovery').length === 4)),
        );
        assert.equal((await fetch(`${url}/readyz`)).status, 200);
        for (const { socket } of readers) socket.destroy();
        // Their places are free again.
        await stage.until('a reader has a place', async () => {
          const gone = new AbortController();
          const { status } = await fetch(`${url}/api/v1/events`, { signal: gone.signal });
          gone.abort();
          return status === 200;
        });
      });
    },
  },
  {
    id: 'F80 head',
    title: 'HEAD of an endless stream gets a response and ends: 520 of them block nobody',
    core: true,
    play: async (stage) => {
      await withApi(stage, async ({ url, port }) => {
        for (let n = 0; n < 520; n += 130) {
          const heads = Array.from({ length: 130 }, () => {
            const asked = head('HEAD /api/v1/events HTTP/1.1', port, ['Connection: close']);
            return send(port, asked).answer;
          });
          for (const answer of await Promise.all(heads)) assert.equal(statusOf(answer), 200);
        }
        const gone = new AbortController();
        assert.equal((await fetch(`${url}/api/v1/events`, { signal: gone.signal })).status, 200);
        gone.abort();
      });
    },
  },
];
