import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, startForTest } from './running.ts';

const A = '/search/ai/search';
const B = '/search/ai/search/links/microblog';
const UNAUTHORIZED = {
  detail: { error_code: 401, message: 'Unauthorized', reason: 'Invalid API key' },
};

let service: Client;
beforeAll(async () => {
  service = await startForTest();
});
afterAll(() => service.close());

describe('a request without a valid key', () => {
  test.each([
    ['no header', {}],
    ['an unknown key', { authorization: 'nobody' }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('gets a 401: %s', async (_, headers) => {
    const response = await fetch(`${service.url}${A}`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(UNAUTHORIZED);
  });

  test('a Bearer key works like a raw one', async () => {
    const { status } = await service.post(B, { prompt: 'x' }, { authorization: 'Bearer test-key-$1' });
    expect(status).toBe(200);
  });
});

test.each(['/search', '/desearch', '/2026/desearch'])(
  'null is like leaving an optional member out: %s',
  async (at) => {
    const nulls = { model: null, date_filter: null, streaming: null };
    const without = await service.post(`${at}/ai/search`, { prompt: 'x', tools: ['web'] });
    const withNulls = await service.post(`${at}/ai/search`, { prompt: 'x', tools: ['web'], ...nulls });
    expect(withNulls.status).toBe(200);
    expect(await withNulls.json()).toEqual(await without.json());
    const b = at === '/search' ? 'microblog' : 'twitter';
    expect((await service.post(`${at}/ai/search/links/${b}`, { prompt: 'x', model: null })).status).toBe(200);
    expect((await service.post(`${at}/ai/search`, { prompt: null, tools: ['web'] })).status).toBe(422);
  },
);

test.each([`/search/ai/search`, '/desearch/ai/search', '/2026/desearch/ai/search'])(
  'a byte order mark before a body is skipped: %s',
  async (at) => {
    const send = (body: string) =>
      fetch(`${service.url}${at}`, { method: 'POST', headers: { authorization: 'test-key-$1' }, body });
    const body = JSON.stringify({ prompt: 'x', tools: ['web'] });
    const marked = await send(`\uFEFF${body}`);
    expect(marked.status).toBe(200);
    expect(await marked.json()).toEqual(await (await send(body)).json());
    expect((await send('\uFEFF')).status).toBe(422);
    expect((await send(`${body}\uFEFF`)).status).toBe(422);
  },
);

/** One entry of a refusal, `loc` from the member on. */
function field(loc: (string | number)[], msg: string, type: string) {
  return { loc: ['body', ...loc], msg, type };
}

const TOOLS =
  "'Web Search', 'News Forum Search', 'Discussion Board Search', 'Encyclopedia Search', " +
  "'Video Search', 'Microblog Search' or 'Preprint Search'";

describe('an invalid request', () => {
  test.each([
    ['nothing', '', [field([], 'Field required', 'missing')]],
    ['broken JSON', '{"prompt": "x",}', [field([15], 'JSON decode error', 'json_invalid')]],
    [
      'a list instead of an object',
      '[]',
      [
        field(
          [],
          'Input should be a valid dictionary or object to extract fields from',
          'model_attributes_type',
        ),
      ],
    ],
    [
      'no members',
      {},
      [field(['prompt'], 'Field required', 'missing'), field(['tools'], 'Field required', 'missing')],
    ],
    [
      'no tool',
      { prompt: 'x', tools: [] },
      [field(['tools'], 'List should have at least 1 item after validation, not 0', 'too_short')],
    ],
    [
      'an unknown tool',
      { prompt: 'x', tools: ['Tea'] },
      [field(['tools', 0], `Input should be ${TOOLS}`, 'enum')],
    ],
    [
      'an empty prompt',
      { prompt: ' ', tools: ['Web Search'] },
      [field(['prompt'], 'String should have at least 1 character', 'string_too_short')],
    ],
    [
      'a long prompt',
      { prompt: 'x'.repeat(2_001), tools: ['Web Search'] },
      [field(['prompt'], 'String should have at most 2000 characters', 'string_too_long')],
    ],
    [
      'too many tools',
      { prompt: 'x', tools: Array.from({ length: 51 }, () => 'Web Search') },
      [field(['tools'], 'List should have at most 50 items after validation', 'too_long')],
    ],
    [
      'a string for a boolean',
      { prompt: 'x', tools: ['Web Search'], streaming: 'yes' },
      [field(['streaming'], 'Input should be a valid boolean', 'bool_type')],
    ],
    [
      'an unknown model',
      { prompt: 'x', tools: ['Web Search'], model: 'STAR' },
      [field(['model'], "Input should be 'NOVA', 'ORBIT' or 'HORIZON'", 'enum')],
    ],
  ])('gets a 422 with the error: %s', async (_, body, detail) => {
    const response = await service.post(A, body);
    expect(response.status).toBe(422);
    expect(await response.json()).toEqual({ detail });
  });

  test.each(['?', '潮', '🌊', 'a\u200b'])(
    'is not one with a single visible character as prompt: %s',
    async (prompt) => {
      expect((await service.post(B, { prompt })).status).toBe(200);
    },
  );

  test.each(['\0', '\u200b', '\ufeff\u00ad', '\u3164', '\u0301'])(
    'is one with an invisible prompt, for both operations: %j',
    async (prompt) => {
      const detail = [field(['prompt'], 'Value error, the prompt needs a visible character', 'value_error')];
      for (const [path, body] of [
        [A, { prompt, tools: ['Web Search'] }],
        [B, { prompt }],
      ] as const) {
        const response = await service.post(path, body);
        expect([response.status, await response.json()]).toEqual([422, { detail }]);
      }
    },
  );

  test('is refused in the names of its dialect', async () => {
    const response = await service.post('/desearch/ai/search', { prompt: 'x', tools: ['Tea'] });
    expect(await response.text()).toContain("'Reddit Search'");
    const good = await service.post('/desearch/ai/search', {
      prompt: 'x',
      tools: ['REDDIT search', 'twitter'],
    });
    expect(good.status).toBe(200);
  });

  test('is not one with a duplicate tool', async () => {
    const answers = ['Video Search', 'Video Search', 'VIDEO search'].map((_, i, tools) =>
      service.post(A, { prompt: 'x', tools: tools.slice(0, i + 1) }),
    );
    const [once, ...more] = await Promise.all((await Promise.all(answers)).map((answer) => answer.text()));
    expect(more).toEqual([once, once]);
  });

  test('is not one with unknown members', async () => {
    const { status } = await service.post(B, { prompt: 'x', count: 10, __proto__: { a: 1 }, tools: 3 });
    expect(status).toBe(200);
  });
});

describe('other refusals', () => {
  test('a body over 64 kB gets a 413', async () => {
    const response = await service.post(A, `{"prompt":"${'x'.repeat(66_000)}"}`);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({ detail: 'Request Entity Too Large' });
  });

  test('headers over 16 kB get a 431', async () => {
    const said = await talk(
      service.port,
      `POST ${A} HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(17_000)}\r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(said).toMatch(/\{"detail":"Request Header Fields Too Large"\}$/);
  });

  test('anything that is not HTTP gets a 400', async () => {
    expect(await talk(service.port, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  test('a body that does not arrive gets a 408', async () => {
    const hasty = await startForTest({ requestMs: 100 });
    const head = `POST ${A} HTTP/1.1\r\nhost: x\r\nauthorization: test-key-$1\r\ncontent-length: 50\r\n\r\n{"pro`;
    expect(await talk(hasty.port, head)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    await hasty.close();
  });

  test('an unknown path gets a 404, another method a 405', async () => {
    const unknown = await fetch(`${service.url}/search/other`);
    expect([unknown.status, await unknown.json()]).toEqual([404, { detail: 'Not Found' }]);
    const method = await fetch(`${service.url}${A}`);
    expect([method.status, await method.json()]).toEqual([405, { detail: 'Method Not Allowed' }]);
    expect(method.headers.get('allow')).toBe('POST');
  });

  const key = 'authorization: test-key-$1';
  const ask = `${key}\r\ncontent-length: 14\r\nconnection: close`;
  test.each([
    ['an invalid address', 'GET /% HTTP/1.1\r\nhost: x\r\nconnection: close', 400, 'Bad Request'],
    ['a missing host', `POST ${B} HTTP/1.1\r\n${ask}`, 400, 'Bad Request'],
    [
      'an unsupported Expect header',
      `POST ${B} HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n${ask}`,
      417,
      'Expectation Failed',
    ],
  ])('%s is refused in the documented form', async (_, head, status, detail) => {
    const said = await talk(
      service.port,
      `${head}\r\n\r\n${head.startsWith('POST') ? '{"prompt":"x"}' : ''}`,
    );
    expect(said).toMatch(new RegExp(`^HTTP/1\\.1 ${status} ${detail}\r\n`));
    expect(said).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/i);
    expect(said.split('\r\n\r\n')[1]).toBe(JSON.stringify({ detail }));
  });

  test.each(['PROPFIND', 'TRACE', 'OPTIONS', 'DELETE', 'SEARCH', 'QUERY'])(
    'the method %s gets a 405 with the allowed one',
    async (method) => {
      const head = `${method} ${B}?x=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
      const said = await talk(service.port, head);
      expect(said).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
      expect(said).toMatch(/\r\nallow: POST\r\n/);
      expect(said).toMatch(/\{"detail":"Method Not Allowed"\}$/);
    },
  );

  test('a path that can be read says so, too', async () => {
    const response = await fetch(`${service.url}/healthz`, { method: 'POST', body: '{}' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test.each(['', 'text/plain', 'no type at all'])(
    'a body is JSON whatever its content type: %j',
    async (type) => {
      const head = `POST ${B} HTTP/1.1\r\nhost: x\r\ncontent-type: ${type}\r\n${ask}`;
      expect(await talk(service.port, `${head}\r\n\r\n{"prompt":"x"}`)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    },
  );

  test('too many calls of one key get a 429, with the wait in the body as text', async () => {
    const busy = await startForTest({ rate: { perMinute: 1, burst: 2 } });
    const status = async () => (await busy.post(B, { prompt: 'x' })).status;
    expect([await status(), await status()]).toEqual([200, 200]);
    const response = await busy.post(B, { prompt: 'x' });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
    expect(await response.json()).toEqual({
      detail: { error_code: 429, message: 'Too Many Requests', retry_after: '60 seconds' },
    });
    busy.clock.advance(61_000);
    expect(await status()).toBe(200);
    await busy.close();
  });

  test('an internal error is a 500 without its cause, which is logged', async () => {
    const keys = { verify: () => Promise.reject(new Error('inner detail')) };
    const broken = await startForTest({ keys });
    const response = await broken.post(B, { prompt: 'x' });
    expect(response.status).toBe(500);
    const body = await response.text();
    expect(JSON.parse(body)).toHaveProperty('detail.error_code', 500);
    expect(body).not.toContain('inner detail');
    expect(broken.lines.join('')).toContain('inner detail');
    await broken.close();
  });

  test('each response has the id of its request', async () => {
    const given = await service.post(B, { prompt: 'x' }, { 'x-request-id': 'run-7.1' });
    expect(given.headers.get('x-request-id')).toBe('run-7.1');
    const own = await service.post(B, { prompt: 'x' }, { 'x-request-id': 'not <good>' });
    expect(own.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  test('no log line contains a key or a prompt', async () => {
    await service.post(B, { prompt: 'a very private prompt' });
    expect(service.lines.length).toBeGreaterThan(0);
    expect(service.lines.join('')).not.toContain('test-key');
    expect(service.lines.join('')).not.toContain('private prompt');
  });
});

describe('health', () => {
  test('requires no key', async () => {
    const health: unknown = await (await fetch(`${service.url}/healthz`)).json();
    expect(health).toMatchObject({ ok: true, version: '0.0.0-test' });
    const sources: unknown = await (await fetch(`${service.url}/healthz/sources`)).json();
    expect(sources).toHaveProperty('sources.length', 7);
    expect(JSON.stringify(sources).match(/"sandbox"/g)?.length).toBe(7);
  });
});

describe('the port', () => {
  test('moves to the next free one if it is only a default', async () => {
    const next = await startForTest({ port: service.port });
    expect(next.port).toBeGreaterThan(service.port);
    expect(next.url).toBe(`http://127.0.0.1:${next.port}`);
    expect((await next.post(B, { prompt: 'x' })).status).toBe(200);
    await next.close();
  });

  test('is fixed if configured, and an error if in use', async () => {
    const taken = startForTest({ port: service.port, portAsked: true });
    await expect(taken).rejects.toMatchObject({ name: 'Refused', kind: 'unavailable' });
    await expect(taken).rejects.toThrow(String(service.port));
  });
});

/** Sends bytes and gives what is answered until the server closes. */
function talk(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (piece) => {
      said += String(piece);
    });
    socket.on('close', () => resolve(said));
    socket.on('error', reject);
  });
}
