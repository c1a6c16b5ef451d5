/** Operation A: retrieve, write the completion, assemble the response as the dialect shows it. */

import { buildMembers, KEY_LISTS, type Source } from '../model/enumerations.ts';
import { cleanLine } from '../lib/text.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Dialect } from '../protocol/dialect.ts';
import type { ServedAiResponse, ServedResultItem } from '../protocol/extensions.ts';
import type { FlatAiResponse, FlatItem, FlatPost } from '../protocol/flat-response.ts';
import type { ResultGroup } from '../protocol/specification.ts';
import type { CompletionRole } from './answering/completion-draft.ts';
import { omitCompletion, writeCompletion, type WrittenCompletion } from './answering/completion-writer.ts';
import { toCitableLink } from './citable-link.ts';
import type { LanguageModel } from './answering/language-model.ts';
import { openFindings } from './answering/open-findings.ts';
import { takeTurn } from './event-loop-turns.ts';
import { toFlatPosts } from './flat-posts.ts';
import { MODEL_TIERS } from './planning/model-tiers.ts';
import type { ModelPlan, Planner } from './planning/model-plan.ts';
import {
  acceptsWordings,
  computeDateWindow,
  type Findings,
  type RetrievalRequest,
  type RetrievalResult,
  retrieveFindings,
} from './planning/retrieval.ts';
import type { SearchPlan } from './planning/search-plan.ts';
import { dedupeByLink } from './ranking/deduplication.ts';
import type { PageOpener } from './sources/pages/page-opener.ts';
import type { FoundItem, SearchSource } from './sources/search-source.ts';

export type AiSearchContext = {
  sources: readonly SearchSource[];
  log: Logger;
  /** Writes completions; without a model, completions are made of quotations. */
  model: LanguageModel | undefined;
  /** Plans further wordings with the model; undefined: they are planned without. */
  planner?: Planner | undefined;
  /** Whether web pages have a results group, and results the time of their publication, which the specification does not show. */
  webGroup: boolean;
  /** Opens found pages; undefined: none are opened. */
  pages?: PageOpener | undefined;
  /** Notes what each source is asked, and is part of the response; undefined if nobody wants to know. */
  plan?: SearchPlan | undefined;
};

/** The form of the response, and whether it omits the completion. */
type AiSearchForm = { answers: Dialect['answers']; linksOnly: boolean };

/** Receives the parts of a response before the whole is there. */
export type AiSearchListener = {
  /** The results of a source that has a group in the answer: result items, or posts. */
  onGroup: (source: Source, items: readonly object[]) => void;
  onText: (role: CompletionRole, text: string) => void;
};

/** The whole answer, within the budget of its model. @throws the signal's reason once the client is gone */
export async function runAiSearch(
  ctx: AiSearchContext,
  request: RetrievalRequest,
  form: AiSearchForm,
  signal: AbortSignal,
  listener?: AiSearchListener,
): Promise<ServedAiResponse | FlatAiResponse> {
  const began = monotonicMs();
  const isFlat = form.answers === 'flat';
  // Its process starts while sources are queried.
  if (MODEL_TIERS[request.model].pages > 0 && !form.linksOnly) ctx.pages?.prepare();
  const planning = planSearch(ctx, request, signal);
  // It rejects only once the client is gone, which retrieval notices by itself.
  const planned = planning?.then(
    ({ wordings }) => wordings,
    () => new Map(),
  );
  const found = await retrieveFindings({ ...ctx, planned }, request, signal, (source, items) => {
    if (isFlat) listener?.onGroup(source, toFlatItems(source, items));
    else if (hasResultGroup(source, ctx.webGroup)) listener?.onGroup(source, toResultItems(items, ctx));
  });
  const byModel = await planning;
  const retrieval = { ...found, warnings: [...found.warnings, ...(byModel?.warnings ?? [])] };
  const leftMs = () => MODEL_TIERS[request.model].budgetMs - (monotonicMs() - began);
  // Only a completion reads pages.
  const retrieved = form.linksOnly
    ? retrieval
    : await openFindings(ctx, request, retrieval, leftMs(), signal);
  const written = form.linksOnly
    ? omitCompletion()
    : await writeCompletion(retrieved.findings, {
        prompt: request.prompt,
        questions: byModel?.questions ?? [],
        at: request.at,
        // Whole milliseconds: timers take no others.
        budgetMs: Math.max(0, Math.floor(leftMs())),
        signal,
        log: ctx.log,
        model: ctx.model,
        ...(listener && { onText: listener.onText }),
      });
  await takeTurn();
  const all = { ...retrieved, warnings: [...retrieved.warnings, ...written.warnings] };
  return {
    ...(isFlat ? assembleFlatResponse(all, written) : assembleResponse(all, written, ctx)),
    ...ctx.plan?.member(),
  };
}

