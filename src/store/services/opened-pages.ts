/** Pages that the search service opened: a cache for all processes, of a day and of bounded size. */

import { createHash } from 'node:crypto';
import { DAY } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pooled } from '../db/database.ts';
import { execute, rowsOf, statement, verbatim } from '../db/statement.ts';
import type { opened_pages } from '../schema/system-tables.ts';

const KEEP_MS = DAY;
/** A page takes 5 to 20 kB. */
const MAX_PAGES = 5_000;

/** `page` and `validators` as they were stored. */
type OpenedPageRow = Pick<typeof opened_pages.$inferSelect, 'page' | 'validators' | 'fresh_until'>;

export async function readOpenedPage(
  db: Pooled,
  clock: Clock,
  address: string,
): Promise<OpenedPageRow | undefined> {
  const since = new Date(clock.now().getTime() - KEEP_MS);
  const [page] = await rowsOf<OpenedPageRow>(
    db.pool,
    statement`SELECT page, validators, fresh_until FROM strandline.opened_pages
      WHERE address_hash = ${hashAddress(address)} AND read_at >= ${since}`,
    'read_opened_page',
  );
  return page;
}

export async function writeOpenedPage(
  db: Pooled,
  clock: Clock,
  address: string,
  { page, validators, fresh_until }: OpenedPageRow,
): Promise<void> {
  const now = clock.now();
  const hash = hashAddress(address);
  const tooOld = new Date(now.getTime() - KEEP_MS);
  // Also deletes what is old, and the oldest of too many: other rows, because a statement cannot change a row twice.
  await execute(
    db.pool,
    statement`WITH swept AS (
        DELETE FROM strandline.opened_pages
        WHERE address_hash <> ${hash} AND (read_at < ${tooOld} OR read_at <= (
          SELECT read_at FROM strandline.opened_pages ORDER BY read_at DESC OFFSET ${verbatim(MAX_PAGES)} LIMIT 1))
      )
      INSERT INTO strandline.opened_pages (address_hash, page, validators, fresh_until, read_at)
      VALUES (${hash}, ${JSON.stringify(page)}, ${JSON.stringify(validators)}, ${fresh_until}, ${now})
      ON CONFLICT (address_hash) DO UPDATE SET page = excluded.page, validators = excluded.validators,
        fresh_until = excluded.fresh_until, read_at = excluded.read_at`,
    'write_opened_page',
  );
}

function hashAddress(address: string): Buffer {
  return createHash('sha256').update(address).digest();
}
