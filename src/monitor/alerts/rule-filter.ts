/** Which discoveries a rule reports: its scope and state, and its filter, a query over the items. */

import { EVERYTHING, parseQuery } from '../../domain/search-query.ts';
import { findMatches } from '../../store/alerts/item-matches.ts';
import type { FeedEntry } from '../../store/alerts/feed-entries.ts';
import type { Rule } from '../../store/alerts/rule-rows.ts';
import type { Id, Transaction } from '../../store/database.ts';

/**
 * Evaluates rules over discoveries.
 * @param now for relative times in filters
 * @returns what each rule reports, in the order of the discoveries
 * @throws InvalidInput for a filter that cannot be read
 */
export async function matchRules<R extends Rule>(
  tx: Pick<Transaction, 'query'>,
  rules: readonly R[],
  found: readonly FeedEntry[],
  now: Date,
): Promise<{ rule: R; matching: FeedEntry[] }[]> {
  const inScope = rules.map((rule) => {
    const query = parseQuery(rule.filter, `filter of rule ${rule.id}`);
    return { rule, query, entries: found.filter((entry) => isInScope(rule, entry)) };
  });
  const filtered = inScope.filter(({ query, entries }) => query !== EVERYTHING && entries.length > 0);
  const items = new Set(filtered.flatMap(({ entries }) => entries));
  const matches = await findMatches(
    tx,
    filtered.map(({ query }) => query),
    [...items],
    now,
  );
  const byRule = new Map<Id, ReadonlySet<Id>>(
    filtered.map(({ rule }, n) => [rule.id, matches[n] ?? new Set()]),
  );
  return inScope.map(({ rule, entries }) => {
    const ids = byRule.get(rule.id);
    return { rule, matching: ids === undefined ? entries : entries.filter(({ id }) => ids.has(id)) };
  });
}

/** A rule reports neither baselines nor anything found before it existed, and nothing while it is paused. */
function isInScope(rule: Rule, found: FeedEntry): boolean {
  if (found.baseline || rule.state !== 'active' || found.id <= rule.after) return false;
  if (rule.topic_id !== null && rule.topic_id !== found.topic_id) return false;
  if (rule.search_id !== null && rule.search_id !== found.search_id) return false;
  return rule.kinds.some((kind) => kind === found.kind);
}
