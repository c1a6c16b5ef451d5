/** Takes discoveries out of stories before they are deleted. */
import type { Id, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import { type HiddenBy, markStories, passOnMarks } from './hidden-stories.ts';
import { settleStories } from './settle-stories.ts';
import { FIRST_DISCOVERY, itemsOfDiscoveries } from './one-thing.ts';
import { lockStories, readProgress, summarizeStories } from './write-stories.ts';

/** A story without the members that leave. */
type Remainder = {
  /** Its first member; the story is named by it. */
  id: Id;
  topicId: Id;
  members: Id[];
  /** What reports it; null if that leaves, too. */
  reported: Id | null;
  /** Who hid it; null if nobody did. */
  hidden: HiddenBy | null;
};

/**
 * Before discoveries are deleted: the other members of their stories stay together, with their next discovery as the first in the
 * topic, and are decided again by the next pass, since what joined them may be gone. Waits for a pass that is in progress, which
 * may know the discoveries.
 */
export async function leaveStories(tx: Transaction, discoveryIds: readonly Id[]): Promise<void> {
  if (discoveryIds.length === 0) return;
  await lockStories(tx, { waits: true });
  const cursor = await readProgress(tx);
  const left = await removeMembers(tx, discoveryIds);
  const groups = left.filter(({ members }) => members.length > 1);
  const settled = await settleStories(
    tx,
    left.flatMap(({ id, members, reported }) => {
      if (members.length > 1 && reported !== null) return [];
      return [{ id, members, joined: [] }];
    }),
    discoveryIds,
  );
  const reported = new Map(
    left.flatMap((story) => (story.reported === null ? [] : [[story.id, story.reported]])),
  );
  if (groups.length > 0)
    await summarizeStories(
      tx,
      groups.map(({ id, topicId }) => ({ id, topicId })),
      new Map([...reported, ...settled]),
    );
  await markStories(tx, await passOnMarks(tx, left));
  // The items of the discoveries, too: they may stay in the topic by another search. One member brings the others.
  const changed = [...groups.map(({ id }) => id), ...discoveryIds.filter((id) => id <= cursor)];
  await execute(
    tx,
    statement`INSERT INTO strandline.story_changes (kind, thing)
      SELECT DISTINCT kind, thing FROM strandline.discoveries WHERE id = ANY (${changed}::bigint[]) AND kind IN ('post', 'link')`,
  );
}

/** Removes members and the rows of their stories, and renames what is left. */
async function removeMembers(tx: Transaction, discoveryIds: readonly Id[]): Promise<Remainder[]> {
  const gone = await rowsOf<{
    id: Id;
    topicId: Id;
    reported: Id | null;
    hiddenAt: Date | null;
    hiddenBy: string | null;
  }>(
    tx,
    statement`DELETE FROM strandline.stories WHERE id IN (
        SELECT i.story_id FROM ${itemsOfDiscoveries(discoveryIds)} u
        CROSS JOIN LATERAL ${FIRST_DISCOVERY} JOIN strandline.story_items i ON i.discovery_id = f.id
      ) RETURNING id, topic_id AS "topicId", reported_id AS reported, hidden_at AS "hiddenAt", hidden_by AS "hiddenBy"`,
  );
  await execute(
    tx,
    statement`DELETE FROM strandline.story_candidates WHERE discovery_id = ANY (${discoveryIds}::bigint[])`,
  );
  if (gone.length === 0) return [];
  await execute(
    tx,
    statement`DELETE FROM strandline.story_items WHERE discovery_id = ANY (${discoveryIds}::bigint[])`,
  );
  const ids = gone.map(({ id }) => id);
  const rows = await rowsOf<{ was: Id; members: Id[] }>(
    tx,
    statement`SELECT story_id AS was, array_agg(discovery_id ORDER BY discovery_id) AS members
      FROM strandline.story_items WHERE story_id = ANY (${ids}::bigint[]) GROUP BY 1`,
  );
  const stories = new Map(gone.map((story) => [story.id, story]));
  const leaving = new Set(discoveryIds);
  const left = rows.flatMap(({ was, members }): (Remainder & { was: Id })[] => {
    const [story, id] = [stories.get(was), members[0]];
    if (story === undefined || id === undefined) return [];
    const { topicId, reported, hiddenAt, hiddenBy } = story;
    return [
      {
        was,
        id,
        topicId,
        members,
        reported: reported !== null && leaving.has(reported) ? null : reported,
        hidden: hiddenAt === null ? null : { at: hiddenAt, by: hiddenBy },
      },
    ];
  });
  const alone = left.flatMap(({ id, members }) => (members.length === 1 ? [id] : []));
  await execute(
    tx,
    statement`DELETE FROM strandline.story_items WHERE discovery_id = ANY (${alone}::bigint[])`,
  );
  const renamed = left.filter(({ was, id, members }) => was !== id && members.length > 1);
  await execute(
    tx,
    statement`UPDATE strandline.story_items i SET story_id = r.id
      FROM unnest(${renamed.map(({ was }) => was)}::bigint[], ${renamed.map(({ id }) => id)}::bigint[]) r(was, id)
      WHERE i.story_id = r.was`,
  );
  return left;
}
