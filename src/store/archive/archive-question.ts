/** Converts the words of a query to lexemes: any of them, ranked, or all of them as a condition. */

import { inverseDocumentFrequency, splitIndexWords } from '../../model/relevance.ts';
import type { Pooled } from '../db/database.ts';
import { rowsOf } from '../db/statement.ts';
import { selectTerms } from './index-archive.ts';

/** Maximum different words of a query. */
const MAX_WORDS = 300;
const MAX_WORD_LENGTH = 64;
/** Maximum lexemes to search, rarest first: a stored query is limited to 8 kB, and each lexeme takes time. */
const MAX_LEXEMES = 64;
/** Maximum documents to rank, by the counts of lexemes: ts_rank takes 214 ms for 112,000. */
export const MAX_DOCUMENTS_SCANNED = 30_000;

/** State of the archive at the time of a query. */
export type Question = {
  /** Lexemes for ranking, rarest first; empty if no word is known. */
  lexemes: readonly string[];
  /** The words that select the documents to rank; `fewest`: number of documents with the rarest word. */
  looked: { lexemes: readonly string[]; fewest: number };
  /** Weight of a lexeme in documents of each text search configuration. */
  says: ReadonlyMap<string, ReadonlyMap<string, number>>;
  averageWords: number;
};

type Term = { config: string; ord: number; lexeme: string | null; documents: number | null };

export async function readQuestion({ pool }: Pooled, text: string): Promise<Question> {
  const words = [...new Set(splitIndexWords(text))].filter(({ length }) => length <= MAX_WORD_LENGTH);
  const searched = words.slice(0, MAX_WORDS);
  const { rows: corpora } = await pool.query<{ documents: bigint; words: bigint }>(
    'SELECT documents, words FROM strandline.archive_corpora',
  );
  const documents = corpora.reduce((sum, corpus) => sum + Number(corpus.documents), 0);
  const averageWords =
    corpora.reduce((sum, corpus) => sum + Number(corpus.words), 0) / Math.max(1, documents);
  const terms = await rowsOf<Term>(pool, selectTerms(searched));
  const little = findFunctionWords(terms);
  const says = new Map<string, Map<string, number>>();
  const known = new Map<string, number>();
  for (const { config, ord, lexeme, documents: holding } of terms) {
    if (lexeme === null || holding === null || holding < 1 || little.has(ord)) continue;
    known.set(lexeme, holding);
    const inConfig = says.get(config) ?? new Map<string, number>();
    says.set(config, inConfig.set(lexeme, inverseDocumentFrequency(holding, documents)));
  }
  const sorted = [...known].sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1)).slice(0, MAX_LEXEMES);
  const lexemes = sorted.map(([lexeme]) => lexeme);
  return { lexemes, looked: selectScanned(sorted), says, averageWords };
}

/** The rarest lexemes that can be searched in time; always includes the rarest. */
function selectScanned(rarestFirst: readonly (readonly [string, number])[]): Question['looked'] {
  let through = 0;
  const lexemes = rarestFirst.flatMap(([lexeme, documents], i) => {
    through += documents;
    return i === 0 || through <= MAX_DOCUMENTS_SCANNED ? [lexeme] : [];
  });
  const [[, fewest] = ['', 0]] = rarestFirst;
  return { lexemes, fewest };
}

/**
 * Stop words of the query's probable language, so that other languages and those without a list do not search for
 * them. English, unless another language knows at least two more of the words.
 */
function findFunctionWords(terms: readonly Term[]): ReadonlySet<number> {
  const byConfig = new Map<string, Set<number>>([['english', new Set()]]);
  for (const { config, ord, lexeme } of terms) {
    if (lexeme !== null) continue;
    byConfig.set(config, (byConfig.get(config) ?? new Set()).add(ord));
  }
  let little = byConfig.get('english') ?? new Set<number>();
  for (const [, words] of byConfig) if (words.size >= little.size + 2) little = words;
  // A query of only stop words searches for them.
  const searched = new Set(terms.map(({ ord }) => ord));
  return little.size < searched.size ? little : new Set();
}
