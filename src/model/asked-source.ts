/** Pages that the search service opened for an answer. */
export type OpenedPages = {
  /** Time limit for all of them together, and how long they took, in milliseconds. */
  limit_ms: number;
  ms: number;
  /** The maximum number of pages that are opened for the model of the request. */
  most: number;
  opened: {
    url: string;
    /** Why it was not read, as the end of a sentence about it: `is forbidden by robots.txt`. Null: it was read. */
    why: string | null;
    /** What the page says of itself: ISO 8601 in UTC, a name, a language code; null if it does not say. */
    published_date: string | null;
    author: string | null;
    language: string | null;
  }[];
};

/** A source that the search service asked for an answer. */
export type AskedSource = {
  /** One word: `hacker-news`. */
  source: string;
  /** Label of its tool. */
  tool: string;
  /** Words as they were sent to it; empty if it matches by itself. */
  queries: string[];
  /** `asked`: it has not responded yet. */
  state: 'asked' | 'answered' | 'failed';
  /** Distinct results, before they are ranked and filtered. */
  results: number;
  /** From its first query to the end of its last, in milliseconds; null before. */
  ms: number | null;
  /** Why it failed, as in warnings. */
  code: string | null;
  message: string | null;
};

/** What a language model planned for an answer. */
export type ModelPlanReport = {
  /** How long it took, in milliseconds; 0: the plan of an earlier request of the day. */
  ms: number;
  /** Why its plan was not used, as the end of a sentence about the model. Null: it was used. */
  why: string | null;
  /** The questions that the prompt was divided into; empty if the prompt asks one thing. */
  questions: string[];
  /** `language`: ISO 639-1, null if unknown. `days`: age of results at most; null: as requested. */
  queries: { tool: string; words: string; language: string | null; days: number | null }[];
  /** Queries of the model that were not used: not valid, repeated, or too many. */
  left_out: number;
};
