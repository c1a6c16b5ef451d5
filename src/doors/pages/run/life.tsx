/** What became of a run, in words. */
import type { RunRow } from '../../../store/reads/runs.ts';
import type { RunNeighbours } from '../../../store/reads/run-pages.ts';
import { Facts } from '../detail/facts.tsx';
import { lengthOf } from '../detail/units.ts';
import { Count, Usd } from '../kit/number.tsx';
import { Outside } from '../kit/outside.tsx';
import { Section } from '../kit/section.tsx';
import { When } from '../kit/when.tsx';
import { adviceFor } from './advice.ts';

const TRIGGERS = {
  schedule: 'its schedule',
  manual: 'a person who asked for it',
  first: 'the making of its search',
} as const;

/** @param service that its calls went to; undefined where none was made */
export function Life({ run, service }: { run: RunRow; service: string | undefined }) {
  const advice = adviceFor(run);
  return (
    <Section title="What became of it" id="life">
      {advice === undefined ? null : (
        <div class="advice">
          <p>
            It was {run.status === 'failed' ? 'not answered as it should be' : run.status}: {advice.why}.
            {run.status === 'failed' && run.reason !== null ? (
              <>
                {' '}
                The service said: <Outside text={run.reason} most={1_000} />
              </>
            ) : null}
          </p>
          <p>{advice.todo}</p>
        </div>
      )}
      <Facts
        label="The life of this run"
        facts={[
          [
            'Search',
            <>
              <a href={`/searches/${run.search}`}>{run.search}</a>, version {run.version}
            </>,
          ],
          ['Topic', <a href={`/topics/${run.topic}`}>{run.topic}</a>],
          ['Asked for by', TRIGGERS[run.trigger]],
          ['Due', run.slot_at === null ? null : <When at={run.slot_at} exact />],
          [
            'Missed slots',
            run.span_slots === null ? null : (
              <>
                <Count of={run.span_slots} />, up to <When at={run.span_until} exact />
              </>
            ),
          ],
          ['Made', <When at={run.created_at} exact />],
          ['Waits until', run.not_before === null ? null : <When at={run.not_before} exact />],
          ['First claimed', <When at={run.started_at} exact />],
          ['Late by', lateness(run)],
          [
            'Claimed',
            run.fence === 0 ? null : (
              <>
                <Count of={run.fence} unit={run.fence === 1 ? 'time' : 'times'} />
                {run.worker === null ? '' : ` (the last by ${run.worker})`}
              </>
            ),
          ],
          ['Ended', <When at={run.ended_at} exact never="not yet" />],
          ['Took', run.seconds === null ? null : lengthOf(run.seconds)],
          ['Code', run.code],
          [
            'Found',
            run.items_seen === null ? (
              'there was no answer'
            ) : (
              <>
                <Count of={run.items_seen} unit="items" />: <Count of={run.posts_seen} unit="posts" />,{' '}
                <Count of={run.links_seen} unit="links" />
              </>
            ),
          ],
          ['New to the search', run.items_new === null ? null : <Count of={run.items_new} />],
          ['Not readable', run.rejected === null ? null : <Count of={run.rejected} />],
          [
            'Calls',
            <>
              <Count of={run.calls} />, cost <Usd of={run.cost_usd} service={service} />
            </>,
          ],
          [
            'Baseline',
            run.baseline ? 'yes: the first look of this request; what it found raises no alert' : null,
          ],
        ]}
      />
    </Section>
  );
}

/** From its slot to its first claim. */
function lateness({ slot_at, started_at }: RunRow): string | null {
  if (slot_at === null || started_at === null) return null;
  return lengthOf(Math.max(0, started_at.getTime() - slot_at.getTime()) / 1_000);
}

export function Neighbours({ near }: { near: RunNeighbours }) {
  return (
    <nav class="pager" aria-label="Runs of this search">
      {near.previous === null ? (
        <span class="unknown">The first of its search</span>
      ) : (
        <a href={`/runs/${near.previous}`} rel="prev">
          ← The one before
        </a>
      )}
      {near.next === null ? (
        <span class="unknown">The newest of its search</span>
      ) : (
        <a href={`/runs/${near.next}`} rel="next">
          The next one →
        </a>
      )}
    </nav>
  );
}
