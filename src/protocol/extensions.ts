/**
 * Our service's additions to the specification (docs/internals/specification-choices.md). Clients of the specification
 * can ignore them. These schemas are strict: what the specification types as a text or a number is never null.
 */
import type { AskedSource, ModelPlanReport, OpenedPages } from '../model/asked-source.ts';
import { SPECIFIED_AUTHOR_COUNTERS, forCounters, POST_COUNTERS } from '../model/counters.ts';
import { z } from 'zod';
import { ownSourceReport } from './own-sources.ts';
import { aiResponseWithWeb, microblogAuthor, microblogPost, resultItem } from './specification.ts';

/** Why part of a response is empty or incomplete; `tool` is the tool's label, or empty if it is about the whole answer. */
export const warning = z.object({ code: z.string(), tool: z.string(), message: z.string() });
export type ServedWarning = z.infer<typeof warning>;

/** Code of the warning that no source of a tool responded, so that its empty list does not mean "no results". */
export const TOOL_UNANSWERED = 'tool_unanswered';

/** Code of the warning that all results of a tool were dropped because of their dates. */
export const OUTSIDE_PERIOD = 'outside_period';

/** Code of the warning that more results of a tool match than are returned, or may match. */
export const LIST_FULL = 'list_full';

/** Code of the warning that matching entries are missing because they could not be read whole. */
export const ENTRIES_LEFT_OUT = 'entries_left_out';

/** Code of the warning that found pages could not be opened, so that the completion knows their excerpts only. */
export const PAGES_UNREAD = 'pages_unread';

/** Code of the warning that a language model should have planned queries and did not. Its tool is empty: it is about the whole answer. */
export const PLANNED_WITHOUT_MODEL = 'planned_without_model';

/** Code of the warning that sentences of a language model were checked by rules and not by a request to it. Its tool is empty. */
export const COMPLETION_UNCHECKED = 'completion_unchecked';

/** Who wrote the completion; `none` if there were no results, or only links were requested. */
export const COMPLETION_WRITERS = ['none', 'extractive', 'model'] as const;

const known = z.int().nonnegative();
/** Counters that are written as 0 because they are unknown; missing if all are known. */
export const unknownCounters = z.array(z.string()).min(1).optional();

const servedAuthor = microblogAuthor.extend({
  url: z.string(),
  created_at: z.string(),
  description: z.string(),
  ...forCounters(SPECIFIED_AUTHOR_COUNTERS, () => known),
  profile_image_url: z.string(),
  verified: z.boolean(),
  is_blue_verified: z.boolean(),
  can_dm: z.boolean(),
  can_media_tag: z.boolean(),
  location: z.string(),
  unknown_counters: unknownCounters,
});
export type ServedAuthor = z.infer<typeof servedAuthor>;

/** An older post that was added to the newest ones because it is popular now: posts between them may be missing. */
export const popularMark = z.literal(true).optional();

export const servedPost = microblogPost.extend({
  user: servedAuthor,
  ...forCounters(POST_COUNTERS, () => known),
  url: z.string(),
  lang: z.string(),
  conversation_id: z.string(),
  unknown_counters: unknownCounters,
  popular: popularMark,
});
export type ServedPost = z.infer<typeof servedPost>;

const warnings = z.array(warning).min(1).optional();

/** What became of a source of a request, see {@link AskedSource}. */
const askedSource: z.ZodType<AskedSource> = z.object({
  source: z.string(),
  tool: z.string(),
  queries: z.array(z.string()),
  state: z.enum(['asked', 'answered', 'failed']),
  results: z.int().nonnegative(),
  ms: z.int().nonnegative().nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
});

/** See {@link OpenedPages}. */
const openedPages: z.ZodType<OpenedPages> = z.object({
  limit_ms: z.int().nonnegative(),
  ms: z.int().nonnegative(),
  most: z.int().nonnegative(),
  opened: z.array(
    z.object({
      url: z.string(),
      why: z.string().nullable(),
      published_date: z.string().nullable(),
      author: z.string().nullable(),
      language: z.string().nullable(),
    }),
  ),
});

/** See {@link ModelPlanReport}. */
const modelPlan: z.ZodType<ModelPlanReport> = z.object({
  ms: z.int().nonnegative(),
  why: z.string().nullable(),
  questions: z.array(z.string()),
  queries: z.array(
    z.object({
      tool: z.string(),
      words: z.string(),
      language: z.string().nullable(),
      days: z.int().nullable(),
    }),
  ),
  left_out: z.int().nonnegative(),
});

/**
 * How an answer was found. Only for requests with the header {@link PLAN_HEADER}. Without `pages`, none was opened: the model
 * opens none, or there was none to open. Without `by_model`, no language model was asked to plan.
 */
export const searchPlan = z
  .object({
    sources: z.array(askedSource),
    pages: openedPages.optional(),
    by_model: modelPlan.optional(),
  })
  .optional();

/** Asks for the plan of an answer: `true`. */
export const PLAN_HEADER = 'x-plan';

const servedResultItem = resultItem.extend({
  /** ISO 8601 in UTC; absent if unknown. */
  published_date: z.string().optional(),
  /** For web results without a date: their source searched only the requested period. */
  period_vouched: z.literal(true).optional(),
});
export type ServedResultItem = z.infer<typeof servedResultItem>;
const servedGroup = z.object({ organic_results: z.array(servedResultItem) }).optional();

export const servedAiResponse = aiResponseWithWeb.extend({
  video_search_results: servedGroup,
  news_forum_search_results: servedGroup,
  discussion_board_search_results: servedGroup,
  preprint_search_results: servedGroup,
  encyclopedia_search_results: servedGroup,
  web_search_results: servedGroup,
  completion_writer: z.enum(COMPLETION_WRITERS),
  warnings,
  plan: searchPlan,
  /** Present if the request names sources of its own. */
  own_sources: z.array(ownSourceReport).optional(),
});
export type ServedAiResponse = z.infer<typeof servedAiResponse>;

export const servedMicroblogResponse = z.object({
  miner_microblog_posts: z.array(servedPost),
  warnings,
  plan: searchPlan,
});
export type ServedMicroblogResponse = z.infer<typeof servedMicroblogResponse>;
