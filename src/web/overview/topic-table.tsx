/** Topics in rows of one line, of which many can be selected and changed at once. */
import { formatPercent } from '../../lib/display-format.ts';
import { type Column, Table } from '../components/data-table.tsx';
import { Button, Form } from '../components/form.tsx';
import { HeatStrip } from '../components/heat-strip.tsx';
import { writeAddress, writeListPath } from '../components/list-address.ts';
import { Count, formatCount, Ratio, ShortCount } from '../components/numbers.tsx';
import { IfAllowed, useFrame } from '../components/page-frame.tsx';
import { Section, Tabs } from '../components/section.tsx';
import { Sparkline } from '../components/sparkline-svg.tsx';
import { TopicStatusBadge } from '../components/status-line.tsx';
import { NO_POSTS_TEXT } from '../topic/topic-data.ts';
import { type OverviewRange, writeRange } from './overview-range.ts';
import { hasNoPosts, type TopicPulse } from './topic-pulses.ts';
import { WATCH_FILE_PATH } from './watch-file.ts';

export const SORTS = ['unusual', 'posts', 'new', 'name'] as const;
type Sort = (typeof SORTS)[number];
const SORT_WORDS: Readonly<Record<Sort, string>> = {
  unusual: 'Highest vs. typical',
  posts: 'Most posts',
  new: 'Most new',
  name: 'Name',
};

/** How the overview filters and sorts its topics. */
export type TopicChoice = { sort: Sort; label: string | undefined; filter: string | undefined };

const SORT_ORDERS: Readonly<Record<Sort, (a: TopicPulse, b: TopicPulse) => number>> = {
  unusual: (a, b) => (b.pulse.ratio ?? -1) - (a.pulse.ratio ?? -1),
  posts: (a, b) => b.pulse.posts - a.pulse.posts,
  new: (a, b) => (b.news?.found ?? 0) - (a.news?.found ?? 0),
  name: () => 0,
};

/** The chosen topics, sorted. */
export function chooseTopics(
  pulses: readonly TopicPulse[],
  { sort, label, filter }: TopicChoice,
): TopicPulse[] {
  const part = filter?.toLowerCase();
  return pulses
    .filter(
      ({ topic, labels }) =>
        (label === undefined || labels.includes(label)) &&
        (part === undefined || topic.name.toLowerCase().includes(part) || topic.slug.includes(part)),
    )
    .toSorted((a, b) => SORT_ORDERS[sort](a, b) || a.topic.name.localeCompare(b.topic.name, 'en'));
}

export function TopicTable({
  pulses,
  labels,
  choice,
  range,
}: {
  /** The chosen ones. */
  pulses: readonly TopicPulse[];
  /** Of all topics. */
  labels: readonly string[];
  choice: TopicChoice;
  range: OverviewRange;
}) {
  const isShared = useFrame().visitor.kind === 'shared';
  const table = (selects: boolean) => (
    <Table
      empty="No topics match."
      todo={{ words: 'Show all', href: path({ label: undefined, filter: undefined }) }}
      caption="Topics"
      rows={pulses}
      columns={buildColumns(range, selects)}
    />
  );
  const path = (changed: Partial<TopicChoice>) =>
    writeAddress('/', { ...writeRange(range), ...writeChoice({ ...choice, ...changed }) });
  return (
    <Section
      title={formatCount(pulses.length, 'topic')}
      id="topics"
      live
      aside={
        <div class="aside">
          {labels.length === 0 ? null : (
            <Tabs
              label="Labels"
              tabs={[undefined, ...labels].map((label) => ({
                href: path({ label }),
                words: label ?? 'All',
                here: label === choice.label,
              }))}
            />
          )}
          <Tabs
            label="Order"
            tabs={SORTS.map((sort) => ({
              href: path({ sort }),
              words: SORT_WORDS[sort],
              here: sort === choice.sort,
            }))}
          />
          <FilterForm choice={choice} range={range} />
        </div>
      }
    >
      <IfAllowed scope="write" otherwise={<div class="selecting">{table(false)}</div>}>
        <Form action="/selection" class="selecting" label="Selected topics">
          {table(true)}
          <SelectionBar />
        </Form>
      </IfAllowed>
      <p class="hint">
        A dot is a spike. 24 h against a typical day (14-day median, corrected for coverage). New and runs:{' '}
        {range.words}.
        {isShared ? null : (
          <>
            {' '}
            <a href={WATCH_FILE_PATH}>Download as a file</a>, <a href="/compare">compare topics</a>.
          </>
        )}
      </p>
    </Section>
  );
}

