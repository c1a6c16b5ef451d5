/**
 * Sends new discoveries and ended runs to all listeners of this process, with one query per second for all of them. Ids of
 * discoveries are in commit order: a listener that continues from the last id misses none and gets none twice. Runs are sent
 * once, as they end.
 */

import { InvalidInput } from '../../model/errors.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import type { Id } from '../../store/db/database.ts';
import {
  type DiscoveryFilter,
  type DiscoveryRow,
  readDiscoveriesAfter,
  readLastDiscoveryId,
} from '../../store/queries/discoveries.ts';
import { describeAnswers } from '../../store/queries/described-discoveries.ts';
import { readEndedRuns, readRunsByIds, type RunRow } from '../../store/queries/run-list.ts';
import type { Context } from '../context.ts';
import pLimit from 'p-limit';

export type FeedEvent = { event: 'discovery'; row: DiscoveryRow } | { event: 'run'; row: RunRow };

/** Slugs. */
type FeedFilter = Pick<DiscoveryFilter, 'topic' | 'search' | 'view'>;

/** A listener. `T` is an encoded event. */
type Listener<T> = {
  filter: FeedFilter;
  /** Receives missed events, in order; the next page is read when this resolves. */
  replay(events: readonly T[]): Promise<void>;
  /** Receives live events. */
  tell(events: readonly T[]): void;
};

export type Feed<T> = {
  /**
   * Where a new listener starts: after the id that it names, or after the newest discovery. Call it before the head of the reply
   * is sent, so that nothing is missed however long the feed takes to start.
   * @throws InvalidInput for an id beyond the newest discovery: its listener would wait forever
   */
  startOf(after: Id | undefined): Promise<Id>;
  /**
   * Replays events after an id, then sends live events.
   * @param from.signal ends listening; the caller must abort it, even if this throws
   * @returns when all missed events have been replayed
   */
  listen(listener: Listener<T>, from: { after: Id; signal: AbortSignal }): Promise<void>;
  /** Polls once, as happens every second while there are listeners. */
  poll(): Promise<void>;
  /** Stops sending; resolves when no read is in progress. */
  close(): Promise<void>;
};

const POLL_MS = SECOND;
const PAGE_SIZE = 500;
/** Concurrent replay reads, so that many reconnecting listeners do not exhaust the connection pool. */
const MAX_CONCURRENT_REPLAYS = 3;

/**
 * @param encode encodes an event, once for all listeners
 * @param asProgram runs shared work, so that it does not count for the first listener
 */
