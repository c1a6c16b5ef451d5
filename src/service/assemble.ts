/** The answer of operation A, put together in the specification's words. */
import type { Source } from '../contract/enumerations.ts';
import type { ServedAiAnswer } from '../contract/extras.ts';
import type { ResultGroup, ResultItem } from '../contract/result-item.ts';
import type { Written } from './answer/write.ts';
import { distinctByLink } from './link.ts';
import { piecesOf } from './pieces.ts';
import type { Retrieved } from './retrieve.ts';
import type { Found } from './source.ts';

/** Where each source's results stand. Posts have no group: they feed the completion and the links only. */
export const GROUPS = {
  video: 'video_search_results',
  news_forum: 'news_forum_search_results',
  discussion_board: 'discussion_board_search_results',
  preprint: 'preprint_search_results',
  encyclopedia: 'encyclopedia_search_results',
  // Not the specification's: shown where it is switched on, otherwise as posts are.
  web: 'web_search_results',
} as const satisfies Partial<Record<Source, string>>;
export type GroupedSource = keyof typeof GROUPS;

/** Whether a source has a results group in the answer. */
export function isGrouped(source: Source, webGroup: boolean): source is GroupedSource {
  return source in GROUPS && (webGroup || source !== 'web');
}

/** A group for each selected source that has one, also when it is empty; then links and completion. */
export function assembleAnswer(
  { findings, warnings }: Retrieved,
  { completion, links, writer }: Written,
  webGroup: boolean,
): ServedAiAnswer {
  const groups: Partial<Record<(typeof GROUPS)[GroupedSource], ResultGroup>> = {};
  for (const [source, found] of findings) {
    if (isGrouped(source, webGroup)) groups[GROUPS[source]] = groupOf(found);
  }
  return {
    ...groups,
    text_chunks: { microblog_summary: piecesOf(completion.microblog_summary) },
    search_completion_links: distinctByLink([...findings.values()].flat()).map(({ link }) => link),
    completion_links: links,
    completion,
    completion_writer: writer,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
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
