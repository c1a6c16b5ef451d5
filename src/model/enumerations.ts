/** The enumerations of the specification, in its own names. A dialect maps them to the wire. */

export const MODELS = ['NOVA', 'ORBIT', 'HORIZON'] as const;
export type Model = (typeof MODELS)[number];

/** Each tool, and our short name of its source, which is also stored with links. */
export const SOURCE_BY_TOOL = {
  'Web Search': 'web',
  'News Forum Search': 'news_forum',
  'Discussion Board Search': 'discussion_board',
  'Encyclopedia Search': 'encyclopedia',
  'Video Search': 'video',
  'Microblog Search': 'microblog',
  'Preprint Search': 'preprint',
} as const;
export type Tool = keyof typeof SOURCE_BY_TOOL;
export const TOOLS = Object.keys(SOURCE_BY_TOOL) as [Tool, ...Tool[]]; // Object.keys loses the key type
export type Source = (typeof SOURCE_BY_TOOL)[Tool];
export const SOURCES = Object.values(SOURCE_BY_TOOL) as [Source, ...Source[]]; // Object.values loses that there are some

/** The label of the tool that searches a source. */
export function findTool(source: Source): Tool {
  const tool = TOOLS.find((each) => SOURCE_BY_TOOL[each] === source);
  if (tool === undefined) throw new Error('every source has a tool');
  return tool;
}

/** Date filters with their lengths in days. */
export const DATE_FILTER_DAYS = {
  PAST_24_HOURS: 1,
  PAST_2_DAYS: 2,
  PAST_WEEK: 7,
  PAST_2_WEEKS: 14,
  PAST_MONTH: 30,
  PAST_2_MONTHS: 60,
  PAST_YEAR: 365,
  PAST_2_YEARS: 730,
} as const;
export type DateFilter = keyof typeof DATE_FILTER_DAYS;
export const DATE_FILTERS = Object.keys(DATE_FILTER_DAYS) as [DateFilter, ...DateFilter[]]; // Object.keys loses the key type

/** `ai` is operation A (AI search), `microblog` is operation B (microblog posts search). */
export const OPERATIONS = ['ai', 'microblog'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Time budget of each model in milliseconds, as used in measurements (plus a grace period). */
export const MODEL_BUDGET_MS: Record<Model, number> = { NOVA: 10_000, ORBIT: 30_000, HORIZON: 120_000 };

/** The texts of a completion. The summary comes first: the service numbers links in this order. */
export const CLAIM_ROLES = [
  'summary',
  'microblog_summary',
  'discussion_board_summary',
  'news_forum_summary',
] as const;

/** The key lists of a completion. */
export const KEY_LISTS = ['key_posts', 'key_microblog_posts', 'key_news', 'key_sources'] as const;

/** Why an adaptive interval is what it is. */
export const INTERVAL_REASONS = [
  'learning',
  'rate',
  'truncated',
  'quiet',
  'found',
  'least',
  'most',
  'budget',
] as const;
export type IntervalReason = (typeof INTERVAL_REASONS)[number];

/** States of a search over time, one at a time. */
export const TREND_STATES = ['normal', 'rising', 'falling', 'new_level', 'silent'] as const;
export type TrendState = (typeof TREND_STATES)[number];

/** A member for each name of an enumeration. */
export function buildMembers<Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>; // it loses the names
}
