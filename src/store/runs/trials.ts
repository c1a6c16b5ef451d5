/** The ledger of trial calls, which test a search before it is saved, with the same limits as runs. */
import type { Operation } from '../../model/enumerations.ts';
import type { RunCode } from '../../model/errors.ts';
import type { ParsedLink } from '../../model/parsed-results.ts';
import {
  type CallEnd,
  type CallLimits,
  closeCall,
  openWithinLimits,
  readVerdict,
  REFUND_CALL,
  type Verdict,
  type VerdictRow,
} from './call-limits.ts';
import { givenRows } from '../db/batches.ts';
import { type Database, type Id, onlyRow } from '../db/database.ts';
import { execute, statement } from '../db/statement.ts';
import type { RequestColumns } from '../topics/searches.ts';

export type TrialRequest = RequestColumns & { operation: Operation };

type OpenedTrial = { kind: 'opened'; id: Id; sentAt: Date } | Exclude<Verdict, { kind: 'opened' }>;

/** @param input.deadlineMs when the call's outcome can no longer arrive */
export async function openTrial(
  db: Database,
  input: CallLimits & { request: TrialRequest; deadlineMs: number },
): Promise<OpenedTrial> {
  const { operation, prompt, tools, model, date_filter, streaming, extra } = input.request;
  // Counts and writes a trial in one statement, committed before the request is sent.
  const rows = await openWithinLimits<VerdictRow & { id: Id | null }>(db, input, {
    name: 'open_trial',
    candidates: statement`allowed AS MATERIALIZED (SELECT true)`,
    rows: statement`
  INSERT INTO strandline.trials (service_id, sent_at, deadline_at, operation, prompt, tools, model, date_filter, streaming, extra, state)
  SELECT ${input.serviceId}, now, now + ${input.deadlineMs} * interval '1 millisecond', ${operation}, ${prompt}, ${tools}::text[],
    ${model}, ${date_filter}, ${streaming}, ${extra}::jsonb, 'sent'
  FROM verdict WHERE opens = 1 RETURNING id`,
    outcome: statement`
SELECT CASE WHEN opens = 1 THEN 'opened' ELSE refusal END AS kind, now, until, (SELECT id FROM opened) AS id FROM verdict`,
  });
  const row = onlyRow(rows);
  const verdict = readVerdict(row);
  if (verdict.kind !== 'opened') return verdict;
  return { ...verdict, id: row.id as Id }; // an opened trial has its row
}

/** Closes the row of a trial's call. Idempotent. */
export async function closeTrial(db: Database, trial: CallEnd & { id: Id }): Promise<void> {
  await execute(
    db.pool,
    statement`WITH ${closeCall('trials', statement`id = ${trial.id}`, trial)}, ${REFUND_CALL} SELECT FROM closed`,
  );
}

/** Records why a response could not be parsed. */
export async function markTrialUnreadable(db: Database, id: Id, code: RunCode): Promise<void> {
  await execute(
    db.pool,
    statement`UPDATE strandline.trials SET code = ${code} WHERE id = ${id} AND state = 'received'`,
  );
}

/** Trials whose process ended during the call: they may have been answered, so they count as paid. */
export async function markUnknownTrials(db: Database, now: Date): Promise<number> {
  const { rowCount } = await execute(
    db.pool,
    statement`UPDATE strandline.trials SET state = 'unknown', code = 'unknown_outcome', received_at = ${now}
     WHERE state = 'sent' AND deadline_at < ${now}`,
  );
  return rowCount ?? 0;
}

/** Which of these posts (by external ID) and links (by address or identity; returned by identity) of a service are stored. */
export async function findKnownItems(
  db: Database,
  input: {
    serviceId: Id;
    posts: readonly string[];
    links: readonly Pick<ParsedLink, 'canonical' | 'addresses'>[];
  },
): Promise<{ posts: ReadonlySet<string>; links: ReadonlySet<string> }> {
  const spellings = givenRows('u', {
    canonical: ['text', input.links.flatMap(({ canonical, addresses }) => addresses.map(() => canonical))],
    address: ['text', input.links.flatMap(({ addresses }) => addresses)],
  });
  const [posts, links] = await Promise.all([
    execute<{ external_id: string }>(
      db.pool,
      statement`SELECT external_id FROM strandline.posts
        WHERE service_id = ${input.serviceId} AND external_id = ANY (${input.posts}::text[])`,
    ),
    execute<{ canonical: string }>(
      db.pool,
      statement`SELECT DISTINCT u.canonical FROM ${spellings}
       WHERE EXISTS (SELECT FROM strandline.link_addresses WHERE address = u.address)
         OR EXISTS (SELECT FROM strandline.links WHERE canonical = u.canonical)`,
    ),
  ]);
  return {
    posts: new Set(posts.rows.map((row) => row.external_id)),
    links: new Set(links.rows.map((row) => row.canonical)),
  };
}
