/** What is new, written for an assistant. Pure. */
import {
  formatCopies,
  formatCount,
  formatPercent,
  formatTenths,
  formatWhole,
} from '../lib/display-format.ts';
import { MAIN_COUNTERS, nameCounted } from '../model/counters.ts';
import { composeGapLines } from '../monitor/digests/gap-lines.ts';
import type {
  Digest,
  DigestAnswer,
  DigestAttention,
  DigestGrowing,
  DigestItem,
} from '../monitor/digests/digest-shapes.ts';
import type { DescribedDiscovery } from '../store/queries/described-discoveries.ts';
import { joinParts, quote, type TimeWriter, writeAddress, MAX_WHY } from './tool-text.ts';

export type Page = (path: string) => string;

/** What was observed in the span, and what was not: silence is not the same as nothing. */
export function describeObserved(digest: Digest, now: Date): string[] {
  const { runs, coverage, searches } = digest.collected;
  const failed = runs.failed === 0 ? '' : `, ${formatWhole(runs.failed)} failed`;
  const observed = coverage === null ? '' : `; posts observed ${formatPercent(coverage)} of the time`;
  return [
    `Observed: ${formatCount(searches, 'search', 'searches')}, ${formatCount(runs.succeeded + runs.failed, 'run')}${failed}${observed}.`,
    // A reason may contain the words of a service.
    ...composeGapLines(digest, { zone: digest.tz, now }, MAX_GAPS).map(
      (gap) => `Gap: ${quote(gap, MAX_GAP)}`,
    ),
  ];
}

const MAX_GAPS = 3;
const MAX_GAP = 200;

/** A search that does not do what it should, a problem, or a spike. */
export function describeAttention(entry: DigestAttention, write: TimeWriter, page: Page): string {
  switch (entry.kind) {
    case 'search':
      return joinParts([
        `${entry.search}: ${entry.status_name}`,
        entry.since === null ? null : `since ${write(entry.since)}`,
        entry.reason === null ? null : quote(entry.reason),
        entry.advice,
        page(`/searches/${entry.search}`),
      ]);
    case 'problem':
      return joinParts([
        `${quote(entry.title)} since ${write(entry.since)}`,
        entry.reason === null ? null : quote(entry.reason),
        entry.advice,
        page(entry.page),
      ]);
    case 'spike':
      return joinParts([
        `Spike of ${entry.search}: ${entry.sentence}`,
        // Words, hashtags and handles in it are those of strangers.
        entry.why === null ? null : quote(entry.why, MAX_WHY),
        entry.over === null ? null : entry.over ? 'It is over.' : 'It goes on.',
        page(`/searches/${entry.search}#spikes`),
      ]);
  }
}

const MAX_ADDED = 3;
const MAX_REMOVED = 2;

/** How the answer of a search changed: `+` is new, `-` is no longer said. */
export function describeAnswer(answer: DigestAnswer, page: Page): string[] {
  const more =
    answer.more_added +
    answer.more_removed +
    Math.max(0, answer.added.length - MAX_ADDED) +
    Math.max(0, answer.removed.length - MAX_REMOVED);
  return [
    `Answer of ${answer.search} ${answer.changed ? 'changed' : 'is its first'}: ${page(`/searches/${answer.search}/completions`)}`,
    ...(answer.text === null ? [] : [quote(answer.text)]),
    ...answer.added.slice(0, MAX_ADDED).map((text) => `+ ${quote(text)}`),
    ...answer.removed.slice(0, MAX_REMOVED).map((text) => `- ${quote(text)}`),
    ...(more === 0 ? [] : [`and ${formatCount(more, 'more change')}; see the tool answer`]),
  ];
}

export function isNews({ changed, before_at }: DigestAnswer): boolean {
  return changed || before_at === null;
}

/** `×27, 3 authors: http://…/stories/29`, which lists all of them; null for what is in no story. */
function describeStory(
  item: Pick<DescribedDiscovery, 'copies' | 'authors' | 'copies_at_least'> & {
    story_id: string | bigint | null;
  },
  page: Page,
): string | null {
  const words = formatCopies(item);
  return words === null || item.story_id === null ? words : `${words}: ${page(`/stories/${item.story_id}`)}`;
}

export function describeItem(item: DigestItem, write: TimeWriter, page: Page): string {
  const story = describeStory({ ...item, copies_at_least: false }, page);
  return writeItem({ ...item, at: item.published_at, note: story }, write, page);
}

/** What gains more than is usual, and searches whose volume rises. */
export function describeGrowing(growing: DigestGrowing, write: TimeWriter, page: Page): string {
  if (growing.kind === 'search')
    return `- ${growing.search}: ${growing.sentence} ${page(`/searches/${growing.search}`)}`;
  const { item, gained, hours, typical_per_hour: typical } = growing;
  const usual = typical === null ? '' : `, ${formatTenths(typical)} an hour are typical`;
  const note = `${formatWhole(gained)} reactions in ${formatTenths(hours)} h${usual}`;
  return writeItem({ ...item, at: item.published_at, note }, write, page);
}

export function describeFound(row: DescribedDiscovery, write: TimeWriter, page: Page): string {
  const post = row.named_post_id ?? row.post_id;
  return writeItem(
    {
      ...row,
      kind: post === null ? 'link' : 'post',
      author: row.author_username,
      at: row.created_at,
      page: post === null ? `/links/${row.link_id}` : `/posts/${post}`,
      note: describeStory(row, page),
      quote_count: null,
    },
    write,
    page,
  );
}

type WrittenItem = Pick<
  DigestItem,
  'kind' | 'text' | 'author' | 'url' | 'page' | (typeof MAIN_COUNTERS)[number]
> & {
  at: Date | string | null;
  note: string | null;
};

/** `- "Ferry 7 is back" by "ines", 12 likes, Sun, 29 Nov, 14:05 https://… http://…/posts/3`. */
function writeItem(item: WrittenItem, write: TimeWriter, page: Page): string {
  const [best] = MAIN_COUNTERS.flatMap((counter) => {
    const n = item[counter];
    return n === null || n <= 0 ? [] : [`${formatWhole(n)} ${nameCounted(counter, n)}`];
  });
  const facts = [
    item.author === null ? null : `${item.kind === 'post' ? 'by' : 'at'} ${quote(item.author, 60)}`,
    best ?? null,
    item.note,
    item.at === null ? null : `published ${write(item.at)}`,
  ];
  const words = item.text === null ? `a ${item.kind} without text` : quote(item.text);
  return joinParts([`- ${words}`, joinParts(facts, ', '), writeAddress(item.url), page(item.page)]);
}
