/** Creates and edits searches. An edit creates a new version under the row lock that the scan takes. */

import { InvalidInput, Refused } from '../../domain/errors.ts';
import { diffFields, recordAudit, recordCreation } from '../../store/audit-entries.ts';
import {
  type Id,
  inTransaction,
  readTime,
  type Transaction,
  violatesConstraint,
} from '../../store/database.ts';
import { insertRun } from '../../store/run-states.ts';
import {
  type Definition,
  findSearch,
  insertSearch,
  insertVersion,
  type Search,
  setVersion,
} from '../../store/searches.ts';
import type { ServiceKind } from '../../store/services.ts';
import { lockSearch, setState } from '../../store/slots.ts';
import { ensureTopic } from '../../store/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { findNextSlot, nextSlot } from '../schedule/cadence.ts';
import { recordDueSlots } from '../schedule/due-slots.ts';
import {
  assertSearchNotRemoved,
  createSearchNotFound,
  createTopicRemoved,
  lockSearchBySlug,
  requireSearch,
} from './find-by-slug.ts';
import { pauseSampleTopic } from './sample-topic.ts';
import { type CheckedSearch, checkSearch, checkSlug, type WrittenSearch } from './search-definition.ts';
import { chooseService } from './service-choice.ts';
import { refuseWithoutSources, toSearchTools } from './tool-sources.ts';
import { isDeepStrictEqual } from 'node:util';

export type NewSearch = WrittenSearch & { topic?: string | undefined; service?: string | undefined };
export type CreatedSearch = {
  search: Search;
  firstRunId: Id;
  /** The sample topic, if this search paused it. */
  pausedSample: string | null;
};

/**
 * Creates a search and its first run, whose results are the baseline. Creates the topic if it does not exist.
 * @throws InvalidInput, Refused `conflict` if the slug is taken or the topic was removed
 */
