/**
 * What a query matches, as an SQL condition: the one evaluation for find, lists, pages, rules and the API.
 *
 * It is about documents `d` with `kind`, `thing`, `at`, `config`, `tsv` (inflected forms of titles and texts, by language)
 * and `exact` (folded words as written, of titles, texts, authors, hashtags and sites). These are rows of
 * `archive_documents`, or documents of items that are not indexed yet (rules).
 */

import { ANALYTICS } from '../../model/database-kind.ts';
import { engagementSql } from '../../model/counters.ts';
import { splitFoldedWords } from '../../lib/folded-words.ts';
import { splitIndexWords } from '../../model/relevance.ts';
import { listQueryWords, type Query } from '../../model/search-query.ts';
import { resolveTimePoint } from '../../lib/time-point.ts';
import type { Queryable } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import type { DataScope } from '../queries/data-scope.ts';
import { DOMAIN_SQL } from '../derive/derive-tallies.ts';
import { TEXT_CONFIGS } from './archive-documents.ts';

/** Inflected forms of a word: which lexemes have which text search configurations (languages). */
export type WordForms = ReadonlyMap<
  string,
  readonly { lexemes: readonly string[]; configs: readonly string[] }[]
>;

/** The inflected forms of the words of queries, by word as written. Phrases have none. */
export async function readWordForms(db: Queryable, queries: readonly Query[]): Promise<WordForms> {
  const indexed = new Map<string, string>();
  for (const { word } of queries.flatMap(listQueryWords)) {
    const [only, ...others] = splitIndexWords(word);
    if (only !== undefined && others.length === 0) indexed.set(word, only);
  }
  if (indexed.size === 0) return new Map();
  type Row = { word: string; lexemes: string[]; configs: string[] };
  // Configurations without a lexeme for a word (stop words) have no row.
  const { rows } = await execute<Row>(
    db,
    statement`SELECT word, lexemes, array_agg(config) AS configs FROM (
        SELECT w.word, c.config, tsvector_to_array(to_tsvector(c.config::regconfig, w.word)) AS lexemes
        FROM unnest(${[...new Set(indexed.values())]}::text[]) w(word) CROSS JOIN unnest(${TEXT_CONFIGS}::text[]) c(config)
      ) f WHERE lexemes <> '{}' GROUP BY word, lexemes ORDER BY word, lexemes`,
  );
  return new Map(
    [...indexed].map(([word, indexedWord]) => [word, rows.filter((row) => row.word === indexedWord)]),
  );
}

/** What a condition needs besides the query. */
export type ConditionContext = {
  /** Adds a parameter to the statement. @returns its placeholder, such as `$3` */
  bind: (value: unknown) => string;
  forms: WordForms;
  /** For relative times. */
  now: Date;
};

const S = 'strandline';

/** The condition, never null. Documents are named `d`. */
export function buildCondition(query: Query, context: ConditionContext): string {
  const { bind, now } = context;
  const build = (part: Query) => buildCondition(part, context);
  switch (query.is) {
    case 'and':
      return query.parts.length === 0 ? 'true' : `(${query.parts.map(build).join(' AND ')})`;
    case 'or':
      return `(${query.parts.map(build).join(' OR ')})`;
    case 'not':
      return `NOT ${build(query.part)}`;
    case 'word':
      return buildWordCondition(query, context);
    case 'phrase':
      return `d.exact @@ ${bind(writePhrase(query.words))}::tsquery`;
    case 'author':
      // Found once per statement: a set for the index, or hashed beside another condition.
      return `(d.kind = 'post' AND d.thing IN (SELECT p.id FROM ${S}.posts p
        WHERE p.author_id = ANY (ARRAY(SELECT id FROM ${S}.authors WHERE lower(username) = lower(${bind(query.value)})))))`;
    case 'author-id':
      return `(d.kind = 'post' AND d.thing IN (SELECT p.id FROM ${S}.posts p WHERE p.author_id = ${bind(query.value)}))`;
    case 'hashtag':
      return buildHashtagCondition(query.value, context);
    case 'lang':
      return postSql('', `lower(p.lang) = ${bind(query.value)}`);
    case 'domain':
      return buildDomainCondition(bind(query.value), 'with subdomains');
    case 'host':
      return buildDomainCondition(bind(query.value), 'alone');
    case 'source':
      return buildSourceCondition(query.value, bind);
    case 'from':
      return `d.at >= ${bind(resolveTimePoint(query.value, now, 'start'))}::timestamptz`;
    case 'to':
      return `d.at < ${bind(resolveTimePoint(query.value, now, 'end'))}::timestamptz`;
    case 'min-engagement':
      return postSql(
        `JOIN ${S}.post_counters c ON c.post_id = p.id`,
        `${engagementSql('c.')} >= ${bind(query.value)}::bigint`,
      );
    case 'is':
      return TRAIT_SQL[query.value];
  }
}

