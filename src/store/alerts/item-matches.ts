/** Which discoveries match queries: the conditions of find, over items that may not be indexed yet. */

import type { Query } from '../../model/search-query.ts';
import {
  type ArchiveDocument,
  buildDocument,
  readDocuments,
  VECTOR_SQL,
} from '../archive/archive-documents.ts';
import { buildCondition } from '../archive/query-condition.ts';
import { readWordForms } from '../archive/word-forms.ts';
import { type Id, type Queryable, writeRows } from '../db/database.ts';
import { join, rowsOf, statement, verbatim } from '../db/statement.ts';
import type { FeedEntry } from './reportable-discoveries.ts';

/**
 * Evaluates queries over the items of discoveries; a link that names a post counts as that post, so does one that grew, and a completion is what
 * changed in it.
 * @param now for relative times
 * @returns for each query, the ids of the discoveries that match
 */
export async function findMatches(
  tx: Queryable,
  queries: readonly Query[],
  entries: readonly FeedEntry[],
  now: Date,
): Promise<ReadonlySet<Id>[]> {
  const things = entries.map(toThing);
  if (queries.length === 0 || things.length === 0) return queries.map(() => new Set());
  const documents = [...(await readDocuments(tx, things)), ...entries.flatMap(buildSentenceDocument)];
  const context = { forms: await readWordForms(tx, queries), now };
  const conditions = queries.map((query) => buildCondition(query, context));
  const rows = await rowsOf<{ kind: string; thing: Id; matches: boolean[] }>(
    tx,
    statement`SELECT d.kind, d.thing, ARRAY[${join(conditions, ', ')}] AS matches FROM (
        SELECT r.kind, r.thing, r.at, r.config, ${verbatim(VECTOR_SQL)} AS tsv
        FROM json_to_recordset(${writeRows(documents)}::json)
          AS r(kind text, thing bigint, at timestamptz, config text, title text, body text, written text)
        OFFSET 0
      ) d`,
  );
  const matches = new Map(rows.map((row) => [`${row.kind} ${row.thing}`, row.matches]));
  return queries.map((_, n) => {
    const matching = entries.filter((entry) => {
      const thing = toThing(entry);
      return matches.get(`${thing.kind} ${thing.thing}`)?.[n] === true;
    });
    return new Set(matching.map(({ id }) => id));
  });
}

function toThing(entry: FeedEntry): { kind: string; thing: Id } {
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
    case 'name':
      return { kind: 'name', thing: entry.name.id };
    case 'completion':
      return { kind: 'completion', thing: entry.answer.id };
    case 'growth':
      return { kind: 'post', thing: entry.growth.post.id };
  }
}

/** A spike, trend or name is filtered by its sentence, a completion by its changed statements. */
function buildSentenceDocument(entry: FeedEntry): ArchiveDocument[] {
  const { at } = entry;
  switch (entry.kind) {
    case 'spike':
      return [writeSentences(entry.kind, entry.spike.id, at, [entry.spike.sentence], 'en')];
    case 'trend':
      return [writeSentences(entry.kind, entry.trend.id, at, [entry.trend.sentence], 'en')];
    case 'name':
      return [writeSentences(entry.kind, entry.name.id, at, [entry.name.sentence], 'en')];
    case 'completion': {
      const { id, changes } = entry.answer;
      const texts = changes.map(({ text }) => text);
      return [writeSentences(entry.kind, id, at, texts, null)];
    }
    case 'post':
    case 'link':
    case 'growth':
      return [];
  }
}

function writeSentences(
  kind: string,
  thing: Id,
  at: Date,
  parts: string[],
  lang: string | null,
): ArchiveDocument {
  return buildDocument({ kind, thing, at, lang, title: null, body: parts.join('\n'), parts });
}
