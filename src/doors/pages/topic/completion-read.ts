import type { Database } from '../../../store/database.ts';
import { type CompletionDiff, readCompletionDiff } from '../../../store/reads/completion-diff.ts';
import { type CompletionRow, readLastCompletion } from '../../../store/reads/completions.ts';
import type { SearchRow } from '../../../store/reads/searches.ts';

export type Comment = {
  search: SearchRow;
  completion: CompletionRow;
  /** Beside the last one before the range began; null where there is no other. */
  diff: CompletionDiff | null;
};

/** A topic rarely has more that write a completion; each has a page of its own. */
const MOST = 3;

/** The newest completion of each search that has one, and what is new in it. */
export async function readComments(
  db: Pick<Database, 'orm' | 'pool'>,
  searches: readonly SearchRow[],
  since: Date,
): Promise<Comment[]> {
  const asked = searches.filter(({ operation }) => operation === 'ai').slice(0, MOST);
  const found = await Promise.all(
    asked.map(async (search) => {
      const [completion, diff] = await Promise.all([
        readLastCompletion(db, search.slug),
        readCompletionDiff(db, search, { since }),
      ]);
      return completion === undefined
        ? []
        : [{ search, completion, diff: typeof diff === 'string' ? null : diff }];
    }),
  );
  return found.flat();
}
