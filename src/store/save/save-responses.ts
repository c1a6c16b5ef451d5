/** Saves the results of responses, in a transaction that has already claimed them. */
import { BUILT_IN_RULES, type LinkRules } from '../../domain/link-identity.ts';
import { awaitAll, type Id, type SendLast, type Transaction } from '../database.ts';
import { insertPending } from '../derive/pending-derivations.ts';
import { leaveOutForgotten } from '../maintenance/tombstones.ts';
import { readStoredRules } from '../link-rules.ts';
import { SAVE_ADDRESSES, SAVE_LINKS, SAVE_POST_LINKS } from './link-sql.ts';
import { saveClaims } from './save-claims.ts';
import type { Outcome, ResponseToSave } from './outcome.ts';
import {
  collectAuthors,
  buildContentRows,
  buildCounterColumns,
  type KnownItem,
  itemKey,
  buildLinkRows,
  collectPostAddresses,
  collectPosts,
  type ItemOccurrences,
} from './save-rows.ts';
import {
  INSERT_DISCOVERIES,
  FIND_STORED,
  INSERT_COMPLETION,
  LOCK_FEED,
  SAVE_AUTHORS,
  SAVE_COUNTERS,
  SAVE_POSTS,
  INSERT_SIGHTINGS,
} from './save-sql.ts';

/** First sightings of this run, and whether its completion changed. */
export type Diff = {
  baseline: boolean;
  newPosts: readonly Id[];
  newLinks: readonly Id[];
  completionChanged: boolean;
};

type SightedRow = { new_posts: Id[]; new_links: Id[] };

/** Items whose known facts were changed by a response read out of order. */
export type Touched = { posts: Id[]; links: Id[] };
const NOTHING_TOUCHED: Touched = { posts: [], links: [] };

/** A response that this transaction may save. */
type Won = ResponseToSave & { outcome: Outcome };

/**
 * Pipelines statements that do not depend on each other. Only the keys of posts, links and completions must be waited
 * for.
 */
export async function saveResponses(
  tx: Transaction,
  won: readonly Won[],
  last: SendLast,
  /** For a response read out of order, after its sightings. */
  touch?: (saved: ResponseToSave) => Promise<Touched>,
): Promise<Diff[]> {
  const responses: Won[] = [];
  for (const response of won)
    responses.push(
      response.outcome.anyForgotten
        ? { ...response, findings: await leaveOutForgotten(tx, response) }
        : response,
    );
  const [known, storedRules] = await awaitAll([findStored(tx, responses), readStoredRules(tx)]);
  for (const statement of buildContentStatements(responses, known, storedRules)) last(tx.query(statement));
  const [changed, sighted] = await awaitAll([saveCounters(tx, known), insertSightings(tx, responses, known)]);
  const [completions, touched] = await awaitAll([
    awaitAll(
      responses.map((response) =>
        response.outcome.isResult ? saveCompletion(tx, response) : Promise.resolve(null),
      ),
    ),
    awaitAll(responses.map((response) => touch?.(response) ?? Promise.resolve(NOTHING_TOUCHED))),
  ]);
  const diffs = responses.map(({ outcome }, i) => ({
    baseline: outcome.baseline,
    newPosts: sighted[i]?.new_posts ?? [],
    newLinks: sighted[i]?.new_links ?? [],
    completionChanged: completions[i]?.changed ?? false,
  }));
  last(
    insertPending(
      tx,
      responses.map(({ searchId, runId, observedAt, outcome }, i) => ({
        searchId,
        runId,
        at: observedAt,
        // All posts of the response, since they determine how far back it reaches.
        posts: outcome.isResult ? (won[i]?.findings.posts.length ?? 0) : null,
        newPosts: diffs[i]?.newPosts ?? [],
        newLinks: diffs[i]?.newLinks ?? [],
        changedPosts: changed.get(observedAt.getTime()) ?? [],
        touchedPosts: touched[i]?.posts ?? [],
        touchedLinks: touched[i]?.links ?? [],
        notify: touch === undefined,
      })),
    ),
  );
  const discovered = diffs.flatMap((diff, i) => listDiscoveries(diff, completions[i]?.id, i + 1));
  if (discovered.length > 0) {
    last(tx.query(LOCK_FEED));
    last(appendDiscoveries(tx, responses, diffs, discovered));
  }
  return diffs;
}

type KnownItems = { posts: KnownItem[]; authors: KnownItem[] };

async function findStored(tx: Transaction, responses: readonly ResponseToSave[]): Promise<KnownItems> {
  const posts = collectPosts(responses);
  const authors = collectAuthors(responses);
  type Row = Record<'post_ids' | 'post_hashes' | 'author_ids' | 'author_hashes', (Id | null)[]>;
  const row = await queryPrepared<Row>(tx, 'find_stored', FIND_STORED, [
    ...itemIds(posts),
    ...itemIds(authors),
  ]);
  const toKnown = (things: readonly ItemOccurrences[], ids?: (Id | null)[], hashes?: (Id | null)[]) =>
    things.map((thing, i) => ({ ...thing, id: ids?.[i] ?? null, hash: hashes?.[i] ?? null }));
  return {
    posts: toKnown(posts, row?.post_ids, row?.post_hashes),
    authors: toKnown(authors, row?.author_ids, row?.author_hashes),
  };
}

