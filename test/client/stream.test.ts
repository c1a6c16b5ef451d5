import { gzipSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { call, KEY, outcome, withService } from './server.ts';

const request = { operation: 'ai', prompt: 'tide', tools: ['Web Search'], streaming: true } as const;
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const TEXT = event({ type: 'text', role: 'summary', content: 'high wäter' });
const LINKS = event({ type: 'search', content: [{ title: 'a', link: 'https://a.example' }] });
const DONE = event({ type: 'completion', content: 'high wäter' });
const SSE = { 'content-type': 'text/event-stream' };

/** Sends an event stream and closes it, or leaves the connection open. */
function stream(body: string, headers: Record<string, string> = SSE, end = true) {
  return withService(
    (response) => {
      response.writeHead(200, headers).write(body);
      if (end) response.end();
    },
    (url) => call(url, { request, timeoutMs: 1_000 }),
  );
}

test('an event stream is stored byte for byte', async () => {
  const result = await stream(TEXT + LINKS + DONE);
  expect(result).toMatchObject({ kind: 'answer', contentType: 'text/event-stream' });
  expect(result.kind === 'answer' && result.body.toString()).toBe(TEXT + LINKS + DONE);
});

test('a streaming request asks for an event stream', async () => {
  await withService(
    (response) => void response.writeHead(200, SSE).end(DONE),
    async (url, heard) => {
      await call(url, { request });
      expect(heard[0]?.headers.accept).toContain('text/event-stream');
      expect(JSON.parse(heard[0]?.body ?? '')).toMatchObject({ streaming: true });
    },
  );
});

// F54: the stream, the outcome.
test.each<[string, string, string]>([
  [
    'CRLF and a final event without a blank line',
    `${TEXT}data: ${JSON.stringify({ type: 'completion', content: '' })}`.replaceAll('\n', '\r\n'),
    'answer',
  ],
  [
    'several events in one line',
    `data: {"type":"text","role":"summary","content":"a"} data: {"type":"completion","content":"a"}\n\n`,
    'answer',
  ],
  ['comments, a completion, [DONE]', `: hi\n\n${DONE}data: [DONE]\n\n`, 'answer'],
  ['two completions', DONE + DONE, 'answer'],
  ['an error after the completion', `${DONE}${event({ error: 'late' })}`, 'answer'],
  ['no completion', TEXT + LINKS, 'stream_incomplete'],
  ['half of a completion', TEXT + DONE.slice(0, 20), 'stream_incomplete'],
  ['nothing', '', 'stream_incomplete'],
  ['only comments', ': keep-alive\n\n'.repeat(100), 'stream_incomplete'],
  ['only [DONE]', 'data: [DONE]\n\n', 'stream_incomplete'],
  ['an error inside', `${TEXT}${event({ error: 'sources failed' })}`, 'upstream_5xx'],
  ['an HTML page inside', `${TEXT}<html>502</html>\n\n`, 'stream_incomplete'],
  [
    'a line of 2 MB',
    `data: {"type":"text","role":"summary","content":"${'x'.repeat(2_000_000)}"}\n\n`,
    'too_large',
  ],
])('a stream with %s', async (_, body, expected) => {
  expect(outcome(await stream(body))).toBe(expected);
});

describe('an unannounced stream', () => {
  it.each([
    ['with a JSON content type', { 'content-type': 'application/json' }],
    ['without a content type', {}],
  ])('%s is parsed as a stream', async (_, headers: Record<string, string>) => {
    expect(outcome(await stream(TEXT + DONE, headers))).toBe('answer');
    expect(outcome(await stream(TEXT, headers))).toBe('stream_incomplete');
    expect(outcome(await stream(`\uFEFF${'\n'.repeat(2_000)}${TEXT}${DONE}`, headers))).toBe('answer');
    expect(outcome(await stream(`${'\n'.repeat(2_000)}${TEXT}`, headers))).toBe('stream_incomplete');
    expect(outcome(await stream(`   ${DONE}`, headers))).toBe('answer');
  });

  it('is parsed even if none was requested', async () => {
    const result = await withService(
      (response) => void response.writeHead(200).end(TEXT),
      (url) => call(url, { request: { ...request, streaming: false } }),
    );
    expect(outcome(result)).toBe('stream_incomplete');
  });

  it('is not a response of the operation that has none', async () => {
    const result = await withService(
      (response) => void response.writeHead(200, SSE).end(DONE),
      (url) => call(url),
    );
    expect(outcome(result)).toBe('bad_content_type');
  });
});

test('an error inside a stream shows no part of the key', async () => {
  for (const filled of [0, 1_980, 1_990]) {
    const result = await stream(event({ error: `${'x'.repeat(filled)}${KEY}` }));
    expect(JSON.stringify(result)).toMatch(/x*\[key/);
    expect(JSON.stringify(result)).not.toContain(KEY.slice(0, 4));
  }
});

test('a complete JSON response to a streaming request is accepted', async () => {
  const body = JSON.stringify({ completion: 'a', search: [] }, null, 2);
  expect(outcome(await stream(body, { 'content-type': 'application/json' }))).toBe('answer');
  expect(outcome(await stream(body))).toBe('answer');
});

test('does not wait for a connection that stays open after the completion', async () => {
  const result = await stream(TEXT + DONE, SSE, false);
  expect(result).toMatchObject({ kind: 'answer', bytes: Buffer.byteLength(TEXT + DONE) });
  expect(result.latencyMs, 'which ends at its limit').toBeLessThan(1_000);
});

test('a broken stream is stored up to where it broke, however it broke', async () => {
  const incomplete = await stream(TEXT + LINKS);
  expect(incomplete.kind === 'failed' && incomplete.partial?.toString()).toBe(TEXT + LINKS);
  const failed = await stream(TEXT + LINKS + event({ error: 'sources failed' }));
  expect(outcome(failed)).toBe('upstream_5xx');
  expect(failed.kind === 'failed' && failed.partial?.toString()).toContain(LINKS);
  expect(await stream('')).toMatchObject({ code: 'stream_incomplete', partial: undefined });
});

test('a call that its caller aborts keeps what arrived of its stream', async () => {
  const caller = new AbortController();
  const result = await withService(
    (response) => {
      response.writeHead(200, SSE).write(TEXT + LINKS);
      setTimeout(() => caller.abort(), 50);
    },
    (url) => call(url, { request, signal: caller.signal }),
  );
  expect(result.kind === 'aborted' && result.partial?.toString()).toBe(TEXT + LINKS);
});

test('a stream that stalls before its completion times out', async () => {
  const result = await withService(
    (response) => void response.writeHead(200, SSE).write(TEXT),
    (url) => call(url, { request, timeoutMs: 150 }),
  );
  expect(result).toMatchObject({ code: 'timeout_body', bytes: Buffer.byteLength(TEXT) });
});

test.each<[string, string, string]>([
  ['before its completion is a broken connection', TEXT, 'conn_reset'],
  ['after its completion is a response', TEXT + DONE, 'answer'],
])('a connection reset %s', async (_, body, expected) => {
  const result = await withService(
    (response) => {
      response.writeHead(200, SSE).write(body);
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
    },
    (url) => call(url, { request }),
  );
  expect(outcome(result)).toBe(expected);
});

test('a stream may arrive in single bytes and compressed', async () => {
  const bytes = Buffer.from(TEXT + DONE);
  const single = await withService(
    (response) => {
      response.writeHead(200, SSE);
      const next = (at: number) => {
        if (at === bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
      };
      next(0);
    },
    (url) => call(url, { request }),
  );
  expect(single.kind === 'answer' && single.body.equals(bytes)).toBe(true);
  const small = await withService(
    (response) => void response.writeHead(200, { ...SSE, 'content-encoding': 'gzip' }).end(gzipSync(bytes)),
    (url) => call(url, { request }),
  );
  expect(small.kind === 'answer' && small.body.equals(bytes)).toBe(true);
});
