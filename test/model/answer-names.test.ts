/** Names in answers: which of the names that a topic lists does a text contain, and which domains are cited. */
import { describe, expect, test } from 'vitest';
import { createNameMatcher, findNameProblem, readCitedDomain } from '../../src/model/answer-names.ts';

const listed = (...names: [name: string, ...aliases: string[]][]) =>
  names.map(([name, ...aliases], i) => ({ id: BigInt(i + 1), name, aliases, domains: [] as string[] }));

/** Which names the text contains, by their first form. */
function find(text: string | string[], ...names: [string, ...string[]][]): string[] {
  const rows = listed(...names);
  const found = createNameMatcher(rows).findNamed([text].flat());
  return rows.filter(({ id }) => found.has(id)).map(({ name }) => name);
}

describe('a name is found as whole words', () => {
  test.each<[text: string, name: string, isFound: boolean]>([
    ['Acme raised its fares.', 'Acme', true],
    ['ACME raised its fares.', 'acme', true],
    ["Acme's ferry, and (Acme).", 'Acme', true],
    ['Acmeist poets met.', 'Acme', false],
    ['The Pacme line', 'Acme', false],
    ['Acme2 runs', 'Acme', false],
    ['Harbour  Line sails.', 'Harbour Line', true],
    ['Harbour-Line sails.', 'Harbour Line', true],
    ['Harbour\nLine', 'Harbour Line', false],
    ['We left the harbour. Line two runs.', 'Harbour Line', false],
    ['We love St. Pauli.', 'St. Pauli', true],
    ['Yahoo! Japan said.', 'Yahoo Japan', true],
    ['Harbour and Line', 'Harbour Line', false],
    ['Die Fähre von Zürich-Linien', 'zurich linien', true],
    ['Straße AG', 'STRASSE AG', true],
    ['Ζεύς ΟΔΥΣΣΕΥΣ', 'οδυσσεύς', true],
    ['İstanbul Deniz', 'istanbul deniz', true],
    ['\u0430\u043a\u043c\u0435 идёт', 'АКМЕ', true],
    ['Ａｃｍｅ と', 'acme', true],
    ['cafe\u0301 Nord', 'Caf\u00e9 Nord', true],
    ['a soft hy\u00adphen', 'hyphen', true],
    ['東京電力が発表した', '東京電力', true],
    ['東京の電力', '東京電力', false],
    ['L’Oréal grew', "L'Oreal", true],
    ['AT&T said', 'AT&T', true],
    ['3M and 7-Eleven', '7 Eleven', true],
    ['See https://acme.example/fares for fares', 'Acme', false],
    ['Fares rose [1](https://acme.example/fares).', 'Acme', false],
    ['Fares rose ([acme.example/fares]).', 'Acme', true],
    ['', 'Acme', false],
  ])('%j has %j: %s', (text, name, isFound) => {
    expect(find(text, [name])).toEqual(isFound ? [name] : []);
  });

  test('an alias is the name', () => {
    expect(find('HL sails; Insel-Fähren do not.', ['Harbour Line', 'HL'], ['Island', 'Inselfähren'])).toEqual(
      ['Harbour Line'],
    );
  });

  test('no phrase reaches over two sections', () => {
    expect(find(['The harbour', 'line sails'], ['Harbour Line'])).toEqual([]);
  });
});

describe('a name inside of a longer name counts for the longer one', () => {
  const names: [string, ...string[]][] = [['Harbour'], ['Harbour Line'], ['Line', 'Harbour Line North']];
  test.each<[text: string, found: string[]]>([
    ['Harbour Line sails.', ['Harbour Line']],
    ['Harbour Line sails from the Harbour.', ['Harbour', 'Harbour Line']],
    ['The Harbour Line North sails.', ['Line']],
    ['Harbour Line Harbour Line', ['Harbour Line']],
    ['Harbour Harbour Line', ['Harbour', 'Harbour Line']],
    ['North Line', ['Line']],
  ])('%j', (text, found) => {
    expect(find(text, ...names)).toEqual(found);
  });

  test('of names that overlap, the longest is taken first, then those with more letters, then by alphabet', () => {
    expect(find('bank of west america', ['Bank of West'], ['Of West America'])).toEqual(['Of West America']);
    expect(find('sea line sea', ['Sea Line'], ['Line Sea'])).toEqual(['Line Sea']);
    expect(find('bank of west america first', ['Bank of'], ['of West America'])).toEqual(['of West America']);
  });
});

