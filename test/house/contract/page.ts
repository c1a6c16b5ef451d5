/** `docs/reference/sql.md` of a contract. */
import type { Contract, ContractColumn, ContractView } from './contract.ts';

export function pageOf({ version, views }: Contract): string {
  return `${introduction(version)}
## Views

${views.map(({ name, meaning }) => `- [\`${name}\`](#${name}): ${firstSentence(meaning)}`).join('\n')}

${views.map(section).join('\n')}`;
}

function introduction(version: string): string {
  return `# The SQL contract, version ${version}

<!-- Written by \`npm run -s sql:reference\` from the comments of a migrated database. Change those, in \`migrations/views/\`. -->

Query the database of strandline with these views of the schema \`strandline_analytics\`: from Grafana, a notebook, or
\`strandline sql\`. They are a stable interface; the tables are not. The role \`strandline_reader\` can read the views and
nothing else. [Twenty questions](questions.md) are there to copy.

They show real data. The [sandbox](databases.md#the-sandbox) is a database of its own with the same views: \`strandline sql --sandbox\`.

- **Unknown is null, never zero.** Nullable columns say what null means. Time that was not observed has no row, or a
  coverage below 1. It does not mean that there were no posts.
- Times are \`timestamptz\` in UTC. Days and hours begin in UTC. Keys are bigints; IDs from services are text.
- Numbers say what they count, or their unit.

## Versions

\`select version from contract\` returns the version; \`select * from contract_columns\` returns this page as rows.

- **minor** increases when views or columns are added or documented more precisely. Queries that name their columns keep
  working.
- **major** increases when a column is removed, changes its name, position, type or meaning, or becomes nullable. The
  changelog names the replacement.

To change a view, edit its file in \`migrations/views/\`, raise the version in \`contract.sql\` there, and run
\`npm run -s types\` and \`npm run -s sql:reference\`. \`strandline migrate\` applies the files if their version is higher than the database's. It
replaces views, or drops and re-creates them with the same grants. If one of your objects depends on a view that must be
dropped, it names that object and changes nothing. A test compares the database with \`docs/reference/sql-contract.json\`.
`;
}

function section({ name, meaning, columns }: ContractView): string {
  return `### ${name}

${meaning}

| column | type | null | description |
| --- | --- | --- | --- |
${columns.map(row).join('\n')}
`;
}

function row({ name, type, nullable, meaning }: ContractColumn): string {
  return `| \`${name}\` | ${short(type)} | ${nullable ? 'yes' : ''} | ${meaning.replaceAll('|', '\\|')} |`;
}

function short(type: string): string {
  return type
    .replace(/timestamp(\(\d\))? with time zone/, 'timestamptz')
    .replace('double precision', 'float8');
}

function firstSentence(text: string): string {
  return text.replace(/^(.*?\.)(\s.*)?$/, '$1');
}
