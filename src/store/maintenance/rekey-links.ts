/**
 * Applies the current rules of link identity to stored links. Links that are one by these rules are merged into the
 * oldest: what refers to the others refers to it, and the earliest sighting of each search stays. Nothing becomes new,
 * because the keys of posts and of the items of topics change, too.
 *
 * Goes through the links in batches of one transaction each; saves wait for one at most. Can be interrupted: the next
 * call continues. A merged link remains, without identity, until all lists name the other one.
 */

import { groupBy } from '../../lib/group-by.ts';
import {
  identifyAddress,
  identifyPost,
  type LinkRules,
  readIdentityHost,
} from '../../model/links/link-identity.ts';
import { type Actor, recordAudit } from '../access/audit-entries.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Id, inTransaction, type Transaction, onlyRow } from '../db/database.ts';
import { writeStoredRules } from './link-rules.ts';
import { LINK_CONTENT } from '../save/columns.ts';
import { isTimeMember, knownAtSql, precisionRankSql } from '../save/link-sql.ts';
import { settleThings } from '../topics/copies.ts';
import type { TopicItem } from '../save/topic-items.ts';
import { lockSaves } from './forget-lock.ts';
import { removeFromArchive } from './traces.ts';

const S = 'strandline';
/** Few enough that a save waits for a fraction of a second. */
const LINKS_PER_BATCH = 500;
const ROWS_PER_BATCH = 5_000;

export type RekeyCounts = {
  links: number;
  /** Links with another identity than before. */
  changed: number;
  /** Links merged into others. */
  merged: number;
};

type StoredLink = { id: Id; canonical: string; url: string };

/** Counts what {@link rekeyLinks} would change. */
export async function countRekeyed({ pool }: Database, rules: LinkRules): Promise<RekeyCounts> {
  const counts: RekeyCounts = { links: 0, changed: 0, merged: 0 };
  const identities = new Set<string>();
  for await (const links of readBatches(pool)) {
    for (const link of links) {
      const identity = identify(link, rules);
      counts.links += 1;
      if (identities.has(identity)) counts.merged += 1;
      else if (identity !== link.canonical) counts.changed += 1;
      identities.add(identity);
    }
  }
  return counts;
}

/** @param rules the rules to apply; afterwards, they are those of the stored links */
export async function rekeyLinks(
  { db, ...by }: { db: Database; clock: Clock; actor: Actor },
  rules: LinkRules,
  signal?: AbortSignal,
): Promise<RekeyCounts> {
  const counts: RekeyCounts = { links: 0, changed: 0, merged: 0 };
  for await (const links of readBatches(db.pool)) {
    signal?.throwIfAborted();
    counts.links += links.length;
    const outdated = links.filter((link) => identify(link, rules) !== link.canonical).map(({ id }) => id);
    if (outdated.length === 0) continue;
    const { changed, merged } = await inTransaction(db, (tx) => rekeyBatch(tx, outdated, rules));
    counts.changed += changed;
    counts.merged += merged;
  }
  for (let after: Id | null = 0n; after !== null; after = await rekeyPosts(db, rules, after))
    signal?.throwIfAborted();
  for (const list of LISTS) await replaceMerged(db, list, signal);
  await inTransaction(db, async (tx) => {
    await lockSaves(tx);
    await tx.query(`DELETE FROM ${S}.links WHERE merged_into IS NOT NULL`);
    await writeStoredRules(tx, rules, by.clock.now());
    const changes = { changed: { after: counts.changed }, merged: { after: counts.merged } };
    await recordAudit(tx, by, { action: 'links.rekeyed', subject: null, changes });
  });
  return counts;
}

/** A link whose address has no identity by these rules keeps its own. */
function identify({ url, canonical }: StoredLink, rules: LinkRules): string {
  return identifyAddress(url, rules) ?? canonical;
}

