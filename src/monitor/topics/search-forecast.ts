/** Forecast of searches, saved or not: runs, calls, cost, and tools that a key would add. Every entry point shows this one. */

import { formatUsd } from '../../domain/display-format.ts';
import { readCallsPerDay } from '../../config/config.ts';
import { type Model, MODELS, type Operation, OPERATIONS, TOOLS } from '../../domain/enumerations.ts';
import { InvalidInput, type Problem } from '../../domain/errors.ts';
import type { MissingTool } from '../../domain/tool-coverage.ts';
import { type CallCost, readCallCosts } from '../../store/queries/call-costs.ts';
import { readServiceDays } from '../../store/queries/run-tallies.ts';
import type { Search } from '../../store/searches.ts';
import type { ServiceKind } from '../../store/services.ts';
import type { Context } from '../context.ts';
import type { Pace } from '../schedule/pace.ts';
import { writeEvery } from '../schedule/schedule.ts';
import {
  type Cost,
  DAYS_IN_MONTH,
  estimateCost,
  previewWrittenSchedule,
  type SchedulePreview,
} from './schedule-preview.ts';
import type { WrittenSearch } from './search-definition.ts';
import { findMissingTools } from './tool-sources.ts';

/** The members of a search that a forecast needs. */
export type ForecastInput = Pick<WrittenSearch, 'operation' | 'tools' | 'model' | 'cron' | 'tz' | 'every'> & {
  /** Display name. */
  name: string;
  /** What its responses have shown, if it is saved. */
  pace?: Pace | undefined;
};

export type SearchForecast = {
  name: string;
  /** Time zone of cron; null for an interval. */
  zone: string | null;
  /** Null if the schedule is invalid; see `problems`. */
  preview: SchedulePreview | null;
  problems: readonly Problem[];
  /** Recent cost of one such call; null if never reported. */
  call: CallCost | null;
  /** Its tools without a source. */
  missing: readonly MissingTool[];
  cost: { day: Cost; month: Cost } | null;
};

export type Forecast = {
  service: ServiceKind;
  searches: readonly SearchForecast[];
  /** Of all searches: one call per run, and as many as their runs may make. */
  calls: { day: number; month: number; mostDay: number; mostMonth: number };
  /** Of all searches; null if the cost of one of them was never reported, or nothing is charged. */
  cost: { day: Cost; month: Cost } | null;
  /** `CALLS_PER_DAY` of the service; null if unlimited. */
  limit: number | null;
  /** Calls of the service today (UTC). */
  callsToday: number;
};

const NEXT_RUNS = 3;

export async function forecastSearches(
  ctx: Pick<Context, 'clock' | 'config' | 'db' | 'missingTools'>,
  service: ServiceKind,
  searches: readonly ForecastInput[],
): Promise<Forecast> {
  const [costs, days] = await Promise.all([
    readCallCosts(ctx.db, service),
    readServiceDays(ctx.db, ctx.clock.now()),
  ]);
  const foreseen = await Promise.all(
    searches.map(async (search) => {
      const tools = TOOLS.filter((tool) => search.tools?.includes(tool) ?? true);
      const operation = findName(OPERATIONS, search.operation, 'microblog');
      const missing = await findMissingTools(ctx, service, { operation, tools });
      return { ...forecastSearch(ctx, service, search, costs), missing };
    }),
  );
  return {
    service,
    searches: foreseen,
    calls: {
      day: sumOf(foreseen, ({ preview }) => preview?.mostRunsPerDay ?? 0),
      month: sumOf(foreseen, ({ preview }) => preview?.runsPerMonth ?? 0),
      mostDay: sumOf(foreseen, ({ preview }) => preview?.mostCallsPerDay ?? 0),
      mostMonth: sumOf(foreseen, ({ preview }) => preview?.mostCallsPerMonth ?? 0),
    },
    cost: service === 'hosted' ? addCosts(foreseen) : null,
    limit: readCallsPerDay(ctx.config, service),
    callsToday: days.find(({ kind }) => kind === service)?.calls_today ?? 0,
  };
}

function sumOf<T>(all: readonly T[], read: (one: T) => number): number {
  return all.reduce((sum, one) => sum + read(one), 0);
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

function forecastSearch(
  ctx: Pick<Context, 'clock' | 'config'>,
  service_kind: ServiceKind,
  { name, operation, model, cron, tz, every, pace }: ForecastInput,
  costs: readonly CallCost[],
): Omit<SearchForecast, 'missing'> {
  const request = {
    operation: findName(OPERATIONS, operation, 'microblog'),
    model: findName(MODELS, model, 'NOVA'),
  };
  const call =
    costs.find((cost) => cost.operation === request.operation && cost.model === request.model) ?? null;
  try {
    const preview = previewWrittenSchedule(
      ctx,
      { cron, tz, every, service_kind, operation: request.operation },
      { count: NEXT_RUNS, pace },
    );
    const zone = cron === undefined ? null : (tz ?? 'UTC');
    return { name, zone, preview, problems: [], call, cost: estimateCost(preview, call) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { name, zone: null, preview: null, problems: error.problems, call, cost: null };
  }
}

/** An invalid name is reported on save; until then the forecast uses the default. */
function findName<T extends Operation | Model>(
  names: readonly T[],
  given: string | undefined,
  usual: NoInfer<T>,
): T {
  return names.find((one) => one === given) ?? usual;
}

/** The forecast of a saved search. */
export function forecastSaved(
  ctx: Pick<Context, 'clock' | 'config' | 'db' | 'missingTools'>,
  searches: readonly Pick<
    Search,
    'slug' | 'service_kind' | 'operation' | 'tools' | 'model' | 'cron' | 'tz' | 'every_seconds' | 'auto'
  >[],
): Promise<Forecast> {
  const [first] = searches;
  return forecastSearches(
    ctx,
    first?.service_kind ?? 'sandbox',
    searches.map(({ slug, cron, tz, every_seconds, auto, ...request }) => ({
      ...request,
      name: slug,
      ...(cron === null ? { every: writeEvery({ cron, tz, every_seconds, auto }) } : { cron, tz }),
    })),
  );
}

/** `120 calls a day and 3,600 in 30 days, at most 360 a day with retries; cost: free`. */
export function describeForecast(forecast: Forecast): string {
  const { day, month, mostDay } = forecast.calls;
  const count = (n: number) => n.toLocaleString('en');
  return (
    `${count(day)} ${day === 1 ? 'call' : 'calls'} a day and ${count(month)} in ${DAYS_IN_MONTH} days, ` +
    `at most ${count(mostDay)} a day with retries; cost: ${describeCost(forecast)}`
  );
}

/** What the calls of these searches cost. */
export function describeCost({ service, cost }: Pick<Forecast, 'service' | 'cost'>): string {
  if (service === 'sandbox') return 'free';
  if (service === 'own') return 'free, except what sources with a key charge';
  if (cost === null) return 'unknown: the service has not reported the cost of such calls yet';
  const { day, month } = cost;
  return (
    `about ${formatUsd(day.usual_usd)} a day and ${formatUsd(month.usual_usd)} in ${DAYS_IN_MONTH} days at recent costs, ` +
    `at most ${formatUsd(day.most_usd)} and ${formatUsd(month.most_usd)}`
  );
}
