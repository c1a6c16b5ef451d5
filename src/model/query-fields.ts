/** The fields of the query language: their names, their values, and the conditions these become. Pure. */

import { SOURCES, type Source } from './enumerations.ts';
import { InvalidInput } from './errors.ts';
import { parseTimePoint, TIME_POINT_EXPECTED, type TimePoint } from '../lib/time-point.ts';

/** What `is:` can ask for. */
const QUERY_TRAITS = ['post', 'link', 'repost', 'quote', 'reply', 'relevant'] as const;
type QueryTrait = (typeof QUERY_TRAITS)[number];

export type FieldCondition =
  | { is: 'author' | 'domain' | 'host' | 'hashtag' | 'lang'; value: string }
  | { is: 'author-id'; value: bigint }
  | { is: 'source'; value: Source }
  | { is: 'from' | 'to'; value: TimePoint }
  | { is: 'min-engagement'; value: number }
  | { is: 'is'; value: QueryTrait };

/** What the value of each field is, for messages. */
export const FIELDS = {
  author: 'the username of an author, such as author:jane',
  'author-id': 'the ID of an author in strandline, such as author-id:12',
  domain: 'a host, such as domain:example.org; it includes its subdomains',
  host: 'a host, such as host:example.org; without its subdomains',
  hashtag: 'a hashtag of letters, digits and _, such as hashtag:ferry or #ferry',
  lang: 'a language code, such as lang:en or lang:pt-BR',
  source: `one of ${SOURCES.join(', ')}`,
  from: `${TIME_POINT_EXPECTED} (for posts by an author, write author:)`,
  to: TIME_POINT_EXPECTED,
  'min-engagement': 'a whole number of likes, reposts, replies and quotes, such as min-engagement:100',
  is: `one of ${QUERY_TRAITS.join(', ')}`,
} as const;
type Field = keyof typeof FIELDS;
export const QUERY_FIELDS = Object.keys(FIELDS) as Field[]; // Object.keys loses the key type

const HASHTAG = /^[\p{L}\p{N}\p{M}_]+$/u;

/** Whether `#` and this text are a condition. Services report other texts as hashtags, too. */
export function isHashtag(text: string): boolean {
  return HASHTAG.test(text);
}

const HOST = /^[\p{L}\p{N}\p{M}_.-]{1,253}$/u;
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i;

/**
 * The condition of one field whose value has its own option or parameter.
 * @returns undefined if the value is
 * @throws InvalidInput
 */
export function parseFieldValue(
  field: Field,
  value: string | undefined,
  path: string = field,
): FieldCondition | undefined {
  if (value === undefined) return undefined;
  const query = readFieldValue(field, value.trim());
  if (query === undefined) throw new InvalidInput([{ path, given: value, expected: FIELDS[field] }]);
  return query;
}

/** Undefined if the field cannot have this value. */
export function readFieldValue(field: Field, value: string): FieldCondition | undefined {
  switch (field) {
    case 'author': {
      const name = value.replace(/^@/, '');
      return name === '' ? undefined : { is: 'author', value: name };
    }
    case 'author-id':
      return /^\d{1,18}$/.test(value) ? { is: field, value: BigInt(value) } : undefined;
    case 'domain':
    case 'host': {
      const host = value.toLowerCase().replace(/^www\./, '');
      return HOST.test(host) ? { is: field, value: host } : undefined;
    }
    case 'hashtag': {
      const tag = value.replace(/^#/, '');
      return isHashtag(tag) ? { is: 'hashtag', value: tag.normalize('NFC').toLowerCase() } : undefined;
    }
    case 'lang':
      return LANGUAGE.test(value) ? { is: 'lang', value: value.toLowerCase() } : undefined;
    case 'source': {
      const source = SOURCES.find((known) => known === value.toLowerCase().replaceAll('-', '_'));
      return source === undefined ? undefined : { is: 'source', value: source };
    }
    case 'from':
    case 'to': {
      const point = parseTimePoint(value);
      return point === undefined ? undefined : { is: field, value: point };
    }
    case 'min-engagement':
      return /^\d{1,15}$/.test(value) ? { is: field, value: Number(value) } : undefined;
    case 'is': {
      const trait = QUERY_TRAITS.find((known) => known === value.toLowerCase());
      return trait === undefined ? undefined : { is: 'is', value: trait };
    }
  }
}

/** The condition as it is typed, such as `author:"jane doe"`. @returns undefined if the field cannot have this value */
export function writeFieldQuery(field: Field, value: string): string | undefined {
  if (value.includes('"') || readFieldValue(field, value) === undefined) return undefined;
  return /^[\p{L}\p{N}_.-]+$/u.test(value) ? `${field}:${value}` : `${field}:"${value}"`;
}
