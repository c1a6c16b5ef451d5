import { DISCOVERY_KINDS } from '../../model/closed-lists.ts';
import { composeStateSentence } from '../../monitor/trends/rules/state-sentence.ts';
import { composeSpikeSentence } from '../../monitor/trends/rules/spike-sentence.ts';
import { type DateReader, describeUtcDays, formatPercent } from '../../lib/display-format.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import { Chart } from '../components/chart.tsx';
import type { ChartMark } from '../components/chart-scale.tsx';
import { formatCount, ShortCount, Ratio } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { writeListPath } from '../components/list-address.ts';
import { EmptyState, Section, Tabs } from '../components/section.tsx';
import { SpikeLine, StateLine } from '../components/discovery-item.tsx';
import { Stat, Stats } from '../components/fact-list.tsx';
import { NextRun, Timestamp } from '../components/timestamp.tsx';
import { explainNoRatio, MAX_USUAL_SEARCHES, type TopicData, type TopicScope } from './topic-data.ts';
import type { Visit } from './last-visit.ts';
import { type Range, RANGES } from './time-range.ts';

/** How bars of posts read. */
export const GAPS_TEXT =
  'Gaps were not observed; paler bars were observed in part, or a response was cut at its limit (≥).';

export type TopicSectionProps = { scope: TopicScope; range: Range; data: TopicData };

/** `2 posts, 1 spike` */
function describeNew({ counts }: Visit): string {
  return DISCOVERY_KINDS.flatMap((kind) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [formatCount(n, kind)];
  }).join(', ');
}

export function TopicStats({ scope, range, data, visit }: TopicSectionProps & { visit: Visit | null }) {
  const ofMany = data.spikes.filter(({ only_by }) => only_by === null).length;
  return (
    <div data-live="numbers">
      <Stats label={`Last ${range.words}`}>
        {data.linksOnly ? null : <PostStats scope={scope} range={range} data={data} />}
        {visit === null ? null : (
          <Stat
            name="New since your last visit"
            value={
              <a href={writeListPath('discoveries', scope, { after: String(visit.since) })}>
                {formatCount(
                  Object.values(visit.counts).reduce((sum, n) => sum + n, 0),
                  'item',
                )}
              </a>
            }
            note={describeNew(visit)}
          />
        )}
        {data.linksOnly ? null : (
          <Stat name="Spikes" value={ofMany} loud={ofMany > 0} note={`in the last ${range.words}`} />
        )}
        <NextRun due={scope.searches.map(({ next_due_at }) => next_due_at)} />
      </Stats>
      {data.asOf === null ? null : (
        <p>
          Figures as of <Timestamp at={data.asOf} exact />. Later runs are still being processed.
        </p>
      )}
    </div>
  );
}

function PostStats({ scope, range, data }: TopicSectionProps) {
  const { pulse, coverage, volume, least } = data;
  const posts = volume.values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return (
    <>
      <Stat
        name={`Posts, last ${range.words}`}
        value={
          coverage === null ? (
            <span class="unknown">not observed</span>
          ) : (
            <a href={writeListPath('posts', scope, { range: range.name })}>
              <ShortCount of={posts} least={least} />
            </a>
          )
        }
        note={describeCoverage(coverage)}
      />
      <Stat
        name="vs. typical day"
        value={<Ratio of={pulse.ratio} />}
        note={
          pulse.typicalDay === null
            ? explainNoRatio(pulse.hasTypical, range.words)
            : `typical ${formatCount(Math.round(pulse.typicalDay), 'post')} per day`
        }
      />
    </>
  );
}

function describeCoverage(coverage: number | null): string {
  if (coverage === null) return 'not observed by any run';
  return coverage > 0.98 ? 'fully observed' : `${formatPercent(coverage)} observed`;
}

function describeExpected({ expected }: TopicData, { per }: Range, searches: number): string {
  if (expected !== undefined)
    return per === 'day'
      ? ' Dashed line: a typical day.'
      : ' Dashed line: what is usual around this time of day (last six weeks, at the present level), with which spikes are compared. Band: two standard deviations.';
  return per === 'hour' && searches > MAX_USUAL_SEARCHES
    ? ` What is usual is drawn for up to ${MAX_USUAL_SEARCHES} searches: see the pages of searches.`
    : '';
}

