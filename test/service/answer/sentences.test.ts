import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toVisibleLine, toVisibleLines } from '../../../src/service/answering/unsafe-markup.ts';
import { extractSentences } from '../../../src/service/answering/quotable-sentences.ts';

const split = (text: string, loose = false) =>
  extractSentences(toVisibleLines(text, 2_000), loose).map(({ text: sentence }) => sentence);

describe('splitting a text into sentences', () => {
  test.each([
    [
      'Prof. J. Aubry wants another survey! Too short. The sound is deep and cold.',
      ['Prof. J. Aubry wants another survey!', 'The sound is deep and cold.'],
    ],
    [
      'The U.S. economy grew by 3.5 percent in May. Nobody expected that figure.',
      ['The U.S. economy grew by 3.5 percent in May.', 'Nobody expected that figure.'],
    ],
    [
      'Das Fest beginnt am 3. Oktober am Hafen. Es kostet z.B. nichts für Kinder.',
      ['Das Fest beginnt am 3. Oktober am Hafen.', 'Es kostet z.B. nichts für Kinder.'],
    ],
    [
      'See chapter No. 5 for the whole account. In the end he said no. Then they all left the hall.',
      ['See chapter No. 5 for the whole account.', 'In the end he said no.', 'Then they all left the hall.'],
    ],
    [
      '着陸まであと三十分です。管制室は静かです。とても緊張しています！',
      ['着陸まであと三十分です。', '管制室は静かです。', 'とても緊張しています！'],
    ],
    [
      'هل بدأ المهرجان في المرفأ اليوم؟ نعم بدأ المهرجان في الصباح.',
      ['هل بدأ المهرجان في المرفأ اليوم؟', 'نعم بدأ المهرجان في الصباح.'],
    ],
    [
      'The pilots said “we will not sail”. The quay was closed at noon.',
      ['The pilots said “we will not sail”.', 'The quay was closed at noon.'],
    ],
    [
      'A line that was wrapped\nin the middle is one sentence.',
      ['A line that was wrapped in the middle is one sentence.'],
    ],
    ['The first half of a sentence that was cut ...', []],
    ['and the second half of one that was cut before.', []],
    ['3. The third ferry sails at noon.', ['The third ferry sails at noon.']],
    ['3. Oktober ist dort ein Feiertag.', ['3. Oktober ist dort ein Feiertag.']],
    ['No end is in sight here', []],
    ['#one #two #three #four #five!', []],
    ['https://a.example/x https://b.example/y', []],
    ['“We did it. It works after all these years,” she said.', []],
  ])('splits %j', (text, expected) => {
    expect(split(text)).toEqual(expected);
  });

  test.each([
    ['RT @tove: the ferry is late again today', ['the ferry is late again today']],
    ['the ferry is late again today #ferry #harbour https://a.example/x', ['the ferry is late again today']],
    ['I really love my #sourdough', ['I really love my #sourdough']],
    ['Update: trams are full today. 🎉 #HarbourFestival', ['Update: trams are full today.']],
    [
      'the pier is closed until noon\nwalk along the water instead',
      ['the pier is closed until noon walk along the water instead'],
    ],
    ['Lost near the crane ...', []],
  ])('splits a post: %j', (text, expected) => {
    expect(split(text, true)).toEqual(expected);
  });

  test('returns exact substrings, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'grapheme' }),
            fc.constantFrom('. ', '! ', '\n', 'https://x.example/a ', '#tag ', ' word', 'Word ', '。', '"'),
          ),
        ),
        fc.boolean(),
        (parts, loose) => {
          const text = parts.join('');
          for (const sentence of split(text, loose)) expect(toVisibleLine(text, 2_000)).toContain(sentence);
        },
      ),
      { numRuns: 400 },
    );
  });

  test('is fast on adversarial input', () => {
    const text = `${'https://'.repeat(180)} ${'#a'.repeat(300)} ${'"('.repeat(200)} ${'. a'.repeat(200)}`;
    // Steps back and forth over this would take longer than the universe.
    for (const loose of [true, false]) expect(split(text, loose).join(' ').length).toBeLessThan(text.length);
  });
});

test('does not split at a Chinese full stop between Latin letters', () => {
  expect(split('Tickets are sold at evil。example by the organisers.')).toEqual([
    'Tickets are sold at evil。example by the organisers.',
  ]);
});

test('removes invisible characters and normalizes line breaks', () => {
  expect(toVisibleLines('a\u202eb\u200bc\u{e0041}\u0007 d\r\ne\u2028f\tg', 100)).toBe('abc d\ne\nf g');
  expect(toVisibleLine('  a \n\n b  ', 100)).toBe('a b');
});
