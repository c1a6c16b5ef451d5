/** Searches driven by the clock of a simulation, until they continue by the database's. */
import type { Database } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';

/** When a slot or a waiting run of a simulation is due next; null if there is none. */
export async function readNextSimulated(db: Database['pool'], simulation: string): Promise<Date | null> {
  const { rows } = await execute<{ at: Date | null }>(
    db,
    statement`SELECT least(min(s.next_due_at), min(p.due_at), min(r.offer_at)) AS at
      FROM strandline.searches s
      LEFT JOIN strandline.search_pace p ON p.search_id = s.id
      LEFT JOIN strandline.runs r ON r.search_id = s.id AND r.status = 'queued'
      WHERE s.simulation = ${simulation}`,
    'next_simulated',
  );
  return rows[0]?.at ?? null;
}

/** Divides the searches of a simulation among several, and makes their first runs due. @param to one per lane */
export async function assignSimulations(
  db: Database['pool'],
  from: string,
  to: readonly string[],
): Promise<void> {
  await execute(
    db,
    statement`WITH dealt AS (
        SELECT id, (${to}::text[])[1 + (row_number() OVER (ORDER BY id) - 1) % cardinality(${to}::text[])] AS simulation
        FROM strandline.searches WHERE simulation = ${from}
      ), offered AS (
        UPDATE strandline.runs r SET offer_at = r.created_at FROM dealt WHERE r.search_id = dealt.id AND r.status = 'queued'
      )
      UPDATE strandline.searches s SET simulation = dealt.simulation FROM dealt WHERE s.id = dealt.id`,
  );
}

/** Ends simulations: their searches continue by the database's clock. */
export async function endSimulations(db: Database['pool'], names: readonly string[]): Promise<void> {
  await execute(
    db,
    statement`UPDATE strandline.searches SET simulation = NULL WHERE simulation = ANY (${names})`,
  );
}
