/** What searches that are not saved yet would do, and what that may cost. */
import { callsPerDayOf } from '../../../config.ts';
import { MODELS, type Model, OPERATIONS, type Operation } from '../../../contract/enumerations.ts';
import { InvalidInput, type Problem } from '../../../errors.ts';
import type { Context } from '../../../monitor/context.ts';
import type { WrittenSearch } from '../../../monitor/topic/definition.ts';
import { costPerDay, type DayCost, type Preview, previewWritten } from '../../../monitor/topic/preview.ts';
import { type CallCost, readCallCosts } from '../../../store/reads/call-costs.ts';
import { readServiceDays } from '../../../store/reads/status.ts';
import type { ServiceKind } from '../../../store/services.ts';

/** A search as far as a forecast looks at it. */
export type Forecastable = Pick<WrittenSearch, 'operation' | 'model' | 'cron' | 'tz' | 'every'> & {
  /** What it is called in the forecast. */
  name: string;
};

export type SearchForecast = {
  name: string;
  /** Of its set times; null where it runs at an interval. */
  zone: string | null;
  /** Null where its schedule cannot be read; the problems say why. */
  preview: Preview | null;
  problems: readonly Problem[];
  /** What one call of its kind cost of late; null where that was never told. */
  call: CallCost | null;
  day: DayCost | null;
};

export type Forecast = {
  service: ServiceKind;
  searches: readonly SearchForecast[];
  /** Calls of all of them on a day, at most. */
  mostCalls: number;
  /** `CALLS_PER_DAY`, for everything that its service is asked; null where there is no limit. */
  limit: number | null;
  /** Calls that this service got today (UTC). */
  callsToday: number;
};

const NEXT_RUNS = 3;

export async function forecast(
  ctx: Pick<Context, 'clock' | 'config' | 'db'>,
  service: ServiceKind,
  searches: readonly Forecastable[],
): Promise<Forecast> {
  const [costs, days] = await Promise.all([
    readCallCosts(ctx.db, service),
    readServiceDays(ctx.db, ctx.clock.now()),
  ]);
  const foreseen = searches.map((search) => foresee(ctx, service, search, costs));
  return {
    service,
    searches: foreseen,
    mostCalls: foreseen.reduce((sum, { preview }) => sum + (preview?.mostCallsPerDay ?? 0), 0),
    limit: callsPerDayOf(ctx.config, service),
    callsToday: days.find(({ kind }) => kind === service)?.calls_today ?? 0,
  };
}

function foresee(
  ctx: Pick<Context, 'clock' | 'config'>,
  service_kind: ServiceKind,
  { name, operation, model, cron, tz, every }: Forecastable,
  costs: readonly CallCost[],
): SearchForecast {
  const asked = {
    operation: nameIn(OPERATIONS, operation, 'microblog'),
    model: nameIn(MODELS, model, 'NOVA'),
  };
  const call = costs.find((cost) => cost.operation === asked.operation && cost.model === asked.model) ?? null;
  try {
    const preview = previewWritten(ctx, { cron, tz, every, service_kind }, NEXT_RUNS);
    const zone = cron === undefined ? null : (tz ?? 'UTC');
    return { name, zone, preview, problems: [], call, day: costPerDay(preview, call) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { name, zone: null, preview: null, problems: error.problems, call, day: null };
  }
}

/** What is named wrongly is said when it is saved; until then the usual one is foreseen. */
function nameIn<T extends Operation | Model>(
  names: readonly T[],
  given: string | undefined,
  usual: NoInfer<T>,
): T {
  return names.find((one) => one === given) ?? usual;
}
