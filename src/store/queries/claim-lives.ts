/** When each statement of the newest answer of a search was made first, and in how many answers since. */
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement, verbatim } from '../db/statement.ts';

/** A statement of the newest answer. Statements that differ only in figures, or in case, are one: `25 weeks` and `36 weeks`. */
export type ClaimLife = {
  text: string;
  /** When an answer stated it for the first time, and the run of that answer. */
  first_at: Date;
  first_run_id: Id;
  /** Answers with statements since then, and how many of them state it. */
  answers: number;
  stated: number;
  /** The first link that it cited then; null if it cited none. */
  source_id: Id | null;
  source: string | null;
};

/** The text of a claim without its case and its figures. */
const WORDS = verbatim(String.raw`regexp_replace(lower(text), '[0-9]+(?:[.,][0-9]+)*', '#', 'g')`);

/** In the order of the answer; empty before the first answer. @param limit most statements */
export async function readClaimLives(
  { pool }: Pooled,
  { searchId, limit }: { searchId: Id; limit: number },
): Promise<ClaimLife[]> {
  return rowsOf<ClaimLife>(
    pool,
    statement`WITH newest AS MATERIALIZED (
        SELECT id FROM strandline.completions WHERE search_id = ${searchId} AND claims IS NOT NULL
        ORDER BY observed_at DESC, run_id DESC LIMIT 1
      ), known AS MATERIALIZED (
        SELECT id, text, first_run_id, first_seen_at, ${WORDS} AS words FROM strandline.claims WHERE search_id = ${searchId}
      ), shown AS MATERIALIZED (
        SELECT DISTINCT ON (k.words) k.words, k.text, m.position
        FROM newest n JOIN strandline.completion_claims m ON m.completion_id = n.id JOIN known k ON k.id = m.claim_id
        ORDER BY k.words, m.position
      )
      SELECT s.text, f.first_seen_at AS first_at, f.first_run_id, x.stated, a.answers,
        f.link_id AS source_id, coalesce(l.title, l.url) AS source
      FROM (SELECT * FROM shown ORDER BY position LIMIT ${limit}) s
      CROSS JOIN LATERAL (
        SELECT k.first_run_id, k.first_seen_at, m.link_ids[1] AS link_id FROM known k
        LEFT JOIN strandline.completions o ON o.run_id = k.first_run_id
        LEFT JOIN strandline.completion_claims m ON m.completion_id = o.id AND m.claim_id = k.id
        WHERE k.words = s.words ORDER BY k.first_seen_at, k.first_run_id, m.position LIMIT 1
      ) f
      CROSS JOIN LATERAL (
        SELECT count(DISTINCT m.completion_id)::int AS stated
        FROM known k JOIN strandline.completion_claims m ON m.claim_id = k.id WHERE k.words = s.words
      ) x
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS answers FROM strandline.completions
        WHERE search_id = ${searchId} AND claims IS NOT NULL AND observed_at >= f.first_seen_at
      ) a
      LEFT JOIN strandline.links l ON l.id = f.link_id
      ORDER BY s.position`,
    'claim_lives',
  );
}
