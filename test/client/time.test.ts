import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { call, outcome, withService, withSocket } from './server.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

/** Writes a byte of a text every few milliseconds, endlessly. */
function drip(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 10);
  socket.on('close', () => clearInterval(timer));
}

// F51: what the server does, the code, the phase that was reached.
test.each<[string, (socket: Socket) => void, string, number | null]>([
  ['never responds', () => undefined, 'timeout_headers', null],
  ['sends its headers byte by byte', (s) => drip(s, 'HTTP/1.1 200 OK\r\nx-a: b'), 'timeout_headers', null],
  [
    'sends early hints and no response',
    (s) => s.write('HTTP/1.1 103 Early\r\n\r\n'),
    'timeout_headers',
    null,
  ],
  ['sends headers and no body', (s) => s.write(`${HEAD}content-length: 9\r\n\r\n`), 'timeout_body', 200],
  [
    'sends its body byte by byte',
    (s) => s.write(`${HEAD}\r\n`, () => drip(s, '{"a": 1},')),
    'timeout_body',
    200,
  ],
  ['stalls at 90 %', (s) => s.write(`${HEAD}content-length: 10\r\n\r\n{"a":"bcd`), 'timeout_body', 200],
])('a server that %s times out: %s', async (_, behave, code, httpStatus) => {
  let hungUp: Promise<unknown> | undefined;
  const result = await withSocket(
    (socket) => {
      // Writing to a connection that is being closed is an error without meaning here.
      socket.on('error', () => {});
      hungUp = new Promise((resolve) => socket.once('close', resolve));
      behave(socket);
    },
    async (url) => {
      const ended = await call(url, { timeoutMs: 150 });
      await hungUp;
      return ended;
    },
  );
  expect(result).toMatchObject({ kind: 'failed', code, httpStatus, sent: true });
  expect(result.latencyMs).toBeGreaterThanOrEqual(140);
});

test('reads a response that arrived while the process was suspended, however long that was', async () => {
  const body = '{"miner_tweets":[]}';
  const result = await withSocket(
    (socket) =>
      void socket.write(`${HEAD}content-length: ${body.length}\r\n\r\n${body}`, () => {
        // Nothing else in this process runs meanwhile, including its timers.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
      }),
    (url) => call(url, { timeoutMs: 150 }),
  );
  expect(result).toMatchObject({ kind: 'answer', httpStatus: 200, bytes: body.length });
});

test('a slow error response is classified by its status', async () => {
  const result = await withSocket(
    (socket) => socket.write('HTTP/1.1 401 No\r\ncontent-length: 90\r\n\r\n{"detail":'),
    (url) => call(url, { timeoutMs: 150 }),
  );
  expect(result).toMatchObject({ code: 'auth', httpStatus: 401 });
});

test('the caller can abort a call before it starts, before its headers, and in its body', async () => {
  let caller = new AbortController();
  await withService(
    (response, { url }) => {
      if (url.startsWith('/body'))
        response.writeHead(200).write('{', () => setTimeout(() => caller.abort(), 50));
      else caller.abort();
    },
    async (url, heard) => {
      const before = await call(url, { signal: AbortSignal.abort() });
      expect(before).toMatchObject({ kind: 'aborted', sent: false });
      expect(heard).toHaveLength(0);
      const waiting = await call(url, { signal: caller.signal });
      expect(waiting).toMatchObject({ kind: 'aborted', sent: true, httpStatus: null });
      caller = new AbortController();
      const reading = await call(url, { signal: caller.signal, prefix: 'body' });
      expect(reading).toMatchObject({ kind: 'aborted', sent: true, httpStatus: 200, bytes: 1 });
    },
  );
});

test('many calls leave no listeners on the signal they share', async () => {
  const controller = new AbortController();
  let listening = 0;
  const add = controller.signal.addEventListener.bind(controller.signal);
  const remove = controller.signal.removeEventListener.bind(controller.signal);
  controller.signal.addEventListener = (...given: Parameters<typeof add>) => {
    listening++;
    add(...given);
  };
  controller.signal.removeEventListener = (...given: Parameters<typeof remove>) => {
    listening--;
    remove(...given);
  };
  await withService(
    (response) => void response.end('{}'),
    async (url) => {
      for (let i = 0; i < 15; i++) {
        const calls = Array.from({ length: 20 }, () => call(url, { signal: controller.signal }));
        for (const result of await Promise.all(calls)) expect(outcome(result)).toBe('answer');
      }
    },
  );
  expect(listening).toBe(0);
});
