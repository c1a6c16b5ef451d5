/**
 * What is set, and where: in the environment, or in the file of variables, which it goes before. A secret may stand in a
 * file of its own, named by the same variable with `_FILE` behind it, so that no shell and no process list sees it.
 */

import { InvalidInput, type Problem } from '../domain/errors.ts';
import { maskUrl, parseUrl } from '../domain/link.ts';
import { readSmallFile } from '../platform/small-file.ts';
import { type FileEntry, readConfigFile } from './config-file.ts';
import {
  isGroup,
  isVariable,
  listNeeded,
  listVariables,
  type Table,
  type Values,
  type Variable,
} from './variable.ts';
import { CONFIG_FILE, DATA_DIR } from './variables.ts';
import path from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** A text that was set for a variable. */
export type Setting = {
  text: string;
  from: 'environment' | 'config_file';
  /** The name to change: of the variable, with `_FILE` where that is set, and in a file behind the file and the line. */
  where: string;
  /** The file that holds it, where one does. */
  file: string | undefined;
};

export type Settings = {
  /** @throws InvalidInput naming each variable that is wrong, and where it stands; the value of a secret is never shown */
  read: <const T extends Table>(table: T) => Values<T>;
  /** @throws InvalidInput where it is set twice in one place, or its file cannot be read */
  find(variable: Variable): Setting | undefined;
  /** Every secret that was read so far, passwords in addresses among them: it grows with what is read. */
  secrets: readonly string[];
  /** @throws InvalidInput for what stands in the file and in none of the tables */
  refuseOthers(tables: readonly Table[]): void;
  /** Whether something stands in the file that none of the tables has. */
  hasOthers(tables: readonly Table[]): boolean;
};

/** Entries of the file by name, with what `NAME_FILE` is relative to. */
type ConfigFile = { name: string; entries: ReadonlyMap<string, FileEntry> };

/** @throws InvalidInput where the file of variables cannot be read, or is not what it must be */
export function openSettings(env: Env): Settings {
  const file = openConfigFile(env);
  const secrets: string[] = [];
  /** A secret that comes through a pipe can be read once. */
  const settings = new Map<string, Setting | undefined>();
  const find = (variable: Variable) => {
    if (!settings.has(variable.name))
      settings.set(variable.name, findInEnvironment(variable, env) ?? findInFile(variable, file));
    return settings.get(variable.name);
  };

  function readVariable(variable: Variable, problems: Problem[]): unknown {
    try {
      refuseClearText(variable, file);
      const setting = find(variable);
      if (setting !== undefined) addSecrets(secrets, variable, setting.text);
      const parsed = variable.schema.safeParse(setting?.text);
      if (parsed.success) return parsed.data;
      const isHidden = variable.secret !== undefined || setting?.text.includes('@') === true;
      const given = isHidden ? '(hidden)' : setting?.text;
      const expected = parsed.error.issues[0]?.message ?? variable.allowed;
      problems.push({ path: setting?.where ?? variable.name, given, expected });
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      problems.push(...error.problems);
    }
    return undefined;
  }

  function readPart(part: Table[string], problems: Problem[]): unknown {
    if (isVariable(part)) return readVariable(part, problems);
    if (!isGroup(part)) return readAll(part, problems);
    const values = readAll(part.group, problems);
    const needed = Object.entries(part.group).filter(([, member]) => isVariable(member) && member.needed);
    if (needed.every(([place]) => values[place] !== undefined)) return values;
    problems.push(
      ...findMissing(
        listNeeded(part).filter((row) => row.default === undefined),
        find,
      ),
    );
    return undefined;
  }

  function readAll(table: Table, problems: Problem[]): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(table).map(([place, part]) => [place, readPart(part, problems)]),
    );
  }

  const listOthers = (tables: readonly Table[]) => {
    const known = new Set(tables.flatMap((table) => listVariables(table).flatMap(([row]) => namesOf(row))));
    known.delete(CONFIG_FILE.name);
    return { known, others: [...file.entries].filter(([name]) => !known.has(name)) };
  };

  return {
    find,
    secrets,
    read: <const T extends Table>(table: T) => {
      const problems: Problem[] = [];
      const values = readAll(table, problems);
      if (problems.length > 0) throw new InvalidInput(problems);
      return values as Values<T>; // each place holds what the row there reads
    },
    hasOthers: (tables) => listOthers(tables).others.length > 0,
    refuseOthers: (tables) => {
      const { known, others } = listOthers(tables);
      if (others.length === 0) return;
      throw new InvalidInput(
        others.map(([given, { line }]) => ({
          path: `${file.name}:${line}`,
          given,
          expected: `the name of a variable; the nearest is ${findNearest(given, known)}`,
        })),
      );
    },
  };
}

