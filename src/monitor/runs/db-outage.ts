/**
 * Database outages: runs retry, and keep paid responses on disk (the spool) until the database has them, because the process
 * may end first. A file belongs to one call of one database, identified by the time at which the call was sent.
 */

import { readErrorCode } from '../../model/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { isDatabaseError, refusesData } from '../../store/db/database.ts';
import { SERVICE_KINDS, type ServiceKind } from '../../model/closed-lists.ts';
import { redactKeyInBytes } from '../client/key-redaction.ts';
import { isSentCall, type PaidResponse, storeResponse } from '../../store/runs/responses.ts';
import type { Context } from '../context.ts';
import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';

/** How long storing a paid response is retried. */
const UNSTORED_RESPONSE_RETRY_MS = HOUR;
/** How long everything else is retried: another worker can continue from what the database has. */
const DB_OUTAGE_RETRY_MS = 5 * MINUTE;
const DB_RETRY_PAUSES_MS = [100, 250, 500, SECOND, 2 * SECOND] as const;

/**
 * Retries `work` while the database has a temporary failure. `work` must be idempotent.
 * @param maxMs default: five minutes
 * @throws the last error: of another kind, about the data, or after this time
 */
export async function withDbRetry<T>(
  ctx: Pick<Context, 'log'>,
  work: () => Promise<T>,
  maxMs = DB_OUTAGE_RETRY_MS,
): Promise<T> {
  return retryWork(work, {
    maxMs,
    mayPass: (error) => isDatabaseError(error) && !refusesData(error),
    onFirstFailure: (error) => {
      if (refusesData(error)) ctx.log.warn({ err: error }, 'data refused by the database; not retried');
      else if (isDatabaseError(error)) ctx.log.warn({ err: error }, 'database unavailable; retrying');
      return Promise.resolve();
    },
  });
}

/**
 * Retries storing a paid response for an hour or until this process stops, after any error that is not about the data.
 * @param options.onFirstFailure called once, before the first pause
 * @throws the last error
 */
export async function retryUntilStored(
  work: () => Promise<void>,
  options: { stopping: AbortSignal; onFirstFailure: (error: unknown) => Promise<void> },
): Promise<void> {
  return retryWork(work, {
    ...options,
    maxMs: UNSTORED_RESPONSE_RETRY_MS,
    mayPass: (error) => !cannotBeStored(error),
  });
}

/** Whether a response fails to be stored for a reason that stays: the database refuses its data, or this program has a fault. */
export function cannotBeStored(error: unknown): boolean {
  return (
    refusesData(error) ||
    [TypeError, RangeError, ReferenceError, SyntaxError].some((fault) => error instanceof fault)
  );
}

async function retryWork<T>(
  work: () => Promise<T>,
  rule: {
    maxMs: number;
    mayPass: (error: unknown) => boolean;
    onFirstFailure: (error: unknown) => Promise<void>;
    stopping?: AbortSignal;
  },
): Promise<T> {
  const began = monotonicMs();
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 0) await rule.onFirstFailure(error);
      if (!rule.mayPass(error) || monotonicMs() - began > rule.maxMs) throw error;
      const pauseMs = DB_RETRY_PAUSES_MS[Math.min(attempt, DB_RETRY_PAUSES_MS.length - 1)];
      // The signal ends the pause early.
      await wait(pauseMs, undefined, { signal: rule.stopping }).catch(() => {});
      if (rule.stopping?.aborted === true) throw error;
    }
  }
}

/** A response with the call of the ledger that it belongs to. */
export type SpooledResponse = PaidResponse & {
  fence: number;
  sentAt: Date;
  /** Kind of the service whose API key its body may still contain; undefined if the key was removed. */
  keyOf?: ServiceKind;
};

/** Size limit of the spool. Only many workers in a long outage reach it. */
const MAX_SPOOL_BYTES = 512 * 2 ** 20;

const SPOOL_FILE = z.object({
  runId: z.string().transform(BigInt),
  fence: z.number(),
  sentAt: z.coerce.date(),
  n: z.number(),
  httpStatus: z.number(),
  contentType: z.string().nullable(),
  receivedAt: z.coerce.date(),
  latencyMs: z.number(),
  costUsd: z.number().nullable(),
  keyOf: z.enum(SERVICE_KINDS).optional(),
  body: z.string().transform((text) => Buffer.from(text, 'base64')),
});

type SpoolContext = Pick<Context, 'config' | 'log'>;

/**
 * Creates the spool directory when a worker starts, so that missing permissions are known before it is needed.
 * @returns a warning; null if the directory is writable
 */
