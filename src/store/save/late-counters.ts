/** Inserts late counters of posts and authors into their snapshots. */
import { groupBy } from '../../lib/group-by.ts';
import { addToHistory } from '../../model/history.ts';
import type { Id, Transaction } from '../db/database.ts';
import { AUTHOR_COUNTER_COLUMNS, POST_COUNTER_COLUMNS } from './columns.ts';
import { type Kind, TWICE_NAMES } from './facts-sql.ts';
import type { ChangedPost } from './late-content.ts';
import {
  compareRows,
  type JsonRow,
  type LateCopy,
  readMentions,
  type Row,
  type RowChange,
  toRow,
  writeChanges,
} from './late-history.ts';

const S = 'strandline';

/**
 * Inserts counters into the snapshots of posts and authors, and sets the newest values.
 * @returns posts whose snapshots changed, with the time of the response
 */
export async function saveLateCounters(
  tx: Transaction,
  late: Record<Kind, readonly LateCopy[]>,
): Promise<ChangedPost[]> {
  await insertSnapshots(tx, 'author', late.author);
  return insertSnapshots(tx, 'post', late.post);
}

const COUNTERS = { post: POST_COUNTER_COLUMNS, author: AUTHOR_COUNTER_COLUMNS };

/** In the order of the save. $1 services, $2 IDs. */
const lockCountersSql = (kind: Kind) => `
SELECT FROM ${S}.${kind}_counters WHERE ${kind}_id = ANY (ARRAY(
  SELECT k.id FROM unnest($1::bigint[], $2::text[]) r(service_id, external_id) JOIN ${S}.${kind}s k USING (service_id, external_id)
)) ORDER BY ${kind}_id FOR UPDATE`;

/** $1 services, $2 IDs. */
const readCountersSql = (kind: Kind) => `
SELECT r.n::integer - 1 AS n, k.id, to_jsonb(c) AS stored,
  (SELECT jsonb_agg(to_jsonb(h) ORDER BY observed_at) FROM ${S}.${kind}_snapshots h WHERE ${kind}_id = k.id) AS snapshots
FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY r(service_id, external_id, n)
CROSS JOIN LATERAL (SELECT id FROM ${S}.${kind}s WHERE service_id = r.service_id AND external_id = r.external_id OFFSET 0) k
CROSS JOIN LATERAL (SELECT * FROM ${S}.${kind}_counters WHERE ${kind}_id = k.id OFFSET 0) c`;

/** $1 rows: items with the newest values and their times. */
function updateCountersSql(kind: Kind): string {
  const names = Object.keys(COUNTERS[kind]);
  const twice = TWICE_NAMES[kind].map((name) => `${name}_twice`);
  const set = [...names.flatMap((name) => [name, `${name}_at`]), ...twice].map(
    (name) => `${name} = r.${name}`,
  );
  return `
UPDATE ${S}.${kind}_counters k SET observed_at = r.observed_at, ${set.join(', ')}
FROM json_to_recordset($1::json) AS r(id bigint, observed_at timestamptz, ${[...names.map((name) => `${name} bigint, ${name}_at timestamptz`), ...twice.map((name) => `${name} boolean`)].join(', ')})
WHERE k.${kind}_id = r.id`;
}

type CountersRow = { n: number; id: Id; stored: JsonRow; snapshots: JsonRow[] | null };

async function insertSnapshots(
  tx: Transaction,
  kind: Kind,
  late: readonly LateCopy[],
): Promise<ChangedPost[]> {
  if (late.length === 0) return [];
  const ids = [late.map(({ item }) => item.serviceId), late.map(({ item }) => item.externalId)];
  await tx.query(lockCountersSql(kind), ids);
  const { rows: read } = await tx.query<CountersRow>(readCountersSql(kind), ids);
  const names = Object.keys(COUNTERS[kind]);
  const mentions = await readMentions(tx, kind, names, late, [...new Set(read.map(({ id }) => id))]);
  const [changes, updates, changed]: [RowChange[], JsonRow[], ChangedPost[]] = [[], [], []];
  for (const [id, copies] of groupBy(read, (row) => row.id)) {
    const [first] = copies;
    const snapshots = (first.snapshots ?? []).map((row) => toRow(row, names));
    const stored = [...readGoneRows(first.stored, snapshots, names), ...snapshots];
    const added = copies.flatMap(({ n }) => {
      const now = late[n]?.now;
      if (now === undefined) return [];
      const values = Object.fromEntries(names.map((name, i) => [name, now.counters[i] ?? null]));
      return [{ at: now.at.getTime(), isPartial: false, runId: null, values }];
    });
    // A counter is a value at a time, in nested copies too.
    const confirmations = (mentions.get(id) ?? []).map((seen) => ({ ...seen, isPartial: false }));
    const { rows, latest } = addToHistory<Row>({ stored, confirmations }, added, { keepsFirst: false });
    const differences = compareRows(
      id,
      snapshots,
      rows.filter(({ isGone }) => isGone !== true),
    );
    changes.push(...differences);
    const times = [...added, ...(rows.length === 0 ? [toRow(first.stored, names)] : [])].map(({ at }) => at);
    const observedAt = rows.at(-1)?.at ?? Math.min(...times);
    const isKnownTwice = (name: string) =>
      first.stored[`${name}_twice`] === true ||
      new Set([...stored, ...added].flatMap(({ at, values }) => (values[name] === null ? [] : [at]))).size >
        1;
    updates.push({
      id: String(id),
      observed_at: new Date(observedAt),
      ...Object.fromEntries(
        [...latest].flatMap(([name, { value, at }]) => [
          [name, value],
          [`${name}_at`, at === observedAt ? null : new Date(at)],
        ]),
      ),
      ...Object.fromEntries(TWICE_NAMES[kind].map((name) => [`${name}_twice`, isKnownTwice(name)])),
    });
    if (kind === 'post' && differences.length > 0)
      changed.push({ id, at: new Date(Math.min(...added.map(({ at }) => at))) });
  }
  await writeChanges(tx, `${kind}_snapshots`, { observed_at: 'timestamptz', ...COUNTERS[kind] }, changes);
  await tx.query(updateCountersSql(kind), [JSON.stringify(updates)]);
  return changed;
}

/** The newest values of an item whose snapshots were deleted by retention. */
function readGoneRows(stored: JsonRow, snapshots: readonly Row[], names: readonly string[]): Row[] {
  const byTime = new Map<number, JsonRow>();
  for (const name of names) {
    const at = Date.parse(String(stored[`${name}_at`] ?? stored['observed_at']));
    if (stored[name] !== null && !snapshots.some((row) => row.at === at))
      byTime.set(at, { ...byTime.get(at), [name]: stored[name] });
  }
  return [...byTime].map(([at, values]) => ({ at, isPartial: false, runId: null, values, isGone: true }));
}
