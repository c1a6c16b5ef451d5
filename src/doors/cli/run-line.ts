import type { RunReport } from '../../monitor/run/report.ts';
import type { Highlight } from '../../store/reads/highlights.ts';
import { wordsOf } from './failure-words.ts';
import type { Page } from './page.ts';
import { cut, oneLine, pad, wrap } from './text.ts';
import { counted, relative, timeOfDay } from './words.ts';

/** Slugs are set apart from what became of them by a column of this width. */
const SLUG = 24;
/** A page narrower than this has no room for empty columns. */
const ROOMY = 72;
const GAP = '  ';
const INDENT = ' '.repeat(11);

/**
 * How a run ended, in a line; what it found that is worth a look, in indented lines below it.
 * @param at when it ended (UTC)
 */
export function runLines(
  report: RunReport,
  highlights: readonly Highlight[],
  at: Date,
  page: Pick<Page, 'colors' | 'width' | 'more' | 'unknown'>,
): string[] {
  const { colors, width, more } = page;
  const name = width < ROOMY ? oneLine(report.search) : pad(oneLine(report.search), SLUG);
  const ended = outcome(report, at, page);
  const left = highlights.length === 0 ? 0 : freshOf(report) - highlights.length;
  const below = (line: string) => `${INDENT}${colors.dim(line)}`;
  const room = width - 9 - GAP.length - name.length - GAP.length;
  // A page too narrow for that has room for a plain line only.
  if (room < 12) return [cut([timeOfDay(at), name, ended].join(GAP), width, more)];
  return [
    [colors.dim(timeOfDay(at)), name, painted(report, cut(ended, room, more), colors)].join(GAP),
    ...highlights.map((one) => `${INDENT}${highlightLine(one, page)}`),
    ...(left > 0 ? wrap(moreOf(report.search, left, more), width - INDENT.length).map(below) : []),
  ];
}

/** How a run ended, in one line without the time. */
export function outcomeLine(report: RunReport, now: Date, page: Pick<Page, 'unknown'>): string {
  return `${report.search}: ${outcome(report, now, page)}`;
}

/** The same where no worker lives: nobody is there to try again at the time that was chosen. */
export function lonelyOutcomeLine(report: RunReport, now: Date, page: Pick<Page, 'unknown'>): string {
  if (report.status !== 'retry') return outcomeLine(report, now, page);
  if (report.code === 'budget_exceeded')
    return `${report.search}: not run yet: ${oneLine(report.detail ?? '')}; a worker runs it then (strandline up)`;
  return `${report.search}: failed: ${wordsOf(report)}; it is tried again when a worker runs (strandline up)`;
}

function outcome(report: RunReport, now: Date, page: Pick<Page, 'unknown'>): string {
  switch (report.status) {
    case 'succeeded':
      return report.diff.baseline ? firstLook(report) : whatIsNew(report);
    case 'failed':
      return `failed: ${wordsOf(report)}`;
    case 'retry':
      // The only limit that a run waits for: that of the minute.
      if (report.code === 'budget_exceeded')
        return `runs ${relative(report.notBefore, now, page)}: ${oneLine(report.detail ?? '')}`;
      return `tried again ${relative(report.notBefore, now, page)}: ${wordsOf(report)}`;
    case 'released':
    default:
      return `given back: ${wordsOf({ code: report.code })}`;
  }
}

type Succeeded = Extract<RunReport, { status: 'succeeded' }>;

function firstLook({ posts, links, authors, rejected, diff }: Succeeded): string {
  const parts = [
    ...(posts > 0 || links === 0 ? [counted(posts, 'post')] : []),
    ...(authors > 0 ? [counted(authors, 'author')] : []),
    ...(links > 0 ? [counted(links, 'link')] : []),
    ...(diff.completionChanged ? ['a completion'] : []),
  ];
  return `first look: ${parts.join(', ')} (baseline)${unread(rejected)}`;
}

function whatIsNew({ posts, links, rejected, diff }: Succeeded): string {
  const fresh = diff.newPosts.length + diff.newLinks.length;
  const changed = diff.completionChanged ? ', completion changed' : '';
  if (fresh === 0) return `nothing new of ${posts + links}${changed}${unread(rejected)}`;
  const parts = [
    ...(diff.newPosts.length > 0 ? [counted(diff.newPosts.length, 'new post')] : []),
    ...(diff.newLinks.length > 0 ? [counted(diff.newLinks.length, 'new link')] : []),
  ];
  return `+ ${parts.join(', ')} of ${posts + links}${changed}${unread(rejected)}`;
}

function freshOf(report: RunReport): number {
  return report.status === 'succeeded' ? report.diff.newPosts.length + report.diff.newLinks.length : 0;
}

function moreOf(search: string, left: number, more: string): string {
  return `${more} and ${left.toLocaleString('en-US')} more: strandline new --search ${oneLine(search)}`;
}

function unread(rejected: number): string {
  return rejected === 0 ? '' : `; ${counted(rejected, 'item')} could not be read`;
}

/** `@ines_marlow  "Ferry 7 is back"   12 likes · 3 reposts`; only the text gives way. */
function highlightLine(
  { kind, author_username, text, url, like_count, repost_count }: Highlight,
  { colors, width, more }: Pick<Page, 'colors' | 'width' | 'more'>,
): string {
  const who = author_username === null ? '' : `@${cut(oneLine(author_username), 20, more)}  `;
  const counters = [
    ...(like_count === null ? [] : [counted(like_count, 'like')]),
    ...(repost_count === null ? [] : [counted(repost_count, 'repost')]),
  ].join(more === '…' ? ' · ' : ', ');
  const tail = counters === '' ? '' : `   ${counters}`;
  const words = oneLine(text ?? '') === '' ? oneLine(url ?? '') : oneLine(text ?? '');
  const room = Math.min(width - INDENT.length - who.length - tail.length - 2, 72);
  if (room < 8) return cut(`${who}${words}`, Math.max(width - INDENT.length, 1), more);
  const shown = kind === 'post' ? `"${cut(words, room, more)}"` : cut(words, room, more);
  return `${colors.cyan(who)}${shown}${colors.dim(tail)}`;
}

function painted(report: RunReport, words: string, colors: Page['colors']): string {
  if (report.status === 'failed') return colors.red(words);
  if (report.status !== 'succeeded') return colors.yellow(words);
  if (report.diff.baseline) return words;
  return freshOf(report) > 0 || report.diff.completionChanged ? colors.green(words) : colors.dim(words);
}