/** Without a button: Enter sends it. */
function FilterForm({ choice, range }: { choice: TopicChoice; range: OverviewRange }) {
  return (
    <form class="filter" method="get" action="/">
      {Object.entries({ ...writeRange(range), ...writeChoice({ ...choice, filter: undefined }) }).map(
        ([name, value]) => (value === undefined ? null : <input type="hidden" name={name} value={value} />),
      )}
      <input
        type="search"
        name="q"
        value={choice.filter}
        placeholder="Filter"
        aria-label="Filter topics by name"
      />
    </form>
  );
}

/** Shown while a topic is selected. */
function SelectionBar() {
  return (
    <div class="selection" role="group" aria-label="Change the selected topics">
      <Button words="Compare" name="do" value="compare" />
      <Button words="Pause" icon="pause" name="do" value="pause" />
      <IfAllowed scope="run">
        <button type="submit" class="plain" formaction="/selection/resume">
          Resume
        </button>
      </IfAllowed>
      <Button words="Mute…" name="do" value="mute" />
      <Button words="Label…" name="do" value="label" />
      <Button words="Remove…" kind="danger" name="do" value="remove" />
    </div>
  );
}

function buildColumns(range: OverviewRange, selects: boolean): Column<TopicPulse>[] {
  return [
    {
      head: <span class="unseen">Select</span>,
      cell: ({ topic }) =>
        selects ? (
          <input type="checkbox" name="topics" value={topic.slug} aria-label={`Select ${topic.name}`} />
        ) : null,
    },
    { head: 'Topic', cell: (topicPulse) => <NameCell {...topicPulse} /> },
    { head: 'Posts, 14 days', cell: (topicPulse) => <VolumeCell {...topicPulse} /> },
    {
      head: '24 h',
      number: true,
      cell: (topicPulse) => (hasNoPosts(topicPulse) ? null : <LastDayCell {...topicPulse} />),
    },
    {
      head: 'vs. typical',
      number: true,
      cell: (topicPulse) => (hasNoPosts(topicPulse) ? null : <TypicalCell {...topicPulse} />),
    },
    { head: 'New', number: true, cell: (topicPulse) => <NewCell {...topicPulse} range={range} /> },
    {
      head: 'Runs',
      cell: ({ topic, runs }) => <HeatStrip parts={runs} words={`${topic.name}, runs ${range.words}`} />,
    },
  ];
}

function NameCell({ topic, labels, status }: TopicPulse) {
  return (
    <div class="topic-name">
      <span>
        <a class="who" href={`/topics/${topic.slug}`}>
          {topic.name}
        </a>
        {labels.length === 0 ? null : <span class="hint"> {labels.join(', ')}</span>}
      </span>
      <TopicStatusBadge status={status} />
    </div>
  );
}

function VolumeCell(topicPulse: TopicPulse) {
  const { days, hours, spikeDays, band, topic } = topicPulse;
  if (hasNoPosts(topicPulse)) return <span class="unknown">{NO_POSTS_TEXT}</span>;
  if (hours === null)
    return (
      <Sparkline
        values={days}
        spikes={spikeDays}
        band={band}
        words={`${topic.name}, posts per day, last 14 days`}
      />
    );
  return (
    <span class="spark-hours">
      <Sparkline values={hours} words={`${topic.name}, posts per hour, last 24 hours`} />
      <span class="hint">24 h</span>
    </span>
  );
}

function LastDayCell({ topic, pulse: { posts, coverage, lowerBound } }: TopicPulse) {
  if ((coverage === 0 || coverage === null) && posts === 0) return <span class="unknown">not observed</span>;
  const part = coverage !== null && coverage >= 0.95 ? null : `${formatPercent(coverage ?? 0)} observed`;
  return (
    <span>
      {part === null ? null : <span class="hint">{part} </span>}
      <a href={writeListPath('posts', { topic: topic.slug }, { range: '24h' })}>
        <ShortCount of={posts} least={lowerBound} />
      </a>
    </span>
  );
}

function TypicalCell({ pulse: { ratio, typical } }: TopicPulse) {
  return (
    <>
      <Ratio of={ratio} />
      {typical === null ? null : (
        <span class="hint narrow-out"> of {formatCount(Math.round(typical), 'post')}</span>
      )}
    </>
  );
}

/** The number leads to its list: to what is later than the discovery before the first of them, or, of a range that is over, to its times. */
function NewCell({ topic, news, range }: TopicPulse & { range: OverviewRange }) {
  if (news === null) return <span class="unknown">0</span>;
  const to = range.until ?? undefined;
  return (
    <a href={writeListPath('discoveries', { topic: topic.slug }, { after: String(news.first_id - 1n), to })}>
      <Count of={news.found} />
    </a>
  );
}

/** The parameters of an address with this choice. */
export function writeChoice({ sort, label, filter }: TopicChoice) {
  return { sort: sort === SORTS[0] ? undefined : sort, label, q: filter };
}
