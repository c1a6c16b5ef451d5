import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkModel, checkSources } from '../../src/cli/search-checks.ts';
import { judgeStatus } from '../../src/monitor/status/status-checks.ts';
import { readStatusFacts } from '../../src/monitor/status/status-facts.ts';
import { checkWithDatabase } from '../../src/cli/doctor-command.ts';
import { checkHosted, checkNode, checkQueueServer } from '../../src/cli/system-checks.ts';
import { readStatus } from '../../src/monitor/status/system-status.ts';
import { MINUTE } from '../../src/lib/time.ts';
import { steppedClock } from '../../src/platform/clock.ts';
import { recordHeartbeat, deregisterWorker } from '../../src/store/runs/worker-registry.ts';
import { describeStatementError } from '../../src/store/reader/ask-reader.ts';
import { readConfig } from '../../src/config/config.ts';
import type { ProbeResult } from '../../src/app/service-access.ts';
import { isKeyOf } from '../../src/platform/keys.ts';
import { findToken, readTokens, touchToken } from '../../src/store/access/tokens.ts';
import { type OpenTransaction, readOldestTransaction } from '../../src/store/queries/system.ts';
import { heartbeatOf, storeUnread } from '../status/unread.ts';
import { onRedis } from '../backends.ts';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1')] }));
  await stand.run(['search', 'add', 'ferry', '--operation', 'microblog', '--prompt', 'p', '--every', '15m']);
});
afterAll(() => stand.close());

describe('sql', () => {
  it('prints an array of rows, with exact values as numbers', async () => {
    const rows = await stand.json<unknown[]>(
      'sql',
      'select search, count(*) as n, max(id) as last_id from discoveries group by 1',
    );
    expect(rows).toEqual([{ search: 'ferry', n: 1, last_id: '1' }]);
  });

  it('keeps both of two columns with the same name', async () => {
    expect(await stand.json('sql', 'select 1 as a, 2 as a')).toEqual([{ a: 1, a_2: 2 }]);
  });

  it.each([
    ['delete from posts', 'the views are read-only'],
    ['select 1; drop table strandline.posts', 'only one statement is allowed'],
    ['create table t (a int)', 'error: Postgres:'],
    ['select * from strandline.tokens', 'permission denied'],
    ["copy (select 1) to program 'true'", 'error: Postgres:'],
    ['select nme from posts', 'column "nme" does not exist, at character 8 ("nme from posts")'],
    ['select $1', 'has parameters such as $1'],
    ['selec 1', 'syntax error at or near "selec"'],
  ])('refuses %s in one sentence and exits with 1', async (query, words) => {
    const { code, stdout, stderr } = await stand.run(['sql', query]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toContain(words);
  });

  it('accepts a query that begins with a comment, before and after options', async () => {
    const query = '-- what is one\nselect 1 as one';
    expect(await stand.json('sql', query)).toEqual([{ one: 1 }]);
    const { code, stdout } = await stand.run(['sql', '--json', query]);
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ one: 1 }]]);
    const wrong = await stand.run(['sql', '-- x\nselect nme from posts']);
    expect(wrong.stderr).toContain('at character 13 ("nme from posts")');
  });

  it.each([[['sql']], [['sql', '-']]])('%j reads the query from stdin', async (argv) => {
    const stdin = Readable.from(['select 1 ', 'as one']);
    const { code, stdout } = await stand.run([...argv, '--json'], { stdin });
    expect([code, JSON.parse(stdout)]).toEqual([0, [{ one: 1 }]]);
  });

  it.each([
    ['a terminal', Object.assign(Readable.from([]), { isTTY: true })],
    ['nothing', Readable.from([])],
    ['more than a megabyte', Readable.from(['x'.repeat(600_000), 'x'.repeat(600_000)])],
  ])('refuses %s as stdin', async (_name, stdin) => {
    const { code, stderr } = await stand.run(['sql'], { stdin });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^error: query: got .*\n$/)]);
  });

  it('reports how long a statement may run', () => {
    const late = Object.assign(new Error('canceling statement'), { code: '57014' });
    expect(describeStatementError(late, 'select 1')).toContain('canceled after 30 s');
    expect(describeStatementError(new Error('Query read timeout'), 'select 1')).toContain(
      'canceled after 30 s',
    );
  });

  it('prints headers and no stray line for an empty result', async () => {
    const empty = await stand.run(['sql', 'select id, text from posts where false']);
    expect(empty.stdout).toBe('id  text\n');
    expect(empty.stderr).toMatch(/^0 rows in \d+ ms\n$/);
    const blank = await stand.run(['sql', "select '' as a"]);
    expect(blank.stdout).toBe('a\n\n');
    expect((await stand.run(['completions', 'show', '--run', '1'])).stdout).toBe('');
    expect((await stand.run(['links', 'list'])).stdout).toBe('');
  });

  it('says what to set when no reader is configured', async () => {
    const { readerUrl } = stand.home;
    stand.home.readerUrl = () => null;
    const { code, stderr } = await stand.run(['sql', 'select 1']);
    stand.home.readerUrl = readerUrl;
    expect([code, stderr]).toEqual([1, expect.stringContaining('sql needs DATABASE_READER_URL')]);
  });
});

