import { isDeepStrictEqual } from 'node:util';
import { Refused } from '../../errors.ts';
import { type Id, inTransaction } from '../../store/database.ts';
import { type Definition, findSearch, insertVersion, type Search, setVersion } from '../../store/searches.ts';
import { lockSearch } from '../../store/slots.ts';
import { type Context, wake } from '../context.ts';
import { nextSlot } from '../schedule/cadence.ts';
import { writeSchedule } from '../schedule/schedule.ts';
import { tickLocked } from '../schedule/tick.ts';
import { checkSearch, type WrittenSearch } from './definition.ts';

/** What an edit leaves out stays as it is. */
export type Edit = Omit<WrittenSearch, 'slug' | 'operation'>;
export type Edited = { search: Search; changesRequest: boolean; changed: boolean };

/**
 * Changes a search: a new version of it, under the row lock that ticks take. Slots that are due by the old
 * schedule get their rows first; queued runs keep the version they were made with. A change of the request
 * (not of the schedule or labels) starts a new baseline.
 */
export async function editSearch(ctx: Context, slug: string, edit: Edit): Promise<Edited> {
  const queued: Id[] = [];
  const edited = await inTransaction(ctx.db, async (tx) => {
    queued.length = 0;
    const found = await findSearch(tx, slug);
    if (found === null || found.archived_at !== null)
      throw new Refused('not_found', `there is no search "${slug}"`);
    const locked = await lockSearch(tx, found.id);
    const before = await findSearch(tx, slug);
    if (locked === null || before === null) throw new Refused('not_found', `there is no search "${slug}"`);
    const checked = checkSearch(merged(before, edit));
    const changesRequest = !isDeepStrictEqual(requestOf(checked.definition), requestOf(before));
    const changesSchedule = !isDeepStrictEqual(whenOf(checked.definition), whenOf(before));
    const changesLabels = !isDeepStrictEqual(checked.labels, before.labels);
    if (!changesRequest && !changesSchedule && !changesLabels)
      return { search: before, changesRequest: false, changed: false };

    const now = ctx.clock.now();
    queued.push(...(await tickLocked(ctx, tx, locked)).queued);
    const version = before.version + 1;
    const requestVersion = changesRequest ? version : before.request_version;
    await insertVersion(tx, {
      searchId: before.id,
      version,
      requestVersion,
      definition: checked.definition,
      now,
    });
    const resting = before.state === 'paused' || before.state === 'broken';
    await setVersion(
      tx,
      before.id,
      version,
      checked.labels,
      resting ? null : new Date(nextSlot(checked.schedule, now)),
    );
    const search = await findSearch(tx, slug);
    return {
      search: search ?? before,
      changesRequest,
      changed: true,
      pattern: resting ? null : writeSchedule(checked.schedule),
    };
  });
  await wake(
    ctx,
    queued.map((runId) => ({ runId, fence: 0 })),
  );
  if ('pattern' in edited && typeof edited.pattern === 'string') {
    await ctx.queue
      .schedule(edited.search.id, edited.pattern)
      .catch((error: unknown) =>
        ctx.log.warn({ err: error, search: slug }, 'schedule not told; the reconciler will'),
      );
  }
  return { search: edited.search, changesRequest: edited.changesRequest, changed: edited.changed };
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
    ...when,
  };
}

function everyOf(search: Search): string | undefined {
  return search.every_seconds === null ? undefined : `${search.every_seconds}s`;
}

function zoneOf(search: Search): string | undefined {
  return search.cron === null ? undefined : search.tz;
}

function requestOf({ prompt, tools, model, date_filter, streaming, extra }: Definition): object {
  return { prompt, tools, model, date_filter, streaming, extra };
}

function whenOf({ cron, every_seconds, tz }: Definition): object {
  return { cron, every_seconds, tz };
}
