/** Ways to find documents of the archive: ours, and what Postgres has by itself. All over the same lexemes. */
import { searchArchive } from '../../src/store/archive/search-archive.ts';
import type { Database } from '../../src/store/db/database.ts';

/** Ids in the collection, best first, 100 at most. */
export type Ranker = (question: string) => Promise<string[]>;

export const PREFIX = 'https://cranfield.example/';

export function rankers(db: Database): Record<string, Ranker> {
  const rankedBy = (query: string, rank: string): Ranker => {
    const statement = `
      SELECT l.canonical FROM strandline.archive_documents d JOIN strandline.links l ON l.id = d.thing
      CROSS JOIN LATERAL (SELECT ${query} AS q) asked
      WHERE d.kind = 'link' AND d.tsv @@ asked.q ORDER BY ${rank} DESC, d.thing LIMIT 100`;
    return async (question) => {
      const { rows } = await db.pool.query<{ canonical: string }>(statement, [question]);
      return rows.map(({ canonical }) => canonical.slice(PREFIX.length));
    };
  };
  const all = `plainto_tsquery('english', $1)`;
  const any = `(SELECT string_agg(quote_literal(lexeme), ' | ')::tsquery FROM unnest(to_tsvector('english', $1)))`;
  // Words as written have the weight D.
  const stems = `ts_filter(d.tsv, '{a,b}')`;
  const alike = `'{1,1,1,1}', ${stems}, asked.q`;
  return {
    'all words, ts_rank': rankedBy(all, `ts_rank(${alike})`),
    'any word, ts_rank': rankedBy(any, `ts_rank(${alike})`),
    'any word, ts_rank by length': rankedBy(any, `ts_rank(${alike}, 1)`),
    'any word, ts_rank by length, title first': rankedBy(any, `ts_rank(${stems}, asked.q, 1)`),
    'the archive': async (question) => {
      const hits = await searchArchive(db, { text: question, kind: 'link', limit: 100 });
      return hits.flatMap((hit) => (hit.kind === 'link' ? [hit.link.url.slice(PREFIX.length)] : []));
    },
  };
}
