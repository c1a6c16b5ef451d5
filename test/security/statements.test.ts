/**
 * Statements of visitors, as hostile as possible: each gets a reply, and costs this process next to nothing. Hostile is
 * what Postgres returns, so that it makes it with little work: a statement has thirty seconds, also on a slow machine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { App } from '../../src/monitor/http/route-types.ts';
import { WEB } from '../../src/app/web-server.ts';
import { watchProcessor } from '../processor.ts';
import { openStand } from '../web/access/stand.ts';

const stand = await openStand();
let app: App;
let headers: { authorization: string };
beforeAll(async () => {
  stand.home.readerUrl = () => stand.world.database.readerUrl;
  app = await stand.serve(WEB, { perMinute: 100_000 });
  headers = { authorization: `Bearer ${await stand.token('sql')}` };
  await ask('select 1');
});
afterAll(() => stand.close());

function ask(sql: string) {
  return app.inject({ method: 'POST', url: '/api/v1/sql', headers, payload: { sql } });
}

const deep = (open: string, close: string, n: number) => `${open.repeat(n)}1${close.repeat(n)}`;
/** In pieces, which are copied quickly, and so long as a row says: a constant would be copied with each form of the plan. */
const long = `repeat(repeat('x',1000),n)`;
const TOO_LARGE = /larger than 4 MB/;

