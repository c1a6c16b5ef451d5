/** The specification's own shape: each source has a group, `{organic_results: [...]}`. */
import type { Generation } from './generation.ts';
import { groupMembers, readGroup } from './groups.ts';

export const first: Generation = {
  name: 'first',
  detect: () => true,
  parts: (answer, dialect) => ({
    groups: groupMembers(answer, dialect).flatMap(([member, source]) =>
      readGroup(member, source, answer[member]),
    ),
    posts: [],
  }),
};