describe('service key', () => {
  it('shows a key once, stores its hash, and revokes it', async () => {
    const { stdout, stderr } = await stand.run(['service', 'key', 'create', '--name', 'partner']);
    const key = stdout.trim();
    expect(key).toMatch(/^sk_[0-9A-Za-z]{51}$/);
    expect(stderr).not.toContain(key);
    const prefix = key.slice(3, 11);
    const { db } = stand.world;
    const used = new Date('2026-11-21T12:00:00Z');
    const found = await findToken(db, { opens: 'service', prefix, now: used });
    if (found === undefined) expect.unreachable('the key is not found');
    expect(found.keyHashes.map((hash) => isKeyOf(key, hash))).toEqual([true]);
    expect(await findToken(db, { opens: 'api', prefix, now: used })).toBeUndefined();

    const lastUsed = async () => (await readTokens(db, 'service', { limit: 1 }))[0]?.last_used_at ?? null;
    for (const [minutes, told] of [
      [0, 0],
      [1, 0],
      [2, 2],
    ] as const) {
      const last_used_at = await lastUsed();
      await touchToken(db, { ...found, last_used_at }, new Date(used.getTime() + minutes * MINUTE));
      expect(await lastUsed()).toEqual(new Date(used.getTime() + told * MINUTE));
    }

    const { stdout: listed } = await stand.run(['service', 'key', 'list', '--json']);
    expect(JSON.parse(listed)).toMatchObject([{ prefix, name: 'partner', revoked_at: null }]);
    expect(listed).not.toMatch(/hash|sk_/);

    const revoked = await stand.run(['service', 'key', 'revoke', key]);
    expect([revoked.code, revoked.stderr]).toEqual([
      0,
      expect.stringMatching(/^\w{8} \("partner"\): revoked 2026/),
    ]);
    expect(await findToken(db, { opens: 'service', prefix, now: used })).toBeUndefined();
  });

  it.each(['id', 'prefix'] as const)('revokes a key by the %s from its JSON', async (member) => {
    const { stdout } = await stand.run(['service', 'key', 'create', '--json']);
    const made = JSON.parse(stdout) as Record<typeof member, string>; // an answer of our own
    const revoked = await stand.run(['service', 'key', 'revoke', made[member], '--json']);
    expect(revoked.code).toBe(0);
    expect(JSON.parse(revoked.stdout)).toMatchObject({ prefix: made.prefix, revoked_at: expect.any(String) });
    const other = await stand.run(['service', 'key', 'revoke', '9999999']);
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('no such key')]);
  });
});

