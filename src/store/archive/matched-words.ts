/** Which words of items a query sought, to highlight them: inflected forms by the language of each item. */

import { listExcerptWords } from '../../model/excerpt.ts';
import { splitFoldedWords } from '../../lib/folded-words.ts';
import { listSoughtWords, type Query } from '../../model/search-query.ts';
import { givenRows } from '../db/batches.ts';
import type { Id, Pooled } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { listLexemes, readWordForms, type WordForms } from './word-forms.ts';

/** Whether a word of a text was sought. */
export type IsMatch = (word: string) => boolean;

/** An indexed item, with its displayed texts. */
export type ShownItem = { kind: 'post' | 'link'; id: Id; texts: readonly (string | null)[] };

/**
 * The matches of a query in the items that it selected.
 * @returns undefined for an item that is not indexed, and for every item if the query has no words
 */
export async function readMatchesOfItems(
  { pool }: Pooled,
  query: Query,
  items: readonly ShownItem[],
): Promise<(item: Pick<ShownItem, 'kind' | 'id'>) => IsMatch | undefined> {
  if (items.length === 0 || listSoughtWords(query).length === 0) return () => undefined;
  const shown = givenRows('u', {
    kind: ['text', items.map(({ kind }) => kind)],
    thing: ['bigint', items.map(({ id }) => id)],
  });
  const [forms, rows] = await Promise.all([
    readWordForms(pool, [query]),
    rowsOf<{ kind: string; thing: Id; config: string }>(
      pool,
      statement`SELECT d.kind, d.thing, d.config FROM ${shown} JOIN strandline.archive_documents d USING (kind, thing)`,
    ),
  ]);
  const configs = new Map(rows.map(({ kind, thing, config }) => [`${kind} ${thing}`, config]));
  const indexed = items.flatMap(({ kind, id, texts }) => {
    const config = configs.get(`${kind} ${id}`);
    return config === undefined ? [] : [{ config, texts: texts.filter((text) => text !== null) }];
  });
  const matches = await readMatches({ pool }, indexed, query, forms);
  return ({ kind, id }) => {
    const config = configs.get(`${kind} ${id}`);
    return config === undefined ? undefined : matches(config);
  };
}

/** Which words of texts match, by text search configuration. */
export async function readMatches(
  { pool }: Pooled,
  shown: readonly { config: string; texts: readonly string[] }[],
  query: Query,
  forms: WordForms,
): Promise<(config: string) => IsMatch> {
  const sought = listSoughtWords(query);
  const written = new Set(sought.flatMap((part) => (part.is === 'phrase' ? part.words : [part.folded])));
  const byConfig = new Map<string, Set<string>>();
  for (const { config, texts } of shown) {
    const words = byConfig.get(config) ?? new Set();
    for (const word of texts.flatMap(listExcerptWords)) words.add(word);
    byConfig.set(config, words);
  }
  const pairs = [...byConfig].flatMap(([config, words]) => [...words].map((word) => ({ config, word })));
  if (pairs.length === 0 || sought.length === 0) return () => () => false;
  const excerptWords = givenRows('u', {
    config: ['text', pairs.map(({ config }) => config)],
    word: ['text', pairs.map(({ word }) => word)],
  });
  // Stems of words.
  const rows = await rowsOf<{ config: string; word: string; lexemes: string[] }>(
    pool,
    statement`SELECT config, word, tsvector_to_array(to_tsvector(config::regconfig, word)) AS lexemes FROM ${excerptWords}`,
  );
  const inflected = new Map<string, Set<string>>();
  for (const config of byConfig.keys()) {
    const lexemes = new Set(
      sought.flatMap((part) => (part.is === 'word' ? listLexemes(forms, part.word, config) : [])),
    );
    const words = rows.filter(
      (row) => row.config === config && row.lexemes.some((lexeme) => lexemes.has(lexeme)),
    );
    inflected.set(config, new Set(words.map(({ word }) => word)));
  }
  const isWritten = (word: string) => splitFoldedWords(word).some((folded) => written.has(folded));
  return (config) => (word) => inflected.get(config)?.has(word) === true || isWritten(word);
}
