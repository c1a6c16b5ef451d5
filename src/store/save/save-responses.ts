/** Saves the results of responses, in a transaction that has already claimed them. */
import type { OwnLinkRule } from '../../model/links/link-identity.ts';
import { awaitAll, type Id, type SendLast, type Transaction } from '../db/database.ts';
import { insertPending } from '../derive/pending-derivations.ts';
import { sumGains } from '../derive/post-gains.ts';
import { leaveOutForgotten } from '../erase/tombstones.ts';
import { saveLateCounters } from './late-counters.ts';
import { SAVE_ADDRESSES, SAVE_LINKS, SAVE_POST_LINKS } from './link-sql.ts';
import { clearCompletion, saveClaims } from './save-claims.ts';
import { lockCompletions, saveCompletionChanges } from './save-completion-change.ts';
import { saveTools } from './save-tools.ts';
import {
  type ChangedPost,
  findStored,
  type KnownItems,
  queryPrepared,
  saveContent,
  saveCounters,
} from './save-facts.ts';
import type { Outcome, ResponseToSave } from './outcome.ts';
import { readRenamedItems, settleKeys } from './settle-keys.ts';
import { type Item, itemName, reportItems } from './topic-items.ts';
import { buildLinkRows, collectPostAddresses, itemKey } from './save-rows.ts';
import {
  INSERT_DISCOVERIES,
  INSERT_COMPLETION,
  LOCK_FEED,
  LOWER_FIRST_SEEN,
  INSERT_SIGHTINGS,
} from './save-sql.ts';

/** First sightings of this run, and whether its completion changed. */
export type Diff = {
  baseline: boolean;
  newPosts: readonly Id[];
  newLinks: readonly Id[];
  completionChanged: boolean;
};

type SightedRow = { new_posts: Id[]; new_links: Id[]; is_late: boolean };

/** Items that the search had first seen later. */
type Touched = { posts: Id[]; links: Id[] };
const NOTHING_TOUCHED: Touched = { posts: [], links: [] };

/** A response that this transaction may save. */
type Won = ResponseToSave & { outcome: Outcome };