function itemIds(things: readonly ItemOccurrences[]): [Id[], string[]] {
  return [things.map(({ serviceId }) => serviceId), things.map(({ externalId }) => externalId)];
}

/** Statements that save new or changed content, one per response of the same item, in order. */
function buildContentStatements(
  responses: readonly ResponseToSave[],
  { posts, authors }: KnownItems,
  stored: LinkRules,
) {
  const current = { ...BUILT_IN_RULES, own: responses[0]?.linkRules ?? [] };
  const inPosts = collectPostAddresses(responses, posts);
  const named =
    (name: string, text: string) =>
    (...values: unknown[]) => ({ name, text, values });
  return [
    ...buildContentRows(authors).map((rows) => named('save_authors', SAVE_AUTHORS)(rows)),
    ...buildContentRows(posts).map((rows) => named('save_posts', SAVE_POSTS)(rows)),
    ...buildLinkRows(responses, inPosts, { current, stored }).flatMap((rows) => [
      named('save_links', SAVE_LINKS)(rows),
      named('save_addresses', SAVE_ADDRESSES)(rows),
    ]),
    ...(inPosts.length === 0
      ? []
      : [
          named('save_post_links', SAVE_POST_LINKS)(
            inPosts.map(({ response }) => response.serviceId),
            inPosts.map(({ externalId }) => externalId),
            inPosts.map(({ address }) => address),
          ),
        ]),
  ];
}

/** @returns existing posts with a new snapshot, by its time */
async function saveCounters(tx: Transaction, known: KnownItems): Promise<ReadonlyMap<number, Id[]>> {
  const rows = await awaitAll(
    buildCounterColumns(known.posts, known.authors).map((values) =>
      queryPrepared<{ ids: Id[]; times: Date[] }>(tx, 'save_counters', SAVE_COUNTERS, values),
    ),
  );
  const changed = new Map<number, Id[]>();
  for (const { ids, times } of rows.filter((row) => row !== undefined))
    for (const [i, id] of ids.entries()) {
      const time = times[i]?.getTime() ?? 0;
      const before = changed.get(time);
      if (before === undefined) changed.set(time, [id]);
      else before.push(id);
    }
  return changed;
}

async function insertSightings(
  tx: Transaction,
  responses: readonly Won[],
  known: KnownItems,
): Promise<SightedRow[]> {
  const keys = new Map(
    known.posts.map(({ serviceId, externalId, id }) => [itemKey(serviceId, externalId), id]),
  );
  const posts = responses.flatMap(({ serviceId, findings }, i) =>
    findings.posts.map((post) => ({ place: i + 1, serviceId, externalId: post.external_id })),
  );
  const links = responses.flatMap(({ findings }, i) =>
    findings.links.map(({ address, source }) => ({ place: i + 1, address, source })),
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
      posts.map(({ serviceId, externalId }) => keys.get(itemKey(serviceId, externalId)) ?? null),
      links.map(({ place }) => place),
      links.map(({ address }) => address),
      links.map(({ source }) => source),
    ],
  });
  return rows;
}

type Discovery = { place: number; kind: string; thing: Id };

/** @param place index of its run in the transaction, from 1 */
function listDiscoveries(diff: Diff, completion: Id | undefined, place: number): Discovery[] {
  const of = (kind: string, things: readonly Id[]) => things.map((thing) => ({ place, kind, thing }));
  const changed = diff.completionChanged && completion !== undefined ? [completion] : [];
  return [...of('post', diff.newPosts), ...of('link', diff.newLinks), ...of('completion', changed)];
}

function appendDiscoveries(
  tx: Transaction,
  responses: readonly Won[],
  diffs: readonly Diff[],
  discovered: readonly Discovery[],
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
  ]);
}

async function saveCompletion(
  tx: Transaction,
  input: ResponseToSave,
): Promise<{ id: Id; changed: boolean } | null> {
  const { completion } = input.findings;
  if (completion === null) return null;
  const { completion_links, search_completion_links, key_items, claims, ...texts } = completion;
  const row = await queryPrepared<{ id: Id; changed: boolean }>(tx, 'insert_completion', INSERT_COMPLETION, [
    input.runId,
    input.searchId,
    input.observedAt,
    completion_links.map((link) => link.address),
    search_completion_links.map((link) => link.address),
    JSON.stringify(texts),
    JSON.stringify(key_items.map(({ link, ...item }) => ({ ...item, address: link?.address ?? null }))),
  ]);
  if (row !== undefined) await saveClaims(tx, { ...input, completionId: row.id, claims });
  return row ?? null;
}

/** Runs a statement that is parsed and planned once per connection. @returns its first row */
async function queryPrepared<Row extends object>(
  tx: Transaction,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row | undefined> {
  const result = await tx.query<Row>({ name, text, values });
  return result.rows[0];
}
