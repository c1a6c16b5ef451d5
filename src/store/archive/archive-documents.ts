/** Documents for full-text search: which texts of a post or link they have, and how these become words. */

import { MAX_FOLDED_WORD_LENGTH, splitFoldedWords } from '../../lib/folded-words.ts';
import { addToGroup, type Groups } from '../../lib/group-by.ts';
import { splitIndexWords } from '../../model/relevance.ts';
import type { Id, Queryable } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { setImmediate } from 'node:timers/promises';

/** Longer tokens are not words. */
const MAX_INDEXED_WORD_LENGTH = 64;
/** A `tsvector` stores no position beyond 16,383. */
const MAX_INDEXED_WORDS = 10_000;
/** Positions in {@link writeVector}; positions of stems follow. Beyond 16,383, positions are lost, and the words stay. */
const MAX_WRITTEN_WORDS = 16_000;

/** A tenth of a millisecond each: between as many, other requests of the process proceed. */
const MAX_BUILT_AT_ONCE = 100;

/** The kind and ID of a post or link. */
export type ItemKey = { kind: string; thing: Id };
type Source = ItemKey & {
  at: Date;
  lang: string | null;
  title: string | null;
  body: string | null;
  /** Texts whose words and phrases match exactly; a phrase does not match across them. */
  parts: (string | null)[];
};

/** A document as the archive stores it; its vector is made of its words by {@link VECTOR_SQL}. */
export type ArchiveDocument = ItemKey & {
  at: Date;
  config: string;
  title: string;
  body: string;
  written: string;
};

/** The documents of posts, of posts nested in them, and of links. */
export async function readDocuments(tx: Queryable, things: readonly ItemKey[]): Promise<ArchiveDocument[]> {
  const posts = pickIds(things, 'post');
  const links = pickIds(things, 'link');
  // Posts and their nested posts (at most two levels): nested posts are indexed although no search found them. Looked up
  // one by one (`LATERAL ... OFFSET 0`): without statistics, Postgres would join all posts with all.
  const sources = [
    ...(posts.length === 0
      ? []
      : await rowsOf<Source>(
          tx,
          statement`WITH RECURSIVE wanted AS (
              SELECT id, service_id, quoted_status_id, reposted_status_id, 0 AS depth FROM strandline.posts WHERE id = ANY(${posts}::bigint[])
              UNION
              SELECT p.id, p.service_id, p.quoted_status_id, p.reposted_status_id, w.depth + 1
              FROM wanted w CROSS JOIN LATERAL unnest(ARRAY[w.quoted_status_id, w.reposted_status_id]) u(external_id)
              CROSS JOIN LATERAL (
                SELECT * FROM strandline.posts WHERE service_id = w.service_id AND external_id = u.external_id OFFSET 0
              ) p
              WHERE w.depth < 3
            )
            SELECT 'post' AS kind, p.id AS thing, least(p.created_at, p.first_seen_at) AS at,
              p.lang, NULL AS title, p.text AS body, ARRAY[p.text, a.username, a.name] || p.hashtags AS parts
            FROM (SELECT DISTINCT id FROM wanted) w
            CROSS JOIN LATERAL (SELECT * FROM strandline.posts WHERE id = w.id OFFSET 0) p
            LEFT JOIN strandline.authors a ON a.id = p.author_id`,
        )),
    ...(links.length === 0
      ? []
      : await rowsOf<Source>(
          tx,
          statement`SELECT 'link' AS kind, l.id AS thing, least(l.published_at, l.first_seen_at) AS at,
              NULL AS lang, l.title, concat_ws(' ', l.snippet, l.summary_description) AS body, ARRAY[l.title, l.snippet, l.site] AS parts
            FROM strandline.links l WHERE l.id = ANY(${links}::bigint[])`,
        )),
  ];
  const documents: ArchiveDocument[] = [];
  for (const [i, source] of sources.entries()) {
    if (i % MAX_BUILT_AT_ONCE === MAX_BUILT_AT_ONCE - 1) await setImmediate();
    documents.push(buildDocument(source));
  }
  return documents;
}

