/**
 * Purge: deletes removed searches and topics with everything that only they found. (Removing alone keeps it.)
 *
 * `purged_at` marks what to delete. Batches follow, each in a transaction that blocks saves for a moment, so a purge
 * continues after a crash in any process. Rows of a search disappear in the order runs, posts, links; its own row is last.
 * Items of other searches stay, with their history (`purge-scope.ts`).
 */
import {
  type Database,
  type Id,
  inTransaction,
  type Queryable,
  type Transaction,
  onlyRow,
  selectIds,
} from '../db/database.ts';
import { waitForFollower } from '../derive/pending-derivations.ts';
import { eraseFromDigests } from './erase-from-digests.ts';
import { lockSaves } from './forget-lock.ts';
import { passOnThings } from './pass-on-things.ts';
import {
  findOrphans,
  findStaying,
  FROM_START,
  planPosts,
  readMarks,
  SELECT_CONTAINED,
  selectLeaving,
} from './purge-scope.ts';
import { LEASE_IS_OVER } from '../runs/run-claims.ts';
import { clearBodiesSql, deleteItems, leaveOutSql, REMOVE_PROBLEMS, removeRulesSql } from './traces.ts';

/** What a purge deletes: posts and links that no other search found. */
export type PurgeCounts = {
  searches: number;
  runs: number;
  completions: number;
  posts: number;
  links: number;
};

const countOwnSql = (table: 'post_sightings' | 'link_sightings', id: string) => `
  (SELECT count(*)::int FROM (SELECT DISTINCT ${id} AS id FROM strandline.${table} WHERE search_id = ANY ($1)) mine
   WHERE NOT EXISTS (SELECT FROM strandline.${table} o WHERE o.${id} = mine.id AND o.search_id <> ALL ($1)))`;

/** $1 searches. */
const COUNT_PURGE = `
SELECT cardinality($1::bigint[]) AS searches,
  (SELECT count(*)::int FROM strandline.runs WHERE search_id = ANY ($1)) AS runs,
  (SELECT count(*)::int FROM strandline.completions WHERE search_id = ANY ($1)) AS completions,
  ${countOwnSql('post_sightings', 'post_id')} AS posts, ${countOwnSql('link_sightings', 'link_id')} AS links`;

export async function countPurge(db: Queryable, searchIds: readonly Id[]): Promise<PurgeCounts> {
  const { rows } = await db.query<PurgeCounts>(COUNT_PURGE, [searchIds]);
  return onlyRow(rows);
}

/** Marks removed searches, and their topic unless it is null, for deletion. */
export async function markPurged(
  tx: Transaction,
  { searchIds, topicId, now }: { searchIds: readonly Id[]; topicId: Id | null; now: Date },
): Promise<void> {
  const values = (ids: readonly Id[]) => [ids, now];
  const mark = 'purged_at = coalesce(purged_at, $2) WHERE id = ANY ($1) AND archived_at IS NOT NULL';
  await tx.query(`UPDATE strandline.searches SET ${mark}`, values(searchIds));
  await tx.query(`UPDATE strandline.topics SET ${mark}`, values(topicId === null ? [] : [topicId]));
}

/**
 * Deletes what is marked.
 * @param goOn called before each batch; false: stop for now
 * @returns whether nothing is left; false also while a run of a search is in progress, which may still save
 */
export async function continuePurges(db: Database, goOn: () => boolean): Promise<boolean> {
  const searches = await selectIds(
    db.pool,
    'SELECT id FROM strandline.searches WHERE purged_at IS NOT NULL ORDER BY purged_at, id',
  );
  let isDone = true;
  for (const id of searches) isDone = (await purgeSearch(db, id, goOn)) && isDone;
  return (await purgeTopics(db, goOn)) && isDone;
}

/** Resolves whether another batch may begin. */
type MayGoOn = () => Promise<boolean>;
/** @returns whether there may be more */
type Step = (db: Database, searchId: Id, mayGoOn: MayGoOn) => Promise<boolean>;

async function purgeSearch(db: Database, searchId: Id, goOn: () => boolean): Promise<boolean> {
  const mayGoOn = async () => goOn() && !(await isRunning(db, searchId));
  const steps: readonly Step[] = [
    deleteObserved,
    deleteRuns,
    deletePosts,
    deleteLinks,
    ...TABLES_OF_SEARCH.map(
      (table): Step =>
        (pool, id) =>
          deleteRows(pool, table, id),
    ),
  ];
  for (const step of steps)
    do if (!(await mayGoOn())) return false;
    while (await step(db, searchId, mayGoOn));
  // False if something was saved in the meantime.
  return deleteSearch(db, searchId);
}

