/**
 * From when on an export is continued. Rows have the time at which their response was received, which may be saved hours
 * later. So the next export begins before all that could still come: calls without a response, responses that are not saved, and
 * transactions that are open. What was saved in between comes twice, and nothing is left out.
 */
import { onlyRow } from '../db/database.ts';
import type { Client } from 'pg';

/** A worker that was killed has responses on its disk until it starts again. */
const MAX_DAYS_ON_DISK = 7;
/** The clocks of workers differ by less. */
const CLOCK_MARGIN = '1 minute';

/** $1 the time of the export. */
const SELECT_CONTINUATION = `
SELECT least(now(), $1::timestamptz,
  (SELECT min(sent_at) FROM strandline.calls
    WHERE state IN ('sent', 'unknown') AND sent_at > $1::timestamptz - interval '${MAX_DAYS_ON_DISK} days'),
  (SELECT min(received_at) FROM strandline.responses WHERE read_at IS NULL),
  (SELECT min(xact_start) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend')
) - interval '${CLOCK_MARGIN}' AS since`;

/** @param client with an open snapshot */
export async function readContinuation(client: Client, now: Date): Promise<Date> {
  const { rows } = await client.query<{ since: Date }>(SELECT_CONTINUATION, [now]);
  return onlyRow(rows).since;
}
