/** What a post has, and how it came to it. */
import type { PostGrowthRow } from '../../../store/reads/growth.ts';
import type { EngagementRow } from '../../../store/reads/post-history.ts';
import type { PostRow } from '../../../store/reads/posts.ts';
import { Chart } from '../kit/chart.tsx';
import { Count } from '../kit/number.tsx';
import { Empty, Section } from '../kit/section.tsx';
import { Stat, Stats } from '../kit/stat.tsx';
import { When } from '../kit/when.tsx';
import { COUNTERS, type Counter, fallsOf } from './falls.ts';

/** Those that stand on one scale; views are some hundred times as many. */
const REACTIONS: readonly Counter[] = ['like_count', 'repost_count', 'reply_count', 'quote_count'];
const WIDE: readonly Counter[] = ['view_count', 'impression_count'];
const MOST_FALLS = 20;

export function CountersNow({ post, growth }: { post: PostRow; growth: PostGrowthRow | undefined }) {
  return (
    <Stats label="Counters when last observed">
      {COUNTERS.flatMap(([member, words]) => {
        const gained = growth?.[`gained_${member}`] ?? null;
        const lost = growth?.[`lost_${member}`] ?? null;
        if (post[member] === null && REACTIONS.indexOf(member) < 0) return [];
        return [
          <Stat
            name={words}
            value={<Count of={post[member]} />}
            note={gained === null ? undefined : <Change gained={gained} lost={lost} />}
          />,
        ];
      })}
    </Stats>
  );
}

function Change({ gained, lost }: { gained: number; lost: number | null }) {
  return (
    <>
      +<Count of={gained} /> since first seen
      {lost === null || lost === 0 ? null : (
        <>
          , fell by <Count of={lost} />
        </>
      )}
    </>
  );
}

export function History({ rows, limit }: { rows: readonly EngagementRow[]; limit: number }) {
  if (rows.length < 2)
    return (
      <Section title="Counters over time" id="counters">
        <Empty
          words={
            rows.length === 0
              ? 'No counter of this post was ever told, or its history is no longer kept.'
              : 'Its counters were observed once. A history begins when a later run sees other ones.'
          }
        />
      </Section>
    );
  const falls = fallsOf(rows);
  const all = rows.length === limit ? `the newest ${limit} changes` : 'every change that was observed';
  return (
    <Section
      title="Counters over time"
      id="counters"
      note={`As many as the service said at each observation: ${all}. Between two of them nothing is known.`}
    >
      <Lines
        caption="Likes, reposts, replies and quotes of this post"
        rows={rows}
        members={REACTIONS}
        unit="reactions"
      />
      <Lines caption="Views of this post" rows={rows} members={WIDE} unit="views" />
      {falls.length === 0 ? null : (
        <>
          <h3>Counters that fell</h3>
          <ul class="plain">
            {falls.slice(0, MOST_FALLS).map((fall) => (
              <li>
                {fall.words} fell by <Count of={fall.by} />, from <Count of={fall.from} /> to{' '}
                <Count of={fall.to} />, between <When at={fall.between} exact /> and{' '}
                <When at={fall.and} exact />
              </li>
            ))}
            {falls.length <= MOST_FALLS ? null : <li>and {falls.length - MOST_FALLS} times before that</li>}
          </ul>
        </>
      )}
    </Section>
  );
}

function Lines({
  caption,
  rows,
  members,
  unit,
}: {
  caption: string;
  rows: readonly EngagementRow[];
  members: readonly Counter[];
  unit: string;
}) {
  const series = COUNTERS.filter(
    ([member]) => members.includes(member) && rows.some((row) => row[member] !== null),
  ).map(([member, name]) => ({ name, values: rows.map((row) => row[member]) }));
  if (series.length === 0) return null;
  return (
    <Chart
      caption={caption}
      at={rows.map(({ observed_at }) => observed_at)}
      seconds={0}
      series={series}
      unit={unit}
      kind="lines"
    />
  );
}
