/** Queries the sources of a request in parallel, each with a time limit, within the requested dates. */

import {
  DATE_FILTER_DAYS,
  type DateFilter,
  type Model,
  type Source,
  findTool,
} from '../../model/enumerations.ts';
import { DAY } from '../../lib/time.ts';
import type { Logger } from '../../platform/logger.ts';
import { LIST_FULL, OUTSIDE_PERIOD, type ServedWarning, TOOL_UNANSWERED } from '../../protocol/extensions.ts';
import { toCitableLink } from '../citable-link.ts';
import { rankResults } from '../ranking/result-ranking.ts';
import { containsEveryWord } from '../ranking/text-relevance.ts';
import { awaitUnlessAborted, monotonicMs } from '../../platform/clock.ts';
import { takeTurn } from '../event-loop-turns.ts';
import { OUTAGE_TEXTS, SourceDown } from '../sources/outage.ts';
import { isWithinDomains, isWithinWindow } from '../sources/provider-query.ts';
import type { OutageCode } from '../../model/tool-coverage.ts';
import type {
  DomainFilter,
  FoundItem,
  SearchSource,
  SourceNotice,
  SourceQuery,
} from '../sources/search-source.ts';
import { type PlannedWordings, planWordings, type Wording, type Wordings } from './wordings.ts';
import { MIN_RESULT_SHARE, MODEL_TIERS, type ModelTier } from './model-tiers.ts';
import type { SearchPlan } from './search-plan.ts';

export type RetrievalRequest = {
  prompt: string;
  selected: readonly Source[];
  model: Model;
  dateFilter: DateFilter;
  /** Replaces the date filter. */
  window?: DateWindow | undefined;
  /** Maximum number of results per tool; by default that of the model. */
  count?: number | undefined;
  domains?: DomainFilter | undefined;
  /** Time of the response; the end of its window. */
  at: Date;
};

/** Inclusive; without `from`, items of any age. */
export type DateWindow = { from: Date | undefined; to: Date };

/** Findings by source, one entry per selected source; empty if it failed. */
export type Findings = ReadonlyMap<Source, readonly FoundItem[]>;
export type RetrievalResult = { findings: Findings; warnings: readonly ServedWarning[] };

/** The date range of a filter, inclusive. */
export function computeDateWindow(filter: DateFilter, at: Date): { from: Date; to: Date } {
  return { from: new Date(at.getTime() - DATE_FILTER_DAYS[filter] * DAY), to: at };
}

/**
 * @param onSource called for each source when it completes
 * @throws the signal's reason if the client disconnects; failed sources are warnings
 */
export async function retrieveFindings(
  {
    sources,
    log,
    plan,
    planned,
  }: Pick<SourceQueryContext, 'sources' | 'log' | 'plan'> & {
    /** Wordings of a language model, which come while sources are queried with the user's own. It never rejects. */
    planned?: Promise<PlannedWordings> | undefined;
  },
  request: RetrievalRequest,
  signal: AbortSignal,
  onSource: (source: Source, items: readonly FoundItem[]) => void = () => {},
): Promise<RetrievalResult> {
  const tier = MODEL_TIERS[request.model];
  const gathering = { sources, log, plan, tier, signal };
  const wordings = planWordings(request.prompt);
  const ended = await Promise.all(
    request.selected.map(async (source) => {
      const further = chooseFurther(source, wordings.narrower, tier.narrower, planned);
      const { items, warnings } = await retrieveForTool(source, request, { ...wordings, further }, gathering);
      onSource(source, items);
      return { source, found: items, warnings };
    }),
  );
  signal.throwIfAborted();
  return {
    findings: new Map(ended.map(({ source, found: items }) => [source, items])),
    warnings: ended.flatMap(({ warnings }) => warnings),
  };
}

/** The planned wordings of a source, and others up to the number that the model allows. */
function chooseFurther(
  source: Source,
  narrower: readonly Wording[],
  most: number,
  planned: Promise<PlannedWordings> | undefined,
): FurtherWordings {
  if (planned === undefined) return narrower.slice(0, most);
  return planned.then((bySource) => [...(bySource.get(source) ?? []), ...narrower].slice(0, most));
}