test('what is found depends on neither the order of the names nor of the sections', () => {
  const words = ['sea', 'line', 'north', 'bay', 'and'];
  let seed = 7;
  const draw = (n: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * n);
  };
  const phrase = (most: number) => Array.from({ length: 1 + draw(most) }, () => words[draw(5)]).join(' ');
  for (let round = 0; round < 300; round += 1) {
    const forms = [...new Set(Array.from({ length: 4 }, () => phrase(3)))];
    const texts = [phrase(12), phrase(12)];
    const rows = forms.map((name, i) => ({ id: BigInt(i), name, aliases: [], domains: [] }));
    const found = createNameMatcher(rows).findNamed(texts);
    expect(createNameMatcher(rows.toReversed()).findNamed(texts.toReversed())).toEqual(found);
    // A reference that tries every form at every word, the longest first.
    const expected = new Set<bigint>();
    for (const text of texts) {
      let rest = text.split(' ');
      for (const { id, name } of rows.toSorted(
        (a, b) =>
          b.name.split(' ').length - a.name.split(' ').length ||
          b.name.length - a.name.length ||
          (a.name < b.name ? -1 : 1),
      )) {
        const form = name.split(' ');
        for (let i = 0; i + form.length <= rest.length; i += 1)
          if (form.every((word, k) => rest[i + k] === word)) {
            expected.add(id);
            rest = rest.with(i, '.');
            for (let k = 1; k < form.length; k += 1) rest = rest.with(i + k, '.');
          }
      }
    }
    expect(found, `${JSON.stringify(forms)} in ${JSON.stringify(texts)}`).toEqual(expected);
  }
});

test('a text that nearly matches everywhere takes time in proportion to its length', () => {
  const names = listed([`${'a '.repeat(19)}b`], ['a b']);
  expect(createNameMatcher(names).findNamed(['aa '.repeat(50_000), 'a '.repeat(50_000)])).toEqual(new Set());
});

test('a domain is cited with its subdomains, and by no other domain', () => {
  const matcher = createNameMatcher([
    { id: 1n, name: 'Harbour Line', aliases: [], domains: ['harbour.example', 'hl.test'] },
    { id: 2n, name: 'Island', aliases: [], domains: ['island.example'] },
  ]);
  expect(matcher.findCited(['news.harbour.example'])).toEqual(new Set([1n]));
  expect(matcher.findCited(['hl.test', 'island.example'])).toEqual(new Set([1n, 2n]));
  expect(matcher.findCited(['myharbour.example', 'harbour.example.com', 'example'])).toEqual(new Set());
});

test.each([
  ['Harbour.Example', 'harbour.example'],
  ['https://www.harbour.example/fares?x=1', 'harbour.example'],
  ['http://harbour.example:8080', 'harbour.example'],
  ['www.harbour.example/', 'harbour.example'],
  ['müller.example', 'xn--mller-kva.example'],
  ['harbour', null],
  ['', null],
  ['a b.example', null],
  ['ftp://x.example', null],
  ['-.example', null],
])('the domain of %j is %j', (given, domain) => {
  expect(readCitedDomain(given)).toBe(domain);
});

test.each([
  ['Acme', null],
  ['東京', null],
  ['C++', 'at least two letters or digits'],
  ['!!', 'at least two letters or digits'],
  ['x'.repeat(101), 'at most 100 characters'],
])('%j as a name: %s', (name, problem) => {
  expect(findNameProblem(name)).toBe(problem);
});
