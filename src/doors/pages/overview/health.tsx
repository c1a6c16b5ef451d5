import { RUN_CODES } from '../../../errors.ts';
import { Badge } from '../kit/badge.tsx';
import { Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';
import type { TopicPulse } from './pulses.ts';

const MOST = 8;

/** Searches that do not run as they should, and why; nothing where all do. */
export function Health({ pulses }: { pulses: readonly TopicPulse[] }) {
  const amiss = pulses.flatMap((one) => one.amiss);
  if (amiss.length === 0) return null;
  return (
    <Section title="Needs a look" id="amiss" live>
      <ul class="feed">
        {amiss.slice(0, MOST).map(({ search, run }) => {
          const stopped = search.state === 'broken' || search.state === 'capped';
          const failed = run?.run_code == null ? (run?.run_reason ?? null) : RUN_CODES[run.run_code];
          return (
            <li>
              <div class="line">
                <span class="line-what">
                  <Badge state={stopped ? search.state : 'failed'} />{' '}
                  <a href={`/searches/${search.slug}`}>{search.slug}</a>{' '}
                  <span class="why">
                    {(stopped ? search.state_reason : null) ?? failed ?? 'no reason is known'}
                  </span>
                </span>
                <span class="line-more">
                  <When at={stopped ? search.state_since : (run?.run_ended_at ?? null)} />
                  {run?.run_id == null ? null : <a href={`/runs/${run.run_id}`}>its last run</a>}
                </span>
              </div>
            </li>
          );
        })}
      </ul>
      {amiss.length <= MOST ? null : (
        <p class="hint">
          and {amiss.length - MOST} more: <a href="/runs?status=failed">all runs that failed</a>
        </p>
      )}
    </Section>
  );
}
