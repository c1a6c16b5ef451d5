/** Whether calls of a service are known to cost nothing. */

import { assertSources } from '../app/source-variables.ts';
import type { Config } from '../config/config.ts';
import { listVariables } from '../config/variable.ts';
import type { Database } from '../store/database.ts';
import { readSearch, type SearchRow } from '../store/queries/search-list.ts';

/** The sandbox, and the own service without a language model and without an API key. */
export async function isFreeService(kind: SearchRow['service_kind'], config: Config): Promise<boolean> {
  if (kind !== 'own') return kind === 'sandbox';
  if (config.service.model !== undefined) return false;
  const variables = listVariables(await assertSources(config));
  return !variables.some(
    ([variable]) => variable.secret === 'whole' && config.settings.find(variable) !== undefined,
  );
}

export async function isFreeSearch(db: Database, slug: string, config: Config): Promise<boolean> {
  const search = await readSearch(db, slug);
  return search !== undefined && (await isFreeService(search.service_kind, config));
}
