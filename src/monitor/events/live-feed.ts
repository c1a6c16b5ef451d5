/**
 * What is found and which runs end, sent to all listeners of this process from one query a second, however many they are.
 * Discoveries have ids in the order of commits: a listener that names the last one it saw misses none and gets none
 * twice. Runs are sent once, as they end.
 */

import { InvalidInput } from '../../domain/errors.ts';
import { MINUTE, SECOND } from '../../domain/time.ts';
import type { Id } from '../../store/database.ts';
import {
  type DiscoveryRow,
  readDiscoveriesAfter,
  readLastDiscoveryId,
} from '../../store/queries/discoveries.ts';
import { readEndedRuns, readRunsByIds, type RunRow } from '../../store/queries/run-list.ts';
import type { Context } from '../context.ts';
import pLimit from 'p-limit';

export type FeedEvent = { event: 'discovery'; row: DiscoveryRow } | { event: 'run'; row: RunRow };

/** Slugs. */
type FeedFilter = { topic?: string | undefined; search?: string | undefined };

/** Somebody who listens. `T` is an event in their words. */
type Listener<T> = {
  filter: FeedFilter;
  /** What was missed, in order; the next of it is read when this has been taken. */
  replay(events: readonly T[]): Promise<void>;
  /** What is new. */
  tell(events: readonly T[]): void;
};

export type Feed<T> = {
  /**
   * Where a new listener starts: after the id that it names, or after the newest discovery. Ask before the head of the reply is
   * sent: then nothing is missed, however long the feed takes to begin.
   * @throws InvalidInput for an id that no discovery has reached: its listener would wait for ever without knowing
   */
  startOf(after: Id | undefined): Promise<Id>;
  /**
   * Replays what came after an id, then tells what is new.
   * @param from.signal ends it; whoever listens must see to that, also where this throws
   * @returns when everything that was missed has been replayed
   */
  listen(listener: Listener<T>, from: { after: Id; signal: AbortSignal }): Promise<void>;
  /** Looks once, as is done every second while anybody listens. */
  poll(): Promise<void>;
  /** Tells nobody anything more; done when nothing is being read any more. */
  close(): Promise<void>;
};

const POLL_MS = SECOND;
const PAGE_SIZE = 500;
/** Pages of what was missed that are read at a time: a hundred that come back at once leave the pool to others. */
const MAX_CONCURRENT_REPLAYS = 3;

/**
 * @param encode an event as listeners get it; done once, however many listen
 * @param asProgram does what all listeners share, so that it is not counted for the one who came first
 */
export function openFeed<T>(
  ctx: Pick<Context, 'db' | 'clock' | 'log'>,
  encode: (event: FeedEvent) => T,
  asProgram: <R>(work: () => R) => R = (work) => work(),
): Feed<T> {
  /** Whoever came and has not gone: some are still told what they missed. */
  let present = 0;
  /** Each with the last discovery it knows, which may be one that was not looked at here yet. */
  const listeners = new Map<Listener<T>, Id>();
  const limitReplays = pLimit(MAX_CONCURRENT_REPLAYS);
  const endedRuns = watchEndedRuns(ctx);
  /** Everything up to here has been told to those who listen. */
  let cursor = 0n;
  let timer: NodeJS.Timeout | undefined;
  let beginning: Promise<void> | undefined;
  let reading: Promise<void> | undefined;
  let failing = false;

  const readNews = async (): Promise<void> => {
    for (let full = true; full; ) {
      const rows = await readDiscoveriesAfter(ctx.db, { after: cursor, limit: PAGE_SIZE });
      full = rows.length === PAGE_SIZE;
      cursor = rows.at(-1)?.id ?? cursor;
      tell(rows.map((row) => ({ event: 'discovery', row })));
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
    reading ??= readNews().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const pollOnTime = async (): Promise<void> => {
    try {
      await poll();
      failing = false;
    } catch (error) {
      // Nobody is sent away: what they miss is told when the database is back.
      if (!failing && timer !== undefined)
        ctx.log.warn({ err: error }, 'the feed could not be read; it is tried every second');
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
      cursor = await readLastDiscoveryId(ctx.db);
      await endedRuns.begin();
      if (present > 0) pollLater();
    } finally {
      // It failed, or everybody has gone meanwhile: the next one who comes begins again.
      if (timer === undefined) beginning = undefined;
    }
  };
  const leave = (listener: Listener<T>): void => {
    listeners.delete(listener);
    present -= 1;
    // What is still beginning sees by itself that nobody is there.
    if (present > 0 || timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    beginning = undefined;
  };
  const join = async (listener: Listener<T>, after: Id, signal: AbortSignal): Promise<void> => {
    beginning ??= asProgram(begin);
    await beginning;
    for (let at = after; !signal.aborted; ) {
      // Nothing happens between this look and the joining: what comes next is told, what came before was replayed.
      if (at >= cursor) {
        listeners.set(listener, at);
        return;
      }
      const upTo = cursor;
      const page = { ...listener.filter, after: at, upTo, limit: PAGE_SIZE };
      const rows = await limitReplays(() => readDiscoveriesAfter(ctx.db, page));
      at = rows.length < PAGE_SIZE ? upTo : (rows.at(-1)?.id ?? upTo);
      if (rows.length > 0 && !signal.aborted)
        await listener.replay(rows.map((row) => encode({ event: 'discovery', row })));
    }
  };

  return {
    poll,
    startOf: async (after) => {
      if (after !== undefined && after <= cursor) return after;
      if (after === undefined && timer !== undefined) return cursor;
      const last = await asProgram(() => readLastDiscoveryId(ctx.db));
      if (after === undefined || after <= last) return after ?? last;
      const expected = `the id of a discovery; the last one is ${last}`;
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
      await reading?.catch(() => {});
    },
  };
}

function matchesFilter({ row }: FeedEvent, { topic, search }: FeedFilter): boolean {
  return (topic === undefined || row.topic === topic) && (search === undefined || row.search === search);
}

function isNew({ event, row }: FeedEvent, known: Id): boolean {
  return event === 'run' || row.id > known;
}

/**
 * How far back each query looks for ended runs: a run commits some time after its end was read from a clock, which may be
 * that of another machine.
 */
const ENDED_RUNS_WINDOW_MS = 5 * MINUTE;
const MAX_ENDED_RUNS = 10_000;

/** Runs that ended since the last query, each once. */
function watchEndedRuns({ db, clock }: Pick<Context, 'db' | 'clock'>): {
  /** What ended until now is not reported. */
  begin(): Promise<void>;
  next(): Promise<RunRow[]>;
} {
  /** Ids of what was reported and still lies in the window. */
  let reported: ReadonlySet<Id> = new Set();
  const inWindow = () => {
    const after = new Date(clock.now().getTime() - ENDED_RUNS_WINDOW_MS);
    return readEndedRuns(db, { after, limit: MAX_ENDED_RUNS });
  };
  const remember = (ended: readonly { id: Id }[]) => {
    reported = new Set(ended.map(({ id }) => id));
  };
  return {
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
