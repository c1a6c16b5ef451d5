/** A repost that is cut at its end has the text of the post that it repeats, and nothing else. */
import { expect, test } from 'vitest';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';

const named = loadDialect('named');
const WHOLE =
  'A very long story that is cut, because the network does so for reposts & quotes, deepTag https://t.co/abcDEF1234';

function readRepost(text: string, original: unknown, members: Record<string, unknown> = {}) {
  const post = { id: '15', text, is_retweet: true, retweet: original, ...members };
  const body = JSON.stringify({ miner_tweets: [post] });
  const { posts } = parseResponse({ operation: 'microblog', body, contentType: null, dialect: named });
  return { text: posts[0]?.text, isPartial: posts[0]?.is_partial };
}
const whole = { id: '16', text: WHOLE };

test.each([
  ['RT @orig: A very long story that is cut, beca…', `RT @orig: ${WHOLE}`],
  ['RT @orig: A very long story that is cut, because...', `RT @orig: ${WHOLE}`],
  [
    'RT @orig: A very long story that is cut, because the network does so for reposts &amp; quo…',
    `RT @orig: ${WHOLE}`,
  ],
  ['RT @orig: A very long story that is cut, because… https://t.co/zzzzZZZZ12', `RT @orig: ${WHOLE}`],
  ['RT @orig: A very long story that is cut, because https://t.co/zzzzZZZZ12', `RT @orig: ${WHOLE}`],
  [
    'RT @orig: A very long story that is cut,  because the network\n does so for reposts & quotes, deepTag https://t.c…',
    `RT @orig: ${WHOLE}`,
  ],
  ['RT @orig: A very long story that is cut, because the netw', `RT @orig: ${WHOLE}`],
  ['A very long story that is cut, beca…', WHOLE],
])('%s is completed', (text, expected) => {
  expect(readRepost(text, whole)).toEqual({ text: expected, isPartial: false });
});

test.each([
  ['RT @orig: Another story…', whole],
  ['RT @orig: …', whole],
  ['RT @orig: a Very long story…', whole],
  [`RT @orig: ${WHOLE}`, whole],
  [`RT @orig: ${WHOLE} I agree`, whole],
  ['RT @orig: A very long story that is cut, beca…', { id: '16' }],
  ['RT @orig: A very long story that is cut, beca…', { id: '16', text: '' }],
  ['RT @orig: A very long story that is cut, beca…', undefined],
  ['What do you think of this…', { id: '16', text: 'What did they think?' }],
])('%s stays as it is', (text, original) => {
  expect(readRepost(text, original).text).toBe(text);
});

test('a quote is no repost, and a repost that stays cut is partial', () => {
  expect(readRepost('A very long story…', undefined, { quote: whole }).text).toBe('A very long story…');
  expect(readRepost('RT @orig: A very long st…', undefined).isPartial).toBe(true);
  expect(readRepost(`RT @orig: ${WHOLE}`, undefined).isPartial).toBe(false);
});
