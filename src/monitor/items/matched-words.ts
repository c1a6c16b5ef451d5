/** The words of listed items that a query sought. */
import { z } from 'zod';
import { EVERYTHING, type Query } from '../../model/search-query.ts';
import type { ShownItem } from '../../store/archive/matched-words.ts';
import type { Pooled } from '../../store/db/database.ts';

export const matchedWords = z
  .array(z.string())
  .describe('Words of its text that the query sought, as they are written there; empty without a query.');

/** @param items of one kind @returns the words by the id of an item */
export async function findMatchedWords(
  db: Pooled,
  query: Query,
  items: readonly ShownItem[],
): Promise<(id: ShownItem['id']) => readonly string[]> {
  if (query === EVERYTHING) return () => [];
  // Loaded here, because a list without a query marks no words.
  const [{ markText }, { readMatchesOfItems }] = await Promise.all([
    import('../../model/excerpt.ts'),
    import('../../store/archive/matched-words.ts'),
  ]);
  const matches = await readMatchesOfItems(db, query, items);
  const words = new Map(
    items.map((item) => {
      const isMatch = matches(item);
      const pieces = item.texts.flatMap((text) =>
        text === null || isMatch === undefined ? [] : markText(text, isMatch),
      );
      return [item.id, [...new Set(pieces.flatMap(({ text, match }) => (match ? [text] : [])))]] as const;
    }),
  );
  return (id) => words.get(id) ?? [];
}