export async function createSearch(ctx: ActingContext, written: NewSearch): Promise<CreatedSearch> {
  const checked = checkSearch(written);
  const topic = written.topic ?? checked.slug;
  const problems: InvalidInput['problems'][number][] = [];
  checkSlug(topic, 'topic', problems);
  if (problems.length > 0) throw new InvalidInput(problems);
  const service = await chooseService(ctx, written.service);
  await refuseWithoutSources(ctx, service.kind, [{ search: toSearchTools(checked), path: '' }]);
  const created = await inTransaction(ctx.db, async (tx) => {
    const made = await insertCheckedSearch(ctx, tx, {
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

/** Writes the audit entry of a created search. */
export async function recordCreated(
  ctx: ActingContext,
  tx: Transaction,
  { search }: CreatedSearch,
): Promise<void> {
  await recordAudit(tx, ctx, {
    action: 'search.created',
    subject: search.slug,
    changes: recordCreation({ topic: search.topic, ...pickEditable(search) }),
  });
}

type SearchToInsert = {
  checked: CheckedSearch;
  topic: { slug: string; name: string; sample: boolean };
  service: { id: Id; kind: ServiceKind };
};

/** Inserts a search with its first run in an open transaction. After the commit, the caller enqueues the run. */
export async function insertCheckedSearch(
  ctx: Context,
  tx: Transaction,
  { checked, topic, service }: SearchToInsert,
): Promise<CreatedSearch> {
  const now = await readTime(tx, ctx.clock);
  const { id: topicId, archived_at } = await ensureTopic(tx, { ...topic, now });
  if (archived_at !== null) throw createTopicRemoved(topic.slug, archived_at);
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
    const pausedSample = service.kind === 'sandbox' ? null : await pauseSampleTopic(ctx, tx);
    return { search, firstRunId, pausedSample };
  } catch (error) {
    if (violatesConstraint(error, 'searches_slug_key')) {
      throw new Refused(
        'conflict',
        `the slug "${slug}" belongs to an existing or removed search; choose another slug`,
      );
    }
    if (violatesConstraint(error, 'searches_topic_fk')) throw createOtherSide(topic.slug, service.kind);
    throw error;
  }
}

/** Simulated and real data never mix, so a topic has searches of one side only. */
function createOtherSide(topic: string, kind: ServiceKind): Refused {
  const [has, given] = kind === 'sandbox' ? ['real', 'simulated'] : ['simulated', 'real'];
  const service = kind === 'sandbox' ? 'own or hosted' : 'sandbox';
  return new Refused(
    'conflict',
    `the topic "${topic}" has ${has} data, and this search would add ${given} data (service ${kind}); ` +
      `choose another topic, or the service ${service}`,
  );
}

/** Omitted members keep their values. */
export type SearchEdit = Omit<WrittenSearch, 'slug' | 'operation'>;
type EditedSearch = { search: Search; changesRequest: boolean; changed: boolean };

/**
 * Edits a search: creates a new version under the row lock that the scan takes. Slots that are due by the old schedule get
 * their rows first; queued runs keep the version they were created with. A change of the request (not of the schedule, labels
 * or sensitivity) starts a new baseline. A search that was broken by an unreadable schedule becomes active again.
 * @throws InvalidInput, Refused `not_found`, or `conflict` if it was removed
 */
export async function editSearch(ctx: ActingContext, slug: string, edit: SearchEdit): Promise<EditedSearch> {
  await assertSearchNotRemoved(ctx.db, slug);
  const { queued, ...edited } = await inTransaction(ctx.db, (tx) => editInTransaction(ctx, tx, slug, edit));
  await enqueueNewRuns(ctx, queued, 'schedule');
  return edited;
}

/** @returns also the runs to enqueue after the commit */
async function editInTransaction(
  ctx: ActingContext,
  tx: Transaction,
  slug: string,
  edit: SearchEdit,
): Promise<EditedSearch & { queued: readonly Id[] }> {
  const locked = await lockSearchBySlug(tx, slug);
  const before = await requireSearch(tx, slug);
  const checked = checkSearch(mergeEdit(before, edit));
  const changesRequest = !isDeepStrictEqual(pickRequest(checked.definition), pickRequest(before));
  if (!isDeepStrictEqual(checked.definition.tools, before.tools))
    await refuseWithoutSources(ctx, before.service_kind, [{ search: toSearchTools(checked), path: '' }]);
  const changesSchedule = !isDeepStrictEqual(pickTiming(checked.definition), pickTiming(before));
  const changesRest =
    checked.sensitivity !== before.sensitivity || !isDeepStrictEqual(checked.labels, before.labels);
  if (!changesRequest && !changesSchedule && !changesRest)
    return { search: before, changesRequest, changed: false, queued: [] };

  const now = await readTime(tx, ctx.clock);
  const queued = await recordDueSlots(ctx, tx, [locked], now);
  // Recording slots may have changed the state to broken, or from capped to active.
  const state = (await lockSearch(tx, locked.id))?.state;
  const repaired = state === 'broken' && findNextSlot(before, now) === null;
  const next = new Date(nextSlot(checked.schedule, now));
  const stopped = state === 'paused' || state === 'broken';
  const version = before.version + 1;
  const requestVersion = changesRequest ? version : before.request_version;
  const { definition } = checked;
  await insertVersion(tx, { searchId: before.id, version, requestVersion, definition, now });
  await setVersion(tx, before.id, version, checked, stopped ? null : next);
  if (repaired) await setState(tx, before.id, 'active', null, now, next);
  const search = await findSearch(tx, slug);
  if (search === null) throw createSearchNotFound(slug);
  const changes = diffFields(pickEditable(before), pickEditable(search));
  await recordAudit(tx, ctx, { action: 'search.updated', subject: slug, changes });
  return { search, changesRequest, changed: true, queued: queued.map(({ id }) => id) };
}

/**
 * A saved search with an edit applied, and its service. Changes nothing.
 * @throws Refused `not_found`
 */
export async function previewEdit(
  { db }: Pick<Context, 'db'>,
  slug: string,
  edit: SearchEdit,
): Promise<WrittenSearch & { service: string }> {
  const search = await requireSearch(db.pool, slug);
  return { ...mergeEdit(search, edit), service: search.service_kind };
}

/** The search as a person would write it, with the edit applied. */
function mergeEdit(search: Search, edit: SearchEdit): WrittenSearch {
  const ai = search.operation === 'ai';
  const reschedules = edit.cron !== undefined || edit.every !== undefined;
  const when = reschedules
    ? {
        cron: edit.cron,
        every: edit.every,
        tz: edit.tz ?? (edit.cron === undefined ? undefined : readCronZone(search)),
      }
    : {
        cron: search.cron ?? undefined,
        every: formatEvery(search),
        tz: search.cron === null ? edit.tz : (edit.tz ?? search.tz),
      };
  return {
    slug: search.slug,
    operation: search.operation,
    prompt: edit.prompt ?? search.prompt,
    tools: edit.tools ?? (ai ? search.tools : undefined),
    model: edit.model ?? search.model,
    date_filter: edit.date_filter ?? (ai ? (search.date_filter ?? undefined) : undefined),
    streaming: edit.streaming ?? (ai ? search.streaming : undefined),
    extra: edit.extra ?? JSON.stringify(search.extra),
    labels: edit.labels ?? search.labels,
    sensitivity: edit.sensitivity ?? search.sensitivity,
    ...when,
  };
}

function formatEvery(search: Search): string | undefined {
  return search.every_seconds === null ? undefined : `${search.every_seconds}s`;
}

function readCronZone(search: Search): string | undefined {
  return search.cron === null ? undefined : search.tz;
}

/** The editable members of a search. */
function pickEditable(search: Search): Definition & Pick<Search, 'labels' | 'sensitivity'> {
  const { labels, sensitivity } = search;
  return { ...pickRequest(search), ...pickTiming(search), labels, sensitivity };
}

function pickRequest({
  prompt,
  tools,
  model,
  date_filter,
  streaming,
  extra,
}: Definition): Omit<Definition, keyof Timing> {
  return { prompt, tools, model, date_filter, streaming, extra };
}

type Timing = Pick<Definition, 'cron' | 'every_seconds' | 'tz'>;

function pickTiming({ cron, every_seconds, tz }: Definition): Timing {
  return { cron, every_seconds, tz };
}
