/** What all routes of trends share: how they are asked, and how far their figures are derived. */
import { z } from 'zod';
import { DAY } from '../domain/time.ts';
import { findOldest, readDerivedUntil } from '../store/derive/pending-derivations.ts';
import { timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { searchSlug, topicSlug } from './request-shapes.ts';

const tags = ['trends'];

/** What most of them are asked of. */
export const trendFilter = { topic: topicSlug.optional(), search: searchSlug.optional() };

export const defineDays = (most: number, usual: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .meta({ description: 'How many days back.', examples: [usual] });

/** What is answered at once is written in one piece, which holds up whatever else this process does. */
export const MAX_BUCKETS = 20_000;

/** A reply of figures that are derived from responses. */
export const defineFigures = (item: z.core.$ZodType) =>
  z.object({
    items: z.array(item),
    as_of: timeShape
      .nullable()
      .describe(
        'When the oldest response was received that these figures do not contain yet; null: they contain all. They are derived a few seconds behind the runs.',
      ),
  });

/** @returns what adds one of these routes, and what they answer with */
export function createTrendRoutes(app: App, { ctx }: Pick<RouteContext, 'ctx'>) {
  const addRoute = <Q extends z.ZodObject, R>(
    path: string,
    operation: {
      operationId: string;
      summary: string;
      description: string;
      query: Q;
      reply: z.core.$ZodType;
    },
    answer: (query: z.output<Q>) => Promise<R>,
  ) => {
    const { query, reply, ...told } = operation;
    app.get(
      `/api/v1/trends${path}`,
      {
        config: { scope: 'read' },
        schema: { ...told, tags, querystring: query, response: { 200: reply } },
      },
      ({ query: given }) => answer(given as z.output<Q>), // what this query reads
    );
  };
  /** Read before the figures: they contain at least what was received before. */
  const readDerived = async <R>(
    of: { topic?: string | readonly string[] | undefined; search?: string | undefined },
    read: () => Promise<R>,
  ) => {
    const as_of = findOldest(await readDerivedUntil(ctx.db, of));
    return { items: await read(), as_of };
  };
  /** So many whole UTC days, today the last of them. */
  const countDaysBack = (n: number) => {
    const until = new Date(Math.ceil(ctx.clock.now().getTime() / DAY) * DAY);
    return { from: new Date(until.getTime() - n * DAY), until };
  };
  return { addRoute, readDerived, countDaysBack };
}
