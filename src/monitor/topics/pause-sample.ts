/** The sample topic runs until somebody watches something real. */

import { recordAudit } from '../../store/audit-entries.ts';
import { inTransaction, type Transaction } from '../../store/database.ts';
import { insertFact } from '../../store/instance-name.ts';
import { listSearches } from '../../store/searches.ts';
import { lockSearch } from '../../store/slots.ts';
import type { Context } from '../context.ts';
import { stopSearch } from '../schedule/due-slots.ts';
import { findSampleTopic, PAUSED_REASON } from './sample-topic.ts';

const PAUSED_FACT = 'sample_paused';

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

/** The same for a database that already has real searches. */
export async function pauseSampleBesideReal(ctx: Context): Promise<string | null> {
  return inTransaction(ctx.db, async (tx) => {
    const isReal = (await listSearches(tx)).some(({ service_kind }) => service_kind !== 'sandbox');
    return isReal ? pauseSampleTopic(ctx, tx) : null;
  });
}
