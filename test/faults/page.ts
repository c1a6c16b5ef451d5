/** `npm run -s test:faults:page`: writes the table of rows into docs/internals/faults.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Row } from './row.ts';
import { ROWS } from './rows/all.ts';

const PAGE = new URL('../../docs/internals/faults.md', import.meta.url);
const TABLE = /(<!-- rows -->\n)[\s\S]*(<!-- end of rows -->)/;

/** The page as it is, and with the current table. */
export async function pageWithRows(): Promise<{ page: string; wanted: string }> {
  const page = await readFile(PAGE, 'utf8');
  return { page, wanted: page.replace(TABLE, (_, from: string, to: string) => `${from}\n${table()}\n${to}`) };
}

function table(): string {
  const guarded = ROWS.filter(({ guard }) => guard !== undefined).map(
    ({ id, guard }) => `- **${id}** ${guard}`,
  );
  return [
    '| row | what it shows | played |',
    '| --- | --- | --- |',
    ...ROWS.map(line),
    ...(guarded.length === 0
      ? []
      : ['', 'Where a library is in the way, and what guards against it:', '', ...guarded]),
    '',
  ].join('\n');
}

function line({ id, title, core, main, everyCommit, backends }: Row): string {
  const when =
    everyCommit === true
      ? 'every commit'
      : everyCommit !== undefined && everyCommit !== false
        ? `every commit, on ${everyCommit}`
        : core
          ? 'core'
          : 'whole table';
  const only = backends === undefined ? '' : `; only on ${backends.join(', ')}`;
  const by = main === true ? ', main row' : '';
  return `| ${id} | ${title.replaceAll('|', '\\|')} | ${when}${by}${only} |`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { wanted } = await pageWithRows();
  await writeFile(PAGE, wanted);
}
