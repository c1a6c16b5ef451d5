/** Writes the tables of variables and of sources, and the example questions, into README.md and docs: `npm run -s config:page`. */
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { listNeeded, listVariables, type Table, type Variable } from '../../src/config/variable.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { SOURCE_BY_TOOL } from '../../src/model/enumerations.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts';
import { renderCommands } from './commands.ts';
import { SOURCE_REGISTRY, SOURCE_VARIABLES } from '../../src/service/sources/source-registry.ts';

type Row = readonly string[];

function renderTable(head: Row, rows: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string) => `\`${text}\``;

function describeDefault({ default: value = '', unset = 'none' }: Variable): string {
  return value === '' ? unset : code(value);
}

function describeVariable({ about, see }: Variable): string {
  return see === undefined ? about : `${about}: [more](${see})`;
}

const rowsOf = (table: Table) => listVariables(table).map(([row]) => row);

function renderVariables(table: Table): string {
  const head = ['variable', 'accepts', 'default', 'unit', 'what it is'];
  const rows = rowsOf(table).map((row) => [
    code(row.name),
    row.secret === 'whole' ? `${row.allowed}; secret` : row.allowed,
    describeDefault(row),
    row.unit ?? '',
    describeVariable(row),
  ]);
  return renderTable(head, rows);
}

const sourceTable = renderTable(
  ['tool', 'source', 'name in `SERVICE_SOURCES`', 'needs', 'optional', 'dates'],
  SOURCE_REGISTRY.map(({ facts, variables }) => {
    const needed = listNeeded(variables);
    const others = rowsOf(variables).filter((row) => !needed.includes(row));
    const list = (rows: readonly Variable[]) => rows.map(({ name }) => code(name)).join(', ');
    const tool =
      Object.entries(SOURCE_BY_TOOL).find(([, source]) => source === facts.source)?.[0] ?? facts.source;
    return [tool, facts.title, code(facts.name), list(needed) || 'nothing', list(others), facts.dates];
  }),
);

function describeDuration(ms: number): string {
  const [unit, word] = ms >= HOUR ? [HOUR, 'h'] : ms >= MINUTE ? [MINUTE, 'min'] : [SECOND, 's'];
  return `${ms / unit} ${word}`;
}

const paceTable = renderTable(
  ['source', 'rate limit of one process', 'also', 'what its operator permits'],
  SOURCE_REGISTRY.map(({ facts }) => {
    const { pace, everyMs, serial, timeoutMs, pauseMs, ttlMs, allowance } = facts;
    return [
      code(facts.name),
      everyMs === undefined
        ? `${pace.perMinute} a minute, ${pace.burst} at once`
        : `one every ${describeDuration(everyMs)}, **all processes together**`,
      [
        serial === true || everyMs !== undefined ? 'sequential requests' : '',
        timeoutMs === undefined ? '' : `time limit ${describeDuration(timeoutMs)}`,
        pauseMs === undefined ? '' : `pause of ${describeDuration(pauseMs)}`,
        ttlMs === undefined ? '' : `cached for ${describeDuration(ttlMs)}`,
        allowance === undefined
          ? ''
          : `${allowance.most} ${allowance.unit} a day (from midnight in ${allowance.zone})`,
      ]
        .filter((part) => part !== '')
        .join('; '),
      facts.terms,
    ];
  }),
);

const questions = (
  await readFile(new URL('../../src/web/explore/questions.md', import.meta.url), 'utf8')
).trim();

/** Each page with its tables, by the name that stands in its marks: `<!-- variables -->` to `<!-- end of variables -->`. */
const PAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/reference/commands.md': { commands: await renderCommands() },
  'docs/reference/configuration.md': {
    variables: renderVariables(VARIABLES),
    'variables of sources': renderVariables(SOURCE_VARIABLES),
  },
  'docs/reference/questions.md': { questions },
  'docs/reference/sources.md': { sources: sourceTable },
  'docs/internals/sources.md': { pace: paceTable },
};

/** Every page as it is, and as its tables say. */
export function readPages(): Promise<{ name: string; url: URL; page: string; rendered: string }[]> {
  return Promise.all(
    Object.entries(PAGES).map(async ([name, tables]) => {
      const url = new URL(`../../${name}`, import.meta.url);
      const page = await readFile(url, 'utf8');
      const rendered = Object.entries(tables).reduce((text, [mark, part]) => {
        const place = new RegExp(`(<!-- ${mark} -->\n)[\\s\\S]*(<!-- end of ${mark} -->)`);
        if (!place.test(text)) throw new Error(`${name} has no place for ${mark}`);
        return text.replace(place, (_, begin: string, end: string) => `${begin}\n${part}\n\n${end}`);
      }, page);
      return { name, url, page, rendered };
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const { url, rendered } of await readPages()) await writeFile(url, rendered);
