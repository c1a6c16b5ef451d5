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
    ...post,
    ...counted(post, POST_COUNTERS),
    user: servedAuthor(post.user),
    url: post.url ?? '',
    lang: post.lang ?? 'und',
    conversation_id: post.conversation_id ?? '',
  };
}

function servedAuthor(user: MicroblogAuthor): ServedAuthor {
  return {
    ...user,
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

/** Each counter as a number, and the names of those that are not known. */
function counted<Name extends string>(
  thing: Readonly<Record<Name, number | null>>,
  names: readonly Name[],
): Record<Name, number> & { unknown_counters?: string[] } {
  const unknown = names.filter((name) => thing[name] === null);
  // fromEntries forgets which keys it was given: every name
  const counts = Object.fromEntries(names.map((name) => [name, thing[name] ?? 0])) as Record<Name, number>;
  return unknown.length === 0 ? counts : { ...counts, unknown_counters: unknown };
}
