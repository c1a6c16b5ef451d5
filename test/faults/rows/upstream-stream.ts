/** Event streams that break, are empty, or repeat. More of them in test/client/stream.test.ts. */
import assert from 'node:assert/strict';
import { type Case, playCases, ONE_CALL } from '../cases.ts';
import type { Row } from '../row.ts';
import { dripped } from '../scripts.ts';
import type { Script } from '../service.ts';

const AI = { operation: 'ai', tools: ['Web Search'], streaming: true } as const;
const SSE = { 'content-type': 'text/event-stream' };

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const LINK = 'https://a.example/one';
const TEXT = event({ type: 'text', role: 'summary', content: 'high wäter' });
const LINKS = event({ type: 'search', content: [{ title: 'one', link: LINK, snippet: 'a' }] });
const DONE = event({ type: 'completion', content: 'high wäter' });
const ERROR = event({ error: 'sources failed' });

/** @param end how the connection ends behind it */
function stream(body: string, end: 'whole' | 'close' | 'reset' | 'never' = 'whole'): Script {
  const script = dripped([body], { end, headers: SSE, everyMs: 20 });
  return (asked, response) => {
    if (body.includes(LINK)) asked.links.push(LINK);
    return script(asked, response);
  };
}

const BROKEN: readonly Case[] = [
  ['is cut in the middle', stream(TEXT + LINKS + DONE.slice(0, 20), 'close'), 'conn_reset'],
  ['ends in the middle, as if it were whole', stream(TEXT + LINKS + DONE.slice(0, 20)), 'stream_incomplete'],
  ['is reset', stream(TEXT + LINKS, 'reset'), 'conn_reset'],
  ['ends without its completion', stream(TEXT + LINKS), 'stream_incomplete'],
  ['says [DONE] and nothing else', stream('data: [DONE]\n\n'), 'stream_incomplete'],
  ['holds an error behind its data', stream(TEXT + LINKS + ERROR), 'upstream_5xx'],
  ['holds a page of a proxy', stream(`${TEXT}${LINKS}<html>502</html>\n\n`), 'stream_incomplete'],
];

const WHOLE: readonly Case[] = [
  [
    'mixes its line ends',
    stream((TEXT + LINKS).replaceAll('\n', '\r\n') + DONE.replaceAll('\n', '\r')),
    'succeeded',
  ],
  ['has two events in one line', stream(LINKS.trimEnd() + DONE), 'succeeded'],
  ['ends twice', stream(LINKS + DONE + DONE), 'succeeded'],
  ['fails behind its end', stream(LINKS + DONE + ERROR), 'succeeded'],
  ['is reset behind its end', stream(LINKS + DONE, 'reset'), 'succeeded'],
  ['never closes behind its end', stream(LINKS + DONE, 'never'), 'succeeded'],
];

export const STREAM: readonly Row[] = [
  {
    id: 'F54',
    title:
      'half a stream is not a response, however it ends, and nothing of it counts; a complete one is, whatever follows',
    core: true,
    everyCommit: 'postgres',
    env: ONE_CALL,
    play: async (stage) => {
      const runs = await playCases(stage, [...BROKEN, ...WHOLE], AI);
      const whole = runs.slice(BROKEN.length).map(String);
      const found = await stage.rows(
        'SELECT first_run_id AS id, count(*)::int AS links FROM strandline.link_sightings GROUP BY 1 ORDER BY 1',
      );
      assert.deepEqual(
        found.map(({ id, links }) => [String(id), links]),
        whole.map((id) => [id, 1]),
      );
    },
  },
  {
    id: 'F54 silent',
    title: 'a stream of keep-alives only, and an endless line, are aborted at their limits',
    core: true,
    env: { MAX_CALLS_PER_RUN: '1', NOVA_SECONDS: '2', GRACE_SECONDS: '1', RUN_LEASE_SECONDS: '3' },
    play: async (stage) => {
      const alive = Array.from({ length: 600 }, () => ': keep-alive\n\n');
      const line = (megabytes: number) =>
        `data: {"type":"text","role":"summary","content":"${'x'.repeat(megabytes * 1_000_000)}`;
      await playCases(
        stage,
        [
          ['signs of life', dripped(alive, { everyMs: 20, end: 'never', headers: SSE }), 'timeout_body'],
          ['a line of 10 MB, never ended', stream(line(10)), 'stream_incomplete'],
          ['a line beyond the longest', stream(line(13)), 'too_large'],
        ],
        AI,
      );
      assert.deepEqual(await stage.rows('SELECT 1 FROM strandline.responses WHERE read_at IS NULL'), []);
    },
  },
];
