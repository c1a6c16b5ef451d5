/**
 * The interface of a source. Sources only find; tool selection, time limits, date filters, ranking and writing belong
 * to the service.
 */
import type { Source } from '../../model/enumerations.ts';
import type { ENTRIES_LEFT_OUT, LIST_FULL } from '../../protocol/extensions.ts';
import type { MicroblogPost } from '../../protocol/specification.ts';

/** A result of a source. */
export type FoundItem = {
  source: Source;
  title: string;
  link: string;
  /** An excerpt, possibly empty; for a post, its text. */
  snippet: string;
  /** What its page says about the prompt, in the order of the page; set when the page was opened. */
  passages?: readonly string[];
  /** May be empty. */
  summaryDescription: string;
  /** Publication time; undefined if the source does not provide it. */
  publishedAt: Date | undefined;
  /** Has no publication time, but its source searched the query's period only, and so vouches that it belongs there. */
  periodVouched?: true;
  /** It is a question of somebody else, of which the text says nothing else: no answer. */
  asks?: true;
  /** Place in the list of its tool by relevance alone, from 1; set by ranking. Equal ones share a place. */
  place?: number;
  /** Number of reactions (points, likes, comments); undefined if the source does not provide it. */
  engagement?: number;
  /**
   * Added to the newest posts because it is popular now, within the limit. Others that were published since may be missing.
   */
  popular?: true;
  /** The full post, for microblogs only. Counters that the source lacks are null. */
  post?: MicroblogPost;
  /** The whole post that `post` quotes, if the source returns it. */
  quoted?: MicroblogPost;
};

/** Hosts to which web results are limited, and hosts without which they are returned; subdomains included. */
export type DomainFilter = { include: readonly string[]; exclude: readonly string[] };

/** A query for items published from `from` to `to`, inclusive. */
export type SourceQuery = {
  /** As the user wrote it. */
  prompt: string;
  /** The most significant words, names and pairs of neighbors, best first, in lower case: sources that require every word get only a few. */
  keywords: readonly string[];
  /** Those of the keywords that must be found as they are, such as names of several words. Default: all of several words. */
  phrases?: readonly string[] | undefined;
  /** Of the prompt, ISO 639-1; null if its words do not tell. */
  language?: string | null | undefined;
  /** Undefined: the source's default; operation B has no date filter. */
  from: Date | undefined;
  to: Date;
  /** Maximum number of useful items. */
  limit: number;
  /** For web pages only. Results are filtered by the service as well. */
  domains?: DomainFilter | undefined;
  /** Time limit in milliseconds: work that would take longer need not be started. */
  timeoutMs: number;
  /** Aborts at the source's time limit, or when the client disconnects. */
  signal: AbortSignal;
  /** Receives what is to be said about the results, also if they come from a cache. */
  report?: ((notice: SourceNotice) => void) | undefined;
  /** Receives the words that are sent to the provider, also if the results come from a cache. */
  sent?: ((words: string) => void) | undefined;
};

/**
 * What is to be said about results: `list_full`, more may match than the source returned; `entries_left_out`, some that
 * match are missing. The message is in our own words, and a sentence with the name of the source before it.
 */
export type SourceNotice = { code: typeof LIST_FULL | typeof ENTRIES_LEFT_OUT; message: string };

export type SearchSource = {
  /** One word, unique among the active sources: `hacker-news`. Used in logs and `/healthz/sources`. */
  name: string;
  source: Source;
  /** `sandbox`: simulated; `live`: a public source or the archive. */
  state: 'sandbox' | 'live';
  /** `own`: queried once, with the user's wording; by default also with other wordings of the prompt. */
  wordings?: 'own';
  /** Set on the placeholder of a tool without sources, which only reports why. */
  unavailable?: true;
  /** Results, best first. @throws SourceDown with the reason; any other error means `source_failed` */
  find(query: SourceQuery): Promise<readonly FoundItem[]>;
};
