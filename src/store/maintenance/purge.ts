/** Deletes simulated searches with all their results. Removing a search, in contrast, keeps its results. */
import { type Actor, recordAudit } from '../audit-entries.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../database.ts';
import { clearBodiesSql, leaveOutSql, removeRulesSql, removeTraces } from './traces.ts';

type OwnPost = { id: Id; external_id: string; url: string | null; author_id: Id | null };

/** Posts that no other search saw, and their nested posts. $1 searches. */
const SELECT_OWN_POSTS = `
WITH seen AS MATERIALIZED (
  SELECT p.* FROM strandline.posts p
  WHERE p.id IN (SELECT post_id FROM strandline.post_sightings WHERE search_id = ANY ($1))
    AND NOT EXISTS (SELECT FROM strandline.post_sightings o WHERE o.post_id = p.id AND o.search_id <> ALL ($1))
)
SELECT id, external_id, url, author_id FROM seen
UNION
SELECT p.id, p.external_id, p.url, p.author_id
FROM seen s CROSS JOIN LATERAL unnest(ARRAY[s.quoted_status_id, s.reposted_status_id, s.in_reply_to_status_id]) AS r(external_id)
JOIN strandline.posts p ON p.service_id = s.service_id AND p.external_id = r.external_id
WHERE NOT EXISTS (SELECT FROM strandline.post_sightings o WHERE o.post_id = p.id)`;

const SELECT_OWN_LINKS = `
SELECT l.id, l.canonical FROM strandline.links l
WHERE l.id IN (SELECT link_id FROM strandline.link_sightings WHERE search_id = ANY ($1))
  AND NOT EXISTS (SELECT FROM strandline.link_sightings o WHERE o.link_id = l.id AND o.search_id <> ALL ($1))
  AND NOT EXISTS (SELECT FROM strandline.post_links p JOIN strandline.post_sightings o ON o.post_id = p.post_id
    WHERE p.link_id = l.id AND o.search_id <> ALL ($1))`;

const SELECT_COMPLETIONS = 'SELECT id FROM strandline.completions WHERE search_id = ANY ($1)';
const SELECT_RUNS = 'SELECT id FROM strandline.runs WHERE search_id = ANY ($1)';
const WHERE_SEARCH = 'WHERE search_id = ANY ($1)';

const IS_OWN_DISCOVERY = 'd.search_id = ANY ($1)';
/** Messages about the searches, and rules with only these in scope. $1 searches. */
const DELETE_ALERTS = [
  clearBodiesSql(IS_OWN_DISCOVERY),
  leaveOutSql(IS_OWN_DISCOVERY),
  ...removeRulesSql('r.search_id = ANY ($1)'),
];

/** The remaining rows of the searches, in an order that satisfies foreign keys. $1 searches. */
const DELETE_BY_SEARCH: readonly (readonly [table: string, where: string])[] = [
  ['discoveries', WHERE_SEARCH],
  ['spikes', WHERE_SEARCH],
  ['completion_claims', `WHERE completion_id IN (${SELECT_COMPLETIONS})`],
  ['claims', WHERE_SEARCH],
  ['key_items', `WHERE completion_id IN (${SELECT_COMPLETIONS})`],
  ['completions', WHERE_SEARCH],
  ['post_sightings', WHERE_SEARCH],
  ['link_sightings', WHERE_SEARCH],
  ['pending_derivations', WHERE_SEARCH],
  ['coverage', WHERE_SEARCH],
  ['run_gains', WHERE_SEARCH],
  ['volume', WHERE_SEARCH],
  ['latest_results', WHERE_SEARCH],
  ['dropped_posts', WHERE_SEARCH],
  ['post_counters_at_age', WHERE_SEARCH],
  ['search_typical', WHERE_SEARCH],
  ['search_rising', WHERE_SEARCH],
  ['search_gains', WHERE_SEARCH],
  ['search_days', WHERE_SEARCH],
  ['search_tops', WHERE_SEARCH],
  ['rejects', `WHERE run_id IN (${SELECT_RUNS})`],
  ['run_results', `WHERE run_id IN (${SELECT_RUNS})`],
  ['run_tools', WHERE_SEARCH],
  ['observed_items', `WHERE run_id IN (${SELECT_RUNS})`],
  ['responses', `WHERE run_id IN (${SELECT_RUNS})`],
  ['calls', `WHERE run_id IN (${SELECT_RUNS})`],
  ['runs', WHERE_SEARCH],
  ['search_states', WHERE_SEARCH],
  ['search_versions', WHERE_SEARCH],
  ['searches', 'WHERE id = ANY ($1)'],
];

