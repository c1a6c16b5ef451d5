/** Full-text search over everything that searches found, as programs ask for it. */
import { InvalidInput } from '../../model/errors.ts';
import { parseFieldValue } from '../../model/query-fields.ts';
import { EVERYTHING, parseQuery, type Query, requireAll } from '../../model/search-query.ts';
import { findText, type TextMatches } from '../../store/archive/find-text.ts';
import { type ArchiveBacklog, catchUpArchive } from '../../store/archive/index-archive.ts';
import type { DataScope } from '../../store/queries/data-scope.ts';
import type { Context } from '../context.ts';
import { findScope } from '../topics/find-by-slug.ts';

/** What is looked for: a query, and conditions that have a member of their own. */
export type ItemQuery = DataScope & {
  text: string;
  kind?: 'post' | 'link' | undefined;
  /** User name of the author of a post, without @. */
  author?: string | undefined;
  lang?: string | undefined;
  /** Name of a service that found it. */
  service?: string | undefined;
  /** Range of the time of publication; `until` is excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Where the previous page ended. */
  after?: string | undefined;
  limit: number;
};

/**
 * One page of matches, most relevant first; `backlog`: what is not indexed yet.
 * @param takePlace takes a place of the client, and returns the function that frees it
 * @throws InvalidInput at the member, Refused `not_found`, and what `takePlace` throws
 */
export async function findItems(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { service, after, limit, topic, search, ...conditions }: ItemQuery,
  takePlace: () => () => void,
): Promise<TextMatches & { backlog: ArchiveBacklog | null }> {
  const query = buildQuery(conditions);
  const scope = await findScope(db, { topic, search });
  const leave = takePlace();
  try {
    const backlog = await catchUpArchive(db);
    const matches = await findText(db, { ...scope, service, query, now: clock.now(), after, limit });
    return { ...matches, backlog };
  } finally {
    leave();
  }
}

/** @throws InvalidInput */
function buildQuery({
  text,
  kind,
  author,
  lang,
  since,
  until,
}: Omit<ItemQuery, 'service' | 'after' | 'limit' | keyof DataScope>): Query {
  const written = parseQuery(text, 'text');
  if (written === EVERYTHING)
    throw new InvalidInput([{ path: 'text', given: text, expected: 'at least one word or field' }]);
  return requireAll([
    written,
    kind === undefined ? undefined : { is: 'is', value: kind },
    parseFieldValue('author', author),
    parseFieldValue('lang', lang),
    since === undefined ? undefined : { is: 'from', value: { at: since, date: false } },
    until === undefined ? undefined : { is: 'to', value: { at: until, date: false } },
  ]);
}
