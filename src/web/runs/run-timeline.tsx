/** Facts of a run, and what to do if it did not succeed. */

import { SearchLink, TopicLink } from '../components/scope-names.tsx';
import { RUN_CODES, type RunCode } from '../../model/errors.ts';
import type { RunNeighbours, RunRow } from '../../store/queries/run-list.ts';
import { Facts } from '../components/fact-list.tsx';
import { Count, formatDuration, Usd } from '../components/numbers.tsx';
import { Section } from '../components/section.tsx';
import { Timestamp } from '../components/timestamp.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

const TRIGGER_WORDS = {
  schedule: 'schedule',
  manual: 'manual',
  first: 'search created',
} as const;

/** Characters of a service's error text that are shown at once. */
const MAX_MESSAGE = 200;

/** @param service of its calls; undefined without calls */
export function RunTimeline({ run, service }: { run: RunRow; service: string | undefined }) {
  const steps = findNextSteps(run);
  return (
    <Section title="Result" id="life">
      {steps === undefined ? null : (
        <div class="advice">
          <p>
            {run.status.charAt(0).toUpperCase() + run.status.slice(1)}: {steps.why}.
            {run.status === 'failed' && run.reason !== null ? (
              <>
                {' '}
                Message: <UntrustedText text={run.reason} most={MAX_MESSAGE} />
              </>
            ) : null}
          </p>
          {run.status === 'failed' && (run.reason?.length ?? 0) > MAX_MESSAGE ? (
            <details>
              <summary>Whole message</summary>
              <p>
                <UntrustedText text={run.reason} most={2_000} />
              </p>
            </details>
          ) : null}
          <p>{steps.todo}</p>
        </div>
      )}
      <Facts
        label="Run"
        facts={[
          [
            'Search',
            <>
              <SearchLink slug={run.search} within="topic" />, version {run.version}
            </>,
          ],
          ['Topic', <TopicLink slug={run.topic} />],
          ['Trigger', TRIGGER_WORDS[run.trigger]],
          ['Due', run.slot_at === null ? null : <Timestamp at={run.slot_at} exact />],
          [
            'Missed slots',
            run.span_slots === null ? null : (
              <>
                <Count of={run.span_slots} />, up to <Timestamp at={run.span_until} exact />
              </>
            ),
          ],
          ['Created', <Timestamp at={run.created_at} exact />],
          ['Not before', run.not_before === null ? null : <Timestamp at={run.not_before} exact />],
          ['Started', <Timestamp at={run.started_at} exact />],
          ['Late by', formatLateness(run)],
          [
            'Attempts',
            run.fence === 0 ? null : (
              <>
                <Count of={run.fence} />
                {run.worker === null ? '' : ` (last by ${run.worker})`}
              </>
            ),
          ],
          ['Ended', <Timestamp at={run.ended_at} exact never="not yet" />],
          ['Duration', run.seconds === null ? null : formatDuration(run.seconds)],
          ['Code', run.code],
          [
            'Found',
            run.items_seen === null ? (
              'no response'
            ) : (
              <>
                <Count of={run.items_seen} unit="item" />: <Count of={run.posts_seen} unit="post" />,{' '}
                <Count of={run.links_seen} unit="link" />
              </>
            ),
          ],
          ['New', run.items_new === null ? null : <Count of={run.items_new} />],
          ['Rejected items', run.rejected === null ? null : <Count of={run.rejected} />],
          [
            'Calls',
            <>
              <Count of={run.calls} />, cost: <Usd of={run.cost_usd} service={service} />
            </>,
          ],
          ['Baseline', run.baseline ? 'yes: first run of this request; raises no alert' : null],
        ]}
      />
    </Section>
  );
}

/** From slot to start. */
function formatLateness({ slot_at, started_at }: RunRow): string | null {
  if (slot_at === null || started_at === null) return null;
  return formatDuration(Math.max(0, started_at.getTime() - slot_at.getTime()) / 1_000);
}

export function NeighborLinks({ near }: { near: RunNeighbours }) {
  return (
    <nav class="pager" aria-label="Runs of this search">
      {near.previous === null ? (
        <span class="unknown">First run of this search</span>
      ) : (
        <a href={`/runs/${near.previous}`} rel="prev">
          ← Previous run
        </a>
      )}
      {near.next === null ? (
        <span class="unknown">Newest run of this search</span>
      ) : (
        <a href={`/runs/${near.next}`} rel="next">
          Next run →
        </a>
      )}
    </nav>
  );
}

