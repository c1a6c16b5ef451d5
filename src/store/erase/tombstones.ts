/** Digests of forgotten authors and items: enough to recognize them in a response, but not to list them. */

import type {
  ParsedAuthor,
  ParsedCompletion,
  ParsedPost,
  ParsedResults,
} from '../../model/parsed-results.ts';
import { identifyAddress, type OwnLinkRule } from '../../model/links/link-identity.ts';
import type { Id, Queryable, Transaction } from '../db/database.ts';
import { execute, rowsOf, statement } from '../db/statement.ts';
import { createHash } from 'node:crypto';

/** IDs of authors and posts are unique within a service; URLs belong to none. */
export type Forgettable =
  | { kind: 'author' | 'post'; serviceId: Id; externalId: string }
  | { kind: 'link'; address: string };

/** Plain SHA-256: given an ID, one can check whether it was forgotten, but forgotten IDs cannot be listed. */
function digestThing(thing: Forgettable): Buffer {
  const words = thing.kind === 'link' ? [thing.address] : [String(thing.serviceId), thing.externalId];
  return createHash('sha256')
    .update([thing.kind, ...words].join('\n'))
    .digest();
}

/** Adds missing tombstones, in the order of their digests to avoid deadlocks. */
export async function raiseTombstones(
  tx: Transaction,
  things: readonly Forgettable[],
  now: Date,
): Promise<void> {
  if (things.length === 0) return;
  await execute(
    tx,
    statement`INSERT INTO strandline.tombstones (digest, at)
      SELECT DISTINCT d, ${now}::timestamptz FROM unnest(${things.map(digestThing)}::bytea[]) d ORDER BY d
      ON CONFLICT (digest) DO NOTHING`,
  );
}

/** Returns a test whether one of these was forgotten. */
export async function findForgotten(
  db: Queryable,
  things: readonly Forgettable[],
): Promise<(thing: Forgettable) => boolean> {
  const digests = [...new Map(things.map((thing) => [forgettableKey(thing), digestThing(thing)])).values()];
  const rows = await rowsOf<{ digest: Buffer }>(
    db,
    statement`SELECT digest FROM strandline.tombstones WHERE digest = ANY (${digests}::bytea[])`,
  );
  const digestsFound = new Set(rows.map(({ digest }) => digest.toString('hex')));
  return (thing) => digestsFound.size > 0 && digestsFound.has(digestThing(thing).toString('hex'));
}

function forgettableKey(thing: Forgettable): string {
  return thing.kind === 'link' ? `link ${thing.address}` : `${thing.kind} ${thing.externalId}`;
}

/** The ID and all known usernames of an author, current and former. */
export type AuthorNames = { external_id: string; usernames: readonly string[] };

/** Deletes samples of rejected items that name one of the authors, of one run or of all. @returns how many */
export async function deleteRejectsAbout(
  tx: Transaction,
  authors: readonly AuthorNames[],
  runId?: Id,
): Promise<number> {
  const words = authors.flatMap(({ external_id, usernames }) => [external_id, ...usernames]);
  const ofRun = runId === undefined ? statement`true` : statement`run_id = ${runId}`;
  const { rowCount } = await execute(
    tx,
    statement`DELETE FROM strandline.rejects
      WHERE ${ofRun} AND EXISTS (SELECT FROM unnest(${words}::text[]) word WHERE position(lower(word) IN lower(sample)) > 0)`,
  );
  return rowCount ?? 0;
}

type LeaveOutInput = {
  runId: Id;
  serviceId: Id;
  findings: ParsedResults;
  observedAt: Date;
  linkRules?: readonly OwnLinkRule[];
};

/**
 * Removes forgotten authors from a response: their posts, reposts and quotes of them, and links to them. If there
 * were any, deletes the raw response and adds tombstones for their new items, because another response may contain a
 * post without its author.
 * @returns the same results if nothing was removed
 */
export async function leaveOutForgotten(tx: Transaction, input: LeaveOutInput): Promise<ParsedResults> {
  const { findings, serviceId, runId, linkRules } = input;
  const { kept, gonePosts, goneAuthors } = await removeForgotten(tx, input);
  if (countForgettable(kept) === countForgettable(findings)) return findings;

  await raiseTombstones(
    tx,
    gonePosts.flatMap(({ external_id: externalId, url }) => [
      { kind: 'post', serviceId, externalId } as const,
      ...(url === null ? [] : listSpellings(url, linkRules)).map(
        (address) => ({ kind: 'link', address }) as const,
      ),
    ]),
    input.observedAt,
  );
  await execute(tx, statement`DELETE FROM strandline.responses WHERE run_id = ${runId}`);
  const named = goneAuthors.map(({ external_id, username }) => ({
    external_id,
    usernames: username === null ? [] : [username],
  }));
  await deleteRejectsAbout(tx, named, runId);
  return kept;
}

