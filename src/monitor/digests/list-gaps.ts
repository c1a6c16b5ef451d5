/** What was not collected in a span, most important first. Pure. */
import { RUN_CODES } from '../../model/errors.ts';
import { groupBy } from '../../lib/group-by.ts';
import { describeToolReason, isUnconfigured } from '../../model/tool-coverage.ts';
import type { Id } from '../../store/db/database.ts';
import type { UnresponsiveTool } from '../../store/queries/run-tools.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import type { SpanRuns } from '../../store/queries/span-activity.ts';
import type { IncompleteSearch } from '../status/search-completeness.ts';
import type { SearchStatus } from '../status/search-status.ts';
import type { DigestGap, DigestNames } from './digest-shapes.ts';

type GapSources = {
  searches: readonly SearchRow[];
  statuses: readonly SearchStatus[];
  runs: readonly SpanRuns[];
  tools: readonly UnresponsiveTool[];
  incomplete: readonly IncompleteSearch[];
  names: DigestNames;
};

export function listGaps({ searches, statuses, runs, tools, incomplete, names }: GapSources): DigestGap[] {
  const byId = new Map(searches.map((search) => [search.id, search]));
  const bySlug = new Map(searches.map((search) => [search.slug, search]));
  const nameSearch = ({ topic, slug }: Pick<SearchRow, 'topic' | 'slug'>) =>
    names.search({ topic, search: slug });
  const skipped = runs.filter(({ status }) => status === 'skipped');
  const failed = groupBy(
    runs.filter(({ status }) => status === 'failed'),
    ({ search_id }) => search_id,
  );
  const ran = new Set(runs.map(({ search_id }) => search_id));
  return [
    ...listMissed(skipped.filter(({ reason }) => reason === 'missed')),
    ...skipped.flatMap((row): DigestGap[] => {
      const search = byId.get(row.search_id);
      const { reason } = row;
      if (search === undefined || (reason !== 'capped' && reason !== 'overlap')) return [];
      return [{ reason, ...nameSearch(search), ...describeSlots([row]) }];
    }),
    ...[...failed]
      .flatMap(([id, rows]) => {
        const search = byId.get(id);
        return search === undefined
          ? []
          : [{ ...nameSearch(search), ...describeFailures(rows, countEnded(runs, id)) }];
      })
      .toSorted((a, b) => b.runs - a.runs),
    ...statuses.flatMap((status): DigestGap[] => {
      const search = bySlug.get(status.search);
      if (search === undefined || status.status !== 'silent' || ran.has(search.id)) return [];
      return [{ reason: 'never_ran', ...nameSearch(search) }];
    }),
    ...statuses.flatMap((status): DigestGap[] => {
      const search = bySlug.get(status.search);
      if (search === undefined || status.status !== 'paused') return [];
      return [{ reason: 'paused', ...nameSearch(search), until: status.paused_until?.toISOString() ?? null }];
    }),
    // A source that is not set up is named when a search is saved, and by `status`.
    ...tools
      .filter(({ reason }) => !isUnconfigured(reason))
      .map(
        ({ tool, reason, detail, searches: n }): DigestGap => ({
          reason: 'tool',
          tool,
          searches: n,
          tool_reason: reason,
          detail: describeToolReason(reason, detail),
        }),
      ),
    ...incomplete.flatMap((incompleteSearch): DigestGap[] => {
      const search = bySlug.get(incompleteSearch.slug);
      if (search === undefined) return [];
      const { missed_share: share, sufficient_seconds } = incompleteSearch;
      return [{ reason: 'incomplete', ...nameSearch(search), share, sufficient_seconds }];
    }),
  ];
}

/** Slots that nobody ran, of all searches together: the machine was off, or no worker ran. */
function listMissed(missed: readonly SpanRuns[]): DigestGap[] {
  if (missed.length === 0) return [];
  const searches = new Set(missed.map(({ search_id }) => search_id)).size;
  return [{ reason: 'missed', searches, ...describeSlots(missed) }];
}

/** The number of slots, the first and the last. */
function describeSlots(rows: readonly SpanRuns[]) {
  return {
    slots: rows.reduce((sum, { slots }) => sum + slots, 0),
    from: new Date(Math.min(...rows.map(({ first_slot_at: at }) => at.getTime()))).toISOString(),
    until: new Date(Math.max(...rows.map(({ last_slot_at: at }) => at.getTime()))).toISOString(),
  };
}

/** Runs of a search that succeeded or failed. */
function countEnded(runs: readonly SpanRuns[], searchId: Id): number {
  return runs
    .filter(
      ({ search_id, status }) => search_id === searchId && (status === 'succeeded' || status === 'failed'),
    )
    .reduce((sum, row) => sum + row.runs, 0);
}

function describeFailures(rows: readonly [SpanRuns, ...SpanRuns[]], of: number) {
  const { code } = rows.reduce((most, row) => (row.runs > most.runs ? row : most));
  return {
    reason: 'failed' as const,
    runs: rows.reduce((sum, row) => sum + row.runs, 0),
    of,
    detail: code === null ? 'reason not recorded' : RUN_CODES[code],
  };
}
