/** Discoveries and ended runs as server-sent events, and how slow a client may be. */

import { afterDiscoveryId, viewParam } from '../monitor/items/discovery-inputs.ts';
import { InvalidInput } from '../model/errors.ts';
import { toJson } from '../lib/json-values.ts';
import { revalidateSessions } from '../monitor/access/authentication.ts';
import type { Visitor } from '../monitor/access/visitor-scopes.ts';
import { type FeedEvent, openFeed } from '../monitor/events/live-feed.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { runAsProgram } from '../monitor/http/visitor-shares.ts';
import { findScope } from '../monitor/topics/find-by-slug.ts';
import { findRenamed, type NamedKind } from '../store/topics/former-slugs.ts';
import { SECOND } from '../lib/time.ts';
import { hijackReply } from '../platform/http/raw-reply.ts';
import { operation } from './operation.ts';
import { scopeParams } from '../monitor/common-inputs.ts';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { z } from 'zod';

/** Proxies close silent streams; the server closes streams that are not read. */
const STREAM_HEARTBEAT_MS = 15 * SECOND;
/** When a client reconnects after it lost its stream; spread, so that they do not all reconnect at once. */
const STREAM_RETRY_MS = { least: 2_000, spread: 3_000 };

/** Keep proxies from buffering, caching or changing the stream. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

const eventQuery = z.strictObject({
  ...scopeParams,
  view: viewParam,
  after: afterDiscoveryId.optional(),
});

/** As an `EventSource` sends it; {@link readLastEventId} reads it. */
const eventHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({
      description: 'Id of the last discovery received. Takes precedence over `after`.',
      examples: ['1'],
    }),
});

export function eventRoutes(app: App, { ctx }: RouteContext): void {
  const feed = openFeed(ctx, encodeEvent, runAsProgram);
  const streams = new Map<EventStream, Following>();
  let heartbeat: NodeJS.Timeout | undefined;

  const beat = async () => {
    for (const stream of streams.keys()) stream.beat();
    const valid = await revalidateSessions(ctx, [
      ...new Set([...streams.values()].map(({ visitor }) => visitor)),
    ]);
    for (const [stream, { visitor }] of streams) if (!valid.has(visitor)) stream.end();
    await endRenamed(ctx.db, streams);
  };
  const addStream = (stream: EventStream, following: Following) => {
    streams.set(stream, following);
    // Sessions that cannot be checked now are checked at the next heartbeat.
    heartbeat ??= runAsProgram(() =>
      setInterval(
        () => void beat().catch((error: unknown) => ctx.log.warn({ err: error }, 'session check failed')),
        STREAM_HEARTBEAT_MS,
      ).unref(),
    );
    stream.signal.addEventListener('abort', () => {
      streams.delete(stream);
      if (streams.size > 0) return;
      clearInterval(heartbeat);
      heartbeat = undefined;
    });
  };

  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.end();
    await feed.close();
  });

  app.get(
    '/api/v1/events',
    operation({
      scope: 'read',
      reads: eventHeaders,
      operationId: 'followEvents',
      summary: 'Follow discoveries and ended runs (server-sent events)',
      description:
        'A `discovery` event has the id of the discovery, and its row as data. A `run` event has no id, and the row of a ' +
        'run that ended. To resume after a disconnect, send the id of the last discovery in the header `Last-Event-ID` ' +
        '(as an EventSource does) or in `after`: later discoveries are sent first, each once.',
      tags: ['discoveries'],
      querystring: eventQuery,
      response: {
        200: {
          description: 'A stream of events, until either side closes it.',
          content: { 'text/event-stream': { schema: z.string() } },
        },
      },
    }),
    async (request, reply) => {
      const { view, ...filter } = request.query;
      const lastId = readLastEventId(request.headers['last-event-id']) ?? request.query.after;
      const { topic, search } = await findScope(ctx.db, filter);
      const after = await feed.startOf(lastId);
      // A HEAD request would hold a stream to which nothing is ever written.
      if (request.method === 'HEAD') return void hijackReply(reply, STREAM_HEADERS).writeHead(200).end();
      const leave = app.shares.events.take(request);
      const raw = hijackReply(reply, STREAM_HEADERS).writeHead(200);
      // A disconnected client keeps its place until its pending bytes are gone.
      finished(raw, leave);
      const stream = openEventStream(raw);
      // With the id, an EventSource that is disconnected before its first event can resume, too.
      const retry = STREAM_RETRY_MS.least + Math.floor(ctx.random() * STREAM_RETRY_MS.spread);
      raw.write(`retry: ${retry}\nid: ${after}\n\n`);
      addStream(stream, { visitor: request.visitor, named: listNamed({ topic, search }) });
      try {
        await feed.listen(
          {
            filter: { topic, search, view },
            replay: (frames) => stream.writeAll(frames),
            tell: (frames) => stream.write(frames),
          },
          { after, signal: stream.signal },
        );
      } catch (error) {
        // The head is already written, so the stream can only end; the client reconnects.
        ctx.log.warn({ err: error }, 'event stream failed to start');
        stream.end();
      }
    },
  );
}

