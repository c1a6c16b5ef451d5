/** The file of variables: one flat object of JSON, read with the line of each entry. */

import { InvalidInput } from '../domain/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';
import { statSync } from 'node:fs';

export type FileEntry = {
  /** As a variable of the environment would hold it. */
  text: string;
  line: number;
};

/** @param name where it is looked for @param required whether somebody named it: then it must be there */
export function readConfigFile(name: string, required: boolean): ReadonlyMap<string, FileEntry> {
  if (!required && statSync(name, { throwIfNoEntry: false }) === undefined) return new Map();
  return parseEntries(readSmallFile(name, required ? 'STRANDLINE_CONFIG' : 'configuration'), name);
}

const BLANK = /[ \t\r\n\ufeff]*/y;
const QUOTED = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const VALUE = new RegExp(`${QUOTED.source}|-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false`, 'uy');
/** What may be repeated of what stands at the wrong place. */
const SHOWN = /null|[{}:,[\]"]/y;

/** @throws InvalidInput with file and line; no value is repeated, since it may be a secret */
function parseEntries(text: string, name: string): ReadonlyMap<string, FileEntry> {
  const entries = new Map<string, FileEntry>();
  let at = 0;
  let line = 1;
  const refuse = (given: string, expected: string) =>
    new InvalidInput([{ path: `${name}:${line}`, given, expected }]);
  const match = (form: RegExp): string | undefined => {
    form.lastIndex = at;
    return form.exec(text)?.[0];
  };
  const take = (form: RegExp, expected: string): string => {
    const blank = match(BLANK) ?? '';
    at += blank.length;
    line += blank.split('\n').length - 1; // no text goes over a line
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
    // A number as it is written: what a variable takes for one is its own to say.
    const written = value.startsWith('"') ? String(JSON.parse(value)).trim() : value;
    entries.set(variable, { text: written, line: named });
    mark = take(/[,}]/y, 'a comma before the next variable, or } at the end');
  }
  take(/$/y, 'nothing after the object');
  return entries;
}
