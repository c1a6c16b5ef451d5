import { formatPercent } from '../../lib/display-format.ts';
import { Badge } from '../components/icons.tsx';
import { writeAddress, writeListPath } from '../components/list-address.ts';
import { formatCount, ShortCount, Ratio } from '../components/numbers.tsx';
import { Section, Tabs } from '../components/section.tsx';
import { TopicStatusBadge } from '../components/status-line.tsx';
import { Sparkline } from '../components/sparkline-svg.tsx';
import { type Column, Table } from '../components/data-table.tsx';
import { DueTime, Timestamp } from '../components/timestamp.tsx';
import { NO_POSTS_TEXT } from '../topic/topic-data.ts';
import { WATCH_FILE_PATH } from './watch-file.ts';
import { hasNoPosts, type TopicPulse } from './topic-pulses.ts';

export const SORTS = ['unusual', 'posts', 'name'] as const;
type Sort = (typeof SORTS)[number];
const SORT_WORDS: Readonly<Record<Sort, string>> = {
  unusual: 'Highest vs. typical',
  posts: 'Most posts',
  name: 'Name',
};

export function TopicTable({
  pulses,
  labels,
  chosen,
}: {
  pulses: readonly TopicPulse[];
  labels: readonly string[];
  chosen: { sort: Sort; label: string | undefined };
}) {
  return (
    <Section
      title="Topics"
      id="topics"
      live
      note="Last 24 h against a typical day (14-day median, corrected for coverage)."
      aside={
        <>
          {labels.length === 0 ? null : (
            <Tabs
              label="Labels"
              tabs={[undefined, ...labels].map((label) => ({
                href: writeOverviewPath({ ...chosen, label }),
                words: label ?? 'All',
                here: label === chosen.label,
              }))}
            />
          )}
          <Tabs
            label="Order"
            tabs={SORTS.map((sort) => ({
              href: writeOverviewPath({ ...chosen, sort }),
              words: SORT_WORDS[sort],
              here: sort === chosen.sort,
            }))}
          />
        </>
      }
    >
      <Table
        empty="No topics with this label."
        todo={{ words: 'Show all', href: '/' }}
        caption="Topics"
        rows={pulses}
        columns={COLUMNS}
      />
      <p class="hint">
        <a href={WATCH_FILE_PATH}>Download as a file</a>: topics, sources, searches, rules and channels, to
        keep and apply.
      </p>
    </Section>
  );
}

const COLUMNS: Column<TopicPulse>[] = [
  { head: 'Topic', cell: (topicPulse) => <NameCell {...topicPulse} /> },
  { head: 'Status', cell: (topicPulse) => <StatusCell {...topicPulse} /> },
  {
    head: 'Posts per day, 14 days',
    cell: (topicPulse) => <VolumeCell {...topicPulse} />,
  },
  {
    head: 'Last 24 h',
    number: true,
    cell: (topicPulse) => (hasNoPosts(topicPulse) ? null : <LastDayCell {...topicPulse} />),
  },
  {
    head: 'vs. typical',
    number: true,
    cell: (topicPulse) => (hasNoPosts(topicPulse) ? null : <TypicalCell {...topicPulse} />),
  },
  {
    head: 'Spikes',
    wide: true,
    cell: ({ spikes }) =>
      spikes.length === 0 ? (
        <span class="unknown">none</span>
      ) : (
        <Badge state="rising" words={String(spikes.length)} />
      ),
  },
  { head: 'Last run', wide: true, cell: ({ lastRunAt }) => <Timestamp at={lastRunAt} /> },
  { head: 'Next run', wide: true, cell: ({ nextRunAt }) => <DueTime at={nextRunAt} /> },
];

function VolumeCell(topicPulse: TopicPulse) {
  const { days, hours, spikeDays, topic } = topicPulse;
  if (hasNoPosts(topicPulse)) return <span class="unknown">{NO_POSTS_TEXT}</span>;
  if (hours === null)
    return (
      <Sparkline values={days} spikes={spikeDays} words={`${topic.name}, posts per day, last 14 days`} />
    );
  return (
    <>
      <Sparkline values={hours} words={`${topic.name}, posts per hour, last 24 hours`} />
      <div class="hint">posts per hour, 24 hours</div>
    </>
  );
}

function LastDayCell({ topic, pulse: { posts, coverage, lowerBound } }: TopicPulse) {
  if ((coverage === 0 || coverage === null) && posts === 0) return <span class="unknown">not observed</span>;
  return (
    <>
      <a href={writeListPath('posts', { topic: topic.slug }, { range: '24h' })}>
        <ShortCount of={posts} least={lowerBound} />
      </a>
      {coverage !== null && coverage >= 0.95 ? null : (
        <div class="hint">{formatPercent(coverage ?? 0)} observed</div>
      )}
    </>
  );
}

function TypicalCell({ pulse: { ratio, typical } }: TopicPulse) {
  return (
    <>
      <Ratio of={ratio} />
      {typical === null ? null : (
        <div class="hint narrow-out">typical {formatCount(Math.round(typical), 'post')}</div>
      )}
    </>
  );
}

function NameCell({ topic, labels }: TopicPulse) {
  return (
    <>
      <a class="who" href={`/topics/${topic.slug}`}>
        {topic.name}
      </a>
      {labels.length === 0 ? null : <div class="hint">{labels.join(', ')}</div>}
    </>
  );
}

function StatusCell({ status }: TopicPulse) {
  return (
    <>
      <TopicStatusBadge status={status} />
      <div class="hint narrow-out">{formatCount(status.total, 'search', 'searches')}</div>
    </>
  );
}

const writeOverviewPath = ({ sort, label }: { sort: Sort; label: string | undefined }) =>
  writeAddress('/', { sort: sort === 'unusual' ? undefined : sort, label });
