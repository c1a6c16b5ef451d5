/** Operation B: the posts that match a prompt, from every microblog that answers. */
import type { MicroblogPost } from '../contract/post.ts';
import { keywordsOf } from './rank/keywords.ts';
import type { SearchSource } from './source.ts';

/** The newest first. */
export async function retrievePosts(
  { sources }: { sources: readonly SearchSource[] },
  { prompt, at, limit }: { prompt: string; at: Date; limit: number },
  signal: AbortSignal,
): Promise<MicroblogPost[]> {
  const query = { prompt, keywords: keywordsOf(prompt), from: undefined, to: at, limit, signal };
  const microblogs = sources.filter(({ source }) => source === 'microblog');
  const found = await Promise.all(microblogs.map((one) => one.find(query)));
  return found.flat().flatMap(({ post }) => (post === undefined ? [] : [post]));
}