/** A post with this condition. @param joined further tables */
function postSql(joined: string, where: string): string {
  return `(d.kind = 'post' AND EXISTS (SELECT FROM ${S}.posts p ${joined} WHERE p.id = d.thing AND ${where}))`;
}

const TRAIT_SQL = {
  post: `d.kind = 'post'`,
  link: `d.kind = 'link'`,
  repost: postSql('', 'coalesce(p.is_repost, p.reposted_status_id IS NOT NULL)'),
  quote: postSql('', 'coalesce(p.is_quote_post, p.quoted_status_id IS NOT NULL)'),
  reply: postSql(
    '',
    'coalesce(p.in_reply_to_status_id, p.in_reply_to_user_id, p.in_reply_to_screen_name) IS NOT NULL',
  ),
};

/** The word as written, or another form of it in the language of the document. */
function buildWordCondition(
  { word, folded }: Query & { is: 'word' },
  { bind, forms }: ConditionContext,
): string {
  const inflected = (forms.get(word) ?? []).map(
    ({ lexemes, configs }) =>
      `d.tsv @@ ${bind(lexemes.map(quoteLexeme).join(' & '))}::tsquery AND d.config = ANY (${bind(configs)}::text[])`,
  );
  return `(${[`d.exact @@ ${bind(quoteLexeme(folded))}::tsquery`, ...inflected].join(' OR ')})`;
}

/** The words of the hashtag are in `exact`, which has an index. */
function buildHashtagCondition(tag: string, { bind }: ConditionContext): string {
  const words = splitFoldedWords(tag);
  const indexed = words.length === 0 ? '' : `d.exact @@ ${bind(writePhrase(words))}::tsquery AND `;
  const among = postSql('CROSS JOIN unnest(p.hashtags) h', `${S}.lowered(ltrim(h, '#')) = ${bind(tag)}`);
  return `(${indexed}${among})`;
}

/** Links of a host, and posts that link there. */
function buildDomainCondition(host: string, which: 'alone' | 'with subdomains'): string {
  const isThere = (name: string) =>
    which === 'alone'
      ? `${name} = ${host}`
      : `(${name} = ${host} OR right(${name}, length(${host}) + 1) = '.' || ${host})`;
  const post = postSql(
    `CROSS JOIN unnest(p.urls) a CROSS JOIN LATERAL (SELECT ${DOMAIN_SQL} AS name OFFSET 0) x`,
    isThere('x.name'),
  );
  return `(${post} OR d.kind = 'link' AND EXISTS (SELECT FROM ${S}.links l WHERE l.id = d.thing AND ${isThere('l.site')}))`;
}

/** All posts have the source microblog. */
function buildSourceCondition(source: string, bind: ConditionContext['bind']): string {
  const link = `d.kind = 'link' AND EXISTS (SELECT FROM ${S}.link_sightings g WHERE g.link_id = d.thing AND g.source = ${bind(source)})`;
  return source === 'microblog' ? `(d.kind = 'post' OR ${link})` : `(${link})`;
}

/** Names of searches whose sightings documents must have; all of them must apply. */
export type SightingScope = DataScope & { service?: string | undefined };

/** The condition that a search of the scope saw a document itself. */
export function buildScopeCondition(
  { search, topic, service }: SightingScope,
  bind: ConditionContext['bind'],
): string {
  const named = Object.entries({ slug: search, topic, service }).flatMap(([column, name]) =>
    name === undefined ? [] : [`${column} = ${bind(name)}`],
  );
  if (named.length === 0) return 'true';
  // Evaluated once per statement.
  const searches = `ARRAY(SELECT id FROM ${ANALYTICS}.searches WHERE ${named.join(' AND ')})`;
  const seen = (kind: string) =>
    `d.kind = '${kind}' AND EXISTS (SELECT FROM ${S}.${kind}_sightings g WHERE g.${kind}_id = d.thing AND g.search_id = ANY (${searches}))`;
  return `(${seen('post')} OR ${seen('link')})`;
}

/** A `tsquery` for words in a row. */
export function writePhrase(words: readonly string[]): string {
  return words.map(quoteLexeme).join(' <-> ');
}

export function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replace(/['\\]/gu, '$&$&')}'`;
}
