/** The service refuses, redirects, or asks to wait. Full matrix: test/client/call.test.ts, test/run/retry.test.ts. */
import assert from 'node:assert/strict';
import { changeSearch } from '../../../src/monitor/topics/search-state.ts';
import { HOUR, MINUTE, SECOND } from '../../../src/lib/time.ts';
import { type Case, playCases, ONE_CALL } from '../cases.ts';
import type { Row } from '../row.ts';
import { ownPosts, raw, status } from '../scripts.ts';
import type { Script } from '../service.ts';

/** One of each kind: what it is kept as, and the status that the ledger has. */
const REFUSALS: readonly (readonly [number, string])[] = [
  [204, 'schema_mismatch'],
  [301, 'redirect'],
  [302, 'redirect'],
  [307, 'redirect'],
  [400, 'invalid_request'],
  [404, 'invalid_request'],
  [408, 'timeout_headers'],
  [422, 'invalid_request'],
  [425, 'rate_limited'],
  [429, 'rate_limited'],
  [500, 'upstream_5xx'],
  [502, 'upstream_5xx'],
  [503, 'upstream_5xx'],
  [504, 'upstream_5xx'],
];

/** A waiting time as the service says it, and how long the run waits: exactly so long, or as long as chance wants it. */
type Wait = readonly [said: string, ms: number | 'chance'];

const waits = (now: Date): readonly Wait[] => {
  const soon = new Date(now.getTime() + 10 * MINUTE);
  const [weekday = '', day = '', month = '', year = '', time = ''] = soon.toUTCString().split(/,? /);
  const long = soon.toLocaleString('en', { weekday: 'long', timeZone: 'UTC' });
  const untilThen = Math.floor(soon.getTime() / SECOND) * SECOND - now.getTime();
  return [
    ['45', 45 * SECOND],
    [`${weekday}, ${day} ${month} ${year} ${time} GMT`, untilThen],
    [`${long}, ${day}-${month}-${year.slice(2)} ${time} GMT`, untilThen],
    [`${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`, untilThen],
    ['1e12', HOUR],
    ['999999999999999', HOUR],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 'chance'],
    ['-5', 'chance'],
    ['0', 'chance'],
    ['abc', 'chance'],
    ['', 'chance'],
  ];
};

