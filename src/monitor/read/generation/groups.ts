/** How the groups of search results are read; the generations differ in what they call them and in wrapping. */
import type { Dialect } from '../../../contract/dialect.ts';
import { SOURCES, type Source } from '../../../contract/enumerations.ts';
import { isPlain, own, type Plain } from '../../../contract/plain.ts';
import { itemsOf } from '../items.ts';
import { isResult, type Group } from './generation.ts';

const SOURCE_OF_GROUP = new Map<string, Source>(
  SOURCES.map((source) => [`${source}_search_results`, source]),
);

/** The members `<source>_search_results` that an answer has, in its order, with the source of each. */
export function groupMembers(answer: Plain, dialect: Dialect): [member: string, source: Source][] {
  return Object.keys(answer).flatMap((member) => {
    const source = SOURCE_OF_GROUP.get(dialect.neutralOf.get(member) ?? member);
    return source === undefined ? [] : [[member, source]];
  });
}

/** The flat members that an answer has, in its order, with the source of each. */
export function flatMembers(answer: Plain, dialect: Dialect): [member: string, source: Source][] {
  return Object.keys(answer).flatMap((member) => {
    const source = dialect.sourceOf.get(member);
    return source === undefined ? [] : [[member, source]];
  });
}

/** One group: an object with `organic_results`, or a bare list, or null or `{}` where nothing was found. */
export function readGroup(path: string, source: Source, group: unknown): Group[] {
  if (!hasResults(group)) return [{ source, ...itemsOf(path, group, isResult) }];
  return [{ source, ...itemsOf(`${path}.organic_results`, group.organic_results, isResult) }];
}

/** A list of groups; a group by itself and a bare list of results are read as well. */
export function readGroups(path: string, source: Source, groups: unknown): Group[] {
  const isList = Array.isArray(groups) && (groups.some(hasResults) || groups.every(isEmpty));
  if (!isList) return readGroup(path, source, groups);
  return groups.flatMap((group, i) => readGroup(`${path}[${i}]`, source, group));
}

function hasResults(group: unknown): group is { organic_results: unknown } {
  return isPlain(group) && own(group, 'organic_results') !== undefined;
}

function isEmpty(group: unknown): boolean {
  return isPlain(group) && Object.keys(group).length === 0;
}