/** Who reads a stream, and which topic and search it is limited to. */
type Following = { visitor: Visitor; named: { kind: NamedKind; slug: string }[] };

function listNamed({ topic, search }: z.output<typeof eventQuery>): Following['named'] {
  return [
    ...(topic === undefined ? [] : [{ kind: 'topic' as const, slug: topic }]),
    ...(search === undefined ? [] : [{ kind: 'search' as const, slug: search }]),
  ];
}

/** Ends streams of topics and searches that were renamed: their clients reconnect, and miss nothing. */
async function endRenamed(
  db: RouteContext['ctx']['db'],
  streams: ReadonlyMap<EventStream, Following>,
): Promise<void> {
  const renamed = await findRenamed(
    db.pool,
    [...streams.values()].flatMap(({ named }) => named),
  );
  for (const [stream, { named }] of streams) {
    if (named.some(({ kind, slug }) => renamed.some((row) => row.kind === kind && row.former === slug)))
      stream.end();
  }
}

/** The id that an `EventSource` sends when it reconnects. @throws InvalidInput */
function readLastEventId(header: string | string[] | undefined): bigint | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || text === '') return undefined;
  const id = z.safeDecode(afterDiscoveryId, text);
  if (id.success) return id.data;
  throw new InvalidInput([{ path: 'headers.last-event-id', given: text, expected: 'the id of a discovery' }]);
}

/** A client with more pending bytes is too slow and is disconnected. Frames are shared between clients. */
const MAX_WAITING_BYTES = 2 ** 20;
/** How long a client may take to read pending bytes after the stream has ended. */
const STREAM_CLOSE_MS = 5_000;

const HEARTBEAT_FRAME = Buffer.from(':\n\n');

type EventStream = {
  /** Aborted when the client leaves or is disconnected. */
  signal: AbortSignal;
  /** Writes live events. A client that is too slow is disconnected. */
  write(frames: readonly Uint8Array[]): void;
  /** Writes stored events, and waits until the client has read them. */
  writeAll(frames: readonly Uint8Array[]): Promise<void>;
  /** Sends a heartbeat. Ends the stream if nothing was read since the previous one. */
  beat(): void;
  end(): void;
};

/** @param raw a response whose head has been written */
export function openEventStream(raw: ServerResponse): EventStream {
  const gone = new AbortController();
  /** Bytes read at the time of the last heartbeat. */
  let readAtLastBeat: number | undefined;
  let written = 0;
  // Also fires if the response is already closed, and if a write fails.
  finished(raw, () => gone.abort());
  const send = (frames: readonly Uint8Array[]): void => {
    raw.cork();
    for (const frame of frames) {
      if (gone.signal.aborted) break;
      written += frame.length;
      raw.write(frame);
      if (raw.writableLength > MAX_WAITING_BYTES) end();
    }
    raw.uncork();
  };
  const end = () => {
    if (gone.signal.aborted) return;
    gone.abort();
    raw.end();
    const closing = setTimeout(() => raw.destroy(), STREAM_CLOSE_MS).unref();
    raw.once('close', () => clearTimeout(closing));
  };
  return {
    signal: gone.signal,
    write: send,
    writeAll: async (frames) => {
      for (const frame of frames) {
        if (gone.signal.aborted) return;
        written += frame.length;
        // An abort is not an error: the replay checks the signal.
        if (!raw.write(frame)) await once(raw, 'drain', { signal: gone.signal }).catch(() => {});
      }
    },
    beat: () => {
      const read = written - raw.writableLength;
      if (raw.writableLength > 0 && readAtLastBeat === read) return end();
      readAtLastBeat = read;
      send([HEARTBEAT_FRAME]);
    },
    end,
  };
}

/**
 * Encodes an event once for all clients. JSON escapes line ends, so a row is always one line of data.
 */
function encodeEvent({ event, row }: FeedEvent): Uint8Array {
  const id = event === 'discovery' ? `id: ${row.id}\n` : '';
  return Buffer.from(`event: ${event}\n${id}data: ${toJson(row)}\n\n`);
}
