/**
 * Builds rows for the statements of the save. If several responses contain the same post, each occurrence is saved in
 * turn, oldest first, so that a shared transaction has the same result as separate ones.
 */
import { hash } from 'node:crypto';
import type { ParsedAuthor, ParsedLink, ParsedPost, ParsedResults } from '../../model/parsed-results.ts';
import {
  identifyAddress,
  identifyPost,
  type OwnLinkRule,
  readIdentityHost,
} from '../../model/links/link-identity.ts';
import type { Id } from '../db/database.ts';
import { AUTHOR_COUNTERS, POST_COUNTERS } from '../../model/counters.ts';

type ParsedResponse = { runId: Id; serviceId: Id; observedAt: Date; findings: ParsedResults };

/** A post or author in one response. */
type Occurrence = {
  at: Date;
  runId: Id;
  isPartial: boolean;
  url: string | null;
  /** Text of a post; null for an author. */
  text: string | null;
  /** Everything except counters, as a JSON object. */
  content: string;
  /** Hash of the content. If it equals the stored hash, the content is not sent. */
  hash: Id;
  counters: readonly (number | null)[];
};

/** A post or author with its occurrences, oldest first. */
export type ItemOccurrences = { serviceId: Id; externalId: string; said: Occurrence[] };

/** An item with its stored key and content hashes, each null if unknown. */
export type KnownItem = ItemOccurrences & { id: Id | null; hash: Id | null; partialHash: Id | null };

/** Rows of a statement, with the occurrence that each is of. */
export type Turn<T> = { items: { item: KnownItem; now: Occurrence }[]; rows: T };

/** Identifies a post or an author in memory. */
export const itemKey = (serviceId: Id, externalId: string) => `${serviceId} ${externalId}`;

/** The posts or authors of responses, each once. */
export function collectItems(
  responses: readonly ParsedResponse[],
  itemsOf: (findings: ParsedResults) => readonly (ParsedPost | ParsedAuthor)[],
  counters: readonly string[],
): ItemOccurrences[] {
  const things = new Map<string, ItemOccurrences>();
  for (const { runId, serviceId, observedAt: at, findings } of responses.toSorted(compareTimes)) {
    for (const item of itemsOf(findings)) {
      const statement = {
        at,
        runId,
        isPartial: item.is_partial,
        url: item.url,
        text: 'text' in item ? item.text : null,
        ...splitItem(item, counters),
      };
      const key = itemKey(serviceId, item.external_id);
      const known = things.get(key);
      if (known === undefined)
        things.set(key, { serviceId, externalId: item.external_id, said: [statement] });
      else known.said.push(statement);
    }
  }
  return [...things.values()];
}

const compareTimes = (a: ParsedResponse, b: ParsedResponse) =>
  a.observedAt.getTime() - b.observedAt.getTime();

type SplitItem = Pick<Occurrence, 'content' | 'hash' | 'counters'>;

function splitItem(item: ParsedPost | ParsedAuthor, counters: readonly string[]): SplitItem {
  const content: Record<string, unknown> = { ...item };
  for (const name of UNKNOWN_IF_EMPTY) if (content[name] === '') content[name] = null;
  const counts = counters.map((name) => {
    const count = content[name];
    // Omitted from the JSON.
    content[name] = undefined;
    return typeof count === 'number' ? count : null;
  });
  const json = JSON.stringify(content);
  return { content: json, hash: hash('sha256', json, 'buffer').readBigInt64BE(), counters: counts };
}

/** An empty text of a post, or title or snippet of a link, says nothing; other empty texts are known to be empty. */
const UNKNOWN_IF_EMPTY: ReadonlySet<string> = new Set(['text', 'title', 'snippet', 'summary_description']);

/**
 * Rows of new or changed content, as JSON arrays to save in order.
 * @param rules of the keys of posts; null for authors
 * @param isOnlyWriter whether nobody else saves these items meanwhile
 */
export function buildContentRows(
  things: readonly KnownItem[],
  rules: readonly OwnLinkRule[] | null,
  isOnlyWriter = false,
): Turn<string>[] {
  return Array.from({ length: countTurns(things) }, (_, turn) => {
    const items = things.flatMap((item) => {
      const now = item.said[turn];
      const isStored = item.said
        .slice(0, turn + 1)
        .every((copy) => copy.hash === (copy.isPartial ? item.partialHash : item.hash));
      const isKnown = isStored || (isOnlyWriter && isSavedBefore(item, turn));
      return now === undefined || isKnown ? [] : [{ item, now }];
    });
    return { items, rows: writeContentRows(items, rules) };
  }).filter(({ items }) => items.length > 0);
}

/**
 * Whether the turn before has saved the same content. Of an item whose stored content is newer, or partial, the statement
 * decides each time.
 */
function isSavedBefore({ id, hash: stored, said }: KnownItem, turn: number): boolean {
  const [before, now] = [said[turn - 1], said[turn]];
  if (before === undefined || now === undefined || before.hash !== now.hash) return false;
  return (id === null || stored !== null) && said.every(({ isPartial }) => !isPartial);
}

