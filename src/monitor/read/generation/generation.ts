/**
 * An answer of operation A has had three shapes. A generation is one file that recognises its shape and
 * says where the search results and the posts stand; what an item means is the same in all of them.
 */
import type { Dialect } from '../../../contract/dialect.ts';
import type { Source } from '../../../contract/enumerations.ts';
import type { Plain } from '../../../contract/plain.ts';
import { hasAny, type Items } from '../items.ts';

/** Search results of one source. */
export type Group = Items & { source: Source };

/** Where the items of an answer stand. */
export type Parts = { groups: Group[]; posts: Items[] };

export type Generation = {
  name: 'first' | 'second' | 'third';
  /** Whether the answer has this generation's shape. They are asked from the latest to the first. */
  detect: (answer: Plain, dialect: Dialect) => boolean;
  parts: (answer: Plain, dialect: Dialect) => Parts;
};

/** What tells one search result from a container of results. */
export const isResult = hasAny('link', 'url', 'title');

/** What tells one post from a container of posts. */
export const isPost = hasAny('id', 'text', 'user');
