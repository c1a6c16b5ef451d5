/** Operation B: the posts that match a prompt, from every microblog that answers. */

import { SPECIFIED_AUTHOR_COUNTERS, POST_COUNTERS } from '../model/counters.ts';
import type { Model } from '../model/enumerations.ts';
import { MINUTE } from '../lib/time.ts';
import type { Logger } from '../platform/logger.ts';
import type { ServedAuthor, ServedMicroblogResponse, ServedPost } from '../protocol/extensions.ts';
import type { MicroblogAuthor, MicroblogPost } from '../protocol/specification.ts';
import { toCitableLink } from './citable-link.ts';
import { planWordings } from './planning/wordings.ts';
import { MODEL_TIERS } from './planning/model-tiers.ts';
import { collectWarnings, querySources } from './planning/retrieval.ts';
import type { SearchPlan } from './planning/search-plan.ts';
import { dedupeByLink } from './ranking/deduplication.ts';
import type { FoundItem, SearchSource } from './sources/search-source.ts';

/** How many of the newest posts an answer has, unless a request says how many. */
const DEFAULT_COUNT = 40;
/** Clocks differ; a post from further ahead is a lie about its time. */
const MAX_CLOCK_SKEW_MS = 10 * MINUTE;

type MicroblogRequest = { prompt: string; model: Model; count?: number | undefined; at: Date };

/**
 * At most `count` posts. First the newest, newest first, without gaps: copies and reposts too, since who watches posts wants
 * to know back to when nothing is missing, and who repeats whom. Then older ones that are popular now, marked `popular`, if
 * a source has them instead of the last of the newest.
 * @throws the signal's reason once the client is gone; a source that fails is a warning
 */
export async function searchMicroblog<Post>(
  { sources, log, plan }: { sources: readonly SearchSource[]; log: Logger; plan?: SearchPlan | undefined },
  { prompt, model, count = DEFAULT_COUNT, at }: MicroblogRequest,
  toPosts: (item: FoundItem) => readonly Post[],
  signal: AbortSignal,
): Promise<{ miner_microblog_posts: Post[] } & Pick<ServedMicroblogResponse, 'warnings' | 'plan'>> {
  const gathering = { sources, log, plan, tier: MODEL_TIERS[model], signal };
  // The user's own wording alone: posts come by their time, so that none may be there that says something else.
  const { own } = planWordings(prompt);
  const query = { from: undefined, to: at, limit: count };
  const gathered = await querySources(gathering, 'microblog', { own, further: [] }, query);
  signal.throwIfAborted();
  const warnings = collectWarnings(gathered, 'microblog');
  const items = gathered.lists
    .flat()
    .filter(({ link, post }) => post !== undefined && toCitableLink(link) !== undefined);
  const posts = dedupeByLink(
    items.filter((item) => readPublishedTime(item) <= at.getTime() + MAX_CLOCK_SKEW_MS),
  ).sort((a, b) => readPublishedTime(b) - readPublishedTime(a));
  const newest = posts.filter(({ popular }) => popular !== true);
  const popular = posts.filter((item) => item.popular === true);
  return {
    miner_microblog_posts: [...newest, ...popular].slice(0, count).flatMap(toPosts),
    ...(warnings.length > 0 && { warnings }),
    ...plan?.member(),
  };
}

function readPublishedTime({ publishedAt, post }: FoundItem): number {
  const at = publishedAt?.getTime() ?? Date.parse(post?.created_at ?? '');
  return Number.isNaN(at) ? 0 : at;
}

/** The post of an item as it is served, in an array. */
export function toServedPosts({ post, quoted, popular }: FoundItem): ServedPost[] {
  if (post === undefined) return [];
  const served = { ...toServedPost(post), ...(popular && { popular }) };
  if (quoted !== undefined) wholeQuotes.set(served, quoted);
  return [served];
}

/** The specification shows the text of a quoted post only; the sandbox also simulates servers that nest it. */
const wholeQuotes = new WeakMap<object, MicroblogPost>();

/** The whole post that a served post quotes; undefined if it quotes no post, or its source does not return the quoted post. */
export function findWholeQuote(served: object): MicroblogPost | undefined {
  return wholeQuotes.get(served);
}

/**
 * A post as it is served. The specification types its members, so that what no source said has to be written as
 * something, and only here: an unknown counter is 0 and named in `unknown_counters`, an unknown text is empty (`lang`: `und`, which
 * is the code for it), an unknown truth is false. References stay null: there null has a meaning.
 */
export function toServedPost(post: MicroblogPost): ServedPost {
  return {
    ...fillUnknownCounters(post, POST_COUNTERS),
    user: toServedAuthor(post.user),
    url: post.url ?? '',
    lang: post.lang ?? 'und',
    conversation_id: post.conversation_id ?? '',
  };
}

function toServedAuthor(user: MicroblogAuthor): ServedAuthor {
  return {
    ...fillUnknownCounters(user, SPECIFIED_AUTHOR_COUNTERS),
    url: user.url ?? '',
    created_at: user.created_at ?? '',
    description: user.description ?? '',
    profile_image_url: user.profile_image_url ?? '',
    location: user.location ?? '',
    verified: user.verified ?? false,
    is_blue_verified: user.is_blue_verified ?? false,
    can_dm: user.can_dm ?? false,
    can_media_tag: user.can_media_tag ?? false,
  };
}

/** The thing with each counter as a number, and the names of those that are not known. */
export function fillUnknownCounters<Name extends string, T extends Readonly<Record<Name, number | null>>>(
  thing: T,
  names: readonly Name[],
): T & Record<Name, number> & { unknown_counters?: string[] } {
  const unknown = names.filter((name) => thing[name] === null);
  if (unknown.length === 0) return thing as T & Record<Name, number>; // none of them is null
  const zeros = Object.fromEntries(unknown.map((name) => [name, 0]));
  return { ...thing, ...zeros, unknown_counters: unknown } as T & Record<Name, number>; // the others were numbers
}
