import { DAY, HOUR, SECOND } from '../../../engine/clock.ts';
import { Chart } from '../kit/chart.tsx';
import type { Mark } from '../kit/chart-marks.tsx';
import { counted, Short, Times } from '../kit/number.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Spike } from '../kit/spike.tsx';
import { Stat, Stats } from '../kit/stat.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { Due, When } from '../kit/when.tsx';
import { NO_POSTS } from './links-only.ts';
import type { Range } from './range.ts';
import { RANGES } from './range.ts';
import type { Scope, ScopeRead } from './read.ts';

export type Shown = { scope: Scope; range: Range; read: ScopeRead };

/** Of what is new since the last visit, how many of each kind; null at the first visit. */
export type New = Partial<Record<'post' | 'link' | 'completion' | 'spike', number>> | null;

export function ScopeStats({ scope, range, read, fresh }: Shown & { fresh: New }) {
  const next = scope.searches
    .flatMap(({ next_due_at }) => next_due_at ?? [])
    .reduce<Date | null>((best, at) => (best === null || at < best ? at : best), null);
  return (
    <div data-live="numbers">
      <Stats label={`The last ${range.words}`}>
        {read.linksOnly ? null : <Posts range={range} read={read} />}
        <Stat
          name="New since your last visit"
          value={
            fresh === null ? (
              <span class="unknown">your first visit</span>
            ) : (
              counted((fresh.post ?? 0) + (fresh.link ?? 0), 'thing')
            )
          }
          note={
            fresh === null
              ? undefined
              : `${counted(fresh.post ?? 0, 'post')}, ${counted(fresh.link ?? 0, 'link')}`
          }
        />
        {read.linksOnly ? null : (
          <Stat
            name="Spikes"
            value={read.spikes.length}
            loud={read.spikes.length > 0}
            note={`in the last ${range.words}`}
          />
        )}
        <Stat
          name="Next run"
          value={<Due at={next} />}
          note={next === null ? 'no search is active' : <When at={next} exact />}
        />
      </Stats>
      {read.asOf === null ? null : (
        <p>
          Figures as of <When at={read.asOf} exact />: later runs are still being counted.
        </p>
      )}
    </div>
  );
}

function Posts({ range, read }: Pick<Shown, 'range' | 'read'>) {
  const { pulse, coverage, volume } = read;
  const posts = volume.values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return (
    <>
      <Stat
        name={`Posts, last ${range.words}`}
        value={
          coverage === null ? (
            <span class="unknown">not observed</span>
          ) : (
            <Short of={posts} least={pulse.lowerBound} />
          )
        }
        note={observedWords(coverage)}
      />
      <Stat
        name="To the usual"
        value={<Times of={pulse.ratio} />}
        note={
          pulse.usualDay === null
            ? 'three days must be observed first'
            : `usual: ${counted(Math.round(pulse.usualDay), 'post')} a day`
        }
      />
    </>
  );
}

function observedWords(coverage: number | null): string {
  if (coverage === null) return 'no run has covered any of it';
  return coverage > 0.98
    ? 'all of it observed'
    : `${Math.max(1, Math.round(coverage * 100))} % of it observed`;
}

export function VolumeSection({ scope, range, read }: Shown) {
  const { volume, pulse, spikes, changes } = read;
  const seconds = (range.per === 'hour' ? HOUR : DAY) / SECOND;
  const usual = pulse.usualDay === null ? null : pulse.usualDay / (range.per === 'hour' ? 24 : 1);
  const several = scope.searches.length > 1;
  const counts = several && range.per === 'hour' ? ' A post that two searches found counts in each.' : '';
  return (
    <Section
      title="Volume"
      id="volume"
      live
      note={
        read.linksOnly ? undefined : (
          <>
            Posts per {range.per} of their own time, as counted. What was not observed is a gap, which is not
            zero; a paler bar is a lower bound.{counts}
            {usual === null ? '' : ` The dashed line is a usual ${range.per}, over the whole day.`}
          </>
        )
      }
      aside={
        <Tabs
          label="How far back"
          tabs={RANGES.map((name) => ({ href: `?range=${name}`, words: name, here: name === range.name }))}
        />
      }
    >
      {read.linksOnly ? (
        <Empty words={`There are ${NO_POSTS}.`} />
      ) : (
        <Chart
          caption={`Posts per ${range.per}, the last ${range.words}`}
          at={volume.at}
          seconds={seconds}
          series={[{ name: 'Posts', values: volume.values, least: volume.least }]}
          unit="posts"
          usual={usual}
          from={range.from}
          until={range.until}
          marks={[...spikes.map(markOfSpike), ...changes.map((change) => markOfChange(change, several))]}
        />
      )}
    </Section>
  );
}

function markOfSpike({ window_start, window_end, search, sentence }: ScopeRead['spikes'][number]): Mark {
  return { kind: 'spike', at: window_start, until: window_end, words: `${search}: ${sentence}`, quiet: true };
}

function markOfChange(
  { created_at, version, prompt, search }: ScopeRead['changes'][number],
  several: boolean,
): Mark {
  const of = several ? `${search} v${version}` : `v${version}`;
  return { kind: 'version', at: created_at, short: of, words: `${of} asks “${prompt}”` };
}

const MOST_SPIKES = 4;

export function SpikesSection({ read, within }: { read: ScopeRead; within: 'topic' | 'search' }) {
  if (read.spikes.length === 0) return null;
  const told = read.spikes.toReversed();
  return (
    <Section title="Unusual" id="spikes" live>
      <div class="columns">
        {told.slice(0, MOST_SPIKES).map((spike) => (
          <Spike spike={spike} within={within} />
        ))}
      </div>
      {told.length <= MOST_SPIKES ? null : (
        <p class="hint">and {told.length - MOST_SPIKES} more, on the chart.</p>
      )}
    </Section>
  );
}
