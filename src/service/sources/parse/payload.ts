/** Reading a JSON payload of a provider: as a whole, each item by itself, and what it says of limits and quotas. */

import { HOUR, SECOND } from '../../../domain/time.ts';
import type { Clock } from '../../../platform/clock.ts';
import { MAX_WAIT_MS, retryAfterMs } from '../../../protocol/retry-after.ts';
import { SourceDown } from '../outage.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { parsePublishedAt } from './published-at.ts';
import { z } from 'zod';

/** @throws SourceDown `source_failed` when it is not JSON or not of this shape */
export function parsePayload<T>(text: string, schema: z.core.$ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Without the cause: it quotes the answer.
    throw new SourceDown('source_failed', { detail: 'the response is not JSON' });
  }
  const read = z.safeParse(schema, value);
  if (!read.success) throw new SourceDown('source_failed', { detail: 'unexpected response format' });
  return read.data;
}

/** As {@link parsePayload}; undefined where it does not fit. For errors, whose body may be anything. */
export function tryParsePayload<T>(text: string, schema: z.core.$ZodType<T>): T | undefined {
  try {
    return parsePayload(text, schema);
  } catch {
    return undefined;
  }
}

/** More of a payload is not read: no provider is asked for more than a hundred at once. */
const MAX_ITEMS = 300;

/**
 * The items that fit, of the first 300; one that does not is left out.
 * @throws SourceDown `source_failed` when there are some and none fits: then the shape has changed
 */
export function parseFittingItems<T>(items: readonly unknown[], schema: z.core.$ZodType<T>): T[] {
  const fit = items.slice(0, MAX_ITEMS).flatMap((item) => {
    const read = z.safeParse(schema, item);
    return read.success ? [read.data] : [];
  });
  if (items.length > 0 && fit.length === 0) {
    throw new SourceDown('source_failed', { detail: 'unexpected item format' });
  }
  return fit;
}

/** A member that may be absent, null or of another kind without harm to its item. */
export function optionalField<S extends z.core.$ZodType>(schema: S): z.ZodCatch<z.ZodOptional<S>> {
  return z.optional(schema).catch(undefined);
}

/**
 * "Too many requests", where the reply says by a header of its own when there will be room again.
 * @param header holds the time of the reset: seconds since 1970, or ISO 8601
 * @returns with the longer of that wait and `Retry-After`, at most an hour
 */
export function createRateLimitOutage(
  { status, headers }: ProviderResponse,
  header: string,
  clock: Clock,
): SourceDown {
  const now = clock.now();
  const reset = headers.get(header) ?? '';
  const at = /^\d{1,12}$/.test(reset) ? Number(reset) * SECOND : parsePublishedAt(reset)?.getTime();
  const waits = [
    at === undefined ? 0 : Math.min(Math.max(at - now.getTime(), 0), MAX_WAIT_MS),
    retryAfterMs(headers.get('retry-after'), now) ?? 0,
  ];
  const longest = Math.max(...waits);
  return new SourceDown('source_busy', {
    detail: `HTTP ${status}`,
    retryAfterMs: longest === 0 ? undefined : longest,
  });
}

/**
 * A source says that what was paid for, or may be had in a day or a month, is used up. It is asked again in
 * an hour, whenever it will be more: its user may have paid.
 */
export function createQuotaOutage(detail: string): SourceDown {
  return new SourceDown('source_quota', { detail, retryAfterMs: HOUR });
}
