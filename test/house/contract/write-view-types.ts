/** Writes the declarations of the views from a freshly migrated database: `npm run types`. */
import { writeFile } from 'node:fs/promises';
import { openStage } from '../../../bench/stage.ts';
import { readContract } from './contract.ts';
import { formatViewTypes, VIEWS_FILE } from './view-types.ts';

const stage = await openStage(1);
try {
  const { url } = await stage.addDatabase('contract');
  const { views } = await readContract(url);
  await writeFile(VIEWS_FILE, await formatViewTypes(views));
  process.stdout.write(`${views.length} views\n`);
} finally {
  await stage.close();
}
