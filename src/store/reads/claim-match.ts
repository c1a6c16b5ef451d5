/**
 * Which claims of two completions are the same. A writer, above all one that quotes, words things anew each time:
 * another wording is the same claim where it cites the same links, holds the same figures and is nearly the same.
 */
import type { SaidClaim } from './claims.ts';

type Claim = Pick<SaidClaim, 'claim_id' | 'role' | 'text' | 'cited_links'>;

/** The share of runs of three words that two wordings must have in common (Jaccard index). */
const NEARLY_SAME = 0.8;
const RUN = 3;

const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

/** Claims of before and after that are the same, and those that only one of them makes, each in its order. */
export function matchClaims<T extends Claim>(
  before: readonly T[],
  after: readonly T[],
): { kept: { before: T; after: T }[]; added: T[]; gone: T[] } {
  const partner = new Map<T, T>();
  const known = new Map(before.map((claim) => [claim.claim_id, claim]));
  for (const claim of after) {
    const same = known.get(claim.claim_id);
    if (same !== undefined) partner.set(claim, same);
  }
  const taken = new Set(partner.values());
  for (const { later, near } of nearest(
    before.filter((claim) => !taken.has(claim)),
    after.filter((claim) => !partner.has(claim)),
  )) {
    if (partner.has(later) || taken.has(near)) continue;
    partner.set(later, near);
    taken.add(near);
  }
  return {
    kept: after.flatMap((claim) => {
      const same = partner.get(claim);
      return same === undefined ? [] : [{ before: same, after: claim }];
    }),
    added: after.filter((claim) => !partner.has(claim)),
    gone: before.filter((claim) => !taken.has(claim)),
  };
}

/** Pairs that could be one claim, the likest first. */
function nearest<T extends Claim>(before: readonly T[], after: readonly T[]): { later: T; near: T }[] {
  const candidates = new Map<string, { claim: T; runs: ReadonlySet<string> }[]>();
  for (const claim of before) {
    const key = groundOf(claim);
    const list = candidates.get(key) ?? [];
    list.push({ claim, runs: runsOf(claim.text) });
    candidates.set(key, list);
  }
  return after
    .flatMap((claim) => {
      const runs = runsOf(claim.text);
      return (candidates.get(groundOf(claim)) ?? []).flatMap((other) => {
        const likeness = jaccard(runs, other.runs);
        return likeness < NEARLY_SAME ? [] : [{ later: claim, near: other.claim, likeness }];
      });
    })
    .toSorted((a, b) => b.likeness - a.likeness);
}

/** What two wordings of one claim must share: their text of the completion, their links and their figures. */
function groundOf({ role, cited_links, text }: Claim): string {
  const figures = text.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? [];
  return JSON.stringify([role, cited_links.map(String).toSorted(), figures.toSorted()]);
}

function runsOf(text: string): ReadonlySet<string> {
  const words = text.normalize('NFKC').toLowerCase().match(WORD) ?? [];
  if (words.length <= RUN) return new Set([words.join(' ')]);
  return new Set(words.slice(RUN - 1).map((_, i) => words.slice(i, i + RUN).join(' ')));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size < large.size * NEARLY_SAME) return 0;
  let common = 0;
  for (const run of small) if (large.has(run)) common++;
  return common / (a.size + b.size - common);
}
