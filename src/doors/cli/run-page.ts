/** Runs as a person reads them. */
import { RUN_CODES } from '../../errors.ts';
import type { RunRow } from '../../store/reads/runs.ts';
import type { Page } from './page.ts';
import { type Column, list } from './table.ts';
import { count, dollars, instant, when } from './words.ts';

export function runColumns(now: Date, page: Page): Column<RunRow>[] {
  return [
    { head: 'id', cell: (run) => String(run.id), right: true },
    { head: 'search', cell: (run) => run.search },
    { head: 'status', cell: (run) => run.status, paint: (shown, run) => paintStatus(shown, run, page) },
    { head: 'by', cell: ({ trigger }) => (trigger === 'schedule' ? '' : trigger), drop: 4 },
    { head: 'due or asked', cell: (run) => when(run.slot_at ?? run.created_at, now, page) },
    { head: 'seen', cell: (run) => count(run.items_seen, page), right: true, drop: 3 },
    { head: 'new', cell: (run) => count(run.items_new, page), right: true },
    {
      head: 'why',
      cell: (run) => why(run),
      elastic: 3,
      least: 12,
      drop: 2,
      paint: (shown) => page.colors.dim(shown),
    },
  ];
}

export function runPage(run: RunRow, page: Page): string[] {
  const failed: [string, string][] =
    run.code === null ? [] : [['code', `${run.code}: ${RUN_CODES[run.code]}`]];
  return list(
    [
      ['run', String(run.id)],
      ['search', `${run.search} (topic ${run.topic}, version ${run.version})`],
      ['status', run.status + (run.baseline ? ', baseline' : '')],
      ...failed,
      ...optional('reason', run.reason),
      ['trigger', run.trigger],
      ...optional('due', run.slot_at === null ? null : instant(run.slot_at, page)),
      ...optional(
        'missed',
        run.span_slots === null ? null : `${run.span_slots} slots up to ${instant(run.span_until, page)}`,
      ),
      ...optional('waits until', run.not_before === null ? null : instant(run.not_before, page)),
      ['started', instant(run.started_at, page)],
      ['ended', instant(run.ended_at, page)],
      ['took', run.seconds === null ? page.unknown : `${run.seconds.toFixed(1)} s`],
      ['seen', `${count(run.items_seen, page)} (${run.posts_seen} posts, ${run.links_seen} links)`],
      ['new', count(run.items_new, page)],
      ['not readable', count(run.rejected, page)],
      ['calls', `${run.calls}, cost ${dollars(run.cost_usd, page)}`],
    ],
    page,
  );
}

export function optional(name: string, value: string | null): [string, string][] {
  return value === null || value === '' ? [] : [[name, value]];
}

function why(run: RunRow): string {
  const code = run.code === null ? '' : `${run.code}: ${RUN_CODES[run.code]}`;
  const missed = run.span_slots === null ? '' : `${run.span_slots} slots; `;
  if (code !== '') return code;
  return run.baseline ? 'baseline' : `${missed}${run.reason ?? ''}`;
}

function paintStatus(shown: string, { status }: RunRow, { colors }: Page): string {
  if (status === 'failed') return colors.red(shown);
  if (status === 'succeeded') return colors.green(shown);
  return status === 'running' ? colors.cyan(shown) : colors.yellow(shown);
}
