/** Saved searches for people. */
import {
  describeIntervalChange,
  describeStoredSchedule,
  formatSlot,
} from '../monitor/schedule/schedule-text.ts';
import type { IntervalChangeRow, SearchRow } from '../store/queries/search-list.ts';
import { describeState, formatShortSchedule } from './search-columns.ts';
import type { Reply } from './api-requests.ts';
import type { TerminalPage } from './terminal-io.ts';
import { renderList } from './terminal-table.ts';
import { formatInstant } from './value-formatting.ts';

/** @param more what its runs and responses have shown; undefined: not shown */
export function renderSearch(
  search: Reply<SearchRow>,
  page: TerminalPage,
  {
    interval,
    completeness,
    status,
  }: Partial<Record<'interval' | 'completeness' | 'status', string | null>> = {},
): string[] {
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
      ['interval', interval ?? null],
      ['completeness', completeness ?? null],
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
export function renderIntervalChanges(
  changes: readonly Reply<IntervalChangeRow>[],
  page: TerminalPage,
): string[] {
  if (changes.length === 0) return [];
  const lines = changes.map(
    (change) => [formatInstant(change.at, page), describeIntervalChange(change)] as const,
  );
  return ['', 'Interval changes, newest first', ...renderList(lines, page)];
}

/** `every 15m → every 5m`: what an edit changed. */
export function describeEdit(before: Reply<SearchRow>, after: Reply<SearchRow>): string[] {
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
  ] as const satisfies readonly (readonly [string, (row: Reply<SearchRow>) => string])[];
  return members.flatMap(([name, show]) =>
    show(before) === show(after) ? [] : [`${name}: ${show(before)} → ${show(after)}`],
  );
}
