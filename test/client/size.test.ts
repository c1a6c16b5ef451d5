import { once } from 'node:events';
import { Readable } from 'node:stream';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { watchProcessor } from '../processor.ts';
import { call, outcome, withService, withSocket } from './server.ts';

const TEXT = Buffer.from(`{"text":"${'wave '.repeat(10_000)}"}`);

/** Responds with a body under the name of an encoding. */
function encoded(encoding: string, body: Buffer, other: Parameters<typeof call>[1] = {}) {
  const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
  return withService(
    (response) => void response.writeHead(200, headers).end(body),
    (url) => call(url, other),
  );
}

describe('encodings', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['GZIP', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['identity', TEXT],
    ['', TEXT],
  ])('%s is decoded', async (encoding, body) => {
    const result = await encoded(encoding, body);
    expect(result).toMatchObject({ kind: 'answer', bytes: TEXT.length });
    expect(result.kind === 'answer' && result.body.equals(TEXT)).toBe(true);
  });

  it.each([
    ['br', TEXT],
    ['gzip', TEXT],
    ['deflate', TEXT],
    ['gzip', gzipSync(TEXT).subarray(0, 60)],
    ['br', brotliCompressSync(TEXT).subarray(0, 20)],
    ['zstd', TEXT],
    ['gzip, gzip', gzipSync(gzipSync(TEXT))],
    ['gzip, br, gzip, br, gzip, br', TEXT],
    ['aes128gcm', TEXT],
  ])('%s that is corrupt or unsupported is a decoding error', async (encoding, body) => {
    expect(outcome(await encoded(encoding, body))).toBe('decode_error');
  });

  it('that are unsupported leave no connection open', async () => {
    let hungUp: Promise<unknown> | undefined;
    await withSocket(
      (socket) => {
        hungUp = once(socket, 'close');
        socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\ncontent-length: 9\r\n\r\nabc');
      },
      async (url) => {
        expect(outcome(await call(url))).toBe('decode_error');
        await hungUp;
      },
    );
  });

  it('of an empty body give an empty response', async () => {
    expect(outcome(await encoded('gzip', Buffer.alloc(0)))).toBe('bad_json');
  });

  it('that are cut off by the connection report a broken connection', async () => {
    const part = gzipSync(TEXT).subarray(0, 60);
    const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 900\r\n\r\n';
    const result = await withSocket(
      (socket) => socket.end(Buffer.concat([Buffer.from(head), part])),
      (url) => call(url),
    );
    expect(outcome(result)).toBe('conn_reset');
  });
});

test('a response may be exactly as large as the limit, not a byte larger', async () => {
  const maxBytes = TEXT.length;
  for (const encoding of ['identity', 'gzip'] as const) {
    const body = encoding === 'gzip' ? gzipSync(TEXT) : TEXT;
    expect(outcome(await encoded(encoding, body, { maxBytes }))).toBe('answer');
    expect(outcome(await encoded(encoding, body, { maxBytes: maxBytes - 1 }))).toBe('too_large');
  }
});

const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };

/**
 * The processor time while something ran, in total and the most between two turns of the event loop, in milliseconds;
 * and the memory used.
 */
async function watched<T>(
  run: () => Promise<T>,
): Promise<{ value: T; computedMs: number; lagMs: number; grewMb: number }> {
  const before = process.memoryUsage().rss;
  const computed = watchProcessor();
  let [lagMs, most, last] = [0, before, 0];
  const timer = setInterval(() => {
    lagMs = Math.max(lagMs, computed() - last);
    most = Math.max(most, process.memoryUsage().rss);
    last = computed();
  }, 5);
  try {
    return { value: await run(), computedMs: computed(), lagMs, grewMb: (most - before) / 1e6 };
  } finally {
    clearInterval(timer);
  }
}

// F53: 300 kB on the wire that would be 300 MB.
test.each([
  ['gzip', (blanks: Buffer) => gzipSync(blanks)],
  ['br', (blanks: Buffer) => brotliCompressSync(blanks, QUICKLY)],
  ['deflate', (blanks: Buffer) => deflateRawSync(blanks, { level: 3 })],
])('a compression bomb of %s stops at the limit, with little time and memory', async (encoding, compress) => {
  const bomb = compress(Buffer.alloc(encoding === 'gzip' ? 300_000_000 : 100_000_000, ' '));
  const { value, computedMs, lagMs, grewMb } = await watched(() =>
    encoded(encoding, bomb, { maxBytes: 20_000_000 }),
  );
  expect(value).toMatchObject({ kind: 'failed', code: 'too_large' });
  expect(value.bytes).toBeLessThanOrEqual(20_000_000);
  expect(computedMs).toBeLessThan(1_500);
  expect(lagMs).toBeLessThan(1_000);
  expect(grewMb).toBeLessThan(100);
});

test('an endless body stops at the limit', async () => {
  const piece = Buffer.alloc(65_536, ' ');
  const { value, grewMb } = await watched(() =>
    withService(
      (response) => {
        const endless = new Readable({
          read() {
            this.push(piece);
          },
        });
        endless.pipe(response).on('close', () => endless.destroy());
      },
      (url) => call(url, { maxBytes: 20_000_000 }),
    ),
  );
  expect(outcome(value)).toBe('too_large');
  expect(grewMb).toBeLessThan(100);
});

test('an error with an endless body is classified by its status', async () => {
  const result = await withService(
    (response) => {
      response.writeHead(503, { 'retry-after': '9' });
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
      response.on('close', () => clearInterval(timer));
    },
    (url) => call(url),
  );
  expect(result).toMatchObject({ code: 'upstream_5xx', retryAfterMs: 9_000 });
});

test('a hundred thousand one-byte chunks form one body without blocking the event loop', async () => {
  const chunks = `1\r\n[\r\n${'1\r\n \r\n'.repeat(100_000)}1\r\n]\r\n0\r\n\r\n`;
  const { value, lagMs } = await watched(() =>
    withSocket(
      (socket) => socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`),
      (url) => call(url),
    ),
  );
  expect(value).toMatchObject({ kind: 'answer', bytes: 100_002 });
  expect(lagMs).toBeLessThan(500);
});
