/** Closed lists of services, searches, runs, and what is derived from them. Stored: only add to them. */

export const SERVICE_KINDS = ['sandbox', 'own', 'hosted'] as const;
/** `sandbox` is simulated, `own` is the search service of this installation, `hosted` is an external one. */
export type ServiceKind = (typeof SERVICE_KINDS)[number];

/** Sensitivity of spike detection. */
export const SENSITIVITIES = ['low', 'normal', 'high', 'off'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** Only active searches are run; a capped one is due again on the next day. */
export const SEARCH_STATES = ['active', 'paused', 'broken', 'capped'] as const;
export type SearchState = (typeof SEARCH_STATES)[number];

/**
 * How a search is doing, worst first, but for those that do not run because a person or a limit says so. The view decides all
 * but `silent` (`monitor/status/search-status.ts`).
 */
export const SEARCH_STATUSES = [
  'broken',
  'failing',
  'silent',
  'nothing_coming',
  'waiting_for_source',
  'capped',
  'waiting',
  'ok',
  'paused',
  'removed',
] as const;
export type SearchStatusName = (typeof SEARCH_STATUSES)[number];

/** What was paused: the search alone, its topic, or all searches. */
export const PAUSE_SCOPES = ['search', 'topic', 'all'] as const;
export type PauseScope = (typeof PAUSE_SCOPES)[number];

export const RUN_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** How the last run of a search ended, where only these two count. */
export const RUN_OUTCOMES = ['succeeded', 'failed'] as const;

/** What created a run: its schedule, a person, or the creation or edit of its search. */
export const RUN_TRIGGERS = ['schedule', 'manual', 'first'] as const;

/** State of a paid call, including trials: `unknown` if its process ended before the response. */
export const CALL_STATES = ['sent', 'received', 'failed', 'unknown'] as const;

export const DISCOVERY_KINDS = ['post', 'link', 'completion', 'spike', 'trend', 'growth', 'name'] as const;

/** Whose name a topic looks for in answers. */
export const NAME_SIDES = ['own', 'rival'] as const;
export type NameSide = (typeof NAME_SIDES)[number];

/** What a name does with the answers of a search. */
export const NAME_CHANGES = ['entered', 'left'] as const;
export type NameChange = (typeof NAME_CHANGES)[number];

/** Of what there is a file with the raw responses that say so; a completion is named by its run. */
export const EVIDENCE_KINDS = ['post', 'link', 'completion', 'spike'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

export const SPIKE_MEASURES = ['posts', 'engagement'] as const;
export type SpikeMeasure = (typeof SPIKE_MEASURES)[number];

/** What alone makes a spike: its loudest author, or copies of one text. */
export const SPIKE_CAUSES = ['author', 'text'] as const;
export type SpikeCause = (typeof SPIKE_CAUSES)[number];

/**
 * What distinguishes the posts of a spike from those before: copies of one text, one author, links to one domain, a hashtag, a
 * word; of one of engagement, the post that gained most; or no single one of these.
 */
export const SPIKE_REASONS = ['text', 'author', 'domain', 'hashtag', 'word', 'post', 'none'] as const;
export type SpikeReason = (typeof SPIKE_REASONS)[number];

/** The same for a state of a search; `service`: other searches of its service fell silent, too. */
export const TREND_REASONS = [...SPIKE_REASONS, 'service'] as const;
export type TrendReason = (typeof TREND_REASONS)[number];

/** Kinds of names that emerge in a topic; `name`: several words with capital letters in a row. */
export const EMERGING_KINDS = ['name', 'word', 'hashtag', 'domain'] as const;
export type EmergingKind = (typeof EMERGING_KINDS)[number];

/** A word, hashtag or domain that is more frequent in the posts of a spike than in those before. */
export type DistinctName = {
  kind: 'word' | 'hashtag' | 'domain';
  name: string;
  /** Number of authors in the window with the name. */
  authors: number;
  /** Their share of all authors in the window, and the share before; 0 to 1. */
  share: number;
  share_before: number;
};

/** What a language model is asked for. */
export const MODEL_PURPOSES = ['plan', 'write', 'check', 'judge', 'brief', 'translate'] as const;

/** What is translated; `claim`: a statement of an answer. */
export const TRANSLATED_KINDS = ['post', 'title', 'snippet', 'claim'] as const;

/** What a brief is about, and what its sentences cite; `claim`: a statement of an answer. */
export const BRIEF_KINDS = ['digest', 'spike', 'topic'] as const;
export const BRIEF_SOURCE_KINDS = ['post', 'link', 'spike', 'claim'] as const;
