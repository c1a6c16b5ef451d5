/**
 * The query language of find, lists, pages, rules and the API: text to tree. Pure. What a tree matches is defined in
 * `store/archive/query-condition.ts`; docs/reference/queries.md describes both.
 */

import { InvalidInput } from './errors.ts';
import { MAX_FOLDED_WORD_LENGTH, splitFoldedWords } from '../lib/folded-words.ts';
import { findNearestName } from '../lib/nearest-name.ts';
import { type FieldCondition, FIELDS, isHashtag, QUERY_FIELDS, readFieldValue } from './query-fields.ts';

/** A condition on posts and links. `and` without parts matches everything. */
export type Query =
  | { is: 'and'; parts: readonly Query[] }
  | { is: 'or'; parts: readonly Query[] }
  | { is: 'not'; part: Query }
  /** A single word as written; matches in any inflected form. `folded`: the same for an exact match. */
  | { is: 'word'; word: string; folded: string }
  /** Folded words in a row, matched exactly. */
  | { is: 'phrase'; words: readonly string[] }
  | FieldCondition;

/** A rule's filter from before the query language may be longer once its words are in quotes. */
export const MAX_QUERY_LENGTH = 1_000;
const MAX_TERMS = 50;

/** Matches everything. */
export const EVERYTHING: Query = { is: 'and', parts: [] };

/**
 * Parses a query such as `ferry "night line" -cancelled lang:en`. An empty one matches everything.
 * @param path the member or option, for messages
 * @throws InvalidInput naming the part, its position (from 1), and what to write instead
 */
export function parseQuery(text: string, path = 'query'): Query {
  if (text.length > MAX_QUERY_LENGTH)
    throw new InvalidInput([{ path, given: text, expected: `at most ${MAX_QUERY_LENGTH} characters` }]);
  if (text.includes('\0')) throw new InvalidInput([{ path, given: text, expected: 'text without NUL' }]);
  const tokens = readTokens(text, path);
  const terms = tokens.filter(({ kind }) => kind === 'term').length;
  if (terms > MAX_TERMS)
    throw new InvalidInput([
      { path, given: text, expected: `at most ${MAX_TERMS} words, phrases and fields` },
    ]);
  if (tokens.length === 0) return EVERYTHING;
  const reader: Reader = { tokens, next: 0, end: text.length, path };
  const query = readAlternatives(reader);
  const rest = reader.tokens[reader.next];
  if (rest !== undefined) throw refuse(path, rest, '( before it, or no )');
  return query;
}

/** A query for what matches all parts; undefined ones are left out. */
export function requireAll(parts: readonly (Query | undefined)[]): Query {
  return join(
    'and',
    parts.flatMap((part) => part ?? []),
  );
}

/** The words and phrases that a match may contain: for relevance, and to highlight them. */
export function listSoughtWords(query: Query): (Query & { is: 'word' | 'phrase' })[] {
  if (query.is === 'and' || query.is === 'or') return query.parts.flatMap(listSoughtWords);
  return query.is === 'word' || query.is === 'phrase' ? [query] : [];
}

/** All single words, excluded ones included. */
export function listQueryWords(query: Query): (Query & { is: 'word' })[] {
  if (query.is === 'and' || query.is === 'or') return query.parts.flatMap(listQueryWords);
  if (query.is === 'not') return listQueryWords(query.part);
  return query.is === 'word' ? [query] : [];
}

type Token = {
  kind: '(' | ')' | '-' | 'OR' | 'term';
  /** Offset in the text, from 0. */
  at: number;
  text: string;
  /** Of a term: a phrase, or the value of a field, was in quotes. */
  field?: string | undefined;
  value?: string;
  quoted?: boolean;
};

type Reader = {
  readonly tokens: readonly Token[];
  next: number;
  readonly end: number;
  readonly path: string;
};

