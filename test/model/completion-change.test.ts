/** When a completion has changed, and which statements of two completions are the same. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatAnswerLine,
  listAnswerChanges,
  showFigures,
} from '../../src/model/statements/answer-change.ts';
import {
  compareStatements,
  findNews,
  MIN_SHARED_WORDS,
} from '../../src/model/statements/completion-change.ts';
import { PLANTED } from '../../bench/answers/facts.ts';
import { seeded } from '../../bench/posts.ts';
import { chooseThreshold, evaluate, HAND_WRITTEN, seedSet } from '../../bench/changes/evaluate.ts';
import { watchProcessor } from '../processor.ts';

const statement = (text: string, isCited = true) => ({ text, isCited });
const compare = (before: readonly string[], after: readonly string[]) =>
  compareStatements(
    before.map((text) => statement(text)),
    after.map((text) => statement(text)),
  );
const news = (after: readonly string[], ...before: (readonly string[])[]) =>
  findNews(
    after.map((text) => statement(text)),
    before.map((texts) => texts.map((text) => statement(text))),
  ).map(({ text }) => text);
/** What is told about a completion after others, the newest first. */
const tell = (after: readonly string[], ...before: (readonly string[])[]) => {
  const told = news(after, ...before);
  return formatAnswerLine(
    listAnswerChanges(compare(before[0] ?? [], after), ({ text }) => told.includes(text)),
  );
};
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
    [
      'with the opposite, in a long sentence',
      'The swing bridge over the old canal is closed to trucks.',
      'The swing bridge over the old canal is open to trucks.',
      false,
    ],
    [
      'with a negation',
      'The tram line is running through the tunnel.',
      "The tram line isn't running through the tunnel.",
      false,
    ],
    [
      'that denies the opposite',
      'The bridge to the island is not open.',
      'The bridge to the island is closed.',
      true,
    ],
    [
      'with no for not',
      'No ferry leaves for the island until Monday.',
      'The ferry to the island does not leave until Monday.',
      true,
    ],
    [
      'that is canceled',
      'The ferry to the island is canceled until Monday.',
      'No ferry to the island until Monday.',
      true,
    ],
    [
      'with un-',
      'The mayor calls the new fare acceptable.',
      'The mayor calls the new fare unacceptable.',
      false,
    ],
    [
      'in German, with the opposite',
      'Die Brücke am Hafen ist wieder geöffnet.',
      'Die Brücke am Hafen ist wieder gesperrt.',
      false,
    ],
    ['in German, with kein', 'Am Hafen fährt heute eine Fähre.', 'Am Hafen fährt heute keine Fähre.', false],
    ['in French, with ne', 'Le pont de la ville est sûr.', "Le pont de la ville n'est pas sûr.", false],
    [
      'in Spanish, with the opposite',
      'El puente del puerto está abierto hoy.',
      'El puente del puerto está cerrado hoy.',
      false,
    ],
    [
      'in Russian, with the opposite',
      'Паром до острова сегодня открыт.',
      'Паром до острова сегодня закрыт.',
      false,
    ],
    [
      'in Japanese, with a negation',
      '島への渡船は明日も運航します。',
      '島への渡船は明日も運航しません。',
      false,
    ],
    [
      'about somebody else',
      'Maria Keller resigned over the cost of the opera.',
      'Jonas Brandt resigned over the cost of the opera.',
      false,
    ],
    [
      'about another day',
      'The ferry service resumes on Monday morning.',
      'The ferry service resumes on Friday morning.',
      false,
    ],
    [
      'in capital letters, as a title',
      'The harbour ferry is late again.',
      'The Harbour Ferry Is Late Again',
      true,
    ],
    ['with a number in words', 'The tram hit 2 parked cars.', 'The tram hit two parked cars.', true],
    [
      'with another number in words',
      'The tram hit two parked cars.',
      'The tram hit seven parked cars.',
      false,
    ],
    [
      'from somebody else',
      '@ada: The ferry to the islands is late.',
      '@ben: The ferry to the islands is late.',
      true,
    ],
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
    expect(compare(parts, whole)).toMatchObject({ added: [], gone: [], similarity: 1 });
    expect(compare(whole, parts)).toMatchObject({ added: [], gone: [], similarity: 1 });
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
    const after = [introduction, statement(FERRY)];
    expect(compareStatements([statement(FERRY)], after).added).toHaveLength(1);
    expect(findNews(after, [[statement(FERRY)]])).toEqual([]);
    expect(findNews([introduction], [[statement(FERRY, false)]])).toEqual([introduction]);
  });
});

test('what is gone alone is no news, and nothing is similar to nothing', () => {
  expect(news([FERRY], [FERRY, 'Trams run all night long.'])).toEqual([]);
  expect(compare([], [])).toMatchObject({ similarity: 1 });
  expect(compare([FERRY], [])).toMatchObject({ similarity: 0 });
  expect(news([FERRY])).toEqual([]);
});

