/** Makes simulated data real, for tests that need a history of real data and no service that returns it. */
import type { Database } from '../src/store/database.ts';

/**
 * What is simulated becomes real. To be called while nothing runs. Searches of the sandbox then belong to a service that
 * nobody calls, and the next one gets a sandbox of its own.
 */
export const makeReal = (db: Pick<Database, 'pool'>) =>
  setSides(db, { simulated: 'false', otherKind: 'kind' });

/** What is simulated becomes real, and what is real simulated. */
export const swapSides = (db: Pick<Database, 'pool'>) =>
  setSides(db, { simulated: 'NOT simulated', otherKind: `'sandbox'` });

/** @param to SQL: the side of each row, and the kind of services that are real */
async function setSides(
  { pool }: Pick<Database, 'pool'>,
  to: { simulated: string; otherKind: string },
): Promise<void> {
  await pool.query(`
    ALTER TABLE strandline.searches DROP CONSTRAINT searches_topic_fk, DROP CONSTRAINT searches_service_fk;
    ALTER TABLE strandline.links DROP CONSTRAINT links_canonical_key;
    ALTER TABLE strandline.link_addresses DROP CONSTRAINT link_addresses_address_simulated_pk;
    UPDATE strandline.services SET kind = CASE kind WHEN 'sandbox' THEN 'own' ELSE ${to.otherKind} END,
      name = CASE kind WHEN 'sandbox' THEN 'former-sandbox-' || id ELSE name END;
    UPDATE strandline.topics SET simulated = ${to.simulated};
    UPDATE strandline.searches SET simulated = ${to.simulated};
    UPDATE strandline.links SET simulated = ${to.simulated};
    UPDATE strandline.link_addresses SET simulated = ${to.simulated};
    ALTER TABLE strandline.links ADD CONSTRAINT links_canonical_key UNIQUE (canonical, simulated);
    ALTER TABLE strandline.link_addresses ADD CONSTRAINT link_addresses_address_simulated_pk PRIMARY KEY (address, simulated);
    ALTER TABLE strandline.searches
      ADD CONSTRAINT searches_topic_fk FOREIGN KEY (topic_id, simulated) REFERENCES strandline.topics (id, simulated),
      ADD CONSTRAINT searches_service_fk FOREIGN KEY (service_id, simulated) REFERENCES strandline.services (id, simulated)`);
}