function refuse(path: string, { at, text }: Pick<Token, 'at' | 'text'>, expected: string): InvalidInput {
  return new InvalidInput([{ path, given: text, expected: `at character ${at + 1}: ${expected}` }]);
}

/** Terms joined by `OR`; it binds less than AND. */
function readAlternatives(reader: Reader): Query {
  const parts = [readConjunction(reader)];
  while (reader.tokens[reader.next]?.kind === 'OR') {
    reader.next += 1;
    parts.push(readConjunction(reader));
  }
  return join('or', parts);
}

function readConjunction(reader: Reader): Query {
  const parts: Query[] = [];
  for (;;) {
    const token = reader.tokens[reader.next];
    if (token === undefined || token.kind === 'OR' || token.kind === ')') {
      if (parts.length > 0) return join('and', parts);
      throw refuse(reader.path, token ?? { at: reader.end, text: '' }, describeMissing(reader, token));
    }
    parts.push(readUnit(reader, token));
  }
}

function describeMissing({ tokens, next }: Reader, token: Token | undefined): string {
  const before = tokens[next - 1]?.kind;
  if (token?.kind === ')' && before === undefined) return '( before it, or no )';
  if (before === '(') return 'a word, phrase or field inside the parentheses';
  return 'a word, phrase or field before and after OR (for the word itself, write "OR" in quotes)';
}

function readUnit(reader: Reader, token: Token): Query {
  reader.next += 1;
  if (token.kind === 'term') return readTerm(reader.path, token);
  if (token.kind === '-') {
    const next = reader.tokens[reader.next];
    const applies =
      next !== undefined && next.at === token.at + 1 && (next.kind === 'term' || next.kind === '(');
    if (!applies) throw refuse(reader.path, token, 'a word, phrase, field or ( right after one -');
    const part = readUnit(reader, next);
    return part.is === 'not' ? part.part : { is: 'not', part };
  }
  const inner = readAlternatives(reader);
  if (reader.tokens[reader.next]?.kind !== ')') throw refuse(reader.path, token, 'a closing ) for this (');
  reader.next += 1;
  return inner;
}

function join(is: 'and' | 'or', parts: readonly Query[]): Query {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  return { is, parts: parts.flatMap((part) => (part.is === is ? part.parts : [part])) };
}