const STATEMENTS: readonly [what: string, sql: string, status: number, says: RegExp][] = [
  [
    'a value that once crashed the program',
    `select ('['||repeat('{},',4000000)||'1]')::json from generate_series(1,24)`,
    400,
    TOO_LARGE,
  ],
  ['one such value', `select ('['||repeat('{},',4000000)||'1]')::json`, 400, TOO_LARGE],
  ['a smaller one, as text', `select ('['||repeat('{},',500000)||'1]')::json as j`, 200, /"j","type":"json"/],
  ['jsonb', `select jsonb_agg(n) from generate_series(1,600000) n`, 400, TOO_LARGE],
  ['deep JSON', `select (repeat('[',3000)||repeat(']',3000))::json`, 200, /\[\[\[/],
  ['deeper JSON', `select (repeat('[',100000)||repeat(']',100000))::json`, 400, /stack depth/],
  ['a value of 40 MB', `select ${long} from generate_series(40000,40000) n`, 400, TOO_LARGE],
  ['a value over the limit', `select repeat('x',2000000000)`, 400, /requested length too large/],
  ['a thousand large values', `select repeat('x',700000) from generate_series(1,1000)`, 400, TOO_LARGE],
  [
    'just under the response limit',
    `select repeat('x',3900) from generate_series(1,1000)`,
    200,
    /"truncated":true/,
  ],
  ['one row that is too large to show', `select repeat('x',3000000)`, 400, /first row is larger than 2 MB/],
  ['quotes that expand sixfold', `select repeat(E'\\u0001',600000)`, 400, /first row is larger than 2 MB/],
  ['many rows', `select generate_series(1,100000000)`, 200, /"truncated":true/],
  [
    'many columns',
    `select ${Array.from({ length: 1600 }, (_, i) => `${i}`).join(',')} from generate_series(1,1000)`,
    400,
    TOO_LARGE,
  ],
  [
    'many empty columns',
    `select ${Array.from({ length: 1600 }, () => 'null').join(',')} from generate_series(1,600)`,
    200,
    /"truncated":true/,
  ],
  [
    'more columns than allowed',
    `select ${Array.from({ length: 1700 }, () => '1').join(',')}`,
    400,
    /at most 1664 entries/,
  ],
  ['a wide array', `select array_agg(n) from generate_series(1,700000) n`, 400, TOO_LARGE],
  [
    'an array that stays text',
    `select array_agg(n) as ns from generate_series(1,100000) n`,
    200,
    /\[\["\{1,2,3/,
  ],
  ['nested arrays', `select array_fill(1, array[1200000,1])`, 400, TOO_LARGE],
  [
    'many smaller arrays',
    `select array_fill(1, array[40000,1]) from generate_series(1,24)`,
    200,
    /\[\[\[1\]/,
  ],
  ['a six-dimensional array', `select array_fill(1, array[8,8,8,8,8,8])`, 200, /\{\{\{\{\{\{1,1/],
  ['text in an array', `select array[repeat('"',1000000)]`, 400, /larger/],
  ['xml', `select xmlelement(name x, repeat('<',1000000))`, 400, TOO_LARGE],
  ['bytea', `select convert_to(repeat('x',3000000),'utf8')`, 400, TOO_LARGE],
  ['bytea', `select decode(repeat('00',100000),'hex')`, 200, /\\\\x0000/],
  [
    'endless recursion',
    `with recursive r(n) as (select 1 union all select n+1 from r) select * from r`,
    200,
    /"truncated":true/,
  ],
  [
    'growing recursion',
    `with recursive r(t) as (select 'x' union all select t||t from r) select t from r`,
    400,
    /./,
  ],
  ['records', `select (1,(2,(3,repeat('x',2000000))))`, 400, /first row/],
  ['a truncated name', `select 1 as "${'ü'.repeat(9000)}"`, 200, /"name":"üüü/],
  ['a range of numbers', `select repeat('9',130000)::numeric`, 200, /99999/],
  ['a number with many digits', `select 1/7::numeric(1000,900)`, 200, /0\.142857/],
  ['a message of 20 MB', `select ${long}::int from generate_series(20000,20000) n`, 400, TOO_LARGE],
  ['a message of a megabyte', `select repeat('x',1000000)::int`, 400, /Postgres: invalid input syntax/],
  ['a message with terminal escapes', `select E'\\x1b[2J\\u202e'::int`, 400, /Postgres/],
  [
    'endless notices',
    `select count(to_tsquery('english', case when n > 0 then 'the' end)) from generate_series(1,10000000) n`,
    400,
    TOO_LARGE,
  ],
  [
    'notices, some',
    `select to_tsquery('english','the') from generate_series(1,1000)`,
    200,
    /"truncated":false/,
  ],
  ['deep parentheses', `select ${deep('(', ')', 9_900)}`, 200, /\[\[1\]\]/],
  ['deep leading parentheses', deep('(', ')', 9_000).replace('1', 'select 1'), 200, /\[\[1\]\]/],
  ['deep comments', `${'/*'.repeat(4_000)}${'*/'.repeat(4_000)}select 1`, 200, /\[\[1\]\]/],
  ['an unterminated comment', '/*'.repeat(9_000), 400, /expected a statement that begins with/],
  ['comment lines', `${'--\n'.repeat(6_000)}select 2`, 200, /\[\[2\]\]/],
  ['many operators', `select ${'1+'.repeat(9_000)}1`, 400, /stack depth/],
  ['many NOTs', `select ${'not '.repeat(4_900)}true`, 200, /\[\[true\]\]|\[\[false\]\]/],
  [
    'a list of 3,000 values',
    `select 1 where 1 in (${Array.from({ length: 3_000 }, (_, i) => i).join(',')})`,
    200,
    /\[\[1\]\]/,
  ],
  ['an invalid encoding', `select convert_from('\\xff'::bytea,'utf8')`, 400, /invalid byte sequence/],
  ['half a character', "select '\ud83d' as t", 400, /without unpaired surrogates/],
  [
    'an exponential expression',
    `select regexp_matches(repeat('a',100000), '(a*)*(a*)*b')`,
    200,
    /"rows":\[\]/,
  ],
  ['temporary files', `select n from generate_series(1,100000000) n`, 400, /temporary files|temp_file_limit/],
  [
    'reset settings',
    `select set_config('statement_timeout','0',false), set_config('client_min_messages','debug5',false)`,
    200,
    /debug5/,
  ],
  ['EXPLAIN ANALYZE', `explain analyze select count(*) from generate_series(1,300000)`, 200, /Aggregate/],
  ['EXPLAIN as JSON', `explain (format json) select * from posts`, 200, /"QUERY PLAN","type":"json"/],
  ['show', 'show work_mem', 200, /32MB/],
  ['SHOW ALL', 'show all', 200, /client_connection_check_interval/],
  ['table', 'table topics', 200, /"rows":\[\]/],
  ['VALUES in parentheses', '((values (1), (2)))', 200, /\[\[1\],\[2\]\]/],
  [
    'a statement without rows',
    `do $$ begin raise notice 'x'; end $$`,
    400,
    /begins with select, values, with, table, explain, show/,
  ],
  ['set', 'set statement_timeout = 0', 400, /expected a statement that begins with/],
  ['an empty statement', ' -- nothing', 400, /expected a statement that begins with/],
  ['two statements', 'select 1; select 2', 400, /only one statement is allowed/],
  [
    'a data-modifying CTE',
    'with x as (delete from posts returning 1) select * from x',
    400,
    /cannot delete|permission denied|nothing can be changed/,
  ],
  ['copy', `copy (select 1) to stdout`, 400, /expected a statement that begins with/],
  ['a parameter', 'select $1', 400, /parameters such as \$1/],
  ['into', 'select 1 into mine', 400, /read-only|permission denied|nothing can be changed/],
  ['FOR UPDATE', 'select * from searches for update', 400, /read-only|permission denied|not allowed/],
];

/** Of this process, for all that comes and goes; a gigabyte was not enough for one of them. */
const MAX_GROWTH = 150_000_000;
/** Milliseconds of the processor for a statement, with its reply of up to 2 MB. */
const MAX_COMPUTED = 200;
/** So often at most: a statement that costs much does so each time, what the process does besides it does not. */
const TRIES = 3;

test.each(STATEMENTS)('%s', async (_, sql, status, says) => {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least >= MAX_COMPUTED; tries += 1) {
    const before = process.memoryUsage().rss;
    const computed = watchProcessor();
    const reply = await ask(sql);
    least = Math.min(least, computed());
    expect(reply.statusCode, reply.body.slice(0, 500)).toBe(status);
    expect(reply.body.length).toBeLessThan(2_000_000);
    expect(status === 200 ? reply.body : reply.json<{ detail: string }>().detail).toMatch(says);
    if (status === 200)
      expect(reply.json()).toMatchObject({ columns: expect.any(Array), rows: expect.any(Array) });
    expect(process.memoryUsage().rss - before).toBeLessThan(MAX_GROWTH);
  }
  expect(least).toBeLessThan(MAX_COMPUTED);
  expect((await app.inject('/livez')).statusCode).toBe(200);
});
