/**
 * Posts and links that match a query, for display: best first, with highlighted words.
 */

import { InvalidInput } from '../../model/errors.ts';
import { buildExcerpt, type ExcerptPiece } from '../../model/excerpt.ts';
import { addToGroup, type Groups } from '../../lib/group-by.ts';
import { listSoughtWords, type Query } from '../../model/search-query.ts';
import { type Id, onlyRow, type Reads } from '../db/database.ts';
import { join, rowsOf, type Statement, statement } from '../db/statement.ts';
import type { LinkRow } from '../queries/links.ts';
import type { PostRow } from '../queries/post-detail.ts';
import { linkSightingsView, postSightingsView, searchesView } from '../schema/analytics-views.ts';
import { readMatches } from './matched-words.ts';
import { buildCondition, isSeenIn, isShownIn, type SightingScope } from './query-condition.ts';
import { type ArchivedItem, readArchivedItems } from './search-archive.ts';
import {
  listLexemes,
  matchInflected,
  matchPhrase,
  matchWritten,
  readWordForms,
  type WordForms,
} from './word-forms.ts';
import { asc, eq, inArray } from 'drizzle-orm';

export type { ExcerptPiece } from '../../model/excerpt.ts';

type TextQuestion = SightingScope & {
  query: Query;
  /** For relative times. */
  now: Date;
  /** Where the previous page ended: its `next`. */
  after?: string | undefined;
  /** What a person hides as not relevant, instead of what is shown. */
  isHidden?: boolean | undefined;
  limit: number;
};

export type TextMatches = {
  hits: TextHit[];
  /** Number of matches on all pages. */
  total: number;
  /** Number of matches that are left out: hidden ones, or those that are shown. */
  others: number;
  /** For the next page; null on the last page. */
  next: string | null;
};

export type TextHit = {
  kind: 'post' | 'link';
  /** Relevance; 0 if the query has no words. */
  score: number;
  /** Names of the services that returned it. */
  services: string[];
  /** Searches that found it, the earliest first; empty for a nested post. */
  found_by: Finder[];
  /** Publication time; if unknown, or later, when it was first seen. */
  at: Date;
  /** For links. */
  title: ExcerptPiece[];
  /** The part of the text with most matching words. */
  excerpt: ExcerptPiece[];
  /** Exactly one of the two is set. */
  post: PostRow | null;
  link: LinkRow | null;
};

/**
 * One page of matches, most relevant first, then newest first.
 * @throws InvalidInput if `after` is not a place that this function returned
 */
export async function findText(db: Reads, question: TextQuestion): Promise<TextMatches> {
  const { query, now, after, isHidden = false, limit } = question;
  const forms = await readWordForms(db.pool, [query]);
  const documents = statement`FROM strandline.archive_documents d
    WHERE ${buildCondition(query, { forms, now })} AND ${isSeenIn(question)}`;
  const isListed = isHidden ? statement`NOT (${isShownIn(question)})` : isShownIn(question);
  const isBehind = after === undefined ? statement`true` : isBehindPlace(after);
  const [counted, rows] = await Promise.all([
    rowsOf<{ total: number; every: number }>(
      db.pool,
      statement`SELECT count(*) FILTER (WHERE ${isListed})::float8 AS total, count(*)::float8 AS every ${documents}`,
    ),
    rowsOf<RankedRow>(
      db.pool,
      statement`SELECT * FROM (
          SELECT d.kind, d.thing, d.config, ${scoreOf(query, forms)} AS score, (extract(epoch FROM d.at) * 1000000)::bigint AS by
          ${documents} AND ${isListed}
        ) r
        WHERE ${isBehind}
        ORDER BY score DESC, by DESC, thing DESC, kind DESC LIMIT ${limit + 1}`,
    ),
  ]);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const { total, every } = onlyRow(counted);
  return {
    hits: await readHits(db, shown, query, forms),
    total,
    others: every - total,
    next: rows.length > limit && last !== undefined ? writePlace(last) : null,
  };
}

type RankedRow = {
  kind: 'post' | 'link';
  thing: Id;
  config: string;
  score: number;
  by: bigint;
};

/**
 * Weights for the rank, from D to A: words as written, unused, forms of words in texts, forms of words in titles. A word that
 * matches as written also matches as a form of itself.
 */
const RANK_WEIGHTS = '{0.3,0,0.4,1}';

/**
 * Relevance by the frequency of the words that a match may contain, relative to its length, in millionths. It depends on
 * the document alone, so that pages continue where the last one ended while new items arrive.
 */
