/** Connections to the service that are slow or break. All cases are in test/client/time.test.ts and call.test.ts. */
import assert from 'node:assert/strict';
import { type Case, hasten, playCases, ONE_CALL } from '../cases.ts';
import type { Row } from '../row.ts';
import { bytes, dripped, ownPosts, reset, silent } from '../scripts.ts';

const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const HALF = '{"miner_tweets":[{"id":"1","text":"half';

export const CONNECTION: readonly Row[] = [
  {
    id: 'F51',
    title:
      'a call to a service that is too slow, in its headers or its body, times out, and the service sees the disconnect',
    core: true,
    env: { MAX_CALLS_PER_RUN: '1', NOVA_SECONDS: '1', GRACE_SECONDS: '1' },
    play: async (stage) => {
      const endless = Array.from({ length: 1_000 }, () => ' ');
      const cases: readonly Case[] = [
        ['says nothing', silent, 'timeout_headers'],
        ['begins its headers', bytes('HTTP/1.1 200 OK\r\nx-a: b', 'never'), 'timeout_headers'],
        ['hints at what comes', bytes('HTTP/1.1 103 Early\r\n\r\n', 'never'), 'timeout_headers'],
        ['drips its body', dripped(endless, { everyMs: 50, end: 'never' }), 'timeout_body'],
        [
          'stalls at nine tenths',
          bytes(`${JSON_HEAD}content-length: 43\r\n\r\n${HALF}`, 'never'),
          'timeout_body',
        ],
      ];
      const runs = await playCases(stage, cases);
      const spans = await stage.rows(
        `SELECT extract(epoch FROM ended_at - started_at)::float8 AS seconds FROM strandline.runs WHERE id = ANY ($1)`,
        [runs],
      );
      for (const { seconds } of spans) assert.ok(seconds >= 1.9 && seconds < 7, `${seconds} seconds`);
      await stage.until('every connection was ended', () =>
        Promise.resolve(stage.service.asked.every(({ closed }) => closed)),
      );
      assert.deepEqual(await stage.rows('SELECT 1 FROM strandline.responses WHERE read_at IS NULL'), []);
    },
  },
  {
    id: 'F52',
    title:
      'a connection that breaks at any byte gives no response, what arrived is stored, and the cost of the call stays unknown',
    core: false,
    env: ONE_CALL,
    play: async (stage) => {
      const chunked = `${JSON_HEAD}transfer-encoding: chunked\r\n\r\n27\r\n${HALF}\r\n`;
      const cases: readonly Case[] = [
        ['reset before its headers', reset, 'conn_reset'],
        ['closed before its headers', bytes('', 'close'), 'conn_reset'],
        ['reset in its headers', bytes('HTTP/1.1 200 OK\r\nx: ', 'reset'), 'conn_reset'],
        ['reset behind its headers', bytes(`${JSON_HEAD}content-length: 90\r\n\r\n`, 'reset'), 'conn_reset'],
        ['reset in its body', dripped([HALF], { everyMs: 20, end: 'reset' }), 'conn_reset'],
        ['a chunked body that is cut', bytes(chunked, 'close'), 'conn_reset'],
        ['less than it said', bytes(`${JSON_HEAD}content-length: 90\r\n\r\n${HALF}`, 'close'), 'conn_reset'],
        ['no HTTP', bytes('-ERR unknown command\r\n', 'close'), 'decode_error'],
      ];
      const runs = await playCases(stage, cases);
      const kept = await stage.rows(
        'SELECT DISTINCT state, cost_usd FROM strandline.calls WHERE run_id = ANY ($1)',
        [runs],
      );
      assert.deepEqual(kept, [{ state: 'failed', cost_usd: null }]);
      const stored = await stage.rows(
        'SELECT run_id, bytes, read_at = received_at AS read FROM strandline.responses ORDER BY run_id',
      );
      assert.deepEqual(
        stored,
        runs.slice(4, 7).map((run_id) => ({ run_id, bytes: HALF.length, read: true })),
      );
    },
  },
  {
    id: 'F52 unreachable',
    title:
      'a service without TLS, without a DNS name, or without a listener: each has its own error, and nothing is sent',
    core: false,
    env: ONE_CALL,
    play: async (stage) => {
      stage.service.answers(ownPosts);
      const away: readonly [string, string][] = [
        [stage.service.url.replace('http:', 'https:'), 'conn_reset'],
        ['http://service.invalid', 'conn_refused'],
        ['http://127.0.0.1:1', 'conn_refused'],
      ];
      for (const [n, [SEARCH_API_URL, code]] of away.entries()) {
        const worker = await stage.start({ SEARCH_API_URL });
        const run = await stage.ended((await stage.add(n + 1)).runId);
        assert.deepEqual([run.status, run.code], ['failed', code], SEARCH_API_URL);
        await worker.stop();
      }
      assert.equal(stage.service.asked.length, 0);
    },
  },
  {
    id: 'F52 brief',
    title:
      'a service that disconnects once is called once more, and the run succeeds with the second response',
    core: false,
    play: async (stage) => {
      stage.service.answers([dripped([HALF], { end: 'reset', everyMs: 20 }), ownPosts]);
      await stage.start();
      const { runId } = await stage.add(1);
      await stage.until('it is asked once more', async () => {
        await hasten(stage);
        return stage.service.asked.length === 2;
      });
      assert.equal((await stage.ended(runId)).status, 'succeeded');
      assert.deepEqual(await stage.calls(runId), ['failed', 'received']);
    },
  },
];
