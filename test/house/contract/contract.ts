/** Reads the SQL contract of a migrated database in a form that can be stored and compared. */
import { createHash } from 'node:crypto';
import { connect } from '../../../src/platform/postgres/connect.ts';
import { readViews } from '../../../src/store/db/migrations-folder.ts';

/** Postgres does not track which columns of a view may be null: those are `nullable` whose comment says what null means. */
export type ContractColumn = { name: string; type: string; nullable: boolean; meaning: string };
export type ContractView = { name: string; meaning: string; columns: ContractColumn[] };
export type Contract = { version: string; views: ContractView[] };

/** One digest over the files of `migrations/views/`, and their version: databases of that version do not apply them again. */
export type Source = { version: string; sha256: string };

export async function readSource(): Promise<Source> {
  const views = await readViews();
  if (views === undefined) throw new Error('migrations/views not found');
  const hash = createHash('sha256');
  for (const { name, text } of views.files.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
    hash.update(`${name}\n${text}`);
  return { version: views.version.join('.'), sha256: hash.digest('hex') };
}

type Row = { view: string; view_meaning: string | null; name: string; type: string; meaning: string | null };

/** Reads the contract of a migrated database, in alphabetical order. */
export async function readContract(url: string): Promise<Contract> {
  const client = await connect(url, 'strandline contract');
  try {
    const versions = await client.query<{ version: string }>(
      'SELECT version FROM strandline_analytics.contract',
    );
    const { rows } = await client.query<Row>(
      'SELECT * FROM strandline_analytics.contract_columns ORDER BY view COLLATE "C", position',
    );
    return { version: versions.rows[0]?.version ?? '', views: viewsOf(rows) };
  } finally {
    await client.end();
  }
}

function viewsOf(rows: readonly Row[]): ContractView[] {
  const views = new Map<string, ContractView>();
  for (const row of rows) {
    const view = views.get(row.view) ?? { name: row.view, meaning: row.view_meaning ?? '', columns: [] };
    views.set(row.view, view);
    const meaning = row.meaning ?? '';
    view.columns.push({ name: row.name, type: row.type, nullable: /\bnull\b/i.test(meaning), meaning });
  }
  return [...views.values()];
}
