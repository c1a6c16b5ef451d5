/** A question whose words must all stand there: a query for the index of texts, whatever language a text is in. */
import { indexWords } from '../../relevance/words.ts';
import type { Database } from '../database.ts';

const WORD_MOST = 64;
const WORDS_MOST = 32;

/** Lexemes of each word in each language that the archive holds; none where all of them take it for a little word. $1 words. */
const LEXEMES = `
SELECT array_agg(DISTINCT v.lexeme) AS lexemes
FROM unnest($1::text[]) WITH ORDINALITY w(word, ord)
CROSS JOIN (SELECT DISTINCT config FROM strandline.archive_corpora WHERE documents > 0) c
CROSS JOIN LATERAL unnest(tsvector_to_array(to_tsvector(c.config::regconfig, w.word))) v(lexeme)
GROUP BY w.ord ORDER BY w.ord`;

/** @returns a `tsquery` as text; empty where nothing can hold all of the words */
export async function readQueryOfAll({ pool }: Pick<Database, 'pool'>, text: string): Promise<string> {
  const words = [...new Set(indexWords(text))].filter(({ length }) => length <= WORD_MOST);
  const { rows } = await pool.query<{ lexemes: string[] }>(LEXEMES, [words.slice(0, WORDS_MOST)]);
  return rows
    .map(({ lexemes }) => `(${lexemes.map((one) => `'${one.replace(/['\\]/gu, '$&$&')}'`).join(' | ')})`)
    .join(' & ');
}
