/**
 * From when on an export is continued. Rows have the time at which their response was received, which may be saved hours
 * later. So the next export begins before all that could still come: calls without a response, responses that are not saved, and
 * transactions that are open. What was saved in between comes twice, and nothing is left out.
 */
import { onlyRow } from '../db/database.ts';
import { rowsOf, statement } from '../db/statement.ts';
import type { Client } from 'pg';

/** A worker that was killed has responses on its disk until it starts again. */
const MAX_TIME_ON_DISK = '7 days';
/** The clocks of workers differ by less. */
const CLOCK_MARGIN = '1 minute';

/** @param client with an open snapshot */
export async function readContinuation(client: Client, now: Date): Promise<Date> {
  const rows = await rowsOf<{ since: Date }>(
    client,
    statement`SELECT least(now(), ${now}::timestamptz,
        (SELECT min(sent_at) FROM strandline.calls
          WHERE state IN ('sent', 'unknown') AND sent_at > ${now}::timestamptz - ${MAX_TIME_ON_DISK}::interval),
        (SELECT min(received_at) FROM strandline.responses WHERE read_at IS NULL),
        (SELECT min(xact_start) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend')
      ) - ${CLOCK_MARGIN}::interval AS since`,
  );
  return onlyRow(rows).since;
}