describe('config show', () => {
  it('shows each value with its origin, and masks every secret', async () => {
    const { stdout } = await stand.run(['config', 'show', '--json'], {
      env: {
        DATABASE_URL: 'postgres://me:hunter2@db:5432/x?password=hunter2',
        REDIS_URL: 'redis://:hunter2@cache:6379',
        SEARCH_API_KEY: 'hunter2hunter2',
        SERVICE_API_KEYS: 'hunter2a,hunter2b',
        DATABASE_READER_URL: '',
        FEEDS: 'https://a.example/feed?page=2&key=hunter2,-b.example,https://c.example/d?token=hunter2',
      },
    });
    expect(stdout).not.toContain('hunter2');
    const settings = JSON.parse(stdout) as { name: string; value: unknown; from: string }[];
    const of = (name: string) => settings.find((one) => one.name === name);
    expect(of('DATABASE_URL')).toMatchObject({
      from: 'environment',
      value: expect.stringContaining('me:***@db'),
    });
    expect(of('FEEDS')).toMatchObject({
      value: 'https://a.example/feed?page=2&key=***,https://c.example/d?token=***',
    });
    expect(of('SERVICE_API_KEYS')).toMatchObject({ value: '2 (hidden)' });
    expect(of('DATABASE_READER_URL')).toMatchObject({ from: 'default', value: null });
    expect(of('PORT')).toMatchObject({ from: 'default', value: 7810 });
    expect(of('LOG_LEVEL')).toMatchObject({ from: 'default', value: 'warn' });
    expect(of('CALLS_PER_DAY')).toMatchObject({ from: 'default', value: 2_000 });
  });

  it('describes an unused key, limits with their grace period, and units', async () => {
    const env = {
      SEARCH_API_URL: '',
      SEARCH_API_KEY: 'hunter2hunter2',
      GRACE_SECONDS: '7',
      ORBIT_SECONDS: '40',
    };
    const { stdout } = await stand.run(['config', 'show'], { env });
    expect(stdout).toMatch(
      /^SEARCH_API_KEY +environment +\(hidden\) \(unused: SEARCH_API_URL is not set\)$/m,
    );
    expect(stdout).toMatch(/^NOVA_SECONDS +default +10 s$/m);
    expect(stdout).toMatch(/^ORBIT_SECONDS +environment +40 s$/m);
    expect(stdout).toMatch(/^GRACE_SECONDS +environment +7 s, added to each of these three$/m);
    expect(stdout).toMatch(/^MAX_ANSWER_BYTES +default +20,000,000 bytes$/m);
    expect(stdout).not.toContain('hunter2');
  });

  it('shows defaults of unset variables, and says that values are those of this shell', async () => {
    const { stdout, stderr } = await stand.run(['config', 'show'], { env: { DATABASE_URL: '' } });
    expect(stdout).toMatch(/^DATABASE_URL +default +an embedded Postgres in the data directory$/m);
    expect(stdout).toMatch(/^REDIS_URL +default +the queue is in Postgres$/m);
    expect(stdout).toMatch(/^CALLS_PER_MINUTE +default +no limit$/m);
    expect(stdout).toMatch(/^SNAPSHOT_DAYS +default +indefinitely$/m);
    expect(stdout).toMatch(/^LOG_LEVEL +default +warn for commands, info for servers$/m);
    expect(stderr).toContain('No server owns this data directory');
  });
});

/** The checks that commands, API, metrics and pages show. */
const checksOf = async ({ ctx }: Pick<Stand['home'], 'ctx'>) =>
  judgeStatus(await readStatusFacts(ctx), String);

