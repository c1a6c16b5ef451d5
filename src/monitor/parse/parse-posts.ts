/** Collects the posts of a response, with their authors and nested posts. */

import { readIdFromAddress } from '../../model/links/link.ts';
import type { ParsedAuthor, ParsedPost } from '../../model/parsed-results.ts';
import { type Dialect, wireName } from '../../protocol/dialect.ts';
import { isPlain, own, type Plain } from '../../lib/json-values.ts';
import { addCopy, type Copies, mergeCopies } from './merge-copies.ts';
import { parseAuthor } from './parse-author.ts';
import { lookUpPostNames, parsePost } from './parse-post.ts';
import { isCutRepost, restoreRepost } from './restore-repost.ts';
import type { Rejects } from './rejects-and-warnings.ts';
import { isPost, type Item, type ItemOutcome, readItems } from './response-generations.ts';
import { completeHashtags } from './text-hashtags.ts';
import { readId, readReference, readWord } from './wire-values.ts';

/** Maximum nesting of quotes, reposts and replies. */
const MAX_NESTING = 3;
/** Maximum posts inside one post, at all levels: an item is one step of the parser. */
const MAX_NESTED_POSTS = 500;

/**
 * A repost with the whole text of the post that it repeats, if the response has that post. A repost that stays cut is
 * partial, so that it does not replace what is known of it.
 */
function complete(post: ParsedPost, posts: ReadonlyMap<string, ParsedPost>, isNested: boolean): ParsedPost {
  const { text, reposted_status_id: id } = post;
  if (id !== null) {
    const restored = restoreRepost(text, posts.get(id)?.text ?? null);
    if (restored !== text) {
      const hashtags = completeHashtags(post.hashtags, restored);
      return { ...post, text: restored, hashtags, is_partial: isNested };
    }
  }
  return isCutRepost(text) ? { ...post, is_partial: true } : post;
}

/** Collects the distinct posts of a response and their authors. */
export function createPostCollector(dialect: Dialect, rejects: Rejects) {
  const names = lookUpPostNames(dialect);
  const repostMembers = new Set([wireName(dialect, 'repost'), 'repost', 'retweet']);
  const topLevel = new Set<string>();
  const posts = new Map<string, Copies<ParsedPost>>();
  const authors = new Map<string, Copies<ParsedAuthor>>();
  let nestedLeft = 0;

  /** Stores a post, its author and nested posts. Returns its id, or null if it has none. */
  function place({ path, value }: Item, level: number, repliesTo: ParsedPost | null = null): string | null {
    if (!isPlain(value)) {
      rejects.add(path, 'not_an_object', value);
      return null;
    }
    const id = readPostId(value, path);
    if (id === null) return null;
    const post = parsePost(value, id, names, level > 0);
    post.author_external_id = placeAuthor(value.user, `${path}.user`, level > 0);
    if (repliesTo !== null && post.in_reply_to_status_id === null) {
      post.in_reply_to_status_id = repliesTo.external_id;
      post.in_reply_to_user_id ??= repliesTo.author_external_id;
    }
    const quotedId = placeNested(path, value, ['quote'], level);
    post.quoted_status_id ??= quotedId;
    post.reposted_status_id = placeNested(path, value, repostMembers, level);
    placeReplies(path, value, post, level);
    if (level === 0) topLevel.add(id);
    addCopy(posts, post);
    return id;
  }

  /** Stores the post in the first of these members that contains a post. Returns its id, also beyond the limits. */
  function placeNested(path: string, post: Plain, members: Iterable<string>, level: number): string | null {
    for (const member of members) {
      const value = post[member];
      if (isPlain(value)) return placeWithinLimits({ path: `${path}.${member}`, value }, level + 1, null);
    }
    return null;
  }

  function placeReplies(path: string, value: Plain, post: ParsedPost, level: number): void {
    const { items, beyond, wrong } = readItems(`${path}.replies`, own(value, 'replies'), isPost);
    if (wrong !== undefined) rejects.add(`${path}.replies`, 'bad_shape', wrong);
    for (const item of items) placeWithinLimits(item, level + 1, post);
    if (beyond > 0) rejects.add(`${path}.replies[${items.length}]`, 'too_many', `${beyond} more items`);
  }

  function placeWithinLimits(item: Item, level: number, repliesTo: ParsedPost | null): string | null {
    const code = level > MAX_NESTING ? 'too_deep' : nestedLeft-- > 0 ? null : 'too_many';
    if (code === null) return place(item, level, repliesTo);
    rejects.add(item.path, code, item.value);
    return isPlain(item.value) ? readReference(item.value.id) : null;
  }

  /** A missing id is taken from the post's address; an invalid one is not replaced. */
  function readPostId(post: Plain, path: string): string | null {
    const read = readId(post.id);
    const fromAddress = () => readIdFromAddress(post.url) ?? readIdFromAddress(post.link);
    const id = read.id ?? (read.code === 'no_id' ? fromAddress() : null);
    if (id === null) rejects.add(`${path}.id`, read.code ?? 'no_id', post.id ?? post);
    return id;
  }

  function placeAuthor(user: unknown, path: string, isNested: boolean): string | null {
    if (user === null || user === undefined) return null;
    if (!isPlain(user)) {
      rejects.add(path, 'not_an_object', user);
      return null;
    }
    const { id, code } = readId(user.id);
    if (id === undefined) {
      // An empty object is no reject. A name without an id is a reject, since names do not identify authors.
      if (code !== 'no_id' || readWord(user.username) !== null) rejects.add(`${path}.id`, code, user);
      return null;
    }
    addCopy(authors, parseAuthor(user, id, isNested));
    return id;
  }

  return {
    /** Adds a post. Without an id, it is rejected as unreadable. */
    add(item: Item): ItemOutcome {
      nestedLeft = MAX_NESTED_POSTS;
      return place(item, 0) === null ? 'unreadable' : 'read';
    },
    take() {
      const merged = new Map([...posts].map(([id, copies]) => [id, mergeCopies(copies)]));
      const nested = [...merged].filter(([id]) => !topLevel.has(id));
      return {
        posts: [...topLevel]
          .flatMap((id) => merged.get(id) ?? [])
          .map((post) => complete(post, merged, false)),
        nestedPosts: nested.map(([, post]) => complete(post, merged, true)),
        authors: [...authors.values()].map(mergeCopies),
      };
    },
  };
}
