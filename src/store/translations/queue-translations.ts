/**
 * Which texts of topics with a reading language are to be translated, and what became of them. A text is translated once: copies,
 * also of other topics, have its translation; an edited text is another.
 */
import { DAY, MINUTE } from '../../lib/time.ts';
import type { TranslatedKind, TranslatedText } from '../../model/translating.ts';
import { baseLanguage } from '../../model/translating.ts';
import { type Id, type Pooled, type Transaction, writeRows } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';

/** What a search found before is not translated. */
const MAX_AGE_MS = 7 * DAY;
/** Of a search, the newest. */
const MAX_FOUND = 300;
/** Longer than a request takes: a pass that died has asked for these. */
const LEASE_MS = 3 * MINUTE;
/** Responses without a translation of a text that can be used. */
const MAX_UNUSABLE = 2;

export type TranslatedTopic = { id: Id; slug: string; language: string };

/** Topics whose readers want translations: one read of a small table. */
export async function readTranslatedTopics({ pool }: Pooled): Promise<TranslatedTopic[]> {
  return rowsOf<TranslatedTopic>(
    pool,
    statement`SELECT id, slug, language FROM strandline.topics
      WHERE language IS NOT NULL AND archived_at IS NULL AND purged_at IS NULL ORDER BY id`,
    'translated_topics',
  );
}

/** A text, with all things of a topic that have it. */
export type WaitingText = { hash: string; text: string; things: { kind: TranslatedKind; thing: Id }[] };

type FoundText = { kind: TranslatedKind; thing: Id; text: string; hash: string };

/**
 * Takes texts of a topic to translate, the newest first, and leases them: texts of posts that are not in the language, titles and
 * snippets of links, and statements of the newest answers. Copies of a text that was translated get its translation. The caller
 * keeps erasing out (`lockAgainstErasing`).
 * @param most.units UTF-16 code units of all texts together; the first text is taken however long it is
 * @param most.each of a text: of a longer one, only its beginning is read
 */
export async function takeWaitingTexts(
  tx: Transaction,
  topic: TranslatedTopic,
  { most, now }: { most: { texts: number; units: number; each: number }; now: Date },
): Promise<WaitingText[]> {
  const { language } = topic;
  const found = await readUntranslated(tx, topic, { limit: 10 * most.texts, now });
  if (found.length === 0) return [];
  const copied = new Set(await copyTranslations(tx, language, found));
  const waiting = new Map<string, WaitingText>();
  let units = 0;
  for (const { kind, thing, text, hash } of found) {
    if (copied.has(hash)) continue;
    const known = waiting.get(hash);
    const length = Math.min(text.length, most.each);
    if (known !== undefined) known.things.push({ kind, thing });
    else if (waiting.size < most.texts && (waiting.size === 0 || units + length <= most.units)) {
      waiting.set(hash, { hash, text, things: [{ kind, thing }] });
      units += length;
    }
  }
  const leased = await leaseTexts(tx, language, [...waiting.values()], now);
  return [...waiting.values()].filter(({ hash }) => leased.has(hash));
}

/** What was found of late, and has no translation, that of another text, or one that is tried again. */
async function readUntranslated(
  tx: Transaction,
  { id, language }: TranslatedTopic,
  { limit, now }: { limit: number; now: Date },
): Promise<FoundText[]> {
  return rowsOf<FoundText>(
    tx,
    statement`WITH found AS (
        SELECT d.kind, d.thing, max(d.id) AS at FROM strandline.searches s
        CROSS JOIN LATERAL (
          SELECT id, kind, thing FROM strandline.discoveries
          WHERE search_id = s.id AND kind IN ('post', 'link') AND NOT hidden AND at > ${new Date(now.getTime() - MAX_AGE_MS)}
          ORDER BY at DESC LIMIT ${MAX_FOUND}
        ) d
        WHERE s.topic_id = ${id} AND s.archived_at IS NULL GROUP BY d.kind, d.thing
      ), said AS (
        SELECT DISTINCT c.claim_id FROM strandline.searches s
        CROSS JOIN LATERAL (
          SELECT id FROM strandline.completions WHERE search_id = s.id ORDER BY observed_at DESC, id DESC LIMIT 1
        ) k
        JOIN strandline.completion_claims c ON c.completion_id = k.id
        WHERE s.topic_id = ${id} AND s.archived_at IS NULL
      ), texts AS (
        SELECT 'claim' AS kind, c.id AS thing, c.text, 0 AS place, 0::bigint AS at FROM said JOIN strandline.claims c ON c.id = said.claim_id
        UNION ALL
        SELECT 'post', p.id, p.text, 1, f.at FROM found f JOIN strandline.posts p ON f.kind = 'post' AND p.id = f.thing
          AND split_part(lower(coalesce(p.lang, '')), '-', 1) <> ${baseLanguage(language)}
        UNION ALL
        SELECT x.kind, l.id, x.text, x.place, f.at FROM found f JOIN strandline.links l ON f.kind = 'link' AND l.id = f.thing
        CROSS JOIN LATERAL (VALUES ('title', l.title, 1), ('snippet', l.snippet, 2)) x(kind, text, place)
      )
      SELECT x.kind, x.thing, x.text, md5(x.text) AS hash FROM texts x
      LEFT JOIN strandline.translations t ON t.kind = x.kind AND t.thing = x.thing AND t.language = ${language}
      WHERE x.text <> '' AND (t.hash IS NULL OR t.hash <> md5(x.text) OR t.next_at <= ${now})
      ORDER BY x.place, x.at DESC, x.thing, x.kind LIMIT ${limit}`,
    'untranslated_texts',
  );
}

