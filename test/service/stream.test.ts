import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadDialect } from '../../src/contract/dialect.ts';
import { createStreamReader } from '../../src/contract/stream.ts';
import { fromWire } from '../../src/contract/wire.ts';
import type { Query } from '../../src/service/source.ts';
import { sandboxSources } from '../../src/service/sandbox/sources.ts';
import { type Client, KEY, startForTest } from './running.ts';

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

describe('a streamed answer', () => {
  test('is the answer that is given at once, in pieces', async () => {
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
    expect(reader.answer()).toMatchObject({ completion: fromWireCompletion(whole) });
  });

  test('shows every ten seconds that it is alive while a source takes its time', async () => {
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

  test('that is cut is no complete one', async () => {
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

describe('a client that goes away', () => {
  test.each([false, true])('stops the work on its answer (streaming: %s)', async (streaming) => {
    const calls = new EventEmitter();
    const asked = once(calls, 'asked') as Promise<[AbortSignal]>; // once cannot know what is emitted
    const slow = {
      name: 'slow',
      source: 'web',
      state: 'live',
      find({ signal }: Query) {
        calls.emit('asked', signal);
        return new Promise<never>(() => {}); // answers never
      },
    } as const;
    const waiting = await startForTest({ sources: [slow, ...sandboxSources()] });
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

function fromWireCompletion(answer: unknown): unknown {
  const words = fromWire(named, 'ai-answer', answer);
  return typeof words === 'object' && words !== null && 'completion' in words ? words.completion : undefined;
}
