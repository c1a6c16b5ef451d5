/**
 * Forecast of searches, saved or not: next runs, calls, cost, and tools without a source. Every entry point shows this
 * forecast.
 */

import { formatUsd, formatWhole } from '../../lib/display-format.ts';
import { readCallsPerDay } from '../../config/config.ts';
import { type Model, MODELS, type Operation, OPERATIONS, TOOLS } from '../../model/enumerations.ts';
import { InvalidInput, type Problem } from '../../model/errors.ts';
import type { MissingTool } from '../../model/tool-coverage.ts';
import { readPaces } from '../../store/runs/pace.ts';
import { type CallCost, readCallCosts } from '../../store/queries/call-costs.ts';
import { readServiceDays } from '../../store/queries/run-tallies.ts';
import type { Search } from '../../store/topics/searches.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import type { ScheduleColumns } from '../../store/topics/search-states.ts';
import type { Context } from '../context.ts';
import { FAR_FUTURE, nextSlots } from '../schedule/cadence.ts';
import { limitCalls } from '../schedule/call-budget.ts';
import { NEW_PACE, type Pace, toPace } from '../schedule/pace.ts';
import { DAYS_IN_MONTH, planAdaptive, planFixed, type RunPlan } from '../schedule/pace-forecast.ts';
import { USUAL_FILL } from '../schedule/pace-interval.ts';
import { parseSearchSchedule, writeEvery } from '../schedule/schedule.ts';
import { describeSchedule, formatSlot } from '../schedule/schedule-text.ts';
import { readServiceFill } from '../schedule/service-fill.ts';
import type { CheckedSearch, WrittenSearch } from './search-definition.ts';
import { findMissingTools } from './tool-sources.ts';

type ForecastContext = Pick<Context, 'clock' | 'config' | 'db' | 'missingTools' | 'isFree'>;

/** The members of a search that a forecast needs. */
type ForecastInput = Pick<WrittenSearch, 'operation' | 'tools' | 'model' | 'cron' | 'tz' | 'every'> & {
  /** Its slug, or a display name. */
  name: string;
  /** If it is saved: what its responses have shown, the fill of its service, and when an adaptive search is due. */
  saved?: { pace: Pace; fill: number; dueAt: Date | null };
};

/** The next runs of a search, and how many calls they may make. */
export type SchedulePreview = RunPlan & {
  words: string;
  next: { at: Date; local: string }[];
  /** Runs on the busiest day times the calls that a run may make. */
  mostCallsPerDay: number;
  /** Times the calls that a run may make. */
  mostCallsPerMonth: number;
  /** Limit of its service; null if there is none. */
  callsPerDayLimit: number | null;
  adaptive: boolean;
};

/** What calls may cost, in US dollars. */
type Cost = {
  /** One call per run, at the median recent cost. */
  usual_usd: number;
  /** As many calls as runs may make, at the highest recent cost. */
  most_usd: number;
};

export type SearchForecast = {
  name: string;
  /** Time zone of cron; null for an interval. */
  zone: string | null;
  /** Null if the schedule is invalid; see `problems`. */
  preview: SchedulePreview | null;
  problems: readonly Problem[];
  /** Recent cost of one call of this operation; null if never reported. */
  call: CallCost | null;
  /** Its tools without a source. */
  missing: MissingTool[];
  /** Cost of a planned day and of 30 days; null if the cost of such a call was never reported. */
  cost: { day: Cost; month: Cost } | null;
};

export type Forecast = {
  service: ServiceKind;
  /** Its calls are known to cost nothing. */
  free: boolean;
  searches: readonly SearchForecast[];
  /** Of all searches: one call per run, and as many as their runs may make. */
  calls: { day: number; month: number; mostDay: number };
  /** Cost of all searches; null if the cost of a search was never reported, or nothing is charged. */
  cost: { day: Cost; month: Cost } | null;
  /** `CALLS_PER_DAY` of the service; null if unlimited. */
  limit: number | null;
  /** Calls of the service today (UTC). */
  callsToday: number;
};

