/** Saved searches for people. */
import { formatInterval } from '../monitor/schedule/schedule.ts';
import {
  describeCurrentInterval,
  describeIntervalChange,
  describeStoredSchedule,
  formatSlot,
} from '../monitor/schedule/schedule-text.ts';
import { describeMissed, judgeOne } from '../monitor/status/search-completeness.ts';
import type { SearchStatusName } from '../model/closed-lists.ts';
import type { PaceRow } from '../store/runs/pace.ts';
import type { IntervalChangeRow, SearchRow } from '../store/queries/search-list.ts';
import { asTopic, formatNext, nameTopic, paintStatus } from './status-rendering.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderList } from './terminal-table.ts';
import { formatDayAndMinute, formatInstant, type Time } from './value-formatting.ts';

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

/** @param more what its runs and responses have shown; undefined: not shown */
export function renderSearch(
  search: SearchRow,
  page: TerminalPage,
  { pace, status }: { pace?: PaceRow | undefined; status?: string } = {},
): string[] {
  const incomplete = pace === undefined ? null : judgeOne(pace);
  return renderList(
    [
      ['search', search.slug],
      ['topic', search.topic],
      ['status', status ?? null],
      [
        'service',
        search.service === search.service_kind
          ? search.service
          : `${search.service} (${search.service_kind})`,
      ],
      ['operation', search.operation],
      ['prompt', search.prompt],
      ...(search.operation === 'ai'
        ? ([
            ['tools', search.tools.join(', ')],
            ['model', search.model],
            ['date filter', search.date_filter ?? page.unknown],
            ['streaming', search.streaming ? 'yes' : 'no'],
          ] as const)
        : []),
      ['extra', JSON.stringify(search.extra) === '{}' ? null : JSON.stringify(search.extra)],
      ['schedule', describeStoredSchedule(search)],
      ['interval', pace === undefined ? null : describeCurrentInterval(pace)],
      ['completeness', incomplete && describeMissed(incomplete)],
      [
        'next run',
        search.next_due_at === null
          ? page.unknown
          : formatSlot(search.next_due_at, page.live ? page.zone : search.tz),
      ],
      [
        'state',
        describeState(search, page) + (search.state_reason === null ? '' : `: ${search.state_reason}`),
      ],
      search.archived_at === null
        ? [`${search.state} since`, formatInstant(search.state_since, page)]
        : ['removed', formatInstant(search.archived_at, page)],
      ['sensitivity', search.sensitivity],
      ['labels', search.labels.join(', ') || null],
      ['version', `${search.version} (request since version ${search.request_version})`],
      ['created', formatInstant(search.created_at, page)],
    ],
    page,
  );
}

/** A line for each change, newest first; none: nothing. */
export function renderIntervalChanges(changes: readonly IntervalChangeRow[], page: TerminalPage): string[] {
  if (changes.length === 0) return [];
  const lines = changes.map(
    (change) => [formatInstant(change.at, page), describeIntervalChange(change)] as const,
  );
  return ['', 'Interval changes, newest first', ...renderList(lines, page)];
}

/** `every 15m → every 5m`: what an edit changed. */
export function describeEdit(before: SearchRow, after: SearchRow): string[] {
  const members = [
    ['slug', ({ slug }) => slug],
    ['prompt', ({ prompt }) => `"${prompt}"`],
    ['tools', ({ tools }) => tools.join(', ')],
    ['model', ({ model }) => model],
    ['date filter', ({ date_filter }) => date_filter ?? 'none'],
    ['streaming', ({ streaming }) => (streaming ? 'yes' : 'no')],
    ['extra', ({ extra }) => JSON.stringify(extra)],
    ['schedule', formatShortSchedule],
    ['sensitivity', ({ sensitivity }) => sensitivity],
    ['labels', ({ labels }) => labels.join(', ') || 'none'],
  ] as const satisfies readonly (readonly [string, (row: SearchRow) => string])[];
  return members.flatMap(([name, show]) =>
    show(before) === show(after) ? [] : [`${name}: ${show(before)} → ${show(after)}`],
  );
}

/** The state of a search after a change. @param next time of the next run, as text */
export function describeStateChange(search: StateColumns, next: string, page: TerminalPage): string {
  if (search.archived_at !== null) return 'removed; its results stay';
  const state = describeState(search, page);
  return search.state === 'paused' ? state : `${state}; next run ${next}`;
}

type StateColumns = Pick<SearchCells, 'state' | 'paused_until' | 'archived_at'>;

/** `every 15m`, or the cron expression. */
function formatShortSchedule({
  cron,
  every_seconds,
  auto,
  tz,
}: Pick<SearchRow, 'cron' | 'every_seconds' | 'auto' | 'tz'>): string {
  if (cron !== null) return `${cron} ${tz}`;
  return auto ?? `every ${formatInterval(every_seconds ?? 0)}`;
}

function describeState({ state, paused_until, archived_at }: StateColumns, page: TerminalPage): string {
  if (archived_at !== null) return 'removed';
  return paused_until === null ? state : `${state} until ${formatDayAndMinute(paused_until, page)}`;
}

function paintState(shown: string, { state }: Pick<SearchRow, 'state'>, { colors }: TerminalPage): string {
  if (state === 'active') return shown;
  return state === 'broken' ? colors.red(shown) : colors.yellow(shown);
}