/** Findings of one tool, best first; with a second round if the model allows it and the first found little. */
async function retrieveForTool(
  source: Source,
  request: RetrievalRequest,
  { own, further, single, excluded }: Wordings & { further: FurtherWordings },
  gathering: SourceQueryContext,
): Promise<{ items: FoundItem[]; warnings: ServedWarning[] }> {
  const { tier } = gathering;
  const window = request.window ?? computeDateWindow(request.dateFilter, request.at);
  const domains = source === 'web' ? request.domains : undefined;
  const query = { ...window, limit: request.count ?? tier.items, domains };
  const isInPeriod = (item: FoundItem) => source === 'encyclopedia' || isInWindow(item, window);
  const keep = (item: FoundItem) =>
    isOriginalPost(item) &&
    !excluded.some((word) => containsEveryWord({ title: item.title, snippet: '' }, [word])) &&
    isInPeriod(item) &&
    (domains === undefined || isWithinDomains(item.link, domains));
  let matching = 0;
  const rank = async (lists: readonly (readonly FoundItem[])[]) => {
    await takeTurn();
    matching = 0;
    return rankResults(
      lists.map((list) => list.filter((item) => keep(item) && toCitableLink(item.link) !== undefined)),
      { ...own, ...query, onCut: (all) => void (matching = all) },
    );
  };

  const first = await querySources(gathering, source, { own, further }, query);
  const items = await rank(first.lists);
  const conclude = (results: FoundItem[], lists: SourceQueryResults['lists'], said: ServedWarning[]) => {
    const warnings = [
      ...said,
      ...warnOfNotices(source, first.notices, { returned: results.length, matching }),
    ];
    const dropped = lists.flat().filter((item) => isOriginalPost(item) && !isInPeriod(item));
    const isEmptied = results.length === 0 && dropped.length > 0;
    return {
      items: results,
      warnings: isEmptied ? [...warnings, warnOfDates(source, dropped)] : warnings,
    };
  };
  const [last, ...others] = single.slice(0, tier.again);
  const again = first.answering.filter(acceptsWordings);
  if (items.length >= MIN_RESULT_SHARE * query.limit || last === undefined || again.length === 0) {
    return conclude(items, first.lists, collectWarnings(first, source));
  }
  const second = await querySources(
    { ...gathering, sources: again },
    source,
    { own: last, further: others },
    query,
  );
  const lists = [...first.lists, ...second.lists];
  return conclude(await rank(lists), lists, [...collectWarnings(first, source), ...second.warnings]);
}

/** What sources said about their results, and whether all that match are returned; each once. */
function warnOfNotices(
  tool: Source,
  notices: readonly (SourceNotice & { source: string })[],
  { returned, matching }: { returned: number; matching: number },
): ServedWarning[] {
  const label = findTool(tool);
  const full = notices.filter(({ code }) => code === LIST_FULL);
  const others = notices.filter(({ code }) => code !== LIST_FULL);
  const lists = [...new Set(full.map(({ source, message }) => `${source} ${message}`))];
  const cut =
    matching > returned
      ? [
          `returned ${returned} of ${matching}${full.length > 0 ? ' or more' : ''} results, the newest among them`,
        ]
      : [];
  const message = [...cut, ...lists].join('; ');
  return [
    ...(message === '' ? [] : [{ code: LIST_FULL, tool: label, message }]),
    ...others.map(({ code, source, message: what }) => ({ code, tool: label, message: `${source} ${what}` })),
  ];
}

/** A tool that is empty only because of the dates of its results. */
function warnOfDates(tool: Source, dropped: readonly FoundItem[]): ServedWarning {
  const links = new Set(dropped.map(({ link }) => link));
  const undated = new Set(dropped.flatMap(({ link, publishedAt }) => (publishedAt ? [] : [link])));
  const without = undated.size === 0 ? '' : ` (without a date: ${undated.size})`;
  return {
    code: OUTSIDE_PERIOD,
    tool: findTool(tool),
    message: `left out as outside the requested period: ${links.size}${without}`,
  };
}

/** Excludes reposts: the original is a result itself. */
function isOriginalPost({ post }: FoundItem): boolean {
  return post?.is_repost !== true;
}

/** Longest window from which undated items are excluded. */
const MAX_DATED_ONLY_MS = DATE_FILTER_DAYS.PAST_MONTH * DAY;

/** Filters by each item's own time, since sources may search a wider window; undated ones need a source that vouches. */
function isInWindow(item: FoundItem, window: DateWindow): boolean {
  if (item.publishedAt !== undefined && !Number.isNaN(item.publishedAt.getTime()))
    return isWithinWindow(item, window);
  const { from, to } = window;
  return (
    item.periodVouched === true || from === undefined || to.getTime() - from.getTime() > MAX_DATED_ONLY_MS
  );
}

// One tool: all its sources in parallel.

type SourceQueryContext = {
  sources: readonly SearchSource[];
  log: Logger;
  tier: ModelTier;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Notes what each source is asked; undefined if nobody wants to know. */
  plan?: SearchPlan | undefined;
};

type SourceQueryResults = {
  /** One per source and wording, best first. */
  lists: (readonly FoundItem[])[];
  warnings: ServedWarning[];
  /** What sources said about their results for the first wording. */
  notices: (SourceNotice & { source: string })[];
  /** Sources that responded and can be queried again. */
  answering: readonly SearchSource[];
};

/** Wordings besides the first, which may come later. */
type FurtherWordings = readonly Wording[] | Promise<readonly Wording[]>;

/**
 * Queries all sources of a tool in parallel, with each wording if they accept several. All wordings share the time limit of a source.
 * @throws the signal's reason if the client disconnects
 */
