/** Saves the claims of a completion: first the claims of its search, then which of them this completion makes. */
import type { ParsedStatement } from '../../model/parsed-results.ts';
import { awaitAll, type Id, type Transaction } from '../db/database.ts';
import { execute, type Statement, statement, verbatim } from '../db/statement.ts';

/** Rows of claims as JSON, as a table. */
function claimRows(name: string, json: string): Statement {
  return statement`json_to_recordset(${json}::json) AS ${verbatim(
    `${name}(position integer, role text, identity text, text text, addresses text[], not_returned text[], unresolved integer[])`,
  )}`;
}

/** Two spellings of an address may be one link, which is cited once. @param addresses a column of them */
function linkIds(addresses: string): Statement {
  return verbatim(`ARRAY(SELECT la.link_id FROM unnest(${addresses}) WITH ORDINALITY u(address, n)
    JOIN strandline.link_addresses la ON la.address = u.address GROUP BY la.link_id ORDER BY min(u.n))`);
}

/** Saves the claims of a completion, after its links. A completion without claims is marked as parsed. */
export async function saveClaims(
  tx: Transaction,
  input: {
    completionId: Id;
    searchId: Id;
    runId: Id;
    observedAt: Date;
    claims: readonly ParsedStatement[];
  },
): Promise<void> {
  const { completionId, searchId, runId, observedAt, claims } = input;
  const rows = JSON.stringify(
    claims.map(({ citations, ...claim }) => ({
      ...claim,
      addresses: citations.map(({ address }) => address),
      not_returned: citations.flatMap(({ address, returned }) => (returned ? [] : [address])),
    })),
  );
  // Claims that are new to the search, or that it made later than this. Inserted in the order of their identity, so that a run and a
  // repeated parse cannot deadlock.
  if (claims.length > 0)
    await execute(
      tx,
      statement`INSERT INTO strandline.claims AS c (search_id, role, identity, text, first_run_id, first_seen_at)
        SELECT ${searchId}, r.role, decode(r.identity, 'hex'), r.text, ${runId}, ${observedAt}
        FROM ${claimRows('r', rows)}
        LEFT JOIN LATERAL (
          SELECT first_seen_at, first_run_id FROM strandline.claims
          WHERE search_id = ${searchId} AND role = r.role AND identity = decode(r.identity, 'hex') OFFSET 0
        ) k ON true
        WHERE k.first_run_id IS NULL OR (k.first_seen_at, k.first_run_id) > (${observedAt}, ${runId})
        ORDER BY r.role, r.identity
        ON CONFLICT (search_id, role, identity) DO UPDATE
          SET first_run_id = excluded.first_run_id, first_seen_at = excluded.first_seen_at
          WHERE (c.first_seen_at, c.first_run_id) > (excluded.first_seen_at, excluded.first_run_id)`,
      'insert_claims',
    );
  await execute(
    tx,
    statement`WITH rows AS (
        SELECT r.*, c.id AS claim_id FROM ${claimRows('r', rows)}
        CROSS JOIN LATERAL (
          SELECT id FROM strandline.claims
          WHERE search_id = ${searchId} AND role = r.role AND identity = decode(r.identity, 'hex') OFFSET 0
        ) c
      ), inserted AS (
        INSERT INTO strandline.completion_claims (completion_id, position, claim_id, link_ids, not_returned, unresolved)
        SELECT ${completionId}, r.position, r.claim_id, ${linkIds('r.addresses')}, ${linkIds('r.not_returned')}, r.unresolved
        FROM rows r
      )
      UPDATE strandline.completions SET claims = ${claims.length} WHERE id = ${completionId}`,
    'insert_completion_claims',
  );
}

/**
 * Deletes the key items and claims of the previous parse of a run. Claims that no other completion makes are deleted; the
 * others get the next completion that makes them as their first. Only under `lockCompletions`: a completion that is saved
 * at the same time may make them, too. Sends all statements at once.
 */
export async function clearCompletion(tx: Transaction, runId: Id): Promise<void> {
  const own = statement`completion_id IN (SELECT id FROM strandline.completions WHERE run_id = ${runId})`;
  const statements = [
    statement`DELETE FROM strandline.key_items WHERE ${own}`,
    statement`DELETE FROM strandline.completion_claims WHERE ${own}`,
    statement`DELETE FROM strandline.claims c WHERE c.first_run_id = ${runId}
      AND NOT EXISTS (SELECT FROM strandline.completion_claims m WHERE m.claim_id = c.id)`,
    statement`UPDATE strandline.claims c SET first_run_id = e.run_id, first_seen_at = e.observed_at
      FROM strandline.claims k CROSS JOIN LATERAL (
        SELECT o.run_id, o.observed_at FROM strandline.completion_claims m
        JOIN strandline.completions o ON o.id = m.completion_id
        WHERE m.claim_id = k.id ORDER BY o.observed_at, o.run_id LIMIT 1
      ) e
      WHERE k.first_run_id = ${runId} AND c.id = k.id`,
  ];
  await awaitAll(statements.map((each) => execute(tx, each)));
}
