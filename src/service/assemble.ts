/** The answer of operation A, put together in the specification's words. */
import type { AiAnswer } from '../contract/ai-answer.ts';
import type { Source } from '../contract/enumerations.ts';
import type { ResultGroup, ResultItem } from '../contract/result-item.ts';
import { quoteCompletion } from './answer/extractive.ts';
import { distinctByLink } from './link.ts';
import { piecesOf } from './pieces.ts';
import type { Findings } from './retrieve.ts';
import type { Found } from './source.ts';

/** The sources that have a results group; web pages and posts feed the completion and the links only. */
export const GROUPS = {
  video: 'video_search_results',
  news_forum: 'news_forum_search_results',
  discussion_board: 'discussion_board_search_results',
  preprint: 'preprint_search_results',
  encyclopedia: 'encyclopedia_search_results',
} as const satisfies Partial<Record<Source, string>>;
export type GroupedSource = keyof typeof GROUPS;

export function isGrouped(source: Source): source is GroupedSource {
  return source in GROUPS;
}

/** A group for each selected source that has one, also when it is empty; then links and completion. */
export function assembleAnswer(findings: Findings): AiAnswer {
  const groups: Partial<Record<(typeof GROUPS)[GroupedSource], ResultGroup>> = {};
  for (const [source, found] of findings) if (isGrouped(source)) groups[GROUPS[source]] = groupOf(found);
  const { completion, links } = quoteCompletion(findings);
  return {
    ...groups,
    text_chunks: { microblog_summary: piecesOf(completion.microblog_summary) },
    search_completion_links: distinctByLink([...findings.values()].flat()).map(({ link }) => link),
    completion_links: links,
    completion,
  };
}

/** What was found, as result items. */
export function groupOf(found: readonly Found[]): ResultGroup {
  return { organic_results: found.map(itemOf) };
}

function itemOf({ source, title, link, snippet, summaryDescription }: Found): ResultItem {
  const item: ResultItem = { title, link, snippet, summary_description: summaryDescription };
  // Present on preprint and encyclopedia results, absent on the other groups.
  if (source === 'preprint' || source === 'encyclopedia') item.with_metadata = true;
  return item;
}
