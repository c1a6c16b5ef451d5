/** What a search service reports of itself: how its sources are, and what it was asked. */
import type { Source } from '../domain/enumerations.ts';

/**
 * How a source treats a window of time. `exact`: asked for the window and answers with times; `coarse`: asked for a wider
 * one, or not all it finds has a time; `none`: undated.
 */
export type DateAccuracy = 'exact' | 'coarse' | 'none';

/** Why a source gave nothing. The code stands in `warnings` and in the log; it is only ever added to. */
export type OutageCode =
  | 'source_off'
  | 'source_needs_key'
  | 'source_quota'
  | 'source_busy'
  | 'source_resting'
  | 'source_timeout'
  | 'source_refused'
  | 'source_failed';

/** One source that there is, whether it is asked or not. */
export type SourceStatement = {
  name: string;
  source: Source;
  /** For a person; its name where it cannot be made. */
  title: string;
  state: 'on' | 'off';
  /** Why it is off: `needs BRAVE_API_KEY`. */
  reason: string | undefined;
  dates: DateAccuracy | undefined;
  /** What its operator allows. */
  terms: string | undefined;
};

/** How a live source has been since this process began. */
export type LiveHealth = {
  openUntil: Date | undefined;
  /** `used` is undefined where it cannot be counted now. */
  allowance: { used: number | undefined; most: number; unit: string; period: string } | undefined;
  lastSuccess: Date | undefined;
  /** `reason` is ours. */
  lastFailure: { at: Date; code: OutageCode; reason: string } | undefined;
};

/** A source and how it has been; `live` is there for those that are asked. */
export type SourceHealth = SourceStatement & { live: LiveHealth | undefined };

/** A request of an operation that was answered or refused. */
export type ServedRequest = {
  operation: 'ai' | 'microblog';
  /** What answered: the sources of the root, the live ones, or the simulation. */
  mount: 'root' | 'live' | 'sandbox';
  status: number;
  /** From the request to the end of its answer. */
  seconds: number;
};
