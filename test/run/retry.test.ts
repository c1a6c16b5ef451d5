import { describe, expect, it, test } from 'vitest';
import { RUN_CODES, type RunCode } from '../../src/model/errors.ts';
import { decideRetry, type FailedCall, RETRY_CLASS } from '../../src/monitor/runs/retry-policy.ts';

const now = new Date('2026-11-21T12:00:00Z');
const minutes = (n: number) => new Date(now.getTime() + n * 60_000);

function decide(failed: Partial<FailedCall>) {
  const decision = decideRetry({
    code: 'upstream_5xx',
    waitsFor: undefined,
    retryAfterMs: undefined,
    callsMade: 1,
    maxCalls: 2,
    slotAt: now,
    nextSlotAt: minutes(24 * 60),
    now,
    random: () => 0.5,
    ...failed,
  });
  return decision.kind === 'give_up'
    ? decision.kind
    : `${decision.kind} ${(decision.notBefore.getTime() - now.getTime()) / 1_000}s`;
}

test.each(Object.keys(RUN_CODES) as RunCode[])('%s ends the run or is retried', (code) => {
  // Object.keys forgets the keys' type.
  const expected = { end: 'give_up', wait: 'retry 15s', again: 'retry 15s' };
  expect(decide({ code })).toBe(expected[RETRY_CLASS[code]]);
});

test('a paid response is never requested again', () => {
  for (const code of [
    'bad_json',
    'schema_mismatch',
    'sources_down',
    'source_needs_key',
    'too_large',
    'decode_error',
    'bad_content_type',
  ] as const) {
    expect(RETRY_CLASS[code]).toBe('end');
  }
});

describe('the retry pause', () => {
  it.each([
    [1, 0.999, 'retry 29.97s'],
    [1, 0, 'retry 0s'],
    [2, 0.5, 'retry 60s'],
    [3, 0.5, 'retry 300s'],
    [9, 0.5, 'retry 300s'],
  ])('after call %d is random up to its bound', (callsMade, random, expected) => {
    expect(decide({ callsMade, maxCalls: 10, random: () => random })).toBe(expected);
  });

  it.each([
    [60_000, 'retry 60s'],
    [1_000, 'retry 15s'],
    [0, 'retry 15s'],
    [-5, 'retry 15s'],
    [1e15, 'retry 3600s'],
  ])('is at least as long as the service requests (%d ms) and at most an hour', (retryAfterMs, expected) => {
    expect(decide({ code: 'rate_limited', retryAfterMs })).toBe(expected);
  });
});

test('a run waits for a free call in a full minute, whatever calls it made and whichever slot is next', () => {
  const full = { code: 'budget_exceeded', waitsFor: 'minute', retryAfterMs: 40_000 } as const;
  expect(decide({ ...full, callsMade: 2, nextSlotAt: minutes(0) })).toBe('retry 41s');
  expect(decide({ ...full, random: () => 0 })).toBe('retry 40s');
  expect(decide({ ...full, random: () => 0.9999 })).toBe('retry 42s');
  expect(decide({ ...full, waitsFor: undefined })).toBe('give_up');
});

describe('a run gives up', () => {
  it('after its last call', () => {
    expect(decide({ callsMade: 2 })).toBe('give_up');
    expect(decide({ callsMade: 2, maxCalls: 3 })).toBe('retry 60s');
  });

  it('when the next slot comes first', () => {
    expect(decide({ nextSlotAt: new Date(now.getTime() + 15_000) })).toBe('give_up');
    expect(decide({ nextSlotAt: new Date(now.getTime() + 15_001) })).toBe('retry 15s');
    expect(decide({ nextSlotAt: minutes(-5) })).toBe('give_up');
  });

  it('but not before a next slot if it has no slot itself, or if no slot follows', () => {
    expect(decide({ slotAt: null, nextSlotAt: minutes(0) })).toBe('retry 15s');
    expect(decide({ nextSlotAt: null })).toBe('retry 15s');
  });
});
