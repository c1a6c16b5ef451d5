/** A server with the API on a small world, and a client of its events. */
import { apiRoutes } from '../../../src/api/api-routes.ts';
import { buildHttpServer } from '../../../src/app/http-server.ts';
import type { App } from '../../../src/monitor/http/route-types.ts';
import { type Id, inTransaction } from '../../../src/store/db/database.ts';
import { insertSearch } from '../../../src/store/topics/searches.ts';
import { ensureService } from '../../../src/store/services/services.ts';
import { ensureTopic } from '../../../src/store/topics/topics.ts';
import { homeOf } from '../../cli/stand.ts';
import type { World } from '../../world.ts';

export async function serve(world: World): Promise<{ app: App; address: string }> {
  const app = await buildHttpServer(homeOf(world), { api: [apiRoutes], pages: [] });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { app, address };
}

/** @param kind of its service, which has the same name */
export async function addSearch(
  { db, clock }: World,
  slug: string,
  { topic = slug, kind = 'hosted' }: { topic?: string; kind?: 'hosted' | 'sandbox' } = {},
): Promise<{ id: Id; serviceId: Id }> {
  const now = clock.now();
  const service = await ensureService(db, { name: kind, kind, address: null, dialect: 'named', now });
  const id = await inTransaction(db, async (tx) => {
    const { id: topicId } = await ensureTopic(tx, { slug: topic, name: topic, sample: false, now });
    return insertSearch(tx, {
      slug,
      topicId,
      serviceId: service.id,
      operation: 'microblog',
      labels: [],
      definition: {
        prompt: slug,
        tools: [],
        model: 'NOVA',
        date_filter: null,
        streaming: false,
        extra: {},
        cron: null,
        auto: null,
        every_seconds: 900,
        tz: 'UTC',
      },
      nextDueAt: now,
      now,
    });
  });
  return { id, serviceId: service.id };
}

export type ReadEvent = { event: string; id?: string; data: Record<string, unknown> };

export type Reader = {
  status: number;
  headers: Headers;
  /** Waits for the next so many events. */
  take(n: number): Promise<ReadEvent[]>;
  /** Comments that came so far. */
  comments(): number;
  /** What an `EventSource` sends as `Last-Event-ID` when it reconnects; empty: nothing. */
  lastEventId(): string;
  /** Waits for the end of the stream. */
  ended(): Promise<void>;
  leave(): void;
};

/** Reads a stream like an `EventSource`. */
export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<Reader> {
  const leaving = new AbortController();
  const response = await fetch(url, { headers, signal: leaving.signal });
  const events: ReadEvent[] = [];
  let comments = 0;
  let lastEventId = '';
  let wake: () => void = () => {};
  const state = { over: false };
  const reading = (async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      const blocks = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(
          block
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        if (block.startsWith(':')) comments += 1;
        const event = fields.get('event');
        const id = fields.get('id');
        lastEventId = id ?? lastEventId;
        if (event === undefined) continue;
        const data = JSON.parse(fields.get('data') ?? '') as Record<string, unknown>;
        events.push({ event, data, ...(id === undefined ? {} : { id }) });
      }
      wake();
    }
  })()
    .catch(() => {})
    .finally(() => {
      state.over = true;
      wake();
    });
  return {
    status: response.status,
    headers: response.headers,
    take: async (n) => {
      while (events.length < n && !state.over)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      if (events.length < n) throw new Error(`the stream ended after ${events.length} of ${n} events`);
      return events.splice(0, n);
    },
    comments: () => comments,
    lastEventId: () => lastEventId,
    ended: () => reading,
    leave: () => leaving.abort(),
  };
}
