/**
 * What the service asks of a source. A source finds; which tools were selected, time limits, the date
 * filter, ranking and the writing of answers are the service's.
 */
import type { Source } from '../../domain/enumerations.ts';
import type { MicroblogPost } from '../../protocol/specification.ts';

/** One thing that a source found. */
export type FoundItem = {
  source: Source;
  title: string;
  link: string;
  /** An excerpt; may be empty. For a post: its text. */
  snippet: string;
  /** May be empty. */
  summaryDescription: string;
  /** When it was published; undefined where its source does not say. */
  publishedAt: Date | undefined;
  /** How many people reacted to it (points, likes, comments); undefined where its source does not count. */
  engagement?: number;
  /** The whole post; only on what a microblog found. A counter that its source does not have is null. */
  post?: MicroblogPost;
};

/** What is looked for: things published from `from` to `to`, both included. */
export type SourceQuery = {
  /** As the user wrote it. */
  prompt: string;
  /** The words of the prompt that say most, best first, in lower case: sources that AND all words get few. */
  keywords: readonly string[];
  /** Undefined: as far back as the source looks by itself; operation B has no date filter. */
  from: Date | undefined;
  to: Date;
  /** The most items that are of use. */
  limit: number;
  /** How long it is waited for from now on, in milliseconds: what cannot be had by then need not be begun. */
  mostMs: number;
  /** Aborts at the source's time limit, or when the client disconnects. */
  signal: AbortSignal;
};

export type SearchSource = {
  /** One word, unique among the sources that answer: `hacker-news`. Stands in logs and `/healthz/sources`. */
  name: string;
  source: Source;
  /** `sandbox`: simulated; `live`: a public source or the archive. */
  state: 'sandbox' | 'live';
  /** `own`: asked once, in the user's own words; when left out, under other wordings of the prompt too. */
  wordings?: 'own';
  /** Set on the placeholder of a tool without sources, which only reports why. */
  silent?: true;
  /**
   * Best first.
   * @throws SourceDown with the reason why nothing can be said; any other error means `source_failed`
   */
  find(query: SourceQuery): Promise<readonly FoundItem[]>;
};
