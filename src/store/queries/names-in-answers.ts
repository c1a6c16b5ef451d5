/** In how many answers each name of a topic is, per service and day. */
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { groupBy } from '../../lib/group-by.ts';
import type { NameSide, ServiceKind } from '../../model/closed-lists.ts';
import type { Id, Pooled, Reads } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import { nameChangesView, namesInAnswersView } from '../schema/analytics-views.ts';

/** How many of the answers that were read have a name. `share`: `present` of `answers`. */
export type NameCounts = { answers: number; named: number; cited: number; present: number; share: number };

/** A name in the answers of one service. */
export type NameInAnswers = NameCounts & {
  service: string;
  service_kind: ServiceKind;
  name_id: Id;
  name: string;
  side: NameSide;
  /** Days (UTC) with answers, oldest first. */
  buckets: (NameCounts & { bucket_at: Date })[];
};

/** By service, its own names first, then by share. A name is missing where no answer was read. */
export async function readNamesInAnswers(
  { orm }: Reads,
  { topic, search, from, until }: { topic: string; search?: string | undefined; from: Date; until: Date },
): Promise<NameInAnswers[]> {
  const v = namesInAnswersView;
  const total = (column: typeof v.answers | typeof v.named | typeof v.cited | typeof v.present) =>
    sql<number>`sum(${column})::float8`;
  const days = await orm
    .select({
      service: v.service,
      service_kind: v.service_kind,
      name_id: v.name_id,
      name: v.name,
      side: v.side,
      bucket_at: v.bucket_at,
      answers: total(v.answers),
      named: total(v.named),
      cited: total(v.cited),
      present: total(v.present),
    })
    .from(v)
    .where(
      and(
        eq(v.topic, topic),
        search === undefined ? undefined : eq(v.search, search),
        gte(v.bucket_at, from),
        lt(v.bucket_at, until),
      ),
    )
    .groupBy(v.service, v.service_kind, v.name_id, v.name, v.side, v.bucket_at)
    .orderBy(asc(v.service), asc(v.name_id), asc(v.bucket_at));
  const names = [...groupBy(days, ({ service, name_id }) => `${service} ${name_id}`).values()].map(
    (rows): NameInAnswers => {
      const [{ service, service_kind, name_id, name, side }] = rows;
      const buckets = rows.map(({ bucket_at, ...counts }) => ({ bucket_at, ...countShare(counts) }));
      const sum = (member: 'answers' | 'named' | 'cited' | 'present') =>
        rows.reduce((all, row) => all + row[member], 0);
      const counts = {
        answers: sum('answers'),
        named: sum('named'),
        cited: sum('cited'),
        present: sum('present'),
      };
      return { service, service_kind, name_id, name, side, ...countShare(counts), buckets };
    },
  );
  return names.toSorted(
    (a, b) =>
      (a.service < b.service ? -1 : a.service > b.service ? 1 : 0) ||
      Number(a.side === 'rival') - Number(b.side === 'rival') ||
      b.share - a.share ||
      (a.name_id < b.name_id ? -1 : 1),
  );
}

function countShare({ answers, named, cited, present }: Omit<NameCounts, 'share'>): NameCounts {
  return { answers, named, cited, present, share: present / answers };
}

/** A name that entered the answers of a search, or left them, see `strandline_analytics.name_changes`. */
export type NameChange = Pick<
  typeof nameChangesView.$inferSelect,
  'at' | 'service' | 'name' | 'change' | 'sentence' | 'run_id'
>;

/** @returns oldest first */
export async function readNameChanges(
  { orm }: Reads,
  { topic, from, until }: { topic: string; from: Date; until: Date },
): Promise<NameChange[]> {
  const v = nameChangesView;
  return orm
    .select({
      at: v.at,
      service: v.service,
      name: v.name,
      change: v.change,
      sentence: v.sentence,
      run_id: v.run_id,
    })
    .from(v)
    .where(and(eq(v.topic, topic), gte(v.at, from), lt(v.at, until)))
    .orderBy(asc(v.at), asc(v.id));
}

/** Whether answers of a topic are still being read for its names. */
export async function isReadingAgain({ pool }: Pooled, topic: string): Promise<boolean> {
  const rows = await rowsOf(
    pool,
    statement`SELECT FROM strandline.topic_name_lists l JOIN strandline.topics t ON t.id = l.topic_id
      WHERE t.slug = ${topic} AND l.unread_below IS NOT NULL`,
  );
  return rows.length > 0;
}
