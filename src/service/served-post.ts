/**
 * A post as it is answered: the specification types its members, so that what no source said has to be
 * written as something. This is the one place where that happens.
 */
import { AUTHOR_COUNTERS, type MicroblogAuthor } from '../contract/author.ts';
import type { ServedAuthor, ServedPost } from '../contract/extras.ts';
import { type MicroblogPost, POST_COUNTERS } from '../contract/post.ts';

/**
 * An unknown counter is 0 and named in `unknown_counters`, an unknown text is empty (`lang`: `und`, which
 * is the code for it), an unknown truth is false. References stay null: there null has a meaning.
 */
export function servedPost(post: MicroblogPost): ServedPost {
  return {
    ...counted(post, POST_COUNTERS),
    user: servedAuthor(post.user),
    url: post.url ?? '',
    lang: post.lang ?? 'und',
    conversation_id: post.conversation_id ?? '',
  };
}

function servedAuthor(user: MicroblogAuthor): ServedAuthor {
  return {
    ...counted(user, AUTHOR_COUNTERS),
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
function counted<Name extends string, T extends Readonly<Record<Name, number | null>>>(
  thing: T,
  names: readonly Name[],
): T & Record<Name, number> & { unknown_counters?: string[] } {
  const unknown = names.filter((name) => thing[name] === null);
  if (unknown.length === 0) return thing as T & Record<Name, number>; // none of them is null
  const zeros = Object.fromEntries(unknown.map((name) => [name, 0]));
  return { ...thing, ...zeros, unknown_counters: unknown } as T & Record<Name, number>; // the others were numbers
}
