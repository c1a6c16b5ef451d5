/** When a source may be asked: as often as its terms allow, and one at a time where they want that. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../engine/clock.ts';
import { SourceDown } from '../../outage.ts';
import type { Turns } from '../../ports.ts';
import type { Adapter } from '../adapter.ts';
import { createBucket } from '../../bucket.ts';
import { untilAborted } from '../../until-aborted.ts';

export type Wait = (ms: number, signal: AbortSignal) => Promise<unknown>;
export const wait: Wait = (ms, signal) => sleep(ms, undefined, { signal });

export type Pace = {
  /**
   * Makes one request when its turn has come.
   * @param leave.leftMs how long it can be waited for
   * @throws SourceDown `source_busy` where its turn would come too late
   */
  inTurn<T>(leave: { signal: AbortSignal; leftMs: () => number }, request: () => Promise<T>): Promise<T>;
};

export function createPace(
  { name, pace, everyMs, serial = everyMs !== undefined }: Adapter,
  options: { clock: Clock; turns: Turns; wait: Wait },
): Pace {
  const bucket = createBucket(pace, options.clock);
  const alone = createQueue();

  async function awaitTurn({ signal, leftMs }: { signal: AbortSignal; leftMs: () => number }) {
    if (everyMs === undefined) return;
    const next = options.turns.next(name, everyMs, leftMs()).catch(() => {
      throw new SourceDown('source_failed', { detail: 'its turn cannot be had', unasked: true });
    });
    const waitMs = await untilAborted(signal, next);
    if (waitMs === undefined) throw busy();
    if (waitMs > 0) await options.wait(waitMs, signal);
  }

  return {
    async inTurn(leave, request) {
      const waitMs = bucket.take(leave.leftMs());
      if (waitMs === undefined) throw busy();
      let used = false;
      const ask = async () => {
        leave.signal.throwIfAborted();
        await awaitTurn(leave);
        used = true;
        return request();
      };
      try {
        if (waitMs > 0) await options.wait(waitMs, leave.signal);
        return await (serial ? alone(leave.signal, ask) : ask());
      } finally {
        if (!used) bucket.giveBack();
      }
    },
  };
}

function busy(): SourceDown {
  return new SourceDown('source_busy', { unasked: true });
}

/** Does one work after the other; who goes away while waiting leaves the queue to the next. */
function createQueue() {
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    const before = last;
    let done = () => {};
    const mine = new Promise<void>((resolve) => {
      done = resolve;
    });
    last = before.then(() => mine);
    try {
      await untilAborted(signal, before);
      return await work();
    } finally {
      done();
    }
  };
}
