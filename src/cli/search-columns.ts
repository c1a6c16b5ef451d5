/** Searches as rows, and their states. */
import { formatInterval } from '../lib/format-interval.ts';
import type { SearchStatusName } from '../model/closed-lists.ts';
import type { SearchRow } from '../store/queries/search-list.ts';
import { asTopic, formatNext, nameTopic, paintStatus } from './status-rendering.ts';
import type { TerminalPage } from './terminal-io.ts';
import type { Column } from './terminal-table.ts';
import { formatDayAndMinute, type Time } from './value-formatting.ts';

type SearchCells = Pick<
  SearchRow,
  'slug' | 'topic' | 'service' | 'operation' | 'prompt' | 'state' | 'cron' | 'every_seconds' | 'auto' | 'tz'
> &
  Record<'next_due_at' | 'paused_until' | 'archived_at', Time | null>;

/** Of searches that were just saved: only states other than active are shown, because nothing has run yet. */
export function newSearchColumns(now: Date, page: TerminalPage): Column<SearchCells>[] {
  return searchColumns(now, page, {
    head: 'state',
    cell: (search) => (describeState(search, page) === 'active' ? '' : describeState(search, page)),
    paint: (shown, search) => paintState(shown, search, page),
  });
}

/** Of searches in replies. */
export function listedSearchColumns(
  now: Date,
  page: TerminalPage,
): Column<SearchCells & { status: SearchStatusName }>[] {
  return searchColumns(now, page, {
    head: 'status',
    cell: (search) => nameTopic(asTopic(search), page),
    paint: (shown, { status }) => paintStatus(shown, status, page),
  });
}

function searchColumns<Row extends SearchCells>(
  now: Date,
  page: TerminalPage,
  state: Column<Row>,
): Column<Row>[] {
  return [
    { head: 'search', cell: (search) => search.slug },
    { head: 'topic', cell: (search) => search.topic, drop: 5 },
    { head: 'service', cell: (search) => search.service, drop: 4 },
    { head: 'operation', cell: (search) => search.operation, drop: 2 },
    state,
    { head: 'next', cell: ({ next_due_at: at }) => formatNext(at, now, page) },
    { head: 'schedule', cell: formatShortSchedule, drop: 1 },
    { head: 'prompt', cell: (search) => search.prompt, elastic: 2, least: 12, drop: 3 },
  ];
}

/** The state of a search after a change. @param next time of the next run, as text */
export function describeStateChange(search: StateColumns, next: string, page: TerminalPage): string {
  if (search.archived_at !== null) return 'removed; its results stay';
  const state = describeState(search, page);
  return search.state === 'paused' ? state : `${state}; next run ${next}`;
}

type StateColumns = Pick<SearchCells, 'state' | 'paused_until' | 'archived_at'>;

/** `every 15m`, or the cron expression. */
export function formatShortSchedule({
  cron,
  every_seconds,
  auto,
  tz,
}: Pick<SearchRow, 'cron' | 'every_seconds' | 'auto' | 'tz'>): string {
  if (cron !== null) return `${cron} ${tz}`;
  return auto ?? `every ${formatInterval(every_seconds ?? 0)}`;
}

export function describeState(
  { state, paused_until, archived_at }: StateColumns,
  page: TerminalPage,
): string {
  if (archived_at !== null) return 'removed';
  return paused_until === null ? state : `${state} until ${formatDayAndMinute(paused_until, page)}`;
}

function paintState(shown: string, { state }: Pick<SearchRow, 'state'>, { colors }: TerminalPage): string {
  if (state === 'active') return shown;
  return state === 'broken' ? colors.red(shown) : colors.yellow(shown);
}
