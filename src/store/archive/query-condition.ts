/**
 * A query as an SQL condition: the only evaluation of queries, used by find, lists, pages, rules and the API.
 *
 * It is about documents `d` with `kind`, `thing`, `at`, `config` and `tsv`. These are rows of `archive_documents`, or documents of
 * items that are not indexed yet (rules).
 */

import { ANALYTICS } from '../../model/database-kind.ts';
import { engagementSql } from '../../model/counters.ts';
import { splitFoldedWords } from '../../lib/folded-words.ts';
import type { Query } from '../../model/search-query.ts';
import { resolveTimePoint } from '../../lib/time-point.ts';
import { join, type Statement, statement, verbatim } from '../db/statement.ts';
import { type DataScope, hiddenThings } from '../queries/data-scope.ts';
import { DOMAIN_SQL } from '../volume/domain.ts';
import { matchInflected, matchPhrase, matchWritten, type WordForms } from './word-forms.ts';

const TRUE = statement`true`;

/** What a condition needs besides the query. */
type ConditionContext = {
  forms: WordForms;
  /** For relative times. */
  now: Date;
};

/** The condition, never null. Documents are named `d`. */
export function buildCondition(query: Query, context: ConditionContext): Statement {
  const { now } = context;
  const build = (part: Query) => buildCondition(part, context);
  switch (query.is) {
    case 'and':
      return query.parts.length === 0 ? TRUE : statement`(${join(query.parts.map(build), ' AND ')})`;
    case 'or':
      return statement`(${join(query.parts.map(build), ' OR ')})`;
    case 'not':
      return statement`NOT ${build(query.part)}`;
    case 'word':
      return buildWordCondition(query, context);
    case 'phrase':
      return statement`d.tsv @@ ${matchPhrase(query.words)}::tsquery`;
    case 'author':
      // Found once per statement: a set for the index, or hashed beside another condition.
      return statement`(d.kind = 'post' AND d.thing IN (
        SELECT p.id FROM strandline.posts p
        WHERE p.author_id = ANY (ARRAY(SELECT id FROM strandline.authors WHERE lower(username) = lower(${query.value})))))`;
    case 'author-id':
      return statement`(d.kind = 'post' AND d.thing IN (
        SELECT p.id FROM strandline.posts p WHERE p.author_id = ${query.value}))`;
    case 'hashtag':
      return buildHashtagCondition(query.value);
    case 'lang':
      return isPost(statement`lower(p.lang) = ${query.value}`);
    case 'domain':
      return buildDomainCondition(query.value, 'with subdomains');
    case 'host':
      return buildDomainCondition(query.value, 'alone');
    case 'source':
      return buildSourceCondition(query.value);
    case 'from':
      return statement`d.at >= ${resolveTimePoint(query.value, now, 'start')}::timestamptz`;
    case 'to':
      return statement`d.at < ${resolveTimePoint(query.value, now, 'end')}::timestamptz`;
    case 'min-engagement':
      return isPost(
        statement`${verbatim(engagementSql('c.'))} >= ${query.value}::bigint`,
        statement`JOIN strandline.post_counters c ON c.post_id = p.id`,
      );
    case 'is':
      return TRAITS[query.value];
  }
}

/** A post `p` that meets a condition. @param joined further tables */
function isPost(where: Statement, joined: Statement = statement``): Statement {
  return statement`(d.kind = 'post' AND EXISTS (SELECT FROM strandline.posts p ${joined} WHERE p.id = d.thing AND ${where}))`;
}

const TRAITS = {
  // For a topic that found it, by its current goal.
  relevant: statement`EXISTS (
    SELECT FROM strandline.discoveries o JOIN strandline.judgements j ON j.discovery_id = o.id AND j.relevant
    JOIN strandline.topics t ON t.id = j.topic_id AND t.goal_hash = j.goal_hash WHERE o.kind = d.kind AND o.thing = d.thing)`,
  post: statement`d.kind = 'post'`,
  link: statement`d.kind = 'link'`,
  repost: isPost(statement`coalesce(p.is_repost, p.reposted_status_id IS NOT NULL)`),
  quote: isPost(statement`coalesce(p.is_quote_post, p.quoted_status_id IS NOT NULL)`),
  reply: isPost(
    statement`coalesce(p.in_reply_to_status_id, p.in_reply_to_user_id, p.in_reply_to_screen_name) IS NOT NULL`,
  ),
};

