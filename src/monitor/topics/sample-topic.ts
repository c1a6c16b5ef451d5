/** The sample topic of the sandbox, which is created once. */

import type { Queryable } from '../../store/db/database.ts';
import { findRenamed } from '../../store/topics/former-slugs.ts';
import { insertFact } from '../../store/db/instance-name.ts';
import { findTopic, type Topic } from '../../store/topics/topics.ts';
import type { Context } from '../context.ts';

const SAMPLE_FACT = 'sample_topic';

/** Claims the creation of the sample topic, once per database. @returns whether it is to be created */
export async function claimSampleTopic(ctx: Context, slug: string): Promise<boolean> {
  return insertFact(ctx.db.pool, SAMPLE_FACT, slug, ctx.clock.now());
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