/** @param count next runs to list */
export async function forecastSearches(
  ctx: ForecastContext,
  service: ServiceKind,
  searches: readonly ForecastInput[],
  { count = 3 }: { count?: number | undefined } = {},
): Promise<Forecast> {
  const [costs, days] = await Promise.all([
    readCallCosts(ctx.db, service),
    readServiceDays(ctx.db, ctx.clock.now()),
  ]);
  const foreseen = await Promise.all(
    searches.map(async (search): Promise<SearchForecast> => {
      const { name, cron, tz } = search;
      const tools = TOOLS.filter((tool) => search.tools?.includes(tool) ?? true);
      const operation = findName(OPERATIONS, search.operation, 'microblog');
      const model = findName(MODELS, search.model, 'NOVA');
      const missing = await findMissingTools(ctx, service, { operation, tools });
      const call = costs.find((cost) => cost.operation === operation && cost.model === model) ?? null;
      try {
        const preview = previewSchedule(ctx, search, { service_kind: service, operation, count });
        const zone = cron === undefined ? null : (tz ?? 'UTC');
        return { name, zone, preview, problems: [], call, missing, cost: estimateCost(preview, call) };
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return { name, zone: null, preview: null, problems: error.problems, call, missing, cost: null };
      }
    }),
  );
  return {
    service,
    free: await ctx.isFree(service),
    searches: foreseen,
    calls: {
      day: sumOf(foreseen, ({ preview }) => preview?.plannedRunsPerDay ?? 0),
      month: sumOf(foreseen, ({ preview }) => preview?.runsPerMonth ?? 0),
      mostDay: sumOf(foreseen, ({ preview }) => preview?.mostCallsPerDay ?? 0),
    },
    cost: service === 'hosted' ? addCosts(foreseen) : null,
    limit: readCallsPerDay(ctx.config, service),
    callsToday: days.find(({ kind }) => kind === service)?.calls_today ?? 0,
  };
}

/** An invalid name is reported on save; until then the forecast uses the default. */
function findName<T extends Operation | Model>(
  names: readonly T[],
  choice: string | undefined,
  usual: NoInfer<T>,
): T {
  return names.find((name) => name === choice) ?? usual;
}

/** The members of a stored search that its forecast needs. */
type SavedSearch = ScheduleColumns &
  Pick<Search, 'id' | 'slug' | 'service_kind' | 'operation' | 'tools' | 'model' | 'next_due_at'>;

/**
 * The forecast of saved searches of one service.
 * @param options.edit members that replace those of the searches; a schedule replaces a schedule
 */
export async function forecastSaved(
  ctx: ForecastContext,
  searches: readonly SavedSearch[],
  { edit = {}, count }: { edit?: Omit<ForecastInput, 'name' | 'saved'>; count?: number } = {},
): Promise<Forecast> {
  const paces = await readPaces(
    ctx.db,
    searches.map(({ id }) => id),
  );
  const learned = paces.find(({ rate }) => rate !== null);
  const fill =
    learned === undefined
      ? USUAL_FILL
      : await readServiceFill(ctx, { id: learned.service_id, kind: learned.service_kind });
  const inputs = searches.map((search): ForecastInput => {
    const { slug: name, operation, tools, model } = search;
    const row = paces.find(({ search_id }) => search_id === search.id);
    const isKept = edit.cron === undefined && edit.every === undefined && edit.tz === undefined;
    const saved = { pace: toPace(row ?? null), fill, dueAt: isKept ? search.next_due_at : null };
    return { name, operation, tools, model, ...edit, ...(isKept ? writeSchedule(search) : {}), saved };
  });
  const service = searches[0]?.service_kind ?? 'sandbox';
  return forecastSearches(ctx, service, inputs, { count });
}

/** The forecast of searches that are checked, and not saved. */
export async function forecastChecked(
  ctx: ForecastContext,
  service: ServiceKind,
  searches: readonly CheckedSearch[],
): Promise<Forecast> {
  const inputs = searches.map(({ slug: name, operation, definition }): ForecastInput => {
    const { tools, model } = definition;
    return { name, operation, tools, model, ...writeSchedule(definition) };
  });
  return forecastSearches(ctx, service, inputs);
}

/** A stored schedule as people write it. */
function writeSchedule(search: ScheduleColumns): Pick<WrittenSearch, 'cron' | 'tz' | 'every'> {
  const { cron, tz } = search;
  return cron === null ? { every: writeEvery(search) } : { cron, tz };
}

/** @throws InvalidInput with all problems of the schedule */
function previewSchedule(
  { clock, config }: Pick<Context, 'clock' | 'config'>,
  { name, cron, tz, every, saved }: ForecastInput,
  { count, ...search }: Pick<Search, 'service_kind' | 'operation'> & { count: number },
): SchedulePreview {
  const schedule = parseSearchSchedule({ cron, tz, every, slug: name });
  const pace = search.operation === 'ai' ? NEW_PACE : (saved?.pace ?? NEW_PACE);
  const ofService = readCallsPerDay(config, search.service_kind);
  const plan =
    schedule.kind === 'auto'
      ? planAdaptive(schedule, {
          pace,
          fill: saved?.fill,
          calls: limitCalls(config, search, schedule),
          ofService,
        })
      : planFixed(schedule, clock.now().getTime(), pace);
  const next =
    schedule.kind === 'auto' ? [saved?.dueAt ?? []].flat() : nextSlots(schedule, clock.now(), count);
  const zone = schedule.kind === 'cron' ? schedule.tz : 'UTC';
  return {
    words: describeSchedule(schedule),
    adaptive: schedule.kind === 'auto',
    next: next.map((at) => ({ at: new Date(at), local: formatSlot(at, zone) })),
    ...plan,
    mostCallsPerDay: plan.mostRunsPerDay * config.maxCallsPerRun,
    mostCallsPerMonth: plan.mostRunsPerMonth * config.maxCallsPerRun,
    callsPerDayLimit: ofService,
  };
}

