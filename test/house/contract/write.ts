/**
 * Writes `docs/sql.md` and `docs/sql-contract.json` from a database that it migrates for that, and refuses
 * where the views changed and the version was not raised.
 *
 *   npm run -s sql:reference
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStage } from '../../../bench/stage.ts';
import { REPOSITORY } from '../sources.ts';
import { changesBetween, isAtLeast, nextVersion } from './change.ts';
import { type Contract, readContract } from './contract.ts';
import { pageOf } from './page.ts';

const JSON_FILE = path.join(REPOSITORY, 'docs/sql-contract.json');

const stage = await openStage(1);
try {
  const { url } = await stage.addDatabase('contract');
  const contract = await readContract(url);
  const before = await committed();
  const changes = before === undefined ? [] : changesBetween(before, contract);
  const least = before === undefined ? contract.version : nextVersion(before.version, changes);
  if (!isAtLeast(contract.version, least)) {
    process.stderr.write(
      `The views changed and the contract still calls itself ${contract.version}:\n` +
        `${changes.map(({ size, what }) => `  ${size}: ${what}`).join('\n')}\n` +
        `Add to the migration: COMMENT ON SCHEMA strandline_analytics IS 'strandline SQL contract, version ${least}';\n`,
    );
    process.exitCode = 1;
  } else {
    await writeFile(JSON_FILE, `${JSON.stringify(contract, null, 2)}\n`);
    await writeFile(path.join(REPOSITORY, 'docs/sql.md'), pageOf(contract));
    process.stdout.write(
      `version ${contract.version}, ${contract.views.length} views, ${changes.length} changes\n`,
    );
  }
} finally {
  await stage.close();
}

async function committed(): Promise<Contract | undefined> {
  const text = await readFile(JSON_FILE, 'utf8').catch(() => undefined);
  // Written by this file alone, and compared with what is read from the database.
  return text === undefined ? undefined : (JSON.parse(text) as Contract);
}
