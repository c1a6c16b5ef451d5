/**
 * Purge: deletes removed searches and topics, with the posts, links and authors that no other search found and no remaining row
 * holds. Removing a search without a purge keeps all of this.
 *
 * `purged_at` marks the searches and topics to delete. Workers delete their rows in batches, each in a transaction that blocks
 * saves for a moment. Any process can continue a purge after a crash, because the rows that remain still name the search. The
 * order is: runs, posts, links, other rows of the search, its own row. Items that other searches found stay, with their history
 * (`orphans.ts`).
 */
import { type Database, type Id, inTransaction, type Pooled, type Transaction } from '../db/database.ts';
import { execute, rowsOf, selectIds, type Statement, statement, verbatim } from '../db/statement.ts';
import { waitForFollower } from '../derive/pending-derivations.ts';
import { LEASE_IS_OVER } from '../runs/run-leases.ts';
import { eraseFromDigests } from './erase-from-digests.ts';
import { eraseRows, listReferences } from './erasure.ts';
import { lockSaves } from './save-lock.ts';
import { eraseItems } from './items.ts';
import {
  areHeldSince,
  findLeavingPosts,
  findOrphanAuthors,
  findOrphanLinks,
  findUnnamedAuthors,
  listCited,
  listContained,
  readGreatestIds,
  readGreatestIdsWhileLocked,
} from './orphans.ts';
import { passOnThings } from './pass-on-things.ts';

/** Marks removed searches, and their topic unless it is null, for deletion. */
export async function markPurged(
  tx: Transaction,
  { searchIds, topicId, now }: { searchIds: readonly Id[]; topicId: Id | null; now: Date },
): Promise<void> {
  const mark = (which: Statement) =>
    statement`purged_at = coalesce(purged_at, ${now}) WHERE ${which} AND archived_at IS NOT NULL`;
  await execute(tx, statement`UPDATE strandline.searches SET ${mark(statement`id = ANY (${searchIds})`)}`);
  await execute(tx, statement`UPDATE strandline.topics SET ${mark(statement`id = ${topicId}`)}`);
}

/**
 * Deletes what is marked.
 * @param mayContinue called before each batch; if it returns false, the purge stops and is continued later
 * @returns whether nothing is left; false also while a run of a search is in progress, which may still save
 */
export async function continuePurges(db: Database, mayContinue: () => boolean): Promise<boolean> {
  const searches = await selectIds(
    db.pool,
    statement`SELECT id FROM strandline.searches WHERE purged_at IS NOT NULL ORDER BY purged_at, id`,
  );
  let isDone = true;
  for (const id of searches) isDone = (await purgeSearch(db, id, mayContinue)) && isDone;
  return (await purgeTopics(db, mayContinue)) && isDone;
}

/** Resolves whether another batch may begin. */
type MayContinue = () => Promise<boolean>;
/** @returns whether the step must be called again, because rows may be left */
type Step = (db: Database, searchId: Id, mayContinueSearch: MayContinue) => Promise<boolean>;

async function purgeSearch(db: Database, searchId: Id, mayContinue: () => boolean): Promise<boolean> {
  const mayContinueSearch = async () => mayContinue() && !(await isRunning(db, searchId));
  const steps: readonly Step[] = [
    deleteUnindexed,
    purgeRuns,
    purgePosts,
    purgeLinks,
    // Tables with many rows per search, in the order of `references.ts`.
    ...listMany('searches').map(
      (rows): Step =>
        (pool, id) =>
          deleteMany(pool, rows, id),
    ),
  ];
  for (const step of steps)
    do if (!(await mayContinueSearch())) return false;
    while (await step(db, searchId, mayContinueSearch));
  // False if something was saved in the meantime.
  return deleteSearch(db, searchId);
}

/** The run cannot save anything any more: it is not running, or its lease is over, so its worker has probably crashed. */
const SAVES_NOTHING = statement`(status <> 'running' OR ${LEASE_IS_OVER})`;

