/**
 * Where the search results and the posts of an answer stand. Operation A has had three shapes, called generations; what an
 * item means is the same in all of them, and members of several in one answer are all read:
 * 1. the specification's: each source has a group, `<source>_search_results: {organic_results: [...]}`;
 * 2. each source has a list of groups, `[{organic_results: [...]}]`; `[]` and `{}` are empty ones;
 * 3. each source is a list of items under a short name (the microblog's: whole posts), and the completion is a text. A list
 *    may hold items of other sites: the source is what the answer says.
 */

import { type Operation, type Source, SOURCES } from '../../domain/enumerations.ts';
import { type Dialect, wireName } from '../../protocol/dialect.ts';
import { isPlain, own, type Plain } from '../../protocol/json.ts';

/** Search results of one source. */
export type ResultGroup = ItemList & { source: Source };

/** Where the items of an answer stand. */
type ResponseParts = { groups: ResultGroup[]; posts: ItemList[] };

/** What tells one search result from a container of results. */
export const isResult = hasAnyMember('link', 'url', 'title');

/** What tells one post from a container of posts. */
const isPost = hasAnyMember('id', 'text', 'user');

/** One element of a list of an answer, and where it stands in the wire's own names. */
export type Item = { path: string; value: unknown };

/**
 * What became of an item: read, refused for what it says, or unreadable because it is not of the shape
 * that was specified. An answer of mostly unreadable items is not the specification's.
 */
export type ItemOutcome = 'read' | 'refused' | 'unreadable';

/** No list of an answer is read beyond this many items; the rest is counted and is one reject. */
export const MAX_ITEMS = 10_000;

export type ItemList = {
  path: string;
  items: Item[];
  /** How many items lie beyond {@link MAX_ITEMS}. */
  beyond: number;
  /** What stood there instead, where it is no list at all. */
  wrong?: unknown;
};

/**
 * The items of a member that should be a list and has been other things: null, absent or `{}` (nothing
 * found), a single item by itself, or an object that holds the items by index or id. `isItem` tells
 * a single item from such an object.
 */
export function readItems(path: string, list: unknown, isItem: (value: unknown) => boolean): ItemList {
  if (list === null || list === undefined) return { path, items: [], beyond: 0 };
  if (Array.isArray(list)) return boundItems(path, list, (i) => `${path}[${i}]`);
  if (!isPlain(list)) return { path, items: [], beyond: 0, wrong: list };
  if (isItem(list)) return { path, items: [{ path, value: list }], beyond: 0 };
  const keys = Object.keys(list);
  return boundItems(
    path,
    keys.map((key) => list[key]),
    (i) => `${path}[${JSON.stringify(keys[i])}]`,
  );
}

/** Whether an object has any of the members that make it one item and not a container of items. */
export function hasAnyMember(...members: string[]): (value: unknown) => boolean {
  return (value) => isPlain(value) && members.some((member) => own(value, member) !== undefined);
}

function boundItems(path: string, values: readonly unknown[], pathOf: (i: number) => string): ItemList {
  const items = values.slice(0, MAX_ITEMS).map((value, i) => ({ path: pathOf(i), value }));
  return { path, items, beyond: values.length - items.length };
}

const GROUP_SOURCES = new Map<string, Source>(SOURCES.map((source) => [`${source}_search_results`, source]));

/** The members `<source>_search_results` that an answer has, in its order, with the source of each. */
function findGroupMembers(answer: Plain, dialect: Dialect): [member: string, source: Source][] {
  return Object.keys(answer).flatMap((member) => {
    const source = GROUP_SOURCES.get(dialect.neutralOf.get(member) ?? member);
    return source === undefined ? [] : [[member, source]];
  });
}

/** The flat members that an answer has, in its order, with the source of each. */
function findFlatMembers(answer: Plain, dialect: Dialect): [member: string, source: Source][] {
  return Object.keys(answer).flatMap((member) => {
    const source = dialect.sourceOf.get(member);
    return source === undefined ? [] : [[member, source]];
  });
}

/** One group: an object with `organic_results`, or a bare list, or null or `{}` where nothing was found. */
function readGroup(path: string, source: Source, group: unknown): ResultGroup[] {
  if (!hasResults(group)) return [{ source, ...readItems(path, group, isResult) }];
  return [{ source, ...readItems(`${path}.organic_results`, group.organic_results, isResult) }];
}

/** A list of groups; a group by itself and a bare list of results are read as well. */
function readGroups(path: string, source: Source, groups: unknown): ResultGroup[] {
  const isList = Array.isArray(groups) && (groups.some(hasResults) || groups.every(isEmptyObject));
  if (!isList) return readGroup(path, source, groups);
  return groups.flatMap((group, i) => readGroup(`${path}[${i}]`, source, group));
}

function hasResults(group: unknown): group is { organic_results: unknown } {
  return isPlain(group) && own(group, 'organic_results') !== undefined;
}

function isEmptyObject(group: unknown): boolean {
  return isPlain(group) && Object.keys(group).length === 0;
}

/** Members of operation A's answer besides its groups; `warnings` alone would be no answer. */
const COMPLETION_MEMBERS = [
  'completion',
  'text_chunks',
  'search_completion_links',
  'completion_links',
  'miner_link_scores',
];

/** Operation B's one member, in the wire's name. */
export function namePostsMember(dialect: Dialect): string {
  return wireName(dialect, 'miner_microblog_posts');
}

/** Whether an object has any member that an answer of the operation is made of: `{}` and `{detail}` have none. */
export function isResponseObject(answer: Plain, operation: Operation, dialect: Dialect): boolean {
  const flat = findFlatMembers(answer, dialect);
  if (findPostsMembers(answer, dialect).length > 0) return true;
  if (operation === 'microblog') return flat.some(([, source]) => source === 'microblog');
  return (
    flat.length > 0 ||
    findGroupMembers(answer, dialect).length > 0 ||
    COMPLETION_MEMBERS.some((member) => Object.hasOwn(answer, member))
  );
}

/** Where the items of an answer stand. */
export function locateParts(answer: Plain, operation: Operation, dialect: Dialect): ResponseParts {
  const flat = findFlatMembers(answer, dialect);
  const groups = [
    ...findGroupMembers(answer, dialect),
    ...flat.filter(([, source]) => source !== 'microblog'),
  ].flatMap(([member, source]) => readGroups(member, source, answer[member]));
  const posts = [
    ...findPostsMembers(answer, dialect),
    ...flat.flatMap(([member, source]) => (source === 'microblog' ? [member] : [])),
  ].map((member) => readItems(member, answer[member], isPost));
  return { groups: operation === 'ai' ? groups : [], posts };
}

function findPostsMembers(answer: Plain, dialect: Dialect): string[] {
  return Object.keys(answer).filter(
    (member) => (dialect.neutralOf.get(member) ?? member) === 'miner_microblog_posts',
  );
}
