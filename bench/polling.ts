/**
 * How many posts fixed and adaptive intervals find with the same number of calls, and how far forecasts are off:
 * docs/internals/decisions.md has the last figures. Uses the rules of the program (`src/monitor/schedule`). Ends with 1 where
 * a seed misses a target.
 *
 *   npm run -s bench:polling -- [--seeds 1,2,3]
 */
import { parseArgs } from 'node:util';
import { DAY, HOUR, MINUTE } from '../src/lib/time.ts';
import { poll, type Plan, type Polled } from './polling/poll.ts';
import { createWorld, END, START } from './polling/topics.ts';
import { aligned } from './report.ts';

/** Newest posts per response, further popular ones, and the share of posts that must be found with {@link CALLS_PER_DAY}. */
const CASES = [
  { newest: 24, popular: 16, target: 0.88 },
  { newest: 40, popular: 0, target: 0.98 },
] as const;
const CALLS_PER_DAY = 960;
/** The constants of the rules were chosen with the first ones; the others are only measured. */
const CHOSEN_SEEDS = [1, 2, 3, 4, 5, 6];
const FRESH_SEEDS = [101, 102, 103, 104];

const PLANS: readonly (readonly [name: string, plan: Plan])[] = [
  ['hourly', { everyMs: HOUR }],
  ['every 15 min', { everyMs: 15 * MINUTE }],
  [`adaptive, ${CALLS_PER_DAY} for all`, { shared: CALLS_PER_DAY, each: null }],
  ['adaptive, 96 each', { shared: null, each: 96 }],
  ['adaptive, 24 each', { shared: null, each: 24 }],
  ['adaptive, no limit', { shared: null, each: null }],
];

/** Fewer posts in a week show no share. */
const LEAST_PUBLISHED = 50;

const { values } = parseArgs({ options: { seeds: { type: 'string' } } });
const seeds = values.seeds?.split(',').map(Number) ?? [...CHOSEN_SEEDS, ...FRESH_SEEDS];
const worlds = seeds.map((seed) => ({ seed, posts: createWorld(seed) }));
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const shareFound = (topics: readonly Polled[]) =>
  sum(topics.map(({ found }) => found)) / sum(topics.map(({ published }) => published));

const lines = [
  [
    'newest',
    'plan',
    'calls a day',
    'found: mean',
    'by seed',
    'target',
    'forecast: all',
    'each',
    '9 of 10',
    'calls',
  ],
];
for (const { target, ...limits } of CASES)
  for (const [name, plan] of PLANS) {
    const polled = worlds.map(({ posts }) => poll(posts, limits, plan));
    const found = polled.map(shareFound);
    const isTarget = 'shared' in plan && plan.shared !== null;
    const isMet = found.every((share) => share >= target);
    if (isTarget && !isMet) process.exitCode = 1;
    lines.push([
      `${limits.newest} of ${limits.newest + limits.popular}`,
      name,
      (sum(polled.flat().map(({ calls }) => calls)) / seeds.length / ((END - START) / DAY)).toFixed(0),
      percent(sum(found) / found.length),
      found.map((share) => (share * 100).toFixed(1)).join(' '),
      isTarget ? `${percent(target)} ${isMet ? '✓' : '✗'}` : '',
      ...judgeForecasts(polled.flat()),
    ]);
  }
process.stdout.write(`${aligned(lines)}\n`);

/** How far the second half was from its forecast: all posts, the mean and the ninth of ten topics, and the calls. */
function judgeForecasts(topics: readonly Polled[]): string[] {
  const judged = topics.flatMap(({ foreseen, second }) =>
    foreseen === null || second.published < LEAST_PUBLISHED ? [] : [{ foreseen, second }],
  );
  const off = judged
    .map(({ foreseen, second }) => Math.abs(foreseen.caught - second.caught))
    .sort((a, b) => a - b);
  const posts = (share: (one: (typeof judged)[number]) => number) =>
    sum(judged.map((one) => share(one) * one.second.published)) /
    sum(judged.map(({ second }) => second.published));
  const all = posts(({ foreseen }) => foreseen.caught) - posts(({ second }) => second.caught);
  const calls =
    sum(judged.map(({ foreseen }) => foreseen.callsPerDay)) /
      sum(judged.map(({ second }) => second.callsPerDay)) -
    1;
  const points = (share: number) => (share * 100).toFixed(1);
  return [
    `${all < 0 ? '' : '+'}${points(all)}`,
    points(sum(off) / off.length),
    points(off[Math.floor(off.length * 0.9)] ?? 0),
    `${calls < 0 ? '' : '+'}${percent(calls)}`,
  ];
}
