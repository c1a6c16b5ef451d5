/** Reading an answer of JSON: as a whole by its frame, and each item by itself. */
import { z } from 'zod';
import { SourceDown } from '../../outage.ts';

/** @throws SourceDown `source_failed` when it is not JSON or not of this shape */
export function readAnswer<T>(text: string, schema: z.core.$ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without the cause: it quotes the answer.
    throw new SourceDown('source_failed', { detail: 'its answer is not JSON' });
  }
  const read = z.safeParse(schema, value);
  if (!read.success) throw new SourceDown('source_failed', { detail: 'its answer has another shape' });
  return read.data;
}

/** More of an answer is not read: no provider is asked for more than a hundred at once. */
const ITEMS_MOST = 300;

/**
 * The items that fit, of the first 300; one that does not is left out.
 * @throws SourceDown `source_failed` when there are some and none fits: then the shape has changed
 */
export function fitting<T>(items: readonly unknown[], schema: z.core.$ZodType<T>): T[] {
  const fit = items.slice(0, ITEMS_MOST).flatMap((item) => {
    const read = z.safeParse(schema, item);
    return read.success ? [read.data] : [];
  });
  if (items.length > 0 && fit.length === 0) {
    throw new SourceDown('source_failed', { detail: 'its items have another shape' });
  }
  return fit;
}

/** A member that may be absent, null or of another kind without harm to its item. */
export function optional<S extends z.core.$ZodType>(schema: S): z.ZodCatch<z.ZodOptional<S>> {
  return z.optional(schema).catch(undefined);
}
