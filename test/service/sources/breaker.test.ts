import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/lib/time.ts';
import { steppedClock } from '../../../src/platform/clock.ts';
import { SourceDown } from '../../../src/service/sources/outage.ts';
import {
  createCircuitBreaker,
  type CircuitBreaker,
} from '../../../src/service/sources/resilience/circuit-breaker.ts';
import { NOW } from './provider.ts';

type Step = 'ok' | 'fail' | 'drop' | `rest ${number}` | `+${number}` | 'refused' | 'refused: busy';

/** Plays seconds, endings and refusals in order. */
function play(steps: readonly Step[]) {
  const clock = steppedClock(NOW);
  const breaker = createCircuitBreaker(clock);
  for (const [i, step] of steps.entries()) {
    const [word, number = '0'] = step.split(' ');
    if (step.startsWith('+')) clock.advance(Number(step.slice(1)) * SECOND);
    else if (word === 'refused') expect.soft(refusalOf(breaker)?.code, `step ${i}`).toBe('source_resting');
    else if (word === 'refused:') expect.soft(refusalOf(breaker)?.code, `step ${i}`).toBe('source_busy');
    else {
      const passage = breaker.enter();
      if (word === 'ok') passage.succeeded();
      if (word === 'fail') passage.failed();
      if (word === 'drop') passage.dropped();
      if (word === 'rest') passage.rest(Number(number) * SECOND, 'source_busy');
    }
  }
  return { breaker, clock };
}

function refusalOf(breaker: CircuitBreaker): SourceDown | undefined {
  try {
    breaker.enter();
    return undefined;
  } catch (error) {
    if (error instanceof SourceDown) return error;
    throw error;
  }
}

test.each<[string, Step[]]>([
  ['two failures do not open it', ['fail', 'fail', 'ok']],
  [
    'three failures in a row open it for a minute',
    ['fail', 'fail', 'fail', 'refused', '+59', 'refused', '+1', 'ok', 'ok'],
  ],
  ['a success in between resets the count', ['fail', 'fail', 'ok', 'fail', 'fail', 'ok']],
  [
    'a dropped request in between does not reset the count',
    ['fail', 'drop', 'fail', 'drop', 'fail', 'refused'],
  ],
  ['a failed trial opens it again', ['fail', 'fail', 'fail', '+60', 'fail', 'refused', '+60', 'ok', 'ok']],
  ['after a dropped trial the next one is a trial', ['fail', 'fail', 'fail', '+60', 'drop', 'ok', 'ok']],
  ['a request to back off opens it immediately', ['rest 10', 'refused: busy', '+10', 'ok']],
  ['the longer of two pauses applies', ['fail', 'fail', 'rest 90', '+61', 'refused: busy', '+29', 'ok']],
  [
    'a request to back off after the trial opens it again',
    ['rest 10', '+10', 'rest 5', 'refused: busy', '+5', 'ok'],
  ],
])('%s', (_, steps) => {
  play(steps);
});

test('concurrent failures count as one; a later one counts again', () => {
  const clock = steppedClock(NOW);
  const breaker = createCircuitBreaker(clock);
  const failTogether = (many: number) => {
    const under = Array.from({ length: many }, () => breaker.enter());
    for (const passage of under) passage.failed();
  };
  failTogether(5);
  failTogether(5);
  expect(breaker.openUntil()).toBeUndefined();
  failTogether(2);
  expect(breaker.openUntil()).toEqual(new Date(NOW.getTime() + MINUTE));
});

test('endlessly overlapping failures count as well', () => {
  const breaker = createCircuitBreaker(steppedClock(NOW));
  let under = breaker.enter();
  for (let n = 0; n < 5; n += 1) {
    const next = breaker.enter();
    under.failed();
    under = next;
  }
  expect(breaker.openUntil()).toBeDefined();
});

test('allows one trial at a time, and its refusal says how long to wait', () => {
  const { breaker, clock } = play(['fail', 'fail', 'fail']);
  expect(breaker.openUntil()).toEqual(new Date(NOW.getTime() + MINUTE));
  expect(refusalOf(breaker)).toMatchObject({ retryAfterMs: MINUTE, unasked: true });
  clock.advance(MINUTE);
  expect(breaker.openUntil()).toBeUndefined();
  const trial = breaker.enter();
  expect(refusalOf(breaker)?.code).toBe('source_resting');
  trial.succeeded();
  expect(refusalOf(breaker)).toBeUndefined();
});

test('a request from before the pause does not end it', () => {
  const clock = steppedClock(NOW);
  const breaker = createCircuitBreaker(clock);
  const early = breaker.enter();
  breaker.enter().rest(10 * SECOND, 'source_busy');
  early.succeeded();
  expect(refusalOf(breaker)?.code).toBe('source_busy');
});