/** Pipelines independent statements. Only the keys of posts, links and completions must be waited for. */
export async function saveResponses(
  tx: Transaction,
  won: readonly Won[],
  last: SendLast,
  {
    again,
    isOnlyWriter = false,
  }: {
    /** For a response read after the end of its run: the posts of its former parse. */
    again?: { formerPosts: readonly Id[] };
    /** Whether nobody else saves these items meanwhile: what an earlier response saved is what is stored. */
    isOnlyWriter?: boolean;
  } = {},
): Promise<Diff[]> {
  const responses: Won[] = [];
  for (const response of won)
    responses.push(
      response.outcome.anyForgotten
        ? { ...response, findings: await leaveOutForgotten(tx, response) }
        : response,
    );
  const [oldest] = responses;
  if (oldest === undefined) return [];
  const rules = oldest.linkRules ?? [];
  const known = await findStored(tx, responses);
  const results = responses.filter(({ outcome }) => outcome.isResult);
  const [, posts, , counters, sighted] = await awaitAll([
    saveContent(tx, 'author', known.authors, { rules, isOnlyWriter }),
    saveContent(tx, 'post', known.posts, { rules, isOnlyWriter }),
    saveLinks(tx, responses, known.posts, rules),
    saveCounters(tx, known),
    insertSightings(tx, responses, known),
    saveTools(tx, results, again !== undefined),
  ]);
  const late = await saveLateCounters(tx, counters.late);
  const changed = [...counters.changed, ...late];
  await sumGains(tx, [...new Set([...counters.corrected, ...late.map(({ id }) => id)])]);
  // Rows of posts and links are locked before completions, as everywhere.
  const [firstItems, touched, , , completions] = await awaitAll([
    reportItems(
      tx,
      responses.map(({ runId, outcome }) => ({ runId, baseline: outcome.baseline })),
      sighted.flatMap(listSighted),
    ),
    awaitAll(
      responses.map((response, i) =>
        again !== undefined || sighted[i]?.is_late === true
          ? lowerFirstSeen(tx, response)
          : Promise.resolve(NOTHING_TOUCHED),
      ),
    ),
    lockCompletions(
      tx,
      responses.flatMap(({ searchId, findings }) =>
        findings.completion === null && again === undefined ? [] : [searchId],
      ),
    ),
    awaitAll(again === undefined ? [] : results.map(({ runId }) => clearCompletion(tx, runId))),
    awaitAll(
      responses.map((response) =>
        response.outcome.isResult ? saveCompletion(tx, response) : Promise.resolve(null),
      ),
    ),
  ]);
  const completionsChanged = await saveCompletionChanges(
    tx,
    completions.flatMap((id) => id ?? []),
  );
  const isChanged = (completion: Id | null) => completion !== null && completionsChanged.has(completion);
  const diffs = responses.map(({ outcome }, i) => ({
    baseline: outcome.baseline,
    newPosts: sighted[i]?.new_posts ?? [],
    newLinks: sighted[i]?.new_links ?? [],
    completionChanged: isChanged(completions[i] ?? null),
  }));
  last(
    insertPending(
      tx,
      responses.map(({ searchId, runId, observedAt, outcome }, i) => ({
        search_id: searchId,
        run_id: runId,
        at: observedAt,
        // All posts of the response, since they determine how far back it reaches.
        posts: outcome.isResult ? (won[i]?.findings.posts.length ?? 0) : null,
        new_posts: diffs[i]?.newPosts ?? [],
        new_links: diffs[i]?.newLinks ?? [],
        changed_posts: pickPosts(changed, observedAt),
        edited_posts: pickPosts(posts.edited, observedAt),
        touched_posts: [...(again?.formerPosts ?? []), ...(touched[i]?.posts ?? [])],
        touched_links: touched[i]?.links ?? [],
        notify: again === undefined,
      })),
    ),
  );
  const discovered = responses.flatMap((_, i) => [
    ...listSighted(sighted[i], i),
    ...listChanged(diffs[i]?.completionChanged === true ? (completions[i] ?? null) : null, i),
  ]);
  const renamed = await readRenamedItems(tx, posts.renamed);
  if (discovered.length + renamed.length > 0) last(tx.query(LOCK_FEED));
  if (discovered.length > 0) {
    const appended = appendDiscoveries(tx, responses, diffs, discovered, firstItems);
    last(appended);
    if (renamed.length > 0) await appended;
  }
  await settleKeys(tx, renamed);
  return diffs;
}

const pickPosts = (changed: readonly ChangedPost[], at: Date) =>
  changed.flatMap((post) => (post.at.getTime() === at.getTime() ? [post.id] : []));

async function saveLinks(
  tx: Transaction,
  responses: readonly Won[],
  posts: KnownItems['posts'],
  rules: readonly OwnLinkRule[],
): Promise<void> {
  const inPosts = collectPostAddresses(responses, posts);
  const statements = buildLinkRows(responses, inPosts, rules).flatMap((rows) => [
    tx.query({ name: 'save_links', text: SAVE_LINKS, values: [rows] }),
    tx.query({ name: 'save_addresses', text: SAVE_ADDRESSES, values: [rows] }),
  ]);
  if (inPosts.length > 0)
    statements.push(
      tx.query({
        name: 'save_post_links',
        text: SAVE_POST_LINKS,
        values: [
          inPosts.map(({ response }) => response.serviceId),
          inPosts.map(({ externalId }) => externalId),
          inPosts.map(({ address }) => address),
        ],
      }),
    );
  await awaitAll(statements);
}

