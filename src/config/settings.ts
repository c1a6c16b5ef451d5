/**
 * Finds and reads variables in the environment and in the configuration file; the environment wins. A secret may be in a separate
 * file, named by the variable with `_FILE` appended, so that no shell and no process list shows it.
 */

import { collectProblems, HIDDEN, InvalidInput, type Problem } from '../model/errors.ts';
import { isSecretParameter, maskUrl, parseUrl } from '../model/links/link.ts';
import {
  CONFIG_VARIABLE,
  type Env,
  findInFile,
  findSetting,
  openConfigFile,
  type Setting,
} from './set-variables.ts';
import {
  decodePart,
  isVariable,
  listNeeded,
  listVariables,
  type ReadVariables,
  splitList,
  type Table,
  type Values,
  type Variable,
} from './variable.ts';
import leven from 'leven';

export type { Env };

export type Settings = ReturnType<typeof openSettings>;

/** @throws InvalidInput if the configuration file cannot be read or is invalid */
export function openSettings(env: Env) {
  const file = openConfigFile(env);
  /** Every secret read so far, including passwords in URLs. It grows as variables are read. */
  const secrets: string[] = [];
  /** Cached, because a secret in a pipe can be read only once. */
  const settings = new Map<Variable, Setting | undefined>();

  /** @throws InvalidInput if both `NAME` and `NAME_FILE` are set, or the file cannot be read */
  function find(variable: Variable): Setting | undefined {
    if (!settings.has(variable)) settings.set(variable, findSetting(variable, env, file));
    return settings.get(variable);
  }

  function readVariable(variable: Variable): unknown {
    refuseClearText(variable, findInFile(variable.name, file));
    const setting = find(variable);
    const parsed = variable.schema.safeParse(setting?.text, { error: () => variable.allowed });
    const ownSecrets = setting === undefined ? [] : listSecrets(variable, setting.text, parsed.data);
    secrets.push(...ownSecrets.filter((secret) => !secrets.includes(secret)));
    if (parsed.success) return parsed.data;
    const isHidden = variable.secret !== undefined || mayHoldSecret(setting?.text ?? '');
    const expected = parsed.error.issues[0]?.message ?? variable.allowed;
    throw new InvalidInput([
      { path: setting?.where ?? variable.name, given: isHidden ? HIDDEN : setting?.text, expected },
    ]);
  }

  function readPart(part: Variable | Table, problems: Problem[]): unknown {
    if (isVariable(part)) return collectProblems(problems, () => readVariable(part), undefined);
    const values: Record<string, unknown> = Object.fromEntries(
      Object.entries(part).map(([place, member]) => [place, readPart(member, problems)]),
    );
    const needed = Object.entries(part).filter(([, member]) => isVariable(member) && member.needed);
    if (needed.every(([place]) => values[place] !== undefined)) return values;
    const rows = listNeeded(part).filter((row) => row.default === undefined);
    collectProblems(problems, () => refuseSome(rows, find), undefined);
    return undefined;
  }

  const read: ReadVariables = (part) => {
    const problems: Problem[] = [];
    const values = readPart(part, problems);
    if (problems.length > 0) throw new InvalidInput(problems);
    return values as Values<typeof part>; // each place holds the value of its row
  };

  /** Names in the configuration file that are in none of the tables. */
  function findUnknown(tables: readonly Table[]): Problem[] {
    const known = tables
      .flatMap(listVariables)
      .flatMap(([{ name, secret }]) => (secret === undefined ? [name] : [name, `${name}_FILE`]))
      .filter((name) => name !== CONFIG_VARIABLE);
    const unknown = [...file.entries].filter(([name]) => !known.includes(name));
    return unknown.map(([unknownName, { line }]) => {
      const distance = (name: string) => leven(unknownName.toUpperCase(), name);
      const [nearest = ''] = known.toSorted((a, b) => distance(a) - distance(b));
      const expected = `the name of a variable; did you mean ${nearest}?`;
      return { path: `${file.name}:${line}`, given: unknownName, expected };
    });
  }

  return { find, read, secrets, findUnknown };
}

/** Configuration files are copied and shared, so they must contain no secrets and no URLs with passwords. */
function refuseClearText({ name, secret }: Variable, setting: Setting | undefined): void {
  if (setting === undefined) return;
  const url = parseUrl(setting.text);
  if (secret !== 'whole' && (url === undefined || maskUrl(setting.text) === url.href)) return;
  const expected =
    secret === undefined
      ? 'a URL without a password'
      : `no secret here; store it in a separate file and set ${name}_FILE to its path`;
  throw new InvalidInput([{ path: setting.where, given: HIDDEN, expected }]);
}

/** Variables that are needed together: all of them or none. */
function refuseSome(needed: readonly Variable[], find: Settings['find']): void {
  const missing = needed.filter((row) => find(row) === undefined);
  if (missing.length === 0 || missing.length === needed.length) return;
  const beside = needed.filter((row) => !missing.includes(row)).map(({ name }) => name);
  const expected = `to be set, since ${beside.join(' and ')} is`;
  throw new InvalidInput(missing.map(({ name }) => ({ path: name, given: undefined, expected })));
}

/** Whether a text may be a URL with a user, a query or a fragment. */
function mayHoldSecret(text: string): boolean {
  return text.includes('@') || (text.includes('://') && /[?#]/.test(text));
}

/** @param parsed the value; undefined if it is invalid. A list may be one of URLs, or a file with them */
function listSecrets({ secret }: Variable, text: string, parsed: unknown): string[] {
  if (secret === 'whole') return splitList(text);
  if (secret === 'password') return listUrlSecrets(text);
  return Array.isArray(parsed) ? parsed.map(String).flatMap(listUrlSecrets) : [];
}

function listUrlSecrets(text: string): string[] {
  const url = parseUrl(text);
  if (url === undefined) return [];
  const parameters = [...url.searchParams]
    .filter(([name]) => isSecretParameter(name))
    .map(([, value]) => value);
  return [url.password, decodePart(url.password) ?? '', ...parameters].filter((part) => part !== '');
}
