import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readOpinosis } from '../../../bench/answers/opinosis.ts';
import { rougeOf } from '../../../bench/answers/rouge.ts';
import { makeDirectory } from '../../temporary.ts';

test.each([
  // By hand: 3 of 3 and 3 words; 2 of 2 and 2 pairs; 3 in a row.
  ['the cat sat', ['the cat sat'], { r1: 1, r2: 1, rl: 1 }],
  // 5 of 6 and 6 words; 3 of 5 and 5 pairs; "the cat on the mat".
  ['the cat sat on the mat', ['the cat lay on the mat'], { r1: 10 / 12, r2: 6 / 10, rl: 10 / 12 }],
  // Order counts for the longest common subsequence only.
  ['police killed the gunman', ['the gunman killed police'], { r1: 1, r2: 2 / 6, rl: 4 / 8 }],
  // A word said twice counts once where the other says it once.
  ['fish fish', ['fish'], { r1: 2 / 3, r2: 0, rl: 2 / 3 }],
  // Endings are off: rooms, room; cleaned, cleaning.
  ['Rooms cleaned.', ['room cleaning'], { r1: 1, r2: 1, rl: 1 }],
  // The mean over several references.
  ['a b', ['a b', 'c d'], { r1: 0.5, r2: 0.5, rl: 0.5 }],
  ['', ['a b'], { r1: 0, r2: 0, rl: 0 }],
])('ROUGE of %j against %j', (summary, references, expected) => {
  const measured = rougeOf(summary, references);
  expect(measured.r1).toBeCloseTo(expected.r1, 10);
  expect(measured.r2).toBeCloseTo(expected.r2, 10);
  expect(measured.rl).toBeCloseTo(expected.rl, 10);
});

test('parses the topics of Opinosis as they are unpacked', async () => {
  const folder = await makeDirectory();
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'topics'));
  await mkdir(join(folder, 'summaries-gold', 'room_hotel'), { recursive: true });
  await expect(readOpinosis(folder)).rejects.toThrow('no *.txt.data');
  await writeFile(
    join(folder, 'topics', 'room_hotel.txt.data'),
    '  the room was clean .\r\n\r\nsmall room .\n',
  );
  await writeFile(join(folder, 'summaries-gold', 'room_hotel', 'room_hotel.1.gold'), 'Clean but small.');
  await writeFile(join(folder, 'summaries-gold', 'room_hotel', 'notes'), 'not one of them');
  expect(await readOpinosis(folder)).toEqual([
    {
      name: 'room_hotel',
      sentences: ['the room was clean .', 'small room .'],
      summaries: ['Clean but small.'],
    },
  ]);
});
