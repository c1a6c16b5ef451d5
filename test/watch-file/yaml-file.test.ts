/** Files that people write, and files that are hostile: read, or refused with a line, and never for long. */
import { expect, test } from 'vitest';
import { InvalidInput } from '../../src/model/errors.ts';
import { readYaml } from '../../src/cli/yaml-file.ts';

const refuse = () => {
  throw new InvalidInput([{ path: 'env', given: undefined, expected: 'not set' }]);
};
const read = (text: string, resolve = (kind: string, name: string) => `${kind} ${name}`) =>
  readYaml(text, resolve);
const problemsOf = (text: string) => {
  try {
    return read(text, refuse).problems;
  } catch (error) {
    if (error instanceof InvalidInput) return error.problems;
    throw error;
  }
};

test('reads YAML with the line of each path, whatever its line ends', () => {
  for (const end of ['\n', '\r\n']) {
    const { value, lines, problems } = read(
      ['\uFEFFa:', '  b: 1', '  c:', '    - x', '    - { d: y }', '2024: no'].join(end),
    );
    expect([value, problems]).toEqual([{ a: { b: 1, c: ['x', { d: 'y' }] }, 2024: 'no' }, []]);
    expect([...lines]).toEqual([
      ['a', 1],
      ['a.b', 2],
      ['a.c', 3],
      ['a.c[0]', 4],
      ['a.c[1]', 5],
      ['a.c[1].d', 5],
      ['2024', 6],
    ]);
  }
});

test('reads JSON, anchors and merged members', () => {
  expect(read('{"a": [1, true, null]}').value).toEqual({ a: [1, true, null] });
  expect(
    read('a: &x { every: 1h, model: NOVA }\nb: { <<: *x, every: 2h }\nc: { <<: [*x, { z: 1 }] }').value,
  ).toEqual({
    a: { every: '1h', model: 'NOVA' },
    b: { every: '2h', model: 'NOVA' },
    c: { every: '1h', model: 'NOVA', z: 1 },
  });
});

test('replaces references, but not in what is sent as it is', () => {
  const search = (extra: string) =>
    `topics: { extra: { searches: { extra: { extra: ${extra}, prompt: { env: X } } } } }`;
  expect(read(search('{ env: X }')).value).toEqual({
    topics: { extra: { searches: { extra: { extra: { env: 'X' }, prompt: 'env X' } } } },
  });
  expect(read('a: [{ file: p/q }]\nextra: { env: X }\nc: { env: X, more: 1 }').value).toEqual({
    a: ['file p/q'],
    extra: 'env X',
    c: { env: 'X', more: 1 },
  });
  expect(problemsOf('x: 1\na: { env: X }')).toEqual([{ path: 'a', given: undefined, expected: 'not set' }]);
});

test('a name of a prototype is a member like any other', () => {
  const { value } = read('__proto__: { polluted: true }\nconstructor: 1');
  expect(Object.keys(Object(value))).toEqual(['__proto__', 'constructor']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

const bomb = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'
    .split('')
    .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(',')}]`),
].join('\n');

test.each([
  ['an empty file', ' \n', /empty/],
  ['a byte order mark', '\uFEFF', /empty/],
  ['bytes', '\u0000\u0001', /no text/],
  ['a tab', 'a:\n\tb: 1', /[Tt]ab/],
  ['a bomb of aliases', bomb, /aliases/],
  ['an alias of itself', 'a: &a [*a]', /levels/],
  ['an unknown alias', 'a: *b', /anchor|alias/i],
  ['brackets', '['.repeat(500_000), /levels/],
  ['braces', '{a: '.repeat(200_000), /levels/],
  ['brackets side by side', '[]'.repeat(400_000), /long/],
  ['dashes', '- '.repeat(400_000), /levels/],
  ['a staircase', Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /levels/],
  ['quotes', '"'.repeat(900_000), /long/],
  ['many values', '- 1\n'.repeat(200_000), /long|values/],
  ['many errors', '}\n'.repeat(20_000), /./],
  ['two documents', 'a: 1\n---\nb: 1', /several documents/],
  ['a tag', 'a: !!js/function x', /tag/i],
  ['a list of lines', 'night train:\nharbour secret-of-the-test\n', /./],
])('refuses %s', (_, text, words) => {
  const problems = problemsOf(text);
  expect(problems.map(({ expected }) => expected).join('\n')).toMatch(words);
  expect(problems.length).toBeLessThanOrEqual(10);
  expect(JSON.stringify(problems)).not.toContain('secret-of-the-test');
});
