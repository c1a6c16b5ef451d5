import { expect, test } from 'vitest';
import { createRunGate } from '../../src/monitor/runs/lease.ts';

/** Work that has begun when it is in `begun`, and ends when it is told to. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    end: async (name: string) => {
      ends.get(name)?.();
      await settled();
    },
    work: (name: string) => () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    },
  };
}

/** Everything that waits for nothing from outside has happened. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('shared work runs concurrently; exclusive work waits for it, and later work waits in turn', async () => {
  const { shared, alone } = createRunGate();
  const { begun, end, work } = works();
  const all = [shared(work('a')), shared(work('b')), alone(work('C')), shared(work('d')), alone(work('E'))];
  await settled();
  expect(begun).toEqual(['a', 'b']);
  await end('a');
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'C']);
  await end('C');
  expect(begun, 'who wants to be alone goes before shared work').toEqual(['a', 'b', 'C', 'E']);
  await end('E');
  expect(begun).toEqual(['a', 'b', 'C', 'E', 'd']);
  await end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'C', 'd', 'E']);
});

test('failing work blocks nothing', async () => {
  const { shared, alone } = createRunGate();
  const fails = () => Promise.reject(new Error('planned'));
  await expect(shared(fails)).rejects.toThrow('planned');
  await expect(alone(fails)).rejects.toThrow('planned');
  expect(await alone(() => Promise.resolve(1))).toBe(1);
  expect(await shared(() => Promise.resolve(2))).toBe(2);
});
