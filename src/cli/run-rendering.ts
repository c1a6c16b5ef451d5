/** Runs for people. */

import { RUN_CODES } from '../model/errors.ts';
import { describeUnresponsiveCount, describeToolCoverage } from '../model/tool-coverage.ts';
import type { RunReport } from '../monitor/runs/run-end.ts';
import type { Id } from '../store/db/database.ts';
import type { Highlight } from '../store/queries/highlights.ts';
import type { RunRow } from '../store/queries/run-list.ts';
import type { RunWithTools } from '../store/queries/run-tools.ts';
import type { Reply } from './api-requests.ts';
import { describeFailure } from './run-failure.ts';
import type { Terminal, TerminalPage } from './terminal-io.ts';
import { type Column, renderList } from './terminal-table.ts';
import { measureWidth, oneLine, padText, truncate, wrapText } from './terminal-text.ts';
import {
  createDayFormat,
  formatCount,
  formatCost,
  formatInstant,
  formatQuantity,
  formatRelative,
  formatTime,
  formatClockTime,
  type Time,
} from './value-formatting.ts';

/** Of a row, or of its JSON. */
type RunCells = Pick<
  RunRow,
  'search' | 'status' | 'trigger' | 'items_seen' | 'items_new' | 'code' | 'span_slots' | 'baseline' | 'reason'
> &
  Parameters<typeof describeUnresponsiveCount>[0] & {
    id: Id | string;
    slot_at: Time | null;
    created_at: Time;
  };

export function runColumns(now: Date, page: TerminalPage): Column<RunCells>[] {
  return [
    { head: 'id', cell: (run) => String(run.id), right: true },
    { head: 'search', cell: (run) => run.search },
    { head: 'status', cell: (run) => run.status, paint: (shown, run) => paintStatus(shown, run, page) },
    { head: 'trigger', cell: ({ trigger }) => trigger, drop: 4 },
    { head: 'due', cell: (run) => formatTime(run.slot_at ?? run.created_at, now, page) },
    { head: 'results', cell: (run) => formatCount(run.items_seen, page), right: true, drop: 3 },
    { head: 'new', cell: (run) => formatCount(run.items_new, page), right: true },
    {
      head: 'reason',
      cell: (run) => describeReason(run),
      elastic: 3,
      least: 12,
      drop: 2,
      paint: (shown) => page.colors.dim(shown),
    },
  ];
}

/** @param free whether the search's service is known to cost nothing */
export function renderRun(
  run: RunWithTools | Reply<RunWithTools>,
  free: boolean,
  page: TerminalPage,
): string[] {
  return renderList(
    [
      ['run', String(run.id)],
      ['search', `${run.search} (topic ${run.topic}, version ${run.version})`],
      ['status', run.status + (run.baseline ? ', baseline' : '')],
      ['code', run.code && `${run.code}: ${RUN_CODES[run.code]}`],
      ['reason', run.reason || null],
      ['trigger', run.trigger],
      ['due', run.slot_at && formatInstant(run.slot_at, page)],
      [
        'missed',
        run.span_slots === null
          ? null
          : `${formatQuantity(run.span_slots, 'slot')} up to ${formatInstant(run.span_until, page)}`,
      ],
      ['next attempt', run.not_before && formatInstant(run.not_before, page)],
      ['started', formatInstant(run.started_at, page)],
      ['ended', formatInstant(run.ended_at, page)],
      ['duration', run.seconds === null ? page.unknown : `${run.seconds.toFixed(1)} s`],
      [
        'results',
        `${formatCount(run.items_seen, page)} (${formatQuantity(run.posts_seen ?? 0, 'post')}, ${formatQuantity(run.links_seen ?? 0, 'link')})`,
      ],
      ['tools', describeToolCoverage(run.tools, createDayFormat(page))],
      ['new', formatCount(run.items_new, page)],
      ['rejected items', formatCount(run.rejected, page)],
      ['calls', run.calls === 0 ? '0' : `${run.calls}, cost: ${formatCost(run.cost_usd, { free })}`],
    ],
    page,
  );
}

