/** What searches that are not saved yet would do, and what that may cost. */

import { readCallsPerDay } from '../../config/config.ts';
import { type Model, MODELS, type Operation, OPERATIONS } from '../../domain/enumerations.ts';
import { InvalidInput, type Problem } from '../../domain/errors.ts';
import type { Context } from '../../monitor/context.ts';
import { FAR_FUTURE } from '../../monitor/schedule/cadence.ts';
import {
  type DayCost,
  estimateDayCost,
  previewWrittenSchedule,
  type SchedulePreview,
} from '../../monitor/topics/schedule-preview.ts';
import type { WrittenSearch } from '../../monitor/topics/search-definition.ts';
import { type CallCost, readCallCosts } from '../../store/queries/call-costs.ts';
import { readServiceDays } from '../../store/queries/run-tallies.ts';
import type { ServiceKind } from '../../store/services.ts';
import { describeProblem } from '../components/form.tsx';
import { formatCount, Usd } from '../components/numbers.tsx';
import { formatMinute, resolveZone } from '../components/time-format.ts';

/** A search as far as a forecast looks at it. */
type ForecastInput = Pick<WrittenSearch, 'operation' | 'model' | 'cron' | 'tz' | 'every'> & {
  /** What it is called in the forecast. */
  name: string;
};

type SearchForecast = {
  name: string;
  /** Of its set times; null where it runs at an interval. */
  zone: string | null;
  /** Null where its schedule cannot be read; the problems say why. */
  preview: SchedulePreview | null;
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
  /** `CALLS_PER_DAY`, for all calls of its service on a day; null where there is no limit. */
  limit: number | null;
  /** Calls that this service got today (UTC). */
  callsToday: number;
};

const NEXT_RUNS = 3;

export async function forecastSearches(
  ctx: Pick<Context, 'clock' | 'config' | 'db'>,
  service: ServiceKind,
  searches: readonly ForecastInput[],
): Promise<Forecast> {
  const [costs, days] = await Promise.all([
    readCallCosts(ctx.db, service),
    readServiceDays(ctx.db, ctx.clock.now()),
  ]);
  const foreseen = searches.map((search) => forecastSearch(ctx, service, search, costs));
  return {
    service,
    searches: foreseen,
    mostCalls: foreseen.reduce((sum, { preview }) => sum + (preview?.mostCallsPerDay ?? 0), 0),
    limit: readCallsPerDay(ctx.config, service),
    callsToday: days.find(({ kind }) => kind === service)?.calls_today ?? 0,
  };
}

function forecastSearch(
  ctx: Pick<Context, 'clock' | 'config'>,
  service_kind: ServiceKind,
  { name, operation, model, cron, tz, every }: ForecastInput,
  costs: readonly CallCost[],
): SearchForecast {
  const request = {
    operation: findName(OPERATIONS, operation, 'microblog'),
    model: findName(MODELS, model, 'NOVA'),
  };
  const call =
    costs.find((cost) => cost.operation === request.operation && cost.model === request.model) ?? null;
  try {
    const preview = previewWrittenSchedule(ctx, { cron, tz, every, service_kind }, NEXT_RUNS);
    const zone = cron === undefined ? null : (tz ?? 'UTC');
    return { name, zone, preview, problems: [], call, day: estimateDayCost(preview, call) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { name, zone: null, preview: null, problems: error.problems, call, day: null };
  }
}

/** What is named wrongly is said when it is saved; until then the usual one is foreseen. */
function findName<T extends Operation | Model>(
  names: readonly T[],
  given: string | undefined,
  usual: NoInfer<T>,
): T {
  return names.find((one) => one === given) ?? usual;
}

/** What the form would do, also while one types: the script puts it in its place. */
export function ForecastView({ forecast }: { forecast: Forecast }) {
  const { searches, service, limit, callsToday, mostCalls } = forecast;
  return (
    <div class="forecast" data-help-for="forecast" aria-live="polite">
      {searches.map((search) => (
        <SearchForecastLine search={search} />
      ))}
      <p>
        {formatCount(mostCalls, 'call')} a day at most, of{' '}
        {limit === null
          ? 'as many as are wanted: this service has no limit'
          : `${formatCount(limit, 'call')} that this service may get in all (CALLS_PER_DAY)`}
        ; {formatCount(callsToday, 'call')} today so far (UTC).
      </p>
      <p>
        <DayCosts forecast={forecast} />
        {service === 'sandbox' ? ' What it finds is simulated.' : null}
      </p>
      {limit !== null && mostCalls > limit ? (
        <p class="wrong">
          That is more than the limit: when it is reached, searches rest until the next day (UTC).
        </p>
      ) : null}
    </div>
  );
}

function SearchForecastLine({ search: { name, zone, preview, problems } }: { search: SearchForecast }) {
  if (preview === null)
    return (
      <p class="wrong">
        {name}: {problems.map((problem) => `${problem.path}: ${describeProblem(problem)}`).join('; ')}
      </p>
    );
  return (
    <p>
      <strong>{name}</strong>: {preview.words}, {formatCount(preview.mostRunsPerDay, 'run')} a day at most.{' '}
      {zone === null ? null : <NextRuns preview={preview} zone={resolveZone(zone)} />}
    </p>
  );
}

/** Of set times only: where in its interval a search runs is known once it has a name. */
function NextRuns({ preview, zone }: { preview: SchedulePreview; zone: string }) {
  const next = preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE);
  if (next.length === 0) return <span class="wrong">There is no such time: it would never run.</span>;
  return (
    <span class="next">
      Next{' '}
      {next.map(({ at, local }, i) => (
        <>
          {i === 0 ? null : '; '}
          <time dateTime={at.toISOString()} title={local}>
            {formatMinute(at, zone)}
          </time>
        </>
      ))}
      .
    </span>
  );
}

function DayCosts({ forecast: { service, searches } }: { forecast: Forecast }) {
  if (service !== 'hosted') return <>It costs nothing.</>;
  const days = searches.flatMap(({ day }) => (day === null ? [] : [day]));
  if (days.length < searches.length)
    return (
      <>
        The hosted service costs money with each call; how much is not known, for it has not told it of calls
        like these yet.
      </>
    );
  const sum = (member: 'usual_usd' | 'most_usd') => days.reduce((all, day) => all + day[member], 0);
  return (
    <>
      The hosted service costs money: about <Usd of={sum('usual_usd')} /> a day at what such calls cost of
      late, at most <Usd of={sum('most_usd')} />.
    </>
  );
}

/** What one call may cost, in a few words. */
export function CallCosts({ service, call }: { service: ServiceKind; call: CallCost | null }) {
  if (service !== 'hosted') return <>It makes one call, which costs nothing.</>;
  if (call === null) return <>It makes one call, which costs money; how much is not known yet.</>;
  return (
    <>
      It makes one call, which costs about <Usd of={call.median_usd} />, at most <Usd of={call.most_usd} /> of
      late.
    </>
  );
}