function pickIds(things: readonly ItemKey[], kind: 'post' | 'link'): Id[] {
  return [...new Set(things.filter((entry) => entry.kind === kind).map(({ thing }) => thing))];
}

/**
 * Splits words here instead of in Postgres, which with our locale C treats every non-ASCII character as a letter
 * (even quotation marks), does not lowercase `É`, and cannot segment Japanese.
 */
export function buildDocument({ lang, title, body, parts, ...rest }: Source): ArchiveDocument {
  const text = `${title ?? ''} ${body ?? ''}`;
  return {
    ...rest,
    config: chooseTextConfig(lang, text),
    title: splitWords(title),
    body: splitWords(body),
    written: writeVector(parts),
  };
}

/** A `tsvector` of folded words. A missing position between parts keeps phrases from matching across them. */
function writeVector(parts: readonly (string | null)[]): string {
  const positions: Groups<string, number> = new Map();
  let next = 1;
  for (const part of parts) {
    if (part === null) continue;
    for (const word of splitFoldedWords(part)) {
      if (next > MAX_WRITTEN_WORDS) break;
      if (word.length <= MAX_FOLDED_WORD_LENGTH) addToGroup(positions, word, next);
      next += 1;
    }
    next += 1;
  }
  // Words contain only letters, marks and digits, so they need no escaping.
  return [...positions].map(([word, places]) => `'${word}':${places.join(',')}`).join(' ');
}

function splitWords(text: string | null): string {
  return splitIndexWords(text ?? '')
    .filter(({ length }) => length <= MAX_INDEXED_WORD_LENGTH)
    .slice(0, MAX_INDEXED_WORDS)
    .join(' ');
}

/** Text search configurations with stemming in every Postgres since 15, by language code. */
const CONFIGS: Readonly<Record<string, string>> = {
  ar: 'arabic',
  ca: 'catalan',
  da: 'danish',
  de: 'german',
  el: 'greek',
  en: 'english',
  es: 'spanish',
  eu: 'basque',
  fi: 'finnish',
  fr: 'french',
  ga: 'irish',
  hi: 'hindi',
  hu: 'hungarian',
  hy: 'armenian',
  id: 'indonesian',
  in: 'indonesian',
  it: 'italian',
  lt: 'lithuanian',
  ne: 'nepali',
  nl: 'dutch',
  no: 'norwegian',
  nb: 'norwegian',
  pt: 'portuguese',
  ro: 'romanian',
  ru: 'russian',
  sr: 'serbian',
  sv: 'swedish',
  ta: 'tamil',
  tr: 'turkish',
  yi: 'yiddish',
};
/** No stemming, no stop words. */
const PLAIN_CONFIG = 'simple';
/** All that a document may have. */
export const TEXT_CONFIGS = [PLAIN_CONFIG, ...new Set(Object.values(CONFIGS))];
const LATIN_LETTERS = /\p{Script=Latin}/u;

/**
 * @param lang as reported by the post (`en`, `pt-BR`); if null, text in Latin script counts as English, whose
 *   stemming does no harm to other languages as long as queries are stemmed alike
 */
function chooseTextConfig(lang: string | null, text: string): string {
  const known = lang === null ? undefined : CONFIGS[lang.toLowerCase().split(/[-_]/u)[0] ?? ''];
  if (known !== undefined) return known;
  const unsaid = lang === null || lang === '' || lang === 'und';
  return unsaid && LATIN_LETTERS.test(text) ? 'english' : PLAIN_CONFIG;
}

/**
 * The vector of documents `r` that queries search: words as written first, so that their positions stay, then stems by language
 * (`word-forms.ts`).
 */
export const VECTOR_SQL = `
  r.written::tsvector || setweight(to_tsvector(r.config::regconfig, r.title), 'A')
    || setweight(to_tsvector(r.config::regconfig, r.body), 'B')`;
