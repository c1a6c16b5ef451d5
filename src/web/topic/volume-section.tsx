import { DISCOVERY_KINDS } from '../../model/closed-lists.ts';
import { composeStateSentence } from '../../monitor/trends/rules/state-sentence.ts';
import { composeSpikeSentence } from '../../monitor/trends/rules/spike-sentence.ts';
import { type DateReader, describeUtcDays, formatPercent, formatTenths } from '../../lib/display-format.ts';
import { truncateText } from '../../lib/text.ts';
import { DAY, HOUR, SECOND } from '../../lib/time.ts';
import { Chart } from '../components/chart.tsx';
import type { ChartMark } from '../components/chart-scale.tsx';
import { formatCount, ShortCount, Ratio } from '../components/numbers.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { writeListPath, writeTime } from '../components/list-address.ts';
import { EmptyState, FoldedSection, Section, Tabs } from '../components/section.tsx';
import { Field } from '../components/form.tsx';
import { nameSearch } from '../../model/search-name.ts';
import { formatLocalTime } from '../lists/list-range.ts';
import { type PageView, type Window, writeView } from './view-address.ts';
import { Stat, Stats } from '../components/fact-list.tsx';
import { NextRun, Timestamp } from '../components/timestamp.tsx';
import { explainNoRatio, MAX_USUAL_SEARCHES, type TopicData, type TopicScope } from './topic-data.ts';
import type { Visit } from './last-visit.ts';
import { type Range, RANGES } from './time-range.ts';

/** How bars of posts read. */
export const GAPS_TEXT =
  'Gaps were not observed; paler bars were observed in part, or a response was cut at its limit (≥).';

export type TopicSectionProps = { scope: TopicScope; view: PageView; data: TopicData };

/** `2 posts, 1 spike` */
function describeNew({ counts }: Visit): string {
  return DISCOVERY_KINDS.flatMap((kind) => {
    const n = counts[kind] ?? 0;
    return n === 0 ? [] : [formatCount(n, kind)];
  }).join(', ');
}

