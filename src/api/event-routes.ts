/** Discoveries and ended runs as they come: server-sent events, and how slow a reader of them may be. */

import { InvalidInput } from '../domain/errors.ts';
import { toJson } from '../domain/json-output.ts';
import { revalidateSessions } from '../monitor/access/authentication.ts';
import type { Visitor } from '../monitor/access/visitor-scopes.ts';
import { type FeedEvent, openFeed } from '../monitor/events/live-feed.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { runAsProgram } from '../monitor/http/visitor-shares.ts';
import { assertFilterExists } from '../monitor/topics/find-by-slug.ts';
import { SECOND } from '../domain/time.ts';
import { hijackReply } from '../platform/http/raw-reply.ts';
import { afterDiscoveryId, idParam, searchSlug, topicSlug } from './request-shapes.ts';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { z } from 'zod';

/** A proxy closes streams that are silent; we close those that are not read. */
const STREAM_HEARTBEAT_MS = 15 * SECOND;
/** When a reader that lost its stream comes back: not all of them in the same moment. */
const STREAM_RETRY_MS = { least: 2_000, spread: 3_000 };

/** It must not wait for its end, and must not be kept or changed on its way. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

const eventQuery = z.strictObject({
  topic: topicSlug.optional(),
  search: searchSlug.optional(),
  after: afterDiscoveryId.optional(),
});

/** As an `EventSource` sends it; {@link readLastEventId} reads it. */
const eventHeaders = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({
      description: 'Id of the last discovery that was seen; goes before `after`.',
      examples: ['1'],
    }),
});

export function eventRoutes(app: App, { ctx }: RouteContext): void {
  const feed = openFeed(ctx, encodeEvent, runAsProgram);
  const streams = new Map<EventStream, Visitor>();
  let heartbeat: NodeJS.Timeout | undefined;

  const beat = async () => {
    for (const stream of streams.keys()) stream.beat();
    const valid = await revalidateSessions(ctx, [...new Set(streams.values())]);
    for (const [stream, visitor] of streams) if (!valid.has(visitor)) stream.end();
  };
  const addStream = (stream: EventStream, visitor: Visitor) => {
    streams.set(stream, visitor);
    // Sessions that cannot be checked now are checked at the next heartbeat.
    heartbeat ??= runAsProgram(() =>
      setInterval(
        () => void beat().catch((error: unknown) => ctx.log.warn({ err: error }, 'visitors not looked up')),
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
    {
      config: { scope: 'read', reads: eventHeaders },
      schema: {
        operationId: 'followEvents',
        summary: 'Discoveries and ended runs as they come (server-sent events)',
        description:
          'An event `discovery` has the id of the discovery and its row as data; an event `run` has no id, and the row ' +
          'of a run that ended. After a break, the header Last-Event-ID (which an EventSource sends by itself) or the ' +
          'member after names the last discovery that was seen: what came after it is told first, each once.',
        tags: ['discoveries'],
        querystring: eventQuery,
        response: {
          200: {
            description: 'Events, until one side ends it.',
            content: { 'text/event-stream': { schema: z.string() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { topic, search } = request.query;
      const lastId = readLastEventId(request.headers['last-event-id']) ?? request.query.after;
      await assertFilterExists(ctx.db, { topic, search });
      const after = await feed.startOf(lastId);
      // A HEAD request would have a stream that nothing is ever written to.
      if (request.method === 'HEAD') return void hijackReply(reply, STREAM_HEADERS).writeHead(200).end();
      const leave = app.shares.events.take(request);
      const raw = hijackReply(reply, STREAM_HEADERS).writeHead(200);
      // One that is sent away has its place until what waits for it is gone, too; one that left meanwhile has it no longer.
      finished(raw, leave);
      const stream = openEventStream(raw);
      raw.write(`retry: ${STREAM_RETRY_MS.least + Math.floor(ctx.random() * STREAM_RETRY_MS.spread)}\n\n`);
      addStream(stream, request.visitor);
      try {
        await feed.listen(
          {
            filter: { topic, search },
            replay: (frames) => stream.writeAll(frames),
            tell: (frames) => stream.write(frames),
          },
          { after, signal: stream.signal },
        );
      } catch (error) {
        // The head is written: all that is left to say is that it ended, and the reader comes back.
        ctx.log.warn({ err: error }, 'a stream of events could not begin');
        stream.end();
      }
    },
  );
}

/** The id that an `EventSource` sends when it reconnects. @throws InvalidInput for anything but an id of ours */
function readLastEventId(header: string | string[] | undefined): bigint | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined || text === '') return undefined;
  const id = z.safeDecode(idParam, text);
  if (id.success) return id.data;
  throw new InvalidInput([{ path: 'headers.last-event-id', given: text, expected: 'the id of a discovery' }]);
}

/**
 * More than so many bytes waiting: the reader is too slow, and comes back with the last id it got. What waits for
 * several readers is there once.
 */
const MAX_WAITING_BYTES = 2 ** 20;
/** How long what waits may still take to be read when the stream has ended. */
const STREAM_CLOSE_MS = 5_000;

const HEARTBEAT_FRAME = Buffer.from(':\n\n');

/** One reader of events. */
type EventStream = {
  /** Aborted when the reader left or was disconnected. */
  signal: AbortSignal;
  /** What happens now. A reader that is too slow for it is disconnected. */
  write(frames: readonly Uint8Array[]): void;
  /** What is read from a store: waits until the reader has taken it. */
  writeAll(frames: readonly Uint8Array[]): Promise<void>;
  /** Sends a heartbeat; ends a stream of which nothing was read since the one before. */
  beat(): void;
  end(): void;
};

/** @param raw a response whose head has been written */
export function openEventStream(raw: ServerResponse): EventStream {
  const gone = new AbortController();
  /** Bytes that had been read when the last heartbeat was due. */
  let readAtLastBeat: number | undefined;
  let written = 0;
  // Also where it is closed already, and where writing to it fails.
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
        // An abort is no failure: whoever replays looks at the signal.
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
 * An event as an `EventSource` reads it. JSON has no line end outside its texts, and escapes those inside: one line of
 * data holds a row. In UTF-8, once for all.
 */
function encodeEvent({ event, row }: FeedEvent): Uint8Array {
  const id = event === 'discovery' ? `id: ${row.id}\n` : '';
  return Buffer.from(`event: ${event}\n${id}data: ${toJson(row)}\n\n`);
}
