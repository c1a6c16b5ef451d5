/** Purges topics and searches: removes them, and deletes what only they found. Workers continue a purge that is interrupted. */

import { recordAudit } from '../../store/access/audit-entries.ts';
import { type Database, type Id, inTransaction, type Queryable, readTime } from '../../store/db/database.ts';
import { execute, selectIds, statement, verbatim } from '../../store/db/statement.ts';
import { countPurge, type PurgeCounts } from '../../store/erase/orphans.ts';
import { continuePurges, markPurged } from '../../store/erase/purge.ts';
import { requestRecurringWork } from '../../store/runs/scanner.ts';
import { findSearch } from '../../store/topics/searches.ts';
import { lockSearch } from '../../store/topics/search-states.ts';
import { archiveTopic, findTopic } from '../../store/topics/topics.ts';
import type { ActingContext } from '../context.ts';
import { stopSearch } from '../schedule/due-slots.ts';
import { findSearchRow, findTopicRow } from './find-by-slug.ts';
import { setTimeout as wait } from 'node:timers/promises';

/** A topic with all of its searches, or one search; removed ones too. */
export type PurgeTarget = { kind: 'topic' | 'search'; slug: string };

/** What is being deleted. */
type RequestedPurge = { target: PurgeTarget; id: Id; counts: PurgeCounts };

/** What a purge would delete. @throws Refused `not_found` */
export async function previewPurge(db: Database, target: PurgeTarget): Promise<PurgeCounts> {
  return countPurge(db.pool, await listPurged(db.pool, target, await findId(db, target)));
}

/**
 * Removes the target and marks it for deletion, which workers begin within seconds, and {@link finishPurge} in this process.
 * Repeating it changes nothing.
 * @throws Refused `not_found`
 */
export async function requestPurge(ctx: ActingContext, target: PurgeTarget): Promise<RequestedPurge> {
  const id = await findId(ctx.db, target);
  // Before anything is locked: it may take seconds.
  const counts = await countPurge(ctx.db.pool, await listPurged(ctx.db.pool, target, id));
  return inTransaction(ctx.db, async (tx) => {
    const topicId = target.kind === 'topic' ? id : null;
    // A search that is being added waits here, and is then refused.
    await execute(tx, statement`SELECT FROM strandline.topics WHERE id = ${topicId} FOR UPDATE`);
    const searchIds = await listPurged(tx, target, id);
    for (const searchId of searchIds) {
      const search = await lockSearch(tx, searchId);
      if (search?.archived_at === null) await stopSearch(ctx, tx, search, { to: 'removed' });
    }
    const now = await readTime(tx, ctx.clock);
    if (topicId !== null) await archiveTopic(tx, topicId, now);
    await markPurged(tx, { searchIds, topicId, now });
    const changes = Object.entries(counts).map(([name, before]) => [name, { before, after: 0 }] as const);
    await recordAudit(tx, ctx, {
      action: `${target.kind}.purged`,
      subject: target.slug,
      changes: Object.fromEntries(changes),
    });
    await requestRecurringWork(tx, 'purges', now);
    return { target, id, counts };
  });
}

const RETRY_MS = 500;

/**
 * Deletes in this process, next to workers, until the target is gone.
 * @param onWait called once if a run in progress delays it
 * @returns false if it was stopped; workers continue
 */
export async function finishPurge(
  db: Database,
  { target, id }: Pick<RequestedPurge, 'target' | 'id'>,
  { stopping, onWait }: { stopping?: AbortSignal | undefined; onWait?: () => void } = {},
): Promise<boolean> {
  const table = verbatim(target.kind === 'topic' ? 'topics' : 'searches');
  for (let waited = false; ; waited = true) {
    await continuePurges(db, () => stopping?.aborted !== true);
    const { rowCount } = await execute(db.pool, statement`SELECT FROM strandline.${table} WHERE id = ${id}`);
    if (rowCount === 0) return true;
    if (stopping?.aborted === true) return false;
    if (!waited) onWait?.();
    await wait(RETRY_MS, undefined, { signal: stopping }).catch(() => {});
  }
}

async function findId(db: Database, { kind, slug }: PurgeTarget): Promise<Id> {
  const target = kind === 'topic' ? await findTopic(db.pool, slug) : await findSearch(db.pool, slug);
  // The others refuse an unknown slug and name the nearest slug.
  return (target ?? (await (kind === 'topic' ? findTopicRow(db, slug) : findSearchRow(db, slug)))).id;
}

async function listPurged(db: Queryable, { kind }: PurgeTarget, id: Id): Promise<Id[]> {
  if (kind === 'search') return [id];
  return selectIds(db, statement`SELECT id FROM strandline.searches WHERE topic_id = ${id} ORDER BY id`);
}
