/** Asks the own service what an address is: a feed, a page with or without one, or neither. */
import { request } from 'undici';
import { z } from 'zod';
import { RunError } from '../../model/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { CHECK_PATH, type CheckedSource, checkedSource } from '../../protocol/own-sources.ts';

/** The service reads the address twice at most, 30 seconds each. */
const MAX_CHECK_MS = 70 * SECOND;

/**
 * @param endpoint of the own service: no other is ever sent an address
 * @throws RunError if the service does not respond as it should
 */
export async function checkAddress(
  endpoint: { baseUrl: string; key: string | undefined },
  address: string,
  signal?: AbortSignal,
): Promise<CheckedSource> {
  const limit = AbortSignal.timeout(MAX_CHECK_MS);
  try {
    const { statusCode, body } = await request(`${endpoint.baseUrl}${CHECK_PATH}`, {
      method: 'POST',
      headers: { authorization: endpoint.key ?? '', 'content-type': 'application/json' },
      body: JSON.stringify({ address }),
      signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
    });
    const parsed = z.safeParse(checkedSource, await body.json());
    if (statusCode === 200 && parsed.success) return parsed.data;
    throw new RunError('schema_mismatch', { detail: `HTTP ${statusCode}` });
  } catch (error) {
    if (error instanceof RunError) throw error;
    throw new RunError('conn_reset', { cause: error, detail: 'the search service did not respond' });
  }
}
