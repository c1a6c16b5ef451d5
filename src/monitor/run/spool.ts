/**
 * Answers that came while the database is away, on disk until it has them: they were paid for, and the process that
 * holds them may end first. A file belongs to one call of one database, told by when that call was sent.
 */
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { DAY } from '../../engine/clock.ts';
import { isSentCall, keepAnswer, type PaidAnswer } from '../../store/ledger.ts';
import type { Context } from '../context.ts';

/** A call as the ledger has it, and what came of it. */
export type Spooled = PaidAnswer & { fence: number; sentAt: Date };

/** No more than this is on disk together. It takes many workers and a long time to get there. */
const MOST_BYTES = 512 * 2 ** 20;

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
 * Writes an answer down, for this process and its owner alone. Where there is no data directory, or no room, that is
 * said and the answer stays in memory only.
 * @returns lets go of the file, once the database has the answer
 */
export async function spool(ctx: Here, spooled: Spooled): Promise<() => Promise<void>> {
  const { answer, runId, fence, sentAt, latencyMs, costUsd } = spooled;
  const { n, httpStatus, contentType, receivedAt, body } = answer;
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
    await mkdir(directory, { mode: 0o700 }).catch(unless('EEXIST'));
    if ((await bytesIn(directory)) + text.length > MOST_BYTES) throw new Error(`${directory} is full`);
    await writeFile(partial, text, { mode: 0o600, flush: true });
    await rename(partial, file);
    ctx.log.warn({ run: String(runId), file }, 'the answer is on disk until the database is back');
  } catch (error) {
    ctx.log.warn(
      { err: error, run: String(runId) },
      'the answer is in memory only until the database is back',
    );
  }
  return () =>
    rm(file, { force: true }).catch((error: unknown) => {
      ctx.log.warn({ err: error, file }, 'the database has this answer; its file could not be removed');
    });
}

/**
 * Hands the database what processes before this one, or this one, could not. It knows the call or it is another one:
 * then the file waits for its own, as long as answers are kept.
 */
export async function replaySpool(ctx: Pick<Context, 'config' | 'log' | 'db' | 'clock'>): Promise<void> {
  const directory = directoryOf(ctx);
  const names = await readdir(directory).catch((error: unknown) => {
    unless('ENOENT')(error);
    return [];
  });
  for (const name of names) {
    const file = path.join(directory, name);
    try {
      if (name.endsWith('.json') && (await replay(ctx, file))) await rm(file, { force: true });
      else await removeOld(ctx, file);
    } catch (error) {
      ctx.log.error({ err: error, file }, 'an answer on disk could not be kept');
    }
  }
}

async function replay(ctx: Pick<Context, 'log' | 'db'>, file: string): Promise<boolean> {
  const { runId, fence, sentAt, latencyMs, costUsd, ...answer } = FILE.parse(
    JSON.parse(await readFile(file, 'utf8')),
  );
  if (!(await isSentCall(ctx.db, { runId, n: answer.n, fence, sentAt }))) return false;
  await keepAnswer(ctx.db, { runId, answer, latencyMs, costUsd });
  ctx.log.info({ run: String(runId), call: answer.n }, 'an answer that was on disk is kept');
  return true;
}

async function removeOld(ctx: Pick<Context, 'config' | 'clock'>, file: string): Promise<void> {
  const before = ctx.clock.now().getTime() - ctx.config.answerDays * DAY;
  if ((await stat(file)).mtimeMs < before) await rm(file, { force: true });
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

function unless(code: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };
}
