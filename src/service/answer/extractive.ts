/**
 * The completion, without a language model: sentences quoted from what was found, each with its link.
 * Nothing is written that no source said, and no link stands here that was not retrieved.
 */
import type { Completion } from '../../contract/completion.ts';
import type { Source } from '../../contract/enumerations.ts';
import type { Findings } from '../retrieve.ts';
import { pickSentences } from './sentences.ts';
import type { Found } from '../source.ts';

export const NOTHING_FOUND = 'No results for the selected tools and period.';

const GROUP_SENTENCES = 3;
const SUMMARY_SENTENCES = 5;
const KEY_ITEMS = 5;

/** Sources in the order in which the summary reads them, and which of them are key *sources*. */
const READ: readonly Source[] = [
  'web',
  'news_forum',
  'discussion_board',
  'microblog',
  'video',
  'preprint',
  'encyclopedia',
];
const KEY_SOURCES: readonly Source[] = ['web', 'encyclopedia', 'preprint', 'video'];

/** Writes the completion; `links` are the cited addresses in the order of their numbers, `[1]` first. */
export function quoteCompletion(findings: Findings): { completion: Completion; links: string[] } {
  const links: string[] = [];
  const cite = (link: string) => {
    if (!links.includes(link)) links.push(link);
    return `[${links.indexOf(link) + 1}](${link})`;
  };
  const found = (source: Source) => findings.get(source) ?? [];
  const write = (items: readonly Found[], count: number) => {
    const picked = pickSentences(items.map(passageOf), count);
    // Nothing that reads as a sentence: the titles have to do.
    const said = picked.length > 0 ? picked : items.slice(0, count).map(titleOf);
    return said.map(({ text, link }) => `${text} ${cite(link)}`).join(' ');
  };
  const key = (items: readonly Found[]) => {
    const chosen = items.filter(({ title }) => title !== '').slice(0, KEY_ITEMS);
    for (const { link } of chosen) cite(link);
    return chosen.map(({ title, link }) => ({ text: title, url: link }));
  };

  const everything = interleave(READ.map(found));
  const summary = write(everything, SUMMARY_SENTENCES);
  // Written in the order in which a reader meets them, since that numbers the links.
  const microblog_summary = write(found('microblog'), GROUP_SENTENCES);
  const discussion_board_summary = write(found('discussion_board'), GROUP_SENTENCES);
  const news_forum_summary = write(found('news_forum'), GROUP_SENTENCES);
  const completion: Completion = {
    key_posts: key(found('discussion_board')),
    key_microblog_posts: key(found('microblog')),
    key_news: key(found('news_forum')),
    key_sources: key(interleave(KEY_SOURCES.map(found))),
    microblog_summary,
    summary: everything.length === 0 ? NOTHING_FOUND : summary,
    discussion_board_summary,
    news_forum_summary,
  };
  return { completion, links };
}

function titleOf({ title, link }: Found) {
  return { text: title, link };
}

function passageOf({ title, snippet, link }: Found) {
  return { text: snippet === '' ? `${title}.` : snippet, link };
}

/** The first of each list, then the second of each: no source drowns the others. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
}
