/**
 * Defines a live source: its properties, its variables, and the {@link Adapter} created from them, which queries one
 * provider and parses its responses. `live-source.ts` adds rate limit, allowance, circuit breaker, cache and time
 * limit.
 */
import type { ReadVariables, Table, Values } from '../../config/variable.ts';
import type { Source } from '../../model/enumerations.ts';
import { SECOND } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { DateAccuracy } from '../../protocol/service-status.ts';
import type { FeedParser } from './feeds/feed-parser.ts';
import type { SourceDown } from './outage.ts';
import type { FoundItem, SourceNotice, SourceQuery } from './search-source.ts';
import type { ProviderRequest, ProviderResponse } from './resilience/http-request.ts';

/** Properties of a source, independent of its configuration. */
type SourceFacts = {
  /** One word, as in `SERVICE_SOURCES`: `hacker-news`. */
  name: string;
  source: Source;
  /** For display: `Hacker News (Algolia search)`. */
  title: string;
  dates: DateAccuracy;
  /** What its operator permits, in a sentence. */
  terms: string;
  /** What `npm run sources:check` searches for: words that find something of any month. */
  sample: string;
  /** What it finds, for the line at the start: `preprints`. */
  brings?: string;
  /** `news`: a web source that knows only news sites, so it cannot search another site for the discussion board. */
  covers?: 'news';
  /** `own`: its variables have its addresses, so `SERVICE_SOURCE_URLS` has none for it. */
  addresses?: 'own';
  /** Rate limit of this process; bursts are allowed, further requests wait or are refused. */
  pace: { perMinute: number; burst: number };
  /** Minimum time between two requests from all machines together, in milliseconds. */
  everyMs?: number;
  /** Whether requests must be sequential; implied by `everyMs`. */
  serial?: boolean;
  /** Time limit in milliseconds, if lower than that of the response. */
  timeoutMs?: number;
  /**
   * `own`: queried with the user's wording only. For sources where a request costs money, an allowance or much of a
   * slow rate limit, or whose search needs no fewer words; all others get several wordings at once.
   */
  wordings?: 'own';
  /** How long to cache a response, in milliseconds, if not the default. */
  ttlMs?: number;
  /** Pause after "too many requests" without a Retry-After. */
  pauseMs?: number;
  /** Its daily allowance, if any. Read for each request, since the day can change. */
  allowance?: {
    /** Whole units per day. */
    most: number;
    /** Name of the unit, for display: `searches`, `micro-dollars`. */
    unit: string;
    /** Time zone in which the day begins at midnight. */
    zone: string;
  };
};

export type Adapter = SourceFacts & {
  /** A minimal request to check that the source responds; only for sources without a key. */
  probe?: (context: AdapterContext) => Promise<void>;
  /** Parts that need attention, in our own words: a feed that is gone. Shown wherever the source is listed. */
  problems?: () => readonly string[];
  /** Starts whatever its first query would otherwise wait for. */
  prepare?: (log: Logger) => Promise<void>;
  /** Ends what it started. */
  close?: () => Promise<void>;
  /** Results, best first; may exceed `limit`, and the window if dates are coarse. @throws SourceDown */
  find(query: SourceQuery, context: AdapterContext): Promise<readonly FoundItem[]>;
};

export type SourceOptions = {
  /** Base URL, if not the default. */
  at: string | undefined;
  /** Version of this program, for operators that require it. */
  version: string;
  /** The parser of documents, which sources share. */
  openParser?: (log: Logger) => FeedParser;
};

export type SourceDefinition = {
  facts: SourceFacts;
  variables: Table;
  /** @returns undefined if a required variable is not set, or its variables turn it off */
  open: (read: ReadVariables, options: SourceOptions) => Adapter | undefined;
};

/** Defines a source; `make` runs only if all required variables are set, and returns undefined if they turn it off. */
export function defineSource<T extends Table>(definition: {
  facts: SourceFacts;
  variables: T;
  make: (values: NonNullable<Values<T>>, options: SourceOptions) => Adapter | undefined;
}): SourceDefinition {
  const { facts, variables, make } = definition;
  const open: SourceDefinition['open'] = (read, options) => {
    const values = read(variables);
    return values === undefined || values === null ? undefined : make(values, options);
  };
  return { facts, variables, open };
}

/** What an adapter uses to send requests. */
export type AdapterContext = {
  /**
   * Sends one request, subject to the rate limit.
   * @param timeoutMs time limit including the wait, if shorter than the query's; whole milliseconds
   * @throws SourceDown; or the signal's reason if the query has ended
   */
  ask: (question: ProviderRequest, timeoutMs?: number) => Promise<ProviderResponse>;
  clock: Clock;
  log: Logger;
  /** The `User-Agent`, for requests that are not sent with `ask`. */
  who: string;
  /** How long the caller still waits, in milliseconds. */
  leftMs: () => number;
  /**
   * Reserves units of the allowance *before* they are used.
   * @throws SourceDown `source_quota` if too few are left, `source_busy` if requests in progress have reserved them
   */
  spend: (units: number) => Promise<void>;
  /** Returns unused units. Never fails. */
  unspend: (units: number) => Promise<void>;
  /** Reports that results are incomplete: the failure of a later page. */
  cutShort: (down: SourceDown) => void;
  /** Pauses the source after this query, as it asked for, in milliseconds. */
  rest: (ms: number) => void;
  /** Reports what is to be said about the results. */
  report: (notice: SourceNotice) => void;
};

const MAX_SIDE_REQUEST_MS = 2 * SECOND;
/** Of the remaining time, so that the results can still be returned. */
const SIDE_REQUEST_SHARE = 1 / 3;

/** The same context for optional side requests: each ends after a third of the remaining time, at most two seconds. */
export function limitSideRequests(context: AdapterContext): AdapterContext {
  const timeoutMs = () => Math.floor(Math.min(MAX_SIDE_REQUEST_MS, context.leftMs() * SIDE_REQUEST_SHARE));
  return { ...context, ask: (question) => context.ask(question, timeoutMs()) };
}
