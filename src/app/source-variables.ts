/** The variables of sources: declared by each source, read with the program's own, and checked before anything starts. */

import type { Config } from '../config/config.ts';
import { listVariables, type Table } from '../config/variable.ts';
import { VARIABLES } from '../config/variables.ts';
import { VERSION } from '../config/version.ts';
import { collectProblems, InvalidInput } from '../model/errors.ts';
import type { ServiceKind } from '../model/closed-lists.ts';

/**
 * Checks the variables of sources, and that the configuration file contains no unknown names.
 * @returns the variables of all sources
 * @throws InvalidInput for an unknown source in `SERVICE_SOURCES`, a missing key, or an invalid value
 */
export async function assertSources({ service, settings }: Config): Promise<Table> {
  const { chooseSources, SOURCE_VARIABLES } = await import('../service/sources/source-registry.ts');
  const problems = settings.findUnknown([VARIABLES, SOURCE_VARIABLES]);
  collectProblems(problems, () => chooseSources(service.sources, VERSION), undefined);
  if (problems.length > 0) throw new InvalidInput(problems);
  return SOURCE_VARIABLES;
}

/** {@link assertSources} for commands that may not use sources: loads them only if the configuration names one. */
export async function assertNamedSources(config: Config): Promise<void> {
  const { wanted, addresses } = config.service.sources;
  const isNamed = !['auto', 'sandbox'].includes(wanted.join());
  const hasUnknown = config.settings.findUnknown([VARIABLES]).length > 0;
  if (isNamed || Object.keys(addresses).length > 0 || hasUnknown) await assertSources(config);
}

/**
 * Tells whether calls to a service are known to cost nothing: those to the sandbox, and to the own service without a language model
 * and without an API key. Every page asks, so the variables are read once.
 */
export function createFreeTest(config: Config): (kind: ServiceKind) => Promise<boolean> {
  let own: Promise<boolean> | undefined;
  return (kind) =>
    kind === 'own' ? (own ??= isOwnServiceFree(config)) : Promise.resolve(kind === 'sandbox');
}

async function isOwnServiceFree(config: Config): Promise<boolean> {
  if (config.service.model !== undefined) return false;
  const { SOURCE_VARIABLES } = await import('../service/sources/source-registry.ts');
  return !listVariables(SOURCE_VARIABLES).some(
    ([variable]) => variable.secret === 'whole' && config.settings.find(variable) !== undefined,
  );
}
