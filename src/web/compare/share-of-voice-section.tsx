import { describeUtcDays, formatPercent } from '../../lib/display-format.ts';
import { DAY } from '../../lib/time.ts';
import type { VoiceRow } from '../../store/queries/share-of-voice.ts';
import type { ServiceKind } from '../../model/closed-lists.ts';
import { Count } from '../components/numbers.tsx';
import { Chart } from '../components/chart.tsx';
import { Section } from '../components/section.tsx';
import { Sparkline } from '../components/sparkline-svg.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { Table } from '../components/data-table.tsx';
import type { ShareOfVoice } from './compare-data.ts';

const SERVICE_LABELS: Readonly<Record<ServiceKind, string>> = {
  hosted: 'the hosted service',
  own: 'your own service',
  sandbox: 'the sample (simulated)',
};

function useTopicNames(): (slug: string) => string {
  const { topics } = useFrame();
  const names = new Map(topics.map(({ slug, name }) => [slug, name]));
  return (slug) => names.get(slug) ?? slug;
}

const listDays = ({ from, days }: ShareOfVoice) =>
  Array.from({ length: days }, (_, i) => new Date(from.getTime() + i * DAY));

export function ShareSection({ shareOfVoice, alone }: { shareOfVoice: ShareOfVoice; alone: boolean }) {
  const { kind, means, series, days } = shareOfVoice;
  const getTopicName = useTopicNames();
  const at = listDays(shareOfVoice);
  return (
    <Section
      title={alone ? 'Share of voice' : `Share of voice, ${SERVICE_LABELS[kind]}`}
      id={`share-${kind}`}
      note={`Posts per day from ${SERVICE_LABELS[kind]}, by time of publication, corrected for coverage. Days with less than half observed are left out and shown as gaps. ${describeUtcDays(useFrame())}`}
    >
      <Table
        caption="Share of voice of each topic"
        rows={means}
        columns={[
          { head: 'Topic', cell: ({ topic }) => <a href={`/topics/${topic}`}>{getTopicName(topic)}</a> },
          {
            head: 'Share',
            cell: ({ share }) => (share === null ? <Count of={null} /> : formatPercent(share)),
            number: true,
          },
          {
            head: 'Posts per day',
            cell: ({ normalised_per_day: mean, lower_bound: least }) => (
              <Count of={mean === null ? null : Math.round(mean)} least={least} />
            ),
            number: true,
          },
          { head: 'Posts counted', cell: ({ posts }) => <Count of={posts} />, number: true, wide: true },
          { head: 'Not observed', cell: (row) => <MissingDays row={row} days={days} /> },
        ]}
      />
      <Chart
        caption="Share of each topic per day"
        at={at}
        seconds={86_400}
        series={series.map(({ topic, share }) => ({
          name: getTopicName(topic),
          values: share.map((part) => (part === null ? null : Math.round(part * 1_000) / 10)),
        }))}
        unit="percent of the posts of these topics, on days when all were observed"
        sign=" %"
        kind="lines"
      />
      <h3>On one scale</h3>
      <Chart
        caption="Posts per day of each topic"
        at={at}
        seconds={86_400}
        series={series.map(({ topic, posts, least }) => ({
          name: getTopicName(topic),
          values: posts.map(roundPosts),
          least,
        }))}
        unit="posts per day, corrected for coverage"
        kind="lines"
      />
    </Section>
  );
}

function MissingDays({ row, days }: { row: VoiceRow; days: number }) {
  const { normalised_days: seen, lower_bound: least } = row;
  const missing = days - seen;
  return (
    <>
      {missing === 0 ? 'none' : `${missing} of ${days} days`}
      {least ? '; some responses hit the limit' : ''}
    </>
  );
}

export function SmallMultiples({ shareOfVoice }: { shareOfVoice: ShareOfVoice }) {
  const getTopicName = useTopicNames();
  return (
    <Section
      title="Each on its own scale"
      id={`multiples-${shareOfVoice.kind}`}
      note="The same posts per day, so that small topics are readable next to large ones."
    >
      <ul class="multiples plain">
        {shareOfVoice.series.map(({ topic, posts }) => {
          const known = posts.filter((count) => count !== null);
          return (
            <li>
              <a href={`/topics/${topic}`}>{getTopicName(topic)}</a>
              <Sparkline values={posts.map(roundPosts)} words={`${getTopicName(topic)}, posts per day`} />
              <span class="quiet-text">
                {known.length === 0 ? (
                  'not observed'
                ) : (
                  <>
                    <Count of={Math.round(Math.min(...known))} /> to{' '}
                    <Count of={Math.round(Math.max(...known))} /> posts per day
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function roundPosts(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}
