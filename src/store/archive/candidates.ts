/** Documents of the archive that hold a word of the question and pass its filters, by Postgres' own ranking. */
import { and, desc, eq, exists, gte, lt, lte, type SQL, sql } from 'drizzle-orm';
import type { Source } from '../../contract/enumerations.ts';
import type { Database, Id } from '../database.ts';
import { searchIs } from '../reads/searches.ts';
import { linkSightingsView, postSightingsView, postsView, searchesView } from '../schema/analytics.ts';
import { archive_documents } from '../schema/archive.ts';
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

export async function findCandidates(
  { orm }: Pick<Database, 'orm'>,
  asked: ArchiveQuestion,
  { lexemes, says }: Question,
): Promise<Candidate[]> {
  const { kind, thing, config, words, tsv, sandbox, at } = archive_documents;
  const query = sql`${lexemes.map((lexeme) => `'${lexeme.replace(/['\\]/gu, '$&$&')}'`).join(' | ')}::tsquery`;
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
    .where(
      and(
        sql`${tsv} @@ ${query}`,
        eq(sandbox, asked.sandbox ?? false),
        asked.kind === undefined ? undefined : eq(kind, asked.kind),
        asked.from === undefined ? undefined : gte(at, asked.from),
        asked.to === undefined ? undefined : lte(at, asked.to),
        asked.before === undefined ? undefined : lt(at, asked.before),
        ...postFilters(asked),
        ...sightingFilters({ orm }, asked),
      ),
    )
    .orderBy(desc(sql`ts_rank(${tsv}, ${query}, 1)`), desc(at), desc(thing), kind)
    .limit(CANDIDATES);
}

function postFilters({ author, lang }: ArchiveQuestion): (SQL | undefined)[] {
  if (author === undefined && lang === undefined) return [];
  const { id, author_username, lang: postLang } = postsView;
  return [
    eq(archive_documents.kind, 'post'),
    sql`EXISTS (SELECT FROM ${postsView} WHERE ${and(
      eq(id, archive_documents.thing),
      author === undefined ? undefined : eq(sql`lower(${author_username})`, author.toLowerCase()),
      lang === undefined ? undefined : eq(sql`lower(${postLang})`, lang.toLowerCase()),
    )})`,
  ];
}

/** Which search, topic, service or source saw it. */
function sightingFilters(
  { orm }: Pick<Database, 'orm'>,
  { search, topic, service, source }: ArchiveQuestion,
): (SQL | undefined)[] {
  if (search === undefined && topic === undefined && service === undefined && source === undefined) return [];
  const seenBy = and(
    searchIs({ search, topic }),
    service === undefined ? undefined : eq(searchesView.service, service),
  );
  const one = { one: sql`1` };
  const post = orm
    .select(one)
    .from(postSightingsView)
    .innerJoin(searchesView, eq(searchesView.id, postSightingsView.search_id))
    .where(and(eq(postSightingsView.post_id, archive_documents.thing), seenBy));
  const link = orm
    .select(one)
    .from(linkSightingsView)
    .innerJoin(searchesView, eq(searchesView.id, linkSightingsView.search_id))
    .where(
      and(
        eq(linkSightingsView.link_id, archive_documents.thing),
        source === undefined ? undefined : eq(linkSightingsView.source, source),
        seenBy,
      ),
    );
  // Posts come from the microblog alone.
  const posts = source === undefined || source === 'microblog' ? exists(post) : sql`false`;
  return [sql`CASE ${archive_documents.kind} WHEN 'post' THEN ${posts} ELSE ${exists(link)} END`];
}
