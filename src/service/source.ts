/**
 * What the service asks of a source. A source finds; which tools were selected, time limits, the date
 * filter and the writing of answers are the service's. A new source is one file that makes one of these,
 * and one line in `sources.ts`.
 */
import type { Source } from '../contract/enumerations.ts';
import type { MicroblogPost } from '../contract/post.ts';

/** One thing that a source found. */
export type Found = {
  source: Source;
  title: string;
  link: string;
  /** An excerpt; may be empty. For a post: its text. */
  snippet: string;
  /** May be empty. */
  summaryDescription: string;
  /** When it was published; undefined for an encyclopedia entry, which the date filter does not concern. */
  publishedAt: Date | undefined;
};

/** What is looked for: things published from `from` to `to`, both included. */
export type Query = { prompt: string; from: Date; to: Date; limit: number; signal: AbortSignal };

export type SearchSource = {
  source: Source;
  /** `sandbox`: invented by the simulation; `live`: a public source. Shown by `/healthz/sources`. */
  state: 'sandbox' | 'live';
  /** Best first. Rejects when the source fails or the signal aborts. */
  find(query: Query): Promise<Found[]>;
};

/** A source that can answer operation B too. */
export type PostSource = SearchSource & {
  /** The posts that match a prompt at a time, newest first. */
  posts(query: { prompt: string; at: Date; limit: number; signal: AbortSignal }): Promise<MicroblogPost[]>;
};
