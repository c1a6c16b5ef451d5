/** Operation B: the posts that match a prompt, from every microblog that answers. */
import type { Model } from '../contract/enumerations.ts';
import type { ServedMicroblogAnswer } from '../contract/extras.ts';
import { MINUTE } from '../engine/clock.ts';
import type { Logger } from '../engine/logger.ts';
import { gather, warningsOf } from './gather.ts';
import { citable } from './citable.ts';
import { distinctByLink } from './link.ts';
import { servedPost } from './served-post.ts';
import type { Found, SearchSource } from './source.ts';
import { TIERS } from './tiers.ts';
import { wordingsOf } from './wordings.ts';

/** The most posts of one answer. */
const POSTS_MOST = 40;
/** Clocks differ; a post from further ahead is a lie about its time. */
const SKEW_MS = 10 * MINUTE;

/**
 * The newest first. Where several microblogs found more than an answer holds, the newest of them all, copies
 * and reposts too: who watches posts wants to know back to when nothing is missing, and who repeats whom.
 * @throws the signal's reason once the client is gone; a source that fails is a warning
 */
export async function retrievePosts(
  { sources, log }: { sources: readonly SearchSource[]; log: Logger },
  { prompt, model, at }: { prompt: string; model: Model; at: Date },
  signal: AbortSignal,
): Promise<ServedMicroblogAnswer> {
  const gathering = { sources, log, tier: TIERS[model], signal };
  // The user's own wording alone: posts come by their time, so that none may be there that says something else.
  const { own } = wordingsOf(prompt);
  const query = { from: undefined, to: at, limit: POSTS_MOST };
  const gathered = await gather(gathering, 'microblog', [own], query);
  signal.throwIfAborted();
  const warnings = warningsOf(gathered, 'microblog');
  const found = gathered.lists
    .flat()
    .filter(({ link, post }) => post !== undefined && citable(link) !== undefined);
  const posts = distinctByLink(found.filter((one) => timeOf(one) <= at.getTime() + SKEW_MS))
    .sort((a, b) => timeOf(b) - timeOf(a))
    .slice(0, POSTS_MOST)
    .flatMap(({ post }) => post ?? []);
  return {
    miner_microblog_posts: posts.map(servedPost),
    ...(warnings.length > 0 && { warnings }),
  };
}

function timeOf({ publishedAt, post }: Found): number {
  const at = publishedAt?.getTime() ?? Date.parse(post?.created_at ?? '');
  return Number.isNaN(at) ? 0 : at;
}