export function TopicStats({ scope, view, data, visit }: TopicSectionProps & { visit: Visit | null }) {
  const { range } = view;
  const ofMany = data.spikes.filter(({ only_by }) => only_by === null).length;
  return (
    <div data-live="numbers">
      <Stats label={`Last ${range.words}`}>
        {data.linksOnly ? null : <PostStats scope={scope} view={view} data={data} />}
        {visit === null ? null : (
          <Stat
            name="New since last visit"
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

function PostStats({ scope, view: { range }, data }: TopicSectionProps) {
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
            : `typical: ${formatCount(Math.round(pulse.typicalDay), 'post')}`
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

export function VolumeSection({ scope, view, data }: TopicSectionProps) {
  const frame = useFrame();
  const { range, window, address } = view;
  const { volume, expected, spikes, states, changes, notes, earlier } = data;
  const seconds = (range.per === 'hour' ? HOUR : DAY) / SECOND;
  const open = writeView({ ...address, from: undefined, to: undefined });
  return (
    <Section
      title="Volume"
      id="volume"
      live
      aside={
        <div class="list-tabs">
          {data.linksOnly ? null : <NotesLink topic={scope.topic} window={window} count={notes.length} />}
          <div class="list-tabs" data-in-place="">
            {data.linksOnly ? null : (
              <a
                class="toggle"
                href={writeView({ ...address, earlier: view.earlier ? undefined : true })}
                aria-current={view.earlier ? 'true' : undefined}
              >
                Period before
              </a>
            )}
            <Tabs
              label="Time range"
              tabs={RANGES.map((name) => ({
                href: writeView({ ...address, range: name, from: undefined, to: undefined }),
                words: name,
                here: name === range.name,
              }))}
            />
            {data.linksOnly ? null : <TimeForm view={view} />}
          </div>
        </div>
      }
    >
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
          earlier={earlier === null ? undefined : { name: `${range.words} before`, values: earlier }}
          list={writeListPath('posts', scope)}
          window={{
            open: open === '?' ? open : `${open}&`,
            chosen: window.isPart ? { from: window.from, until: window.until } : null,
          }}
          from={range.from}
          until={range.until}
          marks={[
            ...spikes.map((spike) => createSpikeMark(spike, view, frame)),
            ...states.map((state) => createStateMark(state, frame)),
            ...changes.map((change) => createVersionMark(change, scope)),
            ...notes.map(createNoteMark),
          ]}
        />
      )}
    </Section>
  );
}

/** To the notes of the topic, where a new one is about the beginning of the chosen window. */
function NotesLink({ topic, window, count }: { topic: string; window: Window; count: number }) {
  const path = `/topics/${topic}/notes`;
  const href = window.isPart ? `${path}?at=${writeTime(window.from)}` : path;
  if (count > 0) return <a href={href}>{formatCount(count, 'note')}</a>;
  return (
    <IfAllowed scope="write">
      <a href={href}>Add a note</a>
    </IfAllowed>
  );
}

/** Any window, for those who cannot drag over the chart. */
function TimeForm({ view: { window, address } }: Pick<TopicSectionProps, 'view'>) {
  const { zone } = useFrame();
  return (
    <details class="menu">
      <summary>Choose a time</summary>
      <form class="menu-list form" method="get" aria-label="Choose a time">
        {(['range', 'tab', 'sort'] as const).map((name) =>
          address[name] === undefined ? null : <input type="hidden" name={name} value={address[name]} />,
        )}
        {address.earlier === true ? <input type="hidden" name="earlier" value="yes" /> : null}
        <Field name="from" label="From" kind="datetime-local" value={formatLocalTime(window.from, zone)} />
        <Field name="to" label="To" kind="datetime-local" value={formatLocalTime(window.until, zone)} />
        <button class="plain">Show</button>
      </form>
    </details>
  );
}

/** How the chart and the lists read, for those who ask. */
export function HowToRead({ scope, view: { range }, data }: TopicSectionProps) {
  const frame = useFrame();
  if (data.linksOnly) return null;
  return (
    <FoldedSection title="How to read this" id="reading">
      <p class="note">
        Posts per {range.per}, by time of publication{scope.searches.length > 1 ? '; a post counts once' : ''}
        . {GAPS_TEXT}
        {range.per === 'day' ? ` ${describeUtcDays(frame)}` : ''}
        {describeExpected(data, range, scope.searches.length)} Click a bar or a spike, or drag over the chart:
        what is beside and below it is then of that time.
      </p>
    </FoldedSection>
  );
}

function createSpikeMark(
  spike: TopicData['spikes'][number],
  { address }: PageView,
  reader: DateReader,
): ChartMark {
  const { window_start: at, window_end: until, ratio } = spike;
  return {
    kind: 'spike',
    at,
    until,
    words: composeSpikeSentence(spike, reader),
    label: ratio === null ? 'spike' : `${formatTenths(ratio)}×`,
    href: writeView({ ...address, from: at, to: until }),
  };
}

const MAX_SHORT_NOTE = 24;

function createNoteMark({ at, text }: TopicData['notes'][number]): ChartMark {
  return { kind: 'note', at, short: truncateText(text, MAX_SHORT_NOTE), words: `Note: ${text}` };
}

function createStateMark(state: TopicData['states'][number], reader: DateReader): ChartMark {
  const words = composeStateSentence(state, reader);
  return { kind: 'version', at: state.since, short: state.state.replace('_', ' '), words, quiet: true };
}

function createVersionMark(
  { created_at, version, prompt, search_id }: TopicData['changes'][number],
  { searches }: TopicScope,
): ChartMark {
  const search = searches.find(({ id }) => id === search_id);
  const name = search === undefined || searches.length < 2 ? '' : `${nameSearch(search, searches)} `;
  const short = `${name}v${version}`;
  return { kind: 'version', at: created_at, short, words: `${short}: query changed to “${prompt}”` };
}
