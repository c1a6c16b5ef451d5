/** Claims of completions, and how claims of two completions are matched. */

import { amongIds, type Database, type Id } from '../database.ts';
import { completionClaimsView } from '../schema/analytics/result-views.ts';
import { asc, sql } from 'drizzle-orm';

export type SaidClaim = typeof completionClaimsView.$inferSelect;

/** Claims of completions, in order. A completion has about 1,200 claims at most. */
export async function readClaims(
  { orm }: Pick<Database, 'orm'>,
  completionIds: readonly Id[],
): Promise<SaidClaim[]> {
  return orm
    .select()
    .from(completionClaimsView)
    .where(amongIds(completionClaimsView.completion_id))
    .orderBy(asc(completionClaimsView.completion_id), asc(completionClaimsView.position))
    .limit(sql.placeholder('limit'))
    .prepare('claims_of')
    .execute({ ids: completionIds, limit: completionIds.length * 2_000 });
}

type MatchedClaim = Pick<SaidClaim, 'claim_id' | 'role' | 'text' | 'cited_links'>;

/** Minimum share of common three-word sequences (Jaccard index) of two wordings. */
const MIN_SIMILARITY = 0.8;
const SHINGLE_WORDS = 3;

const WORD_PATTERN =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

/**
 * Matches claims of two completions, and returns the unmatched ones of each, in order. Wording varies from completion
 * to completion, so claims match if they cite the same links, contain the same figures and are nearly identical.
 */
export function matchClaims<T extends MatchedClaim>(
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
  for (const { later, near } of findNearest(
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

/** Candidate pairs, most similar first. */
function findNearest<T extends MatchedClaim>(
  before: readonly T[],
  after: readonly T[],
): { later: T; near: T }[] {
  const candidates = new Map<string, { claim: T; runs: ReadonlySet<string> }[]>();
  for (const claim of before) {
    const key = matchKey(claim);
    const list = candidates.get(key) ?? [];
    list.push({ claim, runs: shingle(claim.text) });
    candidates.set(key, list);
  }
  return after
    .flatMap((claim) => {
      const runs = shingle(claim.text);
      return (candidates.get(matchKey(claim)) ?? []).flatMap((other) => {
        const likeness = jaccard(runs, other.runs);
        return likeness < MIN_SIMILARITY ? [] : [{ later: claim, near: other.claim, likeness }];
      });
    })
    .toSorted((a, b) => b.likeness - a.likeness);
}

/** What two wordings of a claim must have in common: section, links and figures. */
function matchKey({ role, cited_links, text }: MatchedClaim): string {
  const figures = text.match(/\p{N}+(?:[.,:]\p{N}+)*/gu) ?? [];
  return JSON.stringify([role, cited_links.map(String).toSorted(), figures.toSorted()]);
}

function shingle(text: string): ReadonlySet<string> {
  const words = text.normalize('NFKC').toLowerCase().match(WORD_PATTERN) ?? [];
  if (words.length <= SHINGLE_WORDS) return new Set([words.join(' ')]);
  return new Set(words.slice(SHINGLE_WORDS - 1).map((_, i) => words.slice(i, i + SHINGLE_WORDS).join(' ')));
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  if (small.size < large.size * MIN_SIMILARITY) return 0;
  let common = 0;
  for (const run of small) if (large.has(run)) common++;
  return common / (a.size + b.size - common);
}