describe('status', () => {
  it('shows services, calls, runs, inactive searches and next runs', async () => {
    await stand.run(['search', 'add', 'rests', '--operation', 'microblog', '--prompt', 'p', '--every', '1h']);
    await stand.run(['search', 'pause', 'rests']);
    const status = await stand.json<Record<string, unknown>>('status');
    expect(status).toMatchObject({
      database: { kind: 'own' },
      queue: { kind: 'postgres', reachable: true },
      services: [
        { name: 'hosted', calls_today: 2, calls_per_day: 2_000, searches: { active: 1, paused: 1 } },
      ],
      workers: [],
      runs_24h: [{ status: 'succeeded', code: null, runs: 2 }],
      resting: [{ slug: 'rests', state: 'paused', state_reason: 'paused by a user' }],
      next: [{ search: 'ferry' }],
    });
    const { stdout } = await stand.run(['status']);
    expect(stdout).toContain('No worker is running: schedules are on hold; start a worker: strandline up');
    expect(stdout).toMatch(
      /rests: Posts is paused: paused by a user \([^)]+\);\s+strandline search resume rests\n/,
    );
    expect(stdout).toMatch(
      /hosted: 1 active search, 1 paused search, 2 of 2,000 calls today, cost not reported/,
    );
  });

  it('counts the searches that are in a state other than normal now', async () => {
    const { db, clock } = stand.world;
    const change = (state: string, days: number) =>
      db.pool.query(
        `INSERT INTO strandline.trend_states (search_id, run_id, state, since, days, tz, sentence, at)
         SELECT id, 1, $1, $2, 9, 'UTC', 'x', $2 FROM strandline.searches WHERE slug = 'ferry'`,
        [state, new Date(clock.now().getTime() - days * 24 * 60 * MINUTE)],
      );
    await change('falling', 9);
    await change('silent', 2);
    expect(await stand.json('status')).toMatchObject({ trend_states: { silent: 1 } });
    expect((await stand.run(['status'])).stdout).toMatch(/^trends +1 search silent \(no posts\)$/m);
    await change('normal', 0);
    expect(await stand.json<{ trend_states: unknown }>('status')).toHaveProperty('trend_states', {});
    expect((await stand.run(['status'])).stdout).not.toMatch(/^trends/m);
    await db.pool.query('DELETE FROM strandline.trend_states');
  });

  it('distinguishes a worker without heartbeats from a running one, and says whose clock is off', async () => {
    const { db, clock } = stand.world;
    const now = clock.now();
    const sign = {
      version: '1',
      queue: 'postgres',
      concurrency: 8,
      skew_ms: 31,
      spooled: 0,
      started_at: now,
    };
    await recordHeartbeat(db, { ...sign, name: 'gone', seen_at: new Date(now.getTime() - 10 * MINUTE) });
    const { stdout: silent } = await stand.run(['status']);
    expect(silent).toMatch(
      /No worker is running: schedules.*\n +gone 1, no heartbeat for 10 min: probably ended\n/,
    );
    await recordHeartbeat(db, { ...sign, name: 'lives', seen_at: now });
    await recordHeartbeat(db, { ...sign, name: 'off', skew_ms: -2_500, spooled: 0, seen_at: now });
    const { stdout: living } = await stand.run(['status']);
    expect(living).toContain('lives 1, 8 runs at once, seen now');
    expect(living).toContain("off 1, 8 runs at once, 2.5 s behind the database's clock");
    expect(living).not.toContain('No worker is running');
    for (const name of ['gone', 'lives', 'off']) await deregisterWorker(db, name);
  });

  it('names searches that cannot run, in status and doctor', async () => {
    const { home, world } = stand;
    await readAll();
    const ctx = { ...home.ctx, config: { ...home.ctx.config, hosted: undefined } };
    expect((await readStatus(ctx, home.embedded)).services).toMatchObject([
      { name: 'hosted', missing: 'SEARCH_API_URL is not set' },
    ]);
    expect(await checksOf({ ctx })).toContainEqual(
      expect.objectContaining({
        name: 'service hosted',
        state: 'failed',
        facts: '1 search cannot run: SEARCH_API_URL is not set',
      }),
    );
    const later = { ...home.ctx, clock: steppedClock(new Date(world.clock.now().getTime() + 30 * MINUTE)) };
    expect(await checksOf({ ctx: later })).toContainEqual(
      expect.objectContaining({
        name: 'workers',
        state: 'attention',
        facts: 'No worker is running: schedules are on hold, and 1 search is overdue',
      }),
    );
  });

  it('names silent searches, in status and doctor', async () => {
    const { home, world } = stand;
    const since = world.clock.now();
    world.clock.advance(180 * MINUTE);
    expect((await readStatus(home.ctx, home.embedded)).silent).toMatchObject({
      total: 1,
      searches: [{ slug: 'ferry', since, last_success_at: since, run_status: 'succeeded' }],
    });
    expect(await checksOf(home)).toContainEqual({
      name: 'silent',
      state: 'failed',
      facts: 'ferry: Posts: no successful run for 3 h; the last run succeeded',
      advice: expect.stringMatching(/^see: strandline runs show \d+$/),
      page: '/searches/ferry',
    });
    expect((await stand.run(['status'])).stdout).toMatch(
      /^silent +ferry: Posts: no successful run for 3 h; the last run succeeded; see: strandline runs show \d+$/m,
    );
    world.clock.set(since);
  });

  it('shows responses unparsed for more than a minute, and those spooled on the disk of a worker', async () => {
    const { home, world } = stand;
    const { db, clock } = world;
    await readAll();
    const { rows } = await db.pool.query<{ id: bigint }>(
      `SELECT id FROM strandline.searches WHERE slug = 'ferry'`,
    );
    const [ferry] = rows;
    if (ferry === undefined) throw new Error('no search');
    const before = (ms: number) => new Date(clock.now().getTime() - ms);
    const checked = async () => (await checksOf(home)).filter(({ name }) => name === 'unparsed');
    const said = async () => (await stand.run(['status'])).stdout.match(/^unparsed.*(?:\n .*)*/m)?.[0] ?? '';
    await storeUnread(db, ferry.id, before(30_000));
    expect([await checked(), await said()]).toEqual([[], '']);

    const recent = await storeUnread(db, ferry.id, before(2 * MINUTE));
    expect(await said()).toContain(
      `1 paid response not parsed, the oldest for 2 min; parse it again: strandline runs replay ${recent}`,
    );
    expect(await checked()).toMatchObject([{ state: 'attention' }]);

    const stuck = await storeUnread(db, ferry.id, before(20 * MINUTE));
    await heartbeatOf(world, { name: 'with-a-spool', spooled: 1 });
    expect(await said()).toContain('1 paid response on the disk of a worker');
    expect(await checked()).toEqual([
      {
        name: 'unparsed',
        state: 'failed',
        facts: '2 paid responses not parsed, the oldest for 20 min',
        advice: `parse it again: strandline runs replay ${stuck}`,
        page: `/runs/${stuck}`,
      },
      {
        name: 'unparsed',
        state: 'attention',
        facts: '1 paid response on the disk of a worker',
        advice: 'stored when Postgres accepts them; keep its data directory until then',
        page: null,
      },
    ]);
    expect((await readStatus(home.ctx, home.embedded)).unread_responses).toEqual({
      stored: 3,
      spooled: 1,
      late: 2,
      oldest_at: before(20 * MINUTE),
      oldest_seconds: 1_200,
      oldest_run_id: stuck,
    });
    await deregisterWorker(db, 'with-a-spool');
    await readAll();
  });

  it('shows when the last scan ran, and explains a missing one', async () => {
    const { home, world } = stand;
    const scanned = (ago: string) =>
      world.db.pool.query('UPDATE strandline.scanner SET scanned_at = clock_timestamp() - $1::interval', [
        ago,
      ]);
    await scanned('0 s');
    expect((await readStatus(home.ctx, home.embedded)).scan).toMatchObject({ late: false });
    await scanned('10 min');
    expect((await readStatus(home.ctx, home.embedded)).scan).toMatchObject({ late: true });
    expect((await stand.run(['status'])).stdout).toMatch(
      /^scan +LATE: last ran 10 min ago, so due searches do not run; start a worker: strandline up$/m,
    );
    // Without a worker no scan is expected: the missing worker is what fails.
    const scan = async () => (await checksOf(home)).filter(({ name }) => name === 'scan');
    expect(await scan()).toMatchObject([{ state: 'attention' }]);
    await heartbeatOf(world, { name: 'stuck' });
    expect(await scan()).toMatchObject([
      { state: 'failed', advice: 'restart the workers; their logs say why they do not scan' },
    ]);
    await scanned('0 s');
    expect(await scan()).toMatchObject([{ state: 'ok', facts: 'last ran 0 s ago' }]);
    await deregisterWorker(world.db, 'stuck');
  });
});

