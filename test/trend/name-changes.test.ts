/** When a name has entered answers, or left them. */
import { describe, expect, test } from 'vitest';
import type { NameChange } from '../../src/model/closed-lists.ts';
import { composeNameSentence, findNameChange } from '../../src/monitor/trends/rules/name-changes.ts';

/** `x` has the name, `.` has not; oldest first. */
const read = (answers: string) => Array.from(answers, (answer) => answer === 'x');

describe('a change is decided by the newest answer', () => {
  test.each<[answers: string, reported: NameChange | null, change: NameChange | null]>([
    ['', null, null],
    ['x', null, null],
    ['....x', null, null],
    ['.....x', null, 'entered'],
    ['.....xx', null, null],
    ['.....xx', 'entered', null],
    ['x.....x', null, null],
    ['x.....x', 'left', 'entered'],
    ['x....x', 'left', null],
    ['xxxxx..', null, null],
    ['xxxxx...', null, null],
    ['xxxxx....', null, 'left'],
    ['xxxxx....', 'left', null],
    ['xxxxx....', 'entered', 'left'],
    ['xxxxxxxxxx..', null, null],
    ['xxxxxxxxxx...', null, 'left'],
    ['xxxx.......', null, null],
    ['x.x.x.x.x..........', null, null],
    ['x.x.x.x.x...........', null, 'left'],
    [`${'.........x'.repeat(3)}${'.'.repeat(25)}`, null, null],
    ['..........', null, null],
  ])('%s after %s: %s', (answers, reported, change) => {
    expect(findNameChange(read(answers), reported)?.change ?? null).toBe(change);
  });
});

test('a name that is drawn with one share rarely leaves, and one that stops always does', () => {
  let seed = 3;
  const draw = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  for (const share of [0.2, 0.5, 0.8, 1]) {
    let left = 0;
    for (let round = 0; round < 400; round += 1) {
      const answers = Array.from({ length: 30 }, () => draw() < share);
      if (findNameChange(answers, 'entered')?.change === 'left') left += 1;
    }
    expect(left / 400, `share ${share}`).toBeLessThan(0.03);
    const stopped = Array.from({ length: 30 }, (_, i) => i % Math.round(1 / share) === 0);
    expect(findNameChange([...stopped, ...Array.from({ length: 30 }, () => false)], 'entered')?.change).toBe(
      'left',
    );
  }
});

test('the sentence says of how many answers it speaks, of which service, and when', () => {
  const about = { name: 'Acme', service: 'hosted', at: new Date('2026-11-21T14:00:00Z') };
  const write = (answers: string) => {
    const change = findNameChange(read(answers), null);
    return change === null ? null : composeNameSentence(change, about);
  };
  expect(write('.......x')).toBe(
    'Acme entered the answers of the service "hosted": in the answer of 21 Nov 2026, 14:00 UTC, in none of the 7 before.',
  );
  expect(write('xx.xxxx.....')).toBe(
    'Acme left the answers of the service "hosted": in none of the 5 until 21 Nov 2026, 14:00 UTC, in 6 of the 7 before.',
  );
});
