/** Problems that the status functions report now, as conditions of the decision. Pure; what fails, they decide. */
import { formatCount } from '../../lib/display-format.ts';
import { findEarliest, DAY, HOUR } from '../../lib/time.ts';
import { describeToolReason } from '../../model/tool-coverage.ts';
import type { SystemEventKind, SystemEventOutcome } from '../../model/alerts.ts';
import type { ChannelHealth } from '../../store/alerts/channel-rows.ts';
import type { SystemEvent } from '../../store/alerts/system-event-rows.ts';
import type { FailingTool } from '../../store/queries/run-tools.ts';
import type { SearchStatusName } from '../../model/closed-lists.ts';
import type { SearchStatus } from '../status/search-status.ts';
import type { ServiceBudget, WorkerStatus } from '../status/status-facts.ts';
import type { Condition } from './event-decision.ts';

/** Results of the status functions. */
export type SystemReading = {
  now: Date;
  searches: readonly SearchStatus[];
  tools: readonly FailingTool[];
  channels: readonly ChannelHealth[];
  services: readonly Pick<ServiceBudget, 'name' | 'calls_today' | 'calls_per_day'>[];
  workers: readonly Pick<WorkerStatus, 'name' | 'started_at' | 'seen_at' | 'silent'>[];
};

/** The share of the calls of a day at which the budget is nearly spent. */
const LOW_BUDGET = 0.9;
/** How long everything that is sent to a channel must fail. */
const CHANNEL_FAILING_MS = HOUR;
/** In UTF-16 code units. */
const MAX_REASON = 500;
/** The subject of the problem that no public source is reachable. */
const ALL_SOURCES = 'all public sources';

const KIND_OF_STATUS: Readonly<Partial<Record<SearchStatusName, SystemEventKind>>> = {
  failing: 'search_failing',
  broken: 'search_stopped',
  silent: 'search_silent',
  nothing_coming: 'nothing_coming',
};

export function listConditions(systemState: SystemReading): Condition[] {
  return [
    ...systemState.searches.flatMap((search) => judgeSearch(search, systemState.now)),
    ...judgeSources(systemState),
    ...systemState.channels.flatMap((channel) => judgeChannel(channel, systemState.now)),
    ...systemState.services.flatMap((service) => judgeBudget(service, systemState.now)),
    ...listLostWorkers(systemState.workers).map(describeLostWorker),
  ].map((condition) => ({ ...condition, reason: condition.reason?.slice(0, MAX_REASON) ?? null }));
}

function judgeSearch(status: SearchStatus, now: Date): Condition[] {
  const { search_id, search, since, last_run_at, reason, advice } = status;
  const kind = KIND_OF_STATUS[status.status];
  if (kind === undefined) return [];
  // One failed run may be chance; emptiness and silence are judged over several.
  const evidence_at = kind === 'search_failing' ? last_run_at : null;
  const subject = { kind, subject_key: String(search_id), subject: search, search_id };
  return [{ ...subject, since: since ?? now, evidence_at, reason, advice }];
}

function judgeSources({ searches, tools, now }: SystemReading): Condition[] {
  const waiting = searches.filter(({ status }) => status === 'waiting_for_source');
  const failing = tools.map(({ tool, since, observed_at, reason, detail, searches: n }): Condition => {
    const which = n === 1 ? 'the search that uses it' : `all ${n} searches that use it`;
    return {
      ...subjectOf('source_down', tool),
      since,
      evidence_at: n > 1 ? null : observed_at,
      reason: `it ${describeToolReason(reason, detail)} for ${which}`,
      advice: 'Its items are missing from results until it responds.',
    };
  });
  const [first] = waiting;
  if (first === undefined) return failing;
  return [
    ...failing,
    {
      ...subjectOf('source_down', ALL_SOURCES),
      since: findEarliest(waiting.map(({ since }) => since)) ?? now,
      evidence_at: null,
      reason: `none can be reached, so ${formatCount(waiting.length, 'search waits', 'searches wait')}`,
      advice: first.advice,
    },
  ];
}

