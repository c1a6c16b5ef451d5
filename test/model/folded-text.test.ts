/** Texts without what does not change what is said. */
import { describe, expect, it } from 'vitest';
import { foldText, hashFoldedText } from '../../src/model/folded-text.ts';

const TEXT = 'Dockers in Hamburg strike until Monday morning';
const FOLDED = TEXT.toLowerCase();

describe('folded texts', () => {
  it.each([
    ['case', TEXT.toUpperCase()],
    ['white space and line ends', `  Dockers in\tHamburg\n\nstrike  until\u00a0Monday morning `],
    ['an address at the end', `${TEXT} https://t.co/AbC123?x=1#y`],
    ['an address without scheme', `${TEXT}: youtu.be/dQw4w9WgXcQ`],
    ['several addresses, with ellipsis', `${TEXT}… www.example.org/a pic.twitter.com/x1`],
    ['an address in brackets', `Dockers in Hamburg (https://example.org/x) strike until Monday morning`],
    ['a repost', `RT @port_news: ${TEXT}`],
    ['a repost of a repost', `"RT @a: RT @b.c: ${TEXT}"`],
    ['rt without a name', `rt: ${TEXT}`],
    ['mentions', `@anna @bob@social.example.org ${TEXT}, @eve`],
    ['a source', `${TEXT} (via @port_news)`],
    ['hashtags, whose words stay', 'Dockers in #Hamburg #strike until Monday morning'],
    ['zero-width characters', 'Dock\u200bers in Ham\u00adburg \u2060strike until Monday mor\u200dning\ufeff'],
    ['letters of full width', 'Ｄockers in Hamburg strike until Ｍonday morning！'],
    ['direction marks and tags', `\u202a${TEXT}\u202c\u{e0041}`],
    ['punctuation at the ends', `"${TEXT}!!!"`],
    ['quotation marks', `»${TEXT}«`],
    ['entities', `&quot;${TEXT}&quot;`],
  ])('%s', (_, text) => {
    expect(foldText(text)).toBe(FOLDED);
  });

  it.each([
    ['figures', 'Inflation falls to 2.5 percent in May', 'Inflation falls to 25 percent in May'],
    ['a minus', '-5 degrees in the whole of Berlin', '5 degrees in the whole of Berlin'],
    ['a percent sign', 'Prices of ferries rise by 5', 'Prices of ferries rise by 5%'],
    ['accents', 'Le marché de Noël ouvre demain', 'Le marche de Noel ouvre demain'],
    ['emoji', 'The vote on the ferry is over 👍', 'The vote on the ferry is over 👎'],
    ['negation', 'The ferry runs on Monday morning', 'The ferry never runs on Monday morning'],
    ['order', 'Hamburg beats Bremen four to two', 'Bremen beats Hamburg four to two'],
    ['signs within', 'Learning C++ in twenty one days', 'Learning C in twenty one days'],
  ])('%s distinguish', (_, one, other) => {
    expect(foldText(one)).not.toBeNull();
    expect(foldText(one)).not.toBe(foldText(other));
  });

  it.each([
    '',
    'ok',
    'this',
    '👍👍👍👍👍👍👍👍👍👍',
    'Good morning everyone!',
    'hahahahahahahahahahahahahaha',
    '@anna https://example.org/a/very/long/address/of/a/page',
    '#SaveTheFerriesOfHamburg',
    '这是什么',
    '１２３',
    '\u200b\u200b\u200b',
    'RT @anna: ok',
    '???????????????????????????????',
  ])('too short to mean something: %s', (text) => {
    expect(foldText(text)).toBeNull();
    expect(hashFoldedText(text)).toBeNull();
  });

  it('scripts without spaces, and their own punctuation', () => {
    const zh = '港口工人宣布罢工持续到星期一早上';
    expect(foldText(zh)).toBe(zh);
    expect(foldText(`RT @新闻：${zh}。https://t.cn/A1`)).toBe(zh);
    expect(foldText(`https://t.cn/A1${zh}！`)).toBe(zh);
    expect(foldText('ท่าเรือฮัมบูร์กหยุดงานจนถึงวันจันทร์')).not.toBeNull();
    expect(foldText('부산항 노동자 파업 월요일까지 계속')).not.toBeNull();
  });

  it('composed and decomposed letters are the same, and so is a hidden character between them', () => {
    const composed = 'Fährverkehr über die Förde eingestellt';
    expect(foldText(composed.normalize('NFD'))).toBe(foldText(composed));
    expect(foldText(composed.normalize('NFD').replaceAll('\u0308', '\u200b\u0308'))).toBe(foldText(composed));
  });

  it('the word RT, an address of mail and a heart of a text stay', () => {
    expect(foldText('RT was blocked in most of Europe')).toBe('rt was blocked in most of europe');
    expect(foldText('Write to anna@example.org before Monday')).toBe(
      'write to anna@example.org before monday',
    );
    expect(foldText('and/or is a matter of taste, 24/7')).toBe('and/or is a matter of taste, 24/7');
  });

  it('the folding of a folded text is itself, for anything', () => {
    const random = createRandom(7);
    const parts = [
      'RT ',
      '@a',
      '@a@b.c',
      ': ',
      'https://',
      'x.org/',
      '"',
      '(',
      ')',
      '&amp;',
      '#',
      'ferry',
      'Ü',
      'u\u0308',
      '港口',
      '…',
      '-',
      '5',
      '%',
      ' ',
      '\n',
      '\u200b',
      '\ufe0f',
      'İ',
      'ﬁ',
      '½',
      '&lt;',
      'via ',
      '。',
    ];
    for (let n = 0; n < 3_000; n += 1) {
      const text = `the ferries of hamburg ${Array.from({ length: 12 }, () => parts[Math.floor(random() * parts.length)]).join('')}`;
      for (const whole of [text, `${text.slice(23)} ${text.slice(0, 22)}`]) {
        const folded = foldText(whole);
        if (folded !== null) expect(foldText(folded), JSON.stringify(whole)).toBe(folded);
      }
    }
  });

  it('takes no time for hostile texts', () => {
    for (const part of ['@', 'a.', 'RT @a:', '((', '-', '...', 'www.', '&amp;', 'x-', '\u0301', '"']) {
      const before = process.cpuUsage().user;
      foldText(part.repeat(Math.floor(100_000 / part.length)));
      expect((process.cpuUsage().user - before) / 1000, part).toBeLessThan(400);
    }
  });
});

/** Numbers from 0 to 1 that are the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
