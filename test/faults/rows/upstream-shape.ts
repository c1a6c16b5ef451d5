/** A response with status 200 of a wrong shape. All shapes: test/read/body.test.ts and fuzz.test.ts. */
import assert from 'node:assert/strict';
import { wirePost } from '../../stub-service.ts';
import { type Case, playCases, ONE_CALL } from '../cases.ts';
import type { Row } from '../row.ts';
import { raw } from '../scripts.ts';
import type { Script } from '../service.ts';

const answer = (id: string) => JSON.stringify({ miner_tweets: [wirePost(id)] });

function typed(body: string, type: string, holds: readonly string[] = []): Script {
  return raw(body, { 'content-type': type }, { holds });
}

const JSON_TYPE = 'application/json';

export const SHAPE: readonly Row[] = [
  {
    id: 'F55',
    title:
      'an HTML page, an empty body, null, text or an error with status 200 is not a response; JSON is, whatever its content type',
    core: true,
    env: ONE_CALL,
    play: async (stage) => {
      const none: readonly Case[] = [
        ['a page', typed('<!doctype html><p>no', 'text/html'), 'bad_content_type'],
        ['a page as JSON', typed('<!doctype html><p>no', JSON_TYPE), 'bad_json'],
        ['nothing', typed('', JSON_TYPE), 'bad_json'],
        ['null', typed('null', JSON_TYPE), 'schema_mismatch'],
        ['the text "null"', typed('"null"', JSON_TYPE), 'schema_mismatch'],
        ['a text', typed('"nothing was found"', JSON_TYPE), 'schema_mismatch'],
        ['an empty object', typed('{}', JSON_TYPE), 'schema_mismatch'],
        ['a refusal', typed('{"detail":[{"loc":["query"],"msg":"no"}]}', JSON_TYPE), 'schema_mismatch'],
        ['half of it', typed(answer('1').slice(0, 60), JSON_TYPE), 'bad_json'],
        ['a number that is none', typed('{"miner_tweets":[NaN]}', JSON_TYPE), 'bad_json'],
      ];
      const whole: readonly Case[] = [
        ['as text', typed(answer('21'), 'text/plain', ['21']), 'succeeded'],
        ['as a page', typed(answer('22'), 'text/html', ['22']), 'succeeded'],
        ['behind a byte order mark', typed(`\uFEFF${answer('23')}`, JSON_TYPE, ['23']), 'succeeded'],
        ['in a text', typed(JSON.stringify(answer('24')), JSON_TYPE, ['24']), 'succeeded'],
        ['in UTF-16', raw(Buffer.from(answer('25'), 'utf16le'), undefined, { holds: ['25'] }), 'succeeded'],
      ];
      await playCases(stage, [...none, ...whole]);
      assert.deepEqual(await stage.rows('SELECT count(*)::int AS n FROM strandline.posts'), [
        { n: whole.length },
      ]);
    },
  },
];