const isSet = (text: string | undefined): text is string => text !== undefined && text.trim() !== '';

/** `strandline.config.json` beside the data directory, or where `STRANDLINE_CONFIG` says. */
function openConfigFile(env: Env): ConfigFile {
  const named = env[CONFIG_FILE.name];
  if (isSet(named)) return { name: named.trim(), entries: readConfigFile(named.trim(), true) };
  const dataDir = env[DATA_DIR.name];
  const folder = path.dirname(isSet(dataDir) ? dataDir.trim() : (DATA_DIR.default ?? ''));
  const name = path.join(folder, 'strandline.config.json');
  return { name, entries: readConfigFile(name, false) };
}

const namesOf = ({ name, secret }: Variable) => (secret === undefined ? [name] : [name, `${name}_FILE`]);

/** A variable that is set to nothing counts as not set, as compose files and CI systems leave them. */
function findInEnvironment(variable: Variable, env: Env): Setting | undefined {
  return pick(variable, (name) => {
    const text = env[name];
    return isSet(text) ? { text: text.trim(), where: name, from: 'environment', file: undefined } : undefined;
  });
}

/** A relative path starts at the folder of the file. */
function findInFile(variable: Variable, { name: file, entries }: ConfigFile): Setting | undefined {
  return pick(variable, (name) => {
    const entry = entries.get(name);
    if (entry === undefined || entry.text === '') return undefined;
    const isPath = name !== variable.name || variable.name === DATA_DIR.name;
    const text = isPath ? path.resolve(path.dirname(file), entry.text) : entry.text;
    return {
      text,
      where: `${file}:${entry.line}: ${name}`,
      from: 'config_file',
      file: `${file}:${entry.line}`,
    };
  });
}

/** What is set under the name of the variable, or in the file that `NAME_FILE` names. */
function pick(variable: Variable, findNamed: (name: string) => Setting | undefined): Setting | undefined {
  const direct = findNamed(variable.name);
  const named = variable.secret === undefined ? undefined : findNamed(`${variable.name}_FILE`);
  if (named === undefined) return direct;
  const refuse = (expected: string) => new InvalidInput([{ path: named.where, given: named.text, expected }]);
  if (direct !== undefined) throw refuse(`set either ${variable.name} or ${variable.name}_FILE, not both`);
  try {
    const text = readSmallFile(named.text).trim();
    return { ...named, text, file: named.text };
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it could not be read';
    throw refuse(`a file that can be read (${why})`);
  }
}

/** The file of variables is copied and shown: no secret stands in it, and no address with a password. */
function refuseClearText(variable: Variable, { name: file, entries }: ConfigFile): void {
  const entry = entries.get(variable.name);
  if (entry === undefined || entry.text === '') return;
  const url = parseUrl(entry.text);
  if (variable.secret !== 'whole' && (url === undefined || maskUrl(entry.text) === url.href)) return;
  const { line } = entry;
  const expected =
    variable.secret === undefined
      ? 'an address without a password'
      : `no secret in this file: put it into a file of its own, and name that by ${variable.name}_FILE`;
  throw new InvalidInput([{ path: `${file}:${line}: ${variable.name}`, given: '(hidden)', expected }]);
}

/** What needs several variables: all of them or none. */
function findMissing(needed: readonly Variable[], find: Settings['find']): Problem[] {
  const set = needed.filter((row) => find(row) !== undefined);
  if (set.length === 0 || set.length === needed.length) return [];
  const beside = set.map(({ name }) => name).join(' and ');
  return needed
    .filter((row) => !set.includes(row))
    .map(({ name }) => ({ path: name, given: undefined, expected: `to be set, since ${beside} is` }));
}

function addSecrets(secrets: string[], { secret }: Variable, text: string): void {
  if (secret === 'whole') secrets.push(...text.split(',').map((part) => part.trim()));
  const password = secret === 'password' ? (parseUrl(text)?.password ?? '') : '';
  if (password !== '') secrets.push(password, decodePassword(password));
}

function decodePassword(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The known name with the fewest letters to change, add or leave out. */
function findNearest(name: string, known: Iterable<string>): string {
  const [nearest = ''] = [...known].toSorted((a, b) => countChanges(name, a) - countChanges(name, b));
  return nearest;
}

function countChanges(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, sign] of Array.from(a.toUpperCase()).entries()) {
    const above = row;
    row = [i + 1];
    for (let j = 0; j < b.length; j += 1)
      row.push(
        Math.min((above[j] ?? 0) + (sign === b[j] ? 0 : 1), (above[j + 1] ?? 0) + 1, (row[j] ?? 0) + 1),
      );
  }
  return row.at(-1) ?? 0;
}
