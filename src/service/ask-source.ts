/** One source, asked once: within a time limit, and its failure is a result. */
import { OUTAGES, type OutageCode, SourceDown } from './outage.ts';
import type { Found, Query, SearchSource } from './source.ts';
import { untilAborted } from './until-aborted.ts';

export type Reply =
  | { found: readonly Found[]; failure?: undefined }
  | { found?: undefined; failure: { code: OutageCode; err: unknown; message: string } };

/**
 * What the source found within so many milliseconds, or why nothing. The message is made of our own words
 * alone.
 * @throws the client's reason once it is gone; nothing else
 */
export async function askSource(
  source: SearchSource,
  query: Omit<Query, 'signal' | 'mostMs'>,
  limitMs: number,
  client: AbortSignal,
): Promise<Reply> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new SourceDown('source_timeout')), limitMs);
  const signal = AbortSignal.any([client, limit.signal]);
  try {
    // A source may be deaf to the signal, and may fail before it has begun: it is not waited for all the same.
    return {
      found: await untilAborted(signal, (async () => source.find({ ...query, mostMs: limitMs, signal }))()),
    };
  } catch (err) {
    client.throwIfAborted();
    // One that knows why it was late (its turn had not come) says so; any other was late.
    const isLate = limit.signal.aborted && !(err instanceof SourceDown);
    return { failure: failureOf(source, isLate ? limit.signal.reason : err) };
  } finally {
    clearTimeout(timer);
  }
}

function failureOf({ name }: SearchSource, err: unknown): Reply['failure'] & object {
  if (err instanceof SourceDown) return { code: err.code, err, message: `${name} ${err.message}` };
  return { code: 'source_failed', err, message: `${name} ${OUTAGES.source_failed}` };
}
