import { RUN_CODES } from '../../domain/errors.ts';
import { describeLastRun } from '../../monitor/status/search-silence.ts';
import type { RunTally, ServiceDay } from '../../store/queries/run-tallies.ts';
import { Stat, Stats } from '../components/fact-list.tsx';
import { Badge, type BadgeState } from '../components/icons.tsx';
import { Count, formatCount, isPaid, ShortCount, Usd } from '../components/numbers.tsx';
import { Section } from '../components/section.tsx';
import { DueTime, Timestamp } from '../components/timestamp.tsx';
import { hasNoPosts, isStopped, type TopicPulse, type TroubledSearch } from './topic-pulses.ts';

/** From here on a topic is called louder than usual, and up to there quieter. */
const LOUDER_RATIO = 1.5;
const QUIETER_RATIO = 0.5;

/** What is going on, in a sentence or two. */
export function summarizeTopics(all: readonly TopicPulse[]): string {
  const pulses = all.filter((one) => !hasNoPosts(one));
  const loud = pulses.filter(({ pulse, spikes }) => (pulse.ratio ?? 0) >= LOUDER_RATIO || spikes.length > 0);
  const quiet = pulses.filter(({ pulse }) => pulse.ratio !== null && pulse.ratio <= QUIETER_RATIO);
  const unknown = pulses.filter(({ pulse }) => pulse.ratio === null);
  const troubled = all.reduce((sum, one) => sum + one.troubled.length, 0);
  const sentences: string[] = [];
  if (loud.length > 0)
    sentences.push(`${joinNames(loud)} ${loud.length === 1 ? 'is' : 'are'} louder than usual`);
  if (quiet.length > 0) sentences.push(`${joinNames(quiet)} ${quiet.length === 1 ? 'is' : 'are'} quieter`);
  const known = pulses.length - unknown.length;
  if (sentences.length === 0 && known > 0)
    sentences.push(
      `${known === pulses.length ? 'All topics are' : `${formatCount(known, 'topic')} ${known === 1 ? 'is' : 'are'}`} about as loud as usual`,
    );
  if (unknown.length > 0 && known === 0)
    sentences.push('What is usual is not known yet: three days must be observed first');
  if (troubled > 0)
    sentences.push(
      `${formatCount(troubled, 'search', 'searches')} ${troubled === 1 ? 'needs' : 'need'} attention`,
    );
  return sentences.map((one) => `${one}.`).join(' ');
}

const MAX_NAMED = 3;

function joinNames(pulses: readonly TopicPulse[]): string {
  const names = pulses.slice(0, MAX_NAMED).map(({ topic }) => topic.name);
  const more = pulses.length - names.length;
  if (more > 0) return `${names.join(', ')} and ${more} more`;
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** The numbers of the whole, each with what it leaves out. */
export function KeyNumbers({
  pulses,
  runs,
  services,
  spikes,
}: {
  pulses: readonly TopicPulse[];
  runs: readonly RunTally[];
  services: readonly ServiceDay[];
  /** Of the last 24 hours. */
  spikes: number;
}) {
  const posts = pulses.reduce((sum, { pulse }) => sum + pulse.posts, 0);
  const usual = pulses.reduce((sum, { pulse }) => sum + (pulse.usual ?? 0), 0);
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
  const next = pulses
    .flatMap(({ nextRunAt }) => nextRunAt ?? [])
    .reduce<Date | null>((best, at) => (best === null || at < best ? at : best), null);
  return (
    <div data-live="numbers">
      <Stats label="All topics together">
        <Stat
          name="Posts, last 24 hours"
          value={<ShortCount of={posts} least={least} />}
          note={
            usual === 0 ? (
              'what is usual is not known yet'
            ) : (
              <>usual: {formatCount(Math.round(usual), 'post')}</>
            )
          }
        />
        <Stat
          name="Spikes, last 24 hours"
          value={<Count of={spikes} />}
          loud={spikes > 0}
          note={`in ${formatCount(pulses.length, 'topic')}`}
        />
        <Stat
          name="Runs, last 24 hours"
          value={<Count of={ended} />}
          note={failed === 0 ? 'none failed' : `${failed} failed`}
        />
        <Stat
          name="Calls today (UTC)"
          value={<Count of={calls} />}
          note={
            cost === null ? (
              unpriced === 0 ? (
                'they cost nothing'
              ) : (
                'no cost was told'
              )
            ) : (
              <>
                <Usd of={cost} />
                {unpriced === 0 ? '' : `; ${formatCount(unpriced, 'call')} told none`}
              </>
            )
          }
        />
        <Stat
          name="Next run"
          value={<DueTime at={next} />}
          note={next === null ? 'no search is active' : <Timestamp at={next} exact />}
        />
      </Stats>
    </div>
  );
}

function sumRuns(runs: readonly RunTally[], is: (status: RunTally['status']) => boolean): number {
  return runs.reduce((sum, one) => sum + (is(one.status) ? one.runs : 0), 0);
}

const MAX_ATTENTION = 8;

/** Searches that need attention, and why: those that will not recover by themselves come first. */
export function AttentionSection({ pulses }: { pulses: readonly TopicPulse[] }) {
  const shown = pulses
    .flatMap(({ troubled }) => troubled)
    .map((one) => ({ ...one, ...judgeSearch(one) }))
    .toSorted((a, b) => a.rank - b.rank);
  if (shown.length === 0) return null;
  return (
    <Section title="Needs attention" id="amiss" live>
      <ul class="feed">
        {shown.slice(0, MAX_ATTENTION).map(({ search, run, state, why, label, at }) => (
          <li>
            <div class="line">
              <span class="line-what">
                <Badge state={state} /> <a href={`/searches/${search.slug}`}>{search.slug}</a>{' '}
                <span class="why">{why}</span>
              </span>
              <span class="line-more">
                <span>
                  {label} <Timestamp at={at} />
                </span>
                {run?.run_id == null ? null : <a href={`/runs/${run.run_id}`}>its last run</a>}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {shown.length <= MAX_ATTENTION ? null : (
        <p class="hint">
          and {shown.length - MAX_ATTENTION} more: <a href="/runs?status=failed">all runs that failed</a>
        </p>
      )}
    </Section>
  );
}

type Judgement = {
  rank: number;
  state: BadgeState;
  why: string;
  /** What happened then; empty where the state says it. */
  label: string;
  at: Date | null;
};

function judgeSearch({ search, run, silent }: TroubledSearch): Judgement {
  const failed = run?.run_code == null ? run?.run_reason : RUN_CODES[run.run_code];
  if (isStopped(search)) {
    const why = search.state_reason ?? failed ?? 'no reason is known';
    return { rank: 0, state: search.state, why, label: '', at: search.state_since };
  }
  if (silent !== undefined) {
    const why = `no successful run for three intervals; ${describeLastRun(silent)}`;
    return { rank: 1, state: 'silent', why, label: 'last success', at: silent.last_success_at };
  }
  const why = failed ?? 'no reason is known';
  return { rank: 2, state: 'failed', why, label: '', at: run?.run_ended_at ?? null };
}