export async function querySources(
  { sources, log, tier, signal, plan }: SourceQueryContext,
  tool: Source,
  { own, further }: { own: Wording; further: FurtherWordings },
  request: Pick<SourceQuery, 'from' | 'to' | 'limit' | 'domains'>,
): Promise<SourceQueryResults> {
  const toolSources = sources.filter(({ source }) => source === tool);
  const notices: SourceQueryResults['notices'] = [];
  const ask = async (source: SearchSource, wording: Wording, limitMs: number, isFirst: boolean) => {
    // Results of other wordings go beyond what the user asked for.
    const report = isFirst
      ? (notice: SourceNotice) => notices.push({ ...notice, source: source.name })
      : undefined;
    const planned = plan?.ask(source);
    const from = wording.from ?? request.from;
    const query = { ...wording, ...request, from, report, sent: planned?.sent };
    const outcome = await querySource(source, query, limitMs, signal);
    planned?.end(outcome.failure ?? outcome);
    return { source, ...outcome };
  };
  const askFurther = async (source: SearchSource) => {
    if (!acceptsWordings(source)) return [];
    const began = monotonicMs();
    const isLater = !isList(further);
    const wordings = isLater ? await further : further;
    const limitMs = isLater ? Math.floor(tier.sourceMs - (monotonicMs() - began)) : tier.sourceMs;
    return limitMs <= 0 ? [] : Promise.all(wordings.map((wording) => ask(source, wording, limitMs, false)));
  };
  const replies = (
    await Promise.all(
      toolSources.map((source) => Promise.all([ask(source, own, tier.sourceMs, true), askFurther(source)])),
    )
  ).flatMap(([first, others]) => [first, ...others]);

  const warnings: ServedWarning[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, tool: findTool(tool), message });
  if (toolSources.length === 0) warn('source_off', 'no source is configured for this tool');
  const failed = replies.flatMap(({ source, failure }) => (failure ? { name: source.name, ...failure } : []));
  for (const { name, code, err, message } of failed) {
    if (warnings.some((warning) => warning.message === message)) continue; // already reported for another wording
    warn(code, message);
    logSourceFailure(log, { err, source: name, tool, code });
  }
  return {
    lists: replies.flatMap(({ items }) => (items ? [items] : [])),
    warnings,
    notices,
    answering: toolSources.filter(({ name }) => failed.every((failure) => failure.name !== name)),
  };
}

function isList(wordings: FurtherWordings): wordings is readonly Wording[] {
  return Array.isArray(wordings);
}

/** The simulation derives the topic from the prompt, and would treat another wording as another topic. */
export function acceptsWordings({ state, wordings }: SearchSource): boolean {
  return state === 'live' && wordings !== 'own';
}

/** Our own reasons need no stack trace; sources that are off or lack a key were reported at startup. */
function logSourceFailure(
  log: Logger,
  failure: { err: unknown; source: string; tool: Source; code: OutageCode },
): void {
  const { err, ...known } = failure;
  if (failure.code === 'source_off' || failure.code === 'source_needs_key')
    log.debug(known, 'source skipped');
  else log.warn(err instanceof SourceDown ? { ...known, why: err.message } : failure, 'source failed');
}

/**
 * Warnings of a tool's first round. Distinguishes a group that is empty because no source responded from one without
 * results.
 */
export function collectWarnings({ lists, warnings }: SourceQueryResults, tool: Source): ServedWarning[] {
  if (lists.length > 0) return warnings;
  const unanswered = {
    code: TOOL_UNANSWERED,
    tool: findTool(tool),
    message: 'no source of this tool responded',
  };
  return [...warnings, unanswered];
}

/** Result of one query of one source; failures are results. */
type SourceOutcome =
  | { items: readonly FoundItem[]; failure?: undefined }
  | { items?: undefined; failure: { code: OutageCode; err: unknown; message: string } };

/**
 * Queries a source with a time limit. Failure messages contain only our own text.
 * @throws only the signal's reason if the client disconnects
 */
async function querySource(
  source: SearchSource,
  query: Omit<SourceQuery, 'signal' | 'timeoutMs'>,
  limitMs: number,
  client: AbortSignal,
): Promise<SourceOutcome> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new SourceDown('source_timeout')), limitMs);
  const signal = AbortSignal.any([client, limit.signal]);
  try {
    // Do not rely on the source to react to the signal.
    return {
      items: await awaitUnlessAborted(
        signal,
        (async () => source.find({ ...query, timeoutMs: limitMs, signal }))(),
      ),
    };
  } catch (err) {
    client.throwIfAborted();
    // Keep the source's own reason for being late (such as its rate limit); otherwise report a timeout.
    const isLate = limit.signal.aborted && !(err instanceof SourceDown);
    return { failure: toSourceFailure(source, isLate ? limit.signal.reason : err) };
  } finally {
    clearTimeout(timer);
  }
}

function toSourceFailure({ name }: SearchSource, err: unknown): SourceOutcome['failure'] & object {
  if (err instanceof SourceDown) return { code: err.code, err, message: `${name} ${err.message}` };
  return { code: 'source_failed', err, message: `${name} ${OUTAGE_TEXTS.source_failed}` };
}
