/** Searches driven by the clock of a simulation, until they continue by the database's. */
import type { Database } from '../db/database.ts';

/** When a slot or a waiting run of a simulation is due next; null if there is none. */
export async function readNextSimulated(db: Database['pool'], simulation: string): Promise<Date | null> {
  const { rows } = await db.query<{ at: Date | null }>({
    name: 'next_simulated',
    text: `SELECT least(min(s.next_due_at), min(p.due_at), min(r.offer_at)) AS at
     FROM strandline.searches s LEFT JOIN strandline.search_pace p ON p.search_id = s.id LEFT JOIN strandline.runs r ON r.search_id = s.id AND r.status = 'queued'
     WHERE s.simulation = $1`,
    values: [simulation],
  });
  return rows[0]?.at ?? null;
}

/** Divides the searches of a simulation among several, and makes their first runs due. @param to one per lane */
export async function assignSimulations(
  db: Database['pool'],
  from: string,
  to: readonly string[],
): Promise<void> {
  await db.query(
    `WITH dealt AS (
       SELECT id, ($2::text[])[1 + (row_number() OVER (ORDER BY id) - 1) % cardinality($2::text[])] AS simulation
       FROM strandline.searches WHERE simulation = $1
     ), offered AS (
       UPDATE strandline.runs r SET offer_at = r.created_at FROM dealt WHERE r.search_id = dealt.id AND r.status = 'queued'
     )
     UPDATE strandline.searches s SET simulation = dealt.simulation FROM dealt WHERE s.id = dealt.id`,
    [from, to],
  );
}

/** Ends simulations: their searches continue by the database's clock. */
export async function endSimulations(db: Database['pool'], names: readonly string[]): Promise<void> {
  await db.query('UPDATE strandline.searches SET simulation = NULL WHERE simulation = ANY ($1)', [names]);
}
