import { expect, test } from 'vitest';
import { extractFirstSentence } from '../../src/service/sources/parse/post-fields.ts';

test.each([
  ['The pier is open. The quay is not.', 'The pier is open.'],
  ['See https://a.example/x the #pier\n\nis  open! Go.', 'See the is open!'],
  ['Red \u001b[31malert\u0007 at the\u202e pier\u2066 now\u200f.', 'Red [31malert at the pier now.'],
  ['A tag\u{e0041}\u{e0042} and a nul\u0000 and a\u0085line.', 'A tag and a nul and a line.'],
  // Joiners belong to emoji and to Persian words.
  [
    'Our family 👨\u200d👩\u200d👧 می\u200cخواهد ferry.',
    'Our family 👨\u200d👩\u200d👧 می\u200cخواهد ferry.',
  ],
  ['x'.repeat(200), `${'x'.repeat(137)}...`],
])('finds the first sentence of %j', (text, expected) => {
  expect(extractFirstSentence(text)).toBe(expected);
});
