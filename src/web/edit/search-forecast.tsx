/** Forecast of unsaved searches: runs, calls and cost. */

import { readCallsPerDay } from '../../config/config.ts';
import { type Model, MODELS, type Operation, OPERATIONS, TOOLS } from '../../domain/enumerations.ts';
import { InvalidInput, type Problem } from '../../domain/errors.ts';
import type { MissingTool } from '../../domain/tool-coverage.ts';
import type { Context } from '../../monitor/context.ts';
import { FAR_FUTURE } from '../../monitor/schedule/cadence.ts';
import type { Pace } from '../../monitor/schedule/pace.ts';
import {
  type DayCost,
  describeExpected,
  estimateDayCost,
  previewWrittenSchedule,
  type SchedulePreview,
} from '../../monitor/topics/schedule-preview.ts';
import { describeMissingTools, findMissingTools } from '../../monitor/topics/tool-sources.ts';
import type { WrittenSearch } from '../../monitor/topics/search-definition.ts';
import { type CallCost, readCallCosts } from '../../store/queries/call-costs.ts';
import { readServiceDays } from '../../store/queries/run-tallies.ts';
import type { ServiceKind } from '../../store/services.ts';
import { describeProblem } from '../components/form.tsx';
import { formatCount, Usd } from '../components/numbers.tsx';
import { formatMinute, resolveZone } from '../../domain/display-format.ts';

/** The members of a search that a forecast needs. */
type ForecastInput = Pick<WrittenSearch, 'operation' | 'tools' | 'model' | 'cron' | 'tz' | 'every'> & {
  /** Display name. */
  name: string;
  /** What its responses have shown, if it is saved. */
  pace?: Pace | undefined;
};

type SearchForecast = {
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
  day: DayCost | null;
};

export type Forecast = {
  service: ServiceKind;
  searches: readonly SearchForecast[];
  /** Maximum calls per day of all searches. */
  mostCalls: number;
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
    mostCalls: foreseen.reduce((sum, { preview }) => sum + (preview?.mostCallsPerDay ?? 0), 0),
    limit: readCallsPerDay(ctx.config, service),
    callsToday: days.find(({ kind }) => kind === service)?.calls_today ?? 0,
  };
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
    const { operation: kind } = request;
    const preview = previewWrittenSchedule(
      ctx,
      { cron, tz, every, service_kind, operation: kind },
      { count: NEXT_RUNS, pace },
    );
    const zone = cron === undefined ? null : (tz ?? 'UTC');
    return { name, zone, preview, problems: [], call, day: estimateDayCost(preview, call) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { name, zone: null, preview: null, problems: error.problems, call, day: null };
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

/** The script replaces this while a person types. */
export function ForecastView({ forecast }: { forecast: Forecast }) {
  const { searches, service, limit, callsToday, mostCalls } = forecast;
  return (
    <div class="forecast" data-help-for="forecast" aria-live="polite">
      {searches.map((search) => (
        <SearchForecastLine search={search} />
      ))}
      <p>
        At most {formatCount(mostCalls, 'call')} a day{' '}
        {limit === null
          ? '(no limit set)'
          : `(the service is limited to ${formatCount(limit, 'call')} by CALLS_PER_DAY)`}
        ; {formatCount(callsToday, 'call')} so far today (UTC).
      </p>
      <p>
        <DayCosts forecast={forecast} />
        {service === 'sandbox' ? ' Results are simulated.' : null}
      </p>
      {limit !== null && mostCalls > limit ? (
        <p class="wrong">
          This exceeds the limit. When it is reached, searches wait until the next day (UTC).
        </p>
      ) : null}
    </div>
  );
}

function SearchForecastLine({
  search: { name, zone, preview, problems, missing },
}: {
  search: SearchForecast;
}) {
  if (preview === null)
    return (
      <p class="wrong">
        {name}: {problems.map((problem) => `${problem.path}: ${describeProblem(problem)}`).join('; ')}
      </p>
    );
  return (
    <p>
      <strong>{name}</strong>: {preview.words}, at most {formatCount(preview.mostRunsPerDay, 'run')} a day.{' '}
      {preview.expected === null && !preview.words.startsWith('adaptive') ? null : (
        <>Calls: {describeExpected(preview)}. </>
      )}
      {zone === null ? null : <NextRuns preview={preview} zone={resolveZone(zone)} />}
      {missing.length === 0 ? null : (
        <span class="wrong">
          {' '}
          Not searched until a source is configured: {describeMissingTools(missing)}.
        </span>
      )}
    </p>
  );
}

/** Cron only: the offset of a search within its interval depends on its name. */
function NextRuns({ preview, zone }: { preview: SchedulePreview; zone: string }) {
  const next = preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE);
  if (next.length === 0)
    return <span class="wrong">This time never occurs: the search would never run.</span>;
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
  if (service !== 'hosted') return <>Free.</>;
  const days = searches.flatMap(({ day }) => (day === null ? [] : [day]));
  if (days.length < searches.length)
    return (
      <>
        The hosted service charges for each call. Cost unknown: it has not reported the cost of such calls
        yet.
      </>
    );
  const sum = (member: 'usual_usd' | 'most_usd') => days.reduce((all, day) => all + day[member], 0);
  return (
    <>
      The hosted service charges for each call: about <Usd of={sum('usual_usd')} /> a day at recent costs, at
      most <Usd of={sum('most_usd')} />.
    </>
  );
}

/** The cost of a trial. */
export function CallCosts({ service, call }: { service: ServiceKind; call: CallCost | null }) {
  if (service !== 'hosted') return <>It makes one free call.</>;
  if (call === null) return <>It makes one paid call; the cost is not known yet.</>;
  return (
    <>
      It makes one paid call: recently about <Usd of={call.median_usd} />, at most <Usd of={call.most_usd} />.
    </>
  );
}
