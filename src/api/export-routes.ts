/** Exports, as streams: nothing is read ahead of whoever takes the bytes. */
import { createTimeLimit } from '../platform/clock.ts';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { MINUTE } from '../domain/time.ts';
import { InvalidInput } from '../domain/errors.ts';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { FORMATS } from '../monitor/export/row-encoders.ts';
import { exportRows } from '../monitor/export/export-rows.ts';
import { RESOURCES } from '../store/export/export-columns.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { runAsProgram } from '../monitor/http/visitor-shares.ts';
import { flagParam, timeParam, searchSlug, topicSlug } from './request-shapes.ts';
import { Bytes } from './reply-shapes.ts';
import { abortOnClose, hijackReply } from '../platform/http/raw-reply.ts';

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
} as const;

/** A reader that takes nothing for so long has left, whatever its connection says. */
const STALLED_READER_MS = 2 * MINUTE;

/** @param stalledMs less in tests */
export function exportRoutes(app: App, { ctx }: RouteContext, stalledMs = STALLED_READER_MS): void {
  app.get(
    '/api/v1/exports/:kind',
    {
      config: { scope: 'read', sends: ['Content-Disposition'] },
      schema: {
        operationId: 'exportRows',
        summary: 'All rows of a kind as CSV, NDJSON or Parquet',
        description:
          'Streamed, as of one moment. Should it fail on the way the connection breaks: an answer that ends is whole.',
        tags: ['exports'],
        params: z.strictObject({ kind: z.enum(RESOURCES).meta({ examples: ['posts'] }) }),
        querystring: z.strictObject({
          format: z.enum(FORMATS).default('csv'),
          topic: topicSlug.optional().describe('Only what its searches found.'),
          search: searchSlug.optional().describe('Only what it found.'),
          since: timeParam.optional().describe('From here on.'),
          until: timeParam.optional().describe('Before this.'),
          raw: flagParam
            .optional()
            .describe('CSV: leave texts as they are, also those a spreadsheet takes for a formula.'),
          bom: flagParam.optional().describe('CSV: begin with a byte order mark.'),
        }),
        response: {
          200: {
            description: 'The file, in the format that was asked for.',
            content: {
              'text/csv': { schema: z.string() },
              'application/x-ndjson': { schema: z.string() },
              'application/vnd.apache.parquet': { schema: Bytes },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { kind } = request.params;
      const { format, raw, bom, topic, search, since, until } = request.query;
      if (since !== undefined && until !== undefined && since >= until)
        throw new InvalidInput([
          { path: 'until', given: until.toISOString(), expected: 'a time after since' },
        ]);
      if (format !== 'csv' && (raw !== undefined || bom !== undefined))
        throw new InvalidInput([
          { path: 'format', given: format, expected: 'csv, where raw or bom is given' },
        ]);
      await assertFilterExists(ctx.db, { topic, search });
      const headers = {
        'content-type': MEDIA_TYPES[format],
        'content-disposition': `attachment; filename="strandline-${kind}.${format}"`,
        'cache-control': 'no-store',
      };
      // A HEAD request takes no place, nor does a client that has left meanwhile.
      if (request.method === 'HEAD' || reply.raw.closed) return void hijackReply(reply, headers).end();
      const leave = app.shares.exports.take(request);
      const filter = { searches: search === undefined ? undefined : [search], topic, since, until };
      // It has a connection of its own; what ends its statement does not wait until the visitor has another one to spare.
      await runAsProgram(async () => {
        const gone = abortOnClose(reply);
        const reader = { signal: gone, stalledMs };
        const pieces = exportRows(ctx, kind, filter, { format, raw, bom }, gone);
        try {
          // What fails before the first byte is told in words; behind it only a broken connection is honest.
          const first = await pieces.next();
          const response = hijackReply(reply, headers);
          try {
            if (first.done !== true) await writePiece(response, first.value, reader);
            for await (const piece of pieces) await writePiece(response, piece, reader);
            response.end();
          } catch (error) {
            if (!gone.aborted) ctx.log.warn({ err: error, kind }, 'an export broke off');
            response.destroy();
          }
        } finally {
          // Whatever ended it: the statement ends in Postgres too, and its connection is closed.
          await pieces.return().finally(leave);
        }
      });
    },
  );
}

/** Waits until there is room; @throws the abort where the reader went, and where it takes nothing any more */
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
