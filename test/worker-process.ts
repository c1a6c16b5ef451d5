/**
 * A worker in its own process, configured by an environment like any worker. Loading the program takes
 * longer than most tests, so a process starts on a message, and one that exited cleanly can
 * start again with another environment.
 */
import { readConfig } from '../src/config/config.ts';
import { startWorker } from '../src/worker/worker.ts';
import { createLogger } from '../src/platform/logger.ts';
import { openProgram } from '../src/app/program.ts';
import { type Point, watchFor } from './journey-points.ts';
import { shiftClock } from './shifted-clock.ts';
import { leadTelegramTo } from './tell/telegram-receiver.ts';

export type Life = {
  env: Record<string, string>;
  /** Where it kills itself the first time. */
  dieAt?: Point;
  /** Where it waits, once, until it may continue. */
  pauseAt?: Point;
  /** Where the Bot API of Telegram is for it. */
  telegram?: string;
  /** How far its wall clock is ahead of the machine's, in milliseconds. */
  clockMs?: number;
};
/** To the process. */
export type Order = { begin: Life } | { clockMs: number } | 'go on' | 'rest';
/** From the process. */
export type Word = 'loaded' | 'ready' | 'resting' | { at: Point };

let end: (() => Promise<void>) | undefined;
let goOn = () => {};

process.on('message', (order: Order) => void obey(order));
// The parent process is gone.
process.once('disconnect', () => process.exit(0));
process.on('SIGTERM', () => void (end?.() ?? Promise.resolve()).then(() => process.exit(0)));
say('loaded');

async function obey(order: Order): Promise<void> {
  if (order === 'go on') return goOn();
  if (order === 'rest') {
    await end?.();
    return say('resting');
  }
  if ('clockMs' in order) return shiftClock(order.clockMs);
  end = await begin(order.begin);
  say('ready');
}

async function begin({ env, dieAt, pauseAt, telegram, clockMs = 0 }: Life): Promise<() => Promise<void>> {
  shiftClock(clockMs);
  const leadBack = telegram === undefined ? null : leadTelegramTo(telegram);
  const unwatch =
    dieAt !== undefined
      ? watchFor(dieAt, die)
      : pauseAt !== undefined
        ? watchFor(pauseAt, pause(pauseAt))
        : null;
  const config = readConfig(env);
  const home = await openProgram({ config, log: createLogger(config.logLevel ?? 'warn'), role: 'owner' });
  const worker = await startWorker(home.ctx, await home.backend(), 'test');
  return async () => {
    end = undefined;
    await worker.drain();
    await home.close();
    unwatch?.();
    leadBack?.();
    shiftClock(0);
  };
}

async function die(): Promise<void> {
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
}

function pause(point: Point): () => Promise<void> {
  return async () => {
    const going = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    say({ at: point });
    await going;
  };
}

function say(word: Word): void {
  process.send?.(word);
}
