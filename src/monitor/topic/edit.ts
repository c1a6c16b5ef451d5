import { isDeepStrictEqual } from 'node:util';
import { changesBetween, recordAudit } from '../../store/audit.ts';
import { type Id, inTransaction, readTime, type Transaction } from '../../store/database.ts';
import { type Definition, findSearch, insertVersion, type Search, setVersion } from '../../store/searches.ts';
import { lockSearch, setState } from '../../store/slots.ts';
import type { Acting, Context } from '../context.ts';
import { enqueueNewRuns } from '../enqueue.ts';
import { nextSlot } from '../schedule/cadence.ts';
import { nextSlotOf } from '../schedule/schedule-of.ts';
import { recordDueSlots } from '../schedule/due-slots.ts';
import { checkSearch, type WrittenSearch } from './definition.ts';
import { assertKept } from './find.ts';
import { lockNamed, noSearch, searchNamed } from './named.ts';

/** What an edit leaves out stays as it is. */
export type Edit = Omit<WrittenSearch, 'slug' | 'operation'>;
export type Edited = { search: Search; changesRequest: boolean; changed: boolean };

/**
 * Changes a search: a new version of it, under the row lock that the scan takes. Slots that are due by the old
 * schedule get their rows first; queued runs keep the version they were made with. A change of the request
 * (not of the schedule, labels or sensitivity) starts a new baseline. A search that broke because its schedule could not
 * be read goes on.
 * @throws InvalidInput, Refused `not_found`, or `conflict` where it was removed
 */
export async function editSearch(ctx: Acting, slug: string, edit: Edit): Promise<Edited> {
  await assertKept(ctx.db, slug);
  const { queued, ...edited } = await inTransaction(ctx.db, (tx) => editInside(ctx, tx, slug, edit));
  await enqueueNewRuns(ctx, queued, 'schedule');
  return edited;
}

/** With the runs that are enqueued once it is committed. */
async function editInside(
  ctx: Acting,
  tx: Transaction,
  slug: string,
  edit: Edit,
): Promise<Edited & { queued: readonly Id[] }> {
  const locked = await lockNamed(tx, slug);
  const before = await searchNamed(tx, slug);
  const checked = checkSearch(merged(before, edit));
  const changesRequest = !isDeepStrictEqual(requestOf(checked.definition), requestOf(before));
  const changesSchedule = !isDeepStrictEqual(whenOf(checked.definition), whenOf(before));
  const changesRest =
    checked.sensitivity !== before.sensitivity || !isDeepStrictEqual(checked.labels, before.labels);
  if (!changesRequest && !changesSchedule && !changesRest)
    return { search: before, changesRequest, changed: false, queued: [] };

  const now = await readTime(tx, ctx.clock);
  const queued = await recordDueSlots(ctx, tx, [locked], now);
  // That may have broken the search, or ended its capped day.
  const state = (await lockSearch(tx, locked.id))?.state;
  const repaired = state === 'broken' && nextSlotOf(before, now) === null;
  const next = new Date(nextSlot(checked.schedule, now));
  const stopped = state === 'paused' || state === 'broken';
  const version = before.version + 1;
  const requestVersion = changesRequest ? version : before.request_version;
  const { definition } = checked;
  await insertVersion(tx, { searchId: before.id, version, requestVersion, definition, now });
  await setVersion(tx, before.id, version, checked, stopped ? null : next);
  if (repaired) await setState(tx, before.id, 'active', null, now, next);
  const search = await findSearch(tx, slug);
  if (search === null) throw noSearch(slug);
  const changes = changesBetween(editable(before), editable(search));
  await recordAudit(tx, ctx, { action: 'search.updated', subject: slug, changes });
  return { search, changesRequest, changed: true, queued: queued.map(({ id }) => id) };
}

/**
 * A saved search as it would be written with an edit, and the service that it belongs to. Nothing is changed.
 * @throws Refused `not_found`
 */
export async function writtenWith(
  { db }: Pick<Context, 'db'>,
  slug: string,
  edit: Edit,
): Promise<WrittenSearch & { service: string }> {
  const search = await searchNamed(db.pool, slug);
  return { ...merged(search, edit), service: search.service_kind };
}

/** The search as a person would write it today, with the edit laid over it. */
function merged(search: Search, edit: Edit): WrittenSearch {
  const ai = search.operation === 'ai';
  const reschedules = edit.cron !== undefined || edit.every !== undefined;
  const when = reschedules
    ? {
        cron: edit.cron,
        every: edit.every,
        tz: edit.tz ?? (edit.cron === undefined ? undefined : zoneOf(search)),
      }
    : {
        cron: search.cron ?? undefined,
        every: everyOf(search),
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

function everyOf(search: Search): string | undefined {
  return search.every_seconds === null ? undefined : `${search.every_seconds}s`;
}

function zoneOf(search: Search): string | undefined {
  return search.cron === null ? undefined : search.tz;
}

/** What a person decides of a search, beside its slug and topic. */
export function editable(search: Search): Definition & Pick<Search, 'labels' | 'sensitivity'> {
  const { labels, sensitivity } = search;
  return { ...requestOf(search), ...whenOf(search), labels, sensitivity };
}

function requestOf({
  prompt,
  tools,
  model,
  date_filter,
  streaming,
  extra,
}: Definition): Omit<Definition, keyof When> {
  return { prompt, tools, model, date_filter, streaming, extra };
}

type When = Pick<Definition, 'cron' | 'every_seconds' | 'tz'>;

function whenOf({ cron, every_seconds, tz }: Definition): When {
  return { cron, every_seconds, tz };
}
