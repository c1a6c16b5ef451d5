/** What a source allows in a day, by the day of its own time zone. */
import { DateTime } from 'luxon';
import type { Clock } from '../../../engine/clock.ts';
import type { Logger } from '../../../engine/logger.ts';
import { SourceDown } from '../../outage.ts';
import type { Allowance, Allowances } from '../../ports.ts';
import type { Adapter, Asking } from '../adapter.ts';

/** The allowance of the day it is now; undefined where the source has none. */
export function allowanceOf({ name, allowance }: Adapter, clock: Clock): Allowance | undefined {
  if (allowance === undefined) return undefined;
  const period = DateTime.fromJSDate(clock.now(), { zone: allowance.zone }).toISODate();
  if (period === null) throw new RangeError(`the time zone of the allowance of ${name} is not known`);
  return { source: name, period, most: allowance.most };
}

/**
 * Spending for one question. What is given back goes to the day that it was taken from; where that cannot be
 * counted, it stays spent.
 */
export function createPurse(
  adapter: Adapter,
  { clock, log, allowances }: { clock: Clock; log: Logger; allowances: Allowances },
): Pick<Asking, 'spend' | 'unspend'> {
  let taken: Allowance | undefined;
  return {
    async spend(units) {
      const today = allowanceOf(adapter, clock);
      if (today === undefined) return;
      // Where it cannot be counted, nothing is spent.
      const isTaken = await allowances.take(today, units).catch(() => {
        throw new SourceDown('source_failed', { detail: 'its allowance cannot be counted', unasked: true });
      });
      if (!isTaken) {
        const detail = `${today.most} ${adapter.allowance?.unit} a day`;
        throw new SourceDown('source_quota', { detail, unasked: true });
      }
      taken = today;
    },
    async unspend(units) {
      if (taken === undefined) return;
      await allowances.giveBack(taken, units).catch((err: unknown) => {
        log.warn({ err, source: adapter.name, units }, 'what was not used of an allowance stays spent');
      });
    },
  };
}
