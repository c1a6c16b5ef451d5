/**
 * Which items of topics with a goal wait for a judgement. A story is judged once: its items wait together, and what joins a story
 * that is judged has its verdict.
 */
import { DAY, MINUTE } from '../../lib/time.ts';
import type { Verdict } from '../../model/judging.ts';
import { type Id, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';
import { FIRST_DISCOVERY } from '../stories/one-thing.ts';
import { LINK_TEXT, POST_TEXT } from './item-text.ts';

/** An item that waited this long without a judgement is never judged. */
const MAX_WAIT_MS = DAY;
/** Longer than a request takes: a pass that died has asked for these. */
const LEASE_MS = 2 * MINUTE;
/** Responses without a verdict about a story. */
const MAX_UNUSABLE = 2;
/** Waiting items that are read to find the stories of one request, the newest first. */
const MAX_READ = 400;
/** Items of the past that a new goal is applied to, the newest. */
const MAX_PAST = 100;

/** Whether any topic has a goal: one read of a small table. */
async function isAnyGoalSet(tx: Transaction): Promise<boolean> {
  const rows = await rowsOf(tx, statement`SELECT FROM strandline.topics WHERE goal IS NOT NULL LIMIT 1`);
  return rows.length > 0;
}

/** Lets items of topics with a goal wait for the judge. @param ids first discoveries of items in their topics, whose stories are decided */
export async function queueJudgements(tx: Transaction, ids: readonly Id[]): Promise<void> {
  if (ids.length === 0 || !(await isAnyGoalSet(tx))) return;
  await execute(
    tx,
    statement`INSERT INTO strandline.judgements (discovery_id, goal_hash, topic_id, found_at, next_at)
      SELECT d.id, t.goal_hash, t.id, d.at, d.at FROM unnest(${ids}::bigint[]) u(id)
      CROSS JOIN LATERAL (SELECT * FROM strandline.discoveries WHERE id = u.id OFFSET 0) d
      JOIN strandline.searches s ON s.id = d.search_id JOIN strandline.topics t ON t.id = s.topic_id AND t.goal IS NOT NULL
      ON CONFLICT (discovery_id, goal_hash) DO NOTHING`,
  );
}

/**
 * Writes the goal of a topic. What waits for a former goal waits no longer; of the last day, the newest items wait for the new one.
 * The caller has locked the topic.
 */
export async function writeGoal(
  tx: Transaction,
  { topicId, goal, hash, now }: { topicId: Id; goal: string | null; hash: string | null; now: Date },
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.topics SET goal = ${goal}, goal_hash = ${hash} WHERE id = ${topicId}`,
  );
  await execute(
    tx,
    statement`UPDATE strandline.judgements SET next_at = NULL
      WHERE topic_id = ${topicId} AND goal_hash IS DISTINCT FROM ${hash} AND next_at IS NOT NULL`,
  );
  if (hash === null) return;
  const since = new Date(now.getTime() - MAX_WAIT_MS);
  await execute(
    tx,
    statement`INSERT INTO strandline.judgements AS j (discovery_id, goal_hash, topic_id, found_at, next_at)
      SELECT d.id, ${hash}, ${topicId}, d.at, d.at FROM (
        SELECT DISTINCT ${topicId}::bigint AS topic_id, d.kind, d.thing FROM strandline.searches s
        JOIN strandline.discoveries d ON d.search_id = s.id AND d.at > ${since}
        WHERE s.topic_id = ${topicId} AND d.kind IN ('post', 'link') AND NOT d.hidden
      ) u
      CROSS JOIN LATERAL ${FIRST_DISCOVERY}
      CROSS JOIN LATERAL (SELECT id, at FROM strandline.discoveries WHERE id = f.id OFFSET 0) d
      WHERE d.at > ${since} ORDER BY d.id DESC LIMIT ${MAX_PAST}
      ON CONFLICT (discovery_id, goal_hash) DO UPDATE SET next_at = excluded.next_at WHERE j.relevant IS NULL`,
  );
}

/** A topic whose items wait. */
export type JudgedTopic = { id: Id; slug: string; goal: string; hash: string };

/** The topic that waits longest; undefined if none does. One read by an index. */
export async function findWaitingTopic(tx: Transaction, now: Date): Promise<JudgedTopic | undefined> {
  const [row] = await rowsOf<JudgedTopic>(
    tx,
    statement`SELECT t.id, t.slug, t.goal, t.goal_hash AS hash FROM strandline.judgements j
      JOIN strandline.topics t ON t.id = j.topic_id AND t.goal_hash = j.goal_hash AND t.archived_at IS NULL
      WHERE j.next_at <= ${now} ORDER BY j.next_at LIMIT 1`,
  );
  return row;
}

/** A story, or an item that is in none, as it is judged. */
export type WaitingStory = {
  /** Items that wait, the first found first. */
  items: [Id, ...Id[]];
  /** Of the first: text of the post, or title and snippet of the link. */
  text: string;
};

/**
 * Takes stories of a topic to judge, the newest first, and leases them. Items that are hidden, without a text, or too old are
 * no longer waited for; items of stories that have a verdict get it.
 */
export async function takeWaitingStories(
  tx: Transaction,
  { id, hash }: Pick<JudgedTopic, 'id' | 'hash'>,
  { most, now }: { most: number; now: Date },
): Promise<WaitingStory[]> {
  const locked = await selectIds(
    tx,
    statement`SELECT discovery_id AS id FROM strandline.judgements
      WHERE topic_id = ${id} AND goal_hash = ${hash} AND next_at <= ${now}
      ORDER BY discovery_id DESC LIMIT ${MAX_READ} FOR UPDATE SKIP LOCKED`,
  );
  await inheritVerdicts(tx, hash, locked, now);
  const rows = await rowsOf<{ item: Id; story: Id; text: string; leaves: boolean }>(
    tx,
    statement`SELECT j.discovery_id AS item, coalesce(i.story_id, j.discovery_id) AS story, x.text,
        d.hidden OR x.text = '' OR j.found_at < ${new Date(now.getTime() - MAX_WAIT_MS)} AS leaves
      FROM strandline.judgements j
      CROSS JOIN LATERAL (SELECT * FROM strandline.discoveries WHERE id = j.discovery_id OFFSET 0) d
      LEFT JOIN strandline.story_items i ON i.discovery_id = j.discovery_id
      CROSS JOIN LATERAL (
        SELECT ${POST_TEXT} AS text FROM strandline.posts p WHERE d.kind = 'post' AND p.id = d.thing
        UNION ALL
        SELECT ${LINK_TEXT} FROM strandline.links l WHERE d.kind = 'link' AND l.id = d.thing
      ) x
      WHERE j.discovery_id = ANY (${locked}::bigint[]) AND j.goal_hash = ${hash} AND j.next_at IS NOT NULL
      ORDER BY j.discovery_id`,
  );
  const leaving = rows.flatMap(({ item, leaves }) => (leaves ? [item] : []));
  if (leaving.length > 0)
    await execute(
      tx,
      statement`UPDATE strandline.judgements SET next_at = NULL WHERE discovery_id = ANY (${leaving}::bigint[]) AND goal_hash = ${hash}`,
    );
  const stories = new Map<Id, WaitingStory>();
  for (const { item, story, text, leaves } of rows) {
    if (leaves) continue;
    const known = stories.get(story);
    if (known === undefined) stories.set(story, { items: [item], text });
    else known.items.push(item);
  }
  const taken = [...stories.values()].slice(-most);
  await execute(
    tx,
    statement`UPDATE strandline.judgements SET next_at = ${new Date(now.getTime() + LEASE_MS)}
      WHERE discovery_id = ANY (${taken.flatMap(({ items }) => items)}::bigint[]) AND goal_hash = ${hash}`,
  );
  return taken;
}

/** Gives items the verdict of the first judged item of their story. */
async function inheritVerdicts(
  tx: Transaction,
  hash: string,
  items: readonly Id[],
  now: Date,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.judgements w SET relevant = v.relevant, why = v.why, judged_at = ${now}, next_at = NULL
      FROM unnest(${items}::bigint[]) u(id)
      JOIN strandline.story_items i ON i.discovery_id = u.id
      CROSS JOIN LATERAL (
        SELECT j.relevant, j.why FROM strandline.story_items m
        JOIN strandline.judgements j ON j.discovery_id = m.discovery_id AND j.goal_hash = ${hash} AND j.relevant IS NOT NULL
        WHERE m.story_id = i.story_id ORDER BY m.discovery_id LIMIT 1
      ) v
      WHERE w.discovery_id = u.id AND w.goal_hash = ${hash} AND w.relevant IS NULL`,
  );
}

