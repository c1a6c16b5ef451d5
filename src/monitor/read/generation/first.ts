/** The specification's own shape: each source has a group `{organic_results: [...]}`. */
import { wireName, type Dialect } from '../../../contract/dialect.ts';
import { SOURCES, type Source } from '../../../contract/enumerations.ts';
import { isPlain, own, type Plain } from '../../../contract/plain.ts';
import { itemsOf } from '../items.ts';
import { isResult, type Generation, type Group } from './generation.ts';

export const first: Generation = {
  name: 'first',
  detect: () => true,
  parts: (answer, dialect) => ({ groups: resultGroups(answer, dialect, readGroup), posts: [] }),
};

/** Every member `<source>_search_results` of an answer, read by what its generation makes of it. */
export function resultGroups(
  answer: Plain,
  dialect: Dialect,
  read: (path: string, source: Source, group: unknown) => Group[],
): Group[] {
  return SOURCES.flatMap((source) => {
    const neutral = `${source}_search_results`;
    const member = [wireName(dialect, neutral), neutral].find((name) => own(answer, name) !== undefined);
    return member === undefined ? [] : read(member, source, answer[member]);
  });
}

/** One group: an object with `organic_results`, or null or `{}` where nothing was found. */
export function readGroup(path: string, source: Source, group: unknown): Group[] {
  if (isPlain(group) && own(group, 'organic_results') !== undefined) {
    const inside = `${path}.organic_results`;
    return [{ path: inside, source, ...itemsOf(inside, group.organic_results, isResult) }];
  }
  return [{ path, source, ...itemsOf(path, group, isResult) }];
}