async function insertSightings(
  tx: Transaction,
  responses: readonly Won[],
  known: KnownItems,
): Promise<SightedRow[]> {
  const posts = responses.flatMap((response, i) =>
    [...response.findings.posts, ...response.findings.nestedPosts].map((post, n) => ({
      place: i + 1,
      isNested: n >= response.findings.posts.length,
      serviceId: response.serviceId,
      externalId: post.external_id,
    })),
  );
  const keys = new Map(
    known.posts.map(({ serviceId, externalId, id }) => [itemKey(serviceId, externalId), id]),
  );
  const links = responses.flatMap(({ findings }, i) =>
    findings.links.map((link) => ({
      place: i + 1,
      address: link.address,
      source: link.source,
    })),
  );
  const { rows } = await tx.query<SightedRow>({
    name: 'sight',
    text: INSERT_SIGHTINGS,
    values: [
      responses.map(({ runId }) => runId),
      responses.map(({ searchId }) => searchId),
      responses.map(({ observedAt }) => observedAt),
      responses.map(({ outcome }) => outcome.isResult),
      posts.map(({ place }) => place),
      posts.map(({ serviceId }) => serviceId),
      posts.map(({ externalId }) => externalId),
      posts.map((post) => keys.get(itemKey(post.serviceId, post.externalId)) ?? null),
      links.map(({ place }) => place),
      links.map(({ address }) => address),
      links.map(({ source }) => source),
      posts.map(({ isNested }) => isNested),
    ],
  });
  return rows;
}

/** Sets the first sighting of items to when a late response was received. @returns those first seen later before */
async function lowerFirstSeen(tx: Transaction, input: Won): Promise<Touched> {
  const { serviceId, observedAt, searchId, runId, findings } = input;
  const { rows } = await tx.query<Touched>(LOWER_FIRST_SEEN, [
    serviceId,
    observedAt,
    searchId,
    runId,
    findings.posts.map((post) => post.external_id),
    findings.links.map((link) => link.address),
  ]);
  return rows[0] ?? NOTHING_TOUCHED;
}

/** @param i index of its response */
function listSighted(sighted: SightedRow | undefined, i: number): Item[] {
  const list = (kind: Item['kind'], things: readonly Id[] = []) =>
    things.map((thing) => ({ place: i + 1, kind, thing }));
  return [...list('post', sighted?.new_posts), ...list('link', sighted?.new_links)];
}

/** @param place of its run in the transaction, from 1 */
type Discovery = { place: number; kind: string; thing: Id };

function listChanged(completion: Id | null, i: number): Discovery[] {
  return completion === null ? [] : [{ place: i + 1, kind: 'completion', thing: completion }];
}

function appendDiscoveries(
  tx: Transaction,
  responses: readonly Won[],
  diffs: readonly Diff[],
  discovered: readonly Discovery[],
  /** Items that no discovery in their topic reported before. */
  first: ReadonlySet<string>,
): Promise<unknown> {
  return queryPrepared(tx, 'append_discoveries', INSERT_DISCOVERIES, [
    responses.map(({ runId }) => runId),
    responses.map(({ searchId }) => searchId),
    responses.map(({ outcome }) => outcome.at),
    responses.map(({ outcome }) => outcome.baseline),
    responses.map(({ outcome }) => outcome.isOlder),
    responses.map(({ outcome }, i) => {
      const items = (diffs[i]?.newPosts.length ?? 0) + (diffs[i]?.newLinks.length ?? 0);
      return items === 0 ? null : outcome.itemsNewBefore + items;
    }),
    discovered.map(({ place }) => place),
    discovered.map(({ kind }) => kind),
    discovered.map(({ thing }) => thing),
    discovered.map((discovery) => discovery.kind === 'completion' || first.has(itemName(discovery))),
  ]);
}

/** @returns the completion's ID; null if the response has none */
async function saveCompletion(tx: Transaction, input: Won): Promise<Id | null> {
  const { completion } = input.findings;
  if (completion === null) return null;
  const { completion_links, search_completion_links, key_items, claims, ...texts } = completion;
  const row = await queryPrepared<{ id: Id }>(tx, 'insert_completion', INSERT_COMPLETION, [
    input.runId,
    input.searchId,
    input.observedAt,
    completion_links.map((link) => link.address),
    search_completion_links.map((link) => link.address),
    JSON.stringify(texts),
    JSON.stringify(key_items.map(({ link, ...item }) => ({ ...item, address: link?.address ?? null }))),
  ]);
  if (row === undefined) return null;
  await saveClaims(tx, { ...input, completionId: row.id, claims });
  return row.id;
}
