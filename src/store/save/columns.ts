/**
 * Columns that the save reads from its JSON parameters, and the clauses built from them. One list decides what is
 * stored, what counts as a change and what a snapshot contains.
 */

import { AUTHOR_COUNTERS, forCounters, POST_COUNTERS } from '../../model/counters.ts';
import { AUTHOR_MEMBERS, type MemberKind, type Members, POST_MEMBERS } from '../../model/members.ts';
import { type Columns, columnNames } from '../db/database.ts';

const SQL_TYPES: Readonly<Record<MemberKind, string>> = {
  text: 'text',
  time: 'timestamptz',
  boolean: 'boolean',
  texts: 'text[]',
  object: 'jsonb',
  list: 'jsonb',
  range: 'jsonb',
};

const listColumns = (members: Members): Columns =>
  Object.fromEntries(Object.entries(members).map(([name, kind]) => [name, SQL_TYPES[kind]]));

export const POST_COUNTER_COLUMNS = forCounters(POST_COUNTERS, () => 'bigint');
export const POST_CONTENT: Columns = listColumns(POST_MEMBERS);
export const AUTHOR_COUNTER_COLUMNS = forCounters(AUTHOR_COUNTERS, () => 'bigint');
export const AUTHOR_CONTENT: Columns = listColumns(AUTHOR_MEMBERS);
export const LINK_CONTENT: Columns = {
  title: 'text',
  snippet: 'text',
  summary_description: 'text',
  with_metadata: 'boolean',
  published_at: 'timestamptz',
  published_precision: 'text',
  publisher: 'text',
  highlights: 'text[]',
};

/** A post that responses only refer to is stored with an empty text, which is unknown. */
export const memberSql = (row: string, name: string) =>
  name === 'text' ? `nullif(${row}.text, '')` : `${row}.${name}`;

/** Whether any known new value differs from the stored one. If nothing is stored: whether any value is known. */
export function differsSql(columns: Columns, now: string, stored: string): string {
  return Object.keys(columns)
    .map(
      (name) =>
        `(${memberSql(now, name)} IS NOT NULL AND ${memberSql(now, name)} IS DISTINCT FROM ${stored}.${name})`,
    )
    .join(' OR ');
}

/** Whether any new value is known where the stored one is not. */
export function fillsSql(columns: Columns, now: string, stored: string): string {
  return Object.keys(columns)
    .map((name) => `(${memberSql(now, name)} IS NOT NULL AND ${memberSql(stored, name)} IS NULL)`)
    .join(' OR ');
}

/** `a = coalesce(now.a, stored.a), ...` */
export function refreshedSql(columns: Columns, now: string, stored: string): string {
  return Object.keys(columns)
    .map((name) => `${name} = coalesce(${now}.${name}, ${stored}.${name})`)
    .join(', ');
}

/** The same; where a condition holds, the other way round: the new values only fill what is unknown. */
export function mergedSql(columns: Columns, now: string, stored: string, onlyFills: string): string {
  return Object.keys(columns)
    .map((name) => {
      const [given, known] = [memberSql(now, name), memberSql(stored, name)];
      const none = name === 'text' ? `, ''` : '';
      return `${name} = CASE WHEN ${onlyFills} THEN coalesce(${known}, ${given}${none}) ELSE coalesce(${given}, ${known}${none}) END`;
    })
    .join(', ');
}

/** Whether any value is known. */
export function anyKnownSql(columns: Columns, row: string): string {
  return `num_nonnulls(${columnNames(columns, `${row}.`)}) > 0`;
}
