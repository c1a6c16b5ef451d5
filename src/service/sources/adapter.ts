/**
 * A live source is one file that defines it: what it is, its variables, and the {@link Adapter} that it makes of them:
 * how one provider is asked and how its answer reads. Pace, allowance, circuit breaker, cache and time limit stand around it (`live-source.ts`), the same for all.
 */
import type { ReadVariables, Table, Values } from '../../config/variable.ts';
import type { Source } from '../../domain/enumerations.ts';
import { SECOND } from '../../domain/time.ts';
import type { Clock } from '../../platform/clock.ts';
import type { DateAccuracy } from '../../protocol/service-status.ts';
import type { SourceDown } from './outage.ts';
import type { FoundItem, SourceQuery } from './search-source.ts';
import type { ProviderRequest, ProviderResponse } from './resilience/http-request.ts';

/** What a source is, whatever is set for it. */
type SourceFacts = {
  /** One word: `hacker-news`. What `SERVICE_SOURCES` calls it. */
  name: string;
  source: Source;
  /** For a person: `Hacker News (Algolia search)`. */
  title: string;
  dates: DateAccuracy;
  /** What its operator allows, in a sentence. */
  terms: string;
  /** Requests that its terms allow from this process; a burst is fine, a flood waits or is refused. */
  pace: { perMinute: number; burst: number };
  /** Where all machines together may ask one at a time: the least time between two requests, in milliseconds. */
  everyMs?: number;
  /** Whether its terms want one request after the other; so it is anyway where `everyMs` is set. */
  serial?: boolean;
  /** The longest it is waited for, in milliseconds, where that is less than the answer's own limit. */
  mostMs?: number;
  /**
   * `own`: one answer asks it under the user's own words alone. So where a request costs money, an allowance
   * or a slow pace, and where its search needs no fewer words; otherwise it is asked under several wordings at once.
   */
  wordings?: 'own';
  /** How long an answer may be given again, in milliseconds, where that is not the usual life. */
  lifeMs?: number;
  /** How long it is left alone after it said "too many requests" without saying how long. */
  restMs?: number;
  /** Its daily allowance, where it has one; asked anew for each request, since the day goes by. */
  allowance?: {
    /** Of one day; whole units. */
    most: number;
    /** What a person calls a unit: `searches`, `micro-dollars`. */
    unit: string;
    /** The time zone whose midnight begins a new day. */
    zone: string;
  };
};

export type Adapter = SourceFacts & {
  /** A small question to see whether it answers at all; only for a source that needs no key. */
  probe?: (asking: AdapterContext) => Promise<void>;
  /**
   * Best first; may be more than `limit`, and outside the window where dates are coarse.
   * @throws SourceDown
   */
  find(query: SourceQuery, asking: AdapterContext): Promise<readonly FoundItem[]>;
};

type SourceOptions = {
  /** Another address than its own. */
  at: string | undefined;
  /** Of this program, for operators that want it said. */
  version: string;
};

export type SourceDefinition = {
  facts: SourceFacts;
  variables: Table;
  /** @returns undefined where a variable that it needs is not set */
  open: (read: ReadVariables, options: SourceOptions) => Adapter | undefined;
};

/** A source with its variables; the needed ones are there when it is made. */
export function defineSource<T extends Table>(definition: {
  facts: SourceFacts;
  variables: T;
  make: (values: NonNullable<Values<T>>, options: SourceOptions) => Adapter;
}): SourceDefinition {
  const { facts, variables, make } = definition;
  const open: SourceDefinition['open'] = (read, options) => {
    const values = read(variables);
    return values === undefined || values === null ? undefined : make(values, options);
  };
  return { facts, variables, open };
}

/** What an adapter asks with. */
export type AdapterContext = {
  /**
   * Makes one request in its turn.
   * @param mostMs how long it is waited for, its turn included, where that is less than the time of all; whole
   * @throws SourceDown; or the signal's reason once all of it has ended
   */
  ask: (question: ProviderRequest, mostMs?: number) => Promise<ProviderResponse>;
  clock: Clock;
  /** How long whoever asks still waits, in milliseconds. */
  leftMs: () => number;
  /**
   * Takes units of the source's allowance *before* they are spent.
   * @throws SourceDown `source_quota` when fewer are left, `source_busy` when questions under way hold them
   */
  spend: (units: number) => Promise<void>;
  /** Returns what was taken and not used. Never fails. */
  unspend: (units: number) => Promise<void>;
  /** Reports why less is found than there is: the failure of a later page. */
  cutShort: (down: SourceDown) => void;
};

const MAX_SIDE_REQUEST_MS = 2 * SECOND;
/** Of the time that is left: what was found already must be given within it. */
const SIDE_REQUEST_SHARE = 1 / 3;

/** The same context for side requests, for what stands beside the results and without which nothing is lost: each is given up after a third of what is left, two seconds at most. */
export function limitSideRequests(asking: AdapterContext): AdapterContext {
  const mostMs = () => Math.floor(Math.min(MAX_SIDE_REQUEST_MS, asking.leftMs() * SIDE_REQUEST_SHARE));
  return { ...asking, ask: (question) => asking.ask(question, mostMs()) };
}
