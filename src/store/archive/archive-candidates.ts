/** Documents of the archive that contain a word of the query and match its filters, by Postgres' own ranking. */
import { and, desc, eq, exists, gte, lte, type SQL, sql } from 'drizzle-orm';
import type { Source } from '../../model/enumerations.ts';
import { splitFoldedWords } from '../../lib/folded-words.ts';
import { type Query, requireAll } from '../../model/search-query.ts';
import type { Id, Orm, Reads } from '../db/database.ts';
import { join, rowsOf, statement } from '../db/statement.ts';
import { archive_documents } from '../schema/archive-tables.ts';
import { link_sightings, post_sightings } from '../schema/result-tables.ts';
import { MAX_DOCUMENTS_SCANNED, type Question } from './archive-question.ts';
import { buildCondition } from './query-condition.ts';
import { matchInflected, readWordForms } from './word-forms.ts';

/** More candidates do not improve the result: with the Cranfield collection, 100 reach the nDCG@10 of full BM25. */
export const MAX_CANDIDATES = 100;

export type ArchiveQuestion = {
  /** Words in any form; never parsed as query syntax. */
  text: string;

  kind?: 'post' | 'link' | undefined;
  /** For links: source of the sighting. */
  source?: Source | undefined;
  /** By publication time, or the first sighting if unknown; inclusive. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** Maximum {@link MAX_CANDIDATES}. */
  limit: number;
  /** Words of which the newest matches must have all, besides the most relevant: the first list of which any has all. */
  newestWith?: readonly (readonly string[])[] | undefined;
};

export type Candidate = Pick<typeof archive_documents.$inferSelect, 'kind' | 'thing' | 'config'> & {
  /** Without stop words. */
  words: number;
  /** Lexemes of the query in the document, with their frequency. */
  matches: [lexeme: string, times: number][];
};

/**
 * If all words of the query are frequent, no index narrows the search. Then this many of the newest documents are read, and the
 * newest matches are ranked.
 */
const MAX_ROWS_READ = 10_000;
const MAX_RANKED = 4_000;
/**
 * Up to this many documents are found by words and sorted by time. Beyond, documents are read by time until enough
 * contain the words.
 */
const MAX_SORTED = 200_000;

export async function findCandidates(
  db: Orm,
  archiveQuery: ArchiveQuestion,
  question: Question,
): Promise<Candidate[]> {
  const { tsv } = archive_documents;
  const held = sql`${tsv} @@ ${buildTsQuery(question.looked.lexemes)}`;
  const filters = [...buildOwnFilters(archiveQuery), buildSourceFilter(db, archiveQuery)];
  const wanted = and(held, ...filters);
  const { fewest } = question.looked;
  if (fewest <= MAX_DOCUMENTS_SCANNED) return rankBy(db, question, wanted);
  const newest = and(amongRows(selectNewestRead(archiveQuery)), held, ...filters);
  const near = await rankBy(db, question, selectNewest(newest));
  // A frequent word may be missing in the newest documents, or with this filter.
  return near.length < MAX_CANDIDATES ? rankBy(db, question, selectNewest(wanted, fewest)) : near;
}

/** As many of the newest documents with all words as the limit allows. */
export async function findNewest(
  db: Reads,
  archiveQuery: ArchiveQuestion,
  question: Question,
): Promise<Candidate[]> {
  const { source, from, to, limit, newestWith = [] } = archiveQuery;
  for (const words of newestWith) {
    const query = requireAll([...words.flatMap(toQuery), source && { is: 'source', value: source }]);
    const forms = await readWordForms(db.pool, [query]);
    const where = [
      // The query has no relative times.
      buildCondition(query, { forms, now: new Date(0) }),
      ...(from === undefined ? [] : [statement`d.at >= ${from}`]),
      ...(to === undefined ? [] : [statement`d.at <= ${to}`]),
    ];
    const rows = await rowsOf<Pick<Candidate, 'kind' | 'thing'>>(
      db.pool,
      statement`SELECT d.kind, d.thing FROM strandline.archive_documents d WHERE ${join(where, ' AND ')}
        ORDER BY d.at DESC, d.thing DESC LIMIT ${Math.min(limit, MAX_CANDIDATES)}`,
    );
    if (rows.length > 0) return rankBy(db, question, areDocuments(rows));
  }
  return [];
}

