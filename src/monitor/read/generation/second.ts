/** Each source has a *list* of groups, `[{organic_results: [...]}]`; `[]` and `{}` are empty ones. */
import { wireName } from '../../../contract/dialect.ts';
import { SOURCES, type Source } from '../../../contract/enumerations.ts';
import { isPlain, own } from '../../../contract/plain.ts';
import { itemsOf } from '../items.ts';
import { readGroup, resultGroups } from './first.ts';
import { isResult, type Generation, type Group } from './generation.ts';

export const second: Generation = {
  name: 'second',
  detect: (answer, dialect) =>
    SOURCES.some((source) => Array.isArray(own(answer, wireName(dialect, `${source}_search_results`)))),
  parts: (answer, dialect) => ({ groups: resultGroups(answer, dialect, readGroups), posts: [] }),
};

/** A list of groups; a group by itself and a bare list of results are read as well. */
export function readGroups(path: string, source: Source, groups: unknown): Group[] {
  if (!Array.isArray(groups)) return readGroup(path, source, groups);
  if (groups.some((group) => isPlain(group) && own(group, 'organic_results') !== undefined)) {
    return groups.flatMap((group, i) => readGroup(`${path}[${i}]`, source, group));
  }
  return [{ path, source, ...itemsOf(path, groups, isResult) }];
}
