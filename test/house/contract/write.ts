/**
 * Writes `docs/reference/sql.md` and `docs/reference/sql-contract.json` from a freshly migrated database. Refuses if the views changed and the
 * version was not raised: existing databases would not get them.
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
const JSON_FILE = path.join(REPOSITORY, 'docs/reference/sql-contract.json');

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
      `The views changed, but the contract version is still ${contract.version}:\n` +
        `${changes.map(({ size, what }) => `  ${size}: ${what}`).join('\n')}\n` +
        `In migrations/views/contract.sql, write: 'strandline SQL contract, version ${least}';\n`,
    );
    process.exitCode = 1;
  } else if (sourceBefore?.version === source.version && sourceBefore.sha256 !== source.sha256) {
    process.stderr.write(
      `Files in migrations/views changed, but the contract version is still ${source.version}: databases of that version keep\n` +
        'their views. Raise the version in migrations/views/contract.sql. If only the formatting changed, delete\n' +
        `${SOURCE_FILE} and run this again.\n`,
    );
    process.exitCode = 1;
  } else {
    await writeFile(SOURCE_FILE, `${JSON.stringify(source, null, 2)}\n`);
    await writeFile(JSON_FILE, `${JSON.stringify(contract, null, 2)}\n`);
    await writeFile(path.join(REPOSITORY, 'docs/reference/sql.md'), pageOf(contract));
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
