/** Status of a search service: the health of its sources, and its requests. */
import type { Source } from '../model/enumerations.ts';
import type { OutageCode } from '../model/tool-coverage.ts';

/**
 * How a source handles a time window. `exact`: supports windows and returns times; `coarse`: supports only wider
 * windows, or does not return all times; `none`: undated.
 */
export type DateAccuracy = 'exact' | 'coarse' | 'none';

/** An available source, enabled or not. */
export type SourceStatement = {
  name: string;
  source: Source;
  /** For display; its name if it cannot be created. */
  title: string;
  state: 'on' | 'off';
  /** Why it is disabled: `needs BRAVE_API_KEY`. */
  reason: string | undefined;
  dates: DateAccuracy | undefined;
  /** What its operator permits. */
  terms: string | undefined;
};

/** The health of a live source since this process started. */
export type LiveHealth = {
  openUntil: Date | undefined;
  /** `used` is undefined if the counter is unavailable. */
  allowance: { used: number | undefined; most: number; unit: string; period: string } | undefined;
  lastSuccess: Date | undefined;
  /** `reason` contains only our own text. */
  lastFailure: { at: Date; code: OutageCode; reason: string } | undefined;
  /** Parts that need attention, such as a feed that is gone, in our own words. */
  problems: readonly string[];
};

/** A source and its health; `live` only for enabled sources. */
export type SourceHealth = SourceStatement & { live: LiveHealth | undefined };

/** A request to an operation, answered or rejected. */
export type ServedRequest = {
  operation: 'ai' | 'microblog';
  /** What handled it: the sources of the root, the live ones, or the simulation. */
  mount: 'root' | 'live' | 'sandbox';
  status: number;
  /** From the request to the end of the response. */
  seconds: number;
};
