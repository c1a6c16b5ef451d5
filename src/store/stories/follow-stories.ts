/**
 * Decides stories after the save: of items that the feed brought, in its order, and of items that changed or lost a member of their
 * story. IDs of the feed are in commit order, so none is missed. The work of a pass grows with its items, not with the stories
 * that they join: members of a story are decided again only if it may fall apart.
 */
import { groupBy } from '../../lib/group-by.ts';
import { groupStories, limitFindable, STORY_SPAN_MS } from '../../model/stories.ts';
import { type Database, type Id, inTransaction, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, selectIds, statement } from '../db/statement.ts';
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
} from './write-stories.ts';

/** Feed entries per transaction: a few tenths of a second. */
const BATCH_SIZE = 1_000;
/** Changed items per transaction. Each brings the other members of its story. */
const CHANGES_BATCH = 100;
/** Candidates that are deleted per transaction, more than it adds. */
const EXPIRE_BATCH = 2 * BATCH_SIZE;

/**
 * Decides the stories of what is new.
 * @param options.batches maximum batches of 1,000 entries of the feed; the next call continues
 * @returns whether nothing is left; false if another process is at it
 */
export async function followStories(
  db: Database,
  { batches, signal }: { batches: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  for (let n = 0; n < batches; n += 1) {
    if (signal?.aborted === true) return false;
    const step = await inTransaction(db, followBatch);
    if (step !== 'more') return step === 'done';
  }
  return false;
}

async function followBatch(tx: Transaction): Promise<'more' | 'done' | 'busy'> {
  if (!(await lockStories(tx, { waits: false }))) return 'busy';
  const cursor = await readProgress(tx);
  const feed = await rowsOf<{ id: Id; first: boolean }>(
    tx,
    statement`SELECT d.id, d.kind IN ('post', 'link') AND NOT EXISTS (
        SELECT FROM strandline.discoveries o JOIN strandline.searches os ON os.id = o.search_id
        WHERE o.kind = d.kind AND o.thing = d.thing AND o.id < d.id AND os.topic_id = s.topic_id OFFSET 0
      ) AS first
      FROM strandline.discoveries d JOIN strandline.searches s ON s.id = d.search_id
      WHERE d.id > ${cursor} ORDER BY d.id LIMIT ${BATCH_SIZE}`,
  );
  const changed = await takeChanges(tx, cursor);
  const last = feed.at(-1)?.id;
  const found = feed.flatMap(({ id, first }) => (first ? [id] : []));
  if (found.length > 0 || changed.ids.length > 0)
    await decideStories(tx, await readStoryItems(tx, [...changed.ids, ...found]));
  if (last !== undefined) await writeProgress(tx, last);
  return feed.length === BATCH_SIZE || changed.isMore ? 'more' : 'done';
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

async function decideStories(tx: Transaction, items: readonly TopicStoryItem[]): Promise<void> {
  const candidates = await findCandidates(tx, items);
  const topics = groupBy([...items, ...candidates.items], ({ topicId }) => topicId);
  const groups = [...topics].flatMap(([topicId, members]) =>
    groupStories(members).map((group) => ({ ...group, topicId })),
  );
  if (groups.length > 0) {
    await mergeStories(tx, groups);
    await summarizeStories(tx, groups);
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
