import { FAR_FUTURE } from '../../../monitor/schedule/cadence.ts';
import type { Preview } from '../../../monitor/topic/preview.ts';
import type { ServiceKind } from '../../../store/services.ts';
import type { CallCost } from '../../../store/reads/call-costs.ts';
import { counted, Usd } from '../kit/number.tsx';
import { wordsOf } from '../kit/form.tsx';
import { minuteOf, zoneNamed } from '../kit/zone.ts';
import type { Forecast, SearchForecast } from './forecast.ts';

/** What the form would do, also while one types: the script puts it in its place. */
export function ForecastView({ forecast }: { forecast: Forecast }) {
  const { searches, service, limit, callsToday, mostCalls } = forecast;
  return (
    <div class="forecast" data-help-for="forecast" aria-live="polite">
      {searches.map((search) => (
        <OneSearch search={search} />
      ))}
      <p>
        {counted(mostCalls, 'call')} a day at most, of{' '}
        {limit === null
          ? 'as many as are wanted: this service has no limit'
          : `${counted(limit, 'call')} that this service may get in all (CALLS_PER_DAY)`}
        ; {counted(callsToday, 'call')} today so far (UTC).
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

function OneSearch({ search: { name, zone, preview, problems } }: { search: SearchForecast }) {
  if (preview === null)
    return (
      <p class="wrong">
        {name}: {problems.map((problem) => `${problem.path}: ${wordsOf(problem)}`).join('; ')}
      </p>
    );
  return (
    <p>
      <strong>{name}</strong>: {preview.words}, {counted(preview.mostRunsPerDay, 'run')} a day at most.{' '}
      {zone === null ? null : <NextRuns preview={preview} zone={zoneNamed(zone)} />}
    </p>
  );
}

/** Of set times only: where in its interval a search runs is known once it has a name. */
function NextRuns({ preview, zone }: { preview: Preview; zone: string }) {
  const next = preview.next.filter(({ at }) => at.getTime() < FAR_FUTURE);
  if (next.length === 0) return <span class="wrong">There is no such time: it would never run.</span>;
  return (
    <span class="next">
      Next{' '}
      {next.map(({ at, local }, i) => (
        <>
          {i === 0 ? null : '; '}
          <time dateTime={at.toISOString()} title={local}>
            {minuteOf(at, zone)}
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
