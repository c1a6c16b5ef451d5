/** Deletes rows with all that refers to them, by the table of references. */
import type { Id, Transaction } from '../db/database.ts';
import { execute, join, type Statement, statement, verbatim } from '../db/statement.ts';
import { REFERENCES, type Reference, type Referred } from './references.ts';

type Step = { table: string; what: Statement };

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
 * Clears the bodies of messages, and the replies of their receivers. A message that was composed but not sent goes back to
 * gathering, so that it is composed again from the remaining discoveries. @param which a condition on deliveries
 */
export function clearBodies(which: Statement): Statement {
  return statement`UPDATE strandline.deliveries SET body = NULL, answer = NULL,
    state = CASE WHEN state = 'pending' THEN 'gathering' ELSE state END
  WHERE (body IS NOT NULL OR answer IS NOT NULL) AND ${which}`;
}

const tableName = (table: string): Statement => verbatim(`strandline.${table}`);

/** The condition that a row refers to an erased row. @param keys an SQL array of the IDs of the erased rows */
function refersTo({ column, where, text }: ReferringColumn, keys: Statement): Statement {
  const array = text === true ? statement`(${keys})::text[]` : keys;
  const condition = statement`${verbatim(column)} = ANY (${array})`;
  return where === undefined ? condition : statement`${verbatim(where)} AND ${condition}`;
}

/** Statements for what refers to rows of a table, children before their parents. */
function listSteps(to: Referred, includeUnindexed: boolean, keys: Statement): Step[] {
  const references = listReferences(to).filter(({ unindexed }) => includeUnindexed || unindexed !== true);
  return [
    ...shorteningSteps(references, keys),
    ...references.flatMap((reference): Step[] => {
      const { table, column, effect, columns = [], deletesOwner, isList } = reference;
      const which = refersTo(reference, keys);
      if (effect === 'clears') {
        const cleared = verbatim(columns.map((name) => `${name} = NULL`).join(', '));
        return [{ table, what: statement`UPDATE ${tableName(table)} SET ${cleared} WHERE ${which}` }];
      }
      if (effect !== 'goes') return [];
      if (deletesOwner !== undefined)
        return ownerDeletionSteps(
          table,
          deletesOwner,
          isList === true ? statement`${verbatim(column)} && ${keys}` : which,
          includeUnindexed,
        );
      return [
        ...(reference.message === true ? [clearingStep(table, which)] : []),
        ...deletionSteps(table, which, includeUnindexed),
      ];
    }),
  ];
}

/** Clears the bodies of messages that quote rows. @param table has a column `delivery_id` */
function clearingStep(table: string, which: Statement): Step {
  const quoting = statement`id IN (SELECT delivery_id FROM ${tableName(table)} WHERE ${which})`;
  return { table: 'deliveries', what: clearBodies(quoting) };
}

function deletionSteps(table: string, which: Statement, includeUnindexed: boolean): Step[] {
  const rows = statement`FROM ${tableName(table)} WHERE ${which}`;
  return [
    ...(isReferred(table) ? listSteps(table, includeUnindexed, statement`ARRAY(SELECT id ${rows})`) : []),
    { table, what: statement`DELETE ${rows}` },
  ];
}

/** Deletes the owners of rows, such as the claim of a citation, instead of the rows. @param column refers to the owner */
function ownerDeletionSteps(
  table: string,
  column: string,
  which: Statement,
  includeUnindexed: boolean,
): Step[] {
  const owner = [REFERENCES[table]?.[column] ?? []].flat()[0]?.to;
  if (owner === undefined) throw new Error(`${table}.${column} refers to nothing`);
  const owners = statement`SELECT ${verbatim(column)} FROM ${tableName(table)} WHERE ${which}`;
  return deletionSteps(owner, statement`id IN (${owners})`, includeUnindexed);
}

/** One statement per table for all its lists. */
function shorteningSteps(references: readonly ReferringColumn[], keys: Statement): Step[] {
  const lists = references.filter(({ effect }) => effect === 'shortens');
  return [...new Set(lists.map(({ table }) => table))].map((table) => {
    const columns = lists.flatMap((list) => (list.table === table ? [verbatim(list.column)] : []));
    const shortened = columns.map(
      (column) => statement`${column} = ARRAY(
        SELECT id FROM unnest(${column}) WITH ORDINALITY u(id, n) WHERE id <> ALL (${keys}) ORDER BY n)`,
    );
    const which = columns.map((column) => statement`${column} && ${keys}`);
    return {
      table,
      what: statement`UPDATE ${tableName(table)} SET ${join(shortened, ', ')} WHERE ${join(which, ' OR ')}`,
    };
  });
}

/** Rows that were deleted or changed, by table. */
export type ErasedRows = Record<string, number>;

/**
 * Deletes rows of a table, with all that refers to them.
 * @param includeUnindexed whether to look for what no index finds, too
 */
export async function eraseRows(
  tx: Transaction,
  table: Referred,
  ids: readonly Id[],
  { includeUnindexed }: { includeUnindexed: boolean },
): Promise<ErasedRows> {
  const erased: ErasedRows = {};
  if (ids.length === 0) return erased;
  for (const step of deletionSteps(table, statement`id = ANY (${ids}::bigint[])`, includeUnindexed)) {
    const { rowCount } = await execute(tx, step.what);
    erased[step.table] = (erased[step.table] ?? 0) + (rowCount ?? 0);
  }
  return erased;
}
