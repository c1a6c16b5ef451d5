/** What is judged of discoveries of topics with a goal, for rules, messages and digests. */
import { MINUTE } from '../../lib/time.ts';
import type { Verdict } from '../../model/judging.ts';
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, type Statement, statement, verbatim } from '../db/statement.ts';
import { FIRST_DISCOVERY } from '../stories/one-thing.ts';

/** How long rules wait for a judgement after an item was found; then it is reported as not judged. */
const MAX_HOLD_MS = 15 * MINUTE;
/** Discoveries of a channel that are read at once when their wait may be over. */
const MAX_RELEASED = 1_000;

/** Of a post, a link, or a post that grew. */
export type Judged = {
  /** Null: not judged, or not yet. */
  verdict: Verdict | null;
  /** Whether a judgement may come within a quarter of an hour after the item was found. */
  waits: boolean;
};

/** By discovery; without those of topics that have no goal, and of anything but posts, links and growth. */
export async function readVerdicts(
  db: Queryable,
  discoveryIds: readonly Id[],
  now: Date,
): Promise<Map<Id, Judged>> {
  if (discoveryIds.length === 0) return new Map();
  const rows = await rowsOf<{ id: Id; relevant: boolean | null; why: string | null; waits: boolean }>(
    db,
    statement`SELECT u.id, j.relevant, j.why, j.next_at IS NOT NULL AND j.found_at > ${new Date(now.getTime() - MAX_HOLD_MS)} AS waits
      FROM (
        SELECT d.id, t.id AS topic_id, t.goal_hash, CASE d.kind WHEN 'growth' THEN 'post' ELSE d.kind END AS kind,
          coalesce(r.post_id, d.thing) AS thing
        FROM unnest(${discoveryIds}::bigint[]) a(id)
        CROSS JOIN LATERAL (SELECT * FROM strandline.discoveries WHERE id = a.id AND kind IN ('post', 'link', 'growth') OFFSET 0) d
        JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.topics t ON t.id = s.topic_id AND t.goal IS NOT NULL
        LEFT JOIN strandline.growth_reports r ON d.kind = 'growth' AND r.id = d.thing
      ) u
      CROSS JOIN LATERAL ${FIRST_DISCOVERY}
      LEFT JOIN strandline.judgements j ON j.discovery_id = f.id AND j.goal_hash = u.goal_hash`,
  );
  return new Map(
    rows.map(({ id, relevant, why, waits }) => [
      id,
      { verdict: relevant === null ? null : { relevant, why }, waits },
    ]),
  );
}

/** Leaves out what is judged as not relevant. @param entries with `has_goal`: whether their topic has a goal */
export async function leaveOutIrrelevant<Entry extends { id: Id; has_goal: boolean }>(
  db: Queryable,
  entries: readonly Entry[],
  now: Date,
): Promise<readonly Entry[]> {
  const ids = entries.flatMap(({ id, has_goal }) => (has_goal ? [id] : []));
  if (ids.length === 0) return entries;
  const verdicts = await readVerdicts(db, ids, now);
  return entries.filter(({ id }) => verdicts.get(id)?.verdict?.relevant !== false);
}

/**
 * Whether an item of a topic `t` with a goal is judged as not relevant. Without a goal nothing is read.
 * @param item alias of a row with `kind` and `thing`
 */
export const isIrrelevant = (item: string): Statement =>
  verbatim(`(t.goal IS NOT NULL AND EXISTS (
    SELECT FROM strandline.discoveries o JOIN strandline.judgements j ON j.discovery_id = o.id
    WHERE o.kind = ${item}.kind AND o.thing = ${item}.thing AND j.topic_id = t.id AND j.goal_hash = t.goal_hash AND NOT j.relevant))`);

/** The topics, by slug, for which posts are judged as not relevant. Without a goal in any topic nothing is read but that. */
export async function findIrrelevantPosts(
  db: Queryable,
  postIds: readonly Id[],
): Promise<ReadonlyMap<Id, string[]>> {
  if (postIds.length === 0) return new Map();
  const rows = await rowsOf<{ id: Id; topics: string[] }>(
    db,
    statement`SELECT p.thing AS id, array_agg(t.slug) AS topics
      FROM strandline.topics t CROSS JOIN (SELECT 'post' AS kind, id AS thing FROM unnest(${postIds}::bigint[]) u(id)) p
      WHERE ${isIrrelevant('p')} GROUP BY 1`,
  );
  return new Map(rows.map(({ id, topics }) => [id, topics]));
}

/** Lets discoveries wait for the judge, so that the cursor of the channel can pass them. The caller has locked the channel. */
export async function holdDiscoveries(
  tx: Transaction,
  channelId: Id,
  discoveryIds: readonly Id[],
): Promise<void> {
  if (discoveryIds.length === 0) return;
  await execute(
    tx,
    statement`INSERT INTO strandline.judgement_waits (channel_id, discovery_id)
      SELECT ${channelId}, id FROM unnest(${discoveryIds}::bigint[]) u(id) ON CONFLICT DO NOTHING`,
  );
}

/**
 * Takes the discoveries whose wait is over: judged, or too late. The caller has locked the channel.
 * @param isOver nothing is judged any more: all waits are over
 * @returns those that lists show
 */
export async function releaseDiscoveries(
  tx: Transaction,
  channelId: Id,
  { now, isOver }: { now: Date; isOver: boolean },
): Promise<Id[]> {
  const held = await rowsOf<{ id: Id; hidden: boolean }>(
    tx,
    statement`SELECT d.id, d.hidden FROM strandline.judgement_waits w JOIN strandline.discoveries d ON d.id = w.discovery_id
      WHERE w.channel_id = ${channelId} ORDER BY d.id LIMIT ${MAX_RELEASED}`,
  );
  if (held.length === 0) return [];
  const verdicts = await readVerdicts(
    tx,
    held.map(({ id }) => id),
    now,
  );
  const over = held.filter(({ id, hidden }) => isOver || hidden || verdicts.get(id)?.waits !== true);
  if (over.length === 0) return [];
  const ids = over.map(({ id }) => id);
  const taken = new Set(
    await selectIds(
      tx,
      statement`DELETE FROM strandline.judgement_waits WHERE channel_id = ${channelId} AND discovery_id = ANY (${ids}::bigint[])
        RETURNING discovery_id AS id`,
    ),
  );
  return over.flatMap(({ id, hidden }) => (taken.has(id) && !hidden ? [id] : []));
}
