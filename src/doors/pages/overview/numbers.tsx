import type { RunTally, ServiceDay } from '../../../store/reads/status.ts';
import { counted, Count, isPaid, Short, Usd } from '../kit/number.tsx';
import { Stat, Stats } from '../kit/stat.tsx';
import { Due, When } from '../kit/when.tsx';
import type { TopicPulse } from './pulses.ts';

/** The numbers of the whole, each with what it leaves out. */
export function Numbers({
  pulses,
  runs,
  services,
  spikes,
}: {
  pulses: readonly TopicPulse[];
  runs: readonly RunTally[];
  services: readonly ServiceDay[];
  /** Of the last 24 hours. */
  spikes: number;
}) {
  const posts = pulses.reduce((sum, { pulse }) => sum + pulse.posts, 0);
  const usual = pulses.reduce((sum, { pulse }) => sum + (pulse.usual ?? 0), 0);
  const least = pulses.some(({ pulse }) => pulse.lowerBound);
  const ended = tally(runs, (status) => status === 'succeeded' || status === 'failed');
  const failed = tally(runs, (status) => status === 'failed');
  const calls = services.reduce((sum, service) => sum + service.calls_today, 0);
  const told = services.filter(({ cost_usd_today }) => cost_usd_today !== null);
  const cost =
    told.length === 0 ? null : told.reduce((sum, service) => sum + (service.cost_usd_today ?? 0), 0);
  const untold = services
    .filter(({ kind }) => isPaid(kind))
    .reduce((sum, service) => sum + service.calls_without_cost_today, 0);
  const next = pulses
    .flatMap(({ nextRunAt }) => nextRunAt ?? [])
    .reduce<Date | null>((best, at) => (best === null || at < best ? at : best), null);
  return (
    <div data-live="numbers">
      <Stats label="All topics together">
        <Stat
          name="Posts, last 24 hours"
          value={<Short of={posts} least={least} />}
          note={
            usual === 0 ? 'what is usual is not known yet' : <>usual: {counted(Math.round(usual), 'post')}</>
          }
        />
        <Stat
          name="Spikes, last 24 hours"
          value={<Count of={spikes} />}
          loud={spikes > 0}
          note={`in ${counted(pulses.length, 'topic')}`}
        />
        <Stat
          name="Runs, last 24 hours"
          value={<Count of={ended} />}
          note={failed === 0 ? 'none failed' : `${failed} failed`}
        />
        <Stat
          name="Calls today (UTC)"
          value={<Count of={calls} />}
          note={
            cost === null ? (
              untold === 0 ? (
                'they cost nothing'
              ) : (
                'no cost was told'
              )
            ) : (
              <>
                <Usd of={cost} />
                {untold === 0 ? '' : `; ${counted(untold, 'call')} told none`}
              </>
            )
          }
        />
        <Stat
          name="Next run"
          value={<Due at={next} />}
          note={next === null ? 'no search is active' : <When at={next} exact />}
        />
      </Stats>
    </div>
  );
}

function tally(runs: readonly RunTally[], is: (status: RunTally['status']) => boolean): number {
  return runs.reduce((sum, one) => sum + (is(one.status) ? one.runs : 0), 0);
}
