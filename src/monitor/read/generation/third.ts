/**
 * Flat: each source is a list of items under a short name, the microblog's is a list of whole posts, and
 * the completion is a text. A list may hold items of other sites: the source is what the answer says.
 */
import type { Dialect } from '../../../contract/dialect.ts';
import type { Source } from '../../../contract/enumerations.ts';
import { own, type Plain } from '../../../contract/plain.ts';
import { itemsOf } from '../items.ts';
import { resultGroups } from './first.ts';
import { isPost, type Generation } from './generation.ts';
import { readGroups } from './second.ts';

export const third: Generation = {
  name: 'third',
  detect: (answer, dialect) =>
    typeof answer.completion === 'string' || flatMembers(answer, dialect).length > 0,
  parts(answer, dialect) {
    const flat = flatMembers(answer, dialect);
    return {
      groups: [
        ...resultGroups(answer, dialect, readGroups),
        ...flat.flatMap(([path, source]) =>
          source === 'microblog' ? [] : readGroups(path, source, answer[path]),
        ),
      ],
      posts: flat.flatMap(([path, source]) =>
        source === 'microblog' ? [{ path, ...itemsOf(path, answer[path], isPost) }] : [],
      ),
    };
  },
};

/** The flat members that an answer has, with the source of each. */
export function flatMembers(answer: Plain, dialect: Dialect): [member: string, source: Source][] {
  return [...dialect.sourceOf].filter(([member]) => own(answer, member) !== undefined);
}
