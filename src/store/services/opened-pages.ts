/** Pages that the search service opened: a cache for all processes, of a day and of bounded size. */

import { createHash } from 'node:crypto';
import { DAY } from '../../lib/time.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Pooled } from '../db/database.ts';

const KEEP_MS = DAY;
/** A page takes 5 to 20 kB. */
const MAX_PAGES = 5_000;

/** `page` and `validators` as they were stored. */
type OpenedPageRow = { page: unknown; validators: unknown; fresh_until: Date };

export async function readOpenedPage(
  db: Pooled,
  clock: Clock,
  address: string,
): Promise<OpenedPageRow | undefined> {
  const { rows } = await db.pool.query<OpenedPageRow>({
    name: 'read_opened_page',
    text: `SELECT page, validators, fresh_until FROM strandline.opened_pages WHERE address_hash = $1 AND read_at >= $2`,
    values: [hashAddress(address), new Date(clock.now().getTime() - KEEP_MS)],
  });
  return rows[0];
}

/** Also deletes what is old, and the oldest of too many: other rows, because a statement cannot change a row twice. */
const WRITE_PAGE = `
WITH swept AS (
  DELETE FROM strandline.opened_pages WHERE address_hash <> $1 AND (read_at < $6 OR read_at <= (
    SELECT read_at FROM strandline.opened_pages ORDER BY read_at DESC OFFSET ${MAX_PAGES} LIMIT 1))
)
INSERT INTO strandline.opened_pages (address_hash, page, validators, fresh_until, read_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (address_hash) DO UPDATE SET page = excluded.page, validators = excluded.validators,
  fresh_until = excluded.fresh_until, read_at = excluded.read_at`;

export async function writeOpenedPage(
  db: Pooled,
  clock: Clock,
  address: string,
  { page, validators, fresh_until }: OpenedPageRow,
): Promise<void> {
  const now = clock.now();
  await db.pool.query({
    name: 'write_opened_page',
    text: WRITE_PAGE,
    values: [
      hashAddress(address),
      JSON.stringify(page),
      JSON.stringify(validators),
      fresh_until,
      now,
      new Date(now.getTime() - KEEP_MS),
    ],
  });
}

function hashAddress(address: string): Buffer {
  return createHash('sha256').update(address).digest();
}
