/** From a request to what its sources found: in parallel, each within a time limit, within the dates asked. */
import { DATE_FILTER_DAYS, type DateFilter, type Model, type Source } from '../contract/enumerations.ts';
import type { ServedWarning } from '../contract/extras.ts';
import { DAY } from '../engine/clock.ts';
import type { Logger } from '../engine/logger.ts';
import { citableOf } from './citable.ts';
import { gather, type Gathering, takesWordings, warningsOf } from './gather.ts';
import { rank } from './rank/rank.ts';
import type { Found, SearchSource } from './source.ts';
import { TIERS, TOO_LITTLE } from './tiers.ts';
import { type Wordings, wordingsOf } from './wordings.ts';

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
export type Retrieved = { findings: Findings; warnings: readonly ServedWarning[] };

/** The dates that a filter allows, both ends included. */
export function windowOf(filter: DateFilter, at: Date): { from: Date; to: Date } {
  return { from: new Date(at.getTime() - DATE_FILTER_DAYS[filter] * DAY), to: at };
}

/**
 * @param ready told of each source as it ends, in the order in which they end
 * @throws the signal's reason once the client is gone; a source that fails is a warning
 */
export async function retrieve(
  { sources, log }: { sources: readonly SearchSource[]; log: Logger },
  asked: Retrieval,
  signal: AbortSignal,
  ready: (source: Source, found: readonly Found[]) => void = () => {},
): Promise<Retrieved> {
  const tier = TIERS[asked.model];
  const gathering = { sources, log, tier, signal };
  const wordings = wordingsOf(asked.prompt);
  const ended = await Promise.all(
    asked.selected.map(async (source) => {
      const { found, warnings } = await findOf(source, asked, wordings, gathering);
      ready(source, found);
      return { source, found, warnings };
    }),
  );
  signal.throwIfAborted();
  return {
    findings: new Map(ended.map(({ source, found }) => [source, found])),
    warnings: ended.flatMap(({ warnings }) => warnings),
  };
}

/** What one tool found, best first; a second round follows where its model has one and the first found little. */
async function findOf(
  source: Source,
  asked: Retrieval,
  { own, narrower, single }: Wordings,
  gathering: Gathering,
): Promise<{ found: Found[]; warnings: ServedWarning[] }> {
  const { tier } = gathering;
  const window = windowOf(asked.dateFilter, asked.at);
  const query = { ...window, limit: tier.items };
  const keep = (item: Found) =>
    isShown(item) && (source === 'encyclopedia' || isWithin(item, window, asked.dateFilter));
  const ranked = (lists: readonly (readonly Found[])[]) =>
    rank(
      lists.map((list) => list.filter(keep).flatMap(citableOf)),
      { prompt: asked.prompt, keywords: own.keywords, ...query },
    );

  const first = await gather(gathering, source, [own, ...narrower.slice(0, tier.narrower)], query);
  const found = ranked(first.lists);
  const further = single.slice(0, tier.again);
  const again = first.answering.filter(takesWordings);
  if (found.length >= TOO_LITTLE * tier.items || further.length === 0 || again.length === 0) {
    return { found, warnings: warningsOf(first, source) };
  }
  const second = await gather({ ...gathering, sources: again }, source, further, query);
  return {
    found: ranked([...first.lists, ...second.lists]),
    warnings: [...warningsOf(first, source), ...second.warnings],
  };
}

/** A repost is left out: what it repeats is found by itself. */
function isShown({ post }: Found): boolean {
  return post?.is_repost !== true;
}

/** The longest window, in days, in which something without a time has no place. */
const UNDATED_BEYOND_DAYS = DATE_FILTER_DAYS.PAST_MONTH;

/** Every item's own time decides, whatever its source was asked. */
function isWithin(
  { publishedAt }: Found,
  { from, to }: { from: Date; to: Date },
  filter: DateFilter,
): boolean {
  const at = publishedAt?.getTime() ?? Number.NaN;
  if (Number.isNaN(at)) return DATE_FILTER_DAYS[filter] > UNDATED_BEYOND_DAYS;
  return at >= from.getTime() && at <= to.getTime();
}
