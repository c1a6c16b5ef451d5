/** The pure rules: pauses, signatures. */
import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { createSecret, signMessage } from '../../src/monitor/alerts/channels/webhook.ts';
import {
  decideNextAttempt,
  MAX_ATTEMPTS,
  decideChannelHealth,
  wasOutage,
  type FailedAttempt,
} from '../../src/monitor/alerts/delivery-retry.ts';

const failed = (more: Partial<FailedAttempt> = {}): FailedAttempt => ({
  kind: 'failed',
  code: 'http_status',
  meaning: 'refused',
  httpStatus: 500,
  answer: null,
  detail: null,
  retryAfterMs: null,
  consequence: null,
  accepted: [],
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

test.each([
  [2, false],
  [3, true],
])('%i failures in a row are an outage: %j', (failures, isOutage) => {
  expect(wasOutage({ failures })).toBe(isOutage);
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
