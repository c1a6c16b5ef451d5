import type { Dialect } from '../../contract/dialect.ts';
import { isPlain, type Plain } from '../../contract/plain.ts';
import { readAuthor } from './author.ts';
import type { ReadAuthor, ReadPost } from './findings.ts';
import { idInAddress, readId, readReference } from './id.ts';
import type { Item, Taken } from './items.ts';
import { nestedIn, postNames, readPost } from './post.ts';
import type { Rejects } from './reject.ts';
import { readWord } from './text.ts';

/** Quoted and reposted posts are read this many levels below the post they stand in. */
const LEVELS_MAX = 3;

/** The posts of one answer and everyone who wrote them, each once. */
export type PostShelf = {
  /** Takes a found post. One that has no id is unreadable, and a reject is written. */
  add(item: Item): Taken;
  take(): { posts: ReadPost[]; nestedPosts: ReadPost[]; authors: ReadAuthor[] };
};

export function createPostShelf(dialect: Dialect, rejects: Rejects): PostShelf {
  const names = postNames(dialect);
  const found = new Map<string, ReadPost>();
  const nested = new Map<string, ReadPost>();
  const authors = new Map<string, ReadAuthor>();

  /** Reads a post, its author and the posts inside it onto the shelf. Its id, or null if it has none. */
  function place({ path, value }: Item, level: number): string | null {
    if (!isPlain(value)) {
      rejects.add(path, 'not_an_object', value);
      return null;
    }
    const id = readPostId(value, path);
    if (id === null) return null;
    const post = readPost(value, id, names);
    post.author_external_id = placeAuthor(value.user, `${path}.user`);
    const { quote, repost } = nestedIn(value, names);
    const quotedId = quote && placeNested({ path: `${path}.${quote.member}`, value: quote.post }, level + 1);
    const repostedId =
      repost && placeNested({ path: `${path}.${repost.member}`, value: repost.post }, level + 1);
    post.quoted_status_id ??= quotedId;
    post.reposted_status_id = repostedId;
    keepFuller(level === 0 ? found : nested, post);
    return id;
  }

  /** The id of a post inside another; one that is too deep is not read, but the reference to it stays. */
  function placeNested(item: Item, level: number): string | null {
    if (level <= LEVELS_MAX) return place(item, level);
    rejects.add(item.path, 'too_deep', item.value);
    return isPlain(item.value) ? readReference(item.value.id) : null;
  }

  /** An id that is not there at all is taken from the post's address; one that is there and bad is not. */
  function readPostId(post: Plain, path: string): string | null {
    const read = readId(post.id);
    const id = read.id ?? (read.code === 'no_id' ? idInAddress(post.url) : null);
    if (id === null) rejects.add(`${path}.id`, read.code ?? 'no_id', post.id ?? post);
    return id;
  }

  function placeAuthor(user: unknown, path: string): string | null {
    if (user === null || user === undefined) return null;
    if (!isPlain(user)) {
      rejects.add(path, 'not_an_object', user);
      return null;
    }
    const { id, code } = readId(user.id);
    if (id === undefined) {
      // An empty object says nothing about anybody; a name without an id cannot be told from its namesake.
      if (code !== 'no_id' || readWord(user.username) !== null) rejects.add(`${path}.id`, code, user);
      return null;
    }
    keepFuller(authors, readAuthor(user, id));
    return id;
  }

  return {
    add: (item) => (place(item, 0) === null ? 'unreadable' : 'read'),
    take: () => ({
      posts: [...found.values()],
      nestedPosts: [...nested.values()].filter((post) => !found.has(post.external_id)),
      authors: [...authors.values()],
    }),
  };
}

/** Of two copies of one thing the one that says more stays; of two that say as much, the later. */
function keepFuller<T extends ReadPost | ReadAuthor>(shelf: Map<string, T>, copy: T): void {
  const before = shelf.get(copy.external_id);
  if (before === undefined || known(copy) >= known(before)) shelf.set(copy.external_id, copy);
}

function known(thing: ReadPost | ReadAuthor): number {
  let count = 0;
  for (const value of Object.values(thing)) {
    if (value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)) count++;
  }
  return count;
}