/**
 * What a step plans at once: the tables without an index by reference are read once per plan, and not per batch, so that the time
 * of a purge grows with the number of items.
 */
const PLANNED = 25_000;

/** $1 search, $2 how many. */
async function listIds({ pool }: Database, sql: string, searchId: Id): Promise<Id[]> {
  return selectIds(pool, sql, [searchId, PLANNED]);
}

/** Deletes in batches of a plan. @returns false if it had nothing to delete; true also if it was stopped */
async function inBatches(
  ids: readonly Id[],
  size: number,
  mayGoOn: MayGoOn,
  deleteBatch: (batch: readonly Id[]) => Promise<void>,
): Promise<boolean> {
  for (let from = 0; from < ids.length; from += size) {
    if (from > 0 && !(await mayGoOn())) break;
    await deleteBatch(ids.slice(from, from + size));
  }
  return ids.length > 0;
}

/** A run that saves nothing any more, or whose worker has probably crashed. */
const HAS_ENDED = `status <> 'running' OR ${LEASE_IS_OVER}`;

async function isRunning({ pool }: Database, searchId: Id): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT FROM strandline.runs WHERE search_id = $1 AND NOT (${HAS_ENDED}) LIMIT 1`,
    [searchId],
  );
  return rows.length > 0;
}

/** No index finds these by run, and no other step needs them. */
async function deleteObserved({ pool }: Database, searchId: Id): Promise<boolean> {
  await pool.query('DELETE FROM strandline.pending_derivations WHERE search_id = $1', [searchId]);
  await pool.query(
    `DELETE FROM strandline.observed_items
     WHERE run_id IN (SELECT id FROM strandline.runs WHERE search_id = $1)`,
    [searchId],
  );
  return false;
}

/** Runs per batch, with their discoveries, completions and raw responses. */
const RUN_BATCH = 200;

/** What runs cite, and the last of them that does. $1 runs. */
const SELECT_CITED = `
SELECT u.id, max(c.run_id) AS last_run FROM strandline.completions c CROSS JOIN LATERAL (
  SELECT unnest(c.completion_links || c.search_completion_links)
  UNION SELECT link_id FROM strandline.key_items WHERE completion_id = c.id AND link_id IS NOT NULL
  UNION SELECT unnest(link_ids) FROM strandline.completion_claims WHERE completion_id = c.id
) u(id) WHERE c.run_id = ANY ($1) GROUP BY u.id`;

const OF_RUNS = 'd.run_id = ANY ($1)';
const OF_COMPLETIONS = 'completion_id IN (SELECT id FROM strandline.completions WHERE run_id = ANY ($1))';

/** $1 runs. */
const DELETE_RUNS: readonly string[] = [
  clearBodiesSql(OF_RUNS),
  leaveOutSql(OF_RUNS),
  `DELETE FROM strandline.discoveries d WHERE ${OF_RUNS}`,
  `DELETE FROM strandline.completion_claims WHERE ${OF_COMPLETIONS}`,
  `DELETE FROM strandline.key_items WHERE ${OF_COMPLETIONS}`,
  ...[
    'completions',
    'coverage',
    'run_gains',
    'run_tools',
    'rejects',
    'run_results',
    'responses',
    'calls',
  ].map((table) => `DELETE FROM strandline.${table} WHERE run_id = ANY ($1)`),
  'DELETE FROM strandline.runs WHERE id = ANY ($1)',
];

async function deleteRuns(db: Database, searchId: Id, mayGoOn: MayGoOn): Promise<boolean> {
  const runIds = await listIds(
    db,
    'SELECT id FROM strandline.runs WHERE search_id = $1 ORDER BY id LIMIT $2',
    searchId,
  );
  const marks = await readMarks(db);
  const { rows: cited } = await db.pool.query<{ id: Id; last_run: Id }>(SELECT_CITED, [runIds]);
  const links = cited.map(({ id }) => id);
  const planned = new Set(await findOrphans(db.pool, links, { runIds }, FROM_START));
  return inBatches(runIds, RUN_BATCH, mayGoOn, (batch) =>
    inTransaction(db, async (tx) => {
      // Before saves are blocked: a late save has locked its run when it waits for that. Claims wait and then find no run.
      const gone = await selectIds(
        tx,
        `SELECT id FROM strandline.runs WHERE id = ANY ($1) AND (${HAS_ENDED}) ORDER BY id FOR UPDATE`,
        [batch],
      );
      await lockSaves(tx);
      const since = gone.length < batch.length ? FROM_START : marks;
      const last = new Set(gone);
      const leaving = cited
        .filter(({ id, last_run }) => planned.has(id) && last.has(last_run))
        .map(({ id }) => id);
      const orphans = await findOrphans(tx, leaving, { runIds: gone }, since);
      await passOnThings(
        tx,
        await selectIds(tx, `SELECT d.id FROM strandline.discoveries d WHERE ${OF_RUNS}`, [gone]),
      );
      for (const statement of DELETE_RUNS) await tx.query(statement, [gone]);
      await deleteItems(tx, [], orphans);
    }),
  );
}

/** Posts or links per batch. */
const ITEM_BATCH = 500;

/** Authors without posts. $1 authors. */
const DELETE_AUTHORS = `
WITH gone AS (
  DELETE FROM strandline.authors a WHERE a.id = ANY ($1)
    AND NOT EXISTS (SELECT FROM strandline.posts p WHERE p.author_id = a.id) RETURNING a.id
), versions AS (
  DELETE FROM strandline.author_versions WHERE author_id IN (SELECT id FROM gone)
), counters AS (
  DELETE FROM strandline.author_counters WHERE author_id IN (SELECT id FROM gone)
)
DELETE FROM strandline.author_snapshots WHERE author_id IN (SELECT id FROM gone)`;

/**
 * Items of which the search was the first of its topic to see them count for the next one, so their days are counted again. Read with a batch
 * of them. $1 search, $2 items.
 */
const countAgainSql = (kind: 'post' | 'link') => `
INSERT INTO strandline.pending_derivations (search_id, run_id, at, new_posts, new_links, changed_posts, edited_posts, edited_links,
  touched_posts, touched_links, checked, notify, saved_seconds)
