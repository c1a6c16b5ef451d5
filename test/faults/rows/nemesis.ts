/** Random faults, with a seed that repeats which and where (not the timing of the machine). */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { isUnreachable } from '../../../src/store/db/database.ts';
import { status as answered } from '../../tell/receiver.ts';
import { hire } from '../crew.ts';
import { attack, HARMS, type Harm } from '../nemesis.ts';
import { between, oneOf, seeded } from '../random.ts';
import type { Row } from '../row.ts';
import { late, posts, reset, status } from '../scripts.ts';
import type { Script } from '../service.ts';
import type { Stage } from '../stage.ts';

/** Up to so many searches, their first runs end before harm begins. */
const FEW = 100;
/** Searches stay due: after recovery no pending work is older than this. */
const REST_MS = 15_000;
/** Of posts that a response holds. */
const WINDOW = 5;

/** Every response has one more post than the last; sometimes the service is late, fails, or disconnects. */
function moving(random: () => number, failing: number): Script {
  const seen = new Map<string, number>();
  return async (asked, response) => {
    if (random() < failing)
      return oneOf(random, [status(503, { 'retry-after': '1' }), status(500), reset])(asked, response);
    const newest = (seen.get(asked.prompt) ?? WINDOW) + 1;
    seen.set(asked.prompt, newest);
    const ids = Array.from({ length: WINDOW }, (_, i) => `${asked.prompt}0${newest - i}`);
    await late(between(random, 0, 400), posts(ids))(asked, response);
  };
}

/** Manual runs of any search, about three a second, until it is over. */
async function keepAsking(
  stage: Stage,
  searches: number,
  random: () => number,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    await wait(between(random, 100, 600));
    await stage.again(between(random, 1, searches)).catch((error: unknown) => {
      if (!isUnreachable(error)) throw error;
    });
  }
}

/** How runs ended, for the record. */
async function ends(stage: Stage): Promise<Map<string, number>> {
  const rows = await stage.rows(
    `SELECT concat_ws(' ', status, coalesce(code, reason)) AS ending, count(*)::int AS n FROM strandline.runs GROUP BY 1 ORDER BY 2 DESC`,
  );
  return new Map(rows.map(({ ending, n }) => [ending, n]));
}

/** Searches that are due about ten times a second in total; a few are due once a minute. */
async function addMany(stage: Stage, searches: number): Promise<void> {
  const every = `${Math.max(60, Math.ceil(searches / 10))}s`;
  const prompts = Array.from({ length: searches }, (_, i) => i + 1).values();
  const adding = async () => {
    for (const prompt of prompts) await stage.add(prompt, { every });
  };
  await Promise.all([adding(), adding(), adding(), adding()]);
}

/** @param plan.searches thousands make it a soak: harm begins while their first runs still wait */
export function nemesis({ ms, seed, searches }: { ms: number; seed: number; searches: number }): Row {
  return {
    id: 'nemesis',
    title: `${ms / 1_000} s of random faults of every kind with ${searches} searches, seed ${seed}`,
    core: true,
    postgres: {},
    redis: [],
    // It is not the day's allowance that a soak is about.
    env: { CALLS_PER_DAY: '1000000' },
    restMs: REST_MS,
    seconds: ms / 1_000 + 600 + searches / 10,
    play: async (stage) => {
      const random = seeded(seed);
      stage.service.answers(moving(seeded(seed + 1), 0.05));
      stage.receiver.answers((response, received) =>
        answered(random() < 0.1 ? 503 : 200)(response, received),
      );
      await stage.alert('channel');
      const crew = await hire(stage, 3);
      await addMany(stage, searches);
      if (searches <= FEW) await stage.settled();
      const over = AbortSignal.timeout(ms);
      const harms = HARMS.filter((harm) => harm !== 'redis' || stage.backend === 'redis') as [
        Harm,
        ...Harm[],
      ];
      await Promise.all([
        attack(stage, crew, { random, harms, paceMs: 3_000 }, over),
        keepAsking(stage, searches, seeded(seed + 2), over),
      ]);
      stage.receiver.answers(answered(200));
      await stage.rows('UPDATE strandline.channels SET resting_until = NULL');
      await stage.caughtUp(REST_MS, 180 + searches / 20);
      await crew.dismiss();
      const ended = await ends(stage);
      stage.note(JSON.stringify(Object.fromEntries(ended)));
      assert.ok(
        (ended.get('succeeded') ?? 0) > ms / 3_000,
        'too few runs succeeded for the rest to say much',
      );
    },
  };
}

export const STORM: readonly Row[] = [
  {
    id: 'storm',
    title:
      'workers are killed at random during thirty runs: each run ends, none exceeds its calls, and every post is new once',
    core: true,
    main: true,
    everyCommit: true,
    env: { WORKER_CONCURRENCY: '4' },
    seconds: 300,
    play: async (stage) => {
      const seed = Math.floor(Math.random() * 2 ** 31);
      stage.note(`seed ${seed}`);
      stage.service.answers(moving(seeded(seed + 1), 0));
      for (let prompt = 1; prompt <= 30; prompt += 1) await stage.add(prompt);
      const crew = await hire(stage, 2);
      const plan = { random: seeded(seed), harms: ['kill'], paceMs: 600, times: 3 } as const;
      await attack(stage, crew, plan, new AbortController().signal);
      await stage.settled();
      await crew.dismiss();
      const ended = await ends(stage);
      stage.note(JSON.stringify(Object.fromEntries(ended)));
      // Two calls that nobody heard the answer of, or three leases without a word: the only other ends there may be.
      const others = [...ended.keys()].filter(
        (ending) => !/^(succeeded|failed (budget_exceeded|internal))$/.test(ending),
      );
      assert.deepEqual(others, []);
      assert.ok((ended.get('succeeded') ?? 0) >= 25);
    },
  },
];