async function* readBatches(pool: Database['pool']): AsyncGenerator<StoredLink[]> {
  for (let after = 0n; ; ) {
    const { rows } = await pool.query<StoredLink>(
      `SELECT id, canonical, url FROM ${S}.links WHERE id > $1 AND merged_into IS NULL ORDER BY id LIMIT ${LINKS_PER_BATCH}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}

async function rekeyBatch(
  tx: Transaction,
  ids: readonly Id[],
  rules: LinkRules,
): Promise<{ changed: number; merged: number }> {
  await lockSaves(tx);
  const groups = await groupByIdentity(tx, ids, rules);
  const merges = [...groups.values()].flatMap(([kept, ...others]) =>
    kept === undefined ? [] : others.map(({ id }) => ({ id, into: kept.id })),
  );
  if (merges.length > 0) await mergeLinks(tx, merges);
  const renamed = [...groups.values()].flatMap(([kept]) => {
    if (kept === undefined) return [];
    const identity = identify(kept, rules);
    return kept.canonical === identity ? [] : [{ id: kept.id, identity }];
  });
  const renamedIds = renamed.map(({ id }) => id);
  // In two steps: one may take an identity that another one gives up.
  await tx.query(`UPDATE ${S}.links SET canonical = 'rekeyed:' || id WHERE id = ANY ($1::bigint[])`, [
    renamedIds,
  ]);
  await tx.query(
    `UPDATE ${S}.links l SET canonical = r.identity, site = r.site
     FROM unnest($1::bigint[], $2::text[], $3::text[]) r(id, identity, site) WHERE l.id = r.id`,
    [
      renamedIds,
      renamed.map(({ identity }) => identity),
      renamed.map(({ identity }) => readIdentityHost(identity)),
    ],
  );
  await rekeyItems(
    tx,
    [...groups.values()].flatMap((members) =>
      members.map((link) => ({ former: link.canonical, key: identify(link, rules) })),
    ),
  );
  return { changed: renamed.length, merged: merges.length };
}

type StoredPost = { id: Id; serviceId: Id; externalId: string; url: string | null; key: string };

/** A post without a key gets it from `fill-topic-items.ts`. @returns the last post of the batch; null if there is none */
async function rekeyPosts(db: Database, rules: LinkRules, after: Id): Promise<Id | null> {
  return inTransaction(db, async (tx) => {
    await lockSaves(tx);
    const { rows: posts } = await tx.query<StoredPost>(
      `SELECT id, service_id AS "serviceId", external_id AS "externalId", url, key FROM ${S}.posts
       WHERE id > $1 AND key IS NOT NULL ORDER BY id LIMIT ${ROWS_PER_BATCH}`,
      [after],
    );
    const changed = posts
      .map((post) => ({ id: post.id, former: post.key, key: identifyPost(post, rules) }))
      .filter(({ former, key }) => former !== key);
    await tx.query(
      `UPDATE ${S}.posts p SET key = r.key FROM unnest($1::bigint[], $2::text[]) r(id, key) WHERE p.id = r.id`,
      [changed.map(({ id }) => id), changed.map(({ key }) => key)],
    );
    await rekeyItems(tx, changed);
    return posts.at(-1)?.id ?? null;
  });
}

/** $1 former keys, $2 keys. */
const REKEY_ITEMS = `
INSERT INTO ${S}.topic_items AS i (topic_id, key, reported, dismissed_at)
SELECT t.id, r.key, bool_or(f.reported), min(f.dismissed_at) FROM ${S}.topics t CROSS JOIN unnest($1::text[], $2::text[]) r(former, key)
CROSS JOIN LATERAL (SELECT reported, dismissed_at FROM ${S}.topic_items WHERE topic_id = t.id AND key = r.former OFFSET 0) f
GROUP BY t.id, r.key ORDER BY t.id, r.key
ON CONFLICT (topic_id, key) DO UPDATE SET reported = i.reported OR excluded.reported, dismissed_at = coalesce(i.dismissed_at, excluded.dismissed_at)
WHERE excluded.reported AND NOT i.reported OR excluded.dismissed_at IS NOT NULL AND i.dismissed_at IS NULL`;
/** Those that identify neither a link nor a post any more. $1 former keys. */
const DELETE_FORMER_ITEMS = `
DELETE FROM ${S}.topic_items WHERE topic_id IN (SELECT id FROM ${S}.topics) AND key = ANY (ARRAY(
  SELECT f.key FROM unnest($1::text[]) f(key)
  WHERE NOT EXISTS (SELECT FROM ${S}.links WHERE canonical = f.key) AND NOT EXISTS (SELECT FROM ${S}.posts WHERE key = f.key)))`;

/** Items of topics keep being reported under their new keys, and each thing once. */
async function rekeyItems(tx: Transaction, items: readonly { former: string; key: string }[]): Promise<void> {
  const changed = items.filter(({ former, key }) => former !== key);
  if (changed.length === 0) return;
  const former = changed.map((item) => item.former);
  const keys = changed.map(({ key }) => key);
  await tx.query(REKEY_ITEMS, [former, keys]);
  await tx.query(DELETE_FORMER_ITEMS, [former]);
  const { rows } = await tx.query<TopicItem>(
    `SELECT topic_id AS "topicId", key, NULL AS "textKey" FROM ${S}.topics t
     CROSS JOIN LATERAL (SELECT topic_id, key FROM ${S}.topic_items WHERE topic_id = t.id AND key = ANY ($1::text[]) OFFSET 0) i`,
    [[...new Set([...former, ...keys])]],
  );
  await settleThings(tx, rows);
}

/** These links, and those that stand under their new identities; by identity, oldest first. */
async function groupByIdentity(
  tx: Transaction,
  ids: readonly Id[],
  rules: LinkRules,
): Promise<Map<string, StoredLink[]>> {
  const columns = 'id, canonical, url';
  const known = new Map<Id, StoredLink>();
  let found = await tx.query<StoredLink>(
    `SELECT ${columns} FROM ${S}.links WHERE id = ANY ($1::bigint[]) AND merged_into IS NULL`,
    [ids],
  );
  while (found.rows.length > 0) {
    for (const link of found.rows) known.set(link.id, link);
    found = await tx.query<StoredLink>(
      `SELECT ${columns} FROM ${S}.links WHERE canonical = ANY ($1::text[]) AND id <> ALL ($2::bigint[])`,
      [found.rows.map((link) => identify(link, rules)), [...known.keys()]],
    );
  }
  const oldestFirst = [...known.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  return groupBy(oldestFirst, (link) => identify(link, rules));
}

const MERGES = 'unnest($1::bigint[], $2::bigint[]) m(id, "into")';
/** The merged links, and those that they are merged into. */
const GROUPS = `(SELECT id, "into" FROM ${MERGES} UNION SELECT "into", "into" FROM ${MERGES})`;

const MEMBERS = Object.keys(LINK_CONTENT);
/** The link of a group that has the newest value of a member, and when that was known. The save applies the same rule. */
const newest = (name: string, i: number) => {
  const isKnown = `FILTER (WHERE o.${isTimeMember(name) ? 'published_at' : name} IS NOT NULL)`;
  const order = isTimeMember(name)
    ? `${precisionRankSql('o')}, CASE WHEN ${precisionRankSql('o')} = 1 THEN ${knownAtSql('o', i)} END DESC, o.published_at`
    : `${knownAtSql('o', i)} DESC`;
  const pick = (value: string) => `(array_agg(${value} ORDER BY ${order}, o.id) ${isKnown})[1]`;
  return `${pick('o.id')} AS ${name}_of, ${pick(knownAtSql('o', i))} AS ${name}_at`;
};

/** Replaces links in an array of them, each of which stays once, at its first place. $1 links, $2 into. */
const replacedSql = (ids: string) => `ARRAY(
  SELECT coalesce(m."into", u.id) FROM unnest(${ids}) WITH ORDINALITY u(id, n) LEFT JOIN ${MERGES} ON m.id = u.id
  GROUP BY 1 ORDER BY min(u.n))`;

/** In this order. $1 links, $2 the links that they are merged into. */
const MERGE_STATEMENTS: readonly string[] = [
  `UPDATE ${S}.links l SET first_seen_at = g.first_seen_at, observed_at = g.observed_at, url = g.url,
     known_at = ARRAY[${MEMBERS.map((name) => `g.${name}_at`).join(', ')}],
     ${MEMBERS.map((name) => `${name} = (SELECT ${name} FROM ${S}.links WHERE id = g.${name}_of)`).join(', ')}
   FROM (SELECT g."into", min(o.first_seen_at) AS first_seen_at, max(o.observed_at) AS observed_at,
       (array_agg(o.url ORDER BY o.first_seen_at, o.id))[1] AS url, ${MEMBERS.map(newest).join(', ')}
     FROM ${GROUPS} g JOIN ${S}.links o ON o.id = g.id GROUP BY 1) g
   WHERE l.id = g."into"`,
  `WITH gone AS (
     DELETE FROM ${S}.link_sightings s USING ${MERGES} WHERE s.link_id = m.id RETURNING s.*, m."into"
   )
   INSERT INTO ${S}.link_sightings AS s (search_id, link_id, first_run_id, first_seen_at, source)
   SELECT DISTINCT ON (search_id, "into") search_id, "into", first_run_id, first_seen_at, source FROM gone
   ORDER BY search_id, "into", first_seen_at, first_run_id
   ON CONFLICT (search_id, link_id) DO UPDATE
     SET first_run_id = excluded.first_run_id, first_seen_at = excluded.first_seen_at, source = excluded.source
     WHERE (excluded.first_seen_at, excluded.first_run_id) < (s.first_seen_at, s.first_run_id)`,
  `UPDATE ${S}.link_addresses a SET link_id = m."into" FROM ${MERGES} WHERE a.link_id = m.id`,
  `WITH gone AS (DELETE FROM ${S}.post_links p USING ${MERGES} WHERE p.link_id = m.id RETURNING p.post_id, m."into")
   INSERT INTO ${S}.post_links (post_id, link_id) SELECT DISTINCT post_id, "into" FROM gone ON CONFLICT DO NOTHING`,
  `UPDATE ${S}.pending_derivations SET new_links = ${replacedSql('new_links')}, touched_links = ${replacedSql('touched_links')}
   WHERE new_links && $1::bigint[] OR touched_links && $1::bigint[]`,
  `INSERT INTO ${S}.archive_changes (kind, thing) SELECT DISTINCT 'link', m."into" FROM ${MERGES}
   WHERE EXISTS (SELECT FROM ${S}.archive_documents d WHERE d.kind = 'link' AND d.thing = m.id)`,
  `DELETE FROM ${S}.archive_changes c USING ${MERGES} WHERE c.kind = 'link' AND c.thing = m.id`,
  `UPDATE ${S}.links l SET merged_into = m."into" FROM ${MERGES} WHERE l.merged_into = m.id`,
  `UPDATE ${S}.links l SET merged_into = m."into", canonical = 'merged:' || l.id FROM ${MERGES} WHERE l.id = m.id`,
];

/** Of several discoveries of one search that are now one, the earliest stays. $1 links, $2 into. */
const SAME_DISCOVERIES = `
SELECT x.id, x.kept FROM (
  SELECT d.id, min(d.id) OVER (PARTITION BY d.search_id, g."into") AS kept
  FROM ${GROUPS} g JOIN ${S}.discoveries d ON d.kind = 'link' AND d.thing = g.id
) x WHERE x.id <> x.kept`;

/** $1 discoveries, $2 those that stay. */
const MERGE_DISCOVERIES: readonly string[] = [
  `UPDATE ${S}.discoveries d SET first_in_topic = true
   WHERE NOT first_in_topic AND id IN (SELECT m."into" FROM ${MERGES} JOIN ${S}.discoveries o ON o.id = m.id WHERE o.first_in_topic)`,
  `UPDATE ${S}.delivery_discoveries x SET discovery_id = m."into" FROM ${MERGES} WHERE x.discovery_id = m.id
   AND NOT EXISTS (SELECT FROM ${S}.delivery_discoveries o
     WHERE o.rule_id = x.rule_id AND o.channel_id = x.channel_id AND o.discovery_id = m."into")
   AND m.id = (SELECT min(y.discovery_id) FROM ${S}.delivery_discoveries y JOIN ${MERGES.replace(' m(', ' k(')} ON k.id = y.discovery_id
     WHERE k."into" = m."into" AND y.rule_id = x.rule_id AND y.channel_id = x.channel_id)`,
  `DELETE FROM ${S}.delivery_discoveries x USING ${MERGES} WHERE x.discovery_id = m.id`,
  `DELETE FROM ${S}.discoveries d USING ${MERGES} WHERE d.id = m.id`,
];

async function mergeLinks(tx: Transaction, merges: readonly { id: Id; into: Id }[]): Promise<void> {
  const values = [merges.map(({ id }) => id), merges.map(({ into }) => into)];
  const { rows: same } = await tx.query<{ id: Id; kept: Id }>(SAME_DISCOVERIES, values);
  const discoveries = [same.map(({ id }) => id), same.map(({ kept }) => kept)];
  for (const statement of MERGE_DISCOVERIES) await tx.query(statement, discoveries);
  await tx.query(
    `UPDATE ${S}.discoveries d SET thing = m."into" FROM ${MERGES} WHERE d.kind = 'link' AND d.thing = m.id`,
    values,
  );
  for (const statement of MERGE_STATEMENTS) await tx.query(statement, values);
  await removeFromArchive(
    tx,
    [],
    merges.map(({ id }) => id),
  );
}

/** A table whose rows name links in columns without an index, by its key; null: it is small, and read in one piece. */
type ListTable = { table: string; key: string | null; set: string; ids: string };

const MERGED = (ids: string) => `ARRAY(
  SELECT coalesce(l.merged_into, u.id) FROM unnest(${ids}) WITH ORDINALITY u(id, n) LEFT JOIN ${S}.links l ON l.id = u.id
  GROUP BY 1 ORDER BY min(u.n))`;

const LISTS: readonly ListTable[] = [
  {
    table: 'run_results',
    key: 'run_id',
    ids: 'link_ids',
    set: `link_ids = ${MERGED('link_ids')}, link_sources = ARRAY(
      SELECT (array_agg(u.source ORDER BY u.n))[1] FROM unnest(link_ids, link_sources) WITH ORDINALITY u(id, source, n)
      LEFT JOIN ${S}.links l ON l.id = u.id GROUP BY coalesce(l.merged_into, u.id) ORDER BY min(u.n))`,
  },
  {
    table: 'completions',
    key: 'id',
    ids: 'completion_links || search_completion_links',
    set: `completion_links = ${MERGED('completion_links')}, search_completion_links = ${MERGED('search_completion_links')}`,
  },
  {
    table: 'completion_claims',
    key: 'completion_id',
    ids: 'link_ids || not_returned',
    set: `link_ids = ${MERGED('link_ids')}, not_returned = ${MERGED('not_returned')}`,
  },
  {
    table: 'key_items',
    key: 'completion_id',
    ids: 'ARRAY[link_id]',
    set: `link_id = (SELECT merged_into FROM ${S}.links l WHERE l.id = link_id)`,
  },
  {
    // Kept as long as raw responses.
    table: 'observed_items',
    key: null,
    ids: 'link_ids',
    set: `link_ids = ${MERGED('link_ids')}, link_known = ARRAY(
      SELECT bit_or(u.known) FROM unnest(link_ids, link_known) WITH ORDINALITY u(id, known, n)
      LEFT JOIN ${S}.links l ON l.id = u.id GROUP BY coalesce(l.merged_into, u.id) ORDER BY min(u.n))`,
  },
];

/** Replaces merged links, a range of keys at a time. Only links of interrupted and of this call are merged. */
async function replaceMerged(
  { pool }: Database,
  { table, key, ids, set }: ListTable,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { rows } = await pool.query<{ last: Id | null; any: boolean }>(
    `SELECT ${key === null ? 'NULL::bigint' : `(SELECT max(${key}) FROM ${S}.${table})`} AS last,
       EXISTS (SELECT FROM ${S}.links WHERE merged_into IS NOT NULL) AS any`,
  );
  const { last, any } = onlyRow(rows);
  if (!any) return;
  const end = last ?? -1n;
  const update = `UPDATE ${S}.${table} SET ${set}
    WHERE EXISTS (SELECT FROM unnest(${ids}) x(id) JOIN ${S}.links m ON m.id = x.id WHERE m.merged_into IS NOT NULL)`;
  if (key === null) await pool.query(update);
  else
    for (let from = 0n; from <= end; from += BigInt(ROWS_PER_BATCH)) {
      signal?.throwIfAborted();
      await pool.query(`${update} AND ${key} >= $1 AND ${key} < $2`, [from, from + BigInt(ROWS_PER_BATCH)]);
    }
}
