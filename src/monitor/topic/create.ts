import { InvalidInput, Refused } from '../../errors.ts';
import { createdWith, recordAudit } from '../../store/audit.ts';
import { type Id, inTransaction, readTime, type Transaction, violates } from '../../store/database.ts';
import { insertRun } from '../../store/runs.ts';
import { findSearch, insertSearch, type Search } from '../../store/searches.ts';
import { ensureTopic } from '../../store/topics.ts';
import type { ServiceKind } from '../../store/services.ts';
import type { Acting, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { nextSlot } from '../schedule/cadence.ts';
import { type CheckedSearch, checkSearch, checkSlug, type WrittenSearch } from './definition.ts';
import { editable } from './edit.ts';
import { serviceFor } from './service-for.ts';
import { topicRemoved } from './named.ts';

export type NewSearch = WrittenSearch & { topic?: string | undefined; service?: string | undefined };
export type Created = { search: Search; firstRunId: Id };

/**
 * Saves a search, in a topic that is made where there is none, and lets it run once at once: what that
 * first look finds is its baseline.
 * @throws InvalidInput, Refused `conflict` where the slug is taken or the topic was removed
 */
export async function createSearch(ctx: Acting, written: NewSearch): Promise<Created> {
  const checked = checkSearch(written);
  const topic = written.topic ?? checked.slug;
  const problems: InvalidInput['problems'][number][] = [];
  checkSlug(topic, 'topic', problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const service = await serviceFor(ctx, written.service);
  const created = await inTransaction(ctx.db, async (tx) => {
    const made = await insertChecked(ctx, tx, {
      checked,
      topic: { slug: topic, name: topic, sample: false },
      service,
    });
    await recordCreated(ctx, tx, made);
    return made;
  });
  await enqueueNewRuns(ctx, [created.firstRunId], 'first');
  return created;
}

/** Records that a search was created, and with what. */
export async function recordCreated(ctx: Acting, tx: Transaction, { search }: Created): Promise<void> {
  await recordAudit(tx, ctx, {
    action: 'search.created',
    subject: search.slug,
    changes: createdWith({ topic: search.topic, ...editable(search) }),
  });
}

export type Insertable = {
  checked: CheckedSearch;
  topic: { slug: string; name: string; sample: boolean };
  service: { id: Id; kind: ServiceKind };
};

/** Writes one search with its first run into an open transaction; once it is committed the caller enqueues the run. */
export async function insertChecked(
  ctx: Context,
  tx: Transaction,
  { checked, topic, service }: Insertable,
): Promise<Created> {
  const now = await readTime(tx, ctx.clock);
  const { id: topicId, archived_at } = await ensureTopic(tx, { ...topic, now });
  if (archived_at !== null) throw topicRemoved(topic.slug, archived_at);
  const nextDueAt = new Date(nextSlot(checked.schedule, now));
  const { slug, operation, labels, sensitivity, definition } = checked;
  try {
    const searchId = await insertSearch(tx, {
      slug,
      topicId,
      serviceId: service.id,
      operation,
      labels,
      sensitivity,
      definition,
      nextDueAt,
      simulation: ctx.simulation,
      now,
    });
    const firstRunId = await insertRun(tx, { searchId, trigger: 'first', now });
    const search = await findSearch(tx, slug);
    if (search === null) throw new Error('a search that was written is not there');
    return { search, firstRunId };
  } catch (error) {
    if (violates(error, 'searches_slug_key')) {
      throw new Refused(
        'conflict',
        `there is (or was) a search "${slug}" already; its history stays, so choose another slug`,
      );
    }
    throw error;
  }
}
