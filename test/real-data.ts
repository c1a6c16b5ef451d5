/** Makes simulated data real, for tests that need a history of real data and no service that returns it. */
import type { Database } from '../src/store/db/database.ts';

/** To be called while nothing runs. Searches of the sandbox then belong to a service that nobody calls. */
export async function makeReal({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query(
    `UPDATE strandline.services SET kind = 'own', name = 'former-sandbox-' || id WHERE kind = 'sandbox'`,
  );
}
