import type { Database } from '../database.ts';
import { contractColumnsView } from '../schema/analytics/contract.ts';

/** What each column of the SQL contract means, in the words of its comment, by `view.column`. */
export async function readMeanings({ orm }: Pick<Database, 'orm'>): Promise<Map<string, string>> {
  const { view, name, meaning } = contractColumnsView;
  const rows = await orm.select({ view, name, meaning }).from(contractColumnsView);
  return new Map(rows.map((row) => [`${row.view}.${row.name}`, row.meaning]));
}
