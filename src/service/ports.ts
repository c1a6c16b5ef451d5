/**
 * What the service needs from the program that runs it. It knows no database: who composes the program fills
 * these ports, and asks the service below one of the paths at the end.
 */

import type { Source } from '../model/enumerations.ts';
import type { PageText } from './sources/pages/page-orders.ts';
import type { FoundItem } from './sources/search-source.ts';

/** Counts what is taken of an allowance in a period, over every process that uses the same key. */
export type Allowances = {
  /** Takes units; false, and nothing is taken, where fewer than that are left. */
  take(allowance: Allowance, units: number): Promise<boolean>;
  /** Returns what was taken and not used. */
  refund(allowance: Allowance, units: number): Promise<void>;
  used(allowance: Allowance): Promise<number>;
};

/** `most` units (calls, or micro-dollars: whole numbers) of one source in one period such as `2026-11-21`. */
export type Allowance = { source: string; period: string; most: number };

/** Who may ask next, where a source allows one request at a time from all machines together. */
export type RequestPacing = {
  /**
   * Reserves the next turn, at least `everyMs` after the one before, and says in how many milliseconds it
   * is; undefined, and nothing is reserved, where that is more than `maxWaitMs`. By one clock for all machines.
   */
  next(source: string, everyMs: number, maxWaitMs: number): Promise<number | undefined>;
};

/** What the monitor has collected, searched as a source of its own. */
export type Archive = {
  /**
   * Best first, and besides the most relevant as many of the newest. Posts and links of real services only: nothing of the
   * sandbox is in it.
   * @param query.newestWith words of which the newest must have all: the first list of which any has all
   * @param query.onFull called if more may match than are returned
   */
  find(query: {
    prompt: string;
    newestWith: readonly (readonly string[])[];
    onFull: () => void;
    source: Source;
    from: Date | undefined;
    to: Date;
    limit: number;
    signal: AbortSignal;
  }): Promise<readonly FoundItem[]>;
};

/** A page that was read. */
export type CachedPage = {
  page: PageText;
  /** Headers of the next request, by which an unchanged page is not sent again: `if-none-match`, `if-modified-since`. */
  validators: Readonly<Record<string, string>>;
  /** Until then, it is not asked for again. */
  freshUntil: Date;
};

/** Pages that were read, by address. What is missing is fetched, so it may forget any of them. */
export type PageCache = {
  read(address: string): Promise<CachedPage | undefined>;
  write(address: string, page: CachedPage): Promise<void>;
};

export type ServicePorts = {
  allowances: Allowances;
  turns: RequestPacing;
  archive: Archive;
  /** Left out: pages are kept in memory. */
  pages?: PageCache;
};

/** Below this path the simulation answers, whatever sources are configured. */
export const SANDBOX_PATH = '/sandbox';
/** Base path of the configured live sources, never simulated. */
export const LIVE_PATH = '/live';
