/** Documents of the archive that contain a word of the query and match its filters, by Postgres' own ranking. */
import { and, desc, eq, exists, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Source } from '../../domain/enumerations.ts';
import type { Database, Id } from '../database.ts';
import { isSearch } from '../queries/search-list.ts';
import { searchesView } from '../schema/analytics/topic-views.ts';
import { archive_documents, archive_lexemes } from '../schema/archive-tables.ts';
import { discoveries, link_sightings, post_sightings } from '../schema/result-tables.ts';
import { authors, posts } from '../schema/post-tables.ts';
import { MAX_DOCUMENTS_SCANNED, type Question } from './archive-question.ts';

/** More candidates do not improve the result: with the Cranfield collection, 100 reach the nDCG@10 of full BM25. */
const MAX_CANDIDATES = 100;

export type ArchiveQuestion = {
  /** Words in any form; never parsed as query syntax. */
  text: string;
  /** Simulated and real results are never mixed. Default: real. */
  sandbox?: boolean | undefined;
  kind?: 'post' | 'link' | undefined;
  /** Slugs. */
  search?: string | undefined;
  topic?: string | undefined;
  /** Name of a service, as in searches. */
  service?: string | undefined;
  /** For links: source of the sighting. */
  source?: Source | undefined;
  /** For posts: username without `@`; case-insensitive. */
  author?: string | undefined;
  /** For posts: as reported, such as `en`. */
  lang?: string | undefined;
  /** By publication time, or the first sighting if unknown; inclusive. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** The same, exclusive. */
  before?: Date | undefined;
  /** If set, recent items with engagement rank higher, within a bound, as of this time. */
  at?: Date | undefined;
  /** Maximum 100. */
  limit: number;
};

export type Candidate = {
  kind: string;
  thing: Id;
  config: string;
  words: number;
  /** Lexemes of the query in the document, with their frequency. */
  matches: [lexeme: string, times: number][];
};

/**
 * If all words of the query are frequent, no index narrows the search. Then this many documents are read, the newest
 * from the last occurrence of such a word on, and the newest matches are ranked.
 */
const MAX_ROWS_READ = 10_000;
/** The same with a filter by search: each document is an index lookup. */
const MAX_ROWS_READ_OF_SEARCHES = 2_500;
const MAX_RANKED = 4_000;
/**
 * Up to this many documents are found by words and sorted by time. Beyond, documents are read by time until enough
 * contain the words.
 */
const MAX_SORTED = 200_000;

export async function findCandidates(
  db: Pick<Database, 'orm'>,
  archiveQuery: ArchiveQuestion,
  question: Question,
): Promise<Candidate[]> {
  const { tsv } = archive_documents;
  const held = sql`${tsv} @@ ${buildTsQuery(question.looked.lexemes)}`;
  const filters = [...buildOwnFilters(archiveQuery), ...buildPostFilters(archiveQuery)];
  const wanted = and(held, ...filters, buildSightingFilter(db, archiveQuery));
  const { fewest } = question.looked;
  if (fewest <= MAX_DOCUMENTS_SCANNED) return rankBy(db, question, wanted);
  // Found through the requested searches: only the source remains to be checked.
  const source = archiveQuery.source === undefined ? undefined : buildSightingFilter(db, archiveQuery);
  const newest = and(
    amongRows(selectNewestRead(archiveQuery, question.looked.lexemes)),
    held,
    ...filters,
    source,
  );
  const near = await rankBy(db, question, selectNewest(newest));
  // A frequent word may be missing in the newest documents, or with this filter.
  return near.length < MAX_CANDIDATES ? rankBy(db, question, selectNewest(wanted, fewest)) : near;
}

function rankBy(
  { orm }: Pick<Database, 'orm'>,
  { lexemes, says }: Question,
  where: SQL | undefined,
): Promise<Candidate[]> {
  const { kind, thing, config, words, tsv, at } = archive_documents;
  const all = [...new Set([...says.values()].flatMap((inConfig) => [...inConfig.keys()]))];
  return orm
    .select({
      kind,
      thing,
      config,
      words,
      matches: sql<Candidate['matches']>`(
        SELECT coalesce(json_agg(json_build_array(u.lexeme, cardinality(u.positions))), '[]')
        FROM unnest(${tsv}) u WHERE u.lexeme = ANY(${sql.param(all)}::text[]))`,
    })
    .from(archive_documents)
    .where(where)
    .orderBy(desc(sql`ts_rank(${tsv}, ${buildTsQuery(lexemes)}, 1)`), desc(at), desc(thing), kind)
    .limit(MAX_CANDIDATES);
}

function buildOwnFilters(archiveQuery: ArchiveQuestion): (SQL | undefined)[] {
  const { kind, sandbox, at } = archive_documents;
  return [
    eq(sandbox, archiveQuery.sandbox ?? false),
    archiveQuery.kind === undefined ? undefined : eq(kind, archiveQuery.kind),
    archiveQuery.from === undefined ? undefined : gte(at, archiveQuery.from),
    archiveQuery.to === undefined ? undefined : lte(at, archiveQuery.to),
    archiveQuery.before === undefined ? undefined : lt(at, archiveQuery.before),
  ];
}

