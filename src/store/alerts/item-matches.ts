/** Which discoveries match queries: the conditions of find, over items that may not be indexed yet. */

import type { Query } from '../../domain/search-query.ts';
import {
  type ArchiveDocument,
  buildDocument,
  readDocuments,
  VECTORS_SQL,
} from '../archive/archive-documents.ts';
import { buildCondition, readWordForms } from '../archive/query-condition.ts';
import { type Id, type Queryable, writeRows } from '../database.ts';
import type { FeedEntry } from './feed-entries.ts';

/**
 * Evaluates queries over the items of discoveries; a link that names a post counts as that post, and completions match
 * nothing.
 * @param now for relative times
 * @returns for each query, the ids of the discoveries that match
 */
export async function findMatches(
  tx: Queryable,
  queries: readonly Query[],
  found: readonly FeedEntry[],
  now: Date,
): Promise<ReadonlySet<Id>[]> {
  const things = found.flatMap((entry) => toThing(entry) ?? []);
  if (queries.length === 0 || things.length === 0) return queries.map(() => new Set());
  const documents = [...(await readDocuments(tx, things)), ...found.flatMap(buildSentenceDocument)];
  const values: unknown[] = [writeRows(documents)];
  const context = {
    bind: (value: unknown) => `$${values.push(value)}`,
    forms: await readWordForms(tx, queries),
    now,
  };
  const conditions = queries.map((query) => buildCondition(query, context));
  const { rows } = await tx.query<{ kind: string; thing: Id; matches: boolean[] }>(
    `SELECT d.kind, d.thing, ARRAY[${conditions.join(', ')}] AS matches FROM (
       SELECT r.kind, r.thing, r.at, r.config, ${VECTORS_SQL}
       FROM json_to_recordset($1::json) AS r(kind text, thing bigint, at timestamptz, config text, title text, body text, exact text)
       OFFSET 0
     ) d`,
    values,
  );
  const matches = new Map(rows.map((row) => [`${row.kind} ${row.thing}`, row.matches]));
  return queries.map((_, n) => {
    const matching = found.filter((entry) => {
      const thing = toThing(entry);
      return thing !== null && matches.get(`${thing.kind} ${thing.thing}`)?.[n] === true;
    });
    return new Set(matching.map(({ id }) => id));
  });
}

function toThing(entry: FeedEntry): { kind: string; thing: Id } | null {
  switch (entry.kind) {
    case 'post':
      return { kind: 'post', thing: entry.post.id };
    case 'link':
      return entry.link.post === null
        ? { kind: 'link', thing: entry.link.id }
        : { kind: 'post', thing: entry.link.post.id };
    case 'spike':
      return { kind: 'spike', thing: entry.spike.id };
    case 'trend':
      return { kind: 'trend', thing: entry.trend.id };
    case 'completion':
      return null;
  }
}

/** A spike or trend is filtered by its sentence. */
function buildSentenceDocument(entry: FeedEntry): ArchiveDocument[] {
  if (entry.kind !== 'spike' && entry.kind !== 'trend') return [];
  const { id, sentence } = entry.kind === 'spike' ? entry.spike : entry.trend;
  const text = { lang: 'en', title: null, body: sentence, parts: [sentence] };
  return [buildDocument({ kind: entry.kind, thing: id, at: entry.at, ...text })];
}
