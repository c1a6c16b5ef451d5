/** Saved searches as a person reads them. */
import { scheduleOf } from '../../monitor/schedule/schedule-of.ts';
import { formatSlot, inWords } from '../../monitor/schedule/words.ts';
import type { Change } from '../../monitor/topic/state.ts';
import type { SearchRow } from '../../store/reads/searches.ts';
import type { Page } from './page.ts';
import { optional } from './run-page.ts';
import { type Column, list } from './table.ts';
import { instant, relative } from './words.ts';

export function searchColumns(now: Date, page: Page): Column<SearchRow>[] {
  return [
    { head: 'search', cell: (search) => search.slug },
    { head: 'topic', cell: (search) => search.topic, drop: 5 },
    { head: 'service', cell: (search) => search.service, drop: 4 },
    { head: 'operation', cell: (search) => search.operation, drop: 2 },
    {
      head: 'state',
      // What is as it should be needs no word.
      cell: (search) => (stateOf(search) === 'active' ? '' : stateOf(search)),
      paint: (shown, search) => paintState(shown, search, page),
    },
    {
      head: 'next',
      cell: ({ next_due_at: at }) => (at !== null && at < now ? 'overdue' : relative(at, now, page)),
    },
    { head: 'runs', cell: shortSchedule, drop: 1 },
    { head: 'prompt', cell: (search) => search.prompt, elastic: 2, least: 12, drop: 3 },
  ];
}

export function searchPage(search: SearchRow, page: Page): string[] {
  return list(
    [
      ['search', search.slug],
      ['topic', search.topic],
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
      ...optional('extra', JSON.stringify(search.extra) === '{}' ? null : JSON.stringify(search.extra)),
      ['runs', scheduleWords(search)],
      ['next', search.next_due_at === null ? page.unknown : formatSlot(search.next_due_at, search.tz)],
      ['state', stateOf(search) + (search.state_reason === null ? '' : `: ${search.state_reason}`)],
      search.archived_at === null
        ? ['since', instant(search.state_since, page)]
        : ['removed', instant(search.archived_at, page)],
      ['sensitivity', search.sensitivity],
      ...optional('labels', search.labels.join(', ')),
      ['version', `${search.version} (request since version ${search.request_version})`],
      ['made', instant(search.created_at, page)],
    ],
    page,
  );
}

export function scheduleWords(search: Pick<SearchRow, 'slug' | 'cron' | 'every_seconds' | 'tz'>): string {
  return inWords(scheduleOf(search));
}

/** What a change has made of a search. @param next when it runs next, in words */
export function changed(change: Change, { state }: Pick<SearchRow, 'state'>, next: string): string {
  if (change === 'remove') return 'removed; what it found stays';
  return change === 'pause' ? state : `${state}; next run ${next}`;
}

/** `every 15m`, or the cron expression as it was written. */
function shortSchedule({ cron, every_seconds, tz }: SearchRow): string {
  if (cron !== null) return `${cron} ${tz}`;
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'm'],
  ] as const;
  const seconds = every_seconds ?? 0;
  const [length, unit] = units.find(([one]) => seconds % one === 0) ?? [1, 's'];
  return `every ${seconds / length}${unit}`;
}

function stateOf({ state, archived_at }: SearchRow): string {
  return archived_at === null ? state : 'removed';
}

function paintState(shown: string, { state }: SearchRow, { colors }: Page): string {
  if (state === 'active') return shown;
  return state === 'broken' ? colors.red(shown) : colors.yellow(shown);
}