function judgeChannel(channel: ChannelHealth, now: Date): Condition[] {
  const { id, slug, state, state_since, state_reason, failures, failing_since } = channel;
  const subject = { kind: 'channel_dead', subject_key: String(id), subject: slug, search_id: null } as const;
  const facts = {
    ...subject,
    evidence_at: null,
    advice: `To send again: strandline channels resume ${slug}`,
  };
  if (state === 'disabled')
    return [
      { ...facts, since: failing_since ?? state_since, reason: `it is disabled: ${state_reason ?? ''}` },
    ];
  if (state !== 'active' || failing_since === null) return [];
  if (now.getTime() - failing_since.getTime() < CHANNEL_FAILING_MS) return [];
  const reason = `${formatCount(failures, 'attempt')} failed in a row`;
  return [
    { ...facts, since: failing_since, reason, advice: `See: strandline deliveries list --channel ${slug}` },
  ];
}

function judgeBudget(service: SystemReading['services'][number], now: Date): Condition[] {
  const { name, calls_today: calls, calls_per_day: limit } = service;
  if (limit === null || calls === 0 || calls < LOW_BUDGET * limit) return [];
  return [
    {
      ...subjectOf('budget_low', name),
      since: now,
      evidence_at: null,
      reason: `${calls} of ${limit} of this UTC day`,
      advice: 'At the limit, its searches wait until 00:00 UTC. CALLS_PER_DAY is the limit.',
    },
  ];
}

/** Workers that ended without deregistering, unless a worker that started later takes their place. */
function listLostWorkers(workers: SystemReading['workers']): SystemReading['workers'] {
  const later = workers
    .filter(({ silent }) => !silent)
    .toSorted((a, b) => b.started_at.getTime() - a.started_at.getTime());
  return workers
    .filter(({ silent }) => silent)
    .toSorted((a, b) => b.seen_at.getTime() - a.seen_at.getTime())
    .filter(({ seen_at }) => {
      const [newest] = later;
      if (newest === undefined || newest.started_at <= seen_at) return true;
      later.shift();
      return false;
    });
}

function describeLostWorker({ name, seen_at }: SystemReading['workers'][number]): Condition {
  return {
    ...subjectOf('worker_stopped', name),
    since: seen_at,
    evidence_at: null,
    reason: 'it has probably crashed, and the others do its work',
    advice: 'See its log.',
  };
}

function subjectOf(kind: SystemEventKind, name: string) {
  return { kind, subject_key: name, subject: name, search_id: null };
}

/** Why a problem is not seen any more. */
export function explainEnd(event: SystemEvent, systemState: SystemReading): SystemEventOutcome {
  const { kind, search_id, subject_key, since } = event;
  if (search_id !== null)
    return explainSearch(systemState.searches.find((each) => each.search_id === search_id));
  if (kind === 'channel_dead') {
    const channel = systemState.channels.find(({ id }) => String(id) === subject_key);
    if (channel === undefined) return 'removed';
    return channel.state === 'paused' ? 'paused' : 'recovered';
  }
  if (kind === 'budget_low') return isSameDay(since, systemState.now) ? 'recovered' : 'day_ended';
  // Workers without a heartbeat for a day are not listed any more.
  const isForgotten = kind === 'worker_stopped' && systemState.now.getTime() - since.getTime() > DAY;
  return isForgotten ? 'removed' : 'recovered';
}

function explainSearch(search: SearchStatus | undefined): SystemEventOutcome {
  if (search === undefined || search.status === 'removed') return 'removed';
  if (search.status === 'paused') return 'paused';
  return search.status === 'ok' || search.status === 'waiting' ? 'recovered' : 'replaced';
}

function isSameDay(a: Date, b: Date): boolean {
  return Math.floor(a.getTime() / DAY) === Math.floor(b.getTime() / DAY);
}