/** Rows of the archive. @param rows a query of their `ctid` */
const amongRows = (rows: SQL) => sql`ctid = ANY(ARRAY(${rows}))`;

/** @param holding minimum number of documents to sort; undefined if sorting is cheaper than the index by time */
function selectNewest(wanted: SQL | undefined, holding = Number.POSITIVE_INFINITY): SQL {
  const { at } = archive_documents;
  const rows = sql`SELECT ctid, ${at} FROM ${archive_documents} WHERE ${wanted}`;
  // OFFSET 0 keeps the planner from reading old documents by time.
  return amongRows(
    sql`SELECT ctid FROM (${holding < MAX_SORTED ? sql`${rows} OFFSET 0` : rows}) held ORDER BY at DESC LIMIT ${MAX_RANKED}`,
  );
}

/** The newest documents that may contain a lexeme, of all or of each requested search. */
function selectNewestRead(archiveQuery: ArchiveQuestion, lexemes: readonly string[]): SQL {
  const mine = selectAskedSearches(archiveQuery);
  const { kind, thing, at } = archive_documents;
  if (mine === undefined) {
    const stood = sql`SELECT max(newest_at) FROM ${archive_lexemes}
      WHERE sandbox = ${archiveQuery.sandbox ?? false} AND lexeme = ANY (${sql.param(lexemes)}::text[])`;
    return sql`SELECT ctid FROM ${archive_documents} WHERE ${and(...buildOwnFilters(archiveQuery), sql`${at} <= (${stood})`)}
      ORDER BY ${at} DESC LIMIT ${MAX_ROWS_READ}`;
  }
  const found = sql`SELECT kind, thing FROM ${discoveries} WHERE search_id = mine.id AND kind IN ('post', 'link')
    ORDER BY at DESC LIMIT ${MAX_ROWS_READ_OF_SEARCHES}::int / mine.searches`;
  return sql`SELECT ${archive_documents}.ctid
    FROM (SELECT id, count(*) OVER ()::int AS searches FROM ${searchesView} WHERE ${mine}) mine
    CROSS JOIN LATERAL (${found}) found
    JOIN ${archive_documents} ON ${kind} = found.kind AND ${thing} = found.thing`;
}

/** Searches matching a filter by name; undefined: any. */
function selectAskedSearches({ search, topic, service }: ArchiveQuestion): SQL | undefined {
  return and(
    isSearch({ search, topic }),
    service === undefined ? undefined : eq(searchesView.service, service),
  );
}

/** Any of the lexemes. */
function buildTsQuery(lexemes: readonly string[]): SQL {
  return sql`${lexemes.map((lexeme) => `'${lexeme.replace(/['\\]/gu, '$&$&')}'`).join(' | ')}::tsquery`;
}

function buildPostFilters({ author, lang }: ArchiveQuestion): (SQL | undefined)[] {
  if (author === undefined && lang === undefined) return [];
  const theirs = sql`ARRAY(SELECT ${authors.id} FROM ${authors} WHERE lower(${authors.username}) = lower(${author}))`;
  const said = and(
    eq(posts.id, archive_documents.thing),
    lang === undefined ? undefined : eq(sql`lower(${posts.lang})`, lang.toLowerCase()),
  );
  return [
    eq(archive_documents.kind, 'post'),
    // An author has few posts, so they are found first.
    author === undefined
      ? undefined
      : sql`${archive_documents.thing} IN (SELECT ${posts.id} FROM ${posts} WHERE ${posts.author_id} = ANY(${theirs}))`,
    lang === undefined ? undefined : sql`EXISTS (SELECT FROM ${posts} WHERE ${said})`,
  ];
}

/** Filters by search, topic, service and source of a sighting. */
function buildSightingFilter({ orm }: Pick<Database, 'orm'>, archiveQuery: ArchiveQuestion): SQL | undefined {
  const named = selectAskedSearches(archiveQuery);
  const { source } = archiveQuery;
  if (named === undefined && source === undefined) return undefined;
  const mine = orm.select({ id: searchesView.id }).from(searchesView).where(named);
  /** Evaluated once per query. */
  const seenBy = (searchId: PgColumn) =>
    named === undefined ? undefined : sql`${searchId} = ANY(ARRAY(${mine}))`;
  const anyRow = { one: sql`1` };
  const post = orm
    .select(anyRow)
    .from(post_sightings)
    .where(and(eq(post_sightings.post_id, archive_documents.thing), seenBy(post_sightings.search_id)));
  const link = orm
    .select(anyRow)
    .from(link_sightings)
    .where(
      and(
        eq(link_sightings.link_id, archive_documents.thing),
        source === undefined ? undefined : eq(link_sightings.source, source),
        seenBy(link_sightings.search_id),
      ),
    );
  // All posts have the source microblog.
  const ofPosts = source === undefined || source === 'microblog' ? exists(post) : sql`false`;
  return sql`CASE ${archive_documents.kind} WHEN 'post' THEN ${ofPosts} ELSE ${exists(link)} END`;
}
