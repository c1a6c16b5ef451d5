/** The same command lines without a server and with one: same output, same exit code, same JSON. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiRoutes } from '../../src/api/api-routes.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { listSpecs } from '../../src/cli/operation-specs.ts';
import type { App } from '../../src/monitor/http/route-types.ts';
import { json, wirePost } from '../stub-service.ts';
import { homeOf, makeStand, type Printed, type Stand } from './stand.ts';

/** Commands run here; the other stand has the same state, and a server. */
let here: Stand;
let there: Stand;
let app: App;
let server: Server;
let url: string;
const asked: string[] = [];

const SEED = [
  ['search', 'add', 'ferry', '--operation', 'microblog', '--prompt', 'harbour ferry', '--every', '15m'],
  [
    'search',
    'add',
    'tides',
    '--operation',
    'microblog',
    '--prompt',
    'tides',
    '--topic',
    'sea',
    '--every',
    '1h',
  ],
  ['channels', 'add', 'desk', '--webhook', 'https://93.184.215.14/hook'],
  ['rules', 'add', 'news', '--channel', 'desk'],
];

beforeAll(async () => {
  [here, there] = await Promise.all([makeStand(), makeStand()]);
  for (const stand of [here, there]) {
    stand.stub.answers(
      json({
        miner_tweets: [wirePost('1', { user: { id: '7', username: 'gull' } }), wirePost('2'), wirePost('3')],
      }),
    );
    for (const argv of SEED) expect(await stand.run(argv)).toMatchObject({ code: 0 });
  }
  app = await buildHttpServer(
    homeOf(there.world),
    { api: [apiRoutes], pages: [] },
    { perMinute: 100_000, runsPerMinute: 1_000 },
  );
  server = createServer((request, response) => {
    asked.push(String(request.url));
    // Replies have the time of the world.
    response.setHeader('date', there.world.clock.now().toUTCString());
    app.routing(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
});
afterAll(async () => {
  server.close();
  await app.close();
  await Promise.all([here.close(), there.close()]);
});

const atServer = (argv: readonly string[], env: Record<string, string> = {}) =>
  there.run(argv, { env: { STRANDLINE_URL: url, ...env } });

/** Secrets differ, and addresses of the two servers. */
function comparable({ code, stdout, stderr }: Printed) {
  const hide = (text: string) =>
    text
      .replaceAll(
        /st_[A-Za-z0-9]+_[A-Za-z0-9]+|st_[A-Za-z0-9_]+|whsec_[A-Za-z0-9+/=]+|sk_[A-Za-z0-9_]+/g,
        'SECRET',
      )
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'BASE')
      .replaceAll(/\b[A-Za-z0-9]{8}\b(?= +\S+ +(?:read|admin)| \("| +(?:reports|partner|unnamed))/g, 'PREFIX')
      .replaceAll(/"prefix":"[^"]+"/g, '"prefix":"PREFIX"')
      .replaceAll(/^[A-Za-z0-9]{8}(?= +(?:Ferry|Sea))/gm, 'FEED')
      // A command at a server without tokens is a visitor of this machine.
      .replaceAll(new RegExp(` (?:this machine|${userInfo().username})$`, 'gm'), ' WHO')
      .replaceAll(/"created_by":"[^"]+"/g, '"created_by":"WHO"')
      .replaceAll(/\/(feeds|shared)\/[^"\s]+/g, '/$1/KEY');
  return { code, stdout: hide(stdout), stderr: hide(stderr) };
}

/** Read and changed in this order; good and bad input. */
const CALLS: readonly string[] = [
  'topic list',
  'topic list --all',
  'topic show ferry',
  'topic show nope',
  'topic show NOPE',
  'topic rename sea --name Sea',
  'topic rename sea',
  'topic rename sea --slug ferry',
  'topic language sea none',
  'topic language sea en',
  'topic language sea English',
  'topic pause sea --until 2027-01-01',
  'topic pause sea --until nonsense',
  'topic resume sea',
  'topic pause',
  'search list',
  'search list --topic sea',
  'search list --topic nope',
  'search list --state x',
  'search list --state x --operation y',
  'search pause tides',
  'search pause tides',
  'search resume tides',
  'search remove nope',
  'pause --until 2027-01-01T09:00Z',
  'resume',
  'resume',
  'posts list',
  'posts list --limit 1',
  'posts list --limit 0',
  'posts list --since 2026-11-01 --limit 2',
  'posts list --since nonsense',
  'posts list --since nonsense --sort worst',
  'posts list --sort likes --topic ferry',
  'posts list --author gull',
  'posts list --after nonsense',
  'posts list (',
  'posts list -2',
  'posts top --by views',
  'posts top --by newest',
  'posts show 1',
  'posts show 999',
  'posts show x',
  'posts show https://x.com/gull/status/1',
  'stories ferry',
  'stories nope --since nonsense',
  'stories show 1',
  'stories dismiss 999999',
  'stories restore nope',
  'links list',
  'links first --source x',
  'links show 1',
  'authors show 1',
  'authors show nobody',
  'evidence post 999',
  'evidence fish x',
  'completions show ferry',
  'completions show nope',
  'completions diff ferry --from x',
  'runs list',
  'runs list --search ferry --status succeeded',
  'runs list --status x --code y',
  'runs list --search nope',
  'rules list',
  'rules show news',
  'rules show nope',
  'rules add X --on a,b --cooldown z --max-per-day many',
  'rules add quick --channel desk --on spikes --cooldown 0 --max-per-day none',
  'rules add quick --channel desk',
  'rules add lost --channel nowhere',
  'rules edit quick --filter ferry --quiet-hours 22:00-07:00 --tz Europe/Berlin',
  'rules edit quick --quiet-hours late',
  'rules edit quick',
  'rules try news --days 3',
  'rules try news --days 300',
  'rules preview --on post',
  'rules pause quick',
  'rules resume quick',
  'rules remove quick',
  'channels list',
  'channels show desk',
  'channels show nope',
  'channels add other --webhook nonsense',
  'channels add other',
  'channels add team --slack-secret-url-file /nonexistent/file',
  'channels pause desk',
  'channels resume desk --skip',
  'channels rotate desk',
  'deliveries list --state x',
  'deliveries list',
  'deliveries show 999',
  'deliveries resend',
  'feeds add ferry --name Ferry',
  'feeds list',
  'feeds remove nope',
  'views add Sea /topics/sea?range=7d',
  'views add Sea https://elsewhere.example/',
  'views list',
  'shares add /topics/sea?range=7d --name Sea',
  'shares add /runs',
  'shares list',
  'shares remove nope',
  'views remove nope',
  'sources list sea',
  'sources list nope',
  'sources on sea nope',
  'names set sea Tide --aliases Ebb,Flow --domains tide.example',
  'names set sea Ebb',
  'names set sea Tide --side mine',
  'names list sea',
  'names list nope',
  'emerging sea',
  'goal list sea',
  'goal set sea "rulings and filings"',
  'goal try sea',
  'goal remove sea',
  'names answers sea',
  'names remove sea Wave',
  'names remove sea Tide',
  'notes list sea',
  'notes list nope --limit 0',
  'notes add nope Campaign',
  'notes add sea Campaign --at tomorrow',
  'notes edit 999 --text Campaign',
  'notes remove 999',
  'digest --since 2026-11-20 --until 2026-11-22',
  'digest --since 2026-11-22 --until 2026-11-20',
  'digest list',
  'digest show 999',
  'digest dismissed --topic nope',
  'digest dismiss sea',
  'token create --name reports --scope read,fly',
  'token create --expires 2020-01-01 --scope fly',
  'token revoke nope',
  'service key create --name partner',
  'service key list',
  'service key rotate nope --grace 8d',
  'service key revoke nope',
  'audit --action nonsense --limit 1',
  'audit --token x --since tomorrow',
  'topic remove sea --dry-run',
  'topic remove sea',
];

test.each(CALLS)('%s', async (line) => {
  const argv = line.split(' ');
  const isChange = /^(?!.*\b(?:list|evidence|show|first|top|try|preview|audit)\b)/.test(line);
  const [local, remote] = [await here.run(argv), await atServer(argv)];
  expect(comparable(remote)).toEqual(comparable(local));
  if (isChange) return;
  const asJson = [...argv, '--json'];
  expect(comparable(await atServer(asJson))).toEqual(comparable(await here.run(asJson)));
});

test('the table has good and bad input of most operations', () => {
  const called = (command = '') => CALLS.some((line) => `${line} `.startsWith(`${command} `));
  const missing = listSpecs().filter(({ command }) => command !== undefined && !called(command));
  expect(missing.map(({ command }) => command)).toEqual([
    'sources add',
    'sources test',
    'sources off',
    'sources remove',
    'rules fewer',
    'channels edit',
    'channels test',
    'channels remove',
    'digest restore',
    'token list',
    'token rotate',
  ]);
});

test('the next page continues where the last one ended, also of a time that was typed as an age', async () => {
  const next = async (run: typeof atServer) => {
    const argv = ['posts', 'list', '--since', '3000d', '--limit', '1', '--json'];
    const first = await run(argv);
    const place = /--after (\S+)/.exec(first.stderr)?.[1] ?? '';
    const second = await run([...argv, '--after', place]);
    const other = await run(['posts', 'list', '--since', '2000d', '--limit', '1', '--after', place]);
    expect(other).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('with the same options') as string,
    });
    return [first, second].map(({ stdout }) => (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)); // as printed
  };
  const [first, second] = await next(atServer);
  expect(first).toHaveLength(1);
  expect(second).toHaveLength(1);
  expect(second).not.toEqual(first);
  expect(await next((argv) => here.run(argv))).toEqual([first, second]);
});

test('a list without a limit is read page by page', async () => {
  asked.length = 0;
  expect((await atServer(['topic', 'list', '--json'])).code).toBe(0);
  expect(asked).toEqual(['/api/v1/topics?limit=200']);
});