/** Asks a language model for further wordings, if the model of the request sends any; undefined if none are asked for. */
function planSearch(
  { planner, sources, plan }: AiSearchContext,
  { prompt, selected, model, at, ...period }: RetrievalRequest,
  signal: AbortSignal,
): Promise<ModelPlan> | undefined {
  const { planMs, narrower } = MODEL_TIERS[model];
  const accepting = selected.filter((source) =>
    sources.some((each) => each.source === source && !each.unavailable && acceptsWordings(each)),
  );
  if (planner === undefined || planMs === 0 || accepting.length === 0) return undefined;
  const window = period.window ?? computeDateWindow(period.dateFilter, at);
  const request = { prompt, sources: accepting, perSource: narrower, window, at, limitMs: planMs };
  return planner(request, signal).then((planned) => {
    plan?.addModelPlan(planned.report);
    return planned;
  });
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

/** A group for each selected source that has a group, also when the group is empty; then links and completion. */
function assembleResponse(
  { findings, warnings }: RetrievalResult,
  { completion, links, writer }: WrittenCompletion,
  shown: ShownMembers,
): ServedAiResponse {
  const restore = createAddressRestorer(findings);
  const groups: Partial<Record<(typeof RESULT_GROUPS)[GroupedSource], ResultGroup>> = {};
  for (const [source, items] of findings) {
    if (hasResultGroup(source, shown.webGroup))
      groups[RESULT_GROUPS[source]] = { organic_results: toResultItems(items, shown) };
  }
  return {
    ...groups,
    text_chunks: { microblog_summary: splitPieces(completion.microblog_summary) },
    search_completion_links: dedupeByLink([...findings.values()].flat()).map(({ link }) => link),
    completion_links: links.map(restore),
    completion: {
      ...completion,
      ...buildMembers(KEY_LISTS, (list) =>
        completion[list].map(({ text, url }) => ({ text, url: restore(url) })),
      ),
    },
    completion_writer: writer,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

/** Citations in a text are escaped (citable-link.ts); members have the addresses as they were found. */
function createAddressRestorer(findings: Findings): (cited: string) => string {
  const addresses = new Map([...findings.values()].flat().map(({ link }) => [toCitableLink(link), link]));
  return (cited) => addresses.get(cited) ?? cited;
}

type ShownMembers = Pick<AiSearchContext, 'webGroup'>;

function toResultItems(items: readonly FoundItem[], { webGroup }: ShownMembers): ServedResultItem[] {
  return items.map(({ source, title, link, snippet, summaryDescription, publishedAt, periodVouched }) => ({
    title,
    link,
    snippet: cleanLine(snippet),
    summary_description: summaryDescription,
    // Present on preprint and encyclopedia results, absent on the other groups.
    ...((source === 'preprint' || source === 'encyclopedia') && { with_metadata: true }),
    ...(webGroup && publishedAt && { published_date: publishedAt.toISOString() }),
    ...(webGroup && periodVouched === true && { period_vouched: true }),
  }));
}

/** The flat form. */
function assembleFlatResponse(
  { findings, warnings }: RetrievalResult,
  { completion, writer }: WrittenCompletion,
): FlatAiResponse {
  const groups: Partial<Pick<FlatAiResponse, Source>> = {};
  for (const [source, items] of findings) {
    if (source === 'microblog') groups.microblog = items.flatMap(toFlatPosts);
    else groups[source] = items.map(toFlatItem);
  }
  return {
    ...groups,
    text: completion.microblog_summary || null,
    completion: completion.summary || null,
    completion_writer: writer,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
}

function toFlatItems(source: Source, items: readonly FoundItem[]): FlatItem[] | FlatPost[] {
  return source === 'microblog' ? items.flatMap(toFlatPosts) : items.map(toFlatItem);
}

function toFlatItem({ title, link, snippet, publishedAt }: FoundItem): FlatItem {
  const item: FlatItem = { title, link, snippet: cleanLine(snippet) };
  return publishedAt === undefined ? item : { ...item, published_date: publishedAt.toISOString() };
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
