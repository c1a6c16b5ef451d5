/** What responses hold, saved inside a transaction whose first statement made it theirs to save. */
import { answersTo, type Id, type Last, type Transaction } from '../database.ts';
import { logReadings } from '../derive/pending.ts';
import { leaveOutForgotten } from '../forget/leave-out.ts';
import { saveClaims } from './claims.ts';
import type { Outcome, Saved } from './outcome.ts';
import {
  authorsOf,
  contentRows,
  counterColumns,
  type Found,
  keyOf,
  linkRows,
  postsOf,
  type Thing,
} from './rows.ts';
import {
  APPEND_DISCOVERIES,
  FIND_STORED,
  INSERT_COMPLETION,
  LOCK_FEED,
  SAVE_ADDRESSES,
  SAVE_AUTHORS,
  SAVE_COUNTERS,
  SAVE_LINKS,
  SAVE_POSTS,
  SIGHT,
} from './statements.ts';

/** What this run saw for the first time, and how much it saw at all. */
export type Diff = {
  baseline: boolean;
  newPosts: readonly Id[];
  newLinks: readonly Id[];
  completionChanged: boolean;
};

type Sighted = { new_posts: Id[]; new_links: Id[] };

/** What was known before and is known otherwise by a response that is not read in its turn. */
export type Touched = { posts: Id[]; links: Id[] };
const NOTHING: Touched = { posts: [], links: [] };

/** A response whose run, or whose reading, is won. */
type Won = Saved & { outcome: Outcome };

/**
 * Most statements need no answer of the one ahead of them, and are sent behind it at once: the keys that runs have to
 * wait for are those of their posts and links, and of their completions.
 */
export async function saveResponses(
  tx: Transaction,
  won: readonly Won[],
  last: Last,
  /** For a response that is not read in its turn, behind its sightings. */
  touch?: (saved: Saved) => Promise<Touched>,
): Promise<Diff[]> {
  const responses: Won[] = [];
  for (const one of won)
    responses.push(one.outcome.anyForgotten ? { ...one, findings: await leaveOutForgotten(tx, one) } : one);
  const found = await findStored(tx, responses);
  for (const statement of contentStatements(responses, found)) last(tx.query(statement));
  const [changed, sighted] = await answersTo([saveCounters(tx, found), sight(tx, responses, found)]);
  const [completions, touched] = await answersTo([
    answersTo(
      responses.map((one) => (one.outcome.isResult ? saveCompletion(tx, one) : Promise.resolve(null))),
    ),
    answersTo(responses.map((one) => touch?.(one) ?? Promise.resolve(NOTHING))),
  ]);
  const diffs = responses.map(({ outcome }, i) => ({
    baseline: outcome.baseline,
    newPosts: sighted[i]?.new_posts ?? [],
    newLinks: sighted[i]?.new_links ?? [],
    completionChanged: completions[i]?.changed ?? false,
  }));
  last(
    logReadings(
      tx,
      responses.map(({ searchId, runId, observedAt, outcome }, i) => ({
        searchId,
        runId,
        at: observedAt,
        // How far the response reached is told by all that it held.
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
  const discovered = diffs.flatMap((diff, i) => discoveriesOf(diff, completions[i]?.id, i + 1));
  if (discovered.length > 0) {
    last(tx.query(LOCK_FEED));
    last(appendDiscoveries(tx, responses, diffs, discovered));
  }
  return diffs;
}

/** Posts and authors of responses. */
type AllFound = { posts: Found[]; authors: Found[] };

async function findStored(tx: Transaction, responses: readonly Saved[]): Promise<AllFound> {
  const posts = postsOf(responses);
  const authors = authorsOf(responses);
  type Row = Record<'post_ids' | 'post_hashes' | 'author_ids' | 'author_hashes', (Id | null)[]>;
  const row = await prepared<Row>(tx, 'find_stored', FIND_STORED, [...namesOf(posts), ...namesOf(authors)]);
  const found = (things: readonly Thing[], ids?: (Id | null)[], hashes?: (Id | null)[]) =>
    things.map((thing, i) => ({ ...thing, id: ids?.[i] ?? null, hash: hashes?.[i] ?? null }));
  return {
    posts: found(posts, row?.post_ids, row?.post_hashes),
    authors: found(authors, row?.author_ids, row?.author_hashes),
  };
}

function namesOf(things: readonly Thing[]): [Id[], string[]] {
  return [things.map(({ serviceId }) => serviceId), things.map(({ externalId }) => externalId)];
}

/** Statements that save what is not stored as it is, each turn of responses behind the one before. */
function contentStatements(responses: readonly Saved[], { posts, authors }: AllFound) {
  const named = (name: string, text: string) => (rows: string) => ({ name, text, values: [rows] });
  return [
    ...contentRows(authors).map(named('save_authors', SAVE_AUTHORS)),
    ...contentRows(posts).map(named('save_posts', SAVE_POSTS)),
    ...linkRows(responses).flatMap((rows) => [
      named('save_links', SAVE_LINKS)(rows),
      named('save_addresses', SAVE_ADDRESSES)(rows),
    ]),
  ];
}

/** @returns posts that were known before and have a snapshot more, by its time */
async function saveCounters(tx: Transaction, found: AllFound): Promise<ReadonlyMap<number, Id[]>> {
  const rows = await answersTo(
    counterColumns(found.posts, found.authors).map((values) =>
      prepared<{ ids: Id[]; times: Date[] }>(tx, 'save_counters', SAVE_COUNTERS, values),
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

async function sight(tx: Transaction, responses: readonly Won[], found: AllFound): Promise<Sighted[]> {
  const keys = new Map(
    found.posts.map(({ serviceId, externalId, id }) => [keyOf(serviceId, externalId), id]),
  );
  const posts = responses.flatMap(({ serviceId, findings }, i) =>
    findings.posts.map((post) => ({ place: i + 1, serviceId, externalId: post.external_id })),
  );
  const links = responses.flatMap(({ findings }, i) =>
    findings.links.map(({ address, source }) => ({ place: i + 1, address, source })),
  );
  const { rows } = await tx.query<Sighted>({
    name: 'sight',
    text: SIGHT,
    values: [
      responses.map(({ runId }) => runId),
      responses.map(({ searchId }) => searchId),
      responses.map(({ observedAt }) => observedAt),
      responses.map(({ outcome }) => outcome.isResult),
      posts.map(({ place }) => place),
      posts.map(({ serviceId }) => serviceId),
      posts.map(({ externalId }) => externalId),
      posts.map(({ serviceId, externalId }) => keys.get(keyOf(serviceId, externalId)) ?? null),
      links.map(({ place }) => place),
      links.map(({ address }) => address),
      links.map(({ source }) => source),
    ],
  });
  return rows;
}

type Discovery = { place: number; kind: string; thing: Id };

/** @param place of its run among those that are saved, from 1 */
function discoveriesOf(diff: Diff, completion: Id | undefined, place: number): Discovery[] {
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
  return prepared(tx, 'append_discoveries', APPEND_DISCOVERIES, [
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

async function saveCompletion(tx: Transaction, input: Saved): Promise<{ id: Id; changed: boolean } | null> {
  const { completion } = input.findings;
  if (completion === null) return null;
  const { completion_links, search_completion_links, key_items, claims, ...texts } = completion;
  const row = await prepared<{ id: Id; changed: boolean }>(tx, 'insert_completion', INSERT_COMPLETION, [
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
async function prepared<Row extends object>(
  tx: Transaction,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row | undefined> {
  const result = await tx.query<Row>({ name, text, values });
  return result.rows[0];
}
