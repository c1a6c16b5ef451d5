/** What was sent for a run: made again from its version of the search, and without the key. */
import { loadDialect } from '../../contract/dialect.ts';
import type { Id } from '../../store/database.ts';
import { type RequestRow, readRequest } from '../../store/reads/run-pages.ts';
import { composeRequest } from '../client/request.ts';
import type { Context } from '../context.ts';

export type SentRequest = {
  method: 'POST';
  /** Of the service; its host is in the environment or, for a service of this program, a port that changes. */
  path: string;
  /** Without the key. */
  headers: Record<string, string>;
  /** JSON. */
  body: string;
};

/**
 * The request of a run, in the words of its service's dialect as they are today.
 * @returns null where there is no such run
 * @throws InvalidInput where the dialect is a file that cannot be read
 */
export async function sentRequest(
  { db, config }: Pick<Context, 'db' | 'config'>,
  runId: Id,
): Promise<SentRequest | null> {
  const row = await readRequest(db, runId);
  return row === undefined ? null : requestOf(row, runId, config.hosted?.prefix);
}

function requestOf(row: RequestRow, runId: Id, prefix: string | undefined): SentRequest {
  const { url, headers, body } = composeRequest(
    {
      baseUrl: row.address ?? 'http://127.0.0.1',
      prefix: row.service_kind === 'hosted' ? prefix : undefined,
      dialect: loadDialect(row.dialect),
      key: undefined,
      headers: { 'x-run-id': String(runId) },
    },
    row,
  );
  return { method: 'POST', path: url.pathname, headers, body };
}
