/** Where variables are set: the environment, the configuration file, files of secrets. Loads no schema. */

import { InvalidInput } from '../model/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import { type FileEntry, readConfigFile } from './config-file.ts';
import path from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** The value set for a variable, before it is parsed. */
export type Setting = {
  text: string;
  /** `file`: a file with this secret alone; `config_file`: the configuration file. */
  from: 'environment' | 'file' | 'config_file';
  /** Where to change it: `NAME` or `NAME_FILE`, with path and line if it is in the configuration file. */
  where: string;
  /** The file that contains it, if any; for the configuration file, with the line. */
  file: string | null;
};

/** A variable with a secret may be in a file of its own. */
type Named = { readonly name: string; readonly secret?: 'whole' | 'password' };

/** These two locate the configuration file, so they are read first. */
export const CONFIG_VARIABLE = 'STRANDLINE_CONFIG';
export const DATA_DIR_VARIABLE = 'STRANDLINE_DATA_DIR';
export const DATA_DIR_DEFAULT = '.strandline';

/** @throws InvalidInput if both `NAME` and `NAME_FILE` are set, or the file cannot be read */
export function findSetting(variable: Named, env: Env, file: ConfigFile): Setting | undefined {
  return (
    resolve(variable, (name) => findInEnvironment(name, env)) ??
    resolve(variable, (name) => findInFile(name, file))
  );
}

/** The entries of the configuration file. Relative paths in it start at its folder. */
export type ConfigFile = { name: string; entries: ReadonlyMap<string, FileEntry> };

/** `STRANDLINE_CONFIG`, or `strandline.config.json` next to the data directory. */
export function openConfigFile(env: Env): ConfigFile {
  const named = findInEnvironment(CONFIG_VARIABLE, env)?.text;
  const dataDir = findInEnvironment(DATA_DIR_VARIABLE, env)?.text ?? DATA_DIR_DEFAULT;
  const name = named ?? path.join(path.dirname(dataDir), 'strandline.config.json');
  return { name, entries: readConfigFile(name, named !== undefined) };
}

/** An empty variable counts as unset: compose files and CI systems leave them empty. */
export function findInEnvironment(name: string, env: Env): Setting | undefined {
  const text = env[name]?.trim() ?? '';
  return text === '' ? undefined : { text, where: name, from: 'environment', file: null };
}

export function findInFile(name: string, { name: file, entries }: ConfigFile): Setting | undefined {
  const { text = '', line } = entries.get(name) ?? {};
  if (text === '') return undefined;
  const isPath = name === DATA_DIR_VARIABLE || name.endsWith('_FILE');
  return {
    text: isPath ? path.resolve(path.dirname(file), text) : text,
    where: `${file}:${line}: ${name}`,
    from: 'config_file',
    file: `${file}:${line}`,
  };
}

/** The value from one place: `NAME` itself, or the content of the file that `NAME_FILE` names. */
function resolve(
  { name, secret }: Named,
  findNamed: (name: string) => Setting | undefined,
): Setting | undefined {
  const direct = findNamed(name);
  const named = secret === undefined ? undefined : findNamed(`${name}_FILE`);
  if (named === undefined) return direct;
  const { where, text: file } = named;
  if (direct === undefined) return { text: readSmallFile(file, where).trim(), from: 'file', where, file };
  const expected = `set either ${name} or ${name}_FILE, not both`;
  throw new InvalidInput([{ path: where, given: file, expected }]);
}
