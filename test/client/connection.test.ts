/** One connection per call: none is reused, so the service cannot close one while a paid call is sent on it. */
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { steppedClock } from '../../src/platform/clock.ts';
import { call, NOW, outcome } from './server.ts';

const RESPONSE =
  'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\nkeep-alive: timeout=60\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

type Counted = { connections: number; requests: number };

/** A service that promises keep-alive, and closes each connection when the next request arrives on it. */
async function withClosingService(use: (baseUrl: string, counted: Counted) => Promise<void>): Promise<void> {
  const counted = { connections: 0, requests: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    counted.connections += 1;
    sockets.add(socket);
    let before = '';
    let served = false;
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (piece: string) => {
      if (served) {
        counted.requests += 1;
        socket.resetAndDestroy();
        return;
      }
      before += piece;
      if (!before.includes('"prompt"')) return;
      counted.requests += 1;
      served = true;
      socket.write(RESPONSE);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen');
  try {
    await use(`http://127.0.0.1:${address.port}`, counted);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('uses a new connection per call, so a service that closes idle connections costs no call', async () => {
  await withClosingService(async (url, counted) => {
    for (let n = 0; n < 5; n += 1) expect(outcome(await call(url))).toBe('answer');
    const together = await Promise.all(Array.from({ length: 5 }, () => call(url)));
    expect(together.map(outcome)).toEqual(Array.from({ length: 5 }, () => 'answer'));
    expect(counted).toEqual({ connections: 10, requests: 10 });
  });
});

test('does not send a call after its deadline', async () => {
  await withClosingService(async (url, counted) => {
    const leaveBy = new Date(NOW.getTime() - 1);
    expect(await call(url, { leaveBy, clock: steppedClock(NOW) })).toMatchObject({
      kind: 'failed',
      code: 'timeout_connect',
      sent: false,
    });
    expect(counted.requests).toBe(0);
    expect(outcome(await call(url, { leaveBy: NOW, clock: steppedClock(NOW) }))).toBe('answer');
    expect(counted.requests).toBe(1);
  });
});
