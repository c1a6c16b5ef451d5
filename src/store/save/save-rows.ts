/**
 * Builds rows for the statements of the save. If several responses contain the same post, each occurrence is saved in
 * turn, oldest first, so that a shared transaction has the same result as separate ones.
 */
import { hash } from 'node:crypto';
import type { ParsedAuthor, ParsedLink, ParsedPost, ParsedResults } from '../../domain/parsed-results.ts';
import {
  areSameRules,
  identifyAddress,
  type LinkRules,
  readIdentityHost,
} from '../../domain/link-identity.ts';
import type { Id } from '../database.ts';
import { AUTHOR_COUNTERS, POST_COUNTERS } from '../../domain/counters.ts';

type ParsedResponse = { serviceId: Id; observedAt: Date; findings: ParsedResults };

/** A post or author in one response. */
type Occurrence = {
  at: Date;
  /** Everything except counters, as a JSON object. */
  content: string;
  /** Of the content. If it equals the stored hash, the content is not sent. */
  hash: Id;
  counters: readonly (number | null)[];
};

/** A post or author with its occurrences, oldest first. */
export type ItemOccurrences = { serviceId: Id; externalId: string; said: Occurrence[] };

/** An item with its stored key and content hash, each null if unknown. */
export type KnownItem = ItemOccurrences & { id: Id | null; hash: Id | null };

export function collectPosts(responses: readonly ParsedResponse[]): ItemOccurrences[] {
  return collectItems(responses, ({ posts, nestedPosts }) => [...posts, ...nestedPosts], POST_COUNTERS);
}

export function collectAuthors(responses: readonly ParsedResponse[]): ItemOccurrences[] {
  return collectItems(responses, ({ authors }) => authors, AUTHOR_COUNTERS);
}

/** Identifies a post or an author in memory. */
export const itemKey = (serviceId: Id, externalId: string) => `${serviceId} ${externalId}`;

function collectItems(
  responses: readonly ParsedResponse[],
  itemsOf: (findings: ParsedResults) => readonly (ParsedPost | ParsedAuthor)[],
  counters: readonly string[],
): ItemOccurrences[] {
  const things = new Map<string, ItemOccurrences>();
  for (const { serviceId, observedAt: at, findings } of responses.toSorted(compareTimes)) {
    for (const item of itemsOf(findings)) {
      const statement = { at, ...splitItem(item, counters) };
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

function splitItem(item: ParsedPost | ParsedAuthor, counters: readonly string[]): Omit<Occurrence, 'at'> {
  const content: Record<string, unknown> = { ...item };
  const counts = counters.map((name) => {
    const count = content[name];
    // Omitted from the JSON.
    content[name] = undefined;
    return typeof count === 'number' ? count : null;
  });
  const json = JSON.stringify(content);
  return { content: json, hash: hash('sha256', json, 'buffer').readBigInt64BE(), counters: counts };
}

/** Rows of new or changed content, as JSON arrays to save in order. */
export function buildContentRows(things: readonly KnownItem[]): string[] {
  return Array.from({ length: countTurns(things) }, (_, turn) =>
    things.flatMap(({ serviceId, said, hash: stored }) => {
      const now = said[turn];
      const isStored = said.slice(0, turn + 1).every((occurrence) => occurrence.hash === stored);
      if (now === undefined || isStored) return [];
      return `{"service_id":"${serviceId}","observed_at":"${now.at.toISOString()}","content_hash":"${now.hash}",${now.content.slice(1)}`;
    }),
  )
    .filter((rows) => rows.length > 0)
    .map((rows) => `[${rows.join(',')}]`);
}

/**
 * Parameters of the statements that save counters, in order: columns of posts, then of authors. Columns are services,
 * external IDs, known keys, times, then each counter.
 */
export function buildCounterColumns(posts: readonly KnownItem[], authors: readonly KnownItem[]): unknown[][] {
  return Array.from({ length: countTurns([...posts, ...authors]) }, (_, turn) => [
    ...buildColumns(turn, posts, POST_COUNTERS),
    ...buildColumns(turn, authors, AUTHOR_COUNTERS),
  ]);
}

function buildColumns(turn: number, things: readonly KnownItem[], counters: readonly string[]): unknown[][] {
  const rows = things.flatMap(({ serviceId, externalId, id, said }) => {
    const now = said[turn];
    return now === undefined ? [] : [{ serviceId, externalId, id, now }];
  });
  return [
    rows.map(({ serviceId }) => serviceId),
    rows.map(({ externalId }) => externalId),
    rows.map(({ id }) => id),
    rows.map(({ now }) => now.at),
    ...counters.map((_, i) => rows.map(({ now }) => now.counters[i] ?? null)),
  ];
}

/** Maximum occurrences of one item. */
const countTurns = (things: readonly ItemOccurrences[]) =>
  Math.max(0, ...things.map(({ said }) => said.length));

/** Rules of link identity: those of this process, and those of the stored links until `links rekey` applies the others. */
export type IdentityRules = { current: LinkRules; stored: LinkRules };

/** A link of one response. */
type LinkRow = Partial<ParsedLink> & {
  canonical: string;
  /** The identity by the rules of the stored links; null if it is the same. */
  former: string | null;
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
  rules: IdentityRules,
): string[] {
  const turns: object[][] = [];
  const responsesWith = new Map<string, number>();
  for (const response of responses.toSorted(compareTimes)) {
    const inPosts = posts.filter((post) => post.response === response).map(({ address }) => address);
    collectLinks(response.findings, inPosts, rules).forEach((link, ord) => {
      const turn = responsesWith.get(link.canonical) ?? 0;
      (turns[turn] ??= []).push({ ...link, ord, observed_at: response.observedAt });
      responsesWith.set(link.canonical, turn + 1);
    });
  }
  return turns.map((rows) => JSON.stringify(rows));
}

function collectLinks(
  { links, completion }: ParsedResults,
  inPosts: readonly string[],
  rules: IdentityRules,
): LinkRow[] {
  const items = completion?.key_items.flatMap((item) => (item.link === null ? [] : [item.link])) ?? [];
  const cited = completion?.claims.flatMap(({ citations }) => citations) ?? [];
  const lists = [completion?.completion_links ?? [], completion?.search_completion_links ?? [], items, cited];
  const isKnown = areSameRules(rules.current, rules.stored);
  const rows = new Map<string, LinkRow>();
  const add = (address: string, link: Partial<ParsedLink>) => {
    const canonical = identifyAddress(address, rules.current);
    if (canonical === null) return;
    const addresses = link.addresses ?? [address];
    const before = rows.get(canonical);
    if (before === undefined)
      rows.set(canonical, {
        ...link,
        canonical,
        former: isKnown ? null : identifyAddress(address, rules.stored),
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
export type PostAddress = { response: ParsedResponse; externalId: string; address: string };

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
