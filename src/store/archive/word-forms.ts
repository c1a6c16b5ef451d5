/**
 * Words of queries as the vectors of documents have them: as written, with the weight D, and inflected, with the weights A (titles)
 * and B (texts). A stem that is also a word of the document is one lexeme with both.
 */

import { splitIndexWords } from '../../model/relevance.ts';
import { listQueryWords, type Query } from '../../model/search-query.ts';
import type { Queryable } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import { TEXT_CONFIGS } from './archive-documents.ts';

/** A form of a word: its lexemes in some text search configurations (languages). */
export type WordForm = { word: string; lexemes: readonly string[]; configs: readonly string[] };

/** Inflected forms of the words of queries, by word as written. */
export type WordForms = ReadonlyMap<string, readonly WordForm[]>;

/** The inflected forms of the words of queries. Phrases have none. */
export async function readWordForms(db: Queryable, queries: readonly Query[]): Promise<WordForms> {
  const indexed = new Map<string, string>();
  for (const { word } of queries.flatMap(listQueryWords)) {
    const [only, ...others] = splitIndexWords(word);
    if (only !== undefined && others.length === 0) indexed.set(word, only);
  }
  const forms = await inflectWords(db, [...new Set(indexed.values())]);
  return new Map(
    [...indexed].map(([word, indexedWord]) => [word, forms.filter((form) => form.word === indexedWord)]),
  );
}

/** The forms of words of the index. A configuration in which a word is a stop word has none of it. */
export async function inflectWords(db: Queryable, words: readonly string[]): Promise<WordForm[]> {
  if (words.length === 0) return [];
  const { rows } = await execute<WordForm>(
    db,
    statement`SELECT word, lexemes, array_agg(config) AS configs FROM (
        SELECT w.word, c.config, tsvector_to_array(to_tsvector(c.config::regconfig, w.word)) AS lexemes
        FROM unnest(${words}::text[]) w(word) CROSS JOIN unnest(${TEXT_CONFIGS}::text[]) c(config)
      ) f WHERE lexemes <> '{}' GROUP BY word, lexemes ORDER BY word, lexemes`,
  );
  return rows;
}

/** @param config only the forms in this configuration */
export function listLexemes(forms: WordForms, word: string, config?: string): string[] {
  return (forms.get(word) ?? [])
    .filter(({ configs }) => config === undefined || configs.includes(config))
    .flatMap(({ lexemes }) => lexemes);
}

/** A folded word as written, in a `tsquery`. */
export function matchWritten(word: string): string {
  return `${quoteLexeme(word)}:D`;
}

/** Folded words in a row, in a `tsquery`. */
export function matchPhrase(words: readonly string[]): string {
  return words.map(matchWritten).join(' <-> ');
}

/** An inflected form of a word, in a `tsquery`. */
export function matchInflected(lexeme: string): string {
  return `${quoteLexeme(lexeme)}:AB`;
}

/** The vector of a document without words as written. */
export const STEMS_SQL = `ts_filter(tsv, '{a,b}')`;

/** A lexeme of either kind, in a `tsquery`. */
export function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replace(/['\\]/gu, '$&$&')}'`;
}
