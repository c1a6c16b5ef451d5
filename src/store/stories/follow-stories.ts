/**
 * Decides stories after the save: of items that the feed brought, in its order, and of items that changed or lost a member of their
 * story. IDs of the feed are in commit order, so none is missed. The work of a pass grows with its items, not with the stories
 * that they join: members of a story are decided again only if it may fall apart.
 */
import { groupBy } from '../../lib/group-by.ts';
import { groupStories, limitFindable, STORY_SPAN_MS } from '../../model/stories.ts';
import { type Database, type Id, inTransaction, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';
import { batched } from '../db/batches.ts';
import { queueJudgements } from '../judgements/queue-judgements.ts';
import { FIRST_OF_DISCOVERY } from './one-thing.ts';
import { hideKnown, markStories, settleHidden } from './hidden-stories.ts';
import { settleStories } from './settle-stories.ts';
import {
  findCandidates,
  readStoryItems,
  type StoryCandidates,
  type TopicStoryItem,
} from './read-story-items.ts';
import {
  dissolveStories,
  lockStories,
  mergeStories,
  readProgress,
  summarizeStories,
  writeProgress,
  writeReported,
} from './write-stories.ts';

/** Feed entries per transaction: a few tenths of a second. */
const BATCH_SIZE = 1_000;
/** Changed items per transaction. Each brings the other members of its story. */
const CHANGES_BATCH = 100;
/** Batches that whoever waits for stories works off before it goes on. */
const MAX_CATCH_UP_BATCHES = 5;
/** Candidates that are deleted per transaction, more than it adds. */
const EXPIRE_BATCH = 2 * BATCH_SIZE;

/**
 * Decides the stories of what is new.
 * @param options.batches maximum batches of 1,000 entries of the feed; the next call continues
 * @param options.waits whether to wait for another process that is at it. Default: it does the work
 * @returns whether nothing is left; false if another process is at it
 */
export async function followStories(
  db: Database,
  { batches, signal, waits = false }: { batches: number; signal?: AbortSignal | undefined; waits?: boolean },
): Promise<boolean> {
  for (let n = 0; n < batches; n += 1) {
    if (signal?.aborted === true) return false;
    const step = await inTransaction(db, (tx) => followBatch(tx, waits));
    if (step !== 'more') return step === 'done';
  }
  return false;
}

/** Decides the stories of all that is committed, up to 5,000 entries. Callers at one time share the work. */
export async function catchUpWithStories(db: Database): Promise<void> {
  await catchUpTogether(db, null);
}

const catchUpTogether = batched<null, boolean>(
  async (db, callers) => {
    const isDone = await followStories(db, { batches: MAX_CATCH_UP_BATCHES, waits: true });
    return callers.map(() => isDone);
  },
  { most: Number.POSITIVE_INFINITY, alone: false },
);

async function followBatch(tx: Transaction, waits: boolean): Promise<'more' | 'done' | 'busy'> {
  if (!(await lockStories(tx, { waits }))) return 'busy';
  const cursor = await readProgress(tx);
  const feed = await rowsOf<{ id: Id; item: Id | null; reports: boolean }>(
    tx,
    statement`SELECT d.id, f.id AS item, d.first_in_topic AS reports
      FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
      LEFT JOIN LATERAL ${FIRST_OF_DISCOVERY} ON d.kind IN ('post', 'link')
      WHERE d.id > ${cursor} ORDER BY d.id LIMIT ${BATCH_SIZE}`,
  );
  const changed = await takeChanges(tx, cursor);
  const last = feed.at(-1)?.id;
  const found = feed.flatMap(({ id, item }) => (item === id ? [id] : []));
  if (found.length > 0 || changed.ids.length > 0)
    await decideStories(tx, await readStoryItems(tx, [...changed.ids, ...found]), new Set(changed.ids));
  await queueJudgements(tx, [...changed.ids, ...found]);
  await settleKnown(
    tx,
    feed.flatMap(({ id, item, reports }) => (reports && item !== null && item !== id ? [item] : [])),
  );
  await hideKnown(
    tx,
    feed.flatMap(({ id, item }) => (item === id ? [] : [id])),
  );
  if (last !== undefined) await writeProgress(tx, last);
  return feed.length === BATCH_SIZE || changed.isMore ? 'more' : 'done';
}

/** Settles the stories of items that were known, and that another search reports now. */
async function settleKnown(tx: Transaction, items: readonly Id[]): Promise<void> {
  if (items.length === 0) return;
  const rows = await rowsOf<{ item: Id; id: Id }>(
    tx,
    statement`SELECT discovery_id AS item, story_id AS id FROM strandline.story_items WHERE discovery_id = ANY (${items}::bigint[])`,
  );
  if (rows.length === 0) return;
  const reported = await settleStories(
    tx,
    rows.map(({ item, id }) => ({ id, members: [item], joined: [id] })),
  );
  await writeReported(tx, reported);
}

/** Items that changed, with the other members of their stories, which are taken apart. Items behind the cursor are new anyway. */
async function takeChanges(tx: Transaction, cursor: Id): Promise<{ ids: Id[]; isMore: boolean }> {
  const things = await rowsOf<{ kind: string; thing: Id }>(
    tx,
    statement`DELETE FROM strandline.story_changes
      WHERE id IN (SELECT id FROM strandline.story_changes ORDER BY id LIMIT ${CHANGES_BATCH}) RETURNING kind, thing`,
  );
  if (things.length === 0) return { ids: [], isMore: false };
  const ids = await selectIds(
    tx,
    statement`SELECT min(d.id) AS id FROM json_to_recordset(${writeRows(things)}::json) c(kind text, thing bigint)
      JOIN strandline.discoveries d ON d.kind = c.kind AND d.thing = c.thing AND d.id <= ${cursor}
      JOIN strandline.searches s ON s.id = d.search_id
      GROUP BY d.kind, d.thing, s.topic_id`,
  );
  const members = await dissolveStories(tx, ids);
  return { ids: [...new Set([...ids, ...members])], isMore: things.length === CHANGES_BATCH };
}

/** @param changed those that were decided before: one that is in no story any more reports itself */
async function decideStories(
  tx: Transaction,
  items: readonly TopicStoryItem[],
  changed: ReadonlySet<Id>,
): Promise<void> {
  const candidates = await findCandidates(tx, items);
  const topics = groupBy([...items, ...candidates.items], ({ topicId }) => topicId);
  const groups = [...topics].flatMap(([topicId, members]) =>
    groupStories(members).map((group) => ({ ...group, topicId })),
  );
  const alone = new Set(changed);
  for (const { members } of groups) for (const { id } of members) alone.delete(id);
  const grouped = groups.map(({ id, members, joined }) => ({
    id,
    members: members.flatMap((member) => (member.story === null ? [member.id] : [])),
    joined,
  }));
  const toAlone = (ids: Iterable<Id>) => [...ids].map((id) => ({ id, members: [id], joined: [] }));
  const reported = await settleStories(tx, [...grouped, ...toAlone(alone)]);
  const inGroups = new Set(grouped.flatMap(({ members }) => members));
  const hidden = await settleHidden(tx, [
    ...grouped,
    ...toAlone(items.flatMap(({ id }) => (inGroups.has(id) ? [] : [id]))),
  ]);
  if (groups.length > 0) {
    await mergeStories(tx, groups);
    await summarizeStories(tx, groups, reported);
    await markStories(tx, hidden);
  }
  await addCandidates(tx, items, candidates);
}

/** What later items are compared with. */
async function addCandidates(
  tx: Transaction,
  items: readonly TopicStoryItem[],
  { names, crowded }: StoryCandidates,
): Promise<void> {
  const found = { names, bands: new Map<string, number>() };
  const rows = items
    .map((item) => {
      const limited = limitFindable(crowded.has(item.id) ? { ...item, sketch: null } : item, found);
      const { bands = null, shingles = null } = limited.sketch ?? {};
      return {
        id: item.id,
        topic_id: item.topicId,
        at: new Date(item.at),
        names: limited.names,
        bands,
        shingles,
      };
    })
    .filter((row) => row.names.length > 0 || row.bands !== null);
  await execute(
    tx,
    statement`INSERT INTO strandline.story_candidates (discovery_id, topic_id, at, names, bands, shingles)
      SELECT id, topic_id, at, names, bands, shingles
      FROM json_to_recordset(${writeRows(rows)}::json)
        r(id bigint, topic_id bigint, at timestamptz, names bigint[], bands integer[], shingles integer[])
      ON CONFLICT (discovery_id) DO UPDATE SET names = excluded.names, bands = excluded.bands, shingles = excluded.shingles`,
  );
  const newest = items.reduce((latest, { at }) => Math.max(latest, at), 0);
  await execute(
    tx,
    statement`DELETE FROM strandline.story_candidates c USING (
        SELECT discovery_id, at FROM strandline.story_candidates ORDER BY discovery_id LIMIT ${EXPIRE_BATCH}
      ) o WHERE c.discovery_id = o.discovery_id AND o.at < ${new Date(newest - STORY_SPAN_MS)}`,
  );
}