describe('a changed figure', () => {
  const weeks = (n: number) => `Tickets for the night train are sold out for ${n} weeks.`;

  test('is one revised statement, and is said as both figures', () => {
    const { added, revised, gone, kept } = compare([FERRY, weeks(25)], [weeks(28), FERRY]);
    expect([added, gone, kept.length]).toEqual([[], [], 1]);
    expect(revised).toMatchObject([{ figures: [{ from: '25', to: '28' }] }]);
    expect(tell([weeks(28)], [weeks(25)])).toBe(
      'Tickets for the night train are sold out for 25 → 28 weeks.',
    );
  });

  test.each([
    ['3.5 % of 12 towns', [{ from: '3', to: '3.5' }], '3 → 3.5 % of 12 towns'],
    ['15 of 5 and 5.5', [{ from: '4', to: '5' }], '15 of 4 → 5 and 5.5'],
    ['Two people', [{ from: '1', to: '2' }], 'Two people (1 → 2)'],
    [
      '1,200 then 7',
      [
        { from: '900', to: '1,200' },
        { from: '6', to: '7' },
      ],
      '900 → 1,200 then 6 → 7',
    ],
  ])('%s', (text, figures, shown) => {
    expect(showFigures(text, figures)).toBe(shown);
  });

  test('is told as long as it goes one way, and no more once it goes up and down', () => {
    const told = [25, 28, 31, 26, 40, 22].map((n, i, all) =>
      tell(
        [weeks(n)],
        ...all
          .slice(0, i)
          .toReversed()
          .map((earlier) => [weeks(earlier)]),
      ),
    );
    expect(told.map((line) => line !== null)).toEqual([false, true, true, false, false, false]);
  });

  test('is no news where sources disagree about it', () => {
    expect(news([weeks(40)], [weeks(25), weeks(31)])).toEqual([]);
  });

  test('together with the opposite is not a revision', () => {
    const { added, revised, gone } = compare(
      ['The bridge over the canal is open for 3 days.'],
      ['The bridge over the canal is closed for 5 days.'],
    );
    expect([added.length, revised.length, gone.length]).toEqual([1, 0, 1]);
  });
});

describe('news', () => {
  test('is told as + and −, first what was said of the same thing', () => {
    const [bridge, bakery] = ['The bridge over the canal is open.', 'The bakery sells rye bread on Sundays.'];
    const closed = 'The bridge over the canal is closed.';
    expect(tell([FERRY, closed], [bakery, bridge, FERRY])).toBe(`+ ${closed} − ${bridge} − ${bakery}`);
  });

  test('a claim that comes and goes in every other run is told once', () => {
    const claim = 'City hall denies that line 9 will be replaced by buses.';
    const runs = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? [FERRY] : [FERRY, claim]));
    const told = runs.filter((run, i) => news(run, ...runs.slice(0, i).toReversed()).length > 0);
    expect(told).toEqual([[FERRY, claim]]);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'fifty runs of the same facts in other words tell nothing, and a new fact is told once (seed %d)',
    (seed) => {
      const draw = seeded(seed * 7_919);
      const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(draw() * all.length)];
      const facts = PLANTED.flatMap((planted) => planted.facts)
        // It adds that forty others sleep there.
        .map((wordings) => wordings.filter((text) => !text.includes('forty')))
        .map((wordings) => ({ wordings, by: draw() }))
        .toSorted((a, b) => a.by - b.by)
        .map(({ wordings }) => wordings);
      const [extra = [], ...said] = facts.slice(0, 8);
      const runs = Array.from({ length: 50 }, (_, run) => [
        ...said.map((wordings) => (run === 0 ? wordings[0] : pick(wordings)) ?? ''),
        ...(run === 40 ? extra.slice(0, 1) : run > 40 ? [pick(extra) ?? ''] : []),
      ]);
      const told = runs.flatMap((run, i) =>
        news(run, ...runs.slice(0, i).toReversed()).length > 0 ? [i] : [],
      );
      expect(told).toEqual([40]);
    },
  );
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
      const { added, revised, kept, similarity, gone } = compareStatements(before, after);
      const later = [...added, ...[...revised, ...kept].map((pair) => pair.after)];
      expect(new Set(later.flatMap(({ statement: own, copies }) => [own, ...copies]))).toEqual(
        new Set(after),
      );
      expect(similarity >= 0 && similarity <= 1).toBe(true);
      const mirrored = compareStatements(after, before);
      expect([mirrored.added.length, mirrored.revised.length, mirrored.gone.length]).toEqual([
        gone.length,
        revised.length,
        added.length,
      ]);
      const itself = compareStatements(before, before.toReversed());
      expect(itself).toMatchObject({ added: [], revised: [], gone: [] });
      expect(findNews(after, [before, after])).toEqual([]);
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
