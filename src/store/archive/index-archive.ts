/**
 * Fills the archive after the save: building a `tsvector` in the save would cost a quarter of its throughput
 * (docs/internals/ranking.md). New items come from the feed, whose IDs are in commit order, so none is missed; later
 * text changes are recorded by triggers.
 */

import { splitIndexWords } from '../../domain/relevance.ts';
import { type Database, type Id, inTransaction, type Transaction } from '../database.ts';

/** Feed entries per transaction: under a second, even if each is an abstract. */
const BATCH_SIZE = 1_000;
/** Longer tokens are not words. */
const MAX_INDEXED_WORD_LENGTH = 64;
/** A `tsvector` stores no position beyond 16,383. */
const MAX_INDEXED_WORDS = 10_000;

type Thing = { kind: string; thing: Id };
type Source = Thing & {
  at: Date;
  sandbox: boolean;
  lang: string | null;
  title: string | null;
  body: string | null;
};

/**
 * Brings the archive up to date.
 * @param options.batches maximum batches of 1,000 items; the rest is left to the next call
 * @returns whether nothing is left; false if another process is indexing
 */
export async function fillArchive(
  db: Database,
  { batches, signal }: { batches: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  for (let n = 0; n < batches; n += 1) {
    signal?.throwIfAborted();
    const step = await inTransaction(db, fillBatch);
    if (step !== 'more') return step === 'done';
  }
  return false;
}

export type ArchiveBacklog = { indexed: number; total: number };

/** How many discoveries of posts and links are indexed; null if all are. */
export async function readArchiveBacklog({ pool }: Pick<Database, 'pool'>): Promise<ArchiveBacklog | null> {
  const { rows } = await pool.query<{ behind: boolean }>(SELECT_BEHIND);
  if (rows[0]?.behind !== true) return null;
  const counted = await pool.query<{ indexed: string; total: string }>(COUNT_INDEXED);
  const { indexed = '0', total = '0' } = counted.rows[0] ?? {};
  return { indexed: Number(indexed), total: Number(total) };
}

/** Locks the progress row while writing a batch: with a single writer, lexeme counts are exact. */
async function fillBatch(tx: Transaction): Promise<'more' | 'done' | 'busy'> {
  const { rows: progress } = await tx.query<{ discovery_id: Id }>(LOCK_PROGRESS);
  const before = progress[0]?.discovery_id;
  if (before === undefined) return 'busy';
  const { rows: feed } = await tx.query<Thing & { id: Id }>(SELECT_FEED, [before, BATCH_SIZE]);
  const { rows: changes } = await tx.query<Thing>(TAKE_CHANGES, [BATCH_SIZE]);
  const things = [...feed, ...changes];
  const posts = pickIds(things, 'post');
  const links = pickIds(things, 'link');
  const sources = [
    ...(posts.length === 0 ? [] : (await tx.query<Source>(SELECT_POSTS, [posts])).rows),
    ...(links.length === 0 ? [] : (await tx.query<Source>(SELECT_LINKS, [links])).rows),
  ];
  if (sources.length > 0) await tx.query(WRITE_DOCUMENTS, [JSON.stringify(sources.map(buildDocument))]);
  const after = feed.at(-1)?.id;
  if (after !== undefined) await tx.query(UPDATE_PROGRESS, [after]);
  return feed.length === BATCH_SIZE || changes.length === BATCH_SIZE ? 'more' : 'done';
}

function pickIds(things: readonly Thing[], kind: 'post' | 'link'): Id[] {
  return [...new Set(things.filter((entry) => entry.kind === kind).map(({ thing }) => thing))];
}

/**
 * Splits words here instead of in Postgres, which with our locale C treats every non-ASCII character as a letter
 * (even quotation marks), does not lowercase `É`, and cannot segment Japanese.
 */
function buildDocument({ thing, lang, title, body, ...rest }: Source): object {
  const text = `${title ?? ''} ${body ?? ''}`;
  return {
    ...rest,
    thing: String(thing),
    config: chooseTextConfig(lang, text),
    title: splitWords(title),
    body: splitWords(body),
  };
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

const S = 'strandline';

/** Only the holder of this row writes; others skip. */
const LOCK_PROGRESS = `SELECT discovery_id FROM ${S}.archive_progress FOR UPDATE SKIP LOCKED`;

/** $1 last discovery read, $2 limit. Includes completions and spikes, which are skipped. */
const SELECT_FEED = `SELECT id, kind, thing FROM ${S}.discoveries WHERE id > $1 ORDER BY id LIMIT $2`;

const SELECT_BEHIND = `
SELECT EXISTS (SELECT FROM ${S}.discoveries
  WHERE id > (SELECT discovery_id FROM ${S}.archive_progress) AND kind IN ('post', 'link')) AS behind`;

const COUNT_INDEXED = `
SELECT count(*) FILTER (WHERE id <= (SELECT discovery_id FROM ${S}.archive_progress)) AS indexed, count(*) AS total
FROM ${S}.discoveries WHERE kind IN ('post', 'link')`;

/** $1 limit. */
const TAKE_CHANGES = `
DELETE FROM ${S}.archive_changes
WHERE id IN (SELECT id FROM ${S}.archive_changes ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING kind, thing`;

/** $1 last discovery read. */
const UPDATE_PROGRESS = `UPDATE ${S}.archive_progress SET discovery_id = $1`;

/**
 * Posts and their nested posts (at most two levels), which no search found but which are indexed too. Looked up one
 * by one (`LATERAL ... OFFSET 0`): without statistics, Postgres would join all posts with all. $1 IDs.
 */
export const SELECT_POSTS = `
WITH RECURSIVE wanted AS (
  SELECT id, service_id, quoted_status_id, reposted_status_id, 0 AS depth FROM ${S}.posts WHERE id = ANY($1::bigint[])
  UNION
  SELECT p.id, p.service_id, p.quoted_status_id, p.reposted_status_id, w.depth + 1
  FROM wanted w CROSS JOIN LATERAL unnest(ARRAY[w.quoted_status_id, w.reposted_status_id]) u(external_id)
  CROSS JOIN LATERAL (
    SELECT * FROM ${S}.posts WHERE service_id = w.service_id AND external_id = u.external_id OFFSET 0
  ) p
  WHERE w.depth < 3
)
SELECT 'post' AS kind, p.id AS thing, coalesce(p.created_at, p.first_seen_at) AS at, s.kind = 'sandbox' AS sandbox,
  p.lang, NULL AS title, p.text AS body
FROM (SELECT DISTINCT id FROM wanted) w
CROSS JOIN LATERAL (SELECT * FROM ${S}.posts WHERE id = w.id OFFSET 0) p JOIN ${S}.services s ON s.id = p.service_id`;

/** A link belongs to no service: it is simulated if only sandbox searches found it. $1 IDs. */
export const SELECT_LINKS = `
SELECT 'link' AS kind, l.id AS thing, coalesce(l.published_at, l.first_seen_at) AS at,
  NOT EXISTS (SELECT FROM ${S}.link_sightings ls JOIN ${S}.searches se ON se.id = ls.search_id
    JOIN ${S}.services s ON s.id = se.service_id WHERE ls.link_id = l.id AND s.kind <> 'sandbox') AS sandbox,
  NULL AS lang, l.title, concat_ws(' ', l.snippet, l.summary_description) AS body
FROM ${S}.links l WHERE l.id = ANY($1::bigint[])`;

/**
 * Writes new and changed documents, and updates counts: documents per lexeme with an upper bound of their time, and
 * totals of documents and words. Subtracts the previous versions. All parts see the documents as they were before the
 * statement. $1 documents.
 */
const WRITE_DOCUMENTS = `
WITH given AS MATERIALIZED (
  SELECT r.kind, r.thing, r.at, r.sandbox, r.config,
    setweight(to_tsvector(r.config::regconfig, r.title), 'A') || setweight(to_tsvector(r.config::regconfig, r.body), 'B') AS tsv
  FROM json_to_recordset($1::json) AS r(kind text, thing bigint, at timestamptz, sandbox boolean, config text, title text, body text)
), old AS MATERIALIZED (
  SELECT d.* FROM given g
  CROSS JOIN LATERAL (SELECT * FROM ${S}.archive_documents WHERE kind = g.kind AND thing = g.thing OFFSET 0) d
), fresh AS MATERIALIZED (
  SELECT g.*, (SELECT coalesce(sum(cardinality(positions)), 0)::integer FROM unnest(g.tsv)) AS words
  FROM given g LEFT JOIN old o USING (kind, thing)
  WHERE o.thing IS NULL OR (o.at, o.sandbox, o.config, o.tsv) IS DISTINCT FROM (g.at, g.sandbox, g.config, g.tsv)
), gone AS (
  SELECT o.* FROM old o JOIN fresh USING (kind, thing)
), counted AS (
  INSERT INTO ${S}.archive_lexemes AS l (lexeme, sandbox, documents, newest_at)
  SELECT lexeme, sandbox, sum(n), coalesce(max(at), '-infinity') FROM (
    SELECT u.lexeme, f.sandbox, 1 AS n, f.at, NULL::timestamptz AS was_at FROM fresh f, unnest(f.tsv) u
    UNION ALL SELECT u.lexeme, g.sandbox, -1, NULL, g.at FROM gone g, unnest(g.tsv) u
  ) c GROUP BY lexeme, sandbox HAVING sum(n) <> 0 OR max(at) > max(was_at) ORDER BY lexeme, sandbox
  ON CONFLICT (lexeme, sandbox) DO UPDATE
    SET documents = l.documents + excluded.documents, newest_at = greatest(l.newest_at, excluded.newest_at)
), sized AS (
  INSERT INTO ${S}.archive_corpora AS c (sandbox, config, documents, words)
  SELECT sandbox, config, sum(n), sum(n * words) FROM (
    SELECT sandbox, config, words, 1 AS n FROM fresh UNION ALL SELECT sandbox, config, words, -1 FROM gone
  ) s GROUP BY sandbox, config ORDER BY sandbox, config
  ON CONFLICT (sandbox, config) DO UPDATE
    SET documents = c.documents + excluded.documents, words = c.words + excluded.words
)
INSERT INTO ${S}.archive_documents AS d (kind, thing, at, sandbox, config, words, tsv)
SELECT kind, thing, at, sandbox, config, words, tsv FROM fresh
ON CONFLICT (kind, thing) DO UPDATE SET at = excluded.at, sandbox = excluded.sandbox, config = excluded.config,
  words = excluded.words, tsv = excluded.tsv`;

/**
 * Lexeme of each query word in each language of the archive, and the number of documents with it; null for a stop
 * word. Always includes English, for its stop words. $1 words, $2 whether simulated.
 */
export const SELECT_TERMS = `
SELECT c.config, w.ord::integer AS ord, v.lexeme, l.documents
FROM (SELECT config FROM ${S}.archive_corpora WHERE sandbox = $2 AND documents > 0 UNION SELECT 'english') c
CROSS JOIN unnest($1::text[]) WITH ORDINALITY w(word, ord)
LEFT JOIN LATERAL unnest(tsvector_to_array(to_tsvector(c.config::regconfig, w.word))) v(lexeme) ON true
LEFT JOIN ${S}.archive_lexemes l ON l.lexeme = v.lexeme AND l.sandbox = $2`;
