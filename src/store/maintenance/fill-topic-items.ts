/**
 * Keys of posts and items of topics from before `0008_topic_items`: of all stored posts, then of all discoveries, the
 * oldest first, in batches of one transaction each. Until a discovery is read, it counts as the first of its item.
 */
import { identifyPost, type OwnLinkRule } from '../../model/links/link-identity.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../db/database.ts';
import { lockAgainstForgetting } from '../erase/forget-lock.ts';
import { type Item, itemName, reportItems } from '../save/topic-items.ts';

const S = 'strandline';
const BATCH_SIZE = 1_000;
/** The fact with the progress, which `0008_topic_items` writes if there is something to fill. */
const PROGRESS = 'topic_items';

/** The last post and discovery that were read, and the last discovery to read. */
type Progress = { posts: string; discoveries: string; until: string };

/** @returns whether nothing is left */
export async function fillTopicItems(
  db: Database,
  own: readonly OwnLinkRule[],
  batches: number,
  signal?: AbortSignal,
): Promise<boolean> {
  for (let n = 0; n < batches; n += 1) {
    if (signal?.aborted === true) return false;
    if (await inTransaction(db, (tx) => fillBatch(tx, own))) return true;
  }
  return false;
}

async function fillBatch(tx: Transaction, own: readonly OwnLinkRule[]): Promise<boolean> {
  await lockAgainstForgetting(tx);
  const { rows } = await tx.query<{ value: string }>(
    `SELECT value FROM ${S}.facts WHERE name = $1 FOR UPDATE`,
    [PROGRESS],
  );
  if (rows[0] === undefined) return true;
  // Written by the migration and below only.
  const progress = JSON.parse(rows[0].value) as Progress;
  const post = await fillPosts(tx, own, BigInt(progress.posts));
  const discovery = post === null ? await fillDiscoveries(tx, progress) : null;
  if (post === null && discovery === null) {
    await tx.query(`DELETE FROM ${S}.facts WHERE name = $1`, [PROGRESS]);
    return true;
  }
  const next = {
    ...progress,
    posts: String(post ?? progress.posts),
    discoveries: String(discovery ?? progress.discoveries),
  };
  await tx.query(`UPDATE ${S}.facts SET value = $2 WHERE name = $1`, [PROGRESS, JSON.stringify(next)]);
  return false;
}

/** Locks posts in the order of the save. @returns the last post of the batch; null if there is none */
async function fillPosts(tx: Transaction, own: readonly OwnLinkRule[], after: Id): Promise<Id | null> {
  type PostRow = { id: Id; serviceId: Id; externalId: string; url: string | null; key: string | null };
  const { rows } = await tx.query<PostRow>(
    `SELECT p.id, service_id AS "serviceId", external_id AS "externalId", url, key FROM ${S}.posts p
     WHERE id = ANY (ARRAY(SELECT id FROM ${S}.posts WHERE id > $1 ORDER BY id LIMIT ${BATCH_SIZE}))
     ORDER BY service_id, external_id FOR NO KEY UPDATE`,
    [after],
  );
  if (rows.length === 0) return null;
  const unfilled = rows.filter(({ key }) => key === null);
  await tx.query(
    `UPDATE ${S}.posts p SET key = r.key FROM unnest($1::bigint[], $2::text[]) r(id, key) WHERE p.id = r.id`,
    [unfilled.map(({ id }) => id), unfilled.map((post) => identifyPost(post, own))],
  );
  return rows.reduce((last, { id }) => (id > last ? id : last), after);
}

/** @returns the last discovery of the batch; null if there is none */
async function fillDiscoveries(tx: Transaction, { discoveries, until }: Progress): Promise<Id | null> {
  type DiscoveryRow = { id: Id; run_id: Id; baseline: boolean; kind: string; thing: Id };
  const { rows } = await tx.query<DiscoveryRow>(
    `SELECT id, run_id, baseline, kind, thing FROM ${S}.discoveries WHERE id > $1 AND id <= $2 ORDER BY id LIMIT ${BATCH_SIZE}`,
    [discoveries, until],
  );
  const places = new Map<string, number>();
  const runs: { runId: Id; baseline: boolean }[] = [];
  const items = rows.flatMap(({ id, run_id: runId, baseline, kind, thing }): (Item & { id: Id })[] => {
    if (kind !== 'post' && kind !== 'link') return [];
    const run = `${runId} ${baseline}`;
    const place = places.get(run) ?? runs.push({ runId, baseline });
    places.set(run, place);
    return [{ id, place, kind, thing }];
  });
  const { first } = await reportItems(tx, runs, items);
  const repeated = items.filter((item) => !first.has(itemName(item))).map(({ id }) => id);
  await tx.query(`UPDATE ${S}.discoveries SET first_in_topic = false WHERE id = ANY ($1::bigint[])`, [
    repeated,
  ]);
  return rows.at(-1)?.id ?? null;
}
