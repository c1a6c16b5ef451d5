/** The file of variables: one flat object of JSON, read with the line of each entry. */

import { InvalidInput } from '../domain/errors.ts';
import { readSmallFile } from '../platform/small-file.ts';

export type FileEntry = {
  /** As a variable of the environment would hold it. */
  text: string;
  line: number;
};

/** @param name where it is looked for @param required whether somebody named it: then it must be there */
export function readConfigFile(name: string, required: boolean): ReadonlyMap<string, FileEntry> {
  let text: string;
  try {
    text = readSmallFile(name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'it could not be read';
    if (!required && (code === 'ENOENT' || code === 'ENOTDIR')) return new Map();
    const expected =
      code === 'EFBIG' ? 'a file of at most one megabyte' : `a file that can be read (${code})`;
    throw new InvalidInput([
      { path: required ? 'STRANDLINE_CONFIG' : 'configuration', given: name, expected },
    ]);
  }
  return parseEntries(text, name);
}

type Token = { sign: string; value?: unknown; line: number };

/** @throws InvalidInput with file and line; no value is repeated, since it may be a secret */
function parseEntries(text: string, name: string): ReadonlyMap<string, FileEntry> {
  const tokens = listTokens(text);
  const entries = new Map<string, FileEntry>();
  let at = 0;
  const take = (signs: readonly string[], expected: string): Token => {
    const token = tokens[at++];
    if (token !== undefined && signs.includes(token.sign)) return token;
    const line = token?.line ?? text.split('\n').length;
    throw new InvalidInput([
      { path: `${name}:${line}`, given: token?.sign ?? 'the end of the file', expected },
    ]);
  };
  take(['{'], 'one JSON object: {"NAME": "value"}');
  let sign = tokens[at]?.sign === '}' ? take(['}'], '}').sign : ',';
  while (sign === ',') {
    const { value: key, line } = take(['a text'], 'the name of a variable in double quotes');
    const variable = String(key);
    if (entries.has(variable))
      throw new InvalidInput([
        {
          path: `${name}:${line}`,
          given: variable,
          expected: `to stand there once; line ${entries.get(variable)?.line} has it too`,
        },
      ]);
    take([':'], 'a colon behind the name');
    const { value } = take(
      ['a text', 'a number', 'true or false'],
      'a text in double quotes, a number, true or false',
    );
    entries.set(variable, { text: String(value).trim(), line });
    sign = take([',', '}'], 'a comma before the next variable, or } at the end').sign;
  }
  take(['the end'], 'nothing behind the object');
  return entries;
}

const TOKEN = /[ \t\r\n\ufeff]*(?:([{}:,[\]])|("(?:[^"\\\n]|\\.)*")|([^\s{}:,"[\]]+)|($)|([^]))/gy;

/** JSON's own parser reads each word; what it refuses is a token that no place takes. */
function listTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let counted = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, mark, quoted, word, end] = match;
    const begin = match.index + whole.length - (mark ?? quoted ?? word ?? '').length;
    line += text.slice(counted, begin).split('\n').length - 1;
    counted = begin;
    if (mark !== undefined) tokens.push({ sign: mark, line });
    else if (end !== undefined) tokens.push({ sign: 'the end', line });
    else tokens.push({ ...readWord(quoted ?? word ?? ''), line });
  }
  return tokens;
}

function readWord(word: string): Omit<Token, 'line'> {
  try {
    const value: unknown = JSON.parse(word);
    if (typeof value === 'string') return { sign: 'a text', value };
    // As it is written: what a variable takes for a number is its own to say.
    if (typeof value === 'number') return { sign: 'a number', value: word };
    if (typeof value === 'boolean') return { sign: 'true or false', value };
    return { sign: 'null' };
  } catch {
    return { sign: 'no JSON' };
  }
}
