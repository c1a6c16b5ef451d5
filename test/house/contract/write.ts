/**
 * Writes `docs/sql.md` and `docs/sql-contract.json` from a database that it migrates for that, and refuses
 * where the views changed and the version was not raised: databases would not get them.
 *
 *   npm run -s sql:reference
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStage } from '../../../bench/stage.ts';
import { REPOSITORY } from '../sources.ts';
import { changesBetween, isAtLeast, nextVersion } from './change.ts';
import { type Contract, readContract, readSource, type Source } from './contract.ts';
import { pageOf } from './page.ts';

const SOURCE_FILE = path.join(REPOSITORY, 'test/house/contract/views.json');
const JSON_FILE = path.join(REPOSITORY, 'docs/sql-contract.json');

const stage = await openStage(1);
try {
  const { url } = await stage.addDatabase('contract');
  const contract = await readContract(url);
  const before = await committed<Contract>(JSON_FILE);
  const source = await readSource();
  const sourceBefore = await committed<Source>(SOURCE_FILE);
  const changes = before === undefined ? [] : changesBetween(before, contract);
  const least = before === undefined ? contract.version : nextVersion(before.version, changes);
  if (!isAtLeast(contract.version, least)) {
    process.stderr.write(
      `The views changed and the contract still calls itself ${contract.version}:\n` +
        `${changes.map(({ size, what }) => `  ${size}: ${what}`).join('\n')}\n` +
        `Write in migrations/views/contract.sql: 'strandline SQL contract, version ${least}';\n`,
    );
    process.exitCode = 1;
  } else if (sourceBefore?.version === source.version && sourceBefore.sha256 !== source.sha256) {
    process.stderr.write(
      `Files of migrations/views changed and the contract still calls itself ${source.version}: databases of that version keep\n` +
        'the views that they have. Raise the version in migrations/views/contract.sql; where the definitions are the same in other\n' +
        `words, remove ${SOURCE_FILE} and run this again.\n`,
    );
    process.exitCode = 1;
  } else {
    await writeFile(SOURCE_FILE, `${JSON.stringify(source, null, 2)}\n`);
    await writeFile(JSON_FILE, `${JSON.stringify(contract, null, 2)}\n`);
    await writeFile(path.join(REPOSITORY, 'docs/sql.md'), pageOf(contract));
    process.stdout.write(
      `version ${contract.version}, ${contract.views.length} views, ${changes.length} changes\n`,
    );
  }
} finally {
  await stage.close();
}

async function committed<T>(file: string): Promise<T | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  // Written by this file alone, and compared with what is read from the database and from the views' files.
  return text === undefined ? undefined : (JSON.parse(text) as T);
}
