/** Creates and edits searches. An edit creates a new version under the row lock that the scan takes. */

import { Refused } from '../../model/errors.ts';
import { requireSlug } from '../../model/slug.ts';
import { diffFields, recordAudit, recordCreation } from '../../store/access/audit-entries.ts';
import {
  type Id,
  inTransaction,
  readTime,
  type Transaction,
  violatesConstraint,
} from '../../store/db/database.ts';
import { insertRun } from '../../store/runs/run-states.ts';
import {
  type Definition,
  findSearch,
  insertSearch,
  insertVersion,
  type Search,
  setVersion,
  updateSearchSlug,
} from '../../store/topics/searches.ts';
import { keepFormerSlug, releaseFormerSlug } from '../../store/topics/former-slugs.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import { type LockedSearch, lockSearch, setSearchState } from '../../store/topics/search-states.ts';
import { ensureTopic, findTopic, type Topic } from '../../store/topics/topics.ts';
import type { ActingContext, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { createOrReplace, type Put, type PutOptions } from '../put.ts';
import { firstDue, readSchedule, tryToRead } from '../schedule/cadence.ts';
import { findDueAgain, recordDueSlots } from '../schedule/due-slots.ts';
import { writeEvery } from '../schedule/schedule.ts';
import { assertSearchNotRemoved, createTaken, lockSearchBySlug, requireSearch } from './find-by-slug.ts';
import {
  type CheckedSearch,
  checkSearch,
  pickDefinition,
  pickRequest,
  type WrittenSearch,
} from './search-definition.ts';
import { chooseService } from './service-choice.ts';
import { refuseWithoutSources } from './tool-sources.ts';
import { isDeepStrictEqual } from 'node:util';

export type NewSearch = WrittenSearch & { topic?: string | undefined; service?: string | undefined };
export type CreatedSearch = {
  search: Search;
  firstRunId: Id;
};

/**
 * Creates a search and its first run, whose results are the baseline. Creates the topic if it does not exist.
 * @throws InvalidInput, Refused `conflict` if the slug is taken or the topic was removed
 */
export async function createSearch(ctx: ActingContext, written: NewSearch): Promise<CreatedSearch> {
  const checked = checkSearch(written);
  const named = requireSlug(written.topic ?? checked.slug, 'topic');
  const service = await chooseService(ctx, written.service);
  await refuseWithoutSources(ctx, service.kind, [checked]);
  const created = await inTransaction(ctx.db, async (tx) => {
    const topic = (await findTopic(tx, named))?.slug ?? named;
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
  topic: Pick<Topic, 'slug' | 'name' | 'sample'>;
  service: { id: Id; kind: ServiceKind };
};

/**
 * Inserts a search with its first run in an open transaction, and its topic if none has that slug now. A former slug of another
 * topic or search leads to the new one. After the commit, the caller enqueues the run.
 */
export async function insertCheckedSearch(
  ctx: Context,
  tx: Transaction,
  { checked, topic, service }: SearchToInsert,
): Promise<CreatedSearch> {
  const now = await readTime(tx, ctx.clock);
  const ensured = await ensureTopic(tx, { ...topic, now });
  if (ensured.archived_at !== null) throw createTaken({ ...ensured, kind: 'topic' });
  await releaseFormerSlug(tx, { kind: 'topic', slug: topic.slug });
  const nextDueAt = new Date(firstDue(checked.schedule, now));
  const { slug } = checked;
  await assertSlugFree(tx, slug);
  try {
    const searchId = await insertSearch(tx, {
      ...checked,
      topicId: ensured.id,
      serviceId: service.id,
      nextDueAt,
      now,
    });
    await releaseFormerSlug(tx, { kind: 'search', slug });
    const firstRunId = await insertRun(tx, { searchId, trigger: 'first', now });
    const search = await readWritten(tx, slug);
    return { search, firstRunId };
  } catch (error) {
    // Another search took it meanwhile.
    if (violatesConstraint(error, 'searches_slug_key'))
      throw new Refused('conflict', `the search "${slug}" already exists; choose another slug`);
    throw error;
  }
}

/** @throws Refused `conflict` */
async function assertSlugFree(tx: Transaction, slug: string): Promise<void> {
  const owner = await findSearch(tx, slug);
  if (owner?.slug === slug) throw createTaken({ ...owner, kind: 'search' });
}

/** A search that this transaction wrote. */
async function readWritten(tx: Transaction, slug: string): Promise<Search> {
  const search = await findSearch(tx, slug);
  if (search === null) throw new Error(`the search "${slug}" was written and is not there`);
  return search;
}

/** Omitted members keep their values. */
export type SearchEdit = Omit<WrittenSearch, 'slug' | 'operation'> & { slug?: string | undefined };
type EditedSearch = { search: Search; changesRequest: boolean; changed: boolean };

/**
 * Edits a search, all or nothing: renames it, or creates a new version. A change of the request (not of the
 * schedule, labels or sensitivity) starts a new baseline. Its former slug leads to it until another search takes it.
 * @throws InvalidInput, Refused `not_found`, or `conflict` if it was removed or the slug is taken
 */
export async function editSearch(ctx: ActingContext, slug: string, edit: SearchEdit): Promise<EditedSearch> {
  await assertSearchNotRemoved(ctx.db, slug);
  return saveEdit(ctx, slug, (before) => mergeEdit(before, edit));
}

/**
 * Creates a search, and its topic if there is none, or replaces the search: what is not given gets the default of a new search.
 * @throws as {@link createSearch}; Refused `conflict` if the search has another topic, service or operation, or was removed
 */
export async function putSearch(
  ctx: ActingContext,
  slug: string,
  written: Omit<NewSearch, 'slug'>,
  options: PutOptions,
): Promise<Put<Search>> {
  const { topic = slug, service, ...members } = written;
  checkSearch({ slug, ...members });
  return createOrReplace(
    {
      what: `the search "${slug}"`,
      exists: async () => (await findSearch(ctx.db.pool, slug))?.archived_at === null,
      create: async () => (await createSearch(ctx, { slug, ...written })).search,
      replace: async () => {
        const replaced = await saveEdit(ctx, slug, (before) => {
          const { operation = 'microblog' } = members;
          // The default of a new search depends on the configuration, which may have changed since.
          assertSameWhole(before, { topic, service: service ?? before.service_kind, operation });
          return { slug, ...members };
        });
        return replaced.search;
      },
    },
    options,
  );
}

/** What a search keeps: it cannot be replaced by one of another topic, service or operation. @throws Refused `conflict` */
function assertSameWhole(
  before: Search,
  wanted: { topic: string; service: string; operation: string },
): void {
  const own = { topic: before.topic, service: before.service_kind, operation: before.operation };
  const differs = (['topic', 'service', 'operation'] as const).find((name) => own[name] !== wanted[name]);
  if (differs !== undefined)
    throw new Refused(
      'conflict',
      `the search "${before.slug}" has the ${differs} "${own[differs]}", which cannot be changed to "${wanted[differs]}"; create a search with another slug`,
    );
}

/** @param write the search as a person would write it, from what it is */
async function saveEdit(
  ctx: ActingContext,
  slug: string,
  write: (before: Search) => WrittenSearch,
): Promise<EditedSearch> {
  const { queued, ...edited } = await inTransaction(ctx.db, (tx) => editInTransaction(ctx, tx, slug, write));
  await enqueueNewRuns(ctx, queued, 'schedule');
  return edited;
}

/** @returns also the runs to enqueue after the commit */
async function editInTransaction(
  ctx: ActingContext,
  tx: Transaction,
  slug: string,
  write: (before: Search) => WrittenSearch,
): Promise<EditedSearch & { queued: readonly Id[] }> {
  const locked = await lockSearchBySlug(tx, slug);
  const before = await requireSearch(tx, slug);
  const checked = checkSearch(write(before));
  const now = await readTime(tx, ctx.clock);
  const version = await saveVersion(ctx, tx, { locked, before, checked, now });
  if (checked.slug !== before.slug) {
    await assertSlugFree(tx, checked.slug);
    await updateSearchSlug(tx, before.id, checked.slug);
    await releaseFormerSlug(tx, { kind: 'search', slug: checked.slug });
    await keepFormerSlug(tx, { kind: 'search', id: before.id, slug: before.slug, now });
  }
  const search = await readWritten(tx, checked.slug);
  const changes = diffFields(pickRecorded(before), pickRecorded(search));
  const changed = Object.keys(changes).length > 0;
  if (changed) await recordAudit(tx, ctx, { action: 'search.updated', subject: before.slug, changes });
  return { search, changed, ...version };
}

/**
 * Creates a new version under the row lock that the scan takes, if anything of it changes. Slots that are due by the old
 * schedule get their rows first; queued runs keep the version they were created with. A search that was broken by an
 * unreadable schedule becomes active again. A new slug moves the slots of an interval, without a new version.
 */
async function saveVersion(
  ctx: ActingContext,
  tx: Transaction,
  {
    locked,
    before,
    checked,
    now,
  }: { locked: LockedSearch; before: Search; checked: CheckedSearch; now: Date },
): Promise<{ changesRequest: boolean; queued: readonly Id[] }> {
  const { definition } = checked;
  const changesRequest = !isDeepStrictEqual(pickRequest(definition), pickRequest(before));
  if (!isDeepStrictEqual(definition.tools, before.tools))
    await refuseWithoutSources(ctx, before.service_kind, [checked]);
  const edited = { ...definition, labels: checked.labels, sensitivity: checked.sensitivity };
  const changes = !isDeepStrictEqual(pickEditable(edited), pickEditable(before));
  const movesSlots = checked.schedule.kind === 'every' && checked.slug !== before.slug;
  if (!changes && !movesSlots) return { changesRequest, queued: [] };

  const queued = await recordDueSlots(ctx, tx, [locked], now);
  // Recording slots may have changed the state to broken, or from capped to active, and sets the next due time.
  const search = (await lockSearch(tx, locked.id)) ?? locked;
  const { state } = search;
  const repaired = state === 'broken' && tryToRead(() => firstDue(readSchedule(before), now)) === null;
  // What was learned about the request is still valid.
  const keepsDue = definition.auto !== null && definition.auto === before.auto && !changesRequest;
  const due = keepsDue ? search.next_due_at : null;
  const next = due ?? findDueAgain(ctx, search, checked.schedule, now);
  const stopped = state === 'paused' || state === 'broken';
  const version = changes ? before.version + 1 : before.version;
  const requestVersion = changesRequest ? version : before.request_version;
  if (changes) await insertVersion(tx, { searchId: before.id, version, requestVersion, definition, now });
  await setVersion(tx, before.id, version, checked, stopped ? null : next);
  if (repaired) await setSearchState(tx, before.id, 'active', null, now, next);
  return { changesRequest, queued: queued.map(({ id }) => id) };
}

/** A saved search with an edit applied, and its service. Changes nothing. @throws Refused `not_found` */
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
  const { cron, every } = reschedules ? edit : { cron: search.cron ?? undefined, every: writeEvery(search) };
  // An interval has no zone; a cron expression keeps the zone of the schedule before it.
  const zone = cron === undefined || search.cron === null ? undefined : search.tz;
  return {
    slug: edit.slug ?? search.slug,
    operation: search.operation,
    prompt: edit.prompt ?? search.prompt,
    tools: edit.tools ?? (ai ? search.tools : undefined),
    model: edit.model ?? search.model,
    date_filter: edit.date_filter ?? (ai ? (search.date_filter ?? undefined) : undefined),
    streaming: edit.streaming ?? (ai ? search.streaming : undefined),
    extra: edit.extra ?? JSON.stringify(search.extra),
    labels: edit.labels ?? search.labels,
    sensitivity: edit.sensitivity ?? search.sensitivity,
    cron,
    every,
    tz: edit.tz ?? zone,
  };
}

/** The members of a search that an entry of the audit log has. */
function pickRecorded(search: Search) {
  return { slug: search.slug, topic: search.topic, ...pickEditable(search) };
}

type Editable = Definition & Pick<Search, 'labels' | 'sensitivity'>;

/** What a version of a search, and the settings beside it, consist of. */
function pickEditable(search: Editable): Editable {
  const { labels, sensitivity } = search;
  return { ...pickDefinition(search), labels, sensitivity };
}
