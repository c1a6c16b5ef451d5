/**
 * Reading and writing the histories of posts and authors, for copies that are not the newest or that the save cannot
 * compare with one row (see `facts-sql.ts`): `late-content.ts` and `late-counters.ts` read what is stored about the
 * items, apply `model/history.ts`, and write the difference.
 *
 * Not covered: two responses received in the same millisecond, of which the one saved later counts; two transactions
 * that save an item at once, of which one confirms what the other, late one changes; and what is confirmed only after
 * {@link MAX_LATER_RESPONSES} later responses, or was received before raw responses expired.
 */
import { addToGroup, type Groups } from '../../lib/group-by.ts';
import type { Confirmation, Observation } from '../../model/history.ts';
import { type Id, type Transaction, type Columns, columnNames, typedColumns } from '../db/database.ts';
import { MEMBERS } from './columns.ts';
import { type Kind, MAX_LATER_RESPONSES } from './facts-sql.ts';
import { readKnownMembers, type Turn } from './save-rows.ts';

const S = 'strandline';

/** A copy to insert into the history of its item. */
export type LateCopy = Turn<unknown>['items'][number];

/** An object of Postgres' JSON. */
export type JsonRow = Record<string, unknown>;
/** A row of a history. `isGone`: only the newest values of the item show that it existed. */
export type Row = Observation & { runId: unknown; isGone?: boolean };
type Mention = Confirmation & { runId: unknown };

/** Items of responses since a time. $1 items, $2 time. */
const readMentionsSql = (kind: Kind) => `
SELECT o.observed_at AS at, o.run_id, id, u.known FROM (
  SELECT * FROM ${S}.observed_items WHERE observed_at > $2 ORDER BY observed_at LIMIT ${MAX_LATER_RESPONSES}
) o
CROSS JOIN LATERAL unnest(o.${kind}_ids, o.${kind}_known) u(id, known)
JOIN unnest($1::bigint[]) w(id) USING (id)`;

/** Later responses that contain the items, with what they knew of these members. */
export async function readMentions(
  tx: Transaction,
  kind: Kind,
  names: readonly string[],
  late: readonly LateCopy[],
  ids: readonly Id[],
): Promise<Groups<Id, Mention>> {
  const since = new Date(Math.min(...late.map(({ now }) => now.at.getTime())));
  type MentionRow = { at: Date; run_id: Id; id: Id; known: Id };
  const { rows } = await tx.query<MentionRow>(readMentionsSql(kind), [ids, since]);
  const mentions: Groups<Id, Mention> = new Map();
  const kinds = new Map<Id, ReturnType<typeof readKnownMembers>>();
  for (const { at, run_id, id, known: bits } of rows) {
    let said = kinds.get(bits);
    if (said === undefined) {
      const { isPartial, known } = readKnownMembers(bits, MEMBERS[kind]);
      said = { isPartial, known: known.filter((name) => names.includes(name)) };
      kinds.set(bits, said);
    }
    addToGroup(mentions, id, { ...said, at: at.getTime(), runId: String(run_id) });
  }
  return mentions;
}

export function toRow(json: JsonRow, names: readonly string[]): Row {
  return {
    at: Date.parse(String(json['observed_at'])),
    isPartial: json['is_partial'] === true,
    runId: json['run_id'] ?? null,
    values: Object.fromEntries(
      names.map((name) => [name, name === 'text' ? json[name] || null : (json[name] ?? null)]),
    ),
  };
}

export function toJson(id: Id, { at, isPartial, runId, values }: Partial<Row>): JsonRow {
  return { ...values, id: String(id), observed_at: new Date(at ?? 0), run_id: runId, is_partial: isPartial };
}

export const isSame = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** A row to delete, or to insert or replace if it has a row. */
export type RowChange = { id: Id; at: number; row?: Row };

export function compareRows(id: Id, before: readonly Row[], after: readonly Row[]): RowChange[] {
  const kept = new Map(after.map((row) => [row.at, row]));
  const former = new Map(before.map((row) => [row.at, row]));
  return [
    ...before.flatMap(({ at }) => (kept.has(at) ? [] : [{ id, at }])),
    ...after.flatMap((row) =>
      isSame(former.get(row.at)?.values, row.values) ? [] : [{ id, at: row.at, row }],
    ),
  ];
}

export async function writeChanges(
  tx: Transaction,
  table: `${Kind}_${'versions' | 'snapshots'}`,
  columns: Columns,
  changes: readonly RowChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const key = table.startsWith('post') ? 'post_id' : 'author_id';
  await tx.query(
    `DELETE FROM ${S}.${table} v USING unnest($1::bigint[], $2::timestamptz[]) u(id, at) WHERE v.${key} = u.id AND v.observed_at = u.at`,
    [changes.map(({ id }) => id), changes.map(({ at }) => new Date(at))],
  );
  const rows = changes.flatMap(({ id, row }) => (row === undefined ? [] : [toJson(id, row)]));
  const times = changes.flatMap(({ row }) => (row === undefined ? [] : [row.at]));
  if (table.endsWith('snapshots') && times.length > 0)
    await tx.query(`SELECT ${S}.ensure_snapshot_partitions($1, $2)`, [
      new Date(Math.min(...times)),
      new Date(Math.max(...times)),
    ]);
  await tx.query(
    `INSERT INTO ${S}.${table} (${key}, ${columnNames(columns)})
     SELECT id, ${columnNames(columns)} FROM json_to_recordset($1::json) AS r(id bigint, ${typedColumns(columns)})`,
    [JSON.stringify(rows)],
  );
}
