import { Badge } from '../kit/badge.tsx';
import { counted, Short, Times } from '../kit/number.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Spark } from '../kit/spark.tsx';
import { type Column, Table } from '../kit/table.tsx';
import { Tabs } from '../kit/tabs.tsx';
import { Due, When } from '../kit/when.tsx';
import { NO_POSTS } from '../topic/links-only.ts';
import { countsNothing, type TopicPulse } from './pulses.ts';

export const SORTS = ['unusual', 'posts', 'name'] as const;
type Sort = (typeof SORTS)[number];
const SORT_WORDS: Readonly<Record<Sort, string>> = {
  unusual: 'Loudest first',
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
      note="Volume of the last 24 hours beside a usual day: the middle of the last fourteen days, scaled up by what was observed."
      aside={
        <>
          {labels.length === 0 ? null : (
            <Tabs
              label="Labels"
              tabs={[undefined, ...labels].map((label) => ({
                href: placeOf({ ...chosen, label }),
                words: label ?? 'All',
                here: label === chosen.label,
              }))}
            />
          )}
          <Tabs
            label="Order"
            tabs={SORTS.map((sort) => ({
              href: placeOf({ ...chosen, sort }),
              words: SORT_WORDS[sort],
              here: sort === chosen.sort,
            }))}
          />
        </>
      }
    >
      {pulses.length === 0 ? (
        <Empty words="No topic has this label." todo={{ words: 'Show all', href: '/' }} />
      ) : (
        <Table caption="Topics" rows={pulses} columns={COLUMNS} />
      )}
    </Section>
  );
}

const COLUMNS: Column<TopicPulse>[] = [
  { head: 'Topic', cell: (one) => <Name {...one} /> },
  {
    head: 'Posts a day, 14 days',
    cell: (one) => <Course {...one} />,
  },
  {
    head: 'Last 24 h',
    number: true,
    cell: (one) => (countsNothing(one) ? null : <LastDay {...one} />),
  },
  {
    head: 'To the usual',
    number: true,
    cell: (one) => (countsNothing(one) ? null : <Beside {...one} />),
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
  { head: 'Last run', wide: true, cell: ({ lastRunAt }) => <When at={lastRunAt} /> },
  { head: 'Next run', wide: true, cell: ({ nextRunAt }) => <Due at={nextRunAt} /> },
  { head: 'Searches', wide: true, cell: (one) => <States {...one} /> },
];

function Course(one: TopicPulse) {
  const { days, hours, spikeDays, topic } = one;
  if (countsNothing(one)) return <span class="unknown">{NO_POSTS}</span>;
  if (hours === null)
    return (
      <Spark values={days} spikes={spikeDays} words={`Posts of ${topic.name} a day, the last 14 days`} />
    );
  return (
    <>
      <Spark values={hours} words={`Posts of ${topic.name} an hour, the last 24 hours`} />
      <div class="hint">posts an hour, 24 hours</div>
    </>
  );
}

function LastDay({ pulse: { posts, coverage, lowerBound } }: TopicPulse) {
  if (coverage === 0 || coverage === null) return <span class="unknown">not observed</span>;
  return (
    <>
      <Short of={posts} least={lowerBound} />
      {coverage >= 0.95 ? null : <div class="hint">{Math.round(coverage * 100)} % observed</div>}
    </>
  );
}

function Beside({ pulse: { ratio, usual } }: TopicPulse) {
  return (
    <>
      <Times of={ratio} />
      {usual === null ? null : <div class="hint narrow-out">of {counted(Math.round(usual), 'post')}</div>}
    </>
  );
}

function Name({ topic, simulated, labels }: TopicPulse) {
  return (
    <>
      <a class="who" href={`/topics/${topic.slug}`}>
        {topic.name}
      </a>{' '}
      {simulated ? <Badge state="simulated" why="its posts are invented by the sandbox" /> : null}
      {labels.length === 0 ? null : <div class="hint">{labels.join(', ')}</div>}
    </>
  );
}

function States({ searches, amiss }: TopicPulse) {
  if (searches.length === 0) return <span class="unknown">none</span>;
  const counts = new Map<TopicPulse['searches'][number]['state'], number>();
  for (const { state } of searches) counts.set(state, (counts.get(state) ?? 0) + 1);
  const active = amiss.filter(({ search }) => search.state === 'active');
  const silent = active.filter((one) => one.silent !== undefined).length;
  const failing = active.length - silent;
  return (
    <>
      {[...counts].map(([state, n]) => (
        <>
          <Badge state={state} words={`${n} ${state}`} />{' '}
        </>
      ))}
      {silent === 0 ? null : <Badge state="silent" words={`${silent} silent`} />}{' '}
      {failing === 0 ? null : <Badge state="failed" words={`${failing} failed last`} />}
    </>
  );
}

function placeOf({ sort, label }: { sort: Sort; label: string | undefined }): string {
  const query = new URLSearchParams();
  if (sort !== 'unusual') query.set('sort', sort);
  if (label !== undefined) query.set('label', label);
  const asked = query.toString();
  return asked === '' ? '/' : `/?${asked}`;
}
