/** Counters of a post: current, over time, and compared at equal age. */

import { SearchLink } from '../components/scope-names.tsx';
import {
  ENGAGEMENT_COUNTERS,
  MAIN_COUNTERS,
  nameCounted,
  POST_COUNTERS,
  type PostCounter,
} from '../../model/counters.ts';
import type { PostGrowthRow } from '../../store/queries/growth.ts';
import type { PostAtAgeRow } from '../../store/queries/counters-at-age.ts';
import type { EngagementRow, PostRow } from '../../store/queries/post-detail.ts';
import { Chart } from '../components/chart.tsx';
import { Table } from '../components/data-table.tsx';
import { Stat, Stats } from '../components/fact-list.tsx';
import { Count, formatCount, Ratio } from '../components/numbers.tsx';
import { EmptyState, Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';

/** Charted separately: views are some hundred times as many as reactions. */
const VIEW_COUNTERS = ['view_count', 'impression_count'] as const;
/** The main ones first. */
const COUNTERS = [...new Set<PostCounter>([...MAIN_COUNTERS, ...POST_COUNTERS])];
const MAX_DROPS = 20;

export function CurrentCounters({ post, growth }: { post: PostRow; growth: PostGrowthRow | undefined }) {
  return (
    <Stats label="Counters when last observed">
      {COUNTERS.flatMap((counter) => {
        const gained = growth?.[`gained_${counter}`] ?? null;
        const lost = growth?.[`lost_${counter}`] ?? null;
        if (post[counter] === null && !ENGAGEMENT_COUNTERS.some((name) => name === counter)) return [];
        return [
          <Stat
            name={nameCounted(counter)}
            value={<Count of={post[counter]} />}
            note={gained === null ? undefined : <CounterChange gained={gained} lost={lost} />}
          />,
        ];
      })}
    </Stats>
  );
}

function CounterChange({ gained, lost }: { gained: number; lost: number | null }) {
  return (
    <>
      +<Count of={gained} /> since first seen
      {lost === null || lost === 0 ? null : (
        <>
          , dropped by <Count of={lost} />
        </>
      )}
    </>
  );
}

export function CounterHistory({ rows, limit }: { rows: readonly EngagementRow[]; limit: number }) {
  if (rows.length < 2)
    return (
      <Section title="Counters over time" id="counters">
        <EmptyState
          words={
            rows.length === 0
              ? 'Counters were never reported, or their history was deleted.'
              : 'No history yet: no change was observed.'
          }
        />
      </Section>
    );
  const drops = findCounterDrops(rows);
  const all = rows.length === limit ? `the newest ${limit} changes` : 'all observed changes';
  return (
    <Section
      title="Counters over time"
      id="counters"
      note={`As reported by the service; ${all}. Values between observations are unknown.`}
    >
      <CounterChart
        caption="Likes, reposts, replies and quotes of this post"
        rows={rows}
        counters={ENGAGEMENT_COUNTERS}
        singular="reaction"
      />
      <CounterChart caption="Views of this post" rows={rows} counters={VIEW_COUNTERS} singular="view" />
      {drops.length === 0 ? null : (
        <>
          <h3>Counters that dropped</h3>
          <ul class="plain">
            {drops.slice(0, MAX_DROPS).map((drop) => (
              <li>
                {drop.words} dropped by <Count of={drop.by} />, from <Count of={drop.from} /> to{' '}
                <Count of={drop.to} />, between <Timestamp at={drop.between} exact /> and{' '}
                <Timestamp at={drop.and} exact />
              </li>
            ))}
            {drops.length <= MAX_DROPS ? null : <li>and {drops.length - MAX_DROPS} earlier drops</li>}
          </ul>
        </>
      )}
    </Section>
  );
}

function CounterChart({
  caption,
  rows,
  counters,
  singular,
}: {
  caption: string;
  rows: readonly EngagementRow[];
  counters: readonly PostCounter[];
  /** The unit of the value 1. */
  singular: string;
}) {
  const series = counters
    .filter((counter) => rows.some((row) => row[counter] !== null))
    .map((counter) => ({ name: nameCounted(counter), values: rows.map((row) => row[counter]) }));
  if (series.length === 0) return null;
  return (
    <Chart
      caption={caption}
      at={rows.map(({ observed_at }) => observed_at)}
      seconds={0}
      series={series}
      unit={`${singular}s`}
      singular={singular}
      kind="lines"
    />
  );
}

type CounterDrop = { words: string; by: number; from: number; to: number; between: Date; and: Date };

/** Each decrease between two known values of a counter, newest first. */
export function findCounterDrops(rows: readonly EngagementRow[]): CounterDrop[] {
  return COUNTERS.flatMap((counter) => {
    const words = nameCounted(counter);
    const known = rows.flatMap((row) => {
      const value = row[counter];
      return value === null ? [] : [{ value, at: row.observed_at }];
    });
    return known.slice(1).flatMap(({ value, at }, i) => {
      const before = known[i];
      if (before === undefined || value >= before.value) return [];
      return [
        { words, by: before.value - value, from: before.value, to: value, between: before.at, and: at },
      ];
    });
  }).sort((a, b) => b.and.getTime() - a.and.getTime());
}

/** A post compared with posts of the same age, of each search and of its author. */
export function EngagementAtAge({ rows }: { rows: readonly PostAtAgeRow[] }) {
  return (
    <Section
      title="At equal age"
      id="ages"
      note="Likes, reposts, replies and quotes at 1, 3, 8, 24 and 72 hours after publication. Typical: the median at that age."
    >
      <TypicalCurve rows={rows} />
      <Table
        empty="Not observed near any of these ages. Searches that run more often cover more of them."
        caption="Engagement at equal age"
        rows={rows}
        columns={[
          { head: 'Age', cell: ({ hours }) => `${hours} h`, number: true },
          { head: 'Search', cell: ({ search }) => <SearchLink slug={search} /> },
          { head: 'Engagement', cell: ({ engagement }) => <RoundedCount of={engagement} />, number: true },
          {
            head: 'Typical, search',
            cell: (row) => <RoundedCount of={row.typical_engagement} />,
            number: true,
          },
          { head: 'vs. typical', cell: (row) => <Ratio of={row.engagement_ratio} />, number: true },
          {
            head: 'Compared with',
            cell: (row) => formatCount(row.compared_with, 'post'),
            number: true,
            wide: true,
          },
          {
            head: 'Typical, author',
            cell: (row) => <RoundedCount of={row.author_typical_engagement} />,
            number: true,
          },
          { head: 'vs. typical', cell: (row) => <Ratio of={row.author_engagement_ratio} />, number: true },
          {
            head: 'Compared with',
            cell: (row) => formatCount(row.author_compared_with, 'post'),
            number: true,
            wide: true,
          },
        ]}
      />
    </Section>
  );
}

/** The reactions of a post beside the typical ones, of the search that compares it with most posts. */
function TypicalCurve({ rows }: { rows: readonly PostAtAgeRow[] }) {
  const most = Math.max(...rows.map(({ compared_with }) => compared_with));
  const search = rows.find(({ compared_with }) => compared_with === most)?.search;
  const ages = rows.filter((row) => row.search === search).toSorted((a, b) => a.hours - b.hours);
  if (ages.length < 2) return null;
  const series = [
    { name: 'This post', values: ages.map(({ engagement }) => engagement) },
    { name: 'Typical, search', values: ages.map((row) => row.typical_engagement) },
    { name: 'Typical, author', values: ages.map((row) => row.author_typical_engagement) },
  ];
  return (
    <Chart
      caption="Reactions of this post beside the typical ones at the same age"
      at={ages.map(({ reached_at }) => reached_at)}
      seconds={0}
      series={series
        .filter(({ values }) => values.some((value) => value !== null))
        .map(({ name, values }) => ({ name, values: values.map(roundCount) }))}
      unit="reactions"
      singular="reaction"
      kind="lines"
    />
  );
}

const roundCount = (of: number | null) => (of === null ? null : Math.round(of));

function RoundedCount({ of }: { of: number | null }) {
  return <Count of={roundCount(of)} />;
}
