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

/** Units that questions under way in this process have taken of one source, and may give back. */
export type Held = { units: number };

/**
 * Spending for one question, until it is settled. What is given back goes to the day that it was taken from; where that cannot be
 * counted, it stays spent.
 */
export function createPurse(
  adapter: Adapter,
  { clock, log, allowances, held }: { clock: Clock; log: Logger; allowances: Allowances; held: Held },
): Pick<Asking, 'spend' | 'unspend'> & { settle: () => void } {
  let taken: Allowance | undefined;
  let mine: number | undefined = 0;
  function hold(units: number): void {
    if (mine === undefined) return; // settled
    mine += units;
    held.units += units;
  }

  /** Whether there would be enough if the others gave back what they hold. */
  async function isHeld(today: Allowance, units: number): Promise<boolean> {
    const others = held.units - (mine ?? 0);
    const used = others > 0 ? await allowances.used(today).catch(() => undefined) : undefined;
    return used !== undefined && used - others + units <= today.most;
  }

  return {
    settle() {
      hold(-(mine ?? 0));
      mine = undefined;
    },
    async spend(units) {
      const today = allowanceOf(adapter, clock);
      if (today === undefined) return;
      // Where it cannot be counted, nothing is spent.
      const isTaken = await allowances.take(today, units).catch(() => {
        throw new SourceDown('source_failed', { detail: 'its allowance cannot be counted', unasked: true });
      });
      if (!isTaken) {
        if (await isHeld(today, units)) {
          const detail = 'what is left of its allowance is held by questions under way';
          throw new SourceDown('source_busy', { detail, unasked: true });
        }
        const detail = `${today.most} ${adapter.allowance?.unit} a day`;
        throw new SourceDown('source_quota', { detail, unasked: true });
      }
      taken = today;
      hold(units);
    },
    async unspend(units) {
      if (taken === undefined) return;
      hold(-units);
      await allowances.giveBack(taken, units).catch((err: unknown) => {
        log.warn({ err, source: adapter.name, units }, 'what was not used of an allowance stays spent');
      });
    },
  };
}
