/** What belongs to some searches, found by one step into an index for each: never by looking through that of all. */
import { desc, sql } from 'drizzle-orm';
import type { Database, Id } from '../database.ts';
import { discoveriesView } from '../schema/analytics/discoveries.ts';
import type { DiscoveryRow } from './discoveries.ts';
import type { RunRow } from './runs.ts';

type Reads = Pick<Database, 'orm' | 'pool'>;

/** A run as a cell among others. */
export type RunCell = Pick<
  RunRow,
  | 'id'
  | 'search'
  | 'status'
  | 'code'
  | 'reason'
  | 'trigger'
  | 'slot_at'
  | 'created_at'
  | 'items_new'
  | 'span_slots'
>;

/** $1 searches, $2 most. */
const LAST_RUNS = `
SELECT r.id, s.slug AS search, r.status, r.code, r.reason, r.trigger, r.slot_at, r.created_at, r.items_new, r.span_slots
FROM strandline.searches s
CROSS JOIN LATERAL (SELECT * FROM strandline.runs WHERE search_id = s.id ORDER BY id DESC LIMIT $2) r
WHERE s.id = ANY ($1::bigint[])
ORDER BY r.id DESC LIMIT $2`;

/** The last runs of these searches together, the newest first. */
export async function readLastRuns(
  { pool }: Reads,
  searchIds: readonly Id[],
  limit: number,
): Promise<RunCell[]> {
  const { rows } = await pool.query<RunCell>({
    name: 'last_runs_of',
    text: LAST_RUNS,
    values: [searchIds, limit],
  });
  return rows;
}

const KINDS = ['post', 'link', 'completion', 'spike'] as const;

/** The newest discoveries of these searches together, the newest first. By `at`, which rises with the ids. */
export async function readNewest(
  db: Reads,
  searchIds: readonly Id[],
  { kinds = KINDS, limit }: { kinds?: readonly DiscoveryRow['kind'][]; limit: number },
): Promise<DiscoveryRow[]> {
  const newest = sql`SELECT d.id FROM unnest(${sql.placeholder('searches')}::bigint[]) s(id)
    CROSS JOIN LATERAL (
      SELECT id FROM strandline.discoveries
      WHERE search_id = s.id AND kind = ANY (${sql.placeholder('kinds')}::text[])
      ORDER BY at DESC LIMIT ${sql.placeholder('most')}
    ) d
    ORDER BY d.id DESC LIMIT ${sql.placeholder('most')}`;
  return db.orm
    .select()
    .from(discoveriesView)
    .where(sql`${discoveriesView.id} = ANY (ARRAY(${newest}))`)
    .orderBy(desc(discoveriesView.id))
    .prepare('newest_of')
    .execute({ searches: searchIds, kinds, most: limit });
}

/** $1 searches, $2 the time of a discovery, $3 its id. */
const SINCE = `
SELECT kind, count(*)::int AS n FROM strandline.discoveries
WHERE search_id = ANY ($1::bigint[]) AND at >= $2 AND id > $3 AND NOT baseline GROUP BY kind`;

/** How many discoveries of each kind came behind one, without those of a first look. */
export async function countSince(
  { pool }: Reads,
  searchIds: readonly Id[],
  after: { id: Id; at: Date },
): Promise<Partial<Record<DiscoveryRow['kind'], number>>> {
  const { rows } = await pool.query<{ kind: DiscoveryRow['kind']; n: number }>(SINCE, [
    searchIds,
    after.at,
    after.id,
  ]);
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, n]));
}

export type RequestChange = {
  search_id: Id;
  search: string;
  version: number;
  created_at: Date;
  prompt: string;
};

/** $1 searches, $2 since. A version that is its own request version asks something else than the one before. */
const CHANGES = `
SELECT v.search_id, s.slug AS search, v.version, v.created_at, v.prompt
FROM strandline.search_versions v JOIN strandline.searches s ON s.id = v.search_id
WHERE v.search_id = ANY ($1::bigint[]) AND v.version > 1 AND v.request_version = v.version AND v.created_at >= $2
ORDER BY v.created_at, v.search_id`;

/** When these searches began to ask something else, the oldest first. */
export async function readRequestChanges(
  { pool }: Reads,
  searchIds: readonly Id[],
  since: Date,
): Promise<RequestChange[]> {
  const { rows } = await pool.query<RequestChange>(CHANGES, [searchIds, since]);
  return rows;
}
