/** The sample topic runs until somebody watches something real. */

import { recordAudit } from '../../store/audit-entries.ts';
import { inTransaction, type Transaction } from '../../store/database.ts';
import { findRenamed } from '../../store/former-slugs.ts';
import { insertFact } from '../../store/instance-name.ts';
import { listSearches, type Reader } from '../../store/searches.ts';
import { lockSearch } from '../../store/slots.ts';
import { findTopic, type Topic } from '../../store/topics.ts';
import type { Context } from '../context.ts';
import { stopSearch } from '../schedule/due-slots.ts';

const SAMPLE_FACT = 'sample_topic';
const PAUSED_FACT = 'sample_paused';

/** Claims the creation of the sample topic, once per database. @returns whether it is to be created */
export async function claimSampleTopic(ctx: Context, slug: string): Promise<boolean> {
  return insertFact(ctx.db.pool, SAMPLE_FACT, slug, ctx.clock.now());
}

/**
 * Pauses the sample topic, once per database: whoever resumes it keeps it. Called with the first search that is not simulated,
 * in its transaction.
 * @returns its slug if it was paused now
 */
export async function pauseSampleTopic(ctx: Context, tx: Transaction): Promise<string | null> {
  const sample = await findSampleTopic(tx);
  if (sample === null || !(await insertFact(tx, PAUSED_FACT, sample.slug, ctx.clock.now()))) return null;
  const paused: string[] = [];
  // Without the topic's lock, which a search that is being added to it may hold while it waits for the fact.
  for (const { id } of await listSearches(tx, sample.id)) {
    const search = await lockSearch(tx, id);
    if (search?.archived_at !== null || search.state === 'paused') continue;
    await stopSearch(ctx, tx, search, { to: 'paused', reason: PAUSED_REASON });
    paused.push(search.slug);
  }
  if (paused.length === 0) return null;
  await recordAudit(
    tx,
    { actor: { kind: 'program', name: 'sample topic' }, clock: ctx.clock },
    { action: 'topic.paused', subject: sample.slug, changes: { searches: { after: paused } } },
  );
  return sample.slug;
}

const PAUSED_REASON = 'sample topic: you watch something real';

/** The same for a database that already has real searches. */
export async function pauseSampleBesideReal(ctx: Context): Promise<string | null> {
  return inTransaction(ctx.db, async (tx) => {
    const isReal = (await listSearches(tx)).some(({ service_kind }) => service_kind !== 'sandbox');
    return isReal ? pauseSampleTopic(ctx, tx) : null;
  });
}

/** The sample topic if the program paused it and nobody has resumed or removed it. */
export async function findPausedSample(db: Reader): Promise<Topic | null> {
  const sample = await findSampleTopic(db);
  if (sample === null) return null;
  const searches = await listSearches(db, sample.id);
  return searches.some(({ state_reason }) => state_reason === PAUSED_REASON) ? sample : null;
}

async function findSampleTopic(db: Reader): Promise<Topic | null> {
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
