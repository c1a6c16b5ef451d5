/**
 * What a new topic shows until it has a history: what is known now, what was published this week, and which sources were asked.
 * The page and `watch` show the same.
 */
import type { AskedSource } from '../../model/asked-source.ts';
import { awaitMembers } from '../../lib/await-members.ts';
import { type Citation, splitCitedText } from '../../model/statements/cited-text.ts';
import { groupBy } from '../../lib/group-by.ts';
import { readSite } from '../../model/links/link.ts';
import { removeListNumber } from '../../lib/sentences.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import type { MissingTool } from '../../model/tool-coverage.ts';
import { readLastCompletion } from '../../store/queries/completions.ts';
import type { DescribedDiscovery } from '../../store/queries/described-discoveries.ts';
import {
  hasSucceededTwice,
  readNewestRunIds,
  readRunsByIds,
  type RunRow,
} from '../../store/queries/run-list.ts';
import { readRunTools } from '../../store/queries/run-tools.ts';
import { readDiscoveriesOfSearches } from '../../store/queries/search-activity.ts';
import type { SearchRow } from '../../store/queries/search-list.ts';
import type { Context } from '../context.ts';
import { findMissingTools } from './tool-sources.ts';

/** A sentence of the answer with its citations. */
export type KnownStatement = { text: string; citations: Citation[] };

export type FirstView = {
  /** Whether first runs are still under way. */
  pending: boolean;
  /** Sources of the first runs, by tool where the service does not name them. */
  asked: AskedSource[];
  /** Three to five sentences of the answer. */
  known: KnownStatement[];
  /** The text of the answer if none of its sentences has a source; null if a sentence has one, or no search has responded. */
  noAnswer: string | null;
  /** Things published in the past seven days, sources in turn. */
  week: DescribedDiscovery[];
  /** How many more there are of that week, at least. */
  moreOfWeek: number;
  /** Tools without a source, and what would add one. */
  missing: MissingTool[];
  /** When the first runs had ended; from then on only what is new is reported. Null: not yet. */
  since: Date | null;
  next: Date | null;
};

const MAX_KNOWN = 5;
const MAX_WEEK = 10;
/** Maximum discoveries that are read to choose the things of the week. */
const MAX_READ = 200;
const WEEK_MS = 7 * DAY;
/** Clocks differ. */
const MAX_SKEW_MS = HOUR;
/** Longer, a first run is no longer worth waiting for: its search waits for a source, or no worker runs. */
const MAX_PENDING_MS = 2 * MINUTE;

type Searches = readonly SearchRow[];

/** A topic has its first page until one of its searches has succeeded a second time. */
export async function isFirstView({ db }: Pick<Context, 'db'>, searches: Searches): Promise<boolean> {
  if (searches.length === 0) return false;
  return !(await hasSucceededTwice(
    db,
    searches.map(({ id }) => id),
  ));
}

export async function readFirstView(ctx: Context, searches: Searches, now: Date): Promise<FirstView> {
  const { db } = ctx;
  const ids = searches.map(({ id }) => id);
  const {
    first,
    answers,
    found: newest,
    missing,
  } = await awaitMembers({
    first: readFirstRuns(ctx, searches, now),
    answers: readAnswers(ctx, searches),
    found: readDiscoveriesOfSearches(db, ids, { kinds: ['post', 'link'], view: 'topic', limit: MAX_READ }),
    missing: listMissing(ctx, searches),
  });
  const known = answers.flatMap(readStatements);
  const recent = newest.filter((row) => isOfWeek(row, now) && isNamed(row));
  const week = mixSources(recent).slice(0, MAX_WEEK);
  const { runs, pending, asked: sources } = first;
  const ended = runs.flatMap(({ ended_at, status }) =>
    status === 'succeeded' && ended_at !== null ? ended_at : [],
  );
  const due = searches.flatMap(({ next_due_at, state }) => (state === 'active' ? (next_due_at ?? []) : []));
  return {
    pending,
    asked: sources,
    known: known.slice(0, MAX_KNOWN),
    noAnswer: known.length > 0 ? null : (answers.find((text) => text !== '') ?? null),
    week,
    moreOfWeek: recent.length - week.length,
    missing,
    since: pending || ended.length === 0 ? null : new Date(Math.max(...ended.map(Number))),
    next: due.length === 0 ? null : new Date(Math.min(...due.map(Number))),
  };
}

/**
 * The newest run of each search, whether first runs are still under way, and which sources they asked. `isEachAsking`: each
 * run has asked its sources, or has ended.
 */
export async function readFirstRuns(
  ctx: Context,
  searches: Searches,
  now: Date,
): Promise<Pick<FirstView, 'pending' | 'asked'> & { runs: RunRow[]; isEachAsking: boolean }> {
  const { db } = ctx;
  const newest = await readNewestRunIds(
    db,
    searches.map(({ id }) => id),
  );
  const runs = await readRunsByIds(db, newest);
  const pending = runs.some(
    ({ ended_at, created_at }) => ended_at === null && now.getTime() - created_at.getTime() < MAX_PENDING_MS,
  );
  const plans = await readPlans(ctx, runs, searches);
  return {
    runs,
    pending,
    asked: [...groupBy(plans.flat(), ({ source }) => source).values()].map(joinAsked),
    isEachAsking:
      runs.length === searches.length &&
      runs.every(({ ended_at }, i) => ended_at !== null || (plans[i] ?? []).length > 0),
  };
}

