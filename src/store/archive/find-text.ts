/**
 * Full-text search for people and programs: hits with the words that were found in them. What the sandbox invented
 * and what was found outside are searched apart, each by its own counts, and every hit says where it is from.
 */
import { excerptOf, type Marked, wordsOf } from '../../relevance/excerpt.ts';
import type { Database } from '../database.ts';
import type { LinkRow } from '../reads/links.ts';
import type { PostRow } from '../reads/posts.ts';
import type { ArchiveQuestion } from './candidates.ts';
import { type Finder, readFinders, readWorlds } from './finders.ts';
import { fillArchive } from './index-archive.ts';
import { type Question, readQuestion } from './question.ts';
import { type ArchiveHit, rankArchive } from './search-archive.ts';

export type { Marked } from '../../relevance/excerpt.ts';
export type { Finder } from './finders.ts';

/** Hits at most: what stands behind them is better found by more words or a filter. */
export const FOUND_MOST = 100;

export type TextQuestion = Pick<
  ArchiveQuestion,
  'text' | 'sandbox' | 'kind' | 'search' | 'topic' | 'service' | 'author' | 'lang' | 'from' | 'before'
> & {
  /** At most {@link FOUND_MOST}. */
  limit: number;
};

export type TextHit = {
  kind: 'post' | 'link';
  /** Only to compare hits with the same `sandbox` in one answer. */
  score: number;
  /** Invented: only the sandbox ever found it. */
  sandbox: boolean;
  /** Names of the services that told of it. */
  services: string[];
  /** Searches that found it, the first one first; none where it only stands inside a post that one found. */
  found_by: Finder[];
  /** Its own time; where it tells none, when it was first seen. */
  at: Date;
  /** Of a link. */
  title: Marked[];
  /** The part of the text that holds most of what was looked for. */
  excerpt: Marked[];
  /** One of the two. */
  post: PostRow | null;
  link: LinkRow | null;
};

/** Thousands of findings that a question waits for, a third of a second each; the worker sees to the rest. */
const CAUGHT_UP_BATCHES = 2;

/**
 * What was found by now is found here, if the archive is not far behind. Best first; where searches of both worlds are asked for, what was found outside the sandbox stands before what it
 * invented. Nothing where no word of the question is known.
 */
export async function findText(db: Database, asked: TextQuestion): Promise<TextHit[]> {
  await fillArchive(db, { batches: CAUGHT_UP_BATCHES });
  const worlds = asked.sandbox === undefined ? await readWorlds(db, asked) : [{ sandbox: asked.sandbox }];
  const hits: TextHit[] = [];
  for (const { sandbox } of worlds) {
    if (hits.length < asked.limit) hits.push(...(await findIn(db, { ...asked, sandbox }, hits.length)));
  }
  return hits;
}

async function findIn(
  db: Pick<Database, 'orm' | 'pool'>,
  asked: TextQuestion & { sandbox: boolean },
  before: number,
): Promise<TextHit[]> {
  const question = await readQuestion(db, asked);
  const hits = await rankArchive(
    db,
    { ...asked, limit: Math.min(FOUND_MOST, asked.limit) - before },
    question,
  );
  const idsOf = (kind: ArchiveHit['kind']) => hits.flatMap((hit) => (hit.kind === kind ? [hit.id] : []));
  const [posts, links, says] = await Promise.all([
    readFinders(db, 'post', idsOf('post')),
    readFinders(db, 'link', idsOf('link')),
    readSays(db, hits, question),
  ]);
  return hits.map((hit) => {
    const found_by = (hit.kind === 'post' ? posts : links).get(hit.id) ?? [];
    return { ...shown(hit, says(hit.config), found_by), sandbox: asked.sandbox };
  });
}

function shown(
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
      excerpt: excerptOf(post.text, says),
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
    title: excerptOf(link.title ?? '', says),
    excerpt: excerptOf(bodyOf(link), says),
  };
}

function bodyOf({ snippet, summary_description }: LinkRow): string {
  return [snippet, summary_description].filter((text) => text !== null).join(' ');
}

/** Words as they stand in texts, brought to their stems. $1 and $2: a configuration and a word each. */
const STEMS = `
SELECT config, word, tsvector_to_array(to_tsvector(config::regconfig, word)) AS lexemes
FROM unnest($1::text[], $2::text[]) AS u(config, word)`;

/** What each word of the hits says of the question, by the configuration of the hit it stands in. */
async function readSays(
  { pool }: Pick<Database, 'pool'>,
  hits: readonly ArchiveHit[],
  { says }: Question,
): Promise<(config: string) => (word: string) => number> {
  const byConfig = new Map<string, Set<string>>();
  for (const hit of hits) {
    const words = byConfig.get(hit.config) ?? new Set();
    const texts = hit.kind === 'post' ? [hit.post.text] : [hit.link.title ?? '', bodyOf(hit.link)];
    for (const word of texts.flatMap(wordsOf)) words.add(word);
    byConfig.set(hit.config, words);
  }
  const pairs = [...byConfig].flatMap(([config, words]) => [...words].map((word) => ({ config, word })));
  const weights = new Map<string, Map<string, number>>();
  if (pairs.length === 0) return () => () => 0;
  const { rows } = await pool.query<{ config: string; word: string; lexemes: string[] }>(STEMS, [
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
