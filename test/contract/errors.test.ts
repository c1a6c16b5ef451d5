import { describe, expect, test } from 'vitest';
import {
  forbiddenBody,
  internalErrorBody,
  readErrorBody,
  tooManyRequestsBody,
  unauthorizedBody,
  validationBody,
} from '../../src/protocol/error-body.ts';
import { retryAfterMs } from '../../src/protocol/retry-after.ts';
import { sampleJson } from '../samples/sample.ts';

describe('recorded error bodies', () => {
  const seen = sampleJson('errors.json') as Record<string, unknown>; // an object keyed by where it was seen

  test.each([
    ['401_cli_test_fixture', 'invalid-api-key', null],
    ['401_missing_header_measured_2026-10-03', 'Unauthorized', null],
    ['401_openapi_2026-04', 'Unauthorized: Invalid API key', null],
    [
      '402_skill_2026-02',
      'Insufficient balance, please add funds to your account to continue using the service.',
      null,
    ],
    ['403_bad_key_measured_2026-10-03', 'Forbidden', null],
    ['429_cli_test_fixture', 'Rate limit exceeded', null],
    ['429_openapi_2026-04', 'Too Many Requests', 60_000],
    ['500_openapi_2026-04', 'Internal Server Error: An unexpected error occurred on the server.', null],
    ['502_cli_test_fixture', 'something went wrong', null],
  ])('%s', (where, message, wait) => {
    expect(readErrorBody(JSON.stringify(seen[where]))).toEqual({
      message,
      retryAfterMs: wait,
      validation: [],
    });
  });
});

describe('error bodies in other forms', () => {
  test.each([
    ['nothing', '', null],
    ['JSON null', 'null', null],
    ['an empty object', '{}', null],
    ['a list of words', '["a","b"]', 'a; b'],
    ['a JSON string', '"no"', 'no'],
    [
      'an HTML page',
      '<html><head><style>b{}</style><title>502</title></head><body><h1>Bad  Gateway</h1></body></html>',
      '502 Bad Gateway',
    ],
    ['plain text', 'upstream connect error', 'upstream connect error'],
    ['an error object', '{"error":{"message":"m","code":3}}', 'm'],
    ['only a message', '{"message":"m"}', 'm'],
    ['an unexpected detail', '{"detail":7}', null],
    ['hostile keys', '{"__proto__":{"message":"x"},"constructor":{"message":"y"}}', null],
  ])('%s', (_, text, message) => {
    expect(readErrorBody(text).message).toBe(message);
  });

  test('a validation error keeps its paths', () => {
    const read = readErrorBody(
      '{"detail":[{"loc":["body","tools",0],"msg":"bad","type":"enum"},{"loc":null,"msg":"odd"},7]}',
    );
    expect(read.validation).toEqual([
      { loc: ['body', 'tools', 0], msg: 'bad', type: 'enum' },
      { loc: [], msg: 'odd', type: 'value_error' },
    ]);
    expect(read.message).toBe('body.tools.0: bad; odd');
  });

  test('messages are cleaned and truncated to 2,000 characters', () => {
    const { message } = readErrorBody(JSON.stringify({ detail: `a\0\ud800${'b'.repeat(5_000)}` }));
    expect(message).toHaveLength(2_000);
    expect(message?.startsWith('a\ufffdb')).toBe(true);
    expect(readErrorBody('<'.repeat(100_000)).message?.length).toBeLessThanOrEqual(2_000);
  });

  test.each([
    ['"60 seconds"', 60_000],
    ['"90s"', 90_000],
    ['"2 minutes"', 120_000],
    ['"1 hour"', 3_600_000],
    ['"5 hours"', 3_600_000],
    ['"500 ms"', 500],
    ['60', 60_000],
    ['-1', null],
    ['"soon"', null],
    [`"1${' '.repeat(1_000_000)}x!"`, null],
    ['null', null],
    ['{}', null],
  ])('retry_after %s', (given, expected) => {
    expect(readErrorBody(`{"detail":{"retry_after":${given}}}`).retryAfterMs).toBe(expected);
    expect(readErrorBody(`{"detail":"slow down","retry_after":${given}}`).retryAfterMs).toBe(expected);
  });
});

describe('Retry-After', () => {
  const now = new Date('2026-11-21T12:00:00Z');

  test.each([
    [null, null],
    ['', null],
    ['0', 0],
    ['60', 60_000],
    [' 60 ', 60_000],
    ['1.5', 1_500],
    ['-5', null],
    ['abc', null],
    ['1e12', 3_600_000],
    ['1000000000000', 3_600_000],
    ['9'.repeat(400), null],
    ['Sat, 21 Nov 2026 12:00:30 GMT', 30_000],
    ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
    ['Sat, 21 Nov 2036 11:00:00 GMT', 3_600_000],
    ['Sat, 21 Xyz 2026 12:00:30 GMT', null],
    ['2026-11-21', null],
    ['+60', null],
    ['0x3c', null],
    ['60, 120', null],
    ['\u0666\u0660', null],
    ['Infinity', null],
    ['60;', null],
    ['-0', null],
    // The two older forms of a date, which a client should read too (RFC 9110, 5.6.7).
    ['Saturday, 21-Nov-26 12:00:30 GMT', 30_000],
    ['Sat Nov 21 12:00:30 2026', 30_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
    ['Sat, 31 Feb 2026 12:00:30 GMT', null],
    ['Sat, 21 Nov 2026 25:61:61 GMT', null],
    ['sat, 21 nov 2026 12:00:30 gmt', null],
    ['Sat, 21 Nov 2026 12:00:30 +0100', null],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 3_600_000],
    ['x'.repeat(100_000), null],
  ])('%s', (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

test('our client parses the errors of our service', () => {
  expect(readErrorBody(JSON.stringify(unauthorizedBody())).message).toBe('Unauthorized: Invalid API key');
  expect(readErrorBody(JSON.stringify(tooManyRequestsBody(7))).retryAfterMs).toBe(7_000);
  expect(readErrorBody(JSON.stringify(forbiddenBody('Not yours'))).message).toBe('Forbidden: Not yours');
  expect(readErrorBody(JSON.stringify(internalErrorBody())).message).toMatch(/^Internal Server Error/);
  const body = validationBody([{ loc: ['body', 'tools', 0], msg: 'Input should be a tool', type: 'enum' }]);
  expect(readErrorBody(JSON.stringify(body)).validation).toEqual(body.detail);
});
