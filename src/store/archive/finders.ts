/** Which searches saw a post or a link, and whether what is asked for lies in the sandbox, outside of it, or in both. */
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { searchIs } from '../reads/searches.ts';
import { linkSightingsView } from '../schema/analytics/links.ts';
import { postSightingsView } from '../schema/analytics/posts.ts';
import { searchesView } from '../schema/analytics/topics.ts';

type Reads = Pick<Database, 'orm'>;

/** A search that saw a thing. */
export type Finder = { search: string; topic: string; service: string };

/** Each thing of many searches has a page of its own. */
const FINDERS_MOST = 10_000;

/** By the id of the post or link. What only stands inside other posts was found by nobody. */
export async function readFinders(
  { orm }: Reads,
  kind: 'post' | 'link',
  ids: readonly Id[],
): Promise<ReadonlyMap<Id, Finder[]>> {
  const found = new Map<Id, Finder[]>();
  if (ids.length === 0) return found;
  const view = kind === 'post' ? postSightingsView : linkSightingsView;
  const thing = kind === 'post' ? postSightingsView.post_id : linkSightingsView.link_id;
  const { slug, topic, service } = searchesView;
  const rows = await orm
    .select({ thing, search: slug, topic, service })
    .from(view)
    .innerJoin(searchesView, eq(searchesView.id, view.search_id))
    .where(inArray(thing, [...ids]))
    .orderBy(asc(view.first_seen_at), asc(slug))
    .limit(FINDERS_MOST);
  for (const { thing: id, ...finder } of rows) {
    const finders = found.get(id);
    if (finders === undefined) found.set(id, [finder]);
    else finders.push(finder);
  }
  return found;
}

/** Of the searches that are asked for: those that look outside first. Nothing where there is no such search. */
export async function readWorlds(
  { orm }: Reads,
  asked: { search?: string | undefined; topic?: string | undefined; service?: string | undefined },
): Promise<{ sandbox: boolean }[]> {
  const sandbox: SQL<boolean> = sql<boolean>`${searchesView.service_kind} = 'sandbox'`;
  return orm
    .selectDistinct({ sandbox })
    .from(searchesView)
    .where(
      and(searchIs(asked), asked.service === undefined ? undefined : eq(searchesView.service, asked.service)),
    )
    .orderBy(sandbox)
    .limit(2);
}
