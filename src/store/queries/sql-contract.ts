/** The SQL contract as described by its views: version, views, columns and comments. */

import type { Reads } from '../database.ts';
import { contractColumnsView, contractView } from '../schema/analytics/analytics-schema.ts';
import { asc } from 'drizzle-orm';

// The contract is the same for both sides.
const columns = contractColumnsView.real;
const contract = contractView.real;

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
  const views = new Map<string, ContractView>();
  for (const { view, view_meaning, name, type, meaning } of rows) {
    const known = views.get(view) ?? { view, meaning: view_meaning, columns: [] };
    known.columns.push({ name, type, meaning });
    views.set(view, known);
  }
  return [...views.values()];
}

/** `major.minor`. */
export async function readContractVersion({ orm }: Reads): Promise<string> {
  const [row] = await orm.select({ version: contract.version }).from(contract).limit(1);
  return row?.version ?? 'unknown';
}
