/** Makes what the sandbox simulated real, for tests that need a history of real data and no service that returns it. */
import type { Database } from '../src/store/database.ts';

/** To be called while nothing runs. Searches of the sandbox then belong to a service that nobody calls. */
export async function makeReal({ pool }: Pick<Database, 'pool'>): Promise<void> {
  await pool.query(`
    ALTER TABLE strandline.searches DROP CONSTRAINT searches_topic_fk, DROP CONSTRAINT searches_service_fk;
    UPDATE strandline.services SET kind = 'own' WHERE kind = 'sandbox';
    UPDATE strandline.topics SET simulated = false;
    UPDATE strandline.searches SET simulated = false;
    UPDATE strandline.links SET simulated = false;
    UPDATE strandline.link_addresses SET simulated = false;
    ALTER TABLE strandline.searches
      ADD CONSTRAINT searches_topic_fk FOREIGN KEY (topic_id, simulated) REFERENCES strandline.topics (id, simulated),
      ADD CONSTRAINT searches_service_fk FOREIGN KEY (service_id, simulated) REFERENCES strandline.services (id, simulated)`);
}
