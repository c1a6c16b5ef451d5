/** Statements over the SQL contract. */
import { z } from 'zod';
import { SECOND } from '../lib/time.ts';
import { InvalidInput, Refused } from '../model/errors.ts';
import { MAX_ROWS, MAX_SQL_LENGTH } from '../store/reader/ask-reader.ts';
import { MAX_ARRAY_TEXT, MAX_RESULT_MB, MAX_STATEMENT_MS } from '../store/reader/reader-query.ts';
import type { App } from '../monitor/http/route-types.ts';
import { abortOnClose } from '../platform/http/raw-reply.ts';
import { MAX_CONCURRENT_STATEMENTS } from '../monitor/http/visitor-shares.ts';
import { operation } from './operation.ts';
import { textParam } from '../model/value-shapes.ts';

/** Made by `renderJson` in store/reader/reader-query.ts. */
const SqlResult = z
  .object({
    columns: z
      .array(z.object({ name: z.string(), type: z.string().describe('Postgres type of the column.') }))
      .describe('Columns, in the order of the statement. Names may repeat.'),
    rows: z
      .array(z.array(z.unknown()))
      .describe(
        'Values in the order of the columns. Numbers are JSON numbers if they are exact and not ids, times are ISO 8601 in ' +
          'UTC, arrays are JSON arrays. Everything else is text as Postgres writes it, including json and jsonb, and ' +
          `arrays of more than ${MAX_ARRAY_TEXT} characters.`,
      ),
    truncated: z.boolean().describe('True if the statement returns more rows.'),
    duration_ms: z.int().describe('Execution time in Postgres.'),
  })
  .meta({ id: 'SqlResult' });

const sqlBody = z
  .strictObject({
    sql: textParam(MAX_SQL_LENGTH)
      .min(1)
      .describe(
        'A read-only statement that begins with select, values, with, table, explain or show. Views need no schema prefix.',
      ),
  })
  .meta({
    examples: [{ sql: 'select search, count(*) as posts from post_sightings group by 1 order by 2 desc' }],
  });

export function sqlRoutes(app: App): void {
  app.post(
    '/api/v1/sql',
    operation({
      scope: 'sql',
      operationId: 'querySql',
      summary: 'Run a SQL query',
      description:
        `Runs one statement over the views of the SQL contract. Limits: ${MAX_ROWS} rows, ${MAX_RESULT_MB} MB, ${MAX_STATEMENT_MS / SECOND} seconds, ` +
        `${MAX_CONCURRENT_STATEMENTS.each} parallel statements per client and ${MAX_CONCURRENT_STATEMENTS.all} in total. Closing the connection cancels the statement.`,
      tags: ['sql'],
      body: sqlBody,
      response: { 200: SqlResult },
    }),
    async (request, reply) => {
      const { sql } = request.body;
      try {
        const { body: finished } = await app.statements.ask(request, {
          sql,
          form: 'json',
          signal: abortOnClose(reply),
        });
        // Rendered by the reader process: neither parsed nor checked here.
        return reply.type('application/json; charset=utf-8').send(finished as never);
      } catch (error) {
        if (!(error instanceof Refused) || error.kind !== 'conflict') throw error;
        throw new InvalidInput([{ path: 'body.sql', given: sql, expected: error.message }]);
      }
    },
  );
}
