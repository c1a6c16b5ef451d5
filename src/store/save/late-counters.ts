/**
 * Saves counters of late copies (see `facts-sql.ts`): values of a past time, between those that are stored.
 *
 * An unchanged observation leaves no snapshot. If a later result has the item and nothing else changed until then, that
 * result confirmed the values from before the late copy: they get a snapshot at its time. What a later result did not
 * know cannot be told from what it confirmed, so a value that only a late copy carried ends there.
 */
import { type Columns, columnNames, type Id, type Transaction } from '../db/database.ts';
import { AUTHOR_COUNTER_COLUMNS, differsSql, POST_COUNTER_COLUMNS, refreshedSql } from './columns.ts';
import { type Kind, laterResultsSql } from './facts-sql.ts';
import type { ChangedPost, LateCopy } from './save-facts.ts';

const S = 'strandline';
const COUNTERS = { post: POST_COUNTER_COLUMNS, author: AUTHOR_COUNTER_COLUMNS };

/**
 * For each copy: what was known until then (`before_`), of an earlier parse of its response, too; the snapshot after it
 * (`next`); and the first later result with the item (`confirmed_at`). A copy that says what was known is left out. A snapshot after it that repeats what
 * it says goes.
 * $1 services, $2 IDs, $3 times, then each counter. Returns items with a new snapshot and its time.
 */
function saveLateSql(kind: Kind, counters: Columns): string {
  const names = Object.keys(counters);
  const list = columnNames(counters);
  const table = `${S}.${kind}_snapshots`;
  const of = `${kind}_id`;
  const all = (join: string, f: (name: string) => string) => names.map(f).join(join);
  const before = all(
    ', ',
    (name) => `CASE WHEN c.observed_at <= r.observed_at THEN c.${name} ELSE (
      SELECT ${name} FROM ${table} WHERE ${of} = k.id AND observed_at <= r.observed_at AND ${name} IS NOT NULL
      ORDER BY observed_at DESC LIMIT 1) END AS before_${name}`,
  );
  return `
WITH rows AS MATERIALIZED (
  SELECT k.id, c.observed_at AS stored_at, r.observed_at, ${columnNames(counters, 'r.')}, ${before}
  FROM unnest($1::bigint[], $2::text[], $3::timestamptz[], ${names.map((_, i) => `$${i + 4}::bigint[]`).join(', ')})
    AS r(service_id, external_id, observed_at, ${list})
  CROSS JOIN LATERAL (SELECT id FROM ${S}.${kind}s WHERE service_id = r.service_id AND external_id = r.external_id OFFSET 0) k
  CROSS JOIN LATERAL (SELECT * FROM ${S}.${kind}_counters WHERE ${of} = k.id OFFSET 0) c
), later AS MATERIALIZED (${laterResultsSql(kind, '(SELECT min(observed_at) FROM rows)')}
), news AS MATERIALIZED (
  SELECT r.*, l.confirmed_at, next.observed_at AS next_at, u.is_undone,
    NOT u.is_undone AND next.observed_at IS NOT NULL
      AND ${all(' AND ', (name) => `(next.${name} IS NULL OR next.${name} IS NOT DISTINCT FROM coalesce(r.${name}, r.before_${name}))`)} AS is_repeated
  FROM rows r
  LEFT JOIN LATERAL (
    SELECT * FROM ${table} WHERE ${of} = r.id AND observed_at > r.observed_at ORDER BY observed_at LIMIT 1
  ) next ON true
  CROSS JOIN LATERAL (
    SELECT min(observed_at) AS confirmed_at FROM later WHERE id = r.id AND observed_at > r.observed_at
  ) l
  CROSS JOIN LATERAL (
    SELECT l.confirmed_at IS NOT NULL AND (next.observed_at IS NULL OR l.confirmed_at < next.observed_at) AS is_undone OFFSET 0
  ) u
  WHERE ${all(' OR ', (name) => `(r.${name} IS NOT NULL AND r.${name} IS DISTINCT FROM r.before_${name})`)}
), repeated AS (
  DELETE FROM ${table} s USING news n WHERE n.is_repeated AND s.${of} = n.id AND s.observed_at = n.next_at
), kept AS (
  INSERT INTO ${table} AS h (${of}, observed_at, ${list})
  SELECT id, observed_at, ${list} FROM news
  UNION ALL
  SELECT id, confirmed_at, ${columnNames(counters, 'before_')} FROM news
  WHERE is_undone AND num_nonnulls(${columnNames(counters, 'before_')}) > 0
  ON CONFLICT (${of}, observed_at) DO UPDATE SET ${refreshedSql(counters, 'excluded', 'h')}
), updated AS (
  UPDATE ${S}.${kind}_counters c SET observed_at = n.changed_at,
    ${all(', ', (name) => `${name} = CASE WHEN n.is_newest THEN coalesce(n.${name}, c.${name}) ELSE coalesce(c.${name}, n.${name}) END`)}
  FROM (
    SELECT *, stored_at <= observed_at AND NOT is_undone AS is_newest,
      CASE WHEN is_undone AND stored_at < confirmed_at THEN confirmed_at
        WHEN stored_at <= observed_at OR (is_repeated AND stored_at = next_at) THEN observed_at ELSE stored_at END AS changed_at
    FROM news
  ) n
  WHERE c.${of} = n.id AND (c.observed_at <> n.changed_at OR ${differsSql(counters, 'n', 'c')})
)
SELECT id, observed_at AS at FROM news`;
}

const SAVE_LATE = {
  post: saveLateSql('post', POST_COUNTER_COLUMNS),
  author: saveLateSql('author', AUTHOR_COUNTER_COLUMNS),
};

/**
 * Saves late counters, after the save has locked the rows of their items.
 * @returns posts whose snapshots changed, with the time of the response
 */
export async function saveLateCounters(
  tx: Transaction,
  late: Record<Kind, readonly LateCopy[]>,
): Promise<ChangedPost[]> {
  await saveInTurns(tx, 'author', late.author);
  return saveInTurns(tx, 'post', late.post);
}

/**
 * Copies of one item one after the other, the newest first: the result of each is stored already, and would confirm an older
 * copy before its own counters are saved.
 */
async function saveInTurns(tx: Transaction, kind: Kind, late: readonly LateCopy[]): Promise<ChangedPost[]> {
  const changed: ChangedPost[] = [];
  let waiting = late.toSorted((a, b) => b.now.at.getTime() - a.now.at.getTime());
  while (waiting[0] !== undefined) {
    const items = new Set<unknown>();
    const turn = waiting.filter(({ item }) => !items.has(item) && items.add(item));
    waiting = waiting.filter((copy) => !turn.includes(copy));
    const times = turn.map(({ now }) => now.at);
    // A month may have been dropped: that of the copy, or of what confirmed the values before it.
    await tx.query(
      `SELECT ${S}.ensure_snapshot_partitions($1, greatest($1, (SELECT max(observed_at) FROM ${S}.run_results)))`,
      [times.at(-1)],
    );
    const { rows } = await tx.query<{ id: Id; at: Date }>({
      name: `save_late_${kind}_counters`,
      text: SAVE_LATE[kind],
      values: [
        turn.map(({ item }) => item.serviceId),
        turn.map(({ item }) => item.externalId),
        times,
        ...Object.keys(COUNTERS[kind]).map((_, i) => turn.map(({ now }) => now.counters[i] ?? null)),
      ],
    });
    changed.push(...rows);
  }
  return changed;
}
