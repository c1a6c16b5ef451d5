/** The pure rules: words, pauses, signatures. */
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/domain/time.ts';
import { createSecret, signMessage } from '../../src/monitor/alerts/channels/webhook.ts';
import { splitFoldedWords } from '../../src/domain/folded-words.ts';
import { parseFilter, matchesFilter } from '../../src/monitor/alerts/rule-filter.ts';
import {
  decideNextAttempt,
  MAX_ATTEMPTS,
  decideChannelHealth,
  type FailedAttempt,
} from '../../src/monitor/alerts/delivery-retry.ts';
import { watchProcessor } from '../processor.ts';

test.each([
  ['ferry', 'The Ferry, late', true],
  ['ferry', 'ferryman', false],
  ['FÄHRE', 'die fahre', true],
  ['strasse', 'Große Straße', true],
  ['"night ferry"', 'night-ferry', true],
  ['"night ferry"', 'night and ferry', false],
  ['#ferry', 'ferry', true],
  ['ferry -late', 'a late ferry', false],
  ['-late', 'on time', true],
  ['-"very late"', 'late, very', true],
  ['東京', '今日は東京タワー', true],
  ['東京', '京東', false],
  ['“night ferry”', 'night ferry', true],
  ["don't", "I don't", true],
  ['', 'anything', true],
])('%j on %j: %j', (filter, text, passed) => {
  expect(matchesFilter(parseFilter(filter), [text])).toBe(passed);
});

test('a phrase does not match across parts of an item', () => {
  expect(matchesFilter(parseFilter('"night ferry"'), ['night', 'ferry'])).toBe(false);
  expect(matchesFilter(parseFilter('night ferry'), ['night', null, 'ferry'])).toBe(true);
});

test.each([
  ['"open', 'a closing "'],
  ['a"b c"', 'a space before'],
  ['- x', 'at least one letter'],
  ['ferr*', '* is not supported'],
  ['a OR b', 'OR is not supported'],
  ['...', 'at least one letter'],
  ['x'.repeat(501), 'at most 500'],
  [Array.from({ length: 51 }, (_, i) => `w${i}`).join(' '), 'at most 50'],
])('%j is refused: %s', (filter, words) => {
  expect(() => parseFilter(filter)).toThrow(words);
});

test('any input parses or is refused with an explanation, and a text matches each of its own words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
      try {
        parseFilter(text);
      } catch (error) {
        expect(error).toMatchObject({ name: 'InvalidInput' });
      }
      for (const word of splitFoldedWords(text))
        expect(matchesFilter({ must: [[word]], mustNot: [] }, [text])).toBe(true);
    }),
  );
});

test('searches an adversarial text quickly', () => {
  const computed = watchProcessor();
  matchesFilter(parseFilter(`"${'a '.repeat(200)}b"`), ['a '.repeat(50_000)]);
  expect(computed()).toBeLessThan(1_000);
});

const failed = (more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  kind: 'failed',
  code: 'http_status',
  meaning: 'refused',
  httpStatus: 500,
  answer: null,
  detail: null,
  retryAfterMs: null,
  ...more,
});
const NOW = new Date('2026-11-21T12:00:00Z');

test('retry pauses grow from seconds to a day, and end', () => {
  const pauses = Array.from({ length: MAX_ATTEMPTS }, (_, i) => decideNextAttempt(failed(), i + 1, NOW, 0.5));
  const ms = pauses.map(({ nextAt }) => (nextAt === null ? null : nextAt.getTime() - NOW.getTime()));
  expect(ms).toEqual([
    5 * SECOND,
    30 * SECOND,
    2 * MINUTE,
    10 * MINUTE,
    HOUR,
    3 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    DAY,
    null,
  ]);
  expect(pauses.at(-1)?.dead).toContain('failed after 11 attempts');
});

test('a requested wait is honored if longer than the pause', () => {
  const wait = (retryAfterMs: number) =>
    decideNextAttempt(failed({ retryAfterMs }), 1, NOW, 0.5).nextAt?.getTime();
  expect(wait(HOUR)).toBe(NOW.getTime() + HOUR);
  expect(wait(0)).toBe(NOW.getTime() + 5 * SECOND);
});

test.each([
  [failed(), true],
  [failed({ httpStatus: 422 }), false],
  [failed({ httpStatus: 408 }), true],
  [failed({ code: 'slow_down', httpStatus: 429 }), true],
  [failed({ code: 'timeout', httpStatus: null }), true],
])('%j pauses the channel: %j', (failure, rests) => {
  const { health } = decideChannelHealth(failure, { failures: 0, failingSince: null }, NOW);
  expect(health.restingUntil !== null).toBe(rests);
});

test('a channel never pauses longer than ten minutes unless requested', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000 }), (failures) => {
      const { health } = decideChannelHealth(failed(), { failures, failingSince: NOW }, NOW);
      expect((health.restingUntil?.getTime() ?? 0) - NOW.getTime()).toBeLessThanOrEqual(10 * MINUTE);
    }),
  );
});

test('the signature matches the published test vector', () => {
  const at = new Date(1_614_265_330_000);
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', at };
  expect(signMessage(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])['webhook-signature']).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  );
});

test('the Standard Webhooks library verifies our signatures with either of two secrets, and rejects any change', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const [one, two] = [createSecret(), createSecret()];
      const body = JSON.stringify({ text });
      // The library compares with the clock of the machine.
      const headers = signMessage({ id: 'msg_1', body, at: new Date() }, [one, two]);
      for (const secret of [one, two]) expect(new Webhook(secret).verify(body, headers)).toEqual({ text });
      expect(() => new Webhook(one).verify(`${body} `, headers)).toThrow('No matching signature');
      expect(() => new Webhook(one).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow(
        'No matching signature',
      );
      expect(() => new Webhook(createSecret()).verify(body, headers)).toThrow('No matching signature');
    }),
    { numRuns: 20 },
  );
});
