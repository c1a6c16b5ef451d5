/** The possible bytes of a response, and the error for invalid ones. */
import { describe, expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import type { Operation } from '../../src/model/enumerations.ts';
import { RunError } from '../../src/model/errors.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import type { ParsedResults } from '../../src/model/parsed-results.ts';

const named = loadDialect('named');
const ONE = '{"miner_tweets":[{"id":"1","text":"é😀"}]}';

function read(
  body: string | Uint8Array,
  contentType: string | null = null,
  operation: Operation = 'microblog',
): ParsedResults {
  return parseResponse({ operation, body, contentType, dialect: named });
}
function failure(run: () => unknown): RunError {
  try {
    run();
  } catch (error) {
    if (error instanceof RunError) return error;
    throw error;
  }
  throw new Error('it was read');
}
const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'));

describe('a valid response', () => {
  test.each([
    ['from text', ONE, null],
    ['from bytes', utf8(ONE), 'application/json'],
    ['after a byte order mark', utf8(`\uFEFF${ONE}`), 'application/json'],
    ['as text after a byte order mark', `\uFEFF${ONE}`, null],
    ['surrounded by white space', `\r\n ${ONE}\n\n`, null],
    ['in UTF-16 with a byte order mark', utf16(`\uFEFF${ONE}`), 'application/json; charset=utf-16'],
    ['in UTF-16 without a byte order mark', utf16(ONE), 'application/json'],
    ['with a wrong charset', utf8(ONE), 'application/json; charset=utf-16'],
    ['as text/plain', ONE, 'text/plain'],
    ['as text/html', ONE, 'text/html'],
    ['as a JSON string', JSON.stringify(ONE), 'application/json'],
    [
      'as an event stream',
      `data: {"type":"tweets","content":${ONE.slice(16, -1)}}\n\ndata: {"type":"completion"}\n\ndata: {"type":"completion","content":"x"}\n\n`,
      'application/json',
    ],
    [
      'as a JSON string of an event stream',
      JSON.stringify(`data: {"type":"result","content":${ONE}}\n\n`),
      null,
    ],
  ])('%s', (_, body, contentType) => {
    expect(read(body, contentType).posts).toMatchObject([{ external_id: '1', text: 'é😀' }]);
  });

  test('may have U+FFFD for invalid UTF-8 bytes', () => {
    const bytes = utf8('{"miner_tweets":[{"id":"1","text":"a?b"}]}');
    bytes[bytes.indexOf(0x3f)] = 0xff;
    expect(read(bytes).posts[0]?.text).toBe('a\ufffdb');
  });
});

describe('an invalid response has a code', () => {
  test.each([
    ['', 'bad_json'],
    ['   ', 'bad_json'],
    ['{"miner_tweets":[', 'bad_json'],
    ["{'miner_tweets':[]}", 'bad_json'],
    ['{"miner_tweets":[NaN]}', 'bad_json'],
    ['{"miner_tweets":[],}', 'bad_json'],
    ['/* c */ {"miner_tweets":[]}', 'bad_json'],
    ['<!doctype html><html>502</html>', 'bad_content_type'],
    ['{}', 'schema_mismatch'],
    ['null', 'schema_mismatch'],
    ['7', 'schema_mismatch'],
    ['"null"', 'schema_mismatch'],
    ['"some words"', 'schema_mismatch'],
    ['{"posts":[]}', 'schema_mismatch'],
    ['{"__proto__":{"miner_tweets":[]}}', 'schema_mismatch'],
    [`{"miner_tweets":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'schema_mismatch'],
    [': ping\n\n', 'stream_incomplete'],
    ['data: {"type":"tweets","content":[{"id":"1"}]}\n\n', 'stream_incomplete'],
  ])('%j', (body, code) => {
    expect(failure(() => read(body, 'application/json')).code).toBe(code);
  });

  test('an error body with status 200 is refused with its message', () => {
    const error = failure(() => read('{"detail":[{"loc":["query"],"msg":"field required"}]}'));
    expect(error).toMatchObject({ code: 'schema_mismatch', detail: 'query: field required' });
    expect(error.message).toBe('schema_mismatch');
    expect(failure(() => read('data: {"error":"quota"}\n\n')).detail).toBe('quota');
  });

  test('error messages never quote the body', () => {
    for (const body of ['<p>Authorization: s3cret', '{"key":"s3cret"', '"s3cret"']) {
      expect(failure(() => read(body)).detail).not.toContain('s3cret');
    }
  });

  test('the content type decides whether text should have been JSON', () => {
    expect(failure(() => read('hello', 'text/html')).code).toBe('bad_content_type');
    expect(failure(() => read('hello', 'application/json')).code).toBe('bad_json');
    expect(failure(() => read('hello', 'text/event-stream')).code).toBe('stream_incomplete');
    expect(failure(() => read('hello', null)).code).toBe('bad_json');
  });

  test('bytes that are still compressed are a decoding error', () => {
    expect(failure(() => read(new Uint8Array([0x1f, 0x8b, 8, 0]))).code).toBe('decode_error');
  });

  test('a response of one operation is refused for the other, unless it has posts', () => {
    expect(failure(() => read('{"completion":"x"}')).code).toBe('schema_mismatch');
    expect(failure(() => read('[]', null, 'ai')).code).toBe('schema_mismatch');
  });
});
