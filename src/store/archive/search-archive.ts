/**
 * Searches all collected items for any of the words; rare words weigh more. Candidates come from Postgres' own
 * ranking, which uses the index; they are then ordered by BM25 over the same lexemes.
 */

import { sumEngagement } from '../../domain/counters.ts';
import { createPrior, type PriorInput, termSaturation } from '../../domain/relevance.ts';
import type { Data } from '../../domain/data.ts';
import type { Id, Orm, Reads } from '../database.ts';
import type { LinkRow } from '../queries/links.ts';
import type { PostRow } from '../queries/posts.ts';
import { linksView, postsView } from '../schema/analytics/post-views.ts';
import { authors } from '../schema/post-tables.ts';
import { type ArchiveQuestion, type Candidate, findCandidates } from './archive-candidates.ts';
import { type Question, readQuestion } from './archive-question.ts';
import { inArray } from 'drizzle-orm';

/**
 * `score`: BM25, weighted by the prior if requested; comparable only within one response. `config`: the text search
 * configuration of its words.
 */
export type ArchiveHit = ArchiveThing & { score: number; config: string };

/** Best first. Nothing if no word of the query is known. */
export async function searchArchive(db: Reads, archiveQuery: ArchiveQuestion): Promise<ArchiveHit[]> {
  const question = await readQuestion(db, {
    text: archiveQuery.text,
    sandbox: archiveQuery.data === 'simulated',
  });
  return rankArchive(db, archiveQuery, question);
}

/** The same for a query that is already parsed. */
async function rankArchive(
  db: Orm,
  archiveQuery: ArchiveQuestion,
  question: Question,
): Promise<ArchiveHit[]> {
  if (question.lexemes.length === 0) return [];
  const candidates = await findCandidates(db, archiveQuery, question);
  const ranked = new Map(
    candidates.map((candidate) => [
      thingKey(candidate.kind, candidate.thing),
      { relevance: scoreRelevance(candidate, question), config: candidate.config },
    ]),
  );
  const things = await readThings(db, archiveQuery.data, candidates);
  const prior = createArchivePrior(archiveQuery, things);
  return things
    .flatMap((thing) => {
      const rank = ranked.get(thingKey(thing.kind, thing.id));
      return rank === undefined
        ? []
        : [{ ...thing, config: rank.config, score: rank.relevance * prior(thing) }];
    })
    .sort((a, b) => b.score - a.score || Number(b.id - a.id) || (a.kind < b.kind ? -1 : 1))
    .slice(0, archiveQuery.limit);
}

function scoreRelevance({ config, words, matches }: Candidate, { says, averageWords }: Question): number {
  const inConfig = says.get(config);
  return matches.reduce(
    (sum, [lexeme, times]) => sum + (inConfig?.get(lexeme) ?? 0) * termSaturation(times, words, averageWords),
    0,
  );
}

function createArchivePrior(
  { at, from, to }: ArchiveQuestion,
  things: readonly ArchiveThing[],
): (thing: ArchiveThing) => number {
  if (at === undefined) return () => 1;
  const most = things.reduce((high, thing) => Math.max(high, readLikes(thing).engagement ?? 0), 0);
  const prior = createPrior({ from, to: to ?? at }, most);
  return (thing) => prior(readLikes(thing));
}

function readLikes(thing: ArchiveThing): PriorInput {
  if (thing.kind === 'link') return { publishedAt: thing.link.published_at ?? undefined };
  return { publishedAt: thing.post.created_at ?? undefined, engagement: sumEngagement(thing.post) };
}

function thingKey(kind: string, id: bigint): string {
  return `${kind} ${id}`;
}

export type AuthorRow = typeof authors.$inferSelect;
export type ArchiveThing =
  | { kind: 'post'; id: Id; post: PostRow; author: AuthorRow | null }
  | { kind: 'link'; id: Id; link: LinkRow };

/** The posts and links of documents, in no order; omits those purged since they were indexed. */
export async function readThings(
  { orm }: Orm,
  data: Data,
  documents: readonly { kind: string; thing: Id }[],
): Promise<ArchiveThing[]> {
  const idsOf = (kind: string) =>
    documents.filter((document) => document.kind === kind).map(({ thing }) => thing);
  const ofPosts = postsView[data];
  const ofLinks = linksView[data];
  const postIds = idsOf('post');
  const linkIds = idsOf('link');
  const posts =
    postIds.length === 0
      ? []
      : await orm.select().from(ofPosts).where(inArray(ofPosts.id, postIds)).limit(postIds.length);
  const authorIds = posts.flatMap(({ author_id }) => author_id ?? []);
  const written =
    authorIds.length === 0
      ? []
      : await orm.select().from(authors).where(inArray(authors.id, authorIds)).limit(authorIds.length);
  const byId = new Map(written.map((author) => [author.id, author]));
  const links =
    linkIds.length === 0
      ? []
      : await orm.select().from(ofLinks).where(inArray(ofLinks.id, linkIds)).limit(linkIds.length);
  return [
    ...posts.map((post): ArchiveThing => {
      const author = post.author_id === null ? null : (byId.get(post.author_id) ?? null);
      return { kind: 'post', id: post.id, post, author };
    }),
    ...links.map((link): ArchiveThing => ({ kind: 'link', id: link.id, link })),
  ];
}
