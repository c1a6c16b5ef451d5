/** `docs/sql.md` of a contract. */
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

The views of the schema \`strandline_analytics\` are what strandline promises to whoever reads its database: dashboards,
notebooks, \`strandline sql\`. Tables are nobody's promise. The role \`strandline_reader\` can read these views and nothing
else. [questions.md](questions.md) asks them twenty things.

- **Unknown is null, never zero.** A column that can be null says what null means. Time that nobody observed has no row
  or a coverage under 1, and is no silence.
- Times are \`timestamptz\` in UTC. Days and hours of views begin in UTC. Keys are bigints; ids of services are text.
- Numbers say what they count, or their unit.

## The version

\`select version from contract\` says it, and \`select * from contract_columns\` is this page as rows.

- **minor** rises when views or columns come, or say more precisely what they are. Queries that name their columns go on as
  they did.
- **major** rises when a column goes, changes its name, place, type or meaning, or may be null where it could not. The
  changelog says what took its place.

Each view is a file of \`migrations/views/\`. Whoever changes one raises the version in \`contract.sql\` there and runs
\`npm run -s sql:reference\`. \`strandline migrate\` applies the files where their version is higher than the database's: it replaces views,
or drops and creates them again with the grants that they had. Where an object of yours depends on a view that would be dropped, it names
that object and changes nothing. A test holds the database against \`docs/sql-contract.json\`.
`;
}

function section({ name, meaning, columns }: ContractView): string {
  return `### ${name}

${meaning}

| column | type | null | what it is |
| --- | --- | --- | --- |
${columns.map(row).join('\n')}
`;
}

function row({ name, type, nullable, meaning }: ContractColumn): string {
  return `| \`${name}\` | ${short(type)} | ${nullable ? 'can be' : ''} | ${meaning.replaceAll('|', '\\|')} |`;
}

function short(type: string): string {
  return type
    .replace(/timestamp(\(\d\))? with time zone/, 'timestamptz')
    .replace('double precision', 'float8');
}

function firstSentence(text: string): string {
  return text.replace(/^(.*?\.)(\s.*)?$/, '$1');
}
