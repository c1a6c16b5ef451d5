/** Each source has a *list* of groups, `[{organic_results: [...]}]`; `[]` and `{}` are empty ones. */
import type { Generation } from './generation.ts';
import { groupMembers, readGroups } from './groups.ts';

export const second: Generation = {
  name: 'second',
  detect: (answer, dialect) =>
    groupMembers(answer, dialect).some(([member]) => Array.isArray(answer[member])),
  parts: (answer, dialect) => ({
    groups: groupMembers(answer, dialect).flatMap(([member, source]) =>
      readGroups(member, source, answer[member]),
    ),
    posts: [],
  }),
};
