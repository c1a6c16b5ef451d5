/** Shared by operations on trends: how far their figures are derived. */
import { z } from 'zod';
import { DAY } from '../../lib/time.ts';
import { countParam, timeShape } from '../../model/value-shapes.ts';
import { findOldest, readDerivedUntil } from '../../store/derive/pending-derivations.ts';
import type { Context } from '../context.ts';
import { declareOperation } from '../operation.ts';
import { setImmediate } from 'node:timers/promises';

export const defineDays = (most: number, usual: number) =>
  countParam(most, usual).meta({ description: 'Number of days back from today.', examples: [usual] });

/** A reply is serialized in one piece, which blocks the event loop. */
export const MAX_BUCKETS = 20_000;

export const ABOUT_TRENDS = { tag: 'trends', scope: 'read' } as const;

/** A reply with figures derived from responses. */
const defineFigures = (item: z.core.$ZodType) =>
  z.object({
    items: z.array(item),
    as_of: timeShape
      .nullable()
      .describe(
        'Figures are derived a few seconds after runs. This is when the oldest response that they do not yet include was received; null: they include all.',
      ),
  });

/** @param run reads the figures, with `readDerived` */
export function declareTrend<const In extends z.ZodObject>(
  path: string,
  { item, ...described }: { id: string; does: string; more: string; input: In; item: z.core.$ZodType },
  run: (ctx: Context, input: z.output<In>) => Promise<{ items: readonly unknown[]; as_of: Date | null }>,
) {
  return declareOperation({
    ...ABOUT_TRENDS,
    ...described,
    route: `GET /api/v1/trends${path}`,
    output: defineFigures(item),
    run: ({ ctx }, input) => run(ctx, input),
  });
}

type Derived = Awaited<ReturnType<typeof readDerivedUntil>>;

/** Reads `as_of` before the figures, so that they include at least everything received before it. */
export async function readDerived<Row>(
  { db }: Pick<Context, 'db'>,
  of: Parameters<typeof readDerivedUntil>[1],
  read: (underived: Derived) => Promise<readonly Row[]>,
): Promise<{ items: readonly Row[]; as_of: Date | null }> {
  const underived = await readDerivedUntil(db, of);
  const items = await read(underived);
  // The reply is serialized in a turn of its own.
  await setImmediate();
  return { items, as_of: findOldest(underived) };
}

/** The range of n whole UTC days that ends with today. */
export function countDaysBack({ clock }: Pick<Context, 'clock'>, n: number): { from: Date; until: Date } {
  const until = new Date(Math.ceil(clock.now().getTime() / DAY) * DAY);
  return { from: new Date(until.getTime() - n * DAY), until };
}
