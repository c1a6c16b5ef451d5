/** Completions of searches, with their key items, links and claims. */

import { amongIds, type Id, type Orm, type Pooled, prepareOnce, type Reads } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import type { links } from '../schema/post-tables.ts';
import {
  claimsView,
  completionClaimsView,
  completionsView,
  keyItemsView,
  searchesView,
} from '../schema/analytics-views.ts';
import type { DataScope } from './data-scope.ts';
import { equals, within } from './view-conditions.ts';
import { and, asc, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';

export type CompletionRow = typeof completionsView.$inferSelect;
export type KeyItemRow = typeof keyItemsView.$inferSelect;

export async function readRunCompletion(db: Orm, runId: Id): Promise<CompletionRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'completion_of_run', () =>
    db.orm
      .select()
      .from(completionsView)
      .where(eq(completionsView.run_id, sql.placeholder('key'))),
  ).execute({ key: runId });
  return row;
}

/** The newest completion of a search. */
export async function readLastCompletion(db: Orm, search: string): Promise<CompletionRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'last_completion', () =>
    db.orm
      .select()
      .from(completionsView)
      .where(eq(completionsView.search, sql.placeholder('key')))
      .orderBy(desc(completionsView.id))
      .limit(1),
  ).execute({ key: search });
  return row;
}

export async function readKeyItems({ orm }: Reads, completionId: Id): Promise<KeyItemRow[]> {
  const view = keyItemsView;
  return orm
    .select()
    .from(view)
    .where(eq(view.completion_id, completionId))
    .orderBy(asc(view.list), asc(view.position))
    .limit(1_000);
}

/** A link with what is needed to name it. */
export type AddressedLink = Pick<typeof links.$inferSelect, 'id' | 'url' | 'title'>;

/** The links of addresses as they were received; unknown addresses are left out. */
export async function readLinksByAddress(
  { pool }: Pooled,
  addresses: readonly string[],
): Promise<Map<string, AddressedLink>> {
  if (addresses.length === 0) return new Map();
  const { rows } = await execute<AddressedLink & { address: string }>(
    pool,
    statement`SELECT a.address, l.id, l.url, l.title FROM strandline.link_addresses a JOIN strandline.links l ON l.id = a.link_id
      WHERE a.address = ANY (${[...new Set(addresses)]}::text[])`,
    'links_by_address',
  );
  return new Map(rows.map(({ address, ...link }) => [address, link]));
}

export async function readCompletion(db: Orm, id: Id): Promise<CompletionRow | undefined> {
  const [row] = await prepareOnce(db.orm, 'completion', () =>
    db.orm
      .select()
      .from(completionsView)
      .where(eq(completionsView.id, sql.placeholder('key'))),
  ).execute({ key: id });
  return row;
}

type CompletionFilter = DataScope & {
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
  const { search, topic, changed, before, limit } = filter;
  const v = completionsView;
  const searches = searchesView;
  const mine =
    search === undefined && topic === undefined
      ? undefined
      : inArray(
          v.search_id,
          orm
            .select({ id: searches.id })
            .from(searches)
            .where(equals(searches, { slug: search, topic })),
        );
  return orm
    .select()
    .from(v)
    .where(
      and(
        mine,
        equals(v, { changed }),
        within(v.observed_at, filter),
        before === undefined ? undefined : lt(v.id, before),
      ),
    )
    .orderBy(desc(v.id))
    .limit(limit);
}

type ClaimRow = typeof claimsView.$inferSelect;

/** A page of all claims of a search's completions, by first appearance. */
export async function readClaimPage(
  { orm }: Reads,
  filter: { search: string; current?: boolean | undefined; after?: Id | undefined; limit: number },
): Promise<ClaimRow[]> {
  const { search, current, after, limit } = filter;
  const view = claimsView;
  return orm
    .select()
    .from(view)
    .where(and(equals(view, { search, current }), after === undefined ? undefined : gte(view.id, after + 1n)))
    .orderBy(asc(view.id))
    .limit(limit);
}

export type SaidClaim = typeof completionClaimsView.$inferSelect;

/** Claims of completions, in order. A completion has about 1,200 claims at most. */
export async function readClaims({ orm }: Orm, completionIds: readonly Id[]): Promise<SaidClaim[]> {
  const view = completionClaimsView;
  return prepareOnce(orm, 'claims_of', () =>
    orm
      .select()
      .from(view)
      .where(amongIds(view.completion_id))
      .orderBy(asc(view.completion_id), asc(view.position))
      .limit(sql.placeholder('limit')),
  ).execute({ ids: completionIds, limit: completionIds.length * 2_000 });
}
