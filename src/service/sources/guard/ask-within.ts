/** What an adapter asks with: each request in its turn, within the time of all, and with its allowance. */
import type { Agent } from 'undici';
import type { Clock } from '../../../engine/clock.ts';
import type { Logger } from '../../../engine/logger.ts';
import { SourceDown } from '../../outage.ts';
import type { ServicePorts } from '../../ports.ts';
import type { Adapter, Asking } from '../adapter.ts';
import { createPurse, type Held } from './allowance.ts';
import { createAsk, type Question } from './ask.ts';
import type { Pace } from './pace.ts';

export type Within = {
  asking: Asking;
  /** Whether a request waits for its turn; one that does when time is up waits for ever. */
  isWaiting: () => boolean;
  /** Why less was found than there is; undefined where all was. */
  shortness: () => SourceDown | undefined;
  /** Ends the question: what it took of the allowance and did not give back is spent. */
  settle: () => void;
};

/**
 * @param signal ends what is asked
 * @param parts.leftMs in how many milliseconds it will
 */
export function askWithin(
  signal: AbortSignal,
  adapter: Adapter,
  parts: {
    clock: Clock;
    log: Logger;
    ports: Pick<ServicePorts, 'allowances'>;
    who: string;
    agent: Agent;
    pace: Pace;
    leftMs: () => number;
    held: Held;
  },
): Within {
  const { clock, log, pace, leftMs } = parts;
  const asks = { who: parts.who, agent: parts.agent, clock };
  const waiting = new Set<Question>();
  const isWaiting = () => waiting.size > 0;
  let short: SourceDown | undefined;
  const purse = createPurse(adapter, { clock, log, allowances: parts.ports.allowances, held: parts.held });
  const asking: Asking = {
    clock,
    leftMs,
    spend: purse.spend,
    unspend: purse.unspend,
    cutShort(down) {
      short = signal.aborted ? outOfTime(isWaiting()) : down;
    },
    async ask(question, mostMs) {
      signal.throwIfAborted();
      const bounded =
        mostMs === undefined
          ? { signal, leftMs }
          : {
              signal: AbortSignal.any([signal, AbortSignal.timeout(mostMs)]),
              leftMs: () => Math.min(mostMs, leftMs()),
            };
      const ask = createAsk({ ...asks, signal: bounded.signal });
      waiting.add(question);
      try {
        return await pace.inTurn(bounded, () => {
          waiting.delete(question);
          return ask(question);
        });
      } catch (error) {
        signal.throwIfAborted(); // whatever was waited for then
        if (bounded.signal.aborted) throw outOfTime(waiting.has(question));
        throw error;
      } finally {
        if (!signal.aborted) waiting.delete(question);
      }
    },
  };
  return { asking, isWaiting, shortness: () => short, settle: purse.settle };
}

/** @param isWaiting whether it was not even asked, because its turn had not come */
export function outOfTime(isWaiting: boolean): SourceDown {
  return isWaiting ? new SourceDown('source_busy', { unasked: true }) : new SourceDown('source_timeout');
}
