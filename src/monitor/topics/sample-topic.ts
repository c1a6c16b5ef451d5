/** The sample topic: created once, and whether the program has paused it. */

import type { Queryable } from '../../store/database.ts';
import { findRenamed } from '../../store/former-slugs.ts';
import { insertFact } from '../../store/instance-name.ts';
import { listSearches } from '../../store/searches.ts';
import { findTopic, type Topic } from '../../store/topics.ts';
import type { Context } from '../context.ts';

const SAMPLE_FACT = 'sample_topic';

/** Claims the creation of the sample topic, once per database. @returns whether it is to be created */
export async function claimSampleTopic(ctx: Context, slug: string): Promise<boolean> {
  return insertFact(ctx.db.pool, SAMPLE_FACT, slug, ctx.clock.now());
}

/** Why its searches are paused. */
export const PAUSED_REASON = 'sample topic: you watch something real';

/** The sample topic if the program paused it, and nobody has resumed or removed it, or continues it in another topic. */
export async function findPausedSample(db: Queryable): Promise<Topic | null> {
  const sample = await findSampleTopic(db);
  if (sample === null || sample.successor !== null) return null;
  const searches = await listSearches(db, sample.id);
  return searches.some(({ state_reason }) => state_reason === PAUSED_REASON) ? sample : null;
}

/** The sample topic, unless it was removed. */
export async function findSampleTopic(db: Queryable): Promise<Topic | null> {
  const { rows } = await db.query<{ slug: string }>(
    `SELECT value AS slug FROM strandline.facts WHERE name = '${SAMPLE_FACT}'`,
  );
  const [created] = rows;
  if (created === undefined) return null;
  const [renamed] = await findRenamed(db, [{ kind: 'topic', slug: created.slug }]);
  const topic = await findTopic(db, renamed?.slug ?? created.slug);
  return topic?.sample === true && topic.archived_at === null ? topic : null;
}

/** For a terminal. */
export function describePausedSample(slug: string): string {
  return `The sample topic ${slug} is paused, because you watch something real. To keep it running: strandline topic resume ${slug}`;
}
