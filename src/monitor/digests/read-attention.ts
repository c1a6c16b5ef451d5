/** What needs a person: searches that do not do what they should, problems of strandline itself, and spikes, with whether they are over. */
import { groupBy } from '../../lib/group-by.ts';
import { DAY, HOUR } from '../../lib/time.ts';
import type { SystemEventKind } from '../../model/alerts.ts';
import type { Pooled } from '../../store/db/database.ts';
import { readSystemEvents } from '../../store/alerts/system-event-rows.ts';
import { readAfterSpikes, type SearchSpan } from '../../store/queries/span-activity.ts';
import { readSpikes, type SpikeRow } from '../../store/queries/trend-reports.ts';
import { findProblemPage, titleProblem } from '../alerts/problem-words.ts';
import type { Context } from '../context.ts';
import { composeReason } from '../trends/rules/reason-sentence.ts';
import { listTroubled, type SearchStatus } from '../status/search-status.ts';
import { STATUS_NAMES } from '../status/status-names.ts';
import { type Digest, type DigestAttention, type DigestNames, MAX_ATTENTION } from './digest-shapes.ts';

/** A spike is reported at most six hours after its window, which is a day long at most, but for searches that run less than daily. */
export const SPIKE_LOOK_BACK_MS = 3 * DAY;

/** A spike is over when the rate is back at twice the usual, or at a quarter of what it was where hardly anything is usual. */
const OVER_USUAL = 2;
const OVER_SHARE = 0.25;

/** Problems that no status of a search shows. */
const PROBLEMS: ReadonlySet<SystemEventKind> = new Set([
  'channel_dead',
  'budget_low',
  'source_down',
  'worker_stopped',
  'nothing_ran',
]);

/**
 * At most three: searches first, worst first, then problems, the oldest first, then spikes, the strongest first; but the first of
 * each always has a place.
 * @param statuses of the searches of the scope, as of now
 */
export async function readAttention(
  { db }: Pick<Context, 'db'>,
  span: SearchSpan,
  statuses: readonly SearchStatus[],
  names: DigestNames,
): Promise<Pick<Digest, 'attention' | 'attention_more'>> {
  const searches = listTroubled(statuses).map((status) => describeSearch(status, names));
  const spikes = await readSpikesOf(db, span, names);
  const problems = await readProblems(db, span.until);
  const groups = [searches, problems, spikes];
  const later = groups.map((_, n) => groups.slice(n + 1).filter((group) => group.length > 0).length);
  const attention: DigestAttention[] = [];
  groups.forEach((group, n) => {
    attention.push(...group.slice(0, MAX_ATTENTION - attention.length - (later[n] ?? 0)));
  });
  const all = groups.reduce((sum, group) => sum + group.length, 0);
  return { attention, attention_more: all - attention.length };
}

/** A problem of strandline itself. */
export type AttentionProblem = Extract<DigestAttention, { kind: 'problem' }>;

/** Problems that last, and that no status of a search shows, the oldest first. */
export async function readProblems({ pool }: Pooled, until: Date): Promise<AttentionProblem[]> {
  const open = (await readSystemEvents(pool, until)).filter(
    (event) => event.until === null && event.opened_at !== null && PROBLEMS.has(event.kind),
  );
  return open
    .toSorted((a, b) => a.since.getTime() - b.since.getTime())
    .map((event) => ({
      kind: 'problem',
      event: event.kind,
      subject: event.subject,
      title: titleProblem(event, 'began'),
      since: event.since.toISOString(),
      reason: event.reason,
      advice: event.advice,
      page: findProblemPage({ ...event, search: null }),
    }));
}

function describeSearch(
  { search, topic, status, since, reason, advice }: SearchStatus,
  names: DigestNames,
): DigestAttention {
  return {
    kind: 'search',
    ...names.search({ topic, search }),
    status,
    status_name: STATUS_NAMES[status],
    since: since?.toISOString() ?? null,
    reason,
    advice,
  };
}

/**
 * The strongest spike of each search and measure that was reported in the span, strongest first. Spikes of one author or
 * text are left out.
 */
async function readSpikesOf(
  db: Context['db'],
  { searchIds, from, until }: SearchSpan,
  names: DigestNames,
): Promise<DigestAttention[]> {
  const rows = await readSpikes(db, searchIds, new Date(from.getTime() - SPIKE_LOOK_BACK_MS));
  const reported = rows.filter(({ at, only_by }) => at >= from && at < until && only_by === null);
  const groups = [...groupBy(reported, ({ search_id, measure }) => `${search_id} ${measure}`).values()];
  const last = groups.map((its) => its.reduce((a, b) => (b.window_end > a.window_end ? b : a)));
  const after = await readAfterSpikes(
    db,
    last.map(({ id }) => id),
    until,
  );
  return groups
    .map((its, i) => {
      const strongest = its.reduce((a, b) => (b.score > a.score ? b : a));
      const newest = last[i] ?? strongest;
      return { strongest, over: judgeOver(newest, after.get(newest.id) ?? null), spikes: its.length };
    })
    .toSorted((a, b) => b.strongest.score - a.strongest.score)
    .map((spike) => describeSpike(spike, names));
}

function judgeOver(
  { n, coverage, usual, window_start, window_end }: SpikeRow,
  perHour: number | null,
): boolean | null {
  if (perHour === null) return null;
  const hours = (window_end.getTime() - window_start.getTime()) / HOUR;
  const height = n / Math.max(coverage, Number.EPSILON) / hours;
  return perHour <= Math.max((OVER_USUAL * usual) / hours, OVER_SHARE * height);
}

function describeSpike(
  { strongest, over, spikes }: { strongest: SpikeRow; over: boolean | null; spikes: number },
  names: DigestNames,
): DigestAttention {
  const { id, topic, search, measure, window_start, window_end, n, lower_bound, usual, ratio, sentence } =
    strongest;
  return {
    kind: 'spike',
    ...names.search({ topic, search }),
    id: String(id),
    measure,
    window_start: window_start.toISOString(),
    window_end: window_end.toISOString(),
    n,
    lower_bound,
    usual,
    ratio,
    sentence,
    why: composeReason(strongest),
    over,
    spikes,
  };
}