export function VolumeSection({ scope, range, data }: TopicSectionProps) {
  const frame = useFrame();
  const { volume, expected, spikes, states, changes } = data;
  const within = scope.search === undefined ? 'topic' : 'search';
  const seconds = (range.per === 'hour' ? HOUR : DAY) / SECOND;
  const several = scope.searches.length > 1;
  const view = scope.search === undefined && scope.view === 'search' ? '&view=search' : '';
  return (
    <Section
      title="Volume"
      id="volume"
      live
      note={
        data.linksOnly ? undefined : (
          <>
            Posts per {range.per}, by time of publication{several ? '; a post counts once' : ''}. {GAPS_TEXT}
            {range.per === 'day' ? ` ${describeUtcDays(frame)}` : ''}
            {describeExpected(data, range, scope.searches.length)}
          </>
        )
      }
      aside={
        <Tabs
          label="Time range"
          tabs={RANGES.map((name) => ({
            href: `?range=${name}${view}`,
            words: name,
            here: name === range.name,
          }))}
        />
      }
    >
      <States states={states} within={within} />
      {data.linksOnly ? (
        <EmptyState words="Links only; no post volume." />
      ) : (
        <Chart
          caption={`Posts per ${range.per}, last ${range.words}`}
          at={volume.at}
          seconds={seconds}
          series={[{ name: 'Posts', values: volume.values, least: volume.least, partial: volume.partial }]}
          unit="posts"
          singular="post"
          expected={expected}
          list={writeListPath('posts', scope)}
          from={range.from}
          until={range.until}
          marks={[
            ...spikes.map((spike) => createSpikeMark(spike, frame)),
            ...states.map((state) => createStateMark(state, frame)),
            ...changes.map((change) => createVersionMark(change, several)),
          ]}
        />
      )}
    </Section>
  );
}

function createSpikeMark(spike: TopicData['spikes'][number], reader: DateReader): ChartMark {
  const { window_start: at, window_end: until, search } = spike;
  return {
    kind: 'spike',
    at,
    until,
    words: `${search}: ${composeSpikeSentence(spike, reader)}`,
    quiet: true,
  };
}

function createStateMark(state: TopicData['states'][number], reader: DateReader): ChartMark {
  const words = `${state.search}: ${composeStateSentence(state, reader)}`;
  return { kind: 'version', at: state.since, short: state.state.replace('_', ' '), words, quiet: true };
}

function createVersionMark(
  { created_at, version, prompt, search }: TopicData['changes'][number],
  several: boolean,
): ChartMark {
  const of = several ? `${search} v${version}` : `v${version}`;
  return { kind: 'version', at: created_at, short: of, words: `${of}: query changed to “${prompt}”` };
}

const MAX_SPIKES = 4;

/** The current states, newest first. */
function States({ states, within }: Pick<TopicData, 'states'> & { within: 'topic' | 'search' }) {
  const newest = states.toReversed().filter(({ until }) => until === null);
  if (newest.length === 0) return null;
  return (
    <div class="columns" id="states">
      {newest.slice(0, MAX_SPIKES).map((state) => (
        <StateLine state={state} within={within} />
      ))}
    </div>
  );
}

export function SpikesSection({ data, within }: { data: TopicData; within: 'topic' | 'search' }) {
  if (data.spikes.length === 0) return null;
  const newestFirst = data.spikes.toReversed();
  return (
    <Section title="Spikes" id="spikes" live>
      <div class="columns">
        {newestFirst.slice(0, MAX_SPIKES).map((spike) => (
          <SpikeLine spike={spike} within={within} />
        ))}
      </div>
      {newestFirst.length <= MAX_SPIKES ? null : (
        <p class="hint">and {newestFirst.length - MAX_SPIKES} more on the chart.</p>
      )}
    </Section>
  );
}
