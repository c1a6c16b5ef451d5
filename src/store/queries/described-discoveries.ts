/** Discoveries for people. */
import { formatAnswerLine } from '../../domain/answer-change.ts';
import { type Pooled, type Reads } from '../database.ts';
import { readAnswerChanges } from './answer-changes.ts';
import type { DiscoveryRow } from './discoveries.ts';
import { describeLinks } from './named-posts.ts';

/** A link that names a post has its text, author, time and counters; a completion has its changes instead of its beginning. */
export async function describeDiscoveries(db: Reads, rows: readonly DiscoveryRow[]): Promise<DiscoveryRow[]> {
  return describeAnswers(db, await describeLinks(db, rows));
}

/** Only completions are described. */
export async function describeAnswers(
  { pool }: Pooled,
  rows: readonly DiscoveryRow[],
): Promise<DiscoveryRow[]> {
  const changes = await readAnswerChanges(
    pool,
    rows.flatMap(({ completion_id: id }) => id ?? []),
  );
  return rows.map((row) => {
    const found = row.completion_id === null ? undefined : changes.get(row.completion_id);
    return found === undefined ? row : { ...row, text: formatAnswerLine(found) ?? row.text };
  });
}