/** The same without side effects: the remaining results, and what was removed. */
export async function removeForgotten(
  db: Queryable,
  { findings, serviceId, linkRules }: Pick<LeaveOutInput, 'findings' | 'serviceId' | 'linkRules'>,
): Promise<{ kept: ParsedResults; gonePosts: ParsedPost[]; goneAuthors: ParsedAuthor[] }> {
  const author = (externalId: string): Forgettable => ({ kind: 'author', serviceId, externalId });
  const post = (externalId: string): Forgettable => ({ kind: 'post', serviceId, externalId });
  const spellings = (address: string) => listSpellings(address, linkRules);
  const isGone = await findForgotten(db, listForgettable(findings, { author, post, spellings }));

  const isOfGone = (item: ParsedPost) =>
    isGone(post(item.external_id)) ||
    (item.author_external_id !== null && isGone(author(item.author_external_id))) ||
    (item.reposted_status_id !== null && isGone(post(item.reposted_status_id)));
  const every = [...findings.posts, ...findings.nestedPosts];
  const gonePosts = every.filter(isOfGone);
  // A post of theirs that is first seen here is also removed from those that quote or repost it.
  const goneIds = new Set(gonePosts.map((item) => item.external_id));
  const goneUrls = new Set(gonePosts.flatMap(({ url }) => (url === null ? [] : spellings(url))));
  const isGonePost = (item: ParsedPost) =>
    goneIds.has(item.external_id) ||
    (item.reposted_status_id !== null && goneIds.has(item.reposted_status_id));
  const isGoneLink = ({ address }: { address: string }) =>
    spellings(address).some((url) => goneUrls.has(url) || isGone({ kind: 'link', address: url }));
  const isGoneId = (id: string) => goneIds.has(id) || isGone(post(id));
  const withoutGoneUrls = (item: ParsedPost): ParsedPost => ({
    ...item,
    urls: item.urls && item.urls.filter((url) => !isGoneLink({ address: url })),
  });

  const posts = (list: readonly ParsedPost[]) =>
    list
      .filter((item) => !isGonePost(item))
      .map(withoutGoneUrls)
      .map((item) =>
        item.quoted_status_id !== null && isGoneId(item.quoted_status_id) ? { ...item, quote: null } : item,
      );
  const isGoneAuthor = (item: ParsedAuthor) => isGone(author(item.external_id));
  const kept: ParsedResults = {
    ...findings,
    posts: posts(findings.posts),
    nestedPosts: posts(findings.nestedPosts),
    authors: findings.authors.filter((item) => !isGoneAuthor(item)),
    links: findings.links.filter((link) => !isGoneLink(link)),
    completion: findings.completion && withoutLinks(findings.completion, isGoneLink, isGoneId),
  };
  return { kept, gonePosts, goneAuthors: findings.authors.filter(isGoneAuthor) };
}

/**
 * What a tombstone of a link may be of: its address, its identity, and its identity with the rules of the configuration, which may
 * change. Tombstones are never computed again: once there is a release, a change of the built-in rules adds the former identity.
 */
export function listSpellings(address: string, own: readonly OwnLinkRule[] = []): string[] {
  const identities = [[], own].flatMap((rules) => identifyAddress(address, rules) ?? []);
  return [...new Set([address, ...identities])];
}

function listForgettable(
  { posts, nestedPosts, authors, links, completion }: ParsedResults,
  {
    author,
    post,
    spellings,
  }: {
    author: (id: string) => Forgettable;
    post: (id: string) => Forgettable;
    spellings: (address: string) => string[];
  },
): Forgettable[] {
  const ids = [...posts, ...nestedPosts].flatMap((item) => [
    item.external_id,
    item.quoted_status_id,
    item.reposted_status_id,
  ]);
  const refs = [
    ...links,
    ...(completion?.completion_links ?? []),
    ...(completion?.search_completion_links ?? []),
    ...(completion?.key_items ?? []).flatMap(({ link }) => (link === null ? [] : [link])),
    ...(completion?.claims ?? []).flatMap(({ citations }) => citations),
  ];
  const scored = Object.keys(completion?.miner_link_scores ?? {});
  const urls = [...posts, ...nestedPosts].flatMap((item) => item.urls ?? []);
  const addresses = [...refs.map(({ address }) => address), ...urls].flatMap(spellings);
  return [
    ...authors.map((item) => author(item.external_id)),
    ...[...ids, ...scored].flatMap((id) => (id === null ? [] : [post(id)])),
    ...[...addresses, ...scored.flatMap(spellings)].map((address) => ({ kind: 'link', address }) as const),
  ];
}

function withoutLinks(
  completion: ParsedCompletion,
  isGoneLink: (link: { address: string }) => boolean,
  isGoneId: (id: string) => boolean,
): ParsedCompletion {
  const { completion_links, search_completion_links, key_items, miner_link_scores: scores } = completion;
  const isKept = (name: string) => !isGoneId(name) && !isGoneLink({ address: name });
  return {
    ...completion,
    completion_links: completion_links.filter((link) => !isGoneLink(link)),
    search_completion_links: search_completion_links.filter((link) => !isGoneLink(link)),
    key_items: key_items.filter(({ link }) => link === null || !isGoneLink(link)),
    claims: completion.claims.filter(({ citations }) => !citations.some(isGoneLink)),
    miner_link_scores: scores && Object.fromEntries(Object.entries(scores).filter(([name]) => isKept(name))),
  };
}

/** Number of items that can be removed. */
function countForgettable({ posts, nestedPosts, authors, links, completion }: ParsedResults): number {
  const quotes = [...posts, ...nestedPosts].filter(({ quote }) => quote !== null).length;
  const urls = [...posts, ...nestedPosts].reduce((n, item) => n + (item.urls?.length ?? 0), 0);
  const { completion_links, search_completion_links, key_items, claims } = completion ?? {};
  const lists = [completion_links, search_completion_links, key_items, claims];
  const cited = lists.reduce((n, list) => n + (list?.length ?? 0), 0);
  const scored = Object.keys(completion?.miner_link_scores ?? {}).length;
  return posts.length + nestedPosts.length + authors.length + links.length + quotes + urls + cited + scored;
}
