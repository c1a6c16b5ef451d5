/**
 * Interleavings of two to four connections, drawn from a seed: each does a piece of the program's work with the program's
 * own functions, a schedule decides which of them sends its next statement, and meanwhile leases end, processes die and
 * scans stop. The real Postgres decides the outcome; afterwards the guarantees are checked on the tables.
 *
 * `npm run test:interleavings` plays more of them, of a new seed. INTERLEAVINGS_SEED repeats those of one seed.
 */
import { randomInt } from 'node:crypto';
import { asyncProperty, check } from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import { DEFECTS, mutationOf } from './mutations.ts';
import { type Plan, plan, planFor } from './plan.ts';
import { describePlay, play } from './play.ts';
import { openStage, type Stage } from './stage.ts';

const { INTERLEAVINGS_SEED, INTERLEAVINGS } = process.env;
const COUNT = Number(INTERLEAVINGS ?? 120);
const SEED = INTERLEAVINGS_SEED === 'any' ? randomInt(2 ** 31) : Number(INTERLEAVINGS_SEED ?? 20_261_121);
/** A defect is found within so many. */
const WITHIN = 1_000;

// Each plays its share: one waits for its database while another one works. Four of them keep two cores busy.
const stages = await Promise.all([openStage(), openStage(), openStage(), openStage()]);
const [stage] = stages;
afterEach(() => stage.setMutation(null));
afterAll(() => Promise.all(stages.map((one) => one.close())));

test(
  `${COUNT} interleavings, seed ${SEED}: every guarantee holds`,
  async () => {
    const began = performance.now();
    const played = await Promise.all(
      stages.map((one, i) => playMany(one, SEED + i, Math.ceil(COUNT / stages.length))),
    );
    const seconds = (performance.now() - began) / 1_000;
    const statements = played.reduce((sum, one) => sum + one.statements, 0) / COUNT;
    process.stdout.write(
      `seed ${SEED}, ${COUNT} interleavings of ${statements.toFixed(0)} statements, ${(COUNT / seconds).toFixed(0)} a second\n`,
    );
    expect(played.flatMap(({ failure }) => failure ?? [])).toEqual([]);
  },
  60_000 + COUNT * 200,
);

async function playMany(
  on: Stage,
  seed: number,
  numRuns: number,
): Promise<{ statements: number; failure: string | null }> {
  let statements = 0;
  const { counterexample, numRuns: at } = await check(
    asyncProperty(plan, async (drawn) => {
      const { violations, trace } = await play(on, drawn);
      statements += trace.length;
      return violations.length === 0;
    }),
    { seed, numRuns },
  );
  if (counterexample === null) return { statements, failure: null };
  const [least] = counterexample;
  const again = describePlay(least, await play(on, least));
  return {
    statements,
    failure: `INTERLEAVINGS_SEED=${seed}, interleaving ${at}, shrunk:\n${again}\n${JSON.stringify(least)}`,
  };
}

const executes = { does: 'execute', run: 'a', response: 'posts' } as const;
const limits = { perRun: 3, perDay: undefined, perMinute: undefined };

/** They broke a guarantee once, or seemed to. */
const SCHEDULES: readonly (Plan & { name: string })[] = [
  {
    name: 'a response stored while the next call waits for the first scan after an outage is not paid for again',
    roles: [executes, executes, { does: 'scan', takeOver: false }],
    limits,
    calledBefore: true,
    steps: [
      { connection: 0, statements: 2 },
      { event: 'leases end' },
      { connection: 1, statements: 3 },
      { event: 'no scan for a minute' },
      { connection: 2, statements: 2 },
      { connection: 1, statements: 1 },
      { connection: 0, statements: 1 },
    ],
  },
  {
    name: 'a response stored while the next call waits for the minute is not paid for again',
    roles: [executes, executes],
    limits: { ...limits, perMinute: 3 },
    calledBefore: true,
    steps: [
      { connection: 0, statements: 2 },
      { event: 'leases end' },
      { connection: 1, statements: 3 },
      { event: 'minute row locked' },
      { connection: 1, statements: 1 },
      { connection: 0, statements: 1 },
    ],
  },
  {
    name: 'a lease that waited for a call of the previous lease marks that call as unknown',
    roles: [executes, executes],
    limits: { ...limits, perMinute: 3 },
    calledBefore: true,
    steps: [
      { connection: 0, statements: 1 },
      { event: 'leases end' },
      { event: 'minute row locked' },
      { connection: 0, statements: 1 },
      { connection: 1, statements: 1 },
      { event: 'minute row released' },
      { dies: 0 },
    ],
  },
  {
    name: 'a call marked as unknown by a later lease is not sent while a response is unread',
    roles: [executes, executes, executes],
    limits,
    calledBefore: false,
    steps: [
      { connection: 0, statements: 2 },
      { event: 'leases end' },
      { connection: 1, statements: 4 },
      { event: 'leases end' },
      { connection: 2, statements: 2 },
      { connection: 0, statements: 1 },
      { connection: 1, statements: 1 },
    ],
  },
  {
    name: 'a call marked as unknown by a later lease is refunded if it was never sent',
    roles: [{ ...executes, response: 'refused' }, executes],
    limits: { ...limits, perRun: 1 },
    calledBefore: false,
    steps: [{ connection: 0, statements: 2 }, { event: 'leases end' }, { connection: 1, statements: 2 }],
  },
  {
    name: 'slots of a pause have no rows',
    roles: [{ does: 'change', changes: ['pause', 'resume'] }],
    limits,
    calledBefore: true,
    // The last statement of the first transaction: the minute passes before the second one.
    steps: [{ connection: 0, statements: 14 }, { event: 'a minute passes' }],
  },
];

test.each(SCHEDULES)('$name', async (schedule) => {
  const played = await play(stage, schedule);
  expect(played.violations, describePlay(schedule, played)).toEqual([]);
});

test.each(DEFECTS)('detects that $name', async (defect) => {
  let replaced = 0;
  stage.setMutation(
    mutationOf(defect, () => {
      replaced += 1;
    }),
  );
  let found: string[] = [];
  const result = await check(
    asyncProperty(planFor(defect), async (drawn) => {
      const { violations } = await play(stage, drawn);
      if (violations.length === 0) return true;
      found = violations;
      return false;
    }),
    { seed: SEED, numRuns: WITHIN, endOnFailure: true },
  );
  expect(replaced, 'the text that is replaced is not in any statement').toBeGreaterThan(0);
  expect(found.join('\n')).toMatch(defect.finds);
  if (process.env['INTERLEAVINGS'] !== undefined)
    process.stdout.write(`found by interleaving ${result.numRuns}: ${defect.name}\n`);
});