/** The word as written, or another form of it in the language of the document. */
function buildWordCondition(
  { word, folded }: Query & { is: 'word' },
  { forms }: ConditionContext,
): Statement {
  const written = statement`d.tsv @@ ${matchWritten(folded)}::tsquery`;
  const inflected = (forms.get(word) ?? []).map(
    ({ lexemes, configs }) =>
      statement`d.tsv @@ ${lexemes.map(matchInflected).join(' & ')}::tsquery AND d.config = ANY (${configs}::text[])`,
  );
  return statement`(${join([written, ...inflected], ' OR ')})`;
}

/** The words of the hashtag are in the vector, which has an index. */
function buildHashtagCondition(tag: string): Statement {
  const words = splitFoldedWords(tag);
  const isIndexed = words.length === 0 ? TRUE : statement`d.tsv @@ ${matchPhrase(words)}::tsquery`;
  const isAmong = isPost(
    statement`strandline.lowered(ltrim(h, '#')) = ${tag}`,
    statement`CROSS JOIN unnest(p.hashtags) h`,
  );
  return statement`(${isIndexed} AND ${isAmong})`;
}

/** Links of a host, and posts that link there. */
function buildDomainCondition(host: string, which: 'alone' | 'with subdomains'): Statement {
  const isThere = (name: Statement) =>
    which === 'alone'
      ? statement`${name} = ${host}`
      : statement`(${name} = ${host} OR right(${name}, length(${host}) + 1) = '.' || ${host})`;
  const post = isPost(
    isThere(statement`x.name`),
    statement`CROSS JOIN unnest(p.urls) a CROSS JOIN LATERAL (SELECT ${verbatim(DOMAIN_SQL)} AS name OFFSET 0) x`,
  );
  const link = statement`EXISTS (SELECT FROM strandline.links l WHERE l.id = d.thing AND ${isThere(statement`l.site`)})`;
  return statement`(${post} OR d.kind = 'link' AND ${link})`;
}

/** All posts have the source microblog. */
function buildSourceCondition(source: string): Statement {
  const link = statement`d.kind = 'link' AND EXISTS (
    SELECT FROM strandline.link_sightings g WHERE g.link_id = d.thing AND g.source = ${source})`;
  return source === 'microblog' ? statement`(d.kind = 'post' OR ${link})` : statement`(${link})`;
}

/** Names of searches whose sightings documents must have; all of them must apply. */
export type SightingScope = DataScope & { service?: string | undefined };

/** The condition that no person hides a document as not relevant for the topics of the scope. */
export function isShownIn(scope: SightingScope): Statement {
  return statement`(d.kind, d.thing) NOT IN (${hiddenThings(selectSearches(scope))})`;
}

/** The condition that a search of the scope saw a document itself. */
export function isSeenIn(scope: SightingScope): Statement {
  const searches = selectSearches(scope);
  if (searches === undefined) return TRUE;
  return statement`(
    d.kind = 'post' AND EXISTS (
      SELECT FROM strandline.post_sightings g WHERE g.post_id = d.thing AND g.search_id = ANY (${searches}))
    OR d.kind = 'link' AND EXISTS (
      SELECT FROM strandline.link_sightings g WHERE g.link_id = d.thing AND g.search_id = ANY (${searches})))`;
}

/** An array, which is evaluated once per statement; undefined: all searches. */
function selectSearches({ search, topic, service }: SightingScope): Statement | undefined {
  const named = Object.entries({ slug: search, topic, service }).flatMap(([column, name]) =>
    name === undefined ? [] : [statement`${verbatim(column)} = ${name}`],
  );
  return named.length === 0
    ? undefined
    : statement`ARRAY(SELECT id FROM ${verbatim(ANALYTICS)}.searches WHERE ${join(named, ' AND ')})`;
}
