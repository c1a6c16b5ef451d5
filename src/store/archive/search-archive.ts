/**
 * Searches all collected items for any of the words; rare words weigh more. Candidates come from Postgres' own
 * ranking, which uses the index; they are then ordered by BM25 over the same lexemes.
 */

import { termSaturation } from '../../model/relevance.ts';
import type { Id, Orm, Reads } from '../db/database.ts';
import { type LinkRow, readLinksByIds } from '../queries/links.ts';
import { type PostRow, readPostsByIds } from '../queries/post-detail.ts';
import { authors } from '../schema/post-tables.ts';
import { type ArchiveQuestion, type Candidate, findCandidates, findNewest } from './archive-candidates.ts';
import { type Question, readQuestion } from './archive-question.ts';
import { inArray } from 'drizzle-orm';

/** `score`: BM25; comparable only within one response. */
export type ArchiveHit = ArchivedItem & { score: number };

/** Best first, with the newest of `newestWith` beyond the limit. Nothing if no word of the query is known. */
export async function searchArchive(db: Reads, archiveQuery: ArchiveQuestion): Promise<ArchiveHit[]> {
  const { text, limit } = archiveQuery;
  const question = await readQuestion(db, text);
  if (question.lexemes.length === 0) return [];
  const newest = await findNewest(db, archiveQuery, question);
  const candidates = new Map(
    [...(await findCandidates(db, archiveQuery, question)), ...newest].map((candidate) => [
      thingKey(candidate.kind, candidate.thing),
      candidate,
    ]),
  );
  const scores = new Map(
    [...candidates].map(([key, candidate]) => [key, scoreRelevance(candidate, question)]),
  );
  const isNewest = new Set(newest.map(({ kind, thing }) => thingKey(kind, thing)));
  return (await readArchivedItems(db, [...candidates.values()]))
    .map((thing) => ({ ...thing, score: scores.get(thingKey(thing.kind, thing.id)) ?? 0 }))
    .sort((a, b) => b.score - a.score || Number(b.id - a.id) || (a.kind < b.kind ? -1 : 1))
    .filter(({ kind, id }, place) => place < limit || isNewest.has(thingKey(kind, id)));
}

function scoreRelevance({ config, words, matches }: Candidate, { says, averageWords }: Question): number {
  const inConfig = says.get(config);
  return matches.reduce(
    (sum, [lexeme, times]) => sum + (inConfig?.get(lexeme) ?? 0) * termSaturation(times, words, averageWords),
    0,
  );
}

function thingKey(kind: string, id: bigint): string {
  return `${kind} ${id}`;
}

export type StoredAuthor = typeof authors.$inferSelect;
export type ArchivedItem =
  | { kind: 'post'; id: Id; post: PostRow; author: StoredAuthor | null }
  | { kind: 'link'; id: Id; link: LinkRow };

/** The posts and links of documents, in no order; omits those purged since they were indexed. */
export async function readArchivedItems(
  db: Orm,
  documents: readonly { kind: string; thing: Id }[],
): Promise<ArchivedItem[]> {
  const idsOf = (kind: string) =>
    documents.filter((document) => document.kind === kind).map(({ thing }) => thing);
  const posts = await readPostsByIds(db, idsOf('post'));
  const authorIds = posts.flatMap(({ author_id }) => author_id ?? []);
  const written =
    authorIds.length === 0 ? [] : await db.orm.select().from(authors).where(inArray(authors.id, authorIds));
  const byId = new Map(written.map((author) => [author.id, author]));
  const links = await readLinksByIds(db, idsOf('link'));
  return [
    ...posts.map((post): ArchivedItem => {
      const author = post.author_id === null ? null : (byId.get(post.author_id) ?? null);
      return { kind: 'post', id: post.id, post, author };
    }),
    ...links.map((link): ArchivedItem => ({ kind: 'link', id: link.id, link })),
  ];
}