const SPACE = /\s/;
/** Ends a word without quotes. */
const WORD_END = /[\s()"“”„«»]/;
const QUOTE = /["“”„«»]/;
const FIELD = /^(\p{L}[\p{L}\p{N}_-]*):(?!\/\/)/u;

function readTokens(text: string, path: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const sign = text.charAt(at);
    const last = tokens.at(-1);
    if (SPACE.test(sign)) at += 1;
    else if (sign === ')') tokens.push({ kind: ')', at, text: text.charAt(at++) });
    else if (last !== undefined && last.at + last.text.length === at && last.kind === 'term')
      throw refuse(path, { at, text: text.slice(at) }, 'a space between two terms');
    else if (sign === '(' || sign === '-') tokens.push({ kind: sign, at, text: text.charAt(at++) });
    else {
      const token = readTermToken(text, at, path);
      tokens.push(token);
      at += token.text.length;
    }
  }
  return tokens;
}

function readTermToken(text: string, at: number, path: string): Token {
  if (QUOTE.test(text.charAt(at))) return { ...readQuoted(text, at, at, path), field: undefined };
  let end = at;
  while (end < text.length && !WORD_END.test(text.charAt(end))) end += 1;
  const bare = text.slice(at, end);
  const [name, field] = FIELD.exec(bare) ?? [];
  if (name === undefined || field === undefined)
    return { kind: bare === 'OR' ? 'OR' : 'term', at, text: bare, value: bare, quoted: false };
  if (end === at + name.length && QUOTE.test(text.charAt(end)))
    return { ...readQuoted(text, at, end, path), field };
  return { kind: 'term', at, text: bare, field, value: bare.slice(name.length), quoted: false };
}

/** @param from offset of the opening quotation mark */
function readQuoted(text: string, at: number, from: number, path: string): Token {
  let end = from + 1;
  while (end < text.length && !QUOTE.test(text.charAt(end))) end += 1;
  if (end === text.length)
    throw refuse(path, { at, text: text.slice(at) }, 'a closing " at the end of the phrase');
  return { kind: 'term', at, text: text.slice(at, end + 1), value: text.slice(from + 1, end), quoted: true };
}

function readTerm(path: string, token: Token): Query {
  const { field, value = '', quoted = false } = token;
  if (field !== undefined) return readField(path, token, field.toLowerCase(), value);
  if (!quoted) {
    if (value.startsWith('#')) return readHashtag(path, token, value.slice(1));
    refuseSigns(path, token, value);
  }
  const words = splitFoldedWords(value);
  const [only] = words;
  if (only === undefined) throw refuse(path, token, 'a word with at least one letter or digit');
  if (words.some(({ length }) => length > MAX_FOLDED_WORD_LENGTH))
    throw refuse(path, token, `words of at most ${MAX_FOLDED_WORD_LENGTH} letters`);
  return quoted || words.length > 1 ? { is: 'phrase', words } : { is: 'word', word: value, folded: only };
}

/** Signs with a meaning in other query languages, and dashes that look like a minus. */
const OTHER_SIGN = /^[–—−+!&=/:@]|[*~^|\\[\]{}<>]/u;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

function refuseSigns(path: string, token: Token, value: string): void {
  if (value === 'AND')
    throw refuse(
      path,
      token,
      'no AND: all words must match anyway (for the word itself, write "AND" in quotes)',
    );
  if (value === 'NOT')
    throw refuse(path, token, '-word to exclude a word (for the word itself, write "NOT" in quotes)');
  if (ADDRESS.test(value)) return;
  const [sign] = OTHER_SIGN.exec(value) ?? [];
  if (sign === undefined) return;
  const instead = /[–—−]/u.test(sign)
    ? `a hyphen as the minus: -${value.slice(1)}`
    : describeSign(sign, value);
  throw refuse(path, token, instead);
}

function describeSign(sign: string, value: string): string {
  const quoted = `${JSON.stringify(value)} in quotes for these words in a row`;
  if (sign === '*')
    return `whole words (their inflected forms match, too); * has no meaning here; or ${quoted}`;
  if (sign === '@') return `author:${value.slice(1)} for posts by this author, or ${quoted}`;
  if (sign === '|') return `OR between two words, or ${quoted}`;
  return `no ${sign}, which has no meaning here; or ${quoted}`;
}

function readHashtag(path: string, token: Token, tag: string): Query {
  const query = isHashtag(tag) ? readFieldValue('hashtag', tag) : undefined;
  if (query !== undefined) return query;
  throw refuse(path, token, 'a hashtag of letters, digits and _, such as #ferry');
}

function readField(path: string, token: Token, name: string, text: string): Query {
  const field = QUERY_FIELDS.find((known) => known === name);
  if (field === undefined) throw refuse(path, token, describeFields(name, token.text));
  const value = text.trim();
  const query = value === '' ? undefined : readFieldValue(field, value);
  if (query !== undefined) return query;
  throw refuse(
    path,
    token,
    value === '' ? `a value right after ${field}: (${FIELDS[field]})` : FIELDS[field],
  );
}

function describeFields(name: string, text: string): string {
  const near = findNearestName(name, QUERY_FIELDS);
  const guess = near === undefined ? '' : `; did you mean ${near}:`;
  const fields = QUERY_FIELDS.map((field) => `${field}:`).join(', ');
  const quoted = text.includes('"') ? 'the words without a colon' : `${JSON.stringify(text)} in quotes`;
  return `one of the fields ${fields}${guess}; for the words themselves, write ${quoted}`;
}