function scoreOf(query: Query, forms: WordForms): Statement {
  const sought = listSoughtWords(query);
  if (sought.length === 0) return statement`0`;
  const words = sought.flatMap((part) =>
    part.is === 'phrase'
      ? [`(${matchPhrase(part.words)})`]
      : [matchWritten(part.folded), ...listLexemes(forms, part.word).map(matchInflected)],
  );
  const any = [...new Set(words)].join(' | ');
  return statement`round(1000000 * ts_rank(${RANK_WEIGHTS}, d.tsv, ${any}::tsquery, 1))::integer`;
}

/** A place between two hits of the order, as text: the sort keys of the hit before it. */
function writePlace({ score, by, thing, kind }: RankedRow): string {
  return [score, by, thing, kind].join('.');
}

const PLACE = /^(\d{1,9})\.(-?\d{1,17})\.(\d{1,18})\.(post|link)$/;

/** @throws InvalidInput */
function isBehindPlace(text: string): Statement {
  const [whole, ...keys] = PLACE.exec(text) ?? [];
  if (whole !== undefined) {
    const values = keys.map((key) => statement`${key}`);
    return statement`(score, by, thing, kind) < (${join(values, ', ')})`;
  }
  throw new InvalidInput([
    { path: 'after', given: text, expected: 'the place that the previous page of the same query ended with' },
  ]);
}

async function readHits(
  db: Reads,
  rows: readonly RankedRow[],
  query: Query,
  forms: WordForms,
): Promise<TextHit[]> {
  const things = new Map(
    (await readArchivedItems(db, rows)).map((thing) => [`${thing.kind} ${thing.id}`, thing]),
  );
  const ranked = rows.flatMap((row) => {
    const thing = things.get(`${row.kind} ${row.thing}`);
    return thing === undefined ? [] : [{ ...row, thing }];
  });
  const idsOf = (kind: RankedRow['kind']) =>
    ranked.flatMap(({ thing }) => (thing.kind === kind ? [thing.id] : []));
  const [posts, links, matches] = await Promise.all([
    readFinders(db, 'post', idsOf('post')),
    readFinders(db, 'link', idsOf('link')),
    readMatches(
      db,
      ranked.map(({ config, thing }) => ({ config, texts: listTexts(thing) })),
      query,
      forms,
    ),
  ]);
  return ranked.map(({ kind, thing, score, config }) => ({
    kind,
    score,
    ...showThing(
      thing,
      (word) => (matches(config)(word) ? 1 : 0),
      (kind === 'post' ? posts : links).get(thing.id) ?? [],
    ),
  }));
}

/** As {@link TextHit}.at, by which documents are sorted. */
function countedAt(publishedAt: Date | null, firstSeenAt: Date): Date {
  return publishedAt !== null && publishedAt < firstSeenAt ? publishedAt : firstSeenAt;
}

function showThing(
  thing: ArchivedItem,
  weigh: (word: string) => number,
  found_by: Finder[],
): Omit<TextHit, 'kind' | 'score'> {
  if (thing.kind === 'post') {
    const { post } = thing;
    return {
      found_by,
      services: [post.service],
      post,
      link: null,
      at: countedAt(post.created_at, post.first_seen_at),
      title: [],
      excerpt: buildExcerpt(post.text, weigh),
    };
  }
  const { link } = thing;
  return {
    found_by,
    services: [...new Set(found_by.map(({ service }) => service))],
    post: null,
    link,
    at: countedAt(link.published_at, link.first_seen_at),
    title: buildExcerpt(link.title ?? '', weigh),
    excerpt: buildExcerpt(joinBody(link), weigh),
  };
}

function listTexts(thing: ArchivedItem): string[] {
  return thing.kind === 'post' ? [thing.post.text] : [thing.link.title ?? '', joinBody(thing.link)];
}

function joinBody({ snippet, summary_description }: LinkRow): string {
  return [snippet, summary_description].filter((text) => text !== null).join(' ');
}

/** A search that found an item. */
type Finder = { search: string; topic: string; service: string };

/** Items of many searches have a page of their own. */
const MAX_FINDERS = 10_000;

/** Searches that found posts or links, by ID of the item. Nested posts are found by no search. */
async function readFinders(
  { orm }: Reads,
  kind: 'post' | 'link',
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, Finder[]>> {
  const findersById: Groups<Id, Finder> = new Map();
  if (ids.length === 0) return findersById;
  const searches = searchesView;
  const view = kind === 'post' ? postSightingsView : linkSightingsView;
  const thing = kind === 'post' ? postSightingsView.post_id : linkSightingsView.link_id;
  const { slug, topic, service } = searches;
  const rows = await orm
    .select({ thing, search: slug, topic, service })
    .from(view)
    .innerJoin(searches, eq(searches.id, view.search_id))
    .where(inArray(thing, [...ids]))
    .orderBy(asc(view.first_seen_at), asc(slug))
    .limit(MAX_FINDERS);
  for (const { thing: id, ...finder } of rows) addToGroup(findersById, id, finder);
  return findersById;
}
