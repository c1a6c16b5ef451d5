import { and, asc, desc, eq, gte, inArray, lt, type SQL } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { claimsView, completionsView } from '../schema/analytics/completions.ts';
import { searchesView } from '../schema/analytics/topics.ts';
import type { CompletionRow } from './completions.ts';
import { searchIs } from './searches.ts';

type Reads = Pick<Database, 'orm'>;

export async function readCompletion({ orm }: Reads, id: Id): Promise<CompletionRow | undefined> {
  const [row] = await orm.select().from(completionsView).where(eq(completionsView.id, id)).limit(1);
  return row;
}

export type CompletionFilter = {
  search?: string | undefined;
  topic?: string | undefined;
  /** Whether its set of cited links differs from the one before. */
  changed?: boolean | undefined;
  /** Received from then on, and before. */
  since?: Date | undefined;
  until?: Date | undefined;
};

/** A page of completions, those that were kept last first. */
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
          orm.select({ id: searchesView.id }).from(searchesView).where(searchIs({ search, topic })),
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

export type ClaimRow = typeof claimsView.$inferSelect;

/** A page of what completions of a search ever claimed, in the order in which it was first said. */
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
