/** Shared by all trend routes: how far their figures are derived. */
import { z } from 'zod';
import { DAY } from '../lib/time.ts';
import { findOldest, readDerivedUntil } from '../store/derive/pending-derivations.ts';
import { countParam, timeShape } from '../model/value-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { operation } from './operation.ts';
import { setImmediate } from 'node:timers/promises';

const tags = ['trends'];

export const defineDays = (most: number, usual: number) =>
  countParam(most, usual).meta({ description: 'Number of days back from today.', examples: [usual] });

/** A reply is serialized in one piece, which blocks the event loop. */
export const MAX_BUCKETS = 20_000;

/** A reply with figures derived from responses. */
export const defineFigures = (item: z.core.$ZodType) =>
  z.object({
    items: z.array(item),
    as_of: timeShape
      .nullable()
      .describe(
        'Figures are derived a few seconds after runs. This is when the oldest response that they do not yet include was received; null: they include all.',
      ),
  });

/** @returns a function that adds a trend route, and helpers for its handler */
export function createTrendRoutes(app: App, { ctx }: Pick<RouteContext, 'ctx'>) {
  const addRoute = <Q extends z.ZodObject, R>(
    path: string,
    described: {
      operationId: string;
      summary: string;
      description: string;
      query: Q;
      reply: z.core.$ZodType;
    },
    answer: (query: z.output<Q>) => Promise<R>,
  ) => {
    const { query, reply, ...description } = described;
    app.get(
      `/api/v1/trends${path}`,
      operation({ scope: 'read', ...description, tags, querystring: query, response: { 200: reply } }),
      ({ query: values }) => answer(values as z.output<Q>), // validated by this query
    );
  };
  /** Reads `as_of` before the figures, so that they include at least everything received before it. */
  const readDerived = async <R>(of: Parameters<typeof readDerivedUntil>[1], read: () => Promise<R>) => {
    const as_of = findOldest(await readDerivedUntil(ctx.db, of));
    const items = await read();
    // The reply is serialized in a turn of its own.
    await setImmediate();
    return { items, as_of };
  };
  /** The range of n whole UTC days that ends with today. */
  const countDaysBack = (n: number) => {
    const until = new Date(Math.ceil(ctx.clock.now().getTime() / DAY) * DAY);
    return { from: new Date(until.getTime() - n * DAY), until };
  };
  return { addRoute, readDerived, countDaysBack };
}