export const UPSTREAM: readonly Row[] = [
  {
    id: 'F50',
    title:
      'each status but 200, 201 and 206 fails the run with its code after one call, and no redirect is followed; an empty body fails it, too',
    core: true,
    everyCommit: 'postgres',
    env: ONE_CALL,
    play: async (stage) => {
      const elsewhere = { location: `${stage.receiver.url}/elsewhere` };
      const cases = REFUSALS.map(([code, outcome]): Case => {
        const redirects = outcome === 'redirect' ? elsewhere : {};
        return [String(code), status(code, redirects, code === 204 ? '' : '{"detail":"no"}'), outcome];
      });
      const runs = await playCases(stage, [
        ...cases,
        ['nothing', raw(''), 'bad_json'],
        ['201 and nothing', status(201, {}, ''), 'bad_json'],
      ]);
      const kept = await stage.rows(
        'SELECT http_status, code, state FROM strandline.calls WHERE run_id = ANY ($1) ORDER BY run_id',
        [runs],
      );
      assert.deepEqual(kept, [
        ...REFUSALS.map(([http_status, code]) => ({ http_status, code, state: 'failed' })),
        { http_status: 200, code: 'bad_json', state: 'failed' },
        { http_status: 201, code: 'bad_json', state: 'failed' },
      ]);
      assert.deepEqual(stage.receiver.received, []);
      assert.equal(stage.service.asked.length, runs.length);
    },
  },
  {
    id: 'F50 waits',
    title: 'Retry-After in any form is honored, up to an hour; an invalid one falls back to a random pause',
    core: true,
    play: async (stage) => {
      // Asked at its own moment: what the header says of a date is so much from then on.
      const said = new Map<string, { at: Date; wait: Wait }>();
      const forms = waits(new Date(0)).length;
      const asks: Script = (asked, response) => {
        const wait = waits(asked.at)[Number(asked.prompt) - 1];
        if (wait === undefined) throw new Error('no such form');
        said.set(asked.prompt, { at: asked.at, wait });
        return status(429, { 'retry-after': wait[0] })(asked, response);
      };
      stage.service.answers(asks);
      const runs = await Promise.all(Array.from({ length: forms }, (_, n) => stage.add(n + 1)));
      await stage.start();
      for (const [n, { runId }] of runs.entries()) {
        const call = await stage.until('its first call has failed', async () => {
          const [one] = await stage.rows(
            `SELECT c.received_at, r.not_before, r.status FROM strandline.runs r JOIN strandline.calls c ON c.run_id = r.id
             WHERE r.id = $1 AND c.n = 1 AND c.state = 'failed' AND (r.status <> 'running' OR r.fence > 1)`,
            [runId],
          );
          return one;
        });
        const { at, wait } = said.get(String(n + 1)) ?? assert.fail('it was never asked');
        const waited = call.not_before === null ? 0 : call.not_before.getTime() - at.getTime();
        if (wait[1] === 'chance') assert.ok(waited <= 31 * SECOND, `${wait[0]}: ${waited} ms`);
        else {
          assert.equal(call.status, 'queued', wait[0]);
          assert.ok(Math.abs(waited - wait[1]) <= 2 * SECOND, `${wait[0]}: ${waited} ms`);
        }
      }
    },
  },
  {
    id: 'F50 asleep',
    title: 'a machine that sleeps through the requested hour retries as soon as it wakes up',
    core: true,
    movesTime: true,
    play: async (stage) => {
      stage.service.answers([status(429, { 'retry-after': '3600' }), ownPosts]);
      await stage.start();
      const { runId } = await stage.add(1, { every: '7d' });
      await stage.until('it waits for an hour', async () => {
        const [run] = await stage.rows(
          `SELECT not_before > clock_timestamp() + interval '50 minutes' AS waits FROM strandline.runs WHERE status = 'queued'`,
        );
        return run?.waits === true;
      });
      assert.equal((await stage.ended((await stage.add(2, { every: '7d' })).runId)).status, 'succeeded');
      await stage.moveTime(HOUR + MINUTE);
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['failed', 'received']);
    },
  },
  {
    id: 'F50 key',
    title:
      'a rejected key or an empty account stops every search of the service after one call; once resumed, they continue',
    core: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      await stage.start();
      for (const prompt of [1, 2]) await stage.ended((await stage.add(prompt)).runId);
      for (const [code, outcome] of [
        [401, 'auth'],
        [402, 'payment'],
        [403, 'auth'],
      ] as const) {
        const before = stage.service.asked.length;
        stage.service.answers(status(code));
        const refused = await stage.ended(await stage.again(1));
        assert.deepEqual([refused.status, refused.code], ['failed', outcome]);
        await stage.until('both are stopped, with the reason', async () => {
          const searches = await stage.rows('SELECT state, state_reason FROM strandline.searches');
          return searches.every(
            ({ state, state_reason }) =>
              state === 'broken' && String(state_reason).startsWith(`${outcome}: `),
          );
        });
        assert.equal(stage.service.asked.length, before + 1);
        for (const slug of ['search-1', 'search-2']) await changeSearch(stage.ctx, slug, 'resume');
      }
      stage.service.answers(ownPosts);
      assert.equal((await stage.ended(await stage.again(2))).status, 'succeeded');
    },
  },
  {
    id: 'F50 refused',
    title: 'a search whose request is rejected three times in a row stops; others continue',
    core: true,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      stage.service.answers(status(422), '1');
      await stage.start();
      await stage.ended((await stage.add(1)).runId);
      for (let refused = 2; refused <= 3; refused += 1) await stage.ended(await stage.again(1));
      await stage.until('it is stopped', async () => {
        const [search] = await stage.rows(`SELECT state FROM strandline.searches WHERE slug = 'search-1'`);
        return search.state === 'broken';
      });
      assert.equal(stage.service.of('1').length, 3);
      assert.equal((await stage.ended((await stage.add(2)).runId)).status, 'succeeded');
    },
  },
];
