import { formatUtcMidnight } from '../../lib/display-format.ts';
import { compareStatuses } from '../../monitor/status/search-status.ts';
import { STATUS_NAMES } from '../../monitor/status/status-names.ts';
import type { RunTally, ServiceDay } from '../../store/queries/run-tallies.ts';
import { Stat, Stats } from '../components/fact-list.tsx';
import { Badge } from '../components/icons.tsx';
import { Count, formatCount, isPaid, judgeRatio, ShortCount, Usd } from '../components/numbers.tsx';
import { useFrame } from '../components/page-frame.tsx';
import { Section } from '../components/section.tsx';
import { NextRun, Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import { explainNoRatio } from '../topic/topic-data.ts';
import { hasNoPosts, type TopicPulse } from './topic-pulses.ts';

/** Sentences for the top of the overview: each says what a column of the table below shows. */
export function summarizeTopics(all: readonly TopicPulse[]): string {
  const pulses = all.filter((topicPulse) => !hasNoPosts(topicPulse));
  const loud = pulses.filter(({ pulse }) => judgeRatio(pulse.ratio) === 'more');
  const quiet = pulses.filter(({ pulse }) => judgeRatio(pulse.ratio) === 'less');
  const spiked = all.filter(({ spikes }) => spikes.length > 0);
  const unknown = pulses.filter(({ pulse }) => pulse.ratio === null);
  const troubled = all.reduce((sum, topicPulse) => sum + topicPulse.troubled.length, 0);
  const sentences: string[] = [];
  if (loud.length > 0) sentences.push(`Busier than on a typical day: ${joinNames(loud)}`);
  if (quiet.length > 0) sentences.push(`Quieter than on a typical day: ${joinNames(quiet)}`);
  const known = pulses.length - unknown.length;
  if (sentences.length === 0 && known > 0)
    sentences.push(
      `As busy as on a typical day: ${known === all.length ? 'all topics' : formatCount(known, 'topic')}`,
    );
  if (unknown.length > 0 && known === 0 && loud.length === 0) {
    const reason = explainNoRatio(
      unknown.some(({ hasTypical }) => hasTypical),
      '24 hours',
    );
    sentences.push(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}`);
  }
  if (spiked.length > 0) sentences.push(`Spikes in the last 24 hours: ${joinNames(spiked)}`);
  if (troubled > 0)
    sentences.push(
      `${formatCount(troubled, 'search', 'searches')} ${troubled === 1 ? 'needs' : 'need'} attention`,
    );
  return sentences.map((sentence) => `${sentence}.`).join(' ');
}

const MAX_NAMED = 3;

function joinNames(pulses: readonly TopicPulse[]): string {
  const names = pulses.slice(0, MAX_NAMED).map(({ topic }) => topic.name);
  const more = pulses.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Totals over all topics. */
export function KeyNumbers({
  pulses,
  runs,
  services,
  spikes,
}: {
  pulses: readonly TopicPulse[];
  runs: readonly RunTally[];
  services: readonly ServiceDay[];
  /** In the last 24 hours. */
  spikes: number;
}) {
  const frame = useFrame();
  const posts = pulses.reduce((sum, { pulse }) => sum + pulse.posts, 0);
  const typical = pulses.reduce((sum, { pulse }) => sum + (pulse.typical ?? 0), 0);
  const counted = pulses.filter((topicPulse) => !hasNoPosts(topicPulse)).length;
  const compared = pulses.filter(
    (topicPulse) => !hasNoPosts(topicPulse) && topicPulse.pulse.typical !== null,
  ).length;
  const least = pulses.some(({ pulse }) => pulse.lowerBound);
  const ended = sumRuns(runs, (status) => status === 'succeeded' || status === 'failed');
  const failed = sumRuns(runs, (status) => status === 'failed');
  const calls = services.reduce((sum, service) => sum + service.calls_today, 0);
  const priced = services.filter(({ cost_usd_today }) => cost_usd_today !== null);
  const cost =
    priced.length === 0 ? null : priced.reduce((sum, service) => sum + (service.cost_usd_today ?? 0), 0);
  const unpriced = services
    .filter(({ kind }) => isPaid(kind))
    .reduce((sum, service) => sum + service.calls_without_cost_today, 0);
  return (
    <div data-live="numbers">
      <Stats label="All topics">
        <Stat
          name={counted > 1 ? 'Posts by topic, last 24 hours' : 'Posts, last 24 hours'}
          value={<ShortCount of={posts} least={least} />}
          note={
            <>
              {counted > 1 ? `sum of ${formatCount(counted, 'topic')}; a post in two counts twice; ` : ''}
              {typical === 0
                ? explainNoRatio(
                    pulses.some(({ hasTypical }) => hasTypical),
                    '24 hours',
                  )
                : `typical ${formatCount(Math.round(typical), 'post')}${compared === counted ? '' : ` in ${compared} of ${formatCount(counted, 'topic')}`}`}
            </>
          }
        />
        <Stat
          name="Spikes, last 24 hours"
          value={<Count of={spikes} />}
          loud={spikes > 0}
          note={`in ${pulses.filter((topicPulse) => topicPulse.spikes.length > 0).length} of ${formatCount(pulses.length, 'topic')}`}
        />
        <Stat
          name="Runs, last 24 hours"
          value={<Count of={ended} />}
          note={failed === 0 ? 'none failed' : `${failed} failed`}
        />
        <Stat
          name={`Calls since ${formatUtcMidnight(frame)}`}
          value={<Count of={calls} />}
          note={
            cost === null ? (
              unpriced === 0 ? (
                'free'
              ) : (
                'cost not reported'
              )
            ) : (
              <>
                <Usd of={cost} />
                {unpriced === 0 ? '' : `; not reported for ${formatCount(unpriced, 'call')}`}
              </>
            )
          }
        />
        <NextRun due={pulses.map(({ nextRunAt }) => nextRunAt)} />
      </Stats>
    </div>
  );
}

function sumRuns(runs: readonly RunTally[], is: (status: RunTally['status']) => boolean): number {
  return runs.reduce((sum, tally) => sum + (is(tally.status) ? tally.runs : 0), 0);
}

const MAX_ATTENTION = 8;

/** Searches that need attention, and why, worst first. */
export function AttentionSection({ pulses }: { pulses: readonly TopicPulse[] }) {
  const shown = pulses.flatMap(({ troubled }) => troubled).toSorted(compareStatuses);
  if (shown.length === 0) return null;
  return (
    <Section title="Needs attention" id="amiss" live>
      <ul class="feed">
        {shown.slice(0, MAX_ATTENTION).map(({ search, status, since, reason, last_run_id }) => (
          <li>
            <div class="line">
              <span class="line-what">
                <Badge state={status} words={STATUS_NAMES[status]} />{' '}
                <a href={`/searches/${search}`}>{search}</a>{' '}
                <span class="why">
                  <UntrustedText text={reason ?? 'reason not recorded'} />
                </span>
              </span>
              <span class="line-more">
                <span>
                  since <Timestamp at={since} exact />
                </span>
                {last_run_id === null ? null : <a href={`/runs/${last_run_id}`}>last run</a>}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {shown.length <= MAX_ATTENTION ? null : (
        <p class="hint">and {shown.length - MAX_ATTENTION} more: see each topic.</p>
      )}
    </Section>
  );
}
