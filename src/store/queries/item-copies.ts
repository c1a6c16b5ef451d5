/** The copies of a post or link in each topic that found it. */
import { groupBy } from '../../lib/group-by.ts';
import { type Copies, readThingsOfDiscoveries } from '../topics/copies.ts';
import type { Id, Reads } from '../db/database.ts';
import { selectIds, statement } from '../db/statement.ts';
import { type DiscoveryRow, readDiscoveriesByIds } from './discoveries.ts';
import { describeLinks } from './named-posts.ts';

/** Members that a page lists; the oldest ones. */
const MAX_LISTED = 100;

export type CopiesInTopic = Copies & {
  /** Slug. */
  topic: string;
  /** One discovery of each copy, in the order of their discovery: the first reported the thing, unless it was there before. */
  rows: DiscoveryRow[];
};

/** Things with more than one copy, in the order in which topics found them. */
export async function readCopiesOfItem(
  db: Reads,
  { kind, id }: { kind: 'post' | 'link'; id: Id },
): Promise<CopiesInTopic[]> {
  const ids = await selectIds(
    db.pool,
    statement`SELECT id FROM strandline.discoveries WHERE kind = ${kind} AND thing = ${id} ORDER BY id`,
  );
  const things = await readThingsOfDiscoveries(db.pool, ids);
  const copied = [...new Set(things.values())].filter(({ copies }) => copies > 1);
  const listed = copied.map(({ members }) =>
    [...groupBy(members, ({ key }) => key).values()].slice(0, MAX_LISTED).map(([first]) => first.id),
  );
  const discoveries = await readDiscoveriesByIds(db, listed.flat());
  const rows = new Map((await describeLinks(db, discoveries)).map((row) => [row.id, row]));
  return copied.flatMap((thing, i) => {
    const mine = (listed[i] ?? []).flatMap((member) => rows.get(member) ?? []);
    const { copies, authors, copies_at_least } = thing;
    const [first] = mine;
    return first === undefined ? [] : [{ topic: first.topic, copies, authors, copies_at_least, rows: mine }];
  });
}
