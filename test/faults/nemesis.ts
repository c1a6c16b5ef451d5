/** A source of random faults: a seed decides when and which, until the time is up. */
import { setTimeout as wait } from 'node:timers/promises';
import { POINTS, type Point } from '../journey-points.ts';
import type { WorkerProcess } from '../processes.ts';
import type { Crew } from './crew.ts';
import { between, oneOf } from './random.ts';
import type { Stage } from './stage.ts';
import type { Wire } from './wire.ts';

export const HARMS = [
  'kill',
  'die',
  'sleep',
  'restart',
  'skew',
  'flush',
  'wire',
  'postgres',
  'redis',
] as const;
export type Harm = (typeof HARMS)[number];

type Attack = {
  random: () => number;
  /** The weight of each. */
  harms: readonly [Harm, ...Harm[]];
  /** The maximum of milliseconds between two faults. */
  paceMs: number;
  /** The total number; unlimited by default. */
  times?: number;
};

/** Causes faults until `over` is aborted. Its effects on servers and wires have ended when it returns. */
export async function attack(stage: Stage, crew: Crew, plan: Attack, over: AbortSignal): Promise<void> {
  const { random, harms, paceMs, times = Number.POSITIVE_INFINITY } = plan;
  const healing = new Set<Promise<void>>();
  const forAWhile = (ms: number, heal: () => void | Promise<void>) => {
    const healed = wait(ms, undefined, { signal: over })
      .catch(() => {})
      .then(heal)
      .finally(() => healing.delete(healed));
    healing.add(healed);
  };
  for (let done = 0; done < times && !over.aborted; ) {
    await wait(between(random, paceMs / 4, paceMs), undefined, { signal: over }).catch(() => {});
    const worker = victim(crew, random);
    if (worker === undefined || over.aborted) continue;
    const harm = oneOf(random, harms);
    done += 1;
    const ms = between(random, 500, 4_000);
    const what = await inflict(harm, worker);
    stage.note(`${harm} ${what}`);

    async function inflict(kind: Harm, on: WorkerProcess): Promise<string> {
      switch (kind) {
        case 'kill':
          on.child.kill('SIGKILL');
          return String(on.child.pid);
        case 'die': {
          const point = oneOf(random, Object.keys(POINTS) as [Point, ...Point[]]); // the keys of that very table
          crew.next({ dieAt: point });
          on.child.kill('SIGKILL');
          return `${on.child.pid}, and whoever follows ${point}`;
        }
        case 'sleep':
          on.child.kill('SIGSTOP');
          forAWhile(ms, () => void on.child.kill('SIGCONT'));
          return `${on.child.pid} for ${ms} ms`;
        case 'restart':
          void on.stop();
          return String(on.child.pid);
        case 'skew': {
          const skew = between(random, -90_000, 90_000);
          on.moveClock(skew);
          forAWhile(ms, () => on.moveClock(0));
          return `${on.child.pid} by ${skew} ms for ${ms} ms`;
        }
        case 'flush':
          await stage.emptyQueue().catch(() => {});
          return 'the queue';
        case 'wire': {
          const name = oneOf(random, ['postgres', 'queue', 'service'] as const);
          const words = disturb(stage.wires[name], random);
          forAWhile(ms, () => stage.wires[name].pass());
          return `to ${name}: ${words} for ${ms} ms`;
        }
        case 'postgres': {
          const how = oneOf(random, ['fast', 'immediate'] as const);
          await stage.postgres.stop(how);
          await wait(ms / 2);
          await stage.postgres.start();
          return `${how}, away for ${ms / 2} ms`;
        }
        case 'redis':
          await stage.redis.stop('SIGKILL');
          await wait(ms / 2);
          await stage.redis.start();
          return `away for ${ms / 2} ms`;
      }
    }
  }
  await Promise.all(healing);
}

function victim(crew: Crew, random: () => number): WorkerProcess | undefined {
  const [first, ...rest] = crew.workers();
  return first === undefined ? undefined : oneOf(random, [first, ...rest]);
}

function disturb(wire: Wire, random: () => number): string {
  const how = oneOf(random, ['hold', 'drop', 'reset', 'delay', 'throttle', 'cut'] as const);
  const much = between(random, 50, 5_000);
  if (how === 'delay') wire.delay(much / 5);
  else if (how === 'throttle') wire.throttle(much * 20);
  else if (how === 'cut') wire.cutAfter(much);
  else wire[how]();
  return `${how} ${much}`;
}