async function isRunning({ pool }: Pooled, searchId: Id): Promise<boolean> {
  const rows = await rowsOf(
    pool,
    statement`SELECT FROM strandline.runs WHERE search_id = ${searchId} AND NOT ${SAVES_NOTHING} LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * Posts, links or runs that are planned at once. A plan reads the tables without an index on the reference once, and its batches do
 * not read them again, so the time of a purge grows linearly with the number of items.
 */
const MAX_PLANNED = 25_000;
/** Posts or links per batch. */
const ITEM_BATCH = 500;
/** Runs per batch, with their discoveries, completions and raw responses. */
const RUN_BATCH = 200;

/**
 * Works through a plan, each batch in a transaction.
 * @param work deletes a batch; returns false if rows saved in the meantime invalidate the plan: the caller then makes a new plan
 * @returns false if it had nothing to do; true also if it was stopped
 */
async function inBatches(
  db: Database,
  ids: readonly Id[],
  size: number,
  mayContinueSearch: MayContinue,
  work: (tx: Transaction, batch: readonly Id[]) => Promise<boolean>,
): Promise<boolean> {
  for (let from = 0; from < ids.length; from += size) {
    if (from > 0 && !(await mayContinueSearch())) break;
    if (!(await inTransaction(db, (tx) => work(tx, ids.slice(from, from + size))))) break;
  }
  return ids.length > 0;
}

/**
 * Posts without a sighting are deleted before the posts that refer to them. If the purge is interrupted, the sightings of the
 * referring posts still lead to the rest. If another search finds a referring post in the meantime, the response of that search
 * contains the referenced post as well.
 */
async function purgePosts(db: Database, searchId: Id, mayContinueSearch: MayContinue): Promise<boolean> {
  const seen = await selectIds(
    db.pool,
    statement`SELECT post_id AS id FROM strandline.post_sightings WHERE search_id = ${searchId} LIMIT ${MAX_PLANNED}`,
  );
  const planIds = await readGreatestIds(db);
  const leaving = await findLeavingPosts(db.pool, searchId, seen);
  const byId = new Map(leaving.map((post) => [post.id, post]));
  const authors = await findUnnamedAuthors(db.pool, leaving);
  const contained = await listContained(db.pool, [...byId.keys()]);
  const ignored = { searchIds: [searchId] };
  const links = new Set(await findOrphanLinks(db.pool, contained, { ...ignored, postIds: [...byId.keys()] }));
  const plan = { ids: new Set(byId.keys()), externalIds: new Set(leaving.map((post) => post.external_id)) };
  const isSeen = new Set(seen);
  let checkedIds = planIds;
  const ids = [...[...byId.keys()].filter((id) => !isSeen.has(id)), ...seen];
  return inBatches(db, ids, ITEM_BATCH, mayContinueSearch, async (tx, batch) => {
    await lockSaves(tx);
    if (await areHeldSince(tx, searchId, plan, checkedIds)) return false;
    checkedIds = await readGreatestIdsWhileLocked(tx);
    const posts = batch.flatMap((id) => byId.get(id) ?? []);
    const postIds = posts.map(({ id }) => id);
    const inText = (await listContained(tx, postIds)).filter((id) => links.has(id));
    const linkIds = await findOrphanLinks(tx, inText, { ...ignored, postIds }, planIds);
    await eraseItems(tx, { postIds, linkIds }, { includeUnindexed: false });
    await deleteSightings(tx, 'post', searchId, batch);
    const ofPosts = posts.flatMap(({ author_id: id }) => (id !== null && authors.has(id) ? [id] : []));
    await eraseRows(tx, 'authors', await findOrphanAuthors(tx, ofPosts), { includeUnindexed: false });
    return true;
  });
}

async function purgeLinks(db: Database, searchId: Id, mayContinueSearch: MayContinue): Promise<boolean> {
  const seen = await selectIds(
    db.pool,
    statement`SELECT link_id AS id FROM strandline.link_sightings WHERE search_id = ${searchId} LIMIT ${MAX_PLANNED}`,
  );
  return purgeOrphanLinks(db, searchId, seen, mayContinueSearch);
}

/** Deletes the search's sightings of links, and the links that nothing else holds. */
async function purgeOrphanLinks(
  db: Database,
  searchId: Id,
  ids: readonly Id[],
  mayContinueSearch: MayContinue,
): Promise<boolean> {
  const planIds = await readGreatestIds(db);
  const ignored = { searchIds: [searchId] };
  const planned = new Set(await findOrphanLinks(db.pool, ids, ignored));
  return inBatches(db, ids, ITEM_BATCH, mayContinueSearch, async (tx, batch) => {
    await lockSaves(tx);
    const plannedOrphans = batch.filter((id) => planned.has(id));
    const linkIds = await findOrphanLinks(tx, plannedOrphans, ignored, planIds);
    await eraseItems(tx, { postIds: [], linkIds }, { includeUnindexed: false });
    await deleteSightings(tx, 'link', searchId, batch);
    return true;
  });
}

async function deleteSightings(
  tx: Transaction,
  kind: 'post' | 'link',
  searchId: Id,
  ids: readonly Id[],
): Promise<void> {
  const sightings = verbatim(`strandline.${kind}_sightings`);
  const item = verbatim(`${kind}_id`);
  await execute(
    tx,
    statement`DELETE FROM ${sightings} WHERE search_id = ${searchId} AND ${item} = ANY (${ids}::bigint[])`,
  );
  // `topic_posts` counts an item for the first search of its topic that saw it. Without this search, another search is the first:
  // its days are derived again.
  await execute(
    tx,
    statement`INSERT INTO strandline.pending_derivations (search_id, run_id, at, new_posts, new_links, changed_posts, edited_posts,
        edited_links, touched_posts, touched_links, checked, notify, saved_seconds)
      SELECT o.search_id, (SELECT max(id) FROM strandline.runs WHERE search_id = o.search_id), o.purged_at, '{}', '{}', '{}',
        ${verbatim(kind === 'post' ? "o.ids, '{}'" : "'{}', o.ids")}, '{}', '{}', false, false, NULL
      FROM (
        SELECT g.search_id, min(mine.purged_at) AS purged_at, array_agg(g.${item} ORDER BY g.${item}) AS ids
        FROM strandline.searches mine
        JOIN strandline.searches s ON s.topic_id = mine.topic_id AND s.id <> mine.id AND s.purged_at IS NULL
        JOIN ${sightings} g ON g.search_id = s.id AND g.${item} = ANY (${ids}::bigint[])
        WHERE mine.id = ${searchId} GROUP BY 1
      ) o`,
  );
}

async function deleteUnindexed({ pool }: Database, searchId: Id): Promise<boolean> {
  for (const { table, column, unindexed } of listReferences('runs'))
    if (unindexed === true)
      await execute(
        pool,
        statement`DELETE FROM strandline.${verbatim(table)}
          WHERE ${verbatim(column)} IN (SELECT id FROM strandline.runs WHERE search_id = ${searchId})`,
      );
  return false;
}

/** Deletes runs, once the links that only they cite are gone. */
async function purgeRuns(db: Database, searchId: Id, mayContinueSearch: MayContinue): Promise<boolean> {
  const runIds = await selectIds(
    db.pool,
    statement`SELECT id FROM strandline.runs WHERE search_id = ${searchId} ORDER BY id LIMIT ${MAX_PLANNED}`,
  );
  const ignored = { searchIds: [searchId] };
  const cited = await findOrphanLinks(db.pool, await listCited(db.pool, runIds), ignored);
  if (cited.length > 0) return purgeOrphanLinks(db, searchId, cited, mayContinueSearch);
  return inBatches(db, runIds, RUN_BATCH, mayContinueSearch, async (tx, batch) => {
    // Runs are locked before saves are blocked, in the order of a late save, which locks its run and then waits for the lock on
    // saves: the other order would deadlock. A concurrent lease waits for the row, and then finds no run.
    const gone = await selectIds(
      tx,
      statement`SELECT id FROM strandline.runs WHERE id = ANY (${batch}) AND ${SAVES_NOTHING} ORDER BY id FOR UPDATE`,
    );
    await lockSaves(tx);
    await passOnThings(
      tx,
      await selectIds(tx, statement`SELECT id FROM strandline.discoveries WHERE run_id = ANY (${gone})`),
    );
    await eraseRows(tx, 'runs', gone, { includeUnindexed: false });
    return true;
  });
}

const ROW_BATCH = 5_000;

type Rows = { table: string; column: string };

const listMany = (to: 'searches' | 'topics'): Rows[] =>
  listReferences(to).filter(({ many }) => many === true);

/** @returns whether there may be more */
async function deleteMany({ pool }: Database, { table, column }: Rows, id: Id): Promise<boolean> {
  const rows = verbatim(`strandline.${table}`);
  const { rowCount } = await execute(
    pool,
    statement`DELETE FROM ${rows}
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${rows} WHERE ${verbatim(column)} = ${id} LIMIT ${ROW_BATCH}))`,
  );
  return rowCount === ROW_BATCH;
}

/** @returns whether the search is gone; false if something was saved since its rows were deleted */
async function deleteSearch(db: Database, searchId: Id): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // A derivation that began earlier writes its rows first.
    await waitForFollower(tx);
    await lockSaves(tx);
    // A concurrent edit or run request waits here and then finds no search.
    await execute(tx, statement`SELECT FROM strandline.searches WHERE id = ${searchId} FOR UPDATE`);
    const rows = await rowsOf(
      tx,
      statement`SELECT FROM strandline.runs WHERE search_id = ${searchId}
        UNION ALL SELECT FROM strandline.post_sightings WHERE search_id = ${searchId}
        UNION ALL SELECT FROM strandline.link_sightings WHERE search_id = ${searchId} LIMIT 1`,
    );
    if (rows.length > 0) return false;
    await eraseFromDigests(tx, 'searches', searchId);
    await eraseRows(tx, 'searches', [searchId], { includeUnindexed: false });
    return true;
  });
}

/** Deletes marked topics without searches, with the rules and feeds of these topics and the keys of reported items. */
async function purgeTopics(db: Database, mayContinue: () => boolean): Promise<boolean> {
  const topics = await selectIds(
    db.pool,
    statement`SELECT id FROM strandline.topics t
      WHERE purged_at IS NOT NULL AND NOT EXISTS (SELECT FROM strandline.searches s WHERE s.topic_id = t.id)`,
  );
  for (const id of topics) {
    for (const rows of listMany('topics'))
      do if (!mayContinue()) return false;
      while (await deleteMany(db, rows, id));
    await inTransaction(db, async (tx) => {
      await execute(tx, statement`SELECT FROM strandline.topics WHERE id = ${id} FOR UPDATE`);
      await eraseFromDigests(tx, 'topics', id);
      await eraseRows(tx, 'topics', [id], { includeUnindexed: false });
    });
  }
  return true;
}
