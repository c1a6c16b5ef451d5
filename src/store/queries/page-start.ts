/** What every page reads first, in one statement. */
import { type Data, sideOf } from '../../domain/data.ts';
import { type Id, type Pooled, onlyRow } from '../database.ts';
import { SELECT_LAST_DISCOVERY } from './discoveries.ts';
import { SIDES_SQL } from './topic-list.ts';

/**
 * @property sides which of them have topics
 * @property named the side of the topic or search that was asked about; undefined if none was, or it does not exist
 * @property seen the newest discovery of either side, zero if there is none: later ones arrive as events
 */
type PageStart = { sides: Record<Data, boolean>; named: Data | undefined; seen: Id };

/** $1 slug of a topic, $2 slug of a search. */
const SELECT_PAGE_START = `
SELECT ${SIDES_SQL},
  coalesce((SELECT simulated FROM strandline.topics WHERE slug = $1),
    (SELECT simulated FROM strandline.searches WHERE slug = $2)) AS is_named_simulated,
  (${SELECT_LAST_DISCOVERY}) AS seen`;

export async function readPageStart(
  { pool }: Pooled,
  { topic, search }: { topic?: string; search?: string },
): Promise<PageStart> {
  const { rows } = await pool.query<Record<Data, boolean> & { is_named_simulated: boolean | null; seen: Id }>(
    { name: 'page_start', text: SELECT_PAGE_START, values: [topic ?? null, search ?? null] },
  );
  const { is_named_simulated: simulated, seen, ...sides } = onlyRow(rows);
  return { sides, named: simulated === null ? undefined : sideOf({ simulated }), seen };
}