type NextSteps = { why: string; todo: string };

const WAIT_FOR_NEXT_SLOT =
  'No action needed: the next slot runs as usual. If this persists, contact the operator of the service.';
const RESPONSE_IS_KEPT =
  'The response is stored below. Inspect it, and parse it again after an update that can read it.';

/** What to do, by failure code. */
const FAILURE_STEPS: Readonly<Record<RunCode, string>> = {
  auth: 'Set SEARCH_API_KEY to a valid key, restart, and resume the stopped searches.',
  payment: 'Settle the account with the service, then resume the stopped searches.',
  invalid_request:
    'Compare the request below with what the service allows, and edit the search. Three such failures in a row stop it.',
  rate_limited: 'Run searches of this service less often, or lower CALLS_PER_MINUTE.',
  upstream_5xx: WAIT_FOR_NEXT_SLOT,
  redirect: 'Set SEARCH_API_URL to the final address of the service, without a redirect.',
  timeout_connect: 'Check that this machine can reach the address of the service.',
  timeout_headers: WAIT_FOR_NEXT_SLOT,
  timeout_body: WAIT_FOR_NEXT_SLOT,
  conn_refused: 'Check that the service is running and that SEARCH_API_URL is its address.',
  conn_reset: WAIT_FOR_NEXT_SLOT,
  bad_content_type: 'Check that SEARCH_API_URL is the address of the API, not of a login or proxy page.',
  bad_json: RESPONSE_IS_KEPT,
  schema_mismatch: RESPONSE_IS_KEPT,
  sources_down: 'See the System page for sources that are down, and why.',
  source_needs_key:
    'Set the variable that the message names and restart, or edit the search to use other tools.',
  too_large: 'Request less: fewer sources, a shorter look-back, or a narrower prompt.',
  decode_error: WAIT_FOR_NEXT_SLOT,
  stream_incomplete:
    'No action needed: the next slot runs as usual. To receive the response in one piece, turn off streaming.',
  budget_exceeded:
    'Searches continue on the next UTC day. CALLS_PER_DAY and MAX_CALLS_PER_RUN set the limits.',
  lease_lost:
    'No action needed: the worker that took over finishes the run. If this happens often, lower the concurrency of workers.',
  service_unknown: 'Set SEARCH_API_URL, or SERVICE_SOURCES for your own service, and restart.',
  unknown_outcome: 'No action needed. The call counts as paid, because the service may have answered it.',
  db_unavailable: 'Check that Postgres is running and reachable; the System page shows which one is used.',
  internal: 'Report this with the log lines from the time of the run.',
};

/** By skip reason. */
const SKIP_STEPS: Readonly<Record<string, NextSteps>> = {
  overlap: {
    why: 'the previous run was still in progress',
    todo: 'Choose a longer interval or a faster model.',
  },
  missed: {
    why: 'no worker was running when it was due',
    todo: 'Keep strandline running. One run catches up; time that it cannot cover is marked as not observed.',
  },
  capped: {
    why: 'the daily call limit (UTC) was reached',
    todo: 'Raise CALLS_PER_DAY, or run searches of this service less often.',
  },
};

/** By cancel reason. */
const CANCEL_STEPS: Readonly<Record<string, NextSteps>> = {
  paused: { why: 'its search was paused before it ran', todo: 'Resume the search to continue.' },
  broken: {
    why: 'its search was stopped after failures',
    todo: 'The page of the search shows the reason. Fix it and resume the search.',
  },
  removed: { why: 'its search was removed before it ran', todo: 'No action needed.' },
};

/** Undefined if the run succeeded or has not ended. */
export function findNextSteps({
  status,
  code,
  reason,
}: Pick<RunRow, 'status' | 'code' | 'reason'>): NextSteps | undefined {
  if (status === 'failed' && code !== null) return { why: RUN_CODES[code], todo: FAILURE_STEPS[code] };
  if (status === 'skipped')
    return SKIP_STEPS[reason ?? ''] ?? { why: reason ?? 'reason not recorded', todo: 'No action needed.' };
  if (status === 'cancelled')
    return CANCEL_STEPS[reason ?? ''] ?? { why: reason ?? 'reason not recorded', todo: 'No action needed.' };
  return undefined;
}
