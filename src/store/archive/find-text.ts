/**
 * Full-text search for display: hits with highlighted words. Simulated and real results are searched separately, each
 * with its own statistics, and every hit is marked.
 */

import { buildExcerpt, type ExcerptPiece, listExcerptWords } from '../../domain/excerpt.ts';
import type { Database, Id, Reads } from '../database.ts';
import type { LinkRow } from '../queries/links.ts';
import type { PostRow } from '../queries/posts.ts';
import { isSearch } from '../queries/search-list.ts';
import { linkSightingsView, postSightingsView } from '../schema/analytics/post-views.ts';
import { searchesView } from '../schema/analytics/topic-views.ts';
import type { ArchiveQuestion } from './archive-candidates.ts';
import { type Question, readQuestion } from './archive-question.ts';
import { fillArchive } from './index-archive.ts';
import { type ArchiveHit, rankArchive } from './search-archive.ts';
import { and, asc, eq, inArray, sql, type SQL } from 'drizzle-orm';

export type { ExcerptPiece } from '../../domain/excerpt.ts';

/** Maximum hits: to see others, add words or a filter. */
export const MAX_HITS = 100;

type TextQuestion = Pick<
  ArchiveQuestion,
  'text' | 'sandbox' | 'kind' | 'search' | 'topic' | 'service' | 'author' | 'lang' | 'from' | 'before'
> & {
  /** At most {@link MAX_HITS}. */
  limit: number;
};

export type TextHit = {
  kind: 'post' | 'link';
  /** Comparable only among hits with the same `sandbox` of one response. */
  score: number;
  /** Simulated: found only in the sandbox. */
  sandbox: boolean;
  /** Names of the services that returned it. */
  services: string[];
  /** Searches that found it, first one first; empty for a nested post. */
  found_by: Finder[];
  /** Publication time; if unknown, when it was first seen. */
  at: Date;
  /** For links. */
  title: ExcerptPiece[];
  /** The part of the text with most matching words. */
  excerpt: ExcerptPiece[];
  /** Exactly one of the two is set. */
  post: PostRow | null;
  link: LinkRow | null;
};

/** Maximum batches of 1,000 items to index before a search, a third of a second each; the worker indexes the rest. */
const CAUGHT_UP_BATCHES = 2;

/**
 * Indexes new items first, unless the archive is far behind. Returns best hits first, with real results before
 * simulated ones if both are requested; nothing if no word of the query is known.
 */
export async function findText(db: Database, textQuery: TextQuestion): Promise<TextHit[]> {
  await fillArchive(db, { batches: CAUGHT_UP_BATCHES });
  const worlds =
    textQuery.sandbox === undefined
      ? await readServiceKinds(db, textQuery)
      : [{ sandbox: textQuery.sandbox }];
  const hits: TextHit[] = [];
  for (const { sandbox } of worlds) {
    if (hits.length < textQuery.limit)
      hits.push(...(await findIn(db, { ...textQuery, sandbox }, hits.length)));
  }
  return hits;
}

async function findIn(
  db: Pick<Database, 'orm' | 'pool'>,
  textQuery: TextQuestion & { sandbox: boolean },
  before: number,
): Promise<TextHit[]> {
  const question = await readQuestion(db, textQuery);
  const hits = await rankArchive(
    db,
    { ...textQuery, limit: Math.min(MAX_HITS, textQuery.limit) - before },
    question,
  );
  const idsOf = (kind: ArchiveHit['kind']) => hits.flatMap((hit) => (hit.kind === kind ? [hit.id] : []));
  const [posts, links, says] = await Promise.all([
    readFinders(db, 'post', idsOf('post')),
    readFinders(db, 'link', idsOf('link')),
    readPhrases(db, hits, question),
  ]);
  return hits.map((hit) => {
    const found_by = (hit.kind === 'post' ? posts : links).get(hit.id) ?? [];
    return { ...showHit(hit, says(hit.config), found_by), sandbox: textQuery.sandbox };
  });
}

