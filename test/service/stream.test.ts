import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { servedAiResponse } from '../../src/protocol/extensions.ts';
import { createStreamReader } from '../../src/protocol/stream.ts';
import { fromWire } from '../../src/protocol/wire.ts';
import type { FoundItem, SourceQuery } from '../../src/service/sources/search-source.ts';
import { openEventStream } from '../../src/service/response-stream.ts';
import { createSandboxSources } from '../../src/service/sandbox/sandbox-sources.ts';
import { type Client, KEY, startForTest } from './running.ts';
import { foundItem, stubSource } from './stub-source.ts';

const PATH = '/desearch/ai/search';
const request = {
  prompt: 'night trains',
  tools: ['Web Search', 'Reddit Search', 'Twitter Search', 'Hacker News Search', 'Wikipedia Search'],
  date_filter: 'PAST_WEEK',
};
const named = loadDialect('named');

let service: Client;
beforeAll(async () => {
  service = await startForTest();
});
afterAll(() => service.close());

/** The JSON values of a stream, in order. */
function eventsOf(text: string): { type: string; role?: string; content: unknown }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: {'))
    .map((block) => JSON.parse(block.slice('data: '.length)));
}

describe('a streamed response', () => {
  test('is the same response in chunks', async () => {
    const whole: unknown = await (await service.post(PATH, request)).json();
    const response = await service.post(PATH, { ...request, streaming: true });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-sandbox')).toBe('true');
    expect(response.headers.get('x-request-id')).not.toBeNull();
    const text = await response.text();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);

    const events = eventsOf(text);
    expect(events.at(-1)).toEqual({ type: 'result', content: whole });
    expect(events.at(-2)).toHaveProperty('type', 'completion');
    const joined = (role: string) =>
      events
        .filter((event) => event.type === 'text' && event.role === role)
        .map((event) => event.content)
        .join('');
    for (const role of ['summary', 'twitter_summary', 'reddit_summary', 'hacker_news_summary']) {
      expect(whole).toHaveProperty(`completion.${role}`, joined(role));
    }
    expect(whole).toHaveProperty(
      'reddit_search_results.organic_results',
      events.find(({ type }) => type === 'reddit_search')?.content,
    );
    for (const event of events) {
      if (event.type === 'text') expect(String(event.content).length).toBeLessThanOrEqual(20);
    }

    const reader = createStreamReader(named);
    reader.push(new TextEncoder().encode(text));
    reader.end();
    expect(reader.complete).toBe(true);
    expect(reader.error).toBeNull();
    expect(fromWireCompletion(reader.wireAnswer())).toEqual(fromWireCompletion(whole));
  });

  test('sends a keep-alive every ten seconds while a source is slow', async () => {
    const slow = {
      name: 'slow',
      source: 'web',
      state: 'live',
      find: () => new Promise<never>(() => {}),
    } as const;
    const waiting = await startForTest({ sources: [slow] });
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const body = { prompt: 'x', tools: ['Web Search'], streaming: true };
    const reader = (await waiting.post(PATH, body)).body?.getReader();
    vi.advanceTimersByTime(10_000);
    const { value } = (await reader?.read()) ?? {};
    vi.useRealTimers();
    expect(new TextDecoder().decode(value)).toBe(': ping\n\n');
    await reader?.cancel();
    await waiting.close();
  });

  test('that fails midway reports an error without its cause, and ends', async () => {
    const broken = {
      ...foundItem('https://x.example/a', { source: 'discussion_board' }),
      get snippet(): string {
        throw new Error('inner detail');
      },
    };
    const sources = [
      stubSource('web', async () => [foundItem('https://x.example/a')]),
      stubSource('discussion_board', async () => [broken]),
    ];
    const failing = await startForTest({ sources });
    const body = { ...request, tools: ['Web Search', 'Reddit Search'] };
    const text = await (await failing.post(PATH, { ...body, streaming: true })).text();
    expect(eventsOf(text).at(-1)).toEqual({
      type: 'error',
      error: 'Internal Server Error',
      detail: expect.objectContaining({ error_code: 500 }) as object,
    });
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).not.toContain('inner detail');
    expect(failing.lines.join('')).toContain('inner detail');
    const reader = createStreamReader(named);
    reader.push(text);
    reader.end();
    expect(reader).toMatchObject({ complete: false, error: expect.stringContaining('Internal') as string });
    expect((await failing.post(PATH, body)).status).toBe(500);
    await failing.close();
  });

  test('sends each group as its source finishes, before the others', async () => {
    let answerLate: (found: FoundItem[]) => void = () => {};
    const late = new Promise<FoundItem[]>((resolve) => {
      answerLate = resolve;
    });
    const sources = [
      stubSource('video', async () => [foundItem('https://x.example/quick', { source: 'video' })]),
      stubSource('discussion_board', () => late),
    ];
    const waiting = await startForTest({ sources });
    const body = { ...request, tools: ['Reddit Search', 'Youtube Search'], streaming: true };
    const reader = (await waiting.post(PATH, body)).body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    expect(eventsOf(new TextDecoder().decode(value))).toMatchObject([
      { type: 'youtube_search', content: [{ link: 'https://x.example/quick' }] },
    ]);
    answerLate([foundItem('https://x.example/late', { source: 'discussion_board' })]);
    let rest = '';
    for (;;) {
      const { done, value: more } = (await reader?.read()) ?? { done: true };
      if (done) break;
      rest += new TextDecoder().decode(more);
    }
    expect(eventsOf(rest)[0]).toMatchObject({ type: 'reddit_search' });
    await waiting.close();
  });

  test('waits for a slow client before it sends the long parts', async () => {
    const client = new PassThrough({ highWaterMark: 64 });
    const response = Object.assign(client, { writeHead() {}, flushHeaders() {} });
    // Of a response only what is given here is used.
    const stream = openEventStream(response as unknown as ServerResponse, named, {});
    stream.text('summary', 'words that fill what may wait for the client, and more than that');
    const done = stream.answer(servedAiResponse.parse(EMPTY));
    await setImmediate();
    expect(response.writableNeedDrain).toBe(true);
    const first = String(response.read());
    expect(first).toContain('"type":"text"');
    expect(first).not.toContain('"completion"');
    let rest = '';
    response.on('data', (more) => {
      rest += String(more);
    });
    await done;
    await finished(response);
    expect(eventsOf(rest).map(({ type }) => type)).toEqual(['completion', 'result']);
  });

  test('that is truncated is incomplete', async () => {
    const response = await service.post(
      `/sandbox${PATH}`,
      { ...request, streaming: true },
      { 'x-sandbox-fault': 'truncate' },
    );
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(text).toContain('reddit_search');
    expect(text).not.toContain('"completion"');
    expect(text).not.toContain('[DONE]');
  });
});