export async function prepareSpool(ctx: SpoolContext): Promise<string | null> {
  const directory = locateSpool(ctx);
  try {
    await createDirectory(directory);
    await access(directory, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    ctx.log.warn({ err: error, directory }, 'spool not writable');
    return (
      `${directory} is not writable: during a database outage, paid responses are kept in memory only. ` +
      'Set STRANDLINE_DATA_DIR to a writable folder.'
    );
  }
}

/**
 * Writes a response to disk, readable by this user only. On failure, logs it; the response then stays in memory only.
 * @returns a function that removes the file once the database has the response; null if there is no file
 */
export async function spoolResponse(
  ctx: SpoolContext,
  spooled: SpooledResponse,
): Promise<(() => Promise<void>) | null> {
  const { response, runId, fence, sentAt, latencyMs, costUsd, keyOf } = spooled;
  const { n, httpStatus, contentType, receivedAt, body } = response;
  const directory = locateSpool(ctx);
  const file = path.join(directory, `${runId}-${n}-${fence}-${Number(sentAt)}.json`);
  const partial = `${file}.partial`;
  try {
    const text = JSON.stringify({
      runId: String(runId),
      fence,
      sentAt,
      latencyMs,
      costUsd,
      n,
      httpStatus,
      contentType,
      receivedAt,
      keyOf,
      body: body.toString('base64'),
    });
    await createDirectory(directory);
    if ((await measureDirectory(directory)) + text.length > MAX_SPOOL_BYTES)
      throw new Error(`${directory} is full`);
    await writeFile(partial, text, { mode: 0o600, flush: true });
    await rename(partial, file);
    ctx.log.warn({ run: String(runId), file }, 'response spooled');
  } catch (error) {
    ctx.log.error({ err: error, run: String(runId) }, 'response not spooled; kept in memory only');
    return null;
  }
  return () =>
    rm(file, { force: true }).catch((error: unknown) => {
      ctx.log.warn({ err: error, file }, 'spool file not removed');
    });
}

/**
 * Stores spooled responses, at every heartbeat of a worker and before it leases anything. A file of a call that this database
 * does not know belongs to another database; it is kept as long as responses are.
 * @returns the number of responses still on disk
 */
export async function replaySpool(
  ctx: Pick<Context, 'config' | 'log' | 'db' | 'clock' | 'endpoint'>,
): Promise<number> {
  const directory = locateSpool(ctx);
  const names = await readdir(directory).catch((error: unknown) => {
    if (readErrorCode(error) !== 'ENOENT') throw error;
    return [];
  });
  const left = new Set(names.filter((name) => name.endsWith('.json')));
  for (const name of names) {
    const file = path.join(directory, name);
    try {
      if ((left.has(name) && (await storeSpooledFile(ctx, file))) || (await isExpired(ctx, file))) {
        await rm(file, { force: true });
        left.delete(name);
      }
    } catch (error) {
      if (readErrorCode(error) === 'ENOENT' && !isDatabaseError(error)) {
        // Another process that shares the directory has stored it.
        left.delete(name);
        continue;
      }
      ctx.log.error({ err: error, file }, 'spooled response not stored');
      // The other files would fail, too; the next heartbeat retries.
      if (isDatabaseError(error) && !refusesData(error)) break;
    }
  }
  return left.size;
}

async function storeSpooledFile(
  ctx: Pick<Context, 'log' | 'db' | 'endpoint'>,
  file: string,
): Promise<boolean> {
  const { runId, fence, sentAt, latencyMs, costUsd, keyOf, ...response } = SPOOL_FILE.parse(
    JSON.parse(await readFile(file, 'utf8')),
  );
  if (!(await isSentCall(ctx.db, { runId, n: response.n, fence, sentAt }))) return false;
  const body =
    keyOf === undefined ? response.body : redactKeyInBytes(response.body, (await ctx.endpoint(keyOf)).key);
  await storeResponse(ctx.db, { runId, response: { ...response, body }, latencyMs, costUsd });
  ctx.log.info({ run: String(runId), call: response.n }, 'spooled response stored');
  return true;
}

async function isExpired(ctx: Pick<Context, 'config' | 'clock'>, file: string): Promise<boolean> {
  const before = ctx.clock.now().getTime() - ctx.config.answerDays * DAY;
  return (await stat(file)).mtimeMs < before;
}

/** @throws a system error if it cannot be created */
async function createDirectory(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700, recursive: true });
}

async function measureDirectory(directory: string): Promise<number> {
  const names = await readdir(directory);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(directory, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function locateSpool({ config }: Pick<Context, 'config'>): string {
  return path.join(config.dataDir, 'spool');
}