/** A word of a prompt as a condition: several words in a row if it is a phrase. */
function toQuery(word: string): Query[] {
  const [folded, ...others] = splitFoldedWords(word);
  if (folded === undefined) return [];
  return [others.length === 0 ? { is: 'word', word, folded } : { is: 'phrase', words: [folded, ...others] }];
}

function areDocuments(documents: readonly { kind: string; thing: Id }[]): SQL {
  const kinds = sql.param(documents.map(({ kind }) => kind));
  const things = sql.param(documents.map(({ thing }) => thing));
  const { kind, thing } = archive_documents;
  return sql`(${kind}, ${thing}) IN (SELECT * FROM unnest(${kinds}::text[], ${things}::bigint[]))`;
}

/** As `STEMS_SQL` of `word-forms.ts`. */
const STEMS = sql`ts_filter(${archive_documents.tsv}, '{a,b}')`;

function rankBy({ orm }: Orm, { lexemes, says }: Question, where: SQL | undefined): Promise<Candidate[]> {
  const { kind, thing, config, at } = archive_documents;
  const all = [...new Set([...says.values()].flatMap((inConfig) => [...inConfig.keys()]))];
  return orm
    .select({
      kind,
      thing,
      config,
      words: sql<number>`(SELECT coalesce(sum(cardinality(u.positions)), 0)::integer FROM unnest(${STEMS}) u)`,
      matches: sql<Candidate['matches']>`(
        SELECT coalesce(json_agg(json_build_array(u.lexeme, cardinality(u.positions))), '[]')
        FROM unnest(${STEMS}) u WHERE u.lexeme = ANY(${sql.param(all)}::text[]))`,
    })
    .from(archive_documents)
    .where(where)
    .orderBy(desc(sql`ts_rank(${STEMS}, ${buildTsQuery(lexemes)}, 1)`), desc(at), desc(thing), kind)
    .limit(MAX_CANDIDATES);
}

function buildOwnFilters(archiveQuery: ArchiveQuestion): (SQL | undefined)[] {
  const { kind, at } = archive_documents;
  return [
    archiveQuery.kind === undefined ? undefined : eq(kind, archiveQuery.kind),
    archiveQuery.from === undefined ? undefined : gte(at, archiveQuery.from),
    archiveQuery.to === undefined ? undefined : lte(at, archiveQuery.to),
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

function selectNewestRead(archiveQuery: ArchiveQuestion): SQL {
  const where = and(...buildOwnFilters(archiveQuery)) ?? sql`true`;
  return sql`SELECT ctid FROM ${archive_documents} WHERE ${where} ORDER BY ${archive_documents.at} DESC LIMIT ${MAX_ROWS_READ}`;
}

/** Any of the lexemes. */
function buildTsQuery(lexemes: readonly string[]): SQL {
  return sql`${lexemes.map(matchInflected).join(' | ')}::tsquery`;
}

/** All posts that a search saw have the source microblog. */
function buildSourceFilter({ orm }: Orm, { source }: ArchiveQuestion): SQL | undefined {
  if (source === undefined) return undefined;
  const anyRow = { one: sql`1` };
  const { kind, thing } = archive_documents;
  const post = orm.select(anyRow).from(post_sightings).where(eq(post_sightings.post_id, thing));
  const link = orm
    .select(anyRow)
    .from(link_sightings)
    .where(and(eq(link_sightings.link_id, thing), eq(link_sightings.source, source)));
  const ofPosts = source === 'microblog' ? exists(post) : sql`false`;
  return sql`CASE ${kind} WHEN 'post' THEN ${ofPosts} ELSE ${exists(link)} END`;
}
