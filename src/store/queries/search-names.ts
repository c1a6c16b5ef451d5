/** What searches are called where people read, whatever topic they belong to. */
import { nameSearch } from '../../model/search-name.ts';
import { groupBy } from '../../lib/group-by.ts';
import type { Id, Queryable } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';

/** `Night trains`; `Posts`, within its topic; `Night trains: Posts`. */
type SearchName = { topic: string; search: string; full: string };

/** By slug. */
export type SearchNames = ReadonlyMap<string, SearchName>;

type NameRow = { slug: string; operation: 'ai' | 'microblog'; prompt: string; topic: string; topic_id: Id };

/** As many characters of a prompt as a name needs. */
const PROMPT_LENGTH = 60;

const NAME_COLUMNS = statement`SELECT s.slug, s.operation, left(s.prompt, ${PROMPT_LENGTH}) AS prompt, t.name AS topic, s.topic_id
  FROM strandline_analytics.searches s JOIN strandline.topics t ON t.id = s.topic_id`;

/** Names of all searches, including removed ones: of the newest, if there are more. */
export async function readSearchNames(db: Queryable, limit: number): Promise<SearchNames> {
  return nameRows(
    await rowsOf<NameRow>(db, statement`${NAME_COLUMNS} ORDER BY s.id DESC LIMIT ${limit}`, 'search_names'),
  );
}

/** Names of these searches, which may be removed ones. */
export async function readNamesOf(db: Queryable, slugs: readonly string[]): Promise<SearchNames> {
  if (slugs.length === 0) return new Map();
  // A name depends on the other searches of the topic.
  const siblings = statement`SELECT topic_id FROM strandline.searches WHERE slug = ANY (${[...new Set(slugs)]})`;
  return nameRows(
    await rowsOf<NameRow>(
      db,
      statement`${NAME_COLUMNS} WHERE s.topic_id IN (${siblings}) ORDER BY s.id DESC`,
    ),
  );
}

function nameRows(rows: readonly NameRow[]): SearchNames {
  const names = new Map<string, SearchName>();
  for (const siblings of groupBy(rows, ({ topic_id }) => topic_id).values())
    for (const row of siblings) {
      const search = nameSearch(row, siblings);
      names.set(row.slug, { topic: row.topic, search, full: `${row.topic}: ${search}` });
    }
  return names;
}
