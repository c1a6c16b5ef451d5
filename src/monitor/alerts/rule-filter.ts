/** Which discoveries a rule reports: its scope and state, and its filter, a query over the items. */

import { collectProblems, InvalidInput, type Problem, Refused } from '../../model/errors.ts';
import { UNUSUAL } from '../../model/growth-condition.ts';
import { EVERYTHING, parseQuery, type Query } from '../../model/search-query.ts';
import { readUnasked } from '../../store/alerts/unasked-members.ts';
import { findMatches } from '../../store/alerts/item-matches.ts';
import { type FeedEntry, readEntries, type ScopedEntry } from '../../store/alerts/reportable-discoveries.ts';
import { leaveOutIrrelevant } from '../../store/judgements/verdicts.ts';
import { listRuleFilters, type Rule } from '../../store/alerts/rule-rows.ts';
import type { Id, Queryable } from '../../store/db/database.ts';
import type { StoredRuleKind } from '../../model/alerts.ts';

/**
 * Evaluates rules over discoveries. A rule whose filter cannot be read reports nothing, so that it can be edited; no worker
 * starts with such a rule ({@link assertStoredFilters}).
 * @param now for relative times in filters
 * @returns what each rule reports, in the order of the discoveries
 */
export async function matchRules<R extends Rule>(
  tx: Queryable,
  rules: readonly R[],
  candidates: readonly FeedEntry[],
  now: Date,
): Promise<{ rule: R; matching: FeedEntry[] }[]> {
  const relevant = await leaveOutIrrelevant(tx, candidates, now);
  const inScope = rules.map((rule) => {
    const query = collectProblems<Query | null>([], () => parseQuery(rule.filter), null);
    return {
      rule,
      query,
      entries: query === null ? [] : relevant.filter((entry) => isInScope(rule, entry)),
    };
  });
  const filtered = inScope.flatMap(({ query, ...scopedRule }) =>
    query === null || query === EVERYTHING || scopedRule.entries.length === 0
      ? []
      : [{ ...scopedRule, query }],
  );
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
  const matched = inScope.map(({ rule, query, entries }) => {
    const ids = byRule.get(rule.id);
    return { rule, query, entries: ids === undefined ? entries : entries.filter(({ id }) => ids.has(id)) };
  });
  const results: { rule: R; matching: FeedEntry[] }[] = [];
  for (const { rule, query, entries } of matched)
    results.push({
      rule,
      matching: query === null ? [] : await leaveOutKnown(tx, { rule, query, now }, entries),
    });
  return results;
}

/**
 * Leaves out things that the rule would have reported earlier if it had been evaluated: another member that matches was in a
 * baseline, or was found before the rule existed. Members that the rule was evaluated for are in messages, or did not match.
 */
export async function leaveOutKnown<
  Entry extends Pick<FeedEntry, 'id' | 'topic_id' | 'key' | 'first_in_topic'>,
>(
  tx: Queryable,
  { rule, query, now }: { rule: Pick<Rule, 'search_id' | 'kinds' | 'after'>; query: Query; now: Date },
  matching: readonly Entry[],
): Promise<Entry[]> {
  const isOfTopic = rule.search_id === null;
  // Nothing of these was reported before.
  const repeated = matching.filter((entry) => !(isOfTopic && entry.first_in_topic) && entry.key !== null);
  const earlier = await readUnasked(
    tx,
    rule,
    repeated.map(({ id }) => id),
  );
  if (earlier.size === 0) return [...matching];
  const members = await readEntries(tx, [...new Set([...earlier.values()].flat())]);
  const [matches = new Set<Id>()] =
    query === EVERYTHING
      ? [new Set(members.map(({ id }) => id))]
      : await findMatches(tx, [query], members, now);
  return matching.filter(({ id }) => earlier.get(id)?.some((member) => matches.has(member)) !== true);
}

/** What decides whether a discovery is in the scope of a rule. */
type JudgedEntry = ScopedEntry &
  Pick<FeedEntry, 'first_in_topic' | 'first_of_kind'> & {
    spike?: { only_by: string | null };
    growth?: { condition: string };
  };

/**
 * A rule on a search reports what is new to that search, every other rule what is new to its topic. None reports baselines,
 * anything found before it existed, or anything found while it is paused. A spike of one author, or of copies, is no alert.
 */
export function isInScope(rule: Rule, entry: JudgedEntry): boolean {
  if (!isCovered(rule, entry)) return false;
  if (rule.search_id === null && !isFirst(rule, entry)) return false;
  if (entry.growth !== undefined) return asksFor(rule, entry.growth.condition);
  return entry.spike === undefined || entry.spike.only_by === null;
}

/** Whether a rule may report a discovery, as far as is known before its item is read. */
export function isCovered(rule: Rule, entry: ScopedEntry): boolean {
  if (entry.baseline || rule.state !== 'active' || entry.id <= rule.after) return false;
  if (rule.topic_id !== null && rule.topic_id !== entry.topic_id) return false;
  if (rule.search_id !== null && rule.search_id !== entry.search_id) return false;
  return rule.kinds.some((kind) => DISCOVERY_KIND[kind] === entry.kind);
}

/** Rules have different conditions on the same posts. */
function asksFor({ growth }: Rule, condition: string): boolean {
  return growth.length === 0 ? condition === UNUSUAL : growth.includes(condition);
}

/** The kind of discovery that each kind of rule reports; null: none. */
export const DISCOVERY_KIND: Readonly<Record<StoredRuleKind, FeedEntry['kind'] | null>> = {
  system: null,
  post: 'post',
  link: 'link',
  spike: 'spike',
  trend: 'trend',
  answer: 'completion',
  growth: 'growth',
  name: 'name',
};

/** A rule that may have left out the first discovery of an item, because it was of another kind, reports the next. */
function isFirst({ kinds, filter }: Rule, entry: JudgedEntry): boolean {
  if (entry.kind === 'growth') return entry.first_in_topic;
  const reportsAll = filter === '' && kinds.includes('post') && kinds.includes('link');
  return reportsAll ? entry.first_in_topic : entry.first_of_kind;
}

/**
 * Refuses to start with a rule whose filter cannot be read, because it would report nothing.
 * @throws Refused naming the number of each rule whose filter cannot be read, why, and the command to change it
 */
export async function assertStoredFilters(db: Queryable): Promise<void> {
  const unreadable: Problem[] = [];
  const commands: string[] = [];
  for (const { id, slug, filter } of await listRuleFilters(db)) {
    const known = unreadable.length;
    collectProblems(unreadable, () => parseQuery(filter, `rule ${id} (${slug}): filter`), EVERYTHING);
    if (unreadable.length > known) commands.push(`strandline rules edit ${slug} --filter '...'`);
  }
  if (unreadable.length === 0) return;
  const { message } = new InvalidInput(unreadable);
  throw new Refused('conflict', `${message}\nBefore the next start, run: ${commands.join('; ')}`);
}
