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
