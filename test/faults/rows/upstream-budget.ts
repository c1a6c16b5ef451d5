/** What calls cost, and how many are allowed: counted before they are made. */
import assert from 'node:assert/strict';
import { hasten } from '../cases.ts';
import { seeded } from '../random.ts';
import type { Row } from '../row.ts';
import { ownPosts, raw, status } from '../scripts.ts';

const SEARCHES = 12;
const PER_DAY = 5;

/** What a service may say of a cost, and what is believed of it: unknown is not free. */
const COSTS: readonly (readonly [said: string | null, usd: number | null])[] = [
  [null, null],
  ['0.0125', 0.0125],
  ['0', 0],
  ['NaN', null],
  ['-1', null],
  ['1e9', null],
  ['free', null],
];

export const BUDGET: readonly Row[] = [
  {
    id: 'F56',
    title:
      'a service fails half the time: no run exceeds its calls, and afterwards each search succeeds again',
    core: false,
    play: async (stage) => {
      const random = seeded(56);
      stage.service.answers((asked, response) => (random() < 0.5 ? status(503) : ownPosts)(asked, response));
      await stage.start();
      const prompts = Array.from({ length: SEARCHES }, (_, n) => n + 1);
      for (const prompt of prompts) await stage.add(prompt);
      await stage.until('every run has ended', async () => {
        await hasten(stage);
        const [open] = await stage.rows(
          `SELECT count(*)::int AS n FROM strandline.runs WHERE status IN ('queued', 'running')`,
        );
        return open.n === 0;
      });
      const ends = await stage.rows(
        `SELECT status, code, count(*)::int AS n FROM strandline.runs GROUP BY 1, 2 ORDER BY 1, 2`,
      );
      // Both came: otherwise this was no brownout.
      assert.deepEqual(
        ends.map((end) => [end.status, end.code]),
        [
          ['failed', 'upstream_5xx'],
          ['succeeded', null],
        ],
      );
      stage.service.answers(ownPosts);
      for (const prompt of prompts)
        assert.equal((await stage.ended(await stage.again(prompt))).status, 'succeeded');
      assert.deepEqual(await stage.rows('SELECT DISTINCT state FROM strandline.searches'), [
        { state: 'active' },
      ]);
    },
  },
  {
    id: 'F57',
    title:
      'of twelve runs on two workers, as many call as the daily limit allows; the others get the reason, and their searches wait for the next day',
    core: false,
    env: { CALLS_PER_DAY: String(PER_DAY), WORKER_CONCURRENCY: '12' },
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      await stage.start();
      const made = await Promise.all(Array.from({ length: SEARCHES }, (_, n) => stage.add(n + 1)));
      const ends: string[] = [];
      for (const { runId } of made) {
        const { status: ended, code } = await stage.ended(runId);
        ends.push(code ?? ended);
      }
      assert.equal(stage.service.asked.length, PER_DAY);
      assert.equal(ends.filter((end) => end === 'succeeded').length, PER_DAY);
      assert.equal(ends.filter((end) => end === 'budget_exceeded').length, SEARCHES - PER_DAY);
      await stage.until('their searches wait', async () => {
        const [capped] = await stage.rows(
          `SELECT count(*)::int AS n FROM strandline.searches WHERE state = 'capped'`,
        );
        return capped.n === SEARCHES - PER_DAY;
      });
    },
  },
  {
    id: 'F57 cost',
    title: 'a missing or invalid cost is unknown, not free',
    core: false,
    play: async (stage) => {
      for (const [n, [said]] of COSTS.entries()) {
        const header: Record<string, string> = said === null ? {} : { 'x-service-cost-usd': said };
        stage.service.answers(
          raw('{"miner_tweets":[]}', { 'content-type': 'application/json', ...header }),
          String(n + 1),
        );
      }
      await stage.start();
      const costs: (number | null)[] = [];
      for (const n of COSTS.keys()) {
        const { runId } = await stage.add(n + 1);
        assert.equal((await stage.ended(runId)).status, 'succeeded');
        const [call] = await stage.rows(
          'SELECT cost_usd::float8 AS usd FROM strandline.calls WHERE run_id = $1',
          [runId],
        );
        costs.push(call.usd);
      }
      assert.deepEqual(
        costs,
        COSTS.map(([, usd]) => usd),
      );
    },
  },
];
