/**
 * A live source: an adapter wrapped, from outside in, by a cache, request coalescing, a circuit breaker, a time limit, and
 * per request a rate limit and an allowance.
 */
import type { Agent } from 'undici';
import { DAY, MINUTE } from '../../lib/time.ts';
import { awaitUnlessAborted, buildCacheTime, type Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { LiveHealth } from '../../protocol/service-status.ts';
import { isTimeout, SourceDown } from './outage.ts';
import { MODEL_TIERS } from '../planning/model-tiers.ts';
import type { ServicePorts } from '../ports.ts';
import { endsNow } from './provider-query.ts';
import type { FoundItem, SourceNotice, SourceQuery, SearchSource } from './search-source.ts';
import type { Adapter, AdapterContext } from './adapter.ts';
import { listSentWords } from './sent-words.ts';
import {
  createRequestPace,
  findCurrentAllowance,
  type WaitFunction,
  waitUnlessAborted,
} from './resilience/source-limits.ts';
import {
  type BoundedRequests,
  createBoundedRequests,
  createTimeoutOutage,
} from './resilience/bounded-requests.ts';
import { createCircuitBreaker, type BreakerPass } from './resilience/circuit-breaker.ts';
import { createCoalescedRequests, type StartedRequest } from './resilience/coalescing.ts';
import { LRUCache } from 'lru-cache';

/** The longest source time limit of any model. */
const MAX_SOURCE_MS = MODEL_TIERS.HORIZON.sourceMs;
/** Pause after "too many requests" without a Retry-After. */
const SOURCE_REST_MS = MINUTE;
const FRESH_RESULT_TTL_MS = MINUTE;
const RESULT_TTL_MS = 10 * MINUTE;
/** Cached responses per source, and their total characters, usually about ten thousand each. */
const MAX_CACHED = { max: 200, maxSize: 10_000_000 };

/** Results as they are cached, with what is to be said about them. */
type Reply = {
  items: readonly FoundItem[];
  notices: readonly SourceNotice[];
  /** Words that were sent for them. */
  sent: readonly string[];
};

/** Overhead per item and per list. */
const ITEM_WEIGHT = 500;

function weighItems(items: readonly FoundItem[]): number {
  return items.reduce(
    (sum, { title, link, snippet, post }) =>
      sum + title.length + link.length + snippet.length + (post?.text.length ?? 0) + ITEM_WEIGHT,
    ITEM_WEIGHT,
  );
}

export type LiveSource = SearchSource & {
  adapter: Adapter;
  /**
   * Sends its probe request.
   * @returns false if it has none, because it needs a key
   * @throws SourceDown
   */
  probe(signal: AbortSignal): Promise<boolean>;
  health(): Promise<LiveHealth>;
};

export type LiveOptions = {
  clock: Clock;
  log: Logger;
  ports: Pick<ServicePorts, 'allowances' | 'turns'>;
  /** The `User-Agent`. */
  who: string;
  agent: Agent;
  wait?: WaitFunction;
};

/** Wraps an adapter with cache, breaker and limits. */
export function createLiveSource(adapter: Adapter, options: LiveOptions): LiveSource {
  const { clock, log, ports } = options;
  const pace = createRequestPace(adapter, {
    clock,
    turns: ports.turns,
    wait: options.wait ?? waitUnlessAborted,
  });
  const breaker = createCircuitBreaker(clock);
  const cache = new LRUCache<string, Reply>({
    ...MAX_CACHED,
    sizeCalculation: ({ items }) => weighItems(items),
    ttl: RESULT_TTL_MS,
    ...buildCacheTime(clock),
  });
  const joinRequest = createCoalescedRequests<Reply>();
  const timeoutMs = Math.min(adapter.timeoutMs ?? MAX_SOURCE_MS, MAX_SOURCE_MS);
  const heldUnits = { units: 0 };
  let lastSuccess: Date | undefined;
  let lastFailure: LiveHealth['lastFailure'];

  /**
   * Sends a query within its time limit and records the outcome.
   * @param caller.until when the caller stops waiting, in milliseconds since 1970
   */
  function attempt<T>(
    caller: { signal: AbortSignal; until: () => number },
    work: (context: AdapterContext, signal: AbortSignal) => Promise<T>,
  ): StartedRequest<T> & Pick<BoundedRequests, 'shortness' | 'notices'> {
    const limit = new AbortController();
    const signal = AbortSignal.any([caller.signal, limit.signal]);
    const own = clock.now().getTime() + timeoutMs;
    const leftMs = () => Math.max(0, Math.min(own, caller.until()) - clock.now().getTime());
    const within = createBoundedRequests(signal, adapter, { ...options, pace, leftMs, held: heldUnits });
    const { context, isWaiting, shortness, notices } = within;
    const run = async () => {
      const pass = breaker.enter();
      const timer = setTimeout(() => limit.abort(new SourceDown('source_timeout')), timeoutMs);
      try {
        // Enforces the time limit, whatever the adapter is waiting for.
        const result = await awaitUnlessAborted(signal, work(context, signal));
        lastSuccess = clock.now();
        const short = shortness();
        if (short !== undefined)
          log.warn(
            { source: adapter.name, code: short.code, why: short.message },
            'source returned partial results',
          );
        if (within.restMs() > 0) pass.rest(within.restMs(), 'source_busy');
        else if (short === undefined || !isObeyed(pass, short)) pass.succeeded();
        return result;
      } catch (error) {
        if (signal.aborted && !isTimeout(signal)) {
          pass.dropped();
          throw error;
        }
        const down = signal.aborted ? createTimeoutOutage(isWaiting()) : toSourceDown(error);
        if (!isObeyed(pass, down)) {
          if (down.unasked || !FAILURE_CODES.has(down.code)) pass.dropped();
          else pass.failed();
        }
        throw down;
      } finally {
        clearTimeout(timer);
        within.settle();
      }
    };
    return { result: run(), isWaiting, shortness, notices };
  }

  /** Records a failure, and pauses the source if it asks for that. */
  function isObeyed(pass: BreakerPass, down: SourceDown): boolean {
    lastFailure = { at: clock.now(), code: down.code, reason: down.message };
    const pauseMs = down.unasked ? undefined : chooseRestMs(down);
    if (pauseMs === undefined) return false;
    pass.rest(pauseMs, down.code === 'source_failed' ? 'source_resting' : down.code);
    log.info({ source: adapter.name, code: down.code, pauseMs }, 'source paused');
    return true;
  }

  function chooseRestMs({ code, retryAfterMs }: SourceDown): number | undefined {
    // A Retry-After of zero is no information.
    const pauseMs = retryAfterMs === 0 ? undefined : retryAfterMs;
    return code === 'source_busy' ? (pauseMs ?? adapter.pauseMs ?? SOURCE_REST_MS) : pauseMs;
  }

  function toSourceDown(error: unknown): SourceDown {
    if (error instanceof SourceDown) return error;
    // A bug. Log only where it happened, since its message may quote outside text.
    const { name, stack = '' } = error instanceof Error ? error : new Error();
    const at = stack.split('\n').filter((line) => /^\s+at /.test(line));
    log.error({ source: adapter.name, error: name, at }, 'source adapter failed');
    return new SourceDown('source_failed', { detail: 'unreadable response' });
  }

  /** Caches results; incomplete ones only briefly. */
  function remember(name: string, query: SourceQuery, reply: Reply, isShort: boolean) {
    const ttl = isShort ? FRESH_RESULT_TTL_MS : (adapter.ttlMs ?? chooseResultTtl(query));
    cache.set(name, reply, { ttl });
    return reply;
  }

  function deliver(
    { items, notices, sent }: Reply,
    { report, sent: onSent }: SourceQuery,
  ): readonly FoundItem[] {
    for (const notice of notices) report?.(notice);
    for (const words of sent) onSent?.(words);
    return items;
  }

  return {
    adapter,
    name: adapter.name,
    source: adapter.source,
    state: 'live',
    ...(adapter.wordings && { wordings: adapter.wordings }),

    async find(query) {
      query.signal.throwIfAborted();
      const name = createQueryKey(query, clock.now());
      const known = cache.get(name);
      if (known !== undefined) return deliver(known, query);
      const request = joinRequest(name, clock.now().getTime() + query.timeoutMs, (joinedSignal, until) => {
        const sent = new Set<string>();
        const attempted = attempt({ signal: joinedSignal, until }, (context, signal) =>
          adapter.find({ ...query, signal }, noteSentWords(context, query, sent)),
        );
        const result = attempted.result.then((items) =>
          remember(
            name,
            query,
            { items, notices: attempted.notices, sent: [...sent] },
            attempted.shortness() !== undefined,
          ),
        );
        return { ...attempted, result };
      });
      try {
        return deliver(await request.wait(query.signal), query);
      } catch (error) {
        if (query.signal.aborted && isTimeout(query.signal)) throw createTimeoutOutage(request.isWaiting());
        throw error;
      }
    },

    async probe(signal) {
      const { probe } = adapter;
      if (probe === undefined) return false;
      await attempt({ signal, until: () => Number.POSITIVE_INFINITY }, (context) => probe(context)).result;
      return true;
    },

    async health() {
      const today = findCurrentAllowance(adapter, clock);
      const used = today && (await ports.allowances.used(today).catch(() => undefined));
      return {
        openUntil: breaker.openUntil(),
        allowance: today && {
          used,
          most: today.most,
          unit: adapter.allowance?.unit ?? '',
          period: today.period,
        },
        lastSuccess,
        lastFailure,
        problems: adapter.problems?.() ?? [],
      };
    },
  };
}

/** Failures that count against a source's health. */
const FAILURE_CODES: ReadonlySet<string> = new Set<SourceDown['code']>([
  'source_failed',
  'source_refused',
  'source_timeout',
]);

/** The same context, which also collects the words that are sent. */
function noteSentWords(context: AdapterContext, query: SourceQuery, sent: Set<string>): AdapterContext {
  const { sent: onSent } = query;
  return {
    ...context,
    ask(question, timeoutMs) {
      for (const words of listSentWords(question, query)) {
        sent.add(words);
        // At once: a source that fails was asked, too.
        onSent?.(words);
      }
      return context.ask(question, timeoutMs);
    },
  };
}

/** Cache key of a query, independent of case, spaces, and for a window that ends now also of the time. */
function createQueryKey(
  { prompt, keywords, language, from, to, limit, domains }: SourceQuery,
  now: Date,
): string {
  const words = prompt.normalize('NFKC').toLowerCase().trim().replace(/\s+/gu, ' ');
  const days = from && (to.getTime() - from.getTime()) / DAY;
  const end = endsNow(to, now) ? undefined : to.getTime();
  return JSON.stringify([words, keywords, language, days, end, limit, domains]);
}

/** Caches queries for recent results for a shorter time; no start date means recent. */
function chooseResultTtl({ from, to }: SourceQuery): number {
  return from === undefined || to.getTime() - from.getTime() <= DAY ? FRESH_RESULT_TTL_MS : RESULT_TTL_MS;
}
