/** What became of a run, in words, and what to do where it did not succeed. */

import { RUN_CODES, type RunCode } from '../../domain/errors.ts';
import type { RunNeighbours, RunRow } from '../../store/queries/run-list.ts';
import { Facts } from '../components/fact-list.tsx';
import { Count, formatDuration, Usd } from '../components/numbers.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

const TRIGGER_WORDS = {
  schedule: 'its schedule',
  manual: 'a person who asked for it',
  first: 'the making of its search',
} as const;

/** @param service that its calls went to; undefined where none was made */
export function RunTimeline({ run, service }: { run: RunRow; service: string | undefined }) {
  const steps = findNextSteps(run);
  return (
    <Section title="What became of it" id="life">
      {steps === undefined ? null : (
        <div class="advice">
          <p>
            It was {run.status === 'failed' ? 'not answered as it should be' : run.status}: {steps.why}.
            {run.status === 'failed' && run.reason !== null ? (
              <>
                {' '}
                The service said: <UntrustedText text={run.reason} most={1_000} />
              </>
            ) : null}
          </p>
          <p>{steps.todo}</p>
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
          ['Asked for by', TRIGGER_WORDS[run.trigger]],
          ['Due', run.slot_at === null ? null : <Timestamp at={run.slot_at} exact />],
          [
            'Missed slots',
            run.span_slots === null ? null : (
              <>
                <Count of={run.span_slots} />, up to <Timestamp at={run.span_until} exact />
              </>
            ),
          ],
          ['Made', <Timestamp at={run.created_at} exact />],
          ['Waits until', run.not_before === null ? null : <Timestamp at={run.not_before} exact />],
          ['First claimed', <Timestamp at={run.started_at} exact />],
          ['Late by', formatLateness(run)],
          [
            'Claimed',
            run.fence === 0 ? null : (
              <>
                <Count of={run.fence} unit={run.fence === 1 ? 'time' : 'times'} />
                {run.worker === null ? '' : ` (the last by ${run.worker})`}
              </>
            ),
          ],
          ['Ended', <Timestamp at={run.ended_at} exact never="not yet" />],
          ['Took', run.seconds === null ? null : formatDuration(run.seconds)],
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
function formatLateness({ slot_at, started_at }: RunRow): string | null {
  if (slot_at === null || started_at === null) return null;
  return formatDuration(Math.max(0, started_at.getTime() - slot_at.getTime()) / 1_000);
}

export function NeighborLinks({ near }: { near: RunNeighbours }) {
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

/** Why a run did not go as planned, and what to do about it. */
type NextSteps = { why: string; todo: string };

const WAIT_FOR_NEXT_SLOT =
  'Nothing has to be done: the next slot runs as usual. If it lasts, ask whoever runs the service.';
const RESPONSE_IS_KEPT =
  'The answer is kept below: look at it, and read it again when a newer version reads it.';

/** What to do, by the code with which a run failed. */
const FAILURE_STEPS: Readonly<Record<RunCode, string>> = {
  auth: 'Set SEARCH_API_KEY to a key that the service takes, restart, and resume the searches that were stopped.',
  payment: 'Settle the account of the service, then resume the searches that were stopped.',
  invalid_request:
    'Compare the request below with what the service allows, and edit the search. Three in a row stop it.',
  rate_limited: 'Let searches of this service run less often, or set CALLS_PER_MINUTE lower.',
  upstream_5xx: WAIT_FOR_NEXT_SLOT,
  redirect: 'Set SEARCH_API_URL to the address that the service answers at itself.',
  timeout_connect: 'Check that the address of the service can be reached from this machine.',
  timeout_headers: WAIT_FOR_NEXT_SLOT,
  timeout_body: WAIT_FOR_NEXT_SLOT,
  conn_refused: 'Check the address of the service (SEARCH_API_URL) and that it runs.',
  conn_reset: WAIT_FOR_NEXT_SLOT,
  bad_content_type: 'Check that SEARCH_API_URL is the address of the service and not of a page before it.',
  bad_json: RESPONSE_IS_KEPT,
  schema_mismatch: RESPONSE_IS_KEPT,
  sources_down: 'See on the page System which sources answer, and why the others do not.',
  too_large: 'Ask for less: fewer tools, a shorter span of time, or a narrower prompt.',
  decode_error: WAIT_FOR_NEXT_SLOT,
  stream_incomplete:
    'Nothing has to be done: the next slot runs as usual. Without streaming the service answers at once.',
  budget_exceeded:
    'Searches go on when the next UTC day begins. CALLS_PER_DAY and MAX_CALLS_PER_RUN say how many calls are allowed.',
  lease_lost:
    'Nothing has to be done: the worker that took it over ends it. If it happens often, give workers fewer runs at once.',
  service_unknown: 'Set SEARCH_API_URL, or SERVICE_SOURCES where it is the own service, and restart.',
  unknown_outcome: 'Nothing has to be done. The call counts as paid, for it may have been answered.',
  db_unavailable: 'Check that Postgres runs and can be reached; the page System says which it is.',
  internal: 'Look in the log at the time of this run, and report it with what stands there.',
};

/** By the reason with which a slot was skipped. */
const SKIP_STEPS: Readonly<Record<string, NextSteps>> = {
  overlap: {
    why: 'the run before it was still under way',
    todo: 'Let the search run less often than its runs take, or ask a faster model.',
  },
  missed: {
    why: 'nobody was there to run it when it was due',
    todo: 'Keep strandline running: one run makes up for what was missed, and what it could not see is marked as not observed.',
  },
  capped: {
    why: 'the calls of that UTC day were used up',
    todo: 'Raise CALLS_PER_DAY, or let searches of this service run less often.',
  },
};

/** By the reason with which a run was cancelled. */
const CANCEL_STEPS: Readonly<Record<string, NextSteps>> = {
  paused: { why: 'its search was paused before it ran', todo: 'Resume the search when it is to go on.' },
  broken: {
    why: 'its search was stopped, for it could not run',
    todo: 'The page of the search says why, and resumes it.',
  },
  removed: { why: 'its search was removed before it ran', todo: 'Nothing has to be done.' },
};

/** Why it ended as it did and what to do; undefined where all is well, or nothing has ended yet. */
export function findNextSteps({
  status,
  code,
  reason,
}: Pick<RunRow, 'status' | 'code' | 'reason'>): NextSteps | undefined {
  if (status === 'failed' && code !== null) return { why: RUN_CODES[code], todo: FAILURE_STEPS[code] };
  if (status === 'skipped')
    return SKIP_STEPS[reason ?? ''] ?? { why: reason ?? 'not said', todo: 'Nothing has to be done.' };
  if (status === 'cancelled')
    return CANCEL_STEPS[reason ?? ''] ?? { why: reason ?? 'not said', todo: 'Nothing has to be done.' };
  return undefined;
}