/** The cost of a planned day, and of 30 days. */
function estimateCost(preview: SchedulePreview, cost: CallCost | null): SearchForecast['cost'] {
  if (cost === null) return null;
  const { callsPerDayLimit: limit } = preview;
  const price = (days: number, runs: number, mostCalls: number): Cost => ({
    usual_usd: Math.min(runs, (limit ?? runs) * days) * cost.median_usd,
    most_usd: Math.min(mostCalls, (limit ?? mostCalls) * days) * cost.most_usd,
  });
  return {
    day: price(1, preview.plannedRunsPerDay, preview.mostCallsPerDay),
    month: price(DAYS_IN_MONTH, preview.runsPerMonth, preview.mostCallsPerMonth),
  };
}

function addCosts(searches: readonly SearchForecast[]): Forecast['cost'] {
  const costs = searches.flatMap(({ cost }) => cost ?? []);
  if (costs.length < searches.length) return null;
  const add = (span: 'day' | 'month'): Cost => ({
    usual_usd: sumOf(costs, (cost) => cost[span].usual_usd),
    most_usd: sumOf(costs, (cost) => cost[span].most_usd),
  });
  return { day: add('day'), month: add('month') };
}

function sumOf<T>(all: readonly T[], read: (element: T) => number): number {
  return all.reduce((sum, element) => sum + read(element), 0);
}

/** The forecast of one search as JSON, for commands and the API. @throws InvalidInput if its schedule is invalid */
export function toPreviewJson({ searches: [search] }: Pick<Forecast, 'searches'>) {
  if (search?.preview == null) throw new InvalidInput(search?.problems ?? []);
  const { preview, cost, missing } = search;
  return {
    words: preview.words,
    next: preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE),
    runs_per_day: preview.runsPerDay,
    most_runs_per_day: preview.mostRunsPerDay,
    most_calls_per_day: preview.mostCallsPerDay,
    calls_per_day_limit: preview.callsPerDayLimit,
    expected_calls_per_day: preview.expected?.callsPerDay ?? null,
    expected_share_found: preview.expected?.caught ?? null,
    calls_per_month: preview.runsPerMonth,
    most_calls_per_month: preview.mostCallsPerMonth,
    cost_per_day: cost?.day ?? null,
    cost_per_month: cost?.month ?? null,
    missing_tools: missing,
  };
}

/** `120 calls a day and 3,600 in 30 days, at most 360 a day with retries; cost: free`. */
export function describeForecast(forecast: Forecast): string {
  const { day, month, mostDay } = forecast.calls;
  return (
    `${formatWhole(day)} ${day === 1 ? 'call' : 'calls'} a day and ${formatWhole(month)} in ${DAYS_IN_MONTH} days, ` +
    `at most ${formatWhole(mostDay)} a day with retries; cost: ${describeCost(forecast)}`
  );
}

/** `finds about 98 % of posts`, or that it is not known yet; null if it never is: of AI searches and times of day. */
export function describeExpected({
  expected,
  adaptive,
}: Pick<SchedulePreview, 'expected' | 'adaptive'>): string | null {
  if (expected !== null) return `finds about ${Math.floor(Math.min(expected.caught, 0.99) * 100)} % of posts`;
  return adaptive ? 'unknown until responses show how often something is posted' : null;
}

/** What the calls of these searches cost. */
export function describeCost({ service, free, cost }: Pick<Forecast, 'service' | 'free' | 'cost'>): string {
  if (free) return 'free';
  if (service === 'own') return 'what its language model and sources with a key charge';
  if (cost === null) return 'unknown: the service has not reported the cost of such calls yet';
  const { day, month } = cost;
  return (
    `about ${formatUsd(day.usual_usd)} a day and ${formatUsd(month.usual_usd)} in ${DAYS_IN_MONTH} days at recent costs, ` +
    `at most ${formatUsd(day.most_usd)} and ${formatUsd(month.most_usd)}`
  );
}
