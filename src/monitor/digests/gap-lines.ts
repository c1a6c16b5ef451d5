/** What was not collected, in sentences. Pure. */
import { type DateReader, formatCount, formatPercent, formatWithWeekday } from '../../lib/display-format.ts';
import type { Digest, DigestGap, SearchMembers } from './digest-shapes.ts';

/** What a search is called: `Night trains: Posts`; in older digests its slug. */
export function nameDigestSearch({
  search,
  search_name,
}: Pick<SearchMembers, 'search' | 'search_name'>): string {
  return search_name ?? search;
}

/**
 * At most so many sentences, most important first; the last has the number of gaps that are left out. Gaps that are listed
 * as needing attention are not repeated.
 */
export function composeGapLines(
  { not_collected, attention }: Digest,
  reader: DateReader,
  most: number,
): string[] {
  const listed = new Set(attention.flatMap((entry) => (entry.kind === 'search' ? [entry.search] : [])));
  const gaps = not_collected.filter(
    (gap) => !((gap.reason === 'failed' || gap.reason === 'never_ran') && listed.has(gap.search)),
  );
  const paused = gaps.flatMap((gap) => (gap.reason === 'paused' ? [nameDigestSearch(gap)] : []));
  const sentences = [
    ...gaps.flatMap((gap) => (gap.reason === 'paused' ? [] : [describeGap(gap, reader)])),
    ...(paused.length === 0 ? [] : [`Paused: ${nameFew(paused)}.`]),
  ];
  if (sentences.length <= most) return sentences;
  const shown = sentences.slice(0, Math.max(0, most));
  const more = sentences.length - shown.length;
  return [...shown, `and ${formatCount(more, 'more gap')}.`];
}

function describeGap(gap: Exclude<DigestGap, { reason: 'paused' }>, reader: DateReader): string {
  const at = (time: string) => formatWithWeekday(new Date(time), reader, false);
  switch (gap.reason) {
    case 'missed': {
      const when = gap.slots === 1 ? at(gap.from) : `${at(gap.from)} to ${at(gap.until)}`;
      return `Not collected: ${formatCount(gap.slots, 'run')} of ${formatCount(gap.searches, 'search', 'searches')}, ${when}: nothing ran.`;
    }
    case 'capped':
      return `Not collected: ${formatCount(gap.slots, 'run')} of ${nameDigestSearch(gap)}, beyond its calls per day.`;
    case 'overlap':
      return `Not collected: ${formatCount(gap.slots, 'run')} of ${nameDigestSearch(gap)}, because the run before was not over.`;
    case 'failed':
      return `${nameDigestSearch(gap)}: ${gap.runs} of ${formatCount(gap.of, 'run')} failed: ${gap.detail}.`;
    case 'never_ran':
      return `${nameDigestSearch(gap)}: no run.`;
    case 'tool':
      return `${gap.tool} ${gap.detail} (${formatCount(gap.searches, 'search', 'searches')}).`;
    case 'incomplete':
      return `${nameDigestSearch(gap)} misses about ${formatPercent(gap.share)} of its posts between runs.`;
  }
}

const MAX_NAMED = 3;

function nameFew(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return more <= 0 ? names.join(', ') : `${names.slice(0, MAX_NAMED).join(', ')} and ${more} more`;
}
