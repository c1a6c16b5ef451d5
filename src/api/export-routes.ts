/** Exports as streams with backpressure. */
import { viewParam } from '../monitor/items/discovery-inputs.ts';
import { createTimeLimit } from '../platform/clock.ts';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { MINUTE } from '../lib/time.ts';
import { InvalidInput } from '../model/errors.ts';
import { EVERYTHING, parseQuery } from '../model/search-query.ts';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import { FORMATS } from '../monitor/export/row-encoders.ts';
import { exportRows } from '../monitor/export/export-rows.ts';
import { RESOURCES } from '../store/export/export-resources.ts';
import { isQueryable } from '../store/export/export-select.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { runAsProgram } from '../monitor/http/visitor-shares.ts';
import { operation } from './operation.ts';
import { queryParam } from '../monitor/items/query-input.ts';
import { flagParam, timeParam, searchSlug, topicSlug } from '../model/value-shapes.ts';
import { Bytes } from './reply-shapes.ts';
import { abortOnClose, hijackReply } from '../platform/http/raw-reply.ts';

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
} as const;

/** A client that reads nothing for this long counts as gone, even if its connection is open. */
const STALLED_READER_MS = 2 * MINUTE;

/** @param stalledMs shorter in tests */
export function exportRoutes(app: App, { ctx }: RouteContext, stalledMs = STALLED_READER_MS): void {
  app.get(
    '/api/v1/exports/:kind',
    operation({
      scope: 'read',
      sends: ['Content-Disposition'],
      operationId: 'exportRows',
      summary: 'Export rows as CSV, NDJSON or Parquet',
      description:
        'Streams all rows of a kind from one snapshot. If the export fails midway, the connection breaks: a reply that ends normally is complete.',
      tags: ['exports'],
      params: z.strictObject({ kind: z.enum(RESOURCES).meta({ examples: ['posts'] }) }),
      querystring: z.strictObject({
        format: z.enum(FORMATS).default('csv'),
        topic: topicSlug.optional().describe('Only results of this topic.'),
        search: searchSlug.optional().describe('Only results of this search.'),
        since: timeParam.optional().describe('Start of the range (inclusive).'),
        until: timeParam.optional().describe('End of the range (exclusive).'),
        text: queryParam
          .optional()
          .describe(
            'Only posts or links that match this query, and rows about them. See docs/reference/queries.md.',
          ),
        view: viewParam,
        raw: flagParam
          .optional()
          .describe('CSV: do not escape text that a spreadsheet would run as a formula.'),
        bom: flagParam.optional().describe('CSV: start with a byte order mark.'),
      }),
      response: {
        200: {
          description: 'The file, in the requested format.',
          content: {
            'text/csv': { schema: z.string() },
            'application/x-ndjson': { schema: z.string() },
            'application/vnd.apache.parquet': { schema: Bytes },
          },
        },
      },
    }),
    async (request, reply) => {
      const { kind } = request.params;
      const { format, raw, bom, topic, search, since, until, text, view } = request.query;
      if (since !== undefined && until !== undefined && since >= until)
        throw new InvalidInput([
          { path: 'until', given: until.toISOString(), expected: 'a time after since' },
        ]);
      if (format !== 'csv' && (raw !== undefined || bom !== undefined))
        throw new InvalidInput([
          { path: 'format', given: format, expected: 'csv, because raw and bom apply to CSV only' },
        ]);
      if (text !== undefined && parseQuery(text, 'query.text') !== EVERYTHING && !isQueryable(kind))
        throw new InvalidInput([
          {
            path: 'query.text',
            given: text,
            expected: `no query: rows of ${kind} are not about posts or links`,
          },
        ]);
      if (view !== undefined && kind !== 'discoveries')
        throw new InvalidInput([{ path: 'query.view', given: view, expected: 'only with discoveries' }]);
      const scope = await findScope(ctx.db, { topic, search });
      const headers = {
        'content-type': MEDIA_TYPES[format],
        'content-disposition': `attachment; filename="strandline-${kind}.${format}"`,
        'cache-control': 'no-store',
      };
      // HEAD requests, and clients that have disconnected, take no place.
      if (request.method === 'HEAD' || reply.raw.closed) return void hijackReply(reply, headers).end();
      const leave = app.shares.exports.take(request);
      const searches = scope.search === undefined ? undefined : [scope.search];
      const filter = { searches, topic: scope.topic, since, until, query: text, view };
      // Run outside the visitor's share of database connections, so that ending the statement never waits for one.
      await runAsProgram(async () => {
        const gone = abortOnClose(reply);
        const reader = { signal: gone, stalledMs };
        const pieces = exportRows(ctx, kind, filter, { format, raw, bom }, gone);
        try {
          // A failure before the first byte gets an error reply; after it, only a broken connection can signal one.
          const first = await pieces.next();
          const response = hijackReply(reply, headers);
          try {
            if (first.done !== true) await writePiece(response, first.value, reader);
            for await (const piece of pieces) await writePiece(response, piece, reader);
            response.end();
          } catch (error) {
            if (!gone.aborted) ctx.log.warn({ err: error, kind }, 'export aborted');
            response.destroy();
          }
        } finally {
          // In any case, cancel the statement in Postgres and close its connection.
          await pieces.return().finally(leave);
        }
      });
    },
  );
}

/** Writes a piece and waits for room. @throws the abort reason if the client disconnected or stalled */
async function writePiece(
  response: ServerResponse,
  piece: Uint8Array,
  { signal, stalledMs }: { signal: AbortSignal; stalledMs: number },
): Promise<void> {
  signal.throwIfAborted();
  if (response.write(piece)) return;
  const limit = createTimeLimit(stalledMs, signal);
  try {
    await once(response, 'drain', { signal: limit.signal });
  } finally {
    limit.end();
  }
}
