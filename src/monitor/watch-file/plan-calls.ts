/** How many calls a day the searches of each service make, before and after a plan. */
import { readCallsPerDay } from '../../config/config.ts';
import { SERVICE_KINDS, type ServiceKind } from '../../model/closed-lists.ts';
import { listSearches, type Search } from '../../store/topics/searches.ts';
import type { Context } from '../context.ts';
import { type Forecast, forecastSaved, forecastSearches } from '../topics/search-forecast.ts';
import type { Step } from './step.ts';
import type { Settings } from './resource.ts';
import type { SearchSettings } from './search-resource.ts';

export type CallsPerDay = {
  service: ServiceKind;
  /** Its calls are known to cost nothing. */
  free: boolean;
  before: number;
  after: number;
  /** `CALLS_PER_DAY`; null: no limit. */
  limit: number | null;
};

const SCHEDULE = ['every', 'cron', 'tz'];

/** Calls a day of each service that has searches before or after the plan. Paused and broken searches make none. */
export async function forecastCalls(ctx: Context, steps: readonly Step[]): Promise<CallsPerDay[]> {
  const running = (await listSearches(ctx.db.pool)).filter(
    ({ state }) => state === 'active' || state === 'capped',
  );
  const ofSearches = steps.filter(({ kind }) => kind.table === 'searches');
  const existing = new Map(
    ofSearches.flatMap((step) => (step.before === undefined ? [] : [[step.before.key, step]])),
  );
  const created = ofSearches.flatMap(({ before, wanted }) =>
    before === undefined && wanted !== undefined ? [wanted] : [],
  );
  const all: CallsPerDay[] = [];
  for (const service of SERVICE_KINDS) {
    const saved = running.filter(({ service_kind }) => service_kind === service);
    const made = created.filter(({ settings }) => settings['service'] === service);
    if (saved.length + made.length === 0) continue;
    const days = { before: 0, after: 0 };
    for (const batch of split(saved)) {
      const now = await forecastSaved(ctx, batch);
      days.before += now.calls.day;
      days.after += now.calls.day;
      for (const [i, search] of batch.entries()) {
        const step = existing.get(search.slug);
        if (step !== undefined) days.after += await forecastChange(ctx, search, step, readDay(now, i));
      }
    }
    for (const batch of split(made)) {
      const inputs = batch.map(({ key, settings }) => ({ name: key, ...toInput(settings) }));
      days.after += (await forecastSearches(ctx, service, inputs)).calls.day;
    }
    all.push({
      service,
      free: await ctx.isFree(service),
      before: round(days.before),
      after: round(Math.max(0, days.after)),
      limit: readCallsPerDay(ctx.config, service),
    });
  }
  return all;
}

/** Computed between two turns of the event loop: a cron expression takes milliseconds. */
const BATCH = 4;

function split<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, i) =>
    all.slice(i * BATCH, (i + 1) * BATCH),
  );
}

const readDay = ({ searches }: Forecast, i: number) => searches[i]?.preview?.plannedRunsPerDay ?? 0;
const round = (calls: number) => Math.round(calls * 10) / 10;

/** How many calls a day more a change of a saved search makes. @param day its calls now */
async function forecastChange(ctx: Context, search: Search, step: Step, day: number): Promise<number> {
  if (step.action === 'remove') return -day;
  if (step.wanted === undefined || !SCHEDULE.some((name) => name in step.changed)) return 0;
  const { every, cron, tz } = toInput(step.wanted.settings);
  return readDay(await forecastSaved(ctx, [search], { edit: { every, cron, tz } }), 0) - day;
}

/** The members of a search that its forecast needs. */
function toInput(settings: Settings) {
  const { operation, tools, model, every, cron, tz } = settings as SearchSettings; // of the kind search
  return {
    operation,
    tools,
    model,
    every: every ?? undefined,
    cron: cron ?? undefined,
    tz: tz ?? undefined,
  };
}
