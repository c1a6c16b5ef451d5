/** Completions of searches, with their key items, links and claims. */

import { amongIds, type Database, type Id, type Reads } from '../database.ts';
import { keyItemsView as keyItemsViews, linksView as linksViews } from '../schema/analytics/post-views.ts';
import {
  claimsView as claimsViews,
  completionsView as completionsViews,
} from '../schema/analytics/result-views.ts';
import { searchesView as searchesViews } from '../schema/analytics/topic-views.ts';
import type { LinkRow } from './links.ts';
import { isSearch } from './search-list.ts';
import { and, asc, desc, eq, gte, inArray, lt, type SQL } from 'drizzle-orm';

const keyItemsView = keyItemsViews.real;
const linksView = linksViews.real;
const claimsView = claimsViews.real;
const completionsView = completionsViews.real;
const searchesView = searchesViews.real;

export type CompletionRow = typeof completionsView.$inferSelect;
export type KeyItemRow = typeof keyItemsView.$inferSelect;

export async function readRunCompletion({ orm }: Reads, runId: Id): Promise<CompletionRow | undefined> {
  const [row] = await orm.select().from(completionsView).where(eq(completionsView.run_id, runId)).limit(1);
  return row;
}

/** The newest completion of a search. */
export async function readLastCompletion({ orm }: Reads, search: string): Promise<CompletionRow | undefined> {
  const [row] = await orm
    .select()
    .from(completionsView)
    .where(eq(completionsView.search, search))
    .orderBy(desc(completionsView.id))
    .limit(1);
  return row;
}

export async function readKeyItems({ orm }: Reads, completionId: Id, limit = 1_000): Promise<KeyItemRow[]> {
  return orm
    .select()
    .from(keyItemsView)
    .where(eq(keyItemsView.completion_id, completionId))
    .orderBy(asc(keyItemsView.list), asc(keyItemsView.position))
    .limit(limit);
}

/** Links in the order of their IDs. */
export async function readLinksByIds({ orm }: Reads, ids: readonly Id[]): Promise<LinkRow[]> {
  if (ids.length === 0) return [];
  const rows = await orm
    .select()
    .from(linksView)
    .where(amongIds(linksView.id))
    .prepare('links_of')
    .execute({ ids: [...new Set(ids)] });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
}

/** A link with what is needed to name it. */
export type AddressedLink = { id: Id; url: string; title: string | null };

/** The links of addresses as they were received; unknown addresses are left out. */
export async function readLinksByAddress(
  { pool }: Pick<Database, 'pool'>,
  addresses: readonly string[],
): Promise<Map<string, AddressedLink>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await pool.query<AddressedLink & { address: string }>({
    name: 'links_by_address',
    text: `SELECT a.address, l.id, l.url, l.title FROM strandline.link_addresses a JOIN strandline.links l ON l.id = a.link_id
      WHERE a.address = ANY ($1::text[])`,
    values: [[...new Set(addresses)]],
  });
  return new Map(rows.map(({ address, ...link }) => [address, link]));
}

export async function readCompletion({ orm }: Reads, id: Id): Promise<CompletionRow | undefined> {
  const [row] = await orm.select().from(completionsView).where(eq(completionsView.id, id)).limit(1);
  return row;
}

type CompletionFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Whether a statement is new compared with the previous completion. */
  changed?: boolean | undefined;
  /** Range of the receive time; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/** A page of completions, most recently stored first. */
export async function readCompletionPage(
  { orm }: Reads,
  filter: CompletionFilter & { before?: Id | undefined; limit: number },
): Promise<CompletionRow[]> {
  const { search, topic, changed, since, until, before, limit } = filter;
  const v = completionsView;
  const mine =
    search === undefined && topic === undefined
      ? undefined
      : inArray(
          v.search_id,
          orm.select({ id: searchesView.id }).from(searchesView).where(isSearch({ search, topic })),
        );
  const wanted: (SQL | undefined)[] = [
    mine,
    changed === undefined ? undefined : eq(v.changed, changed),
    since === undefined ? undefined : gte(v.observed_at, since),
    until === undefined ? undefined : lt(v.observed_at, until),
    before === undefined ? undefined : lt(v.id, before),
  ];
  return orm
    .select()
    .from(v)
    .where(and(...wanted))
    .orderBy(desc(v.id))
    .limit(limit);
}

type ClaimRow = typeof claimsView.$inferSelect;

/** A page of all claims of a search's completions, in the order in which they first appeared. */
export async function readClaimPage(
  { orm }: Reads,
  filter: { search: string; current?: boolean | undefined; after?: Id | undefined; limit: number },
): Promise<ClaimRow[]> {
  const { search, current, after, limit } = filter;
  return orm
    .select()
    .from(claimsView)
    .where(
      and(
        eq(claimsView.search, search),
        current === undefined ? undefined : eq(claimsView.current, current),
        after === undefined ? undefined : gte(claimsView.id, after + 1n),
      ),
    )
    .orderBy(asc(claimsView.id))
    .limit(limit);
}