function describeReason(run: RunCells): string {
  const code = run.code === null ? '' : `${run.code}: ${RUN_CODES[run.code]}`;
  const missed = run.span_slots === null ? '' : `${formatQuantity(run.span_slots, 'slot')}; `;
  if (code !== '') return code;
  const unresponsive = describeUnresponsiveCount(run);
  const why = run.baseline ? 'baseline' : `${missed}${run.reason ?? ''}`;
  return [why, unresponsive ?? ''].filter((part) => part !== '').join('; ');
}

function paintStatus(shown: string, { status }: Pick<RunRow, 'status'>, { colors }: TerminalPage): string {
  if (status === 'failed') return colors.red(shown);
  if (status === 'succeeded') return colors.green(shown);
  return status === 'running' ? colors.cyan(shown) : colors.yellow(shown);
}

const SLUG_COLUMN_WIDTH = 24;
/** Narrower pages do not pad slugs. */
const MIN_ROOMY_WIDTH = 72;
const GAP = '  ';
const INDENT = ' '.repeat(11);

/**
 * The result of a run in one line, with highlights in indented lines below it. A run of the sandbox is named `sandbox/…`, because
 * one terminal shows real and simulated runs.
 * @param coverage which of its tools did not respond; null if all did
 * @param at when it ended
 */
export function renderRunReport(
  report: RunReport,
  { highlights, coverage }: { highlights: readonly Highlight[]; coverage: string | null },
  at: Date,
  page: Pick<Terminal, 'colors' | 'width' | 'more' | 'unknown' | 'zone' | 'wrapHint'>,
): string[] {
  const { colors, width, more } = page;
  const isSimulated = report.service === 'sandbox';
  const search = oneLine(report.search);
  const shown = isSimulated ? `sandbox/${search}` : search;
  const name = width < MIN_ROOMY_WIDTH ? shown : padText(shown, SLUG_COLUMN_WIDTH);
  const listCommand = `strandline ${isSimulated ? '--sandbox ' : ''}new --search ${search}`;
  const ended = describeOutcome(report, at, page);
  const left = highlights.length === 0 ? 0 : countDiscoveries(report) - highlights.length;
  const below = (line: string) => `${INDENT}${colors.dim(line)}`;
  const room = width - 9 - GAP.length - measureWidth(name) - GAP.length;
  if (room < 12) return [truncate([formatClockTime(at, page), name, ended].join(GAP), width, more)];
  return [
    [
      colors.dim(formatClockTime(at, page)),
      name,
      paintOutcome(report, truncate(ended, room, more), colors),
    ].join(GAP),
    ...(coverage === null ? [] : wrapText(coverage, width - INDENT.length)).map(
      (line) => `${INDENT}${colors.yellow(line)}`,
    ),
    ...highlights.map((highlight) => `${INDENT}${renderHighlight(highlight, page)}`),
    ...(left > 0
      ? page
          .wrapHint(`${more} and ${left.toLocaleString('en-US')} more: ${listCommand}`, width - INDENT.length)
          .map(below)
      : []),
  ];
}

/** How a run ended, in one line without the time. */
export function describeReport(report: RunReport, now: Date, page: Pick<TerminalPage, 'unknown'>): string {
  return `${report.search}: ${describeOutcome(report, now, page)}`;
}

/** The same if no worker is running: nothing retries the run. */
export function describeReportWithoutWorkers(
  report: RunReport,
  now: Date,
  page: Pick<TerminalPage, 'unknown'>,
): string {
  if (report.status !== 'retry') return describeReport(report, now, page);
  if (report.isWaiting)
    return `${report.search}: not run yet: ${oneLine(report.detail ?? '')}; a worker runs it then. Start one: strandline up`;
  return `${report.search}: failed: ${describeFailure(report)}; a worker retries it. Start one: strandline up`;
}

