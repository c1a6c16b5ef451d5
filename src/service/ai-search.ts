/** Operation A: retrieve, write the completion, assemble the response in the specification's words. */

import type { Source } from '../domain/enumerations.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { ResultGroup, ResultItem } from '../protocol/specification.ts';
import type { ServedAiResponse } from '../protocol/extensions.ts';
import {
  type CompletionRole,
  writeCompletion,
  type WrittenCompletion,
} from './answering/completion-writer.ts';
import type { LanguageModel } from './answering/language-model.ts';
import { MODEL_TIERS } from './planning/model-tiers.ts';
import { type RetrievalRequest, type RetrievalResult, retrieveFindings } from './planning/retrieval.ts';
import { dedupeByLink } from './ranking/deduplication.ts';
import type { FoundItem, SearchSource } from './sources/search-source.ts';

export type AiSearchContext = {
  sources: readonly SearchSource[];
  log: Logger;
  /** Writes completions; without one they are made of quotations. */
  model: LanguageModel | undefined;
  /** Whether web pages have a results group, which the specification does not show. */
  webGroup: boolean;
};

/** Receives the parts of a response before the whole is there. */
export type AiSearchListener = {
  /** The results of a source that has a group in the answer. */
  onGroup: (source: GroupedSource, items: readonly ResultItem[]) => void;
  onText: (role: CompletionRole, text: string) => void;
};

/**
 * The whole answer, within the budget of its model.
 * @throws the signal's reason once the client is gone
 */
export async function runAiSearch(
  ctx: AiSearchContext,
  request: RetrievalRequest,
  signal: AbortSignal,
  listener?: AiSearchListener,
): Promise<ServedAiResponse> {
  const began = monotonicMs();
  const retrieved = await retrieveFindings(ctx, request, signal, (source, found) => {
    if (hasResultGroup(source, ctx.webGroup)) listener?.onGroup(source, found.map(toResultItem));
  });
  const written = await writeCompletion(retrieved.findings, {
    prompt: request.prompt,
    at: request.at,
    // Whole milliseconds: timers take no others.
    budgetMs: Math.max(0, Math.floor(MODEL_TIERS[request.model].budgetMs - (monotonicMs() - began))),
    signal,
    log: ctx.log,
    model: ctx.model,
    ...(listener && { onText: listener.onText }),
  });
  return assembleResponse(retrieved, written, ctx.webGroup);
}

/** Where each source's results stand. Posts have no group: they feed the completion and the links only. */
export const RESULT_GROUPS = {
  video: 'video_search_results',
  news_forum: 'news_forum_search_results',
  discussion_board: 'discussion_board_search_results',
  preprint: 'preprint_search_results',
  encyclopedia: 'encyclopedia_search_results',
  // Not the specification's: shown where it is switched on, otherwise as posts are.
  web: 'web_search_results',
} as const satisfies Partial<Record<Source, string>>;
export type GroupedSource = keyof typeof RESULT_GROUPS;

/** Whether a source has a results group in the answer. */
function hasResultGroup(source: Source, webGroup: boolean): source is GroupedSource {
  return source in RESULT_GROUPS && (webGroup || source !== 'web');
}

/** A group for each selected source that has one, also when it is empty; then links and completion. */
function assembleResponse(
  { findings, warnings }: RetrievalResult,
  { completion, links, writer }: WrittenCompletion,
  webGroup: boolean,
): ServedAiResponse {
  const groups: Partial<Record<(typeof RESULT_GROUPS)[GroupedSource], ResultGroup>> = {};
  for (const [source, found] of findings) {
    if (hasResultGroup(source, webGroup))
      groups[RESULT_GROUPS[source]] = { organic_results: found.map(toResultItem) };
  }
  return {
    ...groups,
    text_chunks: { microblog_summary: splitPieces(completion.microblog_summary) },
    search_completion_links: dedupeByLink([...findings.values()].flat()).map(({ link }) => link),
    completion_links: links,
    completion,
    completion_writer: writer,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

function toResultItem({ source, title, link, snippet, summaryDescription }: FoundItem): ResultItem {
  const item: ResultItem = { title, link, snippet, summary_description: summaryDescription };
  // Present on preprint and encyclopedia results, absent on the other groups.
  if (source === 'preprint' || source === 'encyclopedia') item.with_metadata = true;
  return item;
}

/** The longest piece of a streamed text, in characters. */
export const MAX_PIECE_LENGTH = 20;

/**
 * A text in pieces of at most 20 characters that join to the text again: cut before words, and never inside
 * a character that takes two code units.
 */
export function splitPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const part of text.match(/\s*\S+|\s+$/g) ?? []) {
    if (piece !== '' && piece.length + part.length > MAX_PIECE_LENGTH) {
      pieces.push(piece);
      piece = '';
    }
    for (const character of part) {
      if (piece.length + character.length > MAX_PIECE_LENGTH) {
        pieces.push(piece);
        piece = '';
      }
      piece += character;
    }
  }
  if (piece !== '') pieces.push(piece);
  return pieces;
}
