/** The SQL contract as described by its views: version, views, columns and comments. */

import { groupBy } from '../../lib/group-by.ts';
import type { Reads } from '../db/database.ts';
import { contractColumnsView, contractView } from '../schema/analytics-views.ts';
import { asc } from 'drizzle-orm';

const columns = contractColumnsView;
const contract = contractView;

/** Column comments of the SQL contract, by `view.column`. */
export async function readMeanings({ orm }: Reads): Promise<Map<string, string>> {
  const { view, name, meaning } = columns;
  const rows = await orm.select({ view, name, meaning }).from(columns);
  return new Map(rows.map((row) => [`${row.view}.${row.name}`, row.meaning]));
}

export type ContractView = {
  view: string;
  /** What a row is. */
  meaning: string;
  columns: { name: string; type: string; meaning: string }[];
};

/** The views of the SQL contract by name, with their columns in order. */
export async function readContractViews({ orm }: Reads): Promise<ContractView[]> {
  const v = columns;
  const rows = await orm.select().from(v).orderBy(asc(v.view), asc(v.position)).limit(10_000);
  return [...groupBy(rows, ({ view }) => view)].map(([view, of]) => ({
    view,
    meaning: of[0].view_meaning,
    columns: of.map(({ name, type, meaning }) => ({ name, type, meaning })),
  }));
}

/** `major.minor`. */
export async function readContractVersion({ orm }: Reads): Promise<string> {
  const [row] = await orm.select({ version: contract.version }).from(contract).limit(1);
  return row?.version ?? 'unknown';
}
