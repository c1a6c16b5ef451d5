/** Saves posts, authors and their counters, and finds the copies whose counters are late. */
import { AUTHOR_COUNTERS, POST_COUNTERS } from '../../model/counters.ts';
import type { ParsedResults } from '../../model/parsed-results.ts';
import type { OwnLinkRule } from '../../model/links/link-identity.ts';
import { awaitAll, type Id, type Transaction } from '../db/database.ts';
import { FIND_STORED, type Kind, SAVE_AUTHORS, SAVE_COUNTERS, SAVE_POSTS } from './facts-sql.ts';
import type { ResponseToSave } from './outcome.ts';
import {
  buildContentRows,
  buildCounterColumns,
  collectItems,
  type ItemOccurrences,
  type KnownItem,
  type Turn,
} from './save-rows.ts';

/** An existing post that a response changed, and when that was received. */
export type ChangedPost = { id: Id; at: Date };
/** The key of an existing post before its address changed. */
export type FormerKey = { id: Id; key: string | null };
/** A copy of an item, and when it was received. */
export type LateCopy = Turn<unknown>['items'][number];

/** Items of responses, with what is stored of them. */
export type KnownItems = { posts: KnownItem[]; authors: KnownItem[] };

export async function findStored(tx: Transaction, responses: readonly ResponseToSave[]): Promise<KnownItems> {
  const listPosts = ({ posts, nestedPosts }: ParsedResults) => [...posts, ...nestedPosts];
  const posts = collectItems(responses, listPosts, POST_COUNTERS);
  const authors = collectItems(responses, (found) => found.authors, AUTHOR_COUNTERS);
  type Columns = 'ids' | 'hashes' | 'partial_hashes';
  type Row = Record<`${Kind}_${Columns}`, (Id | null)[]>;
  const row = await queryPrepared<Row>(tx, 'find_stored', FIND_STORED, [
    ...itemIds(posts),
    ...itemIds(authors),
  ]);
  const toKnown = (kind: Kind, things: readonly ItemOccurrences[]) =>
    things.map((thing, i) => ({
      ...thing,
      id: row?.[`${kind}_ids`][i] ?? null,
      hash: row?.[`${kind}_hashes`][i] ?? null,
      partialHash: row?.[`${kind}_partial_hashes`][i] ?? null,
    }));
  return { posts: toKnown('post', posts), authors: toKnown('author', authors) };
}

function itemIds(things: readonly ItemOccurrences[]): [Id[], string[], (Date | null)[]] {
  return [
    things.map(({ serviceId }) => serviceId),
    things.map(({ externalId }) => externalId),
    things.map(({ said }) => said[0]?.at ?? null),
  ];
}

/** Saves new or changed content: one statement per response of the same item, in order. */
export async function saveContent(
  tx: Transaction,
  kind: Kind,
  things: readonly KnownItem[],
  { rules, isOnlyWriter }: { rules: readonly OwnLinkRule[]; isOnlyWriter: boolean },
): Promise<{ edited: ChangedPost[]; renamed: FormerKey[] }> {
  const turns = buildContentRows(things, kind === 'post' ? rules : null, isOnlyWriter);
  const text = kind === 'post' ? SAVE_POSTS : SAVE_AUTHORS;
  const saved = await awaitAll(
    turns.map(({ rows }) => queryPrepared<SavedContent>(tx, `save_${kind}s`, text, [rows])),
  );
  const edited = turns.flatMap(({ items }, turn) => {
    const times = new Map(items.map(({ item, now }) => [item.id, now.at]));
    return (saved[turn]?.edited ?? []).flatMap((id) => ({ id, at: times.get(id) ?? new Date(0) }));
  });
  const renamed = saved.flatMap((rows) =>
    (rows?.renamed ?? []).map(({ id, key }) => ({ id: BigInt(id), key })),
  );
  return { edited, renamed };
}

/** `renamed`: ids are text, because JSON has no bigint. */
type SavedContent = {
  edited?: Id[];
  renamed?: { id: string; key: string | null }[];
};

const pickLate = (items: Turn<unknown>['items'], late: readonly number[] = []): LateCopy[] =>
  late.flatMap((n) => items[n] ?? []);

type CountersRow = {
  ids: Id[];
  times: Date[];
  corrected: Id[];
  late_posts: number[];
  late_authors: number[];
};

/**
 * @returns existing posts with a new snapshot; posts whose newest snapshot was corrected; and late copies, of which nothing is saved
 *   yet
 */
export async function saveCounters(
  tx: Transaction,
  known: KnownItems,
): Promise<{ changed: ChangedPost[]; corrected: Id[]; late: Record<Kind, LateCopy[]> }> {
  const turns = buildCounterColumns(known.posts, known.authors);
  const saved = await awaitAll(
    turns.map(({ rows }) => queryPrepared<CountersRow>(tx, 'save_counters', SAVE_COUNTERS, rows)),
  );
  return {
    changed: saved.flatMap((row) => row?.ids.map((id, i) => ({ id, at: row.times[i] ?? new Date(0) })) ?? []),
    corrected: saved.flatMap((row) => row?.corrected ?? []),
    late: {
      post: turns.flatMap(({ items }, turn) => pickLate(items, saved[turn]?.late_posts)),
      author: turns.flatMap(({ authors }, turn) => pickLate(authors, saved[turn]?.late_authors)),
    },
  };
}

/** Runs a statement that is parsed and planned once per connection. @returns its first row */
export async function queryPrepared<Row extends object>(
  tx: Transaction,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row | undefined> {
  const result = await tx.query<Row>({ name, text, values });
  return result.rows[0];
}
