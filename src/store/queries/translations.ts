/** Translations, as pages and digests show them: by the text that they show. */
import { hashText, type Translation } from '../../model/translating.ts';
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';

/** By the original text. */
export type Translations = ReadonlyMap<string, Translation>;

/** Where nobody asks for translations, and nothing is read. */
export const NO_TRANSLATIONS: Translations = new Map();

/** The translations of texts into the language of a topic. @param topic slug; null: of any topic, the last translated */
export async function readTranslations(
  { pool }: Pooled,
  topic: string | null,
  texts: readonly (string | null)[],
): Promise<Translations> {
  const byHash = new Map(
    texts.flatMap((text) => (text === null || text === '' ? [] : [[hashText(text), text] as const])),
  );
  if (byHash.size === 0) return NO_TRANSLATIONS;
  const rows = await rowsOf<Translation & { hash: string }>(
    pool,
    statement`SELECT DISTINCT ON (hash) hash, text, language, model, translated_at AS at FROM strandline.translations
      WHERE hash = ANY (${[...byHash.keys()]}::text[]) AND text IS NOT NULL AND language IN (
        SELECT language FROM strandline.topics WHERE archived_at IS NULL AND slug = coalesce(${topic}, slug)
      )
      ORDER BY hash, translated_at DESC`,
    'translations_of_texts',
  );
  return new Map(
    rows.flatMap(({ hash, ...translation }) => {
      const text = byHash.get(hash);
      return text === undefined ? [] : [[text, translation] as const];
    }),
  );
}

/**
 * Translations of answers by completion, composed of those of their statements: the statements of the first part that an answer has.
 * A statement that is in the language already, or not translated yet, is as it was written.
 */
export async function readAnswerTranslations(
  { pool }: Pooled,
  topic: string,
  completionIds: readonly Id[],
): Promise<ReadonlyMap<Id, Translation>> {
  if (completionIds.length === 0) return new Map();
  const rows = await rowsOf<Translation & { id: Id }>(
    pool,
    statement`SELECT m.completion_id AS id, string_agg(coalesce(t.text, c.text), ' ' ORDER BY m.position) AS text,
        max(t.language) AS language, max(t.model) AS model, max(t.translated_at) AS at
      FROM strandline.completion_claims m
      JOIN strandline.claims c ON c.id = m.claim_id
      LEFT JOIN strandline.translations t ON t.kind = 'claim' AND t.thing = c.id AND t.hash = md5(c.text) AND t.text IS NOT NULL
        AND t.language = (SELECT language FROM strandline.topics WHERE slug = ${topic} AND archived_at IS NULL)
      WHERE m.completion_id = ANY (${completionIds}::bigint[]) AND c.role = (
        SELECT f.role FROM strandline.completion_claims o JOIN strandline.claims f ON f.id = o.claim_id
        WHERE o.completion_id = m.completion_id ORDER BY o.position LIMIT 1
      )
      GROUP BY m.completion_id HAVING count(t.text) > 0`,
    'translations_of_answers',
  );
  return new Map(rows.map(({ id, ...translation }) => [id, translation]));
}
