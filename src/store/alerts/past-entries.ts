/** Past discoveries, for the preview of a rule: what decides whether it reports them, without their items. */
import { isShown } from '../queries/data-scope.ts';
import { engagementSql } from '../../model/counters.ts';
import type { Query } from '../../model/search-query.ts';
import { buildCondition } from '../archive/query-condition.ts';
import { readWordForms } from '../archive/word-forms.ts';
import type { Id, Queryable } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';
import { NAMED_POST_SQL } from '../queries/named-posts.ts';
import { type FeedEntry, readEntries, SELECT_ENTRIES } from './reportable-discoveries.ts';
import { findMatches } from './item-matches.ts';
import type { RuleSettings } from './rule-rows.ts';

/** A discovery as `isInScope` takes it. */
export type PastEntry = Pick<
  FeedEntry,
  | 'id'
  | 'at'
  | 'kind'
  | 'baseline'
  | 'run_id'
  | 'search_id'
  | 'topic_id'
  | 'service_kind'
  | 'first_in_topic'
  | 'first_of_kind'
  | 'has_goal'
  | 'key'
> & {
  /** Id of the item. */
  thing: Id;
  spike?: { only_by: string | null };
  growth?: { condition: string };
};

/** Discoveries of a time range within the scope of a rule, in feed order, and the ID to continue after; null: there are no more. */
export async function readPastEntries(
  db: Queryable,
  rule: Pick<RuleSettings, 'topic_id' | 'search_id' | 'filter'> & { kinds: readonly FeedEntry['kind'][] },
  { since, until, after, limit }: { since: Date; until: Date; after: Id; limit: number },
): Promise<{ found: PastEntry[]; last: Id | null }> {
  // A rule that reports all posts and links of a topic reports the first of each thing.
  const coversTopic =
    rule.filter === '' &&
    rule.search_id === null &&
    ['post', 'link'].every((kind) => rule.kinds.some((reported) => reported === kind));
  const rows = await rowsOf<PastEntry & { late: boolean; only_by: string | null }>(
    db,
    statement`SELECT e.*, x.only_by FROM (
        ${SELECT_ENTRIES}
        WHERE d.at >= ${since} AND d.at <= ${until} AND d.id > ${after} AND NOT d.baseline AND ${isShown('d')} AND d.kind = ANY (${rule.kinds})
          AND (${rule.topic_id}::bigint IS NULL OR s.topic_id = ${rule.topic_id})
          AND (${rule.search_id}::bigint IS NULL OR d.search_id = ${rule.search_id})
          ${verbatim(coversTopic ? 'AND d.first_in_topic' : '')}
        ORDER BY d.id LIMIT ${limit}
      ) e
      LEFT JOIN strandline.spikes x ON e.kind = 'spike' AND x.id = e.thing
      ORDER BY e.id`,
  );
  // Whether a completion or a growth report matches depends on its content: decided when its row is read.
  const unread = rows.filter(({ kind }) => kind === 'completion' || kind === 'growth').map(({ id }) => id);
  const read = new Map((await readEntries(db, unread)).map((entry) => [entry.id, entry]));
  const found = rows.flatMap(({ late, only_by, ...entry }): PastEntry[] => {
    if (late) return [];
    if (entry.kind === 'spike') return [{ ...entry, spike: { only_by } }];
    const whole = read.get(entry.id);
    if (entry.kind === 'completion') return whole === undefined ? [] : [entry];
    if (entry.kind !== 'growth') return [entry];
    return whole?.kind === 'growth' ? [{ ...entry, growth: { condition: whole.growth.condition } }] : [];
  });
  return { found, last: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** Entries that match a query: by the archive, or by their texts if the archive does not have them yet. @param now for relative times */
export async function findPastMatches(
  db: Queryable,
  query: Query,
  entries: readonly PastEntry[],
  now: Date,
): Promise<PastEntry[]> {
  if (entries.length === 0) return [];
  const ids = entries.map(({ id }) => id);
  const kinds = entries.map(({ kind }) => kind);
  const things = entries.map(({ thing }) => thing);
  const condition = buildCondition(query, { forms: await readWordForms(db, [query]), now });
  const rows = await rowsOf<{ id: Id; matches: boolean | null }>(
    db,
    statement`SELECT c.id, CASE WHEN d.thing IS NOT NULL THEN ${condition} END AS matches
      FROM unnest(${ids}::bigint[], ${kinds}::text[], ${things}::bigint[]) c(id, kind, thing)
      LEFT JOIN LATERAL (
        SELECT ${verbatim(NAMED_POST_SQL)} AS post_id FROM strandline.links l WHERE c.kind = 'link' AND l.id = c.thing OFFSET 0
      ) n ON true
      LEFT JOIN strandline.archive_documents d
        ON d.kind = CASE WHEN n.post_id IS NULL THEN c.kind ELSE 'post' END AND d.thing = coalesce(n.post_id, c.thing)`,
  );
  const matching = new Set(rows.flatMap(({ id, matches }) => (matches === true ? [id] : [])));
  const unknown = rows.flatMap(({ id, matches }) => (matches === null ? [id] : []));
  const [read] = await findMatches(db, [query], await readEntries(db, unknown), now);
  return entries.filter(({ id }) => matching.has(id) || read?.has(id) === true);
}

/** The known engagement of posts, by their IDs. */
export async function readEngagementSums(
  db: Queryable,
  entries: readonly Pick<PastEntry, 'kind' | 'thing'>[],
): Promise<ReadonlyMap<Id, number>> {
  const posts = entries.flatMap(({ kind, thing }) => (kind === 'post' ? [thing] : []));
  if (posts.length === 0) return new Map();
  const rows = await rowsOf<{ post_id: Id; engagement: number }>(
    db,
    statement`SELECT post_id, (${verbatim(engagementSql(''))})::float8 AS engagement
      FROM strandline.post_counters WHERE post_id = ANY (${posts})`,
  );
  return new Map(rows.map(({ post_id, engagement }) => [post_id, engagement]));
}
