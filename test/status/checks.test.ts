/** The checks of the installation: `status`, `doctor`, the API, the metrics and the page System show the same ones. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { type Check, CHECK_STATES } from '../../src/monitor/status/check.ts';
import { judgeStatus } from '../../src/monitor/status/status-checks.ts';
import { readStatusFacts } from '../../src/monitor/status/status-facts.ts';
import type { App } from '../../src/monitor/http/route-types.ts';
import { deregisterWorker } from '../../src/store/runs/worker-registry.ts';
import { commandsOf, makeStand, type Stand } from '../cli/stand.ts';
import { json, wirePost } from '../stub-service.ts';
import { textOf } from '../web/pages/person.ts';
import { heartbeatOf, storeUnread } from './unread.ts';

let stand: Stand;
let app: App;
beforeAll(async () => {
  stand = await makeStand();
  app = await buildHttpServer(stand.home, WEB);
  stand.stub.answers(json({ miner_tweets: [wirePost('1')] }));
  await stand.run(['search', 'add', 'ferry', '--operation', 'microblog', '--prompt', 'p', '--every', '15m']);
});
afterAll(async () => {
  await app.close();
  await stand.close();
});

type Shown = Pick<Check, 'name' | 'state' | 'facts' | 'advice'>;

/** The scan is timed by the clock of the database, which goes on. */
const untimed = (text: string) => text.replaceAll(/last ran \S+ \S+ ago/g, 'last ran a while ago');

/** What each door shows at one time, and the checks. */
async function readDoors(server: App, { run }: Pick<Stand, 'run'>, { ctx }: Stand['home']) {
  const parse = (text: string): unknown => JSON.parse(untimed(text));
  const judged = judgeStatus(await readStatusFacts(ctx), String);
  const checks = judged.map((check) => ({ ...check, facts: untimed(check.facts) }));
  const { checks: ofApi } = parse((await server.inject({ url: '/api/v1/status' })).body) as {
    checks: Shown[];
  };
  const status = untimed((await run(['status'])).stdout);
  const { checks: ofCommand } = parse((await run(['status', '--json'])).stdout) as { checks: Shown[] };
  const doctor = parse((await run(['doctor', '--json'])).stdout) as {
    check: string;
    found: string;
    state: string;
    ok: boolean | null;
    advice: string | null;
  }[];
  const page = untimed(textOf((await server.inject({ url: '/system' })).body));
  const metrics = (await server.inject({ url: '/metrics' })).body;
  return { checks, ofApi, ofCommand, status, doctor, page, metrics };
}

async function expectSame(server = app, at: Pick<Stand, 'run'> = stand, home = stand.home): Promise<Shown[]> {
  const { checks, ofApi, ofCommand, status, doctor, page, metrics } = await readDoors(server, at, home);
  expect(ofApi).toEqual(checks);
  expect(ofCommand).toEqual(checks);
  for (const { name, state, facts, advice } of checks) {
    expect(status).toContain(advice === null ? facts : `${facts}; ${advice}`);
    const ok = state === 'ok' ? true : state === 'failed' ? false : null;
    expect(doctor).toContainEqual({ check: name, found: facts, state, ok, advice });
    expect(page).toContain(textOf(`${name} ${facts}${advice === null ? '' : ` ${advice}`}`));
  }
  for (const state of CHECK_STATES) {
    const n = checks.filter((check) => check.state === state).length;
    expect(metrics).toContain(`strandline_checks{state="${state}"} ${n}\n`);
  }
  return checks;
}

test('without a worker and channel, nothing failed and nothing looks well', async () => {
  await stand.world.db.pool.query(
    `UPDATE strandline.scanner SET scanned_at = clock_timestamp() + interval '1 h'`,
  );
  expect(await expectSame()).toMatchObject([
    { name: 'queue', state: 'ok' },
    { name: 'scan', state: 'ok' },
    { name: 'workers', state: 'attention', facts: 'No worker is running: schedules are on hold' },
    { name: 'reports', state: 'attention', facts: 'problems are reported to nobody' },
  ]);
});

test('what fails, is late, silent or unread is the same at every door', async () => {
  const { db, clock } = stand.world;
  const [ferry] = (await db.pool.query<{ id: bigint }>('SELECT id FROM strandline.searches')).rows;
  if (ferry === undefined) throw new Error('no search');
  clock.advance(3 * HOUR);
  await storeUnread(db, ferry.id, new Date(clock.now().getTime() - 20 * MINUTE));
  await heartbeatOf(stand.world, { name: 'spools', spooled: 2 });
  await db.pool.query(`UPDATE strandline.scanner SET scanned_at = clock_timestamp() - interval '10 min'`);
  const checks = await expectSame();
  expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'queue ok',
    'scan failed',
    'workers ok',
    'unparsed failed',
    'unparsed attention',
    expect.stringMatching(/^(?:failing|silent) failed$/) as unknown as string,
    'reports attention',
  ]);
  await deregisterWorker(db, 'spools');
});

test('a queue that does not respond is a failure with its cause, and no number of jobs', async () => {
  const { ctx } = stand.home;
  const queue = { ...ctx.queue, depth: () => Promise.reject(new Error('connection refused')) };
  const home = { ...stand.home, ctx: { ...ctx, queue } };
  const server = await buildHttpServer(home, WEB);
  try {
    const checks = await expectSame(
      server,
      commandsOf(home, { DATABASE_URL: stand.world.database.url }),
      home,
    );
    expect(checks[0]).toEqual({
      name: 'queue',
      state: 'failed',
      facts: 'BullMQ on Postgres does not respond: connection refused',
      advice: expect.stringMatching(/^until it does, runs wait in the database\. .*--reset-queue$/) as string,
      page: null,
    });
    const metrics = (await server.inject({ url: '/metrics' })).body;
    expect(metrics).toContain('strandline_queue_up 0');
    expect(metrics).not.toMatch(/^strandline_queue_jobs\{/m);
  } finally {
    await server.close();
  }
});

test('what cannot be checked without a database is unknown, not well', async () => {
  const { stdout, code } = await commandsOf(stand.home, {
    DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
  }).run(['doctor', '--json']);
  expect(code).toBe(1);
  const checks = JSON.parse(stdout) as { check: string; ok: boolean | null; state: string }[];
  expect(checks.at(-1)).toMatchObject({
    check: 'queue, workers and searches',
    ok: null,
    state: 'unknown',
    found: 'not checked, because the database cannot be used',
  });
});
