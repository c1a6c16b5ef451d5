import type { Findings, LinkRef, ReadAuthor, ReadCompletion, ReadPost } from '../../monitor/read/findings.ts';
import type { Database, Id, Transaction } from '../database.ts';
import { deleteRejectsAbout } from './rejects.ts';
import { type Forgettable, forgottenAmong, raiseTombstones } from './tombstones.ts';

type Input = { runId: Id; serviceId: Id; findings: Findings; observedAt: Date };

/**
 * An answer without those who were forgotten: their posts, whatever repeats or quotes them, and links to them.
 * Where it held any, the raw answer goes too, and what is new of them is forgotten by its own id from here on,
 * since another answer may name a post without its author.
 * @returns the same findings where nobody had to be left out
 */
export async function leaveOutForgotten(tx: Transaction, input: Input): Promise<Findings> {
  const { findings, serviceId, runId } = input;
  const { kept, gonePosts, goneAuthors } = await withoutForgotten(tx, { findings, serviceId });
  if (sizeOf(kept) === sizeOf(findings)) return findings;

  await raiseTombstones(
    tx,
    gonePosts.flatMap(({ external_id: externalId, url }) => [
      { kind: 'post', serviceId, externalId } as const,
      ...(url === null ? [] : [{ kind: 'link', address: url } as const]),
    ]),
    input.observedAt,
  );
  await tx.query('DELETE FROM strandline.answers WHERE run_id = $1', [runId]);
  await deleteRejectsAbout(tx, goneAuthors, runId);
  return kept;
}

/** The same without a trace: what an answer holds beside those who were forgotten, and what of theirs it held. */
export async function withoutForgotten(
  db: Pick<Transaction, 'query'> | Database['pool'],
  { findings, serviceId }: Pick<Input, 'findings' | 'serviceId'>,
): Promise<{ kept: Findings; gonePosts: ReadPost[]; goneAuthors: ReadAuthor[] }> {
  const author = (externalId: string): Forgettable => ({ kind: 'author', serviceId, externalId });
  const post = (externalId: string): Forgettable => ({ kind: 'post', serviceId, externalId });
  const isGone = await forgottenAmong(db, thingsIn(findings, author, post));

  const isOfGone = (one: ReadPost) =>
    isGone(post(one.external_id)) ||
    (one.author_external_id !== null && isGone(author(one.author_external_id))) ||
    (one.reposted_status_id !== null && isGone(post(one.reposted_status_id)));
  const every = [...findings.posts, ...findings.nestedPosts];
  const gonePosts = every.filter(isOfGone);
  // A post of theirs that is met for the first time is gone for those that quote or repeat it here.
  const goneIds = new Set(gonePosts.map((one) => one.external_id));
  const goneUrls = new Set(gonePosts.flatMap(({ url }) => (url === null ? [] : [url])));
  const isGonePost = (one: ReadPost) =>
    goneIds.has(one.external_id) || (one.reposted_status_id !== null && goneIds.has(one.reposted_status_id));
  const isGoneLink = ({ address, canonical }: Omit<LinkRef, 'site'>) =>
    [address, canonical].some((url) => goneUrls.has(url) || isGone({ kind: 'link', address: url }));
  const isGoneId = (id: string) => goneIds.has(id) || isGone(post(id));

  const posts = (list: readonly ReadPost[]) =>
    list
      .filter((one) => !isGonePost(one))
      .map((one) =>
        one.quoted_status_id !== null && isGoneId(one.quoted_status_id) ? { ...one, quote: null } : one,
      );
  const isGoneAuthor = (one: ReadAuthor) => isGone(author(one.external_id));
  const kept: Findings = {
    ...findings,
    posts: posts(findings.posts),
    nestedPosts: posts(findings.nestedPosts),
    authors: findings.authors.filter((one) => !isGoneAuthor(one)),
    links: findings.links.filter((link) => !isGoneLink(link)),
    completion: findings.completion && withoutLinks(findings.completion, isGoneLink, isGoneId),
  };
  return { kept, gonePosts, goneAuthors: findings.authors.filter(isGoneAuthor) };
}

function thingsIn(
  { posts, nestedPosts, authors, links, completion }: Findings,
  author: (id: string) => Forgettable,
  post: (id: string) => Forgettable,
): Forgettable[] {
  const ids = [...posts, ...nestedPosts].flatMap((one) => [
    one.external_id,
    one.quoted_status_id,
    one.reposted_status_id,
  ]);
  const refs = [
    ...links,
    ...(completion?.completion_links ?? []),
    ...(completion?.search_completion_links ?? []),
    ...(completion?.key_items ?? []).flatMap(({ link }) => (link === null ? [] : [link])),
    ...(completion?.claims ?? []).flatMap(({ citations }) => citations),
  ];
  const scored = Object.keys(completion?.miner_link_scores ?? {});
  const addresses = [...refs.flatMap(({ address, canonical }) => [address, canonical]), ...scored];
  return [
    ...authors.map((one) => author(one.external_id)),
    ...[...ids, ...scored].flatMap((id) => (id === null ? [] : [post(id)])),
    ...addresses.map((address) => ({ kind: 'link', address }) as const),
  ];
}

function withoutLinks(
  completion: ReadCompletion,
  isGoneLink: (link: { address: string; canonical: string }) => boolean,
  isGoneId: (id: string) => boolean,
): ReadCompletion {
  const { completion_links, search_completion_links, key_items, miner_link_scores: scores } = completion;
  const isKept = (name: string) => !isGoneId(name) && !isGoneLink({ address: name, canonical: name });
  return {
    ...completion,
    completion_links: completion_links.filter((link) => !isGoneLink(link)),
    search_completion_links: search_completion_links.filter((link) => !isGoneLink(link)),
    key_items: key_items.filter(({ link }) => link === null || !isGoneLink(link)),
    claims: completion.claims.filter(({ citations }) => !citations.some(isGoneLink)),
    miner_link_scores: scores && Object.fromEntries(Object.entries(scores).filter(([name]) => isKept(name))),
  };
}

/** How much of it anyone could be left out of. */
function sizeOf({ posts, nestedPosts, authors, links, completion }: Findings): number {
  const quotes = [...posts, ...nestedPosts].filter(({ quote }) => quote !== null).length;
  const { completion_links, search_completion_links, key_items, claims } = completion ?? {};
  const lists = [completion_links, search_completion_links, key_items, claims];
  const cited = lists.reduce((n, list) => n + (list?.length ?? 0), 0);
  const scored = Object.keys(completion?.miner_link_scores ?? {}).length;
  return posts.length + nestedPosts.length + authors.length + links.length + quotes + cited + scored;
}
