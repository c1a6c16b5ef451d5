/** Discoveries for people. */
import { formatAnswerLine } from '../../model/statements/answer-change.ts';
import { addCopies, type Copies } from '../stories/one-thing.ts';
import type { Pooled, Reads } from '../db/database.ts';
import { readAnswerChanges } from './answer-changes.ts';
import type { DiscoveryRow } from './discoveries.ts';
import { describeLinks } from './named-posts.ts';
import { readPostsByIds } from './post-detail.ts';

/** A discovery with the number of copies of its item in the topic. */
export type DescribedDiscovery = DiscoveryRow & Copies;

/**
 * A link that names a post has its text, author, time and counters; a completion has its changes instead of its beginning,
 * and growth has the text and author of its post as well.
 */
export async function describeDiscoveries(
  db: Reads,
  rows: readonly DiscoveryRow[],
): Promise<DescribedDiscovery[]> {
  const described = await describeGrowth(db, await describeAnswers(db, await describeLinks(db, rows)));
  return addCopies(db.pool, described);
}

async function describeGrowth(db: Reads, rows: readonly DiscoveryRow[]): Promise<DiscoveryRow[]> {
  const ids = rows.flatMap(({ kind, post_id: id }) => (kind === 'growth' && id !== null ? [id] : []));
  const posts = new Map((await readPostsByIds(db, [...new Set(ids)])).map((post) => [post.id, post]));
  return rows.map((row) => {
    const post = row.kind === 'growth' && row.post_id !== null ? posts.get(row.post_id) : undefined;
    if (post === undefined) return row;
    const { author_username, url, created_at } = post;
    return { ...row, text: `${row.text ?? ''} ${post.text}`.trim(), author_username, url, created_at };
  });
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
    const change = row.completion_id === null ? undefined : changes.get(row.completion_id);
    return change === undefined ? row : { ...row, text: formatAnswerLine(change) ?? row.text };
  });
}
