import { customType } from 'drizzle-orm/pg-core';
import { instant, strandline } from './schema.ts';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * Authors, posts and links that were forgotten on request, so that an answer that brings them again finds
 * nobody: a digest of each (`digestOf` in `store/forget/tombstones.ts`) and no word about anyone.
 */
export const forgotten = strandline.table('forgotten', {
  digest: bytea().primaryKey(),
  at: instant().notNull(),
});
