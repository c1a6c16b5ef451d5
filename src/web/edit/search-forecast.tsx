/** The forecast of searches that are not saved yet, on forms. */

import { FAR_FUTURE } from '../../monitor/schedule/cadence.ts';
import { DAYS_IN_MONTH } from '../../monitor/schedule/pace-forecast.ts';
import {
  describeCost,
  describeExpected,
  type Forecast,
  type SchedulePreview,
  type SearchForecast,
} from '../../monitor/topics/search-forecast.ts';
import { explainMissingTools } from '../../monitor/topics/tool-sources.ts';
import type { CallCost } from '../../store/queries/call-costs.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import { describeProblem } from '../components/form.tsx';
import { formatCount, isPaid, Usd } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { nameSearchOf } from '../components/scope-names.tsx';
import { formatMinute, formatUtcMidnight, nameZone, resolveZone } from '../../lib/display-format.ts';

/** The script replaces this while a person types. */
export function ForecastView({ forecast }: { forecast: Forecast }) {
  const { searches, service, limit, callsToday, calls } = forecast;
  const frame = useFrame();
  return (
    <div class="forecast" data-help-for="forecast" aria-live="polite">
      {searches.map((search) => (
        <SearchForecastLine search={search} isOnly={searches.length === 1} />
      ))}
      <p>
        {formatCount(calls.day, 'call')} a day and {formatCount(calls.month, 'call')} in {DAYS_IN_MONTH} days;
        with retries at most {formatCount(calls.mostDay, 'call')} a day{' '}
        {limit === null
          ? '(no limit set)'
          : `(the service is limited to ${formatCount(limit, 'call')} by CALLS_PER_DAY)`}
        ; {formatCount(callsToday, 'call')} since {formatUtcMidnight(frame)}.
      </p>
      <p>
        {service === 'hosted' ? 'The hosted service charges for each call. ' : null}
        Cost: {describeCost(forecast)}.
      </p>
      {limit !== null && calls.mostDay > limit ? (
        <p class="wrong">This exceeds the limit. When it is reached, searches wait until the next UTC day.</p>
      ) : null}
    </div>
  );
}

function SearchForecastLine({
  search: { name, zone, preview, problems, missing },
  isOnly,
}: {
  search: SearchForecast;
  /** Its calls are those of all searches, which follow. */
  isOnly: boolean;
}) {
  // A saved search is known by its slug; a new one has a name already.
  const shown = nameSearchOf(useFrame(), name, 'topic');
  if (preview === null)
    return (
      <p class="wrong">
        {shown}: {problems.map((problem) => `${problem.path}: ${describeProblem(problem)}`).join('; ')}
      </p>
    );
  const expected = describeExpected(preview);
  return (
    <p>
      <strong>{shown}</strong>: {preview.words}
      {isOnly ? '' : `, ${formatCount(preview.plannedRunsPerDay, 'call')} a day`}.{' '}
      {expected === null ? null : `Completeness: ${expected}. `}
      {zone === null ? null : <NextRuns preview={preview} zone={resolveZone(zone)} />}
      {missing.length === 0 ? null : (
        <span class="wrong">
          {' '}
          {explainMissingTools(missing).map((words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}. `)}
        </span>
      )}
    </p>
  );
}

/** Cron only: the offset of a search within its interval depends on its name. */
function NextRuns({ preview, zone }: { preview: SchedulePreview; zone: string }) {
  const frame = useFrame();
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
            {formatMinute(at, { zone, now: frame.now })}
          </time>
        </>
      ))}
      {zone === frame.zone ? '' : ` ${nameZone(zone)}`}.
    </span>
  );
}

/** The cost of a trial. */
export function CallCosts({ service, call }: { service: ServiceKind; call: CallCost | null }) {
  if (!isPaid(service)) return <>It makes one free call.</>;
  if (service !== 'hosted') return <>It makes one call, which may cost money.</>;
  if (call === null) return <>It makes one paid call; the cost is not known yet.</>;
  return (
    <>
      It makes one paid call: recently about <Usd of={call.median_usd} />, at most <Usd of={call.most_usd} />.
    </>
  );
}