function showHit(
  hit: ArchiveHit,
  says: (word: string) => number,
  found_by: Finder[],
): Omit<TextHit, 'sandbox'> {
  const { kind, score } = hit;
  if (hit.kind === 'post') {
    const { post } = hit;
    return {
      kind,
      score,
      found_by,
      services: [post.service],
      post,
      link: null,
      at: post.created_at ?? post.first_seen_at,
      title: [],
      excerpt: buildExcerpt(post.text, says),
    };
  }
  const { link } = hit;
  return {
    kind,
    score,
    found_by,
    services: [...new Set(found_by.map(({ service }) => service))],
    post: null,
    link,
    at: link.published_at ?? link.first_seen_at,
    title: buildExcerpt(link.title ?? '', says),
    excerpt: buildExcerpt(joinBody(link), says),
  };
}

function joinBody({ snippet, summary_description }: LinkRow): string {
  return [snippet, summary_description].filter((text) => text !== null).join(' ');
}

/** Stems of words. $1 and $2: a configuration and a word each. */
const SELECT_STEMS = `
SELECT config, word, tsvector_to_array(to_tsvector(config::regconfig, word)) AS lexemes
FROM unnest($1::text[], $2::text[]) AS u(config, word)`;

/** Weights of words in the hits, by text search configuration. */
async function readPhrases(
  { pool }: Pick<Database, 'pool'>,
  hits: readonly ArchiveHit[],
  { says }: Question,
): Promise<(config: string) => (word: string) => number> {
  const byConfig = new Map<string, Set<string>>();
  for (const hit of hits) {
    const words = byConfig.get(hit.config) ?? new Set();
    const texts = hit.kind === 'post' ? [hit.post.text] : [hit.link.title ?? '', joinBody(hit.link)];
    for (const word of texts.flatMap(listExcerptWords)) words.add(word);
    byConfig.set(hit.config, words);
  }
  const pairs = [...byConfig].flatMap(([config, words]) => [...words].map((word) => ({ config, word })));
  const weights = new Map<string, Map<string, number>>();
  if (pairs.length === 0) return () => () => 0;
  const { rows } = await pool.query<{ config: string; word: string; lexemes: string[] }>(SELECT_STEMS, [
    pairs.map(({ config }) => config),
    pairs.map(({ word }) => word),
  ]);
  for (const { config, word, lexemes } of rows) {
    const weight = lexemes.reduce((most, lexeme) => Math.max(most, says.get(config)?.get(lexeme) ?? 0), 0);
    if (weight === 0) continue;
    weights.set(config, (weights.get(config) ?? new Map<string, number>()).set(word, weight));
  }
  return (config) => (word) => weights.get(config)?.get(word) ?? 0;
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
  const findersById = new Map<Id, Finder[]>();
  if (ids.length === 0) return findersById;
  const view = kind === 'post' ? postSightingsView : linkSightingsView;
  const thing = kind === 'post' ? postSightingsView.post_id : linkSightingsView.link_id;
  const { slug, topic, service } = searchesView;
  const rows = await orm
    .select({ thing, search: slug, topic, service })
    .from(view)
    .innerJoin(searchesView, eq(searchesView.id, view.search_id))
    .where(inArray(thing, [...ids]))
    .orderBy(asc(view.first_seen_at), asc(slug))
    .limit(MAX_FINDERS);
  for (const { thing: id, ...finder } of rows) {
    const finders = findersById.get(id);
    if (finders === undefined) findersById.set(id, [finder]);
    else finders.push(finder);
  }
  return findersById;
}

/**
 * Whether the requested searches use real services (first), the sandbox, or both; empty if there is no such search.
 */
async function readServiceKinds(
  { orm }: Reads,
  textQuery: { search?: string | undefined; topic?: string | undefined; service?: string | undefined },
): Promise<{ sandbox: boolean }[]> {
  const sandbox: SQL<boolean> = sql<boolean>`${searchesView.service_kind} = 'sandbox'`;
  return orm
    .selectDistinct({ sandbox })
    .from(searchesView)
    .where(
      and(
        isSearch(textQuery),
        textQuery.service === undefined ? undefined : eq(searchesView.service, textQuery.service),
      ),
    )
    .orderBy(sandbox)
    .limit(2);
}
