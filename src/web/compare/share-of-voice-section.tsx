/** How much of the talk each topic has. */
import { DAY } from '../../domain/time.ts';
import type { ShareOfVoiceSeries } from '../../monitor/trends/rules/share-by-day.ts';
import type { VoiceRow } from '../../store/queries/share-of-voice.ts';
import type { ServiceKind } from '../../store/services.ts';
import { Count, formatPercent } from '../components/numbers.tsx';
import { Chart } from '../components/chart.tsx';
import { Section } from '../components/section.tsx';
import { Sparkline } from '../components/sparkline-svg.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { Table } from '../components/data-table.tsx';

export type ShareOfVoice = {
  kind: ServiceKind;
  means: readonly VoiceRow[];
  series: readonly ShareOfVoiceSeries[];
  /** The first of so many whole days (UTC). */
  from: Date;
  days: number;
};

const SERVICE_LABELS: Readonly<Record<ServiceKind, string>> = {
  hosted: 'the hosted service',
  own: 'the own service',
  sandbox: 'the sandbox, which invents',
};

/** What people call a topic, by its slug. */
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
      title={alone ? 'Share of voice' : `Share of voice in ${SERVICE_LABELS[kind]}`}
      id={`share-${kind}`}
      note={`Posts per day of their own time, found in ${SERVICE_LABELS[kind]}, scaled up to whole days by what was observed. Days of which less than half was observed count for nothing: they are gaps and not zero.`}
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
            head: 'Posts a day',
            cell: ({ normalised_per_day: mean, lower_bound: least }) => (
              <Count of={mean === null ? null : Math.round(mean)} least={least} />
            ),
            number: true,
          },
          { head: 'Posts as counted', cell: ({ posts }) => <Count of={posts} />, number: true, wide: true },
          { head: 'Not observed', cell: (row) => <MissingDays row={row} days={days} /> },
        ]}
      />
      <Chart
        caption="Share of each topic per day"
        at={at}
        seconds={86_400}
        series={series.map(({ topic, share }) => ({
          name: getTopicName(topic),
          values: share.map((one) => (one === null ? null : Math.round(one * 1_000) / 10)),
        }))}
        unit="percent of the posts of these topics, on days on which all of them were observed"
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
        unit="posts per day, scaled up to whole days"
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
      {missing === 0 ? 'nothing' : `${missing} of ${days} days`}
      {least ? '; some answers were cut at their limit' : ''}
    </>
  );
}

export function SmallMultiples({ shareOfVoice }: { shareOfVoice: ShareOfVoice }) {
  const getTopicName = useTopicNames();
  return (
    <Section
      title="Each on its own scale"
      id={`multiples-${shareOfVoice.kind}`}
      note="The same posts per day, so that the course of a small topic is seen beside a large one."
    >
      <ul class="multiples plain">
        {shareOfVoice.series.map(({ topic, posts }) => {
          const known = posts.filter((one) => one !== null);
          return (
            <li>
              <a href={`/topics/${topic}`}>{getTopicName(topic)}</a>
              <Sparkline values={posts.map(roundPosts)} words={`Posts per day of ${getTopicName(topic)}`} />
              <span class="quiet-text">
                {known.length === 0 ? (
                  'not observed'
                ) : (
                  <>
                    <Count of={Math.round(Math.min(...known))} /> to{' '}
                    <Count of={Math.round(Math.max(...known))} /> posts a day
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
