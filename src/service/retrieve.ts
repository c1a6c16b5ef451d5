/** From a request to what its sources found: in parallel, each within a time limit, within the dates asked. */
import {
  DATE_FILTER_DAYS,
  type DateFilter,
  type Model,
  MODEL_BUDGET_MS,
  type Source,
} from '../contract/enumerations.ts';
import { DAY } from '../engine/clock.ts';
import type { Logger } from '../engine/logger.ts';
import { distinctByLink } from './link.ts';
import { keywordsOf } from './rank/keywords.ts';
import type { Found, Query, SearchSource } from './source.ts';

/** How many items each source may give, by model. */
const LIMITS: Record<Model, number> = { NOVA: 10, ORBIT: 20, HORIZON: 40 };
/** A source may take this share of the model's budget, and never more than this many milliseconds. */
const SOURCE_SHARE = 0.6;
const SOURCE_MOST_MS: Record<Model, number> = { NOVA: 8_000, ORBIT: 12_000, HORIZON: 25_000 };

export type Retrieval = {
  prompt: string;
  selected: readonly Source[];
  model: Model;
  dateFilter: DateFilter;
  /** The instant of the answer; the end of its window. */
  at: Date;
};

/** What was found by source, one entry for each selected one; a source that failed found nothing. */
export type Findings = ReadonlyMap<Source, readonly Found[]>;

/** The dates that a filter allows, both ends included. */
export function windowOf(filter: DateFilter, at: Date): { from: Date; to: Date } {
  return { from: new Date(at.getTime() - DATE_FILTER_DAYS[filter] * DAY), to: at };
}

/** @param ready told of each source as it ends, in the order in which they end */
export async function retrieve(
  { sources, log }: { sources: readonly SearchSource[]; log: Logger },
  asked: Retrieval,
  signal: AbortSignal,
  ready: (source: Source, found: readonly Found[]) => void = () => {},
): Promise<Findings> {
  const limitMs = Math.min(SOURCE_SHARE * MODEL_BUDGET_MS[asked.model], SOURCE_MOST_MS[asked.model]);
  const window = windowOf(asked.dateFilter, asked.at);
  const query = {
    prompt: asked.prompt,
    keywords: keywordsOf(asked.prompt),
    ...window,
    limit: LIMITS[asked.model],
  };
  const findings = await Promise.all(
    asked.selected.map(async (source) => {
      const asking = sources.filter((one) => one.source === source);
      const found = await Promise.all(asking.map((one) => findWithin(one, query, limitMs, signal, log)));
      const kept = distinctByLink(
        found.flat().filter((item) => isShown(item) && isWithin(item, window)),
      ).slice(0, query.limit);
      ready(source, kept);
      return [source, kept] as const;
    }),
  );
  signal.throwIfAborted();
  return new Map(findings);
}

/** Asks one source. Its failure costs its own items, never the answer. */
async function findWithin(
  source: SearchSource,
  query: Omit<Query, 'signal'>,
  limitMs: number,
  client: AbortSignal,
  log: Logger,
): Promise<readonly Found[]> {
  const signal = AbortSignal.any([client, AbortSignal.timeout(limitMs)]);
  try {
    return await Promise.race([source.find({ ...query, signal }), untilAborted(signal)]);
  } catch (err) {
    if (!client.aborted) log.warn({ err, source: source.source, state: source.state }, 'a source failed');
    return [];
  }
}

/** A repost is left out: what it repeats is found by itself. */
function isShown({ link, post }: Found): boolean {
  return link !== '' && post?.is_repost !== true;
}

/** Every item's own time decides, whatever its source was asked; entries without a time are exempt. */
function isWithin({ publishedAt }: Found, { from, to }: { from: Date; to: Date }): boolean {
  return publishedAt === undefined || (publishedAt >= from && publishedAt <= to);
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
