/** Limits of a source: its rate limit (and sequential requests if its terms require them) and its daily allowance. */

import { awaitUnlessAborted, type Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Allowance, RequestPacing, ServicePorts } from '../../ports.ts';
import { createTokenBucket } from '../../key-gate.ts';
import type { Adapter, AdapterContext } from '../adapter.ts';
import { SourceDown } from '../outage.ts';
import { DateTime } from 'luxon';
import pLimit from 'p-limit';
import { setTimeout as sleep } from 'node:timers/promises';

export type WaitFunction = (ms: number, signal: AbortSignal) => Promise<unknown>;
export const waitUnlessAborted: WaitFunction = (ms, signal) => sleep(ms, undefined, { signal });

type WaitLeave = { signal: AbortSignal; leftMs: () => number };

/**
 * Runs one request when the rate limit permits.
 * @param leave.leftMs maximum wait
 * @throws SourceDown `source_busy` if the wait would be too long
 */
export type RequestPace = <T>(leave: WaitLeave, request: () => Promise<T>) => Promise<T>;

export function createRequestPace(
  { name, pace, everyMs, serial = everyMs !== undefined }: Adapter,
  options: { clock: Clock; turns: RequestPacing; wait: WaitFunction },
): RequestPace {
  const bucket = createTokenBucket(pace, options.clock);
  const alone = pLimit(1);

  async function awaitTurn({ signal, leftMs }: WaitLeave) {
    if (everyMs === undefined) return;
    const next = options.turns.next(name, everyMs, leftMs()).catch(() => {
      throw new SourceDown('source_failed', { detail: 'its rate limit could not be checked', unasked: true });
    });
    const waitMs = await awaitUnlessAborted(signal, next);
    if (waitMs === undefined) throw createBusyOutage();
    if (waitMs > 0) await options.wait(waitMs, signal);
  }

  return async (leave, request) => {
    const waitMs = bucket.take(leave.leftMs());
    if (waitMs === undefined) throw createBusyOutage();
    let used = false;
    const ask = async () => {
      leave.signal.throwIfAborted();
      await awaitTurn(leave);
      used = true;
      return request();
    };
    try {
      if (waitMs > 0) await options.wait(waitMs, leave.signal);
      // An aborted caller returns at once; the queue continues without it.
      return await (serial ? awaitUnlessAborted(leave.signal, alone(ask)) : ask());
    } finally {
      if (!used) bucket.refund();
    }
  };
}

function createBusyOutage(): SourceDown {
  return new SourceDown('source_busy', { unasked: true });
}

/** The allowance of the current day in the source's time zone; undefined if it has none. */
export function findCurrentAllowance({ name, allowance }: Adapter, clock: Clock): Allowance | undefined {
  if (allowance === undefined) return undefined;
  const period = DateTime.fromJSDate(clock.now(), { zone: allowance.zone }).toISODate();
  if (period === null) throw new RangeError(`unknown time zone of the allowance of ${name}`);
  return { source: name, period, most: allowance.most };
}

export type WalletParts = {
  clock: Clock;
  log: Logger;
  ports: Pick<ServicePorts, 'allowances'>;
  /** Units of the source reserved by requests in progress in this process, which may still be returned. */
  held: { units: number };
};

/**
 * Tracks the spending of one query until it is settled. Returned units go to the day they were reserved on; if the
 * counter is unavailable, they stay spent.
 */
export function createAllowanceWallet(
  adapter: Adapter,
  { clock, log, ports: { allowances }, held }: WalletParts,
): Pick<AdapterContext, 'spend' | 'unspend'> & { settle: (isUnused: boolean) => void } {
  let taken: Allowance | undefined;
  let mine: number | undefined = 0;
  function hold(units: number): void {
    if (mine === undefined) return; // settled
    mine += units;
    held.units += units;
  }

  /** Whether the units would suffice if all other reservations were returned. */
  async function isHeld(today: Allowance, units: number): Promise<boolean> {
    const others = held.units - (mine ?? 0);
    const used = others > 0 ? await allowances.used(today).catch(() => undefined) : undefined;
    return used !== undefined && used - others + units <= today.most;
  }

  async function unspend(units: number): Promise<void> {
    if (taken === undefined) return;
    hold(-units);
    await allowances.refund(taken, units).catch((err: unknown) => {
      log.warn({ err, source: adapter.name, units }, 'allowance refund failed');
    });
  }

  return {
    unspend,
    settle(isUnused) {
      const units = mine ?? 0;
      if (isUnused && units > 0) void unspend(units);
      else hold(-units);
      mine = undefined;
    },
    async spend(units) {
      const today = findCurrentAllowance(adapter, clock);
      if (today === undefined) return;
      // If the counter is unavailable, refuse to spend.
      const isTaken = await allowances.take(today, units).catch(() => {
        throw new SourceDown('source_failed', {
          detail: 'its allowance could not be checked',
          unasked: true,
        });
      });
      if (!isTaken) {
        if (await isHeld(today, units)) {
          const detail = 'the rest of its allowance is reserved by requests in progress';
          throw new SourceDown('source_busy', { detail, unasked: true });
        }
        const detail = `${today.most} ${adapter.allowance?.unit} a day`;
        throw new SourceDown('source_quota', { detail, unasked: true });
      }
      taken = today;
      // The query was aborted meanwhile, so no request will be sent.
      if (mine === undefined) await unspend(units);
      else hold(units);
    },
  };
}