/** As the workers of a real installation do. */
async function readAll(): Promise<void> {
  await stand.world.db.pool.query(
    'UPDATE strandline.responses SET read_at = received_at WHERE read_at IS NULL',
  );
}

describe('doctor', () => {
  it('reports an unreachable or unmigrated database without changing it, and hides the password', async () => {
    const { code, stdout } = await stand.run(['doctor'], {
      env: { DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x', SEARCH_API_URL: '' },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL database: The database x at 127\.0\.0\.1:1 as me cannot be reached/);
    expect(stdout).toContain('correct host and port in DATABASE_URL');
    expect(stdout).not.toContain('hunter2');
  });

  it('reports an open transaction once it keeps Postgres from vacuuming', async () => {
    const { pool } = stand.world.db;
    const facts = await readStatusFacts(stand.home.ctx);
    const transactions = (oldest: OpenTransaction | null) =>
      judgeStatus({ ...facts, oldest_transaction: oldest }, String).flatMap(
        ({ name, state, facts: found }) => (name === 'transactions' ? [[state, found]] : []),
      );
    const analyst = await pool.connect();
    try {
      await analyst.query(`SET application_name = 'notebook'`);
      await analyst.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await analyst.query('SELECT count(*) FROM strandline.posts');
      for (let n = 0; n < 3; n += 1) await pool.query('SELECT pg_current_xact_id()');
      const oldest = await readOldestTransaction(stand.world.db);
      expect(oldest?.who).toMatch(/, notebook$/);
      expect(oldest?.behind).toBeGreaterThanOrEqual(3);
      expect(transactions(oldest)).toEqual([]);
    } finally {
      analyst.release(true);
    }
    const of = (seconds: number | null, behind: number) =>
      transactions({ who: 'ana, notebook', seconds, behind });
    expect(of(4_000, 12)).toEqual([
      [
        'failed',
        'a transaction of ana, notebook has been open for 66 minutes; 12 transactions have started since',
      ],
    ]);
    expect(of(null, 2_000_000)).toEqual([
      [
        'failed',
        expect.stringMatching(
          /^a transaction of ana, notebook is open; 2,?000,?000 transactions have started since$/,
        ),
      ],
    ]);
    expect(transactions(null)).toEqual([]);
  });

  it('connects to a hosted service without sending a request', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
    const config = readConfig({ SEARCH_API_URL: `http://127.0.0.1:${port}`, SEARCH_API_KEY: 'secret' });
    expect(await checkHosted(config)).toMatchObject([{ name: 'hosted service', state: 'ok' }]);
    await new Promise((resolve) => server.close(resolve));
    expect(requests).toBe(0);
    expect(await checkHosted(config)).toMatchObject([
      { state: 'failed', advice: expect.stringContaining('SEARCH_API_URL') },
    ]);
  });

  it('connects to a language model without a prompt; an unavailable one is a note', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
    const config = readConfig({ LLM_BASE_URL: `http://127.0.0.1:${port}/v1`, LLM_MODEL: 'm' });
    const found = `127.0.0.1:${port} accepts connections`;
    expect(await checkModel(config)).toMatchObject([{ name: 'language model', state: 'ok', facts: found }]);
    await new Promise((resolve) => server.close(resolve));
    expect(requests).toBe(0);
    expect(await checkModel(config)).toMatchObject([
      { state: 'attention', advice: expect.stringContaining('LLM_BASE_URL') },
    ]);
    expect(await checkModel(readConfig({}))).toEqual([]);
  });

  it('prints a line for each public source; an unavailable one is a note', async () => {
    const probe = () =>
      Promise.resolve<ProbeResult[]>([
        { name: 'arxiv', source: 'preprint', title: 'arXiv', outcome: 'reachable', words: 'reachable' },
        {
          name: 'lemmy',
          source: 'discussion_board',
          title: 'L',
          outcome: 'unreachable',
          words: 'not reachable (x)',
        },
        { name: 'brave', source: 'web', title: 'B', outcome: 'off', words: 'needs BRAVE_API_KEY' },
        {
          name: 'feeds',
          source: 'web',
          title: 'F',
          outcome: 'reachable',
          words: 'reachable',
          problems: ['https://a.example/feed: gone', 'https://b.example/feed: HTTP 404'],
        },
      ]);
    const checks = await checkWithDatabase(
      { ...stand.home, services: { ...stand.home.services, probe } },
      String,
    );
    expect(checks.filter(({ name }) => name.startsWith('source '))).toMatchObject([
      { name: 'source arxiv (preprint)', state: 'ok', facts: 'reachable', advice: null },
      { name: 'source lemmy (discussion_board)', state: 'attention', facts: 'not reachable (x)' },
      {
        name: 'source feeds (web)',
        state: 'attention',
        facts: 'https://a.example/feed: gone; https://b.example/feed: HTTP 404',
      },
    ]);
    expect(checks).toContainEqual({
      name: 'sources that are off',
      state: 'ok',
      facts: 'brave (needs BRAVE_API_KEY)',
      advice: null,
      page: null,
    });
    expect(checkSources([])).toMatchObject([
      { name: 'sources', state: 'attention', facts: 'none configured' },
    ]);
  });

  onRedis('with a Redis', (redisUrl) => {
    it('checks Redis for what a queue requires', async () => {
      expect(await checkQueueServer(readConfig({ REDIS_URL: redisUrl }))).toMatchObject([
        { name: 'redis', state: 'ok' },
        { name: 'redis memory', state: 'ok', facts: 'noeviction' },
        { name: 'redis persistence', state: 'attention' },
      ]);
    });
  });

  it('recognizes an outdated Node', () => {
    expect(checkNode('20.18.9')).toMatchObject({ state: 'failed' });
    expect(checkNode('20.19.0')).toMatchObject({ state: 'ok' });
    expect(checkNode('24.1.0')).toMatchObject({ state: 'ok' });
  });
});

describe('autocomplete', () => {
  it.each(['bash', 'zsh', 'fish'])('%s: includes every command, also those of groups', async (shell) => {
    const { code, stdout } = await stand.run(['autocomplete', shell]);
    expect(code).toBe(0);
    for (const word of ['watch', 'search', 'preview', 'follow', 'replay', 'service key'])
      expect(stdout).toContain(word);
  });
});

it('bash offers no file names', async () => {
  const { stdout } = await stand.run(['autocomplete', 'bash']);
  expect(stdout).toMatch(/^complete -F _strandline strandline$/m);
});

describe('an unexpected error', () => {
  it('prints one sentence and a hint, without a stack trace or secrets', async () => {
    const { db } = stand.world;
    await db.pool.query('ALTER VIEW strandline_analytics.topics RENAME TO elsewhere');
    const { code, stdout, stderr } = await stand.run(['topic', 'list', '--json']);
    const debugging = await stand.run(['topic', 'list'], { env: { LOG_LEVEL: 'debug' } });
    await db.pool.query('ALTER VIEW strandline_analytics.elsewhere RENAME TO topics');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^error: internal error: relation "strandline_analytics\.topics" does not exist \[42P01\]\nhint: .*\n$/,
    );
    expect(debugging.stderr).toMatch(/^ +at /m);
  });
});
