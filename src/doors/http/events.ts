/** What is found, as it is found: server-sent events. */
import { finished } from 'node:stream';
import { z } from 'zod';
import { SECOND } from '../../engine/clock.ts';
import { InvalidInput } from '../../errors.ts';
import type { Visitor } from '../../monitor/access/scopes.ts';
import { openFeed } from '../../monitor/feed/feed.ts';
import { whoMayStay } from '../../monitor/feed/stay.ts';
import { assertFilter } from '../../monitor/topic/find.ts';
import type { App, WebHome } from '../routes.ts';
import { asProgram } from './access/asking.ts';
import { afterId } from './events/after.ts';
import { frameOf } from './events/frame.ts';
import { type EventStream, openStream } from './events/stream.ts';
import { givenId, searchSlug, topicSlug } from './given.ts';
import { takeOver } from './take-over.ts';

/** A proxy cuts what is silent; so do we what is not read. */
const BEAT_MS = 15 * SECOND;
/** When a reader that lost its stream comes back: not all of them in the same moment. */
const RETRY_MS = { least: 2_000, spread: 3_000 };

/** It must not wait for its end, and must not be kept or changed on its way. */
const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

const query = z.strictObject({
  topic: topicSlug.optional(),
  search: searchSlug.optional(),
  after: afterId.optional(),
});

/** As an `EventSource` sends it; {@link lastSeen} reads it. */
const headers = z.object({
  'Last-Event-ID': z
    .string()
    .optional()
    .meta({
      description: 'Id of the last discovery that was seen; goes before `after`.',
      examples: ['1'],
    }),
});

export function eventRoutes(app: App, { ctx }: WebHome): void {
  const feed = openFeed(ctx, frameOf, asProgram);
  const streams = new Map<EventStream, Visitor>();
  let beating: NodeJS.Timeout | undefined;

  const beat = async () => {
    for (const stream of streams.keys()) stream.beat();
    const stay = await whoMayStay(ctx, [...new Set(streams.values())]);
    for (const [stream, visitor] of streams) if (!stay.has(visitor)) stream.end();
  };
  const remember = (stream: EventStream, visitor: Visitor) => {
    streams.set(stream, visitor);
    // What cannot be looked up now is looked up at the next sign of life.
    beating ??= asProgram(() =>
      setInterval(
        () => void beat().catch((error: unknown) => ctx.log.warn({ err: error }, 'visitors not looked up')),
        BEAT_MS,
      ).unref(),
    );
    stream.signal.addEventListener('abort', () => {
      streams.delete(stream);
      if (streams.size > 0) return;
      clearInterval(beating);
      beating = undefined;
    });
  };

  app.addHook('preClose', async () => {
    for (const stream of streams.keys()) stream.end();
    await feed.close();
  });

  app.get(
    '/api/v1/events',
    {
      config: { scope: 'read', reads: headers },
      schema: {
        operationId: 'followEvents',
        summary: 'Discoveries and ended runs as they come (server-sent events)',
        description:
          'An event `discovery` has the id of the discovery and its row as data; an event `run` has no id, and the row ' +
          'of a run that ended. After a break, the header Last-Event-ID (which an EventSource sends by itself) or the ' +
          'member after names the last discovery that was seen: what came after it is told first, each once.',
        tags: ['discoveries'],
        querystring: query,
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
      const named = lastSeen(request.headers['last-event-id']) ?? request.query.after;
      await assertFilter(ctx.db, { topic, search });
      const after = await feed.startOf(named);
      // Whoever asks for the head alone would have a stream that nothing is ever written to.
      if (request.method === 'HEAD') return void takeOver(reply, HEADERS).writeHead(200).end();
      const leave = app.shares.events.take(request);
      const raw = takeOver(reply, HEADERS).writeHead(200);
      // One that is sent away has its place until what waits for it is gone, too; one that left meanwhile has it no longer.
      finished(raw, leave);
      const stream = openStream(raw);
      raw.write(`retry: ${RETRY_MS.least + Math.floor(ctx.random() * RETRY_MS.spread)}\n\n`);
      remember(stream, request.visitor);
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

/** What an `EventSource` says when it comes back. @throws InvalidInput for anything but an id of ours */
function lastSeen(header: string | string[] | undefined): bigint | undefined {
  const given = Array.isArray(header) ? header[0] : header;
  if (given === undefined || given === '') return undefined;
  const read = z.safeDecode(givenId, given);
  if (read.success) return read.data;
  throw new InvalidInput([{ path: 'headers.last-event-id', given, expected: 'the id of a discovery' }]);
}
