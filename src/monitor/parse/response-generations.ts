/**
 * Locates search results and posts in a response. Operation A has had three formats, called generations, with the same
 * items. If a response mixes members of several, all are parsed:
 * 1. The specification's: each source has a group, `<source>_search_results: {organic_results: [...]}`.
 * 2. Each source has a list of groups, `[{organic_results: [...]}]`; `[]` and `{}` are empty groups.
 * 3. Each source is a list of items under a short name (whole posts for the microblog), and the completion is a text. A
 *    list may contain items of other sites; the source of the list applies.
 */

import { type Operation, type Source, SOURCES } from '../../model/enumerations.ts';
import { type Dialect, wireName } from '../../protocol/dialect.ts';
import { isPlain, own, type Plain } from '../../lib/json-values.ts';

/** Search results of one source. */
export type ResultGroup = ItemList & { source: Source };

/** The items of a response, by location. */
type ResponseParts = { groups: ResultGroup[]; posts: ItemList[] };

/** Distinguishes a search result from a container of results. */
const isResult = hasAnyMember('link', 'url', 'title');

/** Distinguishes a post from a container of posts. */
export const isPost = hasAnyMember('id', 'text', 'user', 'link');

/** An element of a list in a response, with its path in wire names. */
export type Item = { path: string; value: unknown };

/**
 * The outcome of an item: read, refused because of its content, or unreadable because its format is invalid. A response
 * with mostly unreadable items does not follow the specification.
 */
export type ItemOutcome = 'read' | 'refused' | 'unreadable';

/** Maximum items per list; the rest is counted and recorded as one reject. */
export const MAX_ITEMS = 10_000;

export type ItemList = {
  path: string;
  items: Item[];
  /** Number of items beyond {@link MAX_ITEMS}. */
  beyond: number;
  /** The actual value, if it is no list. */
  wrong?: unknown;
};

/**
 * The items of a member that should be a list but has also been null, missing or `{}` (no results), a single item, or
 * an object with items by index or id. `isItem` distinguishes a single item from such an object.
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

/** Whether an object has any of the members of an item, so it is no container. */
export function hasAnyMember(...members: string[]): (value: unknown) => boolean {
  return (value) => isPlain(value) && members.some((member) => own(value, member) !== undefined);
}

function boundItems(path: string, values: readonly unknown[], pathOf: (i: number) => string): ItemList {
  const items = values.slice(0, MAX_ITEMS).map((value, i) => ({ path: pathOf(i), value }));
  return { path, items, beyond: values.length - items.length };
}

const GROUP_SOURCES = new Map<string, Source>(SOURCES.map((source) => [`${source}_search_results`, source]));

type ItemMembers = Record<'groups' | 'flat' | 'posts', [member: string, source: Source][]>;

/** The members of a response that have items, with their sources, in its order: `<source>_search_results`, flat ones, posts. */
function findItemMembers(answer: Plain, dialect: Dialect): ItemMembers {
  const members: ItemMembers = { groups: [], flat: [], posts: [] };
  for (const member of Object.keys(answer)) {
    const neutral = dialect.neutralOf.get(member) ?? member;
    const ofGroup = GROUP_SOURCES.get(neutral);
    if (ofGroup !== undefined) members.groups.push([member, ofGroup]);
    const ofFlat = dialect.sourceOf.get(member);
    if (ofFlat !== undefined) members.flat.push([member, ofFlat]);
    if (neutral === 'miner_microblog_posts') members.posts.push([member, 'microblog']);
  }
  return members;
}

/** A group: an object with `organic_results`, or a bare list; null or `{}` if there are no results. */
function readGroup(path: string, source: Source, group: unknown): ResultGroup[] {
  if (!hasResults(group)) return [{ source, ...readItems(path, group, isResult) }];
  return [{ source, ...readItems(`${path}.organic_results`, group.organic_results, isResult) }];
}

/** A list of groups; also accepts a single group or a bare list of results. */
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

/** Members of operation A besides its groups; `warnings` alone is no response. */
const COMPLETION_MEMBERS = [
  'completion',
  'text_chunks',
  'search_completion_links',
  'completion_links',
  'miner_link_scores',
];

/** Operation B's only member, in its wire name. */
export function namePostsMember(dialect: Dialect): string {
  return wireName(dialect, 'miner_microblog_posts');
}

/** Whether an object has any member of a response to the operation: `{}` and `{detail}` have none. */
export function isResponseObject(answer: Plain, operation: Operation, dialect: Dialect): boolean {
  const { groups, flat, posts } = findItemMembers(answer, dialect);
  if (posts.length > 0) return true;
  if (operation === 'microblog') return flat.some(([, source]) => source === 'microblog');
  if (flat.length > 0 || groups.length > 0) return true;
  return COMPLETION_MEMBERS.some((member) => Object.hasOwn(answer, member));
}

/** Locates the items of a response. */
export function locateParts(answer: Plain, operation: Operation, dialect: Dialect): ResponseParts {
  const { groups, flat, posts } = findItemMembers(answer, dialect);
  const ofResults = [...groups, ...flat.filter(([, source]) => source !== 'microblog')];
  const ofPosts = [...posts, ...flat.filter(([, source]) => source === 'microblog')];
  return {
    groups: (operation === 'ai' ? ofResults : []).flatMap(([member, source]) =>
      readGroups(member, source, answer[member]),
    ),
    posts: ofPosts.map(([member]) => readItems(member, answer[member], isPost)),
  };
}

/**
 * Items by source of the members that a response has for it, valid or not, including empty ones. A member that is null says
 * nothing.
 */
export function countItemsBySource(
  answer: Plain,
  operation: Operation,
  dialect: Dialect,
  { groups, posts }: ResponseParts,
): Map<Source, number> {
  const counts = new Map<Source, number>();
  for (const [member, source] of Object.values(findItemMembers(answer, dialect)).flat()) {
    if (answer[member] !== null && (operation === 'ai' || source === 'microblog')) counts.set(source, 0);
  }
  for (const { source, items, beyond } of [
    ...groups,
    ...posts.map((list) => ({ ...list, source: 'microblog' as const })),
  ]) {
    const before = counts.get(source);
    if (before !== undefined) counts.set(source, before + items.length + beyond);
  }
  return counts;
}
