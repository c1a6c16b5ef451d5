import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** Keys as one parameter, `ids`: planning these views takes longer than asking them, so that it is done once per connection. */
export const amongIds = (column: PgColumn): SQL => sql`${column} = any (${sql.placeholder('ids')}::bigint[])`;
