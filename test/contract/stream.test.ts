import { describe, expect, test } from 'vitest';
import type { Plain } from '../../src/lib/json-values.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { createStreamReader, isEventStream, type StreamReader } from '../../src/protocol/stream.ts';
import { fromWire } from '../../src/protocol/wire.ts';
import { sample } from '../samples/sample.ts';
import { watchProcessor } from '../processor.ts';

const named = loadDialect('named');
const golden = sample('ai-search.stream.named.sse.txt');

/** Reads a text cut into pieces of so many bytes; its answer is in the specification's names. */
function readCut(
  text: string | Uint8Array,
  size = Number.POSITIVE_INFINITY,
): StreamReader & { answer: () => Plain } {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const reader = createStreamReader(named);
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  reader.end();
  const answer = () => {
    const { texts, ...others } = reader.wireAnswer();
    const [neutral, byRole] = [others, texts].map((part) => fromWire(named, 'ai-answer', part) as Plain);
    return { ...neutral, texts: byRole };
  };
  return Object.assign(reader, { answer });
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const END = event({ type: 'completion', content: 'whole' });

describe('the recorded stream', () => {
  test.each([1, 2, 3, 7, 1_000, Number.POSITIVE_INFINITY])(
    'parses the same in chunks of %d bytes',
    (size) => {
      const reader = readCut(golden, size);
      expect(reader.complete).toBe(true);
      expect(reader.error).toBeNull();
      const answer = reader.answer();
      expect(Object.keys(answer)).toEqual(['web', 'microblog', 'completion', 'texts']);
      expect(answer.web).toHaveLength(1);
      expect(answer.microblog).toMatchObject([{ id: '1797277460594774155', repost_count: 3 }]);
      const { summary } = answer.texts as { summary: string }; // the role that this stream has
      expect(answer.completion).toBe(summary);
      expect(summary).toHaveLength(3_493);
    },
  );

  test.each([
    ['CRLF', golden.replaceAll('\n', '\r\n')],
    ['CR', golden.replaceAll('\n', '\r')],
    ['no framing', golden.replaceAll('data: ', '').replaceAll('\n\n', '')],
    ['one JSON value per line', golden.replaceAll('data: ', '').replaceAll('\n\n', '\n')],
    ['several parts in one line', golden.replaceAll('\n\n', ' ')],
    ['no space after data:', golden.replaceAll('data: ', 'data:')],
    ['heartbeats and unknown fields', golden.replaceAll('\n\n', '\n\n: ping\nretry: -1\nid: \0\n\n')],
    ['a byte order mark', `\uFEFF${golden}`],
    ['no final blank line', golden.trimEnd()],
    ['[DONE] twice', `${golden}data: [DONE]\n\ndata: [DONE]\n\n`],
    ['the end event twice', golden + golden.slice(golden.lastIndexOf('data: '))],
  ])('parses the same with %s', (_, text) => {
    const expected = readCut(golden).answer();
    for (const size of [1, 4_096]) {
      const reader = readCut(text, size);
      expect(reader.complete).toBe(true);
      expect(reader.answer()).toEqual(expected);
    }
  });
});

test('a two-byte character may be split', () => {
  const bytes = new TextEncoder().encode(event({ type: 'text', role: 'summary', content: 'é😀' }) + END);
  const reader = readCut(bytes, 1);
  expect(reader.answer().texts).toEqual({ summary: 'é😀' });
});

describe('a response of our own service', () => {
  const parts = [
    ': ping\n\n',
    event({ type: 'reddit_search', content: [{ link: 'https://a.example/é' }] }),
    event({ type: 'text', role: 'twitter_summary', content: 'Ebbe 🌊 ' }),
    event({ type: 'flow', content: { step: 2 } }),
    event({ type: 'text', role: 'summary', content: 'naïve' }),
    event({ type: 'text', role: 'twitter_summary', content: 'und Flut' }),
  ];
  const completion = { summary: 'naïve', twitter_summary: 'Ebbe 🌊 und Flut' };
  const objectEnd = event({ type: 'completion', content: completion });
  const whole = parts.join('') + objectEnd;
  const bare = whole.replaceAll(': ping\n\n', '').replaceAll('data: ', '').replaceAll('\n\n', '');
  const error = event({ type: 'error', error: 'no', detail: { error_code: 500, message: 'no' } });

  const framings: [name: string, text: string, complete: boolean, said: string | null][] = [
    ['verbatim', whole, true, null],
    ['[DONE] after it', `${whole}data: [DONE]\n\n`, true, null],
    ['CRLF', whole.replaceAll('\n', '\r\n'), true, null],
    [
      'three events in a line',
      whole.replace(': ping\n\n', '').replaceAll('\n\ndata: ', ' data: '),
      true,
      null,
    ],
    ['consecutive bare objects', bare, true, null],
    ['an unknown event type at the end', `${whole}${event({ type: 'cost', content: 1 })}`, true, null],
    ['the completion as text', parts.join('') + event({ type: 'completion', content: 'naïve' }), true, null],
    ['an error midway', parts.join('') + error + objectEnd, true, 'no'],
    ['an error instead of the end', `${parts.join('')}${error}data: [DONE]\n\n`, false, 'no'],
    ['the end without a completion', parts.join(''), false, null],
    ['[DONE] without a completion', `${parts.join('')}data: [DONE]\n\n`, false, null],
  ];

  test.each(framings)('parses the same byte by byte and at once: %s', (_, text, complete, said) => {
    for (const size of [1, 3, Number.POSITIVE_INFINITY]) {
      const reader = readCut(text, size);
      expect(reader).toMatchObject({ complete, error: said });
      const answer = reader.answer();
      expect(answer).toMatchObject({
        discussion_board: [{ link: 'https://a.example/é' }],
        texts: { summary: 'naïve', microblog_summary: 'Ebbe 🌊 und Flut' },
        text_chunks: { microblog_summary: ['Ebbe 🌊 ', 'und Flut'] },
      });
      if (complete && !text.includes('"content":"naïve"}\n\n')) {
        expect(answer.completion).toEqual({ summary: 'naïve', microblog_summary: 'Ebbe 🌊 und Flut' });
      }
    }
  });
});

test('a pretty-printed event spans several data lines', () => {
  const lines = JSON.stringify({ type: 'completion', content: 'x' }, null, 2).split('\n');
  const reader = readCut(`${lines.map((line) => `data: ${line}`).join('\r\n')}\r\n\r\n`, 1);
  expect(reader.answer().completion).toBe('x');
});

test('interleaved roles and tools are assembled separately', () => {
  const reader = readCut(
    event({ type: 'text', role: 'twitter_summary', content: 'a' }) +
      event({ type: 'tweets', content: [{ id: '1' }] }) +
      event({ type: 'text', role: 'summary', content: 'x' }) +
      event({ type: 'wikipedia_search', content: { organic_results: [] } }) +
      event({ type: 'text', role: 'twitter_summary', content: 'b' }) +
      event({ type: 'tweets', content: [{ id: '2' }] }) +
      event({ type: 'reddit_search', content: null }) +
      END,
  );
  expect(reader.answer()).toEqual({
    microblog: [{ id: '1' }, { id: '2' }],
    encyclopedia: [{ organic_results: [] }],
    discussion_board: [],
    text_chunks: { microblog_summary: ['a', 'b'] },
    completion: 'whole',
    texts: { microblog_summary: 'ab', summary: 'x' },
  });
});

test('the completion may be an object, and a result event holds the whole response', () => {
  const completion = { summary: 's', twitter_summary: 't' };
  expect(readCut(event({ type: 'completion', content: completion })).answer().completion).toEqual({
    summary: 's',
    microblog_summary: 't',
  });
  const result = { type: 'result', content: { youtube_search_results: { organic_results: [] }, completion } };
  expect(readCut(event(result)).answer()).toMatchObject({ video_search_results: { organic_results: [] } });
});

test('a complete response to a streaming request is accepted', () => {
  const reader = readCut(sample('ai-search.2025-03.named.json'), 5);
  expect(reader.complete).toBe(true);
  expect(reader.answer()).toMatchObject({ completion: { microblog_summary: expect.any(String) as string } });
});

test('keeps the digits of an id that JavaScript would round', () => {
  const reader = readCut(`data: {"type":"tweets","content":[{"id":1790000000000000001}]}\n\n${END}`);
  expect(reader.answer().microblog).toEqual([{ id: '1790000000000000001' }]);
});

describe('an incomplete stream is reported', () => {
  test.each([
    ['nothing', '', null],
    ['only comments', ': ping\n\n: ping\n\n', null],
    ['no completion', event({ type: 'text', role: 'summary', content: 'a' }), null],
    ['cut inside JSON', golden.slice(0, -500), null],
    ['cut inside an escape', 'data: {"type":"completion","content":"\\u12\n\n', null],
    ['cut after a backslash', 'data: {"type":"completion","content":"\\\n\n', null],
    ['a completion inside a text', event({ type: 'text', role: 'summary', content: END }), null],
    ['[DONE] inside a text', event({ type: 'text', role: 'summary', content: '[DONE]' }), null],
    ['an error without a type', sample('ai-search.stream-error-tail.sse.txt'), 'list index out of range'],
    ['an error with a type', event({ type: 'error', error: 'no', detail: { message: 'quota' } }), 'quota'],
    ['a named error event', 'event: error\ndata: upstream failed\n\n', 'upstream failed'],
    ['a named error event with JSON', 'event: error\ndata: {"message":"m"}\n\n', 'm'],
    ['an error body', event({ detail: 'Invalid access key' }), 'Invalid access key'],
    ['an HTML page', '<html><body>502 Bad Gateway</body></html>', null],
    ['unknown event types', event({ type: 'flow', content: 1 }), null],
    ['ten million spaces', `${' '.repeat(10_000_000)}x`, null],
    ['values that are not objects', 'data: 1\n\ndata: "x"\n\ndata: [1, null]\n\ndata: null\n\n', null],
  ])('%s', (_, text, error) => {
    for (const size of text.length > 1_000_000 ? [65_536] : [1, 1_000_000]) {
      const reader = readCut(text, size);
      expect(reader.complete).toBe(false);
      expect(reader.error).toBe(error);
    }
  });
});

test('an error midway does not undo a later completion, and is kept', () => {
  const reader = readCut(event({ error: 'one tool failed' }) + END);
  expect(reader).toMatchObject({ complete: true, error: 'one tool failed' });
});

test('a truncated event does not swallow the events after it', () => {
  const reader = readCut(`data: {"type":"text","role":"summary","content":"abc\n\n${END}`);
  expect(reader.complete).toBe(true);
});

test('reads a line of ten million characters without an end in linear time, in any chunks', () => {
  const content = 'x'.repeat(10_000_000);
  const text = event({ type: 'completion', content });
  const computed = watchProcessor();
  expect(readCut(text, 1_021).answer().completion).toHaveLength(content.length);
  expect(computed()).toBeLessThan(10_000);
});

test.each([
  ['data: {}', true],
  [': ping\n\ndata: {}', true],
  ['\uFEFF\r\nevent: x', true],
  ['{"type": "text", "content": ""}{', true],
  ['{"completion": "data: x"}', false],
  ['<html>', false],
  ['', false],
])('%j is an event stream: %s', (text, expected) => {
  expect(isEventStream(text)).toBe(expected);
});
