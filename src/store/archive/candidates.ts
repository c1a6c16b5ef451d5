/** Documents of the archive that hold a word of the question and pass its filters, by Postgres' own ranking. */
import { and, desc, eq, exists, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Source } from '../../contract/enumerations.ts';
import type { Database, Id } from '../database.ts';
import { searchIs } from '../reads/searches.ts';
import { searchesView } from '../schema/analytics.ts';
import { archive_documents } from '../schema/archive.ts';
import { link_sightings, post_sightings } from '../schema/findings.ts';
import { authors, posts } from '../schema/posts.ts';
import type { Question } from './question.ts';

/** Re-ranking more changes nothing: of Cranfield, 100 keep all of BM25's nDCG@10. */
const CANDIDATES = 100;

export type ArchiveQuestion = {
  /** In any form: it is read as words, never as a query. */
  text: string;
  /** What began in one world never mixes with the other; the found ones when this is left out. */
  sandbox?: boolean | undefined;
  kind?: 'post' | 'link' | undefined;
  /** Slugs. */
  search?: string | undefined;
  topic?: string | undefined;
  /** Name of a service, as searches name it. */
  service?: string | undefined;
  /** Of links: the source that a search found them in. */
  source?: Source | undefined;
  /** Of posts: username, without `@`, in any case. */
  author?: string | undefined;
  /** Of posts: as they say it, `en`. */
  lang?: string | undefined;
  /** By a thing's own time, or when it was first seen where it tells none; both included. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** The same, not included. */
  before?: Date | undefined;
  /** With it, what is new and noticed is liked, within a bound, as seen at this time. */
  at?: Date | undefined;
  /** At most 100 are found. */
  limit: number;
};

export type Candidate = {
  kind: string;
  thing: Id;
  config: string;
  words: number;
  /** Each lexeme of the question that stands there, and how often. */
  matches: [lexeme: string, times: number][];
};

/** Of documents that hold a word which stands nearly everywhere, the newest so many are looked at. */
const NEWEST = 10_000;

export async function findCandidates(
  { orm }: Pick<Database, 'orm'>,
  asked: ArchiveQuestion,
  { lexemes, looked, says }: Question,
): Promise<Candidate[]> {
  const { kind, thing, config, words, tsv, sandbox, at } = archive_documents;
  const all = [...new Set([...says.values()].flatMap((inConfig) => [...inConfig.keys()]))];
  const wanted = and(
    sql`${tsv} @@ ${queryOf(looked.lexemes)}`,
    eq(sandbox, asked.sandbox ?? false),
    asked.kind === undefined ? undefined : eq(kind, asked.kind),
    asked.from === undefined ? undefined : gte(at, asked.from),
    asked.to === undefined ? undefined : lte(at, asked.to),
    asked.before === undefined ? undefined : lt(at, asked.before),
    ...postFilters(asked),
    ...sightingFilters({ orm }, asked),
  );
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
    .where(
      looked.many
        ? sql`ctid = ANY(ARRAY(SELECT ctid FROM ${archive_documents} WHERE ${wanted} ORDER BY ${at} DESC LIMIT ${NEWEST}))`
        : wanted,
    )
    .orderBy(desc(sql`ts_rank(${tsv}, ${queryOf(lexemes)}, 1)`), desc(at), desc(thing), kind)
    .limit(CANDIDATES);
}

/** Any of the lexemes. */
function queryOf(lexemes: readonly string[]): SQL {
  return sql`${lexemes.map((lexeme) => `'${lexeme.replace(/['\\]/gu, '$&$&')}'`).join(' | ')}::tsquery`;
}

function postFilters({ author, lang }: ArchiveQuestion): (SQL | undefined)[] {
  if (author === undefined && lang === undefined) return [];
  const theirs = sql`ARRAY(SELECT ${authors.id} FROM ${authors} WHERE lower(${authors.username}) = lower(${author}))`;
  const said = and(
    eq(posts.id, archive_documents.thing),
    lang === undefined ? undefined : eq(sql`lower(${posts.lang})`, lang.toLowerCase()),
  );
  return [
    eq(archive_documents.kind, 'post'),
    // An author's posts are few: they are found first.
    author === undefined
      ? undefined
      : sql`${archive_documents.thing} IN (SELECT ${posts.id} FROM ${posts} WHERE ${posts.author_id} = ANY(${theirs}))`,
    lang === undefined ? undefined : sql`EXISTS (SELECT FROM ${posts} WHERE ${said})`,
  ];
}

/** Which search, topic, service or source saw it. */
function sightingFilters(
  { orm }: Pick<Database, 'orm'>,
  { search, topic, service, source }: ArchiveQuestion,
): (SQL | undefined)[] {
  if (search === undefined && topic === undefined && service === undefined && source === undefined) return [];
  const named = search !== undefined || topic !== undefined || service !== undefined;
  const mine = orm
    .select({ id: searchesView.id })
    .from(searchesView)
    .where(
      and(searchIs({ search, topic }), service === undefined ? undefined : eq(searchesView.service, service)),
    );
  /** Read once, whatever is looked through. */
  const seenBy = (searchId: PgColumn) => (named ? sql`${searchId} = ANY(ARRAY(${mine}))` : undefined);
  const one = { one: sql`1` };
  const post = orm
    .select(one)
    .from(post_sightings)
    .where(and(eq(post_sightings.post_id, archive_documents.thing), seenBy(post_sightings.search_id)));
  const link = orm
    .select(one)
    .from(link_sightings)
    .where(
      and(
        eq(link_sightings.link_id, archive_documents.thing),
        source === undefined ? undefined : eq(link_sightings.source, source),
        seenBy(link_sightings.search_id),
      ),
    );
  // Posts come from the microblog alone.
  const ofPosts = source === undefined || source === 'microblog' ? exists(post) : sql`false`;
  return [sql`CASE ${archive_documents.kind} WHEN 'post' THEN ${ofPosts} ELSE ${exists(link)} END`];
}
