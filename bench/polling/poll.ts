/** Polls topics by the rules of the program, at fixed and at adaptive intervals, with a forecast half-way. */
import { DAY, HOUR, MINUTE } from '../../src/lib/time.ts';
import { earliestCall, fitFill, planAhead, spendCall } from '../../src/monitor/schedule/call-budget.ts';
import {
  forecastAdaptive,
  forecastFixed,
  type PaceForecast,
} from '../../src/monitor/schedule/pace-forecast.ts';
import { chooseInterval, USUAL_FILL } from '../../src/monitor/schedule/pace-interval.ts';
import { learn, NEW_PACE, type Pace } from '../../src/monitor/schedule/pace.ts';
import { seeded } from '../../test/faults/random.ts';
import { END, type Limits, START, Topic } from './topics.ts';

const BOUNDS = { leastMs: 2 * MINUTE, mostMs: 6 * HOUR };
/** How often the fill is fitted to the calls that are left of the day, as by `readServiceFill`. */
const FIT_MS = 15 * MINUTE;
/** When forecasts are made, for the rest of the time. */
const HALF = START + 7 * DAY;

export type Plan =
  | { everyMs: number }
  /** Calls per day of all topics together, and of each; null: as many as the rule wants. */
  | { shared: number | null; each: number | null };

export type Polled = {
  /** Of all time after the first call. */
  found: number;
  published: number;
  calls: number;
  /** Of the second half, as foreseen and as it was; null if no rate was known. */
  foreseen: PaceForecast | null;
  second: PaceForecast & { published: number };
};

/** Polls each topic once per due time. */
export function poll(world: readonly number[][], limits: Limits, plan: Plan): Polled[] {
  const random = seeded(1);
  const searches = world.map((posts, i) => ({
    topic: new Topic(posts, limits, random),
    pace: NEW_PACE,
    dueAt: START + (('everyMs' in plan ? plan.everyMs : HOUR) * i) / world.length,
    spentUntil: null as number | null, // a number after the first call of a limited search
  }));
  const halves: { calls: number; found: number; foreseen: PaceForecast | null }[] = [];
  let fill = USUAL_FILL;
  let fittedAt = Number.NEGATIVE_INFINITY;
  let today = { day: 0, calls: 0 };
  for (;;) {
    const next = searches.reduce((a, b) => (b.dueAt < a.dueAt ? b : a));
    const at = next.dueAt;
    if (halves.length === 0 && at >= HALF)
      halves.push(
        ...searches.map(({ topic, pace }) => ({
          calls: topic.calls,
          found: topic.found,
          foreseen: foresee(plan, pace, fill),
        })),
      );
    if (at >= END) break;
    if ('everyMs' in plan) {
      next.pace = learn(next.pace, next.topic.call(at));
      next.dueAt = at + plan.everyMs;
      continue;
    }
    const { shared, each } = plan;
    const day = Math.floor(at / DAY);
    if (day !== today.day) today = { day, calls: 0 };
    if (shared !== null && today.calls >= shared) {
      next.dueAt = (day + 1) * DAY;
      continue;
    }
    if (shared !== null && at - fittedAt >= FIT_MS) {
      const paces = searches.map(({ pace }) => ({ pace, ...BOUNDS }));
      fill = fitFill(paces, planAhead(shared, shared - today.calls, at));
      fittedAt = at;
    }
    today.calls += 1;
    const response = next.topic.call(at);
    const pace = learn(next.pace, response);
    next.pace = pace;
    if (each !== null) next.spentUntil = spendCall(next.spentUntil, at, each);
    const own =
      each === null ? fill : fitFill([{ pace, ...BOUNDS }], { calls: each, from: at, until: at + DAY });
    const { ms } = chooseInterval(pace, at, { ...BOUNDS, fill: Math.max(fill, own) }, response);
    next.dueAt = Math.max(at + ms, earliestCall(next.spentUntil, each));
  }
  return searches.map(({ topic }, i) => {
    const half = halves[i] ?? { calls: 0, found: 0, foreseen: null };
    const published = topic.countPublished(HALF, END);
    return {
      found: topic.found,
      published: topic.countPublished(START, END),
      calls: topic.calls,
      foreseen: half.foreseen,
      second: {
        published,
        callsPerDay: (topic.calls - half.calls) / ((END - HALF) / DAY),
        caught: published === 0 ? 1 : (topic.found - half.found) / published,
      },
    };
  });
}

function foresee(plan: Plan, pace: Pace, fill: number): PaceForecast | null {
  if ('everyMs' in plan) return forecastFixed(pace, plan.everyMs);
  return forecastAdaptive(pace, BOUNDS, { calls: plan.each, ofService: null, fill });
}
