/** Deletes rows with all that refers to them, by the table of references. */
import type { Id, Transaction } from '../db/database.ts';
import { REFERENCES, type Reference, type Referred } from './references.ts';

const S = 'strandline';

/** A statement with the keys of what is erased as $1. */
type Step = { table: string; text: string };

type ReferringColumn = Reference & { table: string; column: string };

const COLUMNS: readonly ReferringColumn[] = Object.entries(REFERENCES).flatMap(([table, columns]) =>
  Object.entries(columns).flatMap(([column, references]) =>
    [references].flat().map((reference) => ({ ...reference, table, column })),
  ),
);

/** What refers to a table. */
export const listReferences = (to: string): ReferringColumn[] =>
  COLUMNS.filter((reference) => reference.to === to);

const isReferred = (table: string): table is Referred => COLUMNS.some(({ to }) => to === table);

/**
 * Clears bodies of messages, and the responses of receivers to them. Unsent messages are composed again, without what is
 * erased. @param which a condition on deliveries
 */
export function clearBodiesSql(which: string): string {
  return `UPDATE ${S}.deliveries SET body = NULL, answer = NULL,
    state = CASE WHEN state = 'pending' THEN 'gathering' ELSE state END
  WHERE (body IS NOT NULL OR answer IS NOT NULL) AND ${which}`;
}

/** @param keys an array of SQL: of what is erased */
function isAmongSql({ column, where, text }: ReferringColumn, keys: string): string {
  const isAmong = `${column} = ANY (${text === true ? `(${keys})::text[]` : keys})`;
  return where === undefined ? isAmong : `${where} AND ${isAmong}`;
}

/** Statements for what refers to rows of a table, children before their parents. */
function listSteps(to: Referred, scans: boolean, keys: string): Step[] {
  const references = listReferences(to).filter(({ scan }) => scans || scan !== true);
  return [
    ...shorteningSteps(references, keys),
    ...references.flatMap((reference): Step[] => {
      const { table, column, effect, columns = [], takes } = reference;
      const which = isAmongSql(reference, keys);
      if (effect === 'clears')
        return [
          {
            table,
            text: `UPDATE ${S}.${table} SET ${columns.map((name) => `${name} = NULL`).join(', ')} WHERE ${which}`,
          },
        ];
      if (effect !== 'goes') return [];
      if (takes !== undefined) return takingSteps(table, takes, `${column} && ${keys}`, scans);
      return deletionSteps(table, which, scans, reference.message === true);
    }),
  ];
}

function deletionSteps(table: string, which: string, scans: boolean, isMessage: boolean): Step[] {
  const cleared = clearBodiesSql(`id IN (SELECT delivery_id FROM ${S}.${table} WHERE ${which})`);
  const keys = `ARRAY(SELECT id FROM ${S}.${table} WHERE ${which})`;
  return [
    ...(isMessage ? [{ table: 'deliveries', text: cleared }] : []),
    ...(isReferred(table) ? listSteps(table, scans, keys) : []),
    { table, text: `DELETE FROM ${S}.${table} WHERE ${which}` },
  ];
}

/** Deletes the rows of another table that rows belong to. */
function takingSteps(table: string, column: string, which: string, scans: boolean): Step[] {
  const owner = [REFERENCES[table]?.[column] ?? []].flat()[0]?.to;
  if (owner === undefined) throw new Error(`${table}.${column} refers to nothing`);
  return deletionSteps(owner, `id IN (SELECT ${column} FROM ${S}.${table} WHERE ${which})`, scans, false);
}

/** One statement per table for all its lists. */
function shorteningSteps(references: readonly ReferringColumn[], keys: string): Step[] {
  const lists = references.filter(({ effect }) => effect === 'shortens');
  return [...new Set(lists.map(({ table }) => table))].map((table) => {
    const names = lists.flatMap((list) => (list.table === table ? [list.column] : []));
    const shortened = names.map(
      (name) =>
        `${name} = ARRAY(SELECT id FROM unnest(${name}) WITH ORDINALITY u(id, n) WHERE id <> ALL (${keys}) ORDER BY n)`,
    );
    const which = names.map((name) => `${name} && ${keys}`).join(' OR ');
    return { table, text: `UPDATE ${S}.${table} SET ${shortened.join(', ')} WHERE ${which}` };
  });
}

const KEYS = '$1::bigint[]';
const steps = new Map<string, readonly Step[]>();

/** Rows that were deleted or changed, by table. */
export type ErasedRows = Record<string, number>;

/**
 * Deletes rows of a table, with all that refers to them.
 * @param scans whether to look for what no index finds, too
 */
export async function eraseRows(
  tx: Transaction,
  table: Referred,
  ids: readonly Id[],
  { scans }: { scans: boolean },
): Promise<ErasedRows> {
  const name = `${table} ${scans}`;
  const known = steps.get(name) ?? deletionSteps(table, `id = ANY (${KEYS})`, scans, false);
  steps.set(name, known);
  const erased: ErasedRows = {};
  if (ids.length === 0) return erased;
  for (const step of known) {
    const { rowCount } = await tx.query(step.text, [ids]);
    erased[step.table] = (erased[step.table] ?? 0) + (rowCount ?? 0);
  }
  return erased;
}
