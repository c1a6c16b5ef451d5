/** Parses JSON payloads of providers: as a whole, item by item, and their rate limits and quotas. */

import { channel } from 'node:diagnostics_channel';
import { tryParseJson } from '../../../lib/json-values.ts';
import { HOUR, SECOND } from '../../../lib/time.ts';
import type { Clock } from '../../../platform/clock.ts';
import { MAX_WAIT_MS, retryAfterMs } from '../../../protocol/retry-after.ts';
import { SourceDown } from '../outage.ts';
import type { ProviderResponse } from '../resilience/http-request.ts';
import { parsePublishedAt } from './published-at.ts';
import { z } from 'zod';

/** A value of a provider and the schema it is about to be parsed with. */
export type ParsedFormat = { of: 'response' | 'item'; schema: z.core.$ZodType; values: readonly unknown[] };
/** Publishes {@link ParsedFormat} for `npm run sources:check`. */
export const FORMATS = channel('strandline:provider-formats');

function publishFormat(format: ParsedFormat): void {
  if (FORMATS.hasSubscribers) FORMATS.publish(format);
}

/** @throws SourceDown `source_failed` if it is not JSON or does not match the schema */
export function parsePayload<T>(text: string, schema: z.core.$ZodType<T>): T {
  const value = tryParseJson(text);
  if (value === undefined) throw new SourceDown('source_failed', { detail: 'the response is not JSON' });
  publishFormat({ of: 'response', schema, values: [value] });
  const read = z.safeParse(schema, value);
  if (!read.success) throw new SourceDown('source_failed', { detail: 'unexpected response format' });
  return read.data;
}

/** As {@link parsePayload}, but undefined if it is not JSON or does not match. For errors, whose body may be anything. */
export function tryParsePayload<T>(text: string, schema: z.core.$ZodType<T>): T | undefined {
  const value = tryParseJson(text);
  return value === undefined ? undefined : z.safeParse(schema, value).data;
}

/** Further items are ignored: no request asks for more than 100. */
const MAX_ITEMS = 300;

/**
 * The items that match the schema, of the first 300; others are dropped.
 * @throws SourceDown `source_failed` if there are items and none matches: the format has changed
 */
export function parseFittingItems<T>(items: readonly unknown[], schema: z.core.$ZodType<T>): T[] {
  publishFormat({ of: 'item', schema, values: items.slice(0, MAX_ITEMS) });
  const fit = items.slice(0, MAX_ITEMS).flatMap((item) => {
    const read = z.safeParse(schema, item);
    return read.success ? [read.data] : [];
  });
  if (items.length > 0 && fit.length === 0) {
    throw new SourceDown('source_failed', { detail: 'unexpected item format' });
  }
  return fit;
}

/** A member that may be missing, null or invalid without invalidating its item. */
export function optionalField<S extends z.core.$ZodType>(schema: S): z.ZodCatch<z.ZodOptional<S>> {
  return z.optional(schema).catch(undefined);
}

/** Reactions of all kinds; unknown and negative ones (a score) count as none. */
export function sumReactions(...counts: readonly (number | null | undefined)[]): number {
  return counts.reduce<number>(
    (sum, count) => sum + (Number.isSafeInteger(count) ? Math.max(0, count ?? 0) : 0),
    0,
  );
}

/**
 * "Too many requests" from a provider that has its own header for the reset time.
 * @param header contains the reset time: seconds since 1970, or ISO 8601
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

/** The quota is used up. Retried after an hour, whatever its period: the user may have paid in the meantime. */
export function createQuotaOutage(detail: string): SourceDown {
  return new SourceDown('source_quota', { detail, retryAfterMs: HOUR });
}
