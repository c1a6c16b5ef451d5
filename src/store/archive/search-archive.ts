/**
 * Everything that was collected, searched: any of the words may stand there, and what is rare says more.
 * Candidates by Postgres' own ranking, which uses the index; their order by BM25 over the same lexemes.
 */
import { saturation } from '../../relevance/bm25.ts';
import { type Liked, priorOver } from '../../relevance/prior.ts';
import type { Database } from '../database.ts';
import type { PostRow } from '../reads/posts.ts';
import { type ArchiveQuestion, type Candidate, findCandidates } from './candidates.ts';
import { type Question, readQuestion } from './question.ts';
import { type ArchiveThing, readThings } from './things.ts';

/**
 * `score` is BM25, weighed by the prior where that was asked for: only to compare hits of one answer. `config`: how
 * its words were brought to their stems.
 */
export type ArchiveHit = ArchiveThing & { score: number; config: string };

/** Best first. Nothing where no word of the question is known. */
export async function searchArchive(
  db: Pick<Database, 'orm' | 'pool'>,
  asked: ArchiveQuestion,
): Promise<ArchiveHit[]> {
  const question = await readQuestion(db, { text: asked.text, sandbox: asked.sandbox ?? false });
  return rankArchive(db, asked, question);
}

/** The same for a question that was read before. */
export async function rankArchive(
  db: Pick<Database, 'orm'>,
  asked: ArchiveQuestion,
  question: Question,
): Promise<ArchiveHit[]> {
  if (question.lexemes.length === 0) return [];
  const candidates = await findCandidates(db, asked, question);
  const ranked = new Map(
    candidates.map((one) => [
      keyOf(one.kind, one.thing),
      { relevance: relevanceOf(one, question), config: one.config },
    ]),
  );
  const things = await readThings(db, candidates);
  const prior = priorFor(asked, things);
  return things
    .flatMap((thing) => {
      const one = ranked.get(keyOf(thing.kind, thing.id));
      return one === undefined ? [] : [{ ...thing, config: one.config, score: one.relevance * prior(thing) }];
    })
    .sort((a, b) => b.score - a.score || Number(b.id - a.id) || (a.kind < b.kind ? -1 : 1))
    .slice(0, asked.limit);
}

function relevanceOf({ config, words, matches }: Candidate, { says, averageWords }: Question): number {
  const inConfig = says.get(config);
  return matches.reduce(
    (sum, [lexeme, times]) => sum + (inConfig?.get(lexeme) ?? 0) * saturation(times, words, averageWords),
    0,
  );
}

function priorFor(
  { at, from, to }: ArchiveQuestion,
  things: readonly ArchiveThing[],
): (thing: ArchiveThing) => number {
  if (at === undefined) return () => 1;
  const most = things.reduce((high, thing) => Math.max(high, likedOf(thing).engagement ?? 0), 0);
  const prior = priorOver({ from, to: to ?? at }, most);
  return (thing) => prior(likedOf(thing));
}

function likedOf(thing: ArchiveThing): Liked {
  if (thing.kind === 'link') return { publishedAt: thing.link.published_at ?? undefined };
  return { publishedAt: thing.post.created_at ?? undefined, engagement: engagementOf(thing.post) };
}

/** Reactions to a post, as last counted; undefined where none of them is. */
export function engagementOf(post: PostRow): number | undefined {
  const counts = [post.reply_count, post.repost_count, post.like_count, post.quote_count];
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? undefined : known.reduce((sum, count) => sum + count, 0);
}

function keyOf(kind: string, id: bigint): string {
  return `${kind} ${id}`;
}