SELECT o.search_id, (SELECT max(id) FROM strandline.runs WHERE search_id = o.search_id), o.purged_at, '{}', '{}', '{}',
  ${kind === 'post' ? "o.ids, '{}'" : "'{}', o.ids"}, '{}', '{}', false, false, NULL
FROM (
  SELECT g.search_id, min(mine.purged_at) AS purged_at, array_agg(g.${kind}_id ORDER BY g.${kind}_id) AS ids
  FROM strandline.searches mine
  JOIN strandline.searches s ON s.topic_id = mine.topic_id AND s.id <> mine.id AND s.purged_at IS NULL
  JOIN strandline.${kind}_sightings g ON g.search_id = s.id AND g.${kind}_id = ANY ($2::bigint[])
  WHERE mine.id = $1 GROUP BY 1
) o`;
const COUNT_POSTS_AGAIN = countAgainSql('post');
const COUNT_LINKS_AGAIN = countAgainSql('link');

async function deletePosts(db: Database, searchId: Id, mayGoOn: MayGoOn): Promise<boolean> {
  const seen = await listIds(
    db,
    'SELECT post_id AS id FROM strandline.post_sightings WHERE search_id = $1 LIMIT $2',
    searchId,
  );
  const marks = await readMarks(db);
  const plan = await planPosts(db, searchId, seen);
  return inBatches(seen, ITEM_BATCH, mayGoOn, (batch) =>
    inTransaction(db, async (tx) => {
      const planned = selectLeaving(plan, batch);
      await lockSaves(tx);
      const stay = await findStaying(tx, searchId, planned, marks);
      const leaving = selectLeaving(plan, batch, stay);
      const postIds = leaving.map(({ id }) => id);
      const contained = (await selectIds(tx, SELECT_CONTAINED, [postIds])).filter((id) => plan.links.has(id));
      await deleteItems(tx, postIds, await findOrphans(tx, contained, { postIds }, marks));
      await tx.query(
        'DELETE FROM strandline.post_sightings WHERE search_id = $1 AND post_id = ANY ($2::bigint[])',
        [searchId, batch],
      );
      await tx.query(COUNT_POSTS_AGAIN, [searchId, batch]);
      const authors = leaving.flatMap(({ author_id: id }) => (id === null ? [] : [id]));
      await tx.query(DELETE_AUTHORS, [[...new Set(authors)]]);
      for (const id of postIds) plan.gone.add(id);
      for (const id of batch) plan.nested.add(id);
    }),
  );
}

async function deleteLinks(db: Database, searchId: Id, mayGoOn: MayGoOn): Promise<boolean> {
  const seen = await listIds(
    db,
    'SELECT link_id AS id FROM strandline.link_sightings WHERE search_id = $1 LIMIT $2',
    searchId,
  );
  const marks = await readMarks(db);
  const planned = new Set(await findOrphans(db.pool, seen, { searchId }, FROM_START));
  return inBatches(seen, ITEM_BATCH, mayGoOn, (batch) =>
    inTransaction(db, async (tx) => {
      await lockSaves(tx);
      const own = batch.filter((id) => planned.has(id));
      await deleteItems(tx, [], await findOrphans(tx, own, { searchId }, marks));
      await tx.query(
        'DELETE FROM strandline.link_sightings WHERE search_id = $1 AND link_id = ANY ($2::bigint[])',
        [searchId, batch],
      );
      await tx.query(COUNT_LINKS_AGAIN, [searchId, batch]);
    }),
  );
}

/** Further tables with a column `search_id`. */
const TABLES_OF_SEARCH = [
  'claims',
  'spikes',
  'trend_states',
  'growth_reports',
  'volume',
  'post_counters_at_age',
  'dropped_posts',
  'latest_results',
  'search_pace',
  'interval_changes', // written together with a row of search_pace, so after it
  'search_typical',
  'search_rising',
  'search_gains',
  'search_days',
  'search_tops',
] as const;

const ROW_BATCH = 5_000;

/** @returns whether there may be more */
async function deleteRows(
  { pool }: Database,
  table: (typeof TABLES_OF_SEARCH)[number] | 'topic_items',
  id: Id,
): Promise<boolean> {
  const column = table === 'topic_items' ? 'topic_id' : 'search_id';
  const { rowCount } = await pool.query(
    `DELETE FROM strandline.${table}
     WHERE ctid = ANY (ARRAY(SELECT ctid FROM strandline.${table} WHERE ${column} = $1 LIMIT $2))`,
    [id, ROW_BATCH],
  );
  return rowCount === ROW_BATCH;
}

/** @returns whether the search is gone; false if a run was saved since its rows were deleted */
async function deleteSearch(db: Database, searchId: Id): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // A derivation that began earlier writes its rows first.
    await waitForFollower(tx);
    await lockSaves(tx);
    // A concurrent edit or run request waits here and then finds no search.
    await tx.query('SELECT FROM strandline.searches WHERE id = $1 FOR UPDATE', [searchId]);
    const { rows } = await tx.query(
      `SELECT FROM strandline.runs WHERE search_id = $1
       UNION ALL SELECT FROM strandline.post_sightings WHERE search_id = $1
       UNION ALL SELECT FROM strandline.link_sightings WHERE search_id = $1 LIMIT 1`,
      [searchId],
    );
    if (rows.length > 0) return false;
    await eraseFromDigests(tx, 'search', searchId);
    for (const statement of [...removeRulesSql('r.search_id = $1'), ...REMOVE_PROBLEMS])
      await tx.query(statement, [searchId]);
    for (const table of [
      'pending_derivations',
      ...TABLES_OF_SEARCH,
      'search_states',
      'search_versions',
      'feeds',
    ])
      await tx.query(`DELETE FROM strandline.${table} WHERE search_id = $1`, [searchId]);
    await tx.query('DELETE FROM strandline.searches WHERE id = $1', [searchId]);
    return true;
  });
}

/** Deletes marked topics without searches, with the rules and feeds about them and the keys of what they reported. */
async function purgeTopics(db: Database, goOn: () => boolean): Promise<boolean> {
  const topics = await selectIds(
    db.pool,
    `SELECT id FROM strandline.topics t WHERE purged_at IS NOT NULL
       AND NOT EXISTS (SELECT FROM strandline.searches s WHERE s.topic_id = t.id)`,
  );
  for (const id of topics) {
    do if (!goOn()) return false;
    while (await deleteRows(db, 'topic_items', id));
    await inTransaction(db, async (tx) => {
      await tx.query('SELECT FROM strandline.topics WHERE id = $1 FOR UPDATE', [id]);
      await eraseFromDigests(tx, 'topic', id);
      for (const statement of removeRulesSql('r.topic_id = $1')) await tx.query(statement, [id]);
      await tx.query('DELETE FROM strandline.feeds WHERE topic_id = $1', [id]);
      await tx.query('DELETE FROM strandline.topics WHERE id = $1', [id]);
    });
  }
  return true;
}