/** Writes the verdict about stories; a later one about the same story changes nothing. */
export async function writeVerdicts(
  tx: Transaction,
  hash: string,
  judged: readonly { items: readonly Id[]; verdict: Verdict }[],
  now: Date,
): Promise<void> {
  const rows = judged.flatMap(({ items, verdict }) => items.map((id) => ({ id, ...verdict })));
  if (rows.length === 0) return;
  await execute(
    tx,
    statement`UPDATE strandline.judgements j SET relevant = r.relevant, why = r.why, judged_at = ${now}, next_at = NULL
      FROM json_to_recordset(${writeRows(rows)}::json) r(id bigint, relevant boolean, why text)
      WHERE j.discovery_id = r.id AND j.goal_hash = ${hash} AND j.relevant IS NULL`,
  );
}

/**
 * Writes that there is no verdict about items: they are asked about again after a while, twice as long with each failure.
 * @param isUnusable the model responded: it is asked once more only
 */
export async function postponeJudgements(
  tx: Transaction,
  hash: string,
  items: readonly Id[],
  { isUnusable, now }: { isUnusable: boolean; now: Date },
): Promise<void> {
  if (items.length === 0) return;
  await execute(
    tx,
    statement`UPDATE strandline.judgements SET failures = failures + 1, unusable = unusable + ${isUnusable ? 1 : 0},
        next_at = CASE WHEN ${isUnusable}::boolean AND unusable + 1 >= ${MAX_UNUSABLE} THEN NULL
          WHEN ${isUnusable}::boolean THEN ${now}::timestamptz
          ELSE ${now}::timestamptz + least(interval '1 minute' * power(2, least(failures, 6)), interval '1 hour') END
      WHERE discovery_id = ANY (${items}::bigint[]) AND goal_hash = ${hash} AND relevant IS NULL`,
  );
}

/** Texts that people marked as not relevant for a topic, the last marked first. */
export async function readIrrelevantTexts(tx: Transaction, topicId: Id, most: number): Promise<string[]> {
  const rows = await rowsOf<{ text: string }>(
    tx,
    statement`SELECT x.text FROM (
        SELECT key, dismissed_at FROM strandline.topic_items WHERE topic_id = ${topicId} AND dismissed_at IS NOT NULL
        ORDER BY dismissed_at DESC LIMIT ${most}
      ) i
      CROSS JOIN LATERAL (
        SELECT ${POST_TEXT} AS text FROM strandline.posts p WHERE p.key = i.key
        UNION ALL SELECT ${LINK_TEXT} FROM strandline.links l WHERE l.canonical = i.key LIMIT 1
      ) x WHERE x.text <> '' ORDER BY i.dismissed_at DESC`,
  );
  return rows.map(({ text }) => text);
}