/** Rows for `contentRowSql`. */
function writeContentRows(
  items: readonly Turn<string>['items'][number][],
  rules: readonly OwnLinkRule[] | null,
): string {
  const rows = items.map(({ item: { serviceId, externalId }, now }) => {
    const key = rules === null ? null : identifyPost({ serviceId, externalId, url: now.url }, rules);
    return `{"service_id":"${serviceId}","run_id":"${now.runId}","observed_at":"${now.at.toISOString()}","hash":"${now.hash}","key":${JSON.stringify(key)},${now.content.slice(1)}`;
  });
  return `[${rows.join(',')}]`;
}

/**
 * Parameters of the statements that save counters, in order: columns of posts, then of authors. Columns are services,
 * external IDs, known keys, times, then each counter.
 */
export function buildCounterColumns(
  posts: readonly KnownItem[],
  authors: readonly KnownItem[],
): (Turn<unknown[]> & { authors: Turn<unknown>['items'] })[] {
  return Array.from({ length: countTurns([...posts, ...authors]) }, (_, turn) => {
    const now = { posts: pickTurn(turn, posts), authors: pickTurn(turn, authors) };
    const rows = [...buildColumns(now.posts, POST_COUNTERS), ...buildColumns(now.authors, AUTHOR_COUNTERS)];
    return { items: now.posts, authors: now.authors, rows };
  });
}

function pickTurn(turn: number, things: readonly KnownItem[]): Turn<unknown>['items'] {
  return things.flatMap((item) => {
    const now = item.said[turn];
    return now === undefined ? [] : [{ item, now }];
  });
}

function buildColumns(items: Turn<unknown>['items'], counters: readonly string[]): unknown[][] {
  return [
    items.map(({ item }) => item.serviceId),
    items.map(({ item }) => item.externalId),
    items.map(({ item }) => item.id),
    items.map(({ now }) => now.at),
    ...counters.map((_, i) => items.map(({ now }) => now.counters[i] ?? null)),
  ];
}

/** Maximum occurrences of one item. */
const countTurns = (things: readonly ItemOccurrences[]) =>
  Math.max(0, ...things.map(({ said }) => said.length));

/** A link of one response. */
type LinkRow = Partial<ParsedLink> & {
  canonical: string;
  addresses: string[];
  site: string;
};

/**
 * Links of responses, each once per response with all its addresses, as JSON arrays to save in order. Returned links
 * come before those that are only cited by a completion, and those that are only in a post.
 */
export function buildLinkRows(
  responses: readonly ParsedResponse[],
  posts: readonly PostAddress[],
  rules: readonly OwnLinkRule[],
): string[] {
  const turns: object[][] = [];
  const responsesWith = new Map<string, number>();
  for (const response of responses.toSorted(compareTimes)) {
    const inPosts = posts.filter((post) => post.response === response).map(({ address }) => address);
    collectLinks(response.findings, inPosts, rules).forEach((link, ord) => {
      const turn = responsesWith.get(link.canonical) ?? 0;
      const known = Object.entries(link).filter(
        ([name, value]) => !(value === '' && UNKNOWN_IF_EMPTY.has(name)),
      );
      (turns[turn] ??= []).push({
        ...Object.fromEntries(known),
        ord,
        observed_at: response.observedAt,
      });
      responsesWith.set(link.canonical, turn + 1);
    });
  }
  return turns.map((rows) => JSON.stringify(rows));
}

function collectLinks(
  { links, completion }: ParsedResults,
  inPosts: readonly string[],
  rules: readonly OwnLinkRule[],
): LinkRow[] {
  const items = completion?.key_items.flatMap((item) => (item.link === null ? [] : [item.link])) ?? [];
  const cited = completion?.claims.flatMap(({ citations }) => citations) ?? [];
  const lists = [completion?.completion_links ?? [], completion?.search_completion_links ?? [], items, cited];
  const rows = new Map<string, LinkRow>();
  const add = (address: string, link: Partial<ParsedLink>) => {
    const canonical = identifyAddress(address, rules);
    if (canonical === null) return;
    const addresses = link.addresses ?? [address];
    const before = rows.get(canonical);
    if (before === undefined)
      rows.set(canonical, {
        ...link,
        canonical,
        addresses: [...addresses],
        site: readIdentityHost(canonical),
      });
    else before.addresses.push(...addresses.filter((spelling) => !before.addresses.includes(spelling)));
  };
  for (const link of links) add(link.address, link);
  for (const { address } of lists.flat()) add(address, {});
  for (const address of inPosts) add(address, {});
  return [...rows.values()];
}

/** An address in the text of a post. */
type PostAddress = { response: ParsedResponse; externalId: string; address: string };

/** Addresses in new and changed posts. */
export function collectPostAddresses(
  responses: readonly ParsedResponse[],
  posts: readonly KnownItem[],
): PostAddress[] {
  const changed = new Set(
    posts
      .filter(({ said, hash: stored }) => said.some((occurrence) => occurrence.hash !== stored))
      .map(({ serviceId, externalId }) => itemKey(serviceId, externalId)),
  );
  return responses.flatMap((response) =>
    [...response.findings.posts, ...response.findings.nestedPosts]
      .filter(({ external_id }) => changed.has(itemKey(response.serviceId, external_id)))
      .flatMap(({ external_id: externalId, urls }) =>
        (urls ?? []).map((address) => ({ response, externalId, address })),
      ),
  );
}
