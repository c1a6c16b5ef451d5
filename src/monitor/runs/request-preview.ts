/** Rebuilds the request of a run from its version of the search, without the API key. */
import { loadDialect } from '../../protocol/dialect.ts';
import type { Id } from '../../store/db/database.ts';
import { readRunRequest } from '../../store/queries/run-list.ts';
import { composeRequest } from '../client/service-request.ts';
import type { Context } from '../context.ts';

export type RequestPreview = {
  method: 'POST';
  /** Path at the service. Its host comes from the environment or, for a built-in service, is a port that changes. */
  path: string;
  /** Headers without the API key. */
  headers: Record<string, string>;
  /** JSON. */
  body: string;
};

/**
 * The request of a run, in the current dialect of its service.
 * @returns null for an unknown run
 * @throws InvalidInput if the dialect is a file that cannot be read
 */
export async function previewRequest(
  { db, config }: Pick<Context, 'db' | 'config'>,
  runId: Id,
): Promise<RequestPreview | null> {
  const row = await readRunRequest(db, runId);
  if (row === undefined) return null;
  const { url, headers, body } = composeRequest(
    {
      baseUrl: row.address ?? 'http://127.0.0.1',
      prefix: row.service_kind === 'hosted' ? config.hosted?.prefix : undefined,
      dialect: loadDialect(row.dialect),
      key: undefined,
      headers: { 'x-run-id': String(runId) },
    },
    row,
  );
  return { method: 'POST', path: url.pathname, headers, body };
}
