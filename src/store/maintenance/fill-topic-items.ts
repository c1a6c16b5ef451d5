/**
 * Keys of posts and items of topics from before `0008_topic_items`: of all stored posts, then of all discoveries, the
 * oldest first, in batches of one transaction each. Until a discovery is read, it counts as the first of its item.
 */
import { identifyPost, type OwnLinkRule } from '../../model/links/link-identity.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import type { discoveries as table } from '../schema/result-tables.ts';
import { lockAgainstErasing } from '../erase/save-lock.ts';
import { type Item, itemName, reportItems } from '../save/topic-items.ts';

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
  await lockAgainstErasing(tx);
  const [written] = await rowsOf<{ value: string }>(
    tx,
    statement`SELECT value FROM strandline.facts WHERE name = ${PROGRESS} FOR UPDATE`,
  );
  if (written === undefined) return true;
  // Written by the migration and below only.
  const progress = JSON.parse(written.value) as Progress;
  const post = await fillPosts(tx, own, BigInt(progress.posts));
  const discovery = post === null ? await fillDiscoveries(tx, progress) : null;
  if (post === null && discovery === null) {
    await execute(tx, statement`DELETE FROM strandline.facts WHERE name = ${PROGRESS}`);
    return true;
  }
  const next = {
    ...progress,
    posts: String(post ?? progress.posts),
    discoveries: String(discovery ?? progress.discoveries),
  };
  await execute(
    tx,
    statement`UPDATE strandline.facts SET value = ${JSON.stringify(next)} WHERE name = ${PROGRESS}`,
  );
  return false;
}

/** Locks posts in the order of the save. @returns the last post of the batch; null if there is none */
async function fillPosts(tx: Transaction, own: readonly OwnLinkRule[], after: Id): Promise<Id | null> {
  type PostRow = { id: Id; serviceId: Id; externalId: string; url: string | null; key: string | null };
  const rows = await rowsOf<PostRow>(
    tx,
    statement`SELECT p.id, service_id AS "serviceId", external_id AS "externalId", url, key FROM strandline.posts p
      WHERE id = ANY (ARRAY(SELECT id FROM strandline.posts WHERE id > ${after} ORDER BY id LIMIT ${BATCH_SIZE}))
      ORDER BY service_id, external_id FOR NO KEY UPDATE`,
  );
  if (rows.length === 0) return null;
  const unfilled = rows.filter(({ key }) => key === null);
  const ids = unfilled.map(({ id }) => id);
  const keys = unfilled.map((post) => identifyPost(post, own));
  await execute(
    tx,
    statement`UPDATE strandline.posts p SET key = r.key FROM unnest(${ids}::bigint[], ${keys}::text[]) r(id, key)
      WHERE p.id = r.id`,
  );
  return rows.reduce((last, { id }) => (id > last ? id : last), after);
}

/** @returns the last discovery of the batch; null if there is none */
async function fillDiscoveries(tx: Transaction, { discoveries, until }: Progress): Promise<Id | null> {
  const rows = await rowsOf<Pick<typeof table.$inferSelect, 'id' | 'run_id' | 'baseline' | 'kind' | 'thing'>>(
    tx,
    statement`SELECT id, run_id, baseline, kind, thing FROM strandline.discoveries
      WHERE id > ${discoveries} AND id <= ${until} ORDER BY id LIMIT ${BATCH_SIZE}`,
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
  const first = await reportItems(tx, runs, items);
  const repeated = items.filter((item) => !first.has(itemName(item))).map(({ id }) => id);
  await execute(
    tx,
    statement`UPDATE strandline.discoveries SET first_in_topic = false WHERE id = ANY (${repeated}::bigint[])`,
  );
  return rows.at(-1)?.id ?? null;
}
