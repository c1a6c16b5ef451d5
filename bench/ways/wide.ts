/**
 * Posts and authors with their counters in the same row, as one would keep them first: for the ways that write one row a post.
 * Their keys begin high, so that snapshots and sightings of all ways stand in the same tables.
 */
import type { Database } from '../../src/store/db/database.ts';
import {
  authorColumns,
  authorCounters,
  postColumns,
  postCounters,
} from '../../src/store/schema/post-tables.ts';
import { ref, strandline } from '../../src/store/schema/schema.ts';

export const wideAuthors = strandline.table('wide_authors', { ...authorColumns, ...authorCounters });
export const widePosts = strandline.table('wide_posts', {
  ...postColumns,
  author_id: ref().references(() => wideAuthors.id),
  ...postCounters,
});

const made = new WeakSet<Database>();

/** Makes the tables, once in a database. */
export async function makeWideTables(db: Database): Promise<void> {
  if (made.has(db)) return;
  made.add(db);
  await db.pool.query(`
    ${table('authors', Object.keys(authorCounters))}
    ${table('posts', Object.keys(postCounters))}
    ALTER TABLE strandline.wide_posts ADD FOREIGN KEY (author_id) REFERENCES strandline.wide_authors;`);
}

function table(name: string, counters: readonly string[]): string {
  const wide = `strandline.wide_${name}`;
  return `
    CREATE TABLE ${wide} (LIKE strandline.${name} INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING INDEXES,
      ${counters.map((counter) => `${counter} bigint`).join(', ')}) WITH (fillfactor = 85);
    ALTER TABLE ${wide} ALTER COLUMN id RESTART WITH 1000000000, ADD FOREIGN KEY (service_id) REFERENCES strandline.services;`;
}
