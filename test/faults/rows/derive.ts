/** Deriving: killed midway, concurrent, and with responses parsed again meanwhile. */
import assert from 'node:assert/strict';
import { derivePending } from '../../../src/monitor/derive/follower.ts';
import { replayRun } from '../../../src/monitor/runs/late-and-replay.ts';
import { readDerived, readRebuilt } from '../../derived.ts';
import type { Point } from '../../journey-points.ts';
import type { Row } from '../row.ts';
import { ownPosts } from '../scripts.ts';
import type { Stage } from '../stage.ts';

/** How long a batch may take to be derived, where a killed one came before it. */
const DERIVED_SECONDS = 20;

/** Waits until nothing is left to derive, and compares it with a rebuild. */
async function assertAsRebuilt(stage: Stage): Promise<void> {
  await stage.until(
    'everything is derived',
    async () => (await stage.rows('SELECT FROM strandline.pending_derivations')).length === 0,
    DERIVED_SECONDS * 1_000,
  );
  // Names of a day and rising posts would wait for minutes.
  await stage.until(
    'no figure waits',
    async () => {
      await derivePending(stage.ctx, { settleMs: null });
      const waiting = await stage.rows(
        `SELECT FROM strandline.search_days WHERE names_wait_since IS NOT NULL
         UNION ALL SELECT FROM strandline.latest_results WHERE rising_waits_since IS NOT NULL`,
      );
      return waiting.length === 0;
    },
    DERIVED_SECONDS * 1_000,
  );
  const derived = await readDerived(stage.ctx);
  assert.notEqual(derived['latest_results']?.length, 0);
  assert.deepEqual(await readRebuilt(stage.ctx), derived);
}

/** Two searches whose worker died at a point of deriving; another worker continues. */
async function diesDeriving(stage: Stage, point: Point): Promise<void> {
  stage.service.answers(ownPosts);
  const dying = await stage.start({}, { dieAt: point });
  const runs = [await stage.add(1, { topic: 'shared' }), await stage.add(2, { topic: 'shared' })];
  await dying.ended;
  await stage.start();
  for (const { runId } of runs) assert.equal((await stage.ended(runId)).status, 'succeeded');
  await assertAsRebuilt(stage);
}

/** A constraint of the row that rejects what is derived from one search. */
const REFUSE = `
  CREATE FUNCTION strandline.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'refused' USING ERRCODE = 'check_violation';
  END $$;`;

export const DERIVE: readonly Row[] = [
  {
    id: 'F25',
    title:
      'a worker that dies mid-batch while deriving leaves no changes: the next one derives all of it once',
    core: true,
    play: (stage) => diesDeriving(stage, 'inside the follower'),
  },
  {
    id: 'F25 commit',
    title: 'the same at the commit',
    core: true,
    play: (stage) => diesDeriving(stage, 'before the follower commits'),
  },
  {
    id: 'F26',
    title: 'three workers that derive concurrently give the same result as a rebuild',
    core: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      for (let n = 0; n < 3; n += 1) await stage.start();
      for (let prompt = 1; prompt <= 6; prompt += 1) {
        const { runId } = await stage.add(prompt, { topic: `topic-${prompt % 2}` });
        await stage.ended(runId);
      }
      for (let prompt = 1; prompt <= 6; prompt += 1) await stage.ended(await stage.again(prompt));
      await assertAsRebuilt(stage);
    },
  },
  {
    id: 'F27',
    title: 'responses are parsed again while others are derived: nothing is counted twice or lost',
    core: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      const { runId } = await stage.add(1);
      await stage.ended(runId);
      for (let n = 0; n < 4; n += 1) {
        const again = await stage.again(1);
        await stage.ended(again);
        await Promise.all([replayRun(stage.ctx, runId), replayRun(stage.ctx, again)]);
      }
      await assertAsRebuilt(stage);
    },
  },
  {
    id: 'F28',
    title:
      'a parsed response that cannot be derived: its search waits, all others continue, and it is derived once the cause is gone',
    core: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const poisoned = await stage.add(1, { topic: 'shared' });
      await stage.rows(REFUSE);
      await stage.rows(
        `CREATE TRIGGER refuse BEFORE INSERT ON strandline.latest_results FOR EACH ROW WHEN (NEW.search_id = ${poisoned.searchId})
         EXECUTE FUNCTION strandline.refuse()`,
      );
      await stage.start();
      await stage.start();
      const others = [await stage.add(2, { topic: 'shared' }), await stage.add(3)];
      for (const { runId } of [poisoned, ...others])
        assert.equal((await stage.ended(runId)).status, 'succeeded');
      const waiting = () => stage.rows('SELECT search_id, attempts FROM strandline.pending_derivations');
      await stage.until(
        'only the refused one waits',
        async () => {
          const left = await waiting();
          return left.length === 1 && left[0].search_id === poisoned.searchId && left[0].attempts > 0;
        },
        DERIVED_SECONDS * 1_000,
      );
      await stage.rows('DROP TRIGGER refuse ON strandline.latest_results');
      await stage.rows(
        `UPDATE strandline.pending_derivations SET retry_at = clock_timestamp() WHERE attempts > 0`,
      );
      await assertAsRebuilt(stage);
    },
  },
];
