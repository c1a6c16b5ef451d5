/** Why a run did not go as planned, and what there is to do about it. */
import { RUN_CODES, type RunCode } from '../../../errors.ts';
import type { RunRow } from '../../../store/reads/runs.ts';

type Advice = { why: string; todo: string };

const WAIT =
  'Nothing has to be done: the next slot runs as usual. If it lasts, ask whoever runs the service.';
const KEPT = 'The answer is kept below: look at it, and read it again when a newer version reads it.';

/** What to do, by the code with which a run failed. */
const TODO: Readonly<Record<RunCode, string>> = {
  auth: 'Set SEARCH_API_KEY to a key that the service takes, restart, and resume the searches that were stopped.',
  payment: 'Settle the account of the service, then resume the searches that were stopped.',
  invalid_request:
    'Compare the request below with what the service allows, and edit the search. Three in a row stop it.',
  rate_limited: 'Let searches of this service run less often, or set CALLS_PER_MINUTE lower.',
  upstream_5xx: WAIT,
  redirect: 'Set SEARCH_API_URL to the address that the service answers at itself.',
  timeout_connect: 'Check that the address of the service can be reached from this machine.',
  timeout_headers: WAIT,
  timeout_body: WAIT,
  conn_refused: 'Check the address of the service (SEARCH_API_URL) and that it runs.',
  conn_reset: WAIT,
  bad_content_type: 'Check that SEARCH_API_URL is the address of the service and not of a page before it.',
  bad_json: KEPT,
  schema_mismatch: KEPT,
  sources_down: 'See on the page System which sources answer, and why the others do not.',
  too_large: 'Ask for less: fewer tools, a shorter span of time, or a narrower prompt.',
  decode_error: WAIT,
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
const SKIPPED: Readonly<Record<string, Advice>> = {
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
const CANCELLED: Readonly<Record<string, Advice>> = {
  paused: { why: 'its search was paused before it ran', todo: 'Resume the search when it is to go on.' },
  broken: {
    why: 'its search was stopped, for it could not run',
    todo: 'The page of the search says why, and resumes it.',
  },
  removed: { why: 'its search was removed before it ran', todo: 'Nothing has to be done.' },
};

/** Why it ended as it did and what to do; undefined where all is well, or nothing has ended yet. */
export function adviceFor({
  status,
  code,
  reason,
}: Pick<RunRow, 'status' | 'code' | 'reason'>): Advice | undefined {
  if (status === 'failed' && code !== null) return { why: RUN_CODES[code], todo: TODO[code] };
  if (status === 'skipped')
    return SKIPPED[reason ?? ''] ?? { why: reason ?? 'not said', todo: 'Nothing has to be done.' };
  if (status === 'cancelled')
    return CANCELLED[reason ?? ''] ?? { why: reason ?? 'not said', todo: 'Nothing has to be done.' };
  return undefined;
}