/** Tables with additional data of posts. */
const TABLES_OF_POSTS = ['post_gains', 'post_counters_at_age', 'search_rising', 'dropped_posts'];

/** Authors without remaining data. $1 authors. */
const SELECT_OWN_AUTHORS = `
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
 * Deletes searches with everything only they found, while saves are blocked. Items of other searches are kept, and
 * daily call counts are unchanged.
 */
async function purgeSearches(tx: Transaction, searchIds: readonly Id[]): Promise<void> {
  await tx.query(`SELECT pg_advisory_xact_lock(hashtext('strandline.forget'))`);
  // Scans skip locked rows; a concurrent edit or run request waits here and then finds no search.
  await tx.query('SELECT FROM strandline.searches WHERE id = ANY ($1) ORDER BY id FOR UPDATE', [searchIds]);
  const { rows: posts } = await tx.query<OwnPost>(SELECT_OWN_POSTS, [searchIds]);
  const { rows: links } = await tx.query<{ id: Id; canonical: string }>(SELECT_OWN_LINKS, [searchIds]);
  const postIds = posts.map(({ id }) => id);
  for (const table of TABLES_OF_POSTS)
    await tx.query(`DELETE FROM strandline.${table} WHERE post_id = ANY ($1)`, [postIds]);
  for (const statement of DELETE_ALERTS) await tx.query(statement, [searchIds]);
  for (const [table, where] of DELETE_BY_SEARCH)
    await tx.query(`DELETE FROM strandline.${table} ${where}`, [searchIds]);
  await removeTraces(tx, null, { posts, links, addresses: posts.flatMap(({ url }) => url ?? []) });
  await tx.query(SELECT_OWN_AUTHORS, [
    [...new Set(posts.flatMap(({ author_id: id }) => (id === null ? [] : [id])))],
  ]);
}

/** $1 prefix of slugs. */
const SELECT_SAMPLES = `
SELECT id, slug FROM strandline.topics WHERE sample AND starts_with(slug, $1) ORDER BY slug`;

type SampleTopic = { id: Id; slug: string };

/** Topics of simulated searches with this slug prefix, including removed ones. */
export async function listSampleTopics(
  db: Pick<Transaction, 'query'> | Database['pool'],
  prefix: string,
): Promise<SampleTopic[]> {
  return (await db.query<SampleTopic>(SELECT_SAMPLES, [prefix])).rows;
}

/**
 * Deletes these topics with their sandbox searches, each in a transaction of its own, so that saves wait for one at
 * most. A topic with other searches is kept, with them.
 * @returns slugs of the topics, and IDs of the deleted searches
 */
export async function purgeSamples(
  { db, ...by }: { db: Database; clock: Clock; actor: Actor },
  prefix: string,
): Promise<{ topics: string[]; searches: Id[] }> {
  const gone: { topics: string[]; searches: Id[] } = { topics: [], searches: [] };
  for (const topic of await listSampleTopics(db.pool, prefix)) {
    const { searches, removed } = await inTransaction(db, async (tx) => {
      const purged = await purgeTopic(tx, topic.id);
      const changes = { searches: { before: purged.searches.length, after: 0 } };
      await recordAudit(tx, by, { action: 'topic.removed', subject: topic.slug, changes });
      return purged;
    });
    gone.searches.push(...searches);
    if (removed) gone.topics.push(topic.slug);
  }
  return gone;
}

async function purgeTopic(tx: Transaction, topicId: Id): Promise<{ searches: Id[]; removed: boolean }> {
  // A concurrent new search in this topic waits here, and re-creates the topic.
  await tx.query('SELECT FROM strandline.topics WHERE id = $1 FOR UPDATE', [topicId]);
  const { rows } = await tx.query<{ id: Id }>(
    `SELECT s.id FROM strandline.searches s JOIN strandline.services v ON v.id = s.service_id
     WHERE s.topic_id = $1 AND v.kind = 'sandbox' ORDER BY s.id`,
    [topicId],
  );
  const searches = rows.map(({ id }) => id);
  await purgeSearches(tx, searches);
  const empty = `r.topic_id = $1 AND NOT EXISTS (SELECT FROM strandline.searches s WHERE s.topic_id = $1)`;
  for (const statement of removeRulesSql(empty)) await tx.query(statement, [topicId]);
  const { rowCount } = await tx.query(
    `WITH gone AS (
       DELETE FROM strandline.topics t
       WHERE id = $1 AND NOT EXISTS (SELECT FROM strandline.searches s WHERE s.topic_id = t.id) RETURNING id
     ), items AS (DELETE FROM strandline.topic_items WHERE topic_id IN (SELECT id FROM gone))
     SELECT FROM gone`,
    [topicId],
  );
  return { searches, removed: rowCount === 1 };
}
