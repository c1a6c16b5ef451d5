/** Parses the configuration file: one flat JSON object. Keeps the line of each entry for error messages. */

import { InvalidInput } from '../model/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import { statSync } from 'node:fs';

export type FileEntry = {
  /** As it would be written in the environment. */
  text: string;
  line: number;
};

/** @param name its path @param required whether it must exist, because STRANDLINE_CONFIG names it */
export function readConfigFile(name: string, required: boolean): ReadonlyMap<string, FileEntry> {
  if (!required && statSync(name, { throwIfNoEntry: false }) === undefined) return new Map();
  return parseEntries(readSmallFile(name, required ? 'STRANDLINE_CONFIG' : 'configuration'), name);
}

const BLANK = /[ \t\r\n\ufeff]*/y;
const QUOTED = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const VALUE = new RegExp(`${QUOTED.source}|-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false`, 'uy');
/** What an error may quote of an unexpected token. */
const SHOWN = /null|[{}:,[\]"]/y;

/** @throws InvalidInput with file and line. It never quotes a value, which may be a secret. */
function parseEntries(text: string, name: string): ReadonlyMap<string, FileEntry> {
  const entries = new Map<string, FileEntry>();
  let at = 0;
  let line = 1;
  const refuse = (entry: string, expected: string) =>
    new InvalidInput([{ path: `${name}:${line}`, given: entry, expected }]);
  const match = (form: RegExp): string | undefined => {
    form.lastIndex = at;
    return form.exec(text)?.[0];
  };
  const take = (form: RegExp, expected: string): string => {
    const blank = match(BLANK) ?? '';
    at += blank.length;
    line += blank.split('\n').length - 1; // strings cannot contain line ends
    const taken = match(form);
    if (taken === undefined)
      throw refuse(
        at === text.length ? 'the end of the file' : (match(SHOWN) ?? 'an unexpected character'),
        expected,
      );
    at += taken.length;
    return taken;
  };
  take(/\{/y, 'one JSON object: {"NAME": "value"}');
  let mark = take(/\}|/y, 'a name');
  while (mark !== '}') {
    const variable = String(JSON.parse(take(QUOTED, 'the name of a variable in double quotes')));
    const other = entries.get(variable);
    if (other !== undefined) throw refuse(variable, `one entry; also set on line ${other.line}`);
    const named = line;
    take(/:/y, 'a colon after the name');
    const value = take(VALUE, 'a string in double quotes, a number, true or false');
    // Numbers stay as written: each variable decides which it accepts.
    const written = value.startsWith('"') ? String(JSON.parse(value)).trim() : value;
    entries.set(variable, { text: written, line: named });
    mark = take(/[,}]/y, 'a comma before the next variable, or } at the end');
  }
  take(/$/y, 'nothing after the object');
  return entries;
}
