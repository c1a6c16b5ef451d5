/**
 * Responses that came while the database is away, on disk until it has them: they were paid for, and the process that
 * holds them may end first. A file belongs to one call of one database, identified by when that call was sent.
 */
import { constants } from 'node:fs';
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { DAY } from '../../engine/clock.ts';
import { isOfDatabase, refusesData } from '../../store/database.ts';
import { isSentCall, type PaidResponse, storeResponse } from '../../store/responses.ts';
import type { Context } from '../context.ts';

/** A call as the ledger has it, and what came of it. */
export type Spooled = PaidResponse & { fence: number; sentAt: Date };

/** No more than this is on disk together. It takes many workers and a long time to get there. */
const MAX_BYTES = 512 * 2 ** 20;

const FILE = z.object({
  runId: z.string().transform(BigInt),
  fence: z.number(),
  sentAt: z.coerce.date(),
  n: z.number(),
  httpStatus: z.number(),
  contentType: z.string().nullable(),
  receivedAt: z.coerce.date(),
  latencyMs: z.number(),
  costUsd: z.number().nullable(),
  body: z.string().transform((text) => Buffer.from(text, 'base64')),
});

type Here = Pick<Context, 'config' | 'log'>;

/**
 * Creates the folder when a worker starts, so that one that cannot be written is known before it is needed.
 * @returns what to say about it; null where it can be written
 */
export async function prepareSpool(ctx: Here): Promise<string | null> {
  const directory = directoryOf(ctx);
  try {
    await makeDirectory(directory);
    await access(directory, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    ctx.log.warn({ err: error, directory }, 'spool not writable');
    return (
      `${directory} cannot be written: while the database is away, responses that were paid for are in memory only. ` +
      'Set STRANDLINE_DATA_DIR to a folder of this process.'
    );
  }
}

/**
 * Writes a response to disk, for this process and its owner alone. Where that is not possible, it is logged and the
 * response stays in memory only.
 * @returns removes the file, once the database has the response; null where there is none
 */
export async function spool(ctx: Here, spooled: Spooled): Promise<(() => Promise<void>) | null> {
  const { response, runId, fence, sentAt, latencyMs, costUsd } = spooled;
  const { n, httpStatus, contentType, receivedAt, body } = response;
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
    body: body.toString('base64'),
  });
  const directory = directoryOf(ctx);
  const file = path.join(directory, `${runId}-${n}-${fence}-${sentAt.getTime()}.json`);
  const partial = `${file}.partial`;
  try {
    await makeDirectory(directory);
    if ((await bytesIn(directory)) + text.length > MAX_BYTES) throw new Error(`${directory} is full`);
    await writeFile(partial, text, { mode: 0o600, flush: true });
    await rename(partial, file);
    ctx.log.warn({ run: String(runId), file }, 'response spooled');
  } catch (error) {
    ctx.log.error({ err: error, run: String(runId) }, 'response not spooled; it is in memory only');
    return null;
  }
  return () =>
    rm(file, { force: true }).catch((error: unknown) => {
      ctx.log.warn({ err: error, file }, 'spool file of a stored response not removed');
    });
}

/**
 * Stores what processes before this one, or this one, could not. For every heartbeat of a worker, before it claims
 * anything. A file of a call that this database does not know belongs to another one: it waits for its own, as long as
 * responses are kept.
 * @returns how many responses are still on disk
 */
export async function replaySpool(ctx: Pick<Context, 'config' | 'log' | 'db' | 'clock'>): Promise<number> {
  const directory = directoryOf(ctx);
  const names = await readdir(directory).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return [];
  });
  const left = new Set(names.filter((name) => name.endsWith('.json')));
  for (const name of names) {
    const file = path.join(directory, name);
    try {
      if ((left.has(name) && (await replay(ctx, file))) || (await isOld(ctx, file))) {
        await rm(file, { force: true });
        left.delete(name);
      }
    } catch (error) {
      if (isMissing(error) && !isOfDatabase(error)) {
        // Another process that shares the folder has stored it.
        left.delete(name);
        continue;
      }
      ctx.log.error({ err: error, file }, 'spooled response not stored');
      // The next heartbeat tries again; the other files would end the same way.
      if (isOfDatabase(error) && !refusesData(error)) break;
    }
  }
  return left.size;
}

async function replay(ctx: Pick<Context, 'log' | 'db'>, file: string): Promise<boolean> {
  const { runId, fence, sentAt, latencyMs, costUsd, ...response } = FILE.parse(
    JSON.parse(await readFile(file, 'utf8')),
  );
  if (!(await isSentCall(ctx.db, { runId, n: response.n, fence, sentAt }))) return false;
  await storeResponse(ctx.db, { runId, response, latencyMs, costUsd });
  ctx.log.info({ run: String(runId), call: response.n }, 'spooled response stored');
  return true;
}

async function isOld(ctx: Pick<Context, 'config' | 'clock'>, file: string): Promise<boolean> {
  const before = ctx.clock.now().getTime() - ctx.config.answerDays * DAY;
  return (await stat(file)).mtimeMs < before;
}

/** @throws an error of the system where it cannot be created */
async function makeDirectory(directory: string): Promise<void> {
  await mkdir(directory, { mode: 0o700, recursive: true });
}

async function bytesIn(directory: string): Promise<number> {
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

function directoryOf({ config }: Pick<Context, 'config'>): string {
  return path.join(config.dataDir, 'spool');
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
