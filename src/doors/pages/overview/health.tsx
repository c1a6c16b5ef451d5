import { RUN_CODES } from '../../../errors.ts';
import { lastRunInWords } from '../../../monitor/status/silence.ts';
import { Badge, type BadgeState } from '../kit/badge.tsx';
import { Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';
import { type Amiss, isStopped, type TopicPulse } from './pulses.ts';

const MOST = 8;

/** Searches that need attention, and why: those that will not recover by themselves come first. */
export function Health({ pulses }: { pulses: readonly TopicPulse[] }) {
  const shown = pulses
    .flatMap(({ amiss }) => amiss)
    .map((one) => ({ ...one, ...judge(one) }))
    .toSorted((a, b) => a.rank - b.rank);
  if (shown.length === 0) return null;
  return (
    <Section title="Needs attention" id="amiss" live>
      <ul class="feed">
        {shown.slice(0, MOST).map(({ search, run, state, why, label, at }) => (
          <li>
            <div class="line">
              <span class="line-what">
                <Badge state={state} /> <a href={`/searches/${search.slug}`}>{search.slug}</a>{' '}
                <span class="why">{why}</span>
              </span>
              <span class="line-more">
                <span>
                  {label} <When at={at} />
                </span>
                {run?.run_id == null ? null : <a href={`/runs/${run.run_id}`}>its last run</a>}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {shown.length <= MOST ? null : (
        <p class="hint">
          and {shown.length - MOST} more: <a href="/runs?status=failed">all runs that failed</a>
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

function judge({ search, run, silent }: Amiss): Judgement {
  const failed = run?.run_code == null ? run?.run_reason : RUN_CODES[run.run_code];
  if (isStopped(search)) {
    const why = search.state_reason ?? failed ?? 'no reason is known';
    return { rank: 0, state: search.state, why, label: '', at: search.state_since };
  }
  if (silent !== undefined) {
    const why = `no successful run for three intervals; ${lastRunInWords(silent)}`;
    return { rank: 1, state: 'silent', why, label: 'last success', at: silent.last_success_at };
  }
  const why = failed ?? 'no reason is known';
  return { rank: 2, state: 'failed', why, label: '', at: run?.run_ended_at ?? null };
}
