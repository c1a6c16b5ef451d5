/** When a completion has changed, and which statements of two completions are the same. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareStatements, MIN_SHARED_WORDS } from '../../src/domain/completion-change.ts';
import { chooseThreshold, evaluate, HAND_WRITTEN, seedSet } from '../../bench/changes/evaluate.ts';
import { watchProcessor } from '../processor.ts';

const statement = (text: string, isCited = true) => ({ text, isCited });
const compare = (before: readonly string[], after: readonly string[]) =>
  compareStatements(
    before.map((text) => statement(text)),
    after.map((text) => statement(text)),
  );
const FERRY = 'The ferry to the islands was late today because of fog over the bay.';

describe('a statement', () => {
  test.each<[what: string, before: string, after: string, kept: boolean]>([
    ['in other words', FERRY, 'Because of fog over the bay, ferries to the islands are late.', true],
    ['in another case', FERRY, FERRY.toUpperCase(), true],
    ['with another figure', `${FERRY} 3 people died.`, `${FERRY} 12 people died.`, false],
    ['with a rounded figure', '1,240 passengers are waiting.', '1.250 passengers are waiting.', true],
    ['with a rounded figure in millions', '1,240,000 seeds are stored.', '1.250.000 seeds are stored.', true],
    ['with one that begins like a year', '200300 seeds are stored.', '201000 seeds are stored.', true],
    ['with another year', 'The bridge opens in 2026.', 'The bridge opens in 2027.', false],
    ['with another counter', 'The thread has 24 replies.', 'The thread has 23 replies.', true],
    ['with another age', 'The train left 38 minutes ago.', 'The train left 6 minutes ago.', true],
    ['with another time of day', 'Updated at 14:05 by the city.', 'Updated at 20:35 by the city.', true],
    ['with the same figure elsewhere', `${FERRY} It took 20 days.`, `It took 20 days. ${FERRY}`, true],
    ['in Arabic digits', 'مات ٣ أشخاص في الحادث', 'مات ٩ أشخاص في الحادث', false],
    ['of two words', 'It rained.', 'it rained', true],
    ['of two different words', 'It rained.', 'It snowed.', false],
    ['with the opposite', 'The port is closed.', 'The port is open.', false],
    ['that is only an address', 'https://a.example/x', 'https://a.example/x', true],
    ['in Japanese', '島への渡船は濃霧のため遅れました。', '島への渡船は濃霧のため遅れた。', true],
    ['in full-width digits', '乗客は１２００人でした。', '乗客は1200人でした。', true],
    ['in Japanese, another one', '島への渡船は本日遅れました。', '市内の路面電車は動きました。', false],
  ])('%s', (_, before, after, kept) => {
    expect(compare([before], [after]).kept).toHaveLength(kept ? 1 : 0);
  });

  test('is kept if it is merged with others or split', () => {
    const parts = ['The seed bank received 12,000 samples of barley.', 'The samples come from Ethiopia.'];
    const whole = ['The seed bank received 12,000 samples of barley from Ethiopia.'];
    expect(compare(parts, whole)).toMatchObject({ added: [], gone: [], similarity: 1, isChanged: false });
    expect(compare(whole, parts)).toMatchObject({ added: [], gone: [], similarity: 1, isChanged: false });
  });

  test('counts once with its copies', () => {
    const { added } = compare(
      [],
      [FERRY, 'Trams run all night long.', FERRY.replace('today', 'this morning')],
    );
    expect(added.map(({ statement: { text }, copies }) => [text, copies.length])).toEqual([
      [FERRY, 1],
      ['Trams run all night long.', 0],
    ]);
    const words = 'ferry islands evening harbour pilots captain weather signal anchor bridge'.split(' ');
    const likeSome = [...words.slice(0, 7), 'lighthouse', 'sailors', 'timber'].join(' ');
    const likeMost = [...words.slice(2), 'cargo', 'dockers'].join(' ');
    const nearest = compare([], [likeSome, likeMost, words.join(' ')]).added;
    expect(nearest.map(({ copies }) => copies.length)).toEqual([0, 1]);
  });

  test('without a citation is no news where others have one', () => {
    const introduction = statement('These points stand out in the latest posts.', false);
    const change = compareStatements([statement(FERRY)], [introduction, statement(FERRY)]);
    expect([change.added.length, change.isChanged]).toEqual([1, false]);
    expect(compareStatements([statement(FERRY, false)], [introduction]).isChanged).toBe(true);
  });
});

test('what is gone alone is no change, and nothing is similar to nothing', () => {
  expect(compare([FERRY, 'Trams run all night long.'], [FERRY])).toMatchObject({ isChanged: false });
  expect(compare([], [])).toMatchObject({ similarity: 1, isChanged: false });
  expect(compare([FERRY], [])).toMatchObject({ similarity: 0, isChanged: false });
});

test('every statement is new, kept or gone, or a copy, in order; a completion equals itself in any order', () => {
  const text = fc
    .array(fc.constantFrom('ferry', 'tower', 'bridge', '7', 'あ', '12 replies'), {
      minLength: 1,
      maxLength: 6,
    })
    .map((words) => words.join(' '));
  const statements = fc.array(fc.record({ text, isCited: fc.boolean() }), { maxLength: 12 });
  fc.assert(
    fc.property(statements, statements, (before, after) => {
      const { added, kept, similarity, isChanged, gone } = compareStatements(before, after);
      const later = [...added, ...kept.map((pair) => pair.after)];
      expect(new Set(later.flatMap(({ statement: own, copies }) => [own, ...copies]))).toEqual(
        new Set(after),
      );
      expect(similarity >= 0 && similarity <= 1).toBe(true);
      expect(isChanged && added.length === 0).toBe(false);
      const mirrored = compareStatements(after, before);
      expect([mirrored.added.length, mirrored.gone.length]).toEqual([gone.length, added.length]);
      expect(compareStatements(before, before.toReversed())).toMatchObject({ added: [], gone: [] });
    }),
  );
});

test.each<[what: string, write: (word: string, n: number) => string]>([
  ['words', (word, n) => `${FERRY} ${word} ${'xy'.repeat(n % 50)} ${n}`],
  [
    'words, and are tables of figures',
    (word, n) =>
      `Table ${'xy'.repeat(n % 7)} ${Array.from({ length: 80 }, (_, i) => `${word.length + i * 3 + n * 7}.${n % 10}`).join(' ')}`,
  ],
])('compares the longest completions quickly, even if all statements share %s', (_, write) => {
  const many = (word: string) => Array.from({ length: 1_200 }, (__, n) => statement(write(word, n)));
  const [before, after] = [many('alpha'), many('beta')];
  const computed = watchProcessor();
  compareStatements(before, after);
  expect(computed()).toBeLessThan(8_000);
});

describe('precision and recall', () => {
  test('the threshold is the one that the first seeds give', async () => {
    expect(chooseThreshold(await seedSet('chosen'))).toBe(MIN_SHARED_WORDS);
  });

  test.each([
    ['seeds drawn afterwards', () => seedSet('drawn')],
    ['pairs written by hand', () => HAND_WRITTEN],
  ])('%s: at least 0.9 each', async (_, read) => {
    const { precision, recall } = evaluate(await read(), MIN_SHARED_WORDS);
    expect(precision).toBeGreaterThanOrEqual(0.9);
    expect(recall).toBeGreaterThanOrEqual(0.9);
  });
});