const EMPTY = {
  text_chunks: { microblog_summary: [] },
  search_completion_links: [],
  completion_links: [],
  completion: {
    key_posts: [],
    key_microblog_posts: [],
    key_news: [],
    key_sources: [],
    microblog_summary: '',
    summary: '',
    discussion_board_summary: '',
    news_forum_summary: '',
  },
  completion_writer: 'none',
};

describe('a client that disconnects', () => {
  test.each([false, true])('aborts the work on its response (streaming: %s)', async (streaming) => {
    const calls = new EventEmitter();
    const asked = once(calls, 'asked') as Promise<[AbortSignal]>; // once cannot know what is emitted
    const slow = {
      name: 'slow',
      source: 'web',
      state: 'live',
      find({ signal }: SourceQuery) {
        calls.emit('asked', signal);
        return new Promise<never>(() => {}); // answers never
      },
    } as const;
    const waiting = await startForTest({ sources: [slow, ...createSandboxSources()] });
    const client = new AbortController();
    const response = fetch(`${waiting.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: KEY },
      body: JSON.stringify({ ...request, streaming }),
      signal: client.signal,
    });
    const gone = response.then((answer) => answer.text()).catch(() => 'gone');
    const [signal] = await asked;
    expect(signal.aborted).toBe(false);
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    client.abort();
    await aborted;
    expect(await gone).toBe('gone');
    expect(waiting.lines.join('')).not.toContain('"level":"error"');
    await waiting.close();
  });
});

test.each([false, true])(
  'a client that disconnects aborts the language model (streaming: %s)',
  async (streaming) => {
    const calls = new EventEmitter();
    const asked = once(calls, 'asked') as Promise<[AbortSignal]>; // once cannot know what is emitted
    const model = {
      name: 'of the test',
      ask(_: unknown, signal: AbortSignal) {
        calls.emit('asked', signal);
        return new Promise<never>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      },
    };
    const sources = [stubSource('web', async () => [foundItem('https://live.example/page')])];
    const writing = await startForTest({ model, sources });
    const client = new AbortController();
    const gone = fetch(`${writing.url}${PATH}`, {
      method: 'POST',
      headers: { authorization: KEY },
      body: JSON.stringify({ ...request, streaming }),
      signal: client.signal,
    })
      .then((answer) => answer.text())
      .catch(() => 'gone');
    const [signal] = await asked;
    expect(signal.aborted).toBe(false);
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    client.abort();
    await aborted;
    expect(await gone).toBe('gone');
    expect(writing.lines.join('')).not.toContain('"level":"error"');
    await writing.close();
  },
);

function fromWireCompletion(answer: unknown): unknown {
  const words = fromWire(named, 'ai-answer', answer);
  return typeof words === 'object' && words !== null && 'completion' in words ? words.completion : undefined;
}
