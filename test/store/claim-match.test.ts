/** When two wordings are one statement. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StatementRole } from '../../src/domain/parsed-results.ts';
import { matchClaims } from '../../src/store/queries/claims.ts';
import { watchProcessor } from '../processor.ts';

let ids = 0n;
const claim = (text: string, ...links: number[]) => ({
  claim_id: ++ids,
  role: 'summary' as StatementRole,
  text,
  cited_links: links.map(BigInt),
});
const TWENTY =
  'the ferry to the islands was late today because of fog over the bay and of strong wind from the west';

describe('similarity', () => {
  test.each<[what: string, before: string, after: string, kept: boolean]>([
    ['an added word at the end', TWENTY, `${TWENTY} again`, true],
    ['different punctuation and case', `${TWENTY}.`, TWENTY.toUpperCase(), true],
    ['a changed word among twenty', TWENTY, TWENTY.replace('fog', 'ice'), false],
    ['the opposite order', TWENTY, TWENTY.split(' ').toReversed().join(' '), false],
    ['a changed figure', `${TWENTY} for 20 minutes`, `${TWENTY} for 30 minutes`, false],
    ['the same figure elsewhere', `${TWENTY} at 20`, `20 ${TWENTY}`, true],
    ['two words', 'It rained.', 'it rained', true],
    ['two different words', 'It rained.', 'It snowed.', false],
    [
      'Japanese',
      '島への渡船は本日の濃霧と強風のため大幅に遅れました。',
      '島への渡船は本日の濃霧と強風のため大幅に遅れた。',
      true,
    ],
    ['different Japanese text', '島への渡船は本日遅れました。', '市内の路面電車は動きました。', false],
  ])('%s', (_, before, after, kept) => {
    expect(matchClaims([claim(before)], [claim(after)]).kept).toHaveLength(kept ? 1 : 0);
  });

  test('other links and another text of the completion make another statement', () => {
    const one = claim(TWENTY, 1, 2);
    expect(matchClaims([one], [claim(`${TWENTY} again`, 2, 1)]).kept).toHaveLength(1);
    expect(matchClaims([one], [claim(`${TWENTY} again`, 1)]).kept).toEqual([]);
    expect(
      matchClaims([{ ...one, role: 'microblog_summary' }], [claim(`${TWENTY} again`, 1, 2)]).kept,
    ).toEqual([]);
  });

  test('an identical statement matches whatever it cites, and the most similar wording is matched first', () => {
    const [same, near] = [claim(TWENTY, 1), claim(`${TWENTY} now and then`, 1)];
    const [again, nearer] = [{ ...same, cited_links: [9n] }, claim(`${TWENTY} now and then again`, 1)];
    const far = claim(`${TWENTY} now`, 1);
    const found = matchClaims([same, near], [far, nearer, again]);
    expect(found.kept).toEqual([
      { before: near, after: nearer },
      { before: same, after: again },
    ]);
    expect([found.added, found.gone]).toEqual([[far], []]);
  });
});

test('every statement is classified, as new or gone, exactly once and in order', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '7', 'あ'), { maxLength: 6 })
    .map((words) => words.join(' '));
  const claims = fc.uniqueArray(
    fc.record({
      claim_id: fc.bigInt(1n, 20n),
      role: fc.constant('summary' as const),
      text,
      cited_links: fc.subarray([1n, 2n]),
    }),
    { selector: ({ claim_id }) => claim_id, maxLength: 12 },
  );
  fc.assert(
    fc.property(claims, claims, (before, after) => {
      const { kept, added, gone } = matchClaims(before, after);
      expect(after.filter((one) => added.includes(one) || kept.some((pair) => pair.after === one))).toEqual(
        after,
      );
      expect(before.filter((one) => gone.includes(one) || kept.some((pair) => pair.before === one))).toEqual(
        before,
      );
      expect([kept.length + added.length, kept.length + gone.length]).toEqual([after.length, before.length]);
      expect(added).toEqual(after.filter((one) => added.includes(one)));
    }),
  );
});

test('compares the longest completions quickly, even without citations', () => {
  const many = (word: string) =>
    Array.from({ length: 1_200 }, (_, n) => claim(`${TWENTY} ${word} ${'xy'.repeat(n % 50)}`));
  const [before, after] = [many('alpha'), many('beta')];
  const computed = watchProcessor();
  matchClaims(before, after);
  expect(computed()).toBeLessThan(8_000);
});