/** @returns hashes of texts that were translated, or are not to be; all things with such a text have what became of it */
async function copyTranslations(
  tx: Transaction,
  language: string,
  found: readonly FoundText[],
): Promise<string[]> {
  const rows = await rowsOf<{ hash: string }>(
    tx,
    statement`INSERT INTO strandline.translations AS t (kind, thing, language, hash, text, model, translated_at)
      SELECT r.kind, r.thing, ${language}, r.hash, k.text, k.model, k.translated_at
      FROM json_to_recordset(${toThings(found)}::json) r(kind text, thing bigint, hash text)
      CROSS JOIN LATERAL (
        SELECT * FROM strandline.translations WHERE hash = r.hash AND language = ${language} AND next_at IS NULL
        ORDER BY translated_at NULLS LAST LIMIT 1
      ) k
      ON CONFLICT (kind, thing, language) DO UPDATE SET hash = excluded.hash, text = excluded.text, model = excluded.model,
        translated_at = excluded.translated_at, next_at = NULL, unusable = 0
      RETURNING t.hash`,
  );
  return rows.map(({ hash }) => hash);
}

/** @returns hashes of texts of which at least one thing was leased: another pass may have taken the others */
async function leaseTexts(
  tx: Transaction,
  language: string,
  texts: readonly WaitingText[],
  now: Date,
): Promise<Set<string>> {
  const things = texts.flatMap(({ hash, things: its }) => its.map((thing) => ({ ...thing, hash })));
  const rows = await rowsOf<{ hash: string }>(
    tx,
    statement`INSERT INTO strandline.translations AS t (kind, thing, language, hash, next_at)
      SELECT r.kind, r.thing, ${language}, r.hash, ${new Date(now.getTime() + LEASE_MS)}
      FROM json_to_recordset(${toThings(things)}::json) r(kind text, thing bigint, hash text)
      ON CONFLICT (kind, thing, language) DO UPDATE SET hash = excluded.hash, text = NULL, model = NULL, translated_at = NULL,
        next_at = excluded.next_at, unusable = CASE WHEN t.hash = excluded.hash THEN t.unusable ELSE 0 END
        WHERE t.hash <> excluded.hash OR t.next_at <= ${now}
      RETURNING t.hash`,
  );
  return new Set(rows.map(({ hash }) => hash));
}

/** In one order, so that concurrent passes cannot deadlock. */
function toThings(things: readonly { kind: TranslatedKind; thing: Id; hash: string }[]): string {
  const sorted = things.toSorted((a, b) =>
    a.kind === b.kind ? Number(a.thing - b.thing) : a.kind < b.kind ? -1 : 1,
  );
  return writeRows(sorted.map(({ kind, thing, hash }) => ({ kind, thing, hash })));
}

/** Writes what became of texts: of what was erased meanwhile there is no row. */
export async function writeTranslations(
  tx: Transaction,
  { language, model, now }: { language: string; model: string; now: Date },
  texts: readonly { hash: string; became: TranslatedText }[],
): Promise<void> {
  const rows = texts.map(({ hash, became }) => ({
    hash,
    text: typeof became === 'string' ? null : became.text,
    is_unusable: became === 'unusable',
  }));
  await execute(
    tx,
    statement`UPDATE strandline.translations t SET text = r.text, model = CASE WHEN r.text IS NOT NULL THEN ${model}::text END,
        translated_at = CASE WHEN r.text IS NOT NULL THEN ${now}::timestamptz END,
        unusable = t.unusable + r.is_unusable::int,
        next_at = CASE WHEN r.is_unusable AND t.unusable + 1 < ${MAX_UNUSABLE} THEN ${now}::timestamptz END
      FROM json_to_recordset(${writeRows(rows)}::json) r(hash text, text text, is_unusable boolean)
      WHERE t.hash = r.hash AND t.language = ${language} AND t.next_at IS NOT NULL`,
  );
}

/** Leaves texts as they are. @param nextAt when the model is asked again */
export async function postponeTranslations(
  tx: Transaction,
  language: string,
  texts: readonly { hash: string }[],
  nextAt: Date,
): Promise<void> {
  await execute(
    tx,
    statement`UPDATE strandline.translations SET next_at = ${nextAt}
      WHERE hash = ANY (${texts.map(({ hash }) => hash)}::text[]) AND language = ${language} AND next_at IS NOT NULL`,
  );
}
