/**
 * Flat: each source is a list of items under a short name, the microblog's is a list of whole posts, and
 * the completion is a text. A list may hold items of other sites: the source is what the answer says.
 * What an answer still has in the shape of the generations before is read with it.
 */
import { itemsOf } from '../items.ts';
import { isPost, type Generation } from './generation.ts';
import { flatMembers, readGroups } from './groups.ts';
import { second } from './second.ts';

export const third: Generation = {
  name: 'third',
  detect: (answer, dialect) =>
    typeof answer.completion === 'string' || flatMembers(answer, dialect).length > 0,
  parts(answer, dialect) {
    const flat = flatMembers(answer, dialect);
    const results = flat.filter(([, source]) => source !== 'microblog');
    const posts = flat.filter(([, source]) => source === 'microblog');
    return {
      groups: [
        ...second.parts(answer, dialect).groups,
        ...results.flatMap(([member, source]) => readGroups(member, source, answer[member])),
      ],
      posts: posts.map(([member]) => itemsOf(member, answer[member], isPost)),
    };
  },
};
