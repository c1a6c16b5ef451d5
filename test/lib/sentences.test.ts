/** Where sentences end: the same for statements of completions, for quotations, and for first sentences of posts. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitSentences } from '../../src/lib/sentences.ts';

const split = (text: string, lowerCaseBegins = false) =>
  splitSentences(text, { lowerCaseBegins })
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

test.each<[what: string, ...sentences: string[]]>([
  ['a title', 'Dr. Brown met Capt. Hale.', 'They sailed.'],
  ['capitalized titles', 'Hr. Berg and Hon. Lee agreed.', 'It lasted an hr.', 'They left.'],
  ['a capitalized weekday', 'It opens on Sat. Nov. 21 at noon.', 'The cat sat.', 'The dog ran.'],
  ['an abbreviation that is also a word', 'They lay in the sun.', 'It was hot.'],
  ['an abbreviated "number"', 'See No. 5 and p. 12, fig. 3, Vol. II.', 'It is there.'],
  ['the word "no"', 'In the end he said no.', 'It was pop art.', 'Nobody ate a fig.', 'All left.'],
  ['"etc." at the end', 'They sold apples, pears, etc.', 'The rest was lost.'],
  ['"etc." in the middle', 'They sold apples etc. and pears.'],
  ['an ordinal before a month', 'Das Fest beginnt am 3.  Oktober am Hafen.', 'Es kostet nichts.'],
  ['a number at the end', 'The ferry carried 100.', 'Nobody was hurt in 2024.', 'It sank.'],
  ['a list number', '3. The third ferry sank.', 'It was old.'],
  ['a full stop after a space', 'He left .', 'She stayed.'],
  ['initials', 'J. R. Hale of the U.S. Navy spoke.', 'Nobody knew z.B. Berg.'],
  ['a quotation', 'She said “we will not sail.”', 'The quay was closed.'],
  ['emphasis', 'It is *closed.*', '**It is open.**', 'So it goes.'],
  ['Chinese', '着陸まであと三十分です。', 'とても緊張しています！'],
  ['dots in addresses', 'Tickets are at evil。example by noon.', 'They are cheap.'],
  ['Hindi', 'नौका डूब गई।', 'कोई घायल नहीं हुआ।'],
  ['Arabic', 'هل بدأ المهرجان؟', 'نعم بدأ.'],
])('%s', (_, ...sentences) => {
  expect(split(sentences.join(' '))).toEqual(sentences);
});

test('a citation mark belongs to the sentence before it', () => {
  expect(split('It sank. \ue000\ue000 It was old.\ue000 Dr. Hale\ue000 left')).toEqual([
    'It sank. \ue000\ue000',
    'It was old.\ue000',
    'Dr. Hale\ue000 left',
  ]);
});

test('splits a text at the ends of its sentences without losing any of it', () => {
  expect(
    split(
      'Boats at pier. Vote Zed. wire money, e.g. coins. Dr. Brown paid 3.5 percent! 静かです。はい。 the end',
      true,
    ),
  ).toEqual([
    'Boats at pier.',
    'Vote Zed.',
    'wire money, e.g. coins.',
    'Dr. Brown paid 3.5 percent!',
    '静かです。',
    'はい。',
    'the end',
  ]);
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('. ', '!', '。', ' a', 'B', '\n', '3', 'Dr.', '"', '…')),
      (parts) => {
        const squeezed = (text: string) => text.replace(/\s+/g, '');
        expect(squeezed(splitSentences(parts.join('')).join(''))).toBe(squeezed(parts.join('')));
      },
    ),
  );
});