function describeOutcome(report: RunReport, now: Date, page: Pick<TerminalPage, 'unknown'>): string {
  switch (report.status) {
    case 'succeeded':
      return report.diff.baseline ? describeBaseline(report) : describeDiscoveries(report);
    case 'failed':
      return `failed: ${describeFailure(report)}`;
    case 'retry':
      if (report.isWaiting)
        return `runs ${formatRelative(report.notBefore, now, page)}: ${oneLine(report.detail ?? '')}`;
      return `retries ${formatRelative(report.notBefore, now, page)}: ${describeFailure(report)}`;
    case 'released':
    default:
      return `released: ${describeFailure({ code: report.code })}`;
  }
}

type SucceededReport = Extract<RunReport, { status: 'succeeded' }>;

function describeBaseline({ posts, links, authors, rejected, diff }: SucceededReport): string {
  const parts = [
    ...(posts > 0 || links === 0 ? [formatQuantity(posts, 'post')] : []),
    ...(authors > 0 ? [formatQuantity(authors, 'author')] : []),
    ...(links > 0 ? [formatQuantity(links, 'link')] : []),
    ...(diff.completionChanged ? ['a completion'] : []),
  ];
  return `baseline: ${parts.join(', ')}${describeRejected(rejected)}`;
}

function describeDiscoveries({ posts, links, rejected, diff }: SucceededReport): string {
  const fresh = diff.newPosts.length + diff.newLinks.length;
  const changed = diff.completionChanged ? ', completion changed' : '';
  if (fresh === 0)
    return `no new ${posts > 0 || links === 0 ? 'posts' : 'links'} (${posts + links} returned)${changed}${describeRejected(rejected)}`;
  const parts = [
    ...(diff.newPosts.length > 0 ? [formatQuantity(diff.newPosts.length, 'new post')] : []),
    ...(diff.newLinks.length > 0 ? [formatQuantity(diff.newLinks.length, 'new link')] : []),
  ];
  return `${parts.join(', ')} (${posts + links} returned)${changed}${describeRejected(rejected)}`;
}

function countDiscoveries(report: RunReport): number {
  return report.status === 'succeeded' ? report.diff.newPosts.length + report.diff.newLinks.length : 0;
}

function describeRejected(rejected: number): string {
  return rejected === 0 ? '' : `; ${formatQuantity(rejected, 'item')} rejected`;
}

/** `@ines_marlow  "Ferry 7 is back"   12 likes · 3 reposts`; only the text is shortened. */
function renderHighlight(
  { kind, author_username, text, url, like_count, repost_count }: Highlight,
  { colors, width, more }: Pick<TerminalPage, 'colors' | 'width' | 'more'>,
): string {
  const who = author_username === null ? '' : `@${truncate(oneLine(author_username), 20, more)}  `;
  const counters = [
    ...(like_count === null ? [] : [formatQuantity(like_count, 'like')]),
    ...(repost_count === null ? [] : [formatQuantity(repost_count, 'repost')]),
  ].join(more === '…' ? ' · ' : ', ');
  const tail = counters === '' ? '' : `   ${counters}`;
  const words = oneLine(text ?? '') === '' ? oneLine(url ?? '') : oneLine(text ?? '');
  const room = Math.min(width - INDENT.length - who.length - tail.length - 2, 72);
  if (room < 8) return truncate(`${who}${words}`, Math.max(width - INDENT.length, 1), more);
  const shown = kind === 'post' ? `"${truncate(words, room, more)}"` : truncate(words, room, more);
  return `${colors.cyan(who)}${shown}${colors.dim(tail)}`;
}

function paintOutcome(report: RunReport, words: string, colors: TerminalPage['colors']): string {
  if (report.status === 'failed') return colors.red(words);
  if (report.status !== 'succeeded') return colors.yellow(words);
  if (report.diff.baseline) return words;
  return countDiscoveries(report) > 0 || report.diff.completionChanged
    ? colors.green(words)
    : colors.dim(words);
}
