/** Hashtags in a text, in all scripts, and those that a post names besides. */
import { describe, expect, test } from 'vitest';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import { mergeHashtags, readTextHashtags } from '../../src/monitor/parse/text-hashtags.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';

describe('a text has the hashtags', () => {
  test.each<[string, string[]]>([
    ['#東京 で ＃桜まつり、#サーバー #ラ・フォリア', ['東京', '桜まつり', 'サーバー', 'ラ・フォリア']],
    ['今天#东京奥运#很热 #北京##上海#', ['东京奥运', '北京', '上海']],
    ['#서울 여행', ['서울']],
    ['مرحبا #القاهرة و #كأس_العالم، #می‌خواهم', ['القاهرة', 'كأس_العالم', 'می‌خواهم']],
    ['#हिन्दी और #क्रिकेट।', ['हिन्दी', 'क्रिकेट']],
    ['#Москва-река и #ёлка!', ['Москва', 'ёлка']],
    ['#ไทย #ქართული #Ελλάδα #עברית', ['ไทย', 'ქართული', 'Ελλάδα', 'עברית']],
    [
      '(#tide) "#Öl" #caf\u0065\u0301 ##twice #paral·lel.',
      ['tide', 'Öl', 'cafe\u0301', 'twice', 'paral·lel'],
    ],
    ['#tide, #Tide and #TIDE; #2026review #covid19 #_x', ['tide', '2026review', 'covid19', '_x']],
    ["#harbour's #one/#two", ['harbour', 'one']],
    ['C# and F# are languages, C#で#東京', []],
    ['we are #1, #2026, # 3, #١٢٣, #_ and #️⃣', []],
    ['a#b me@x.example#tide', []],
    ['https://a.example/x#part https://a.example/#東京 www.a.example/?a=#b a.example/#c', []],
    ['見て https://a.example/x#part、#東京', ['東京']],
    ['it&#39;s &#x27;so&#x27;', []],
    ['cut off #harbo…', []],
    ['#foo#bar', ['foo']],
    ['', []],
  ])('%s', (text, hashtags) => {
    expect(readTextHashtags(text)).toEqual(hashtags);
  });

  test('a post has 200 at most; names of more than 256 characters are none', () => {
    const many = Array.from({ length: 300 }, (_, i) => `#t${i}`).join(' ');
    expect(readTextHashtags(many)).toHaveLength(200);
    expect(readTextHashtags(`#${'a'.repeat(257)} #b`)).toEqual(['b']);
  });

  // Quadratic work would not end within the time limit of a test.
  test.each(['#', '#a', '#東', '#a・', '#aaaaaaaaa…', 'https://'])('ends for nothing but %s', (piece) => {
    expect(readTextHashtags(piece.repeat(200_000 / piece.length)).length).toBeLessThan(3);
  });
});

test('those that a post names come first, in their spelling, and once', () => {
  expect(mergeHashtags(['Tide', '#Öl', 'card'], ['tide', 'öl', 'Ｔide', '東京'])).toEqual([
    'Tide',
    '#Öl',
    'card',
    '東京',
  ]);
});

test.each<[string, object, string[] | null]>([
  ['names some', { text: '#Tide #東京', entities: { hashtags: [{ text: 'tide' }] } }, ['tide', '東京']],
  ['names none', { text: '#東京', entities: { hashtags: [] } }, ['東京']],
  ['does not say', { text: '#東京' }, ['東京']],
  ['has only an excerpt', { snippet: 'about #東京' }, ['東京']],
  ['does not say, with a text without any', { text: '東京' }, null],
  ['names none, with a text without any', { text: '東京', entities: { hashtags: [] } }, []],
])('a post that %s', (_, members, hashtags) => {
  const body = JSON.stringify({ miner_tweets: [{ id: '1', ...members }] });
  const dialect = loadDialect('named');
  const { posts } = parseResponse({ operation: 'microblog', body, contentType: null, dialect });
  expect(posts.map((post) => post.hashtags)).toEqual([hashtags]);
  // What the service said stays as it was.
  expect(posts[0]?.entities ?? undefined).toEqual('entities' in members ? members.entities : undefined);
});

test('a repost that is cut has the hashtags of the whole text', () => {
  const post = {
    id: '2',
    text: 'RT @ida: the ferry is late #hou…',
    repost: { id: '1', text: 'the ferry is late #hours #東京' },
  };
  const body = JSON.stringify({ miner_tweets: [post] });
  const { posts } = parseResponse({
    operation: 'microblog',
    body,
    contentType: null,
    dialect: loadDialect('named'),
  });
  expect(posts.find((each) => each.external_id === '2')?.hashtags).toEqual(['hours', '東京']);
});
