/** Converts the words of a query to lexemes: any of them, ranked, or all of them as a condition. */

import { inverseDocumentFrequency, splitIndexWords } from '../../model/relevance.ts';
import type { Pooled, Queryable } from '../db/database.ts';
import { execute, statement, verbatim } from '../db/statement.ts';
import { TEXT_CONFIGS } from './archive-documents.ts';
import { inflectWords, quoteLexeme, STEMS_SQL, type WordForm } from './word-forms.ts';

/** Maximum different words of a query. */
const MAX_WORDS = 300;
const MAX_WORD_LENGTH = 64;
/** Maximum lexemes to search, rarest first: a stored query is limited to 8 kB, and each lexeme takes time. */
const MAX_LEXEMES = 64;
/** The newest documents, whose length counts as the usual one: two milliseconds. */
const DOCUMENTS_MEASURED = 200;
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
  /** Average words of new documents, without stop words. */
  averageWords: number;
};

export async function readQuestion({ pool }: Pooled, text: string): Promise<Question> {
  const words = [...new Set(splitIndexWords(text))].filter(({ length }) => length <= MAX_WORD_LENGTH);
  const searched = words.slice(0, MAX_WORDS);
  const known = await inflectWords(pool, searched);
  const functionWords = findFunctionWords(searched, known);
  const forms = known.filter(({ word }) => !functionWords.has(word));
  const { total, averageWords, documents } = await countDocuments(pool, [
    ...new Set(forms.flatMap(({ lexemes }) => lexemes)),
  ]);
  const says = new Map<string, Map<string, number>>();
  for (const { lexemes, configs } of forms)
    for (const config of configs) {
      const inConfig = says.get(config) ?? new Map<string, number>();
      says.set(config, inConfig);
      for (const lexeme of lexemes)
        if (documents.has(lexeme))
          inConfig.set(lexeme, inverseDocumentFrequency(documents.get(lexeme) ?? 0, total));
    }
  const sorted = [...documents].sort(([a, m], [b, n]) => m - n || (a < b ? -1 : 1)).slice(0, MAX_LEXEMES);
  const lexemes = sorted.map(([lexeme]) => lexeme);
  return { lexemes, looked: selectScanned(sorted), says, averageWords };
}

/**
 * In how many documents lexemes occur; lexemes that occur in none are left out. The planner's statistics know the frequent ones, some
 * thousand, as of the last ANALYZE; the others are counted by the index, which is fast because they are rare.
 */
async function countDocuments(
  db: Queryable,
  lexemes: readonly string[],
): Promise<{ total: number; averageWords: number; documents: Map<string, number> }> {
  const { rows } = await execute<{ lexeme: string; documents: number; total: number; words: number }>(
    db,
    statement`WITH size AS MATERIALIZED (
        SELECT CASE WHEN reltuples > 0 THEN reltuples ELSE (SELECT count(*) FROM strandline.archive_documents) END AS total
        FROM pg_class WHERE oid = 'strandline.archive_documents'::regclass
      ), length AS MATERIALIZED (
        SELECT sum(cardinality(u.positions))::float8 / greatest(1, count(DISTINCT (kind, thing))) AS words
        FROM (SELECT kind, thing, tsv FROM strandline.archive_documents ORDER BY at DESC LIMIT ${DOCUMENTS_MEASURED}) d
        CROSS JOIN LATERAL unnest(${verbatim(STEMS_SQL)}) u
      ), frequent AS MATERIALIZED (
        SELECT u.lexeme, u.share FROM pg_stats s
        CROSS JOIN LATERAL unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) u(lexeme, share)
        WHERE s.schemaname = 'strandline' AND s.tablename = 'archive_documents' AND s.attname = 'tsv'
      )
      SELECT w.lexeme, size.total::float8 AS total, coalesce(length.words, 0) AS words, (
          CASE WHEN f.lexeme IS NULL
            THEN (SELECT count(*) FROM strandline.archive_documents d WHERE d.tsv @@ w.quoted::tsquery)
            ELSE f.share * size.total END
        )::float8 AS documents
      FROM size CROSS JOIN length CROSS JOIN unnest(${lexemes}::text[], ${lexemes.map(quoteLexeme)}::text[]) w(lexeme, quoted)
      LEFT JOIN frequent f ON f.lexeme = w.lexeme`,
  );
  return {
    total: rows[0]?.total ?? 0,
    averageWords: rows[0]?.words ?? 0,
    documents: new Map(
      rows.filter(({ documents }) => documents > 0).map((row) => [row.lexeme, row.documents]),
    ),
  };
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
function findFunctionWords(words: readonly string[], known: readonly WordForm[]): ReadonlySet<string> {
  const pairs = new Set(known.flatMap(({ word, configs }) => configs.map((config) => `${config} ${word}`)));
  const stopWordsOf = (config: string) => new Set(words.filter((word) => !pairs.has(`${config} ${word}`)));
  let stopWords = stopWordsOf('english');
  for (const config of TEXT_CONFIGS) {
    const others = stopWordsOf(config);
    if (others.size >= stopWords.size + 2) stopWords = others;
  }
  // A query of only stop words searches for them.
  return stopWords.size < words.length ? stopWords : new Set();
}