async function readAnswers({ db }: Context, searches: Searches): Promise<string[]> {
  const aiSearches = searches.filter(({ operation }) => operation === 'ai');
  const completions = await Promise.all(aiSearches.map(({ slug }) => readLastCompletion(db, slug)));
  return completions.flatMap((completion) => {
    if (completion === undefined) return [];
    const { summary, microblog_summary, news_forum_summary, discussion_board_summary } = completion;
    return summary ?? microblog_summary ?? news_forum_summary ?? discussion_board_summary ?? '';
  });
}

/** Sentences with their citations. What cites nothing is no statement of a source. */
export function readStatements(answer: string): KnownStatement[] {
  const statements: KnownStatement[] = [];
  for (const piece of splitCitedText(answer)) {
    if (typeof piece === 'string') {
      const text = removeListNumber(piece.trim()).replace(/^[-*•]\s+/, '');
      if (/[\p{L}\p{N}]/u.test(text)) statements.push({ text, citations: [] });
    } else statements.at(-1)?.citations.push(piece);
  }
  return statements.filter(({ citations }) => citations.length > 0);
}

function isOfWeek({ created_at }: DescribedDiscovery, now: Date): boolean {
  if (created_at === null) return false;
  const age = now.getTime() - created_at.getTime();
  return age <= WEEK_MS && age >= -MAX_SKEW_MS;
}

/** Whether a discovery has a title or text; an address alone is no information. */
function isNamed({ text }: DescribedDiscovery): boolean {
  const words = (text ?? '').replace(/https?:\/\/\S+/g, ' ').match(/[\p{L}\p{N}]{2,}|\p{Lo}/gu) ?? [];
  return words.length >= 2;
}

/** One of each source in turn, so that no site and no kind fills the list. */
function mixSources(rows: readonly DescribedDiscovery[]): DescribedDiscovery[] {
  const groups = [...groupBy(rows, nameSource).values()];
  // The service returns its best results first, so a lower id is a better result.
  const sorted = groups.map((group) => group.toSorted((a, b) => b.copies - a.copies || Number(a.id - b.id)));
  const mixed: DescribedDiscovery[] = [];
  for (let place = 0; mixed.length < rows.length; place += 1)
    mixed.push(...sorted.flatMap((group) => group.slice(place, place + 1)));
  return mixed;
}

function nameSource({ kind, named_post_id, url }: DescribedDiscovery): string {
  if (kind === 'post' || named_post_id !== null) return 'posts';
  return readSite(url ?? '') ?? 'links';
}

/** What each source was asked and returned: as this process saw it, or else by tool as it is stored. */
async function readPlans(
  ctx: Context,
  runs: readonly RunRow[],
  searches: Searches,
): Promise<(readonly AskedSource[])[]> {
  const kindOf = new Map(searches.map(({ slug, service_kind }) => [slug, service_kind]));
  return Promise.all(
    runs.map(async (run) => {
      const seen = ctx.progress(kindOf.get(run.search) ?? 'own', run.id);
      return seen.length > 0 ? seen : readAskedTools(ctx, run);
    }),
  );
}

async function readAskedTools({ db }: Context, run: RunRow): Promise<AskedSource[]> {
  const tools = await readRunTools(db, [run.id]);
  return tools.flatMap(({ tool, asked: isAsked, responded, items, reason, detail }) =>
    !isAsked || responded === null
      ? []
      : [
          {
            source: tool,
            tool,
            queries: [],
            state: responded ? 'answered' : 'failed',
            results: items ?? 0,
            ms: null,
            code: responded ? null : reason,
            message: responded ? null : detail,
          } satisfies AskedSource,
        ],
  );
}

/** Joins what a source was asked for several searches or tools. */
function joinAsked(all: [AskedSource, ...AskedSource[]]): AskedSource {
  const pick = (state: AskedSource['state']) => all.find((source) => source.state === state);
  const chosen = pick('asked') ?? pick('answered') ?? all[0];
  const times = all.flatMap(({ ms }) => ms ?? []);
  return {
    ...chosen,
    results: Math.max(...all.map(({ results }) => results)),
    ms: times.length === 0 ? null : Math.max(...times),
  };
}

async function listMissing(ctx: Context, searches: Searches): Promise<MissingTool[]> {
  const lists = await Promise.all(
    searches.map(({ service_kind, operation, tools }) =>
      findMissingTools(ctx, service_kind, { operation, tools: tools ?? [] }),
    ),
  );
  return [...new Map(lists.flat().map((missing) => [missing.tool, missing])).values()];
}
