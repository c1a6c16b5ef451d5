/** A time limit works whatever the garbage collector collects meanwhile. */
import { EventEmitter, once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createTimeLimit } from '../../src/platform/clock.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // what the flag adds

test('a pending wait times out even if only garbage-collectable objects reference its signal', async () => {
  const source = new EventEmitter();
  const wait = (ms: number) =>
    once(source, 'never', { signal: createTimeLimit(ms, new AbortController().signal).signal });
  const waiting = wait(50);
  const collecting = setInterval(collect, 5);
  try {
    await expect(waiting).rejects.toThrow();
  } finally {
    clearInterval(collecting);
  }
});

test('aborts with the other signal, and not after it ended', async () => {
  const other = new AbortController();
  const limit = createTimeLimit(10_000, other.signal);
  other.abort(new Error('left'));
  expect(limit.signal.reason).toEqual(new Error('left'));
  limit.end();
  const ended = createTimeLimit(1, new AbortController().signal);
  ended.end();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ended.signal.aborted).toBe(false);
});