export function openFeed<T>(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  encode: (event: FeedEvent) => T,
  asProgram: <R>(work: () => R) => R = (work) => work(),
): Feed<T> {
  /** Number of listeners, including those that are still replaying. */
  let present = 0;
  /** Each with the last discovery it has, which may be newer than the cursor. */
  const listeners = new Map<Listener<T>, Id>();
  const limitReplays = pLimit(MAX_CONCURRENT_REPLAYS);
  const endedRuns = watchEndedRuns(ctx);
  /** Everything up to here has been sent to all listeners. */
  let cursor = 0n;
  let timer: NodeJS.Timeout | undefined;
  let beginning: Promise<void> | undefined;
  let pendingRead: Promise<void> | undefined;
  let failing = false;

  const readNews = async (): Promise<void> => {
    const upTo = await readLastDiscoveryId(ctx.db.pool);
    for (let full = upTo > cursor; full; ) {
      const rows = await readDiscoveriesAfter(ctx.db, { after: cursor, upTo, limit: PAGE_SIZE });
      full = rows.length === PAGE_SIZE;
      cursor = full ? (rows.at(-1)?.id ?? upTo) : upTo;
      const described = await describeAnswers(ctx.db, rows);
      tell(described.map((row) => ({ event: 'discovery', row })));
    }
    tell((await endedRuns.next()).map((row) => ({ event: 'run', row })));
  };
  const tell = (events: readonly FeedEvent[]): void => {
    if (listeners.size === 0) return;
    const encoded = events.map((event) => ({ event, sent: encode(event) }));
    for (const [listener, known] of listeners) {
      const theirs = encoded.filter(
        ({ event }) => matchesFilter(event, listener.filter) && isNew(event, known),
      );
      if (theirs.length > 0) listener.tell(theirs.map(({ sent }) => sent));
    }
  };
  const poll = (): Promise<void> => {
    pendingRead ??= readNews().finally(() => {
      pendingRead = undefined;
    });
    return pendingRead;
  };
  const pollOnTime = async (): Promise<void> => {
    try {
      await poll();
      failing = false;
    } catch (error) {
      // Listeners stay connected and get what they missed when the database is back.
      if (!failing && timer !== undefined) ctx.log.warn({ err: error }, 'feed unavailable; retrying');
      failing = true;
    }
    if (timer !== undefined) pollLater();
  };
  const pollLater = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void pollOnTime(), POLL_MS).unref();
  };
  const begin = async (): Promise<void> => {
    try {
      cursor = await readLastDiscoveryId(ctx.db.pool);
      await endedRuns.begin();
      if (present > 0) pollLater();
    } finally {
      // It failed, or all listeners have left: the next listener starts it again.
      if (timer === undefined) beginning = undefined;
    }
  };
  const leave = (listener: Listener<T>): void => {
    listeners.delete(listener);
    present -= 1;
    // A feed that is still starting checks `present` itself.
    if (present > 0 || timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    beginning = undefined;
  };
  const join = async (listener: Listener<T>, after: Id, signal: AbortSignal): Promise<void> => {
    beginning ??= asProgram(begin);
    await beginning;
    for (let at = after; !signal.aborted; ) {
      // No await between this check and joining: later events are sent live, earlier ones were replayed.
      if (at >= cursor) {
        listeners.set(listener, at);
        return;
      }
      const upTo = cursor;
      const page = { ...listener.filter, after: at, upTo, limit: PAGE_SIZE };
      const rows = await limitReplays(() => readDiscoveriesAfter(ctx.db, page));
      at = rows.length < PAGE_SIZE ? upTo : (rows.at(-1)?.id ?? upTo);
      if (rows.length > 0 && !signal.aborted)
        await listener.replay(
          (await describeAnswers(ctx.db, rows)).map((row) => encode({ event: 'discovery', row })),
        );
    }
  };

  return {
    poll,
    startOf: async (after) => {
      if (after !== undefined && after <= cursor) return after;
      if (after === undefined && timer !== undefined) return cursor;
      const last = await asProgram(() => readLastDiscoveryId(ctx.db.pool));
      if (after === undefined || after <= last) return after ?? last;
      const expected = `the id of an existing discovery; the newest is ${last}`;
      throw new InvalidInput([{ path: 'after', given: String(after), expected }]);
    },
    listen: async (listener, { after, signal }) => {
      signal.throwIfAborted();
      present += 1;
      signal.addEventListener('abort', () => leave(listener), { once: true });
      await join(listener, after, signal);
    },
    close: async () => {
      clearTimeout(timer);
      timer = undefined;
      listeners.clear();
      await pendingRead?.catch(() => {});
    },
  };
}

function matchesFilter({ event, row }: FeedEvent, { topic, search, view }: FeedFilter): boolean {
  if (event === 'discovery' && (row.hidden || (view === 'topic' && !row.first_in_topic))) return false;
  return (topic === undefined || row.topic === topic) && (search === undefined || row.search === search);
}

function isNew({ event, row }: FeedEvent, known: Id): boolean {
  return event === 'run' || row.id > known;
}

/**
 * How far back each query looks for ended runs: a run commits some time after the time of its end, which may come from the clock
 * of another machine.
 */
const ENDED_RUNS_WINDOW_MS = 5 * MINUTE;
const MAX_ENDED_RUNS = 10_000;

/** Runs that ended since the last query, each once. */
function watchEndedRuns({ db, clock }: Pick<Context, 'db' | 'clock'>) {
  /** Ids of reported runs that are still in the window. */
  let reported: ReadonlySet<Id> = new Set();
  const inWindow = () => {
    const after = new Date(clock.now().getTime() - ENDED_RUNS_WINDOW_MS);
    return readEndedRuns(db, { after, limit: MAX_ENDED_RUNS });
  };
  const remember = (ended: readonly { id: Id }[]) => {
    reported = new Set(ended.map(({ id }) => id));
  };
  return {
    /** Skips runs that have already ended. */
    begin: async () => remember(await inWindow()),
    next: async () => {
      const ended = await inWindow();
      const rows = await readRunsByIds(
        db,
        ended.flatMap(({ id }) => (reported.has(id) ? [] : [id])),
      );
      remember(ended);
      return rows;
    },
  };
}
