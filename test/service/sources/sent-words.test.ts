/** What of a request is shown to people: the words that were asked for, and nothing secret. */
import { expect, test } from 'vitest';
import { listSentWords } from '../../../src/service/sources/sent-words.ts';

const sent = (address: string, prompt: string, body?: string) =>
  listSentWords({ url: new URL(address), ...(body === undefined ? {} : { body }) }, { prompt });

test.each([
  ['a parameter', 'https://a.example/search?q=bird+flu&per_page=40', 'bird flu in humans', ['bird flu']],
  ['a part of the path', 'https://a.example/api/v1/timelines/tag/birdflu?limit=40', 'bird flu', ['birdflu']],
  ['operators', 'https://a.example/q?search_query=all:%22bird%20flu%22', 'Bird flu?', ['all:"bird flu"']],
  ['a script without spaces', 'https://a.example/w/api.php?gsrsearch=%E5%9C%B0%E9%9C%87', '地震', ['地震']],
  ['no word of the prompt', 'https://a.example/feed?page=2', 'bird flu', []],
  ['a broken escape', 'https://a.example/%E0%A4%A/bird', 'bird', ['bird']],
])('%s', (_, address, prompt, expected) => {
  expect(sent(address, prompt)).toEqual(expected);
});

test('texts of a JSON body count, others do not', () => {
  const body = JSON.stringify({
    query: 'bird flu humans',
    api_key: 'bird-secret',
    max: 5,
    nested: { a: 'bird' },
  });
  expect(sent('https://a.example/search', 'bird flu', body)).toEqual(['bird flu humans']);
  expect(sent('https://a.example/search', 'bird flu', 'bird=1')).toEqual([]);
  expect(sent('https://a.example/search', 'bird flu', '{')).toEqual([]);
});

test('parameters that hold secrets are never shown, whatever they contain', () => {
  for (const name of ['key', 'api_key', 'apikey', 'access_token', 'token', 'client_secret', 'password'])
    expect(sent(`https://a.example/search?${name}=bird`, 'bird'), name).toEqual([]);
});

test('long queries are cut, and controls are removed', () => {
  const [words = ''] = sent(`https://a.example/search?q=bird%0A%00${'x'.repeat(400)}`, 'bird');
  expect(words.length).toBeLessThanOrEqual(300);
  expect(words).not.toMatch(/\p{Cc}/u);
});
