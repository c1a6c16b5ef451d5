import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import type { DiscoveryRow } from '../../src/store/queries/discoveries.ts';
import { recordHeartbeat, deregisterWorker } from '../../src/store/runs/worker-registry.ts';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
});
afterAll(() => stand.close());
beforeEach(() => stand.stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('2')] })));

const add = (slug: string, ...more: string[]) => [
  'search',
  'add',
  slug,
  '--operation',
  'microblog',
  '--prompt',
  'harbour ferry',
  '--every',
  '15m',
  ...more,
];

type Run = {
  id: string;
  status: string;
  items_new: number;
  items_seen: number;
  baseline: boolean;
  code: string | null;
};
type Saved = { id: string; slug: string; topic: string; labels: string[]; first_run: Run };

test('a search whose schedule is invalid by now is shown all the same', async () => {
  await stand.run(add('outdated'));
  await stand.world.db.pool.query(
    `UPDATE strandline.search_versions SET auto = 'auto 1s-2h', every_seconds = NULL`,
  );
  expect(await stand.run(['search', 'show', 'outdated'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/schedule +the schedule is invalid; edit it/),
  });
});

describe('search add', () => {
  it('saves the search, runs it immediately if no worker is running, and prints both; messages go to stderr', async () => {
    const { code, stdout, stderr } = await stand.run(add('ferry', '--label', 'a', '--label', 'b', '--json'));
    expect(code).toBe(0);
    expect(stderr).toBe('ferry: baseline: 2 posts, 2 authors\n');
    const saved = JSON.parse(stdout) as Saved;
    expect(saved).toMatchObject({ slug: 'ferry', topic: 'ferry', labels: ['a', 'b'], every_seconds: 900 });
    expect(saved.first_run).toMatchObject({ status: 'succeeded', baseline: true, items_new: 2 });
    expect([typeof saved.id, typeof saved.first_run.id]).toEqual(['string', 'string']);
  });

  it.each([
    ['ORBIT', ['--model', 'orbit']],
    ['NOVA', []],
  ])('runs the microblog operation with the chosen model %s', async (model, argv) => {
    const saved = await stand.json<Saved & { model: string }>(...add(`by-${model.toLowerCase()}`, ...argv));
    expect([saved.model, stand.stub.requests.at(-1)?.body]).toEqual([
      model,
      { prompt: 'harbour ferry', model },
    ]);
  });

  it('saves the search even if the first run fails, and says why', async () => {
    stand.stub.answers(json({ detail: 'no such key' }, 401));
    const { code, stdout, stderr } = await stand.run(add('refused', '--json'));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^refused: failed: auth — the service rejected the API key/);
    expect((JSON.parse(stdout) as Saved).first_run).toMatchObject({ status: 'failed', code: 'auth' });
    await stand.run(['search', 'resume', 'ferry']);
  });

  it('announces no retry time when no worker is running', async () => {
    stand.stub.answers(json({ detail: 'slow down' }, 503));
    const { code, stderr } = await stand.run(add('busy'));
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^busy: failed: upstream_5xx .*; a worker retries it\. Start one: strandline up$/m,
    );
    expect(stderr).not.toContain('retries in');
  });

  it('leaves the first run to a running worker', async () => {
    const { db, clock } = stand.world;
    const now = clock.now();
    const sign = {
      name: 'w1',
      version: '1',
      queue: 'postgres',
      concurrency: 1,
      skew_ms: 0,
      spooled: 0,
      started_at: now,
      seen_at: now,
    };
    await recordHeartbeat(db, sign);
    const saved = await stand.json<Saved>(...add('later'));
    expect(saved.first_run.status).toBe('queued');
    const { code, stderr } = await stand.run(['search', 'run', 'later', '--json']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`run ${saved.first_run.id} is already queued; a worker executes it`),
    ]);
    await deregisterWorker(db, 'w1');
  });

  it('refuses a used slug, exits with 1, and says what to do', async () => {
    const { code, stdout, stderr } = await stand.run(add('ferry'));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toBe(
      'error: the search "ferry" already exists (in the topic "ferry"); choose another slug, such as ferry-2\n',
    );
  });
});

describe('search run --wait', () => {
  it('finds nothing new the second time, and only the new post the third time', async () => {
    expect(await stand.json<Run>('search', 'run', 'ferry', '--wait')).toMatchObject({
      status: 'succeeded',
      items_new: 0,
    });
    stand.stub.answers(json({ miner_tweets: [wirePost('3', { text: 'ferry 7 is back' }), wirePost('1')] }));
    const run = await stand.json<Run>('search', 'run', 'ferry', '--wait');
    expect(run).toMatchObject({ status: 'succeeded', items_seen: 2, items_new: 1, baseline: false });

    const found = await stand.json<DiscoveryRow[]>('new', '--baseline', '--search', 'ferry');
    expect(found.map(({ text, baseline }) => [text, baseline])).toEqual([
      ['post 1', true],
      ['post 2', true],
      ['ferry 7 is back', false],
    ]);
    expect(
      found.every(
        ({ id, run_id, post_id, link_id }) => [id, run_id, post_id].every(isText) && link_id === null,
      ),
    ).toBe(true);
  });

  it('prints a failed run and exits with 1', async () => {
    stand.stub.answers(json({ nonsense: true }));
    const { code, stdout, stderr } = await stand.run(['search', 'run', 'ferry', '--wait', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'failed', code: 'schema_mismatch' });
    expect(stderr).toContain('ferry: failed: schema_mismatch');
  });

  it('waits through a retry that the service requested', async () => {
    let calls = 0;
    stand.stub.answers((request, response) => {
      calls += 1;
      if (calls > 1) return json({ miner_tweets: [] })(request, response);
      // Waiting is simulated by moving the clock.
      setTimeout(() => stand.world.clock.advance(60_000), 300);
      return json({ detail: 'slow down' }, 503)(request, response);
    });
    const { code, stdout, stderr } = await stand.run(['search', 'run', 'ferry', '--wait', '--json']);
    expect(code).toBe(0);
    expect(stderr).toMatch(/ferry: retries in 15 s: upstream_5xx — the service returned an error/);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'succeeded', calls: 2 });
  });

  it('shows the results of a run, and prints its stored response as received', async () => {
    const [run] = await stand.json<Run[]>(
      'runs',
      'list',
      '--search',
      'ferry',
      '--status',
      'succeeded',
      '--limit',
      '1',
    );
    const shown = await stand.json<Run & { calls: { n: number }[] }>('runs', 'show', run?.id ?? '');
    expect(shown.calls.map(({ n }) => n)).toEqual([1, 2]);
    const { stdout } = await stand.run(['runs', 'show', run?.id ?? '', '--answer']);
    expect(JSON.parse(stdout)).toEqual({ miner_tweets: [] });
    const replayed = await stand.run(['runs', 'replay', run?.id ?? '', '--json']);
    expect(replayed).toMatchObject({
      code: 0,
      stderr: 'parsed again: 0 posts, 0 links; 0 new\n',
    });
  });

  it('shares the calls per minute with workers: it waits for capacity, or says when there is some', async () => {
    const { world, home, stub } = stand;
    const { config } = home.ctx;
    home.ctx.config = { ...config, callsPerMinute: 1 };
    try {
      const { runId } = await insertManualRun(world.ctx, 'ferry');
      expect(await executeRun({ ...home.ctx, worker: 'another' }, runId)).toMatchObject({
        status: 'succeeded',
      });
      const asked = stub.requests.length;
      const refused = await stand.run(['search', 'run', 'ferry', '--json']);
      expect(refused.stderr).toMatch(
        /^ferry: not run yet: all calls of this minute \(CALLS_PER_MINUTE: 1\) are used up; the next is possible at .* UTC; a worker/,
      );
      const { id, status } = JSON.parse(refused.stdout) as Run;
      expect([status, stub.requests.length]).toEqual(['queued', asked]);

      world.clock.advance(120_000);
      await executeRun(home.ctx, BigInt(id));
      const said: string[] = [];
      const stderr = new Writable({
        write(chunk, _encoding, done) {
          said.push(String(chunk));
          // The clock moves when the command waits, and nobody has to.
          if (said.join('').endsWith('\n') && said.join('').includes('runs in 1 min'))
            world.clock.advance(120_000);
          done();
        },
      });
      const waited = await stand.run(['search', 'run', 'ferry', '--wait', '--json'], { stderr });
      expect(said.join('')).toMatch(/ferry: runs in 1 min: all calls of this minute/);
      expect(JSON.parse(waited.stdout)).toMatchObject({ status: 'succeeded', calls: 1 });
    } finally {
      home.ctx.config = config;
    }
  });
});

describe('watch and topic', () => {
  it('creates a topic with two searches', async () => {
    stand.stub.answers((request, response) => {
      const ai = !request.path.includes('links');
      return json(
        ai
          ? { search: [{ link: 'https://harbour.example/a', title: 'A', snippet: 's' }] }
          : { miner_tweets: [] },
      )(request, response);
    });
    const watched = await stand.json<{ topic: string; searches: Saved[] }>(
      'watch',
      'Night Train!',
      '--every',
      '5m',
    );
    expect(watched.topic).toBe('night-train');
    expect(watched.searches.map(({ slug }) => slug).sort()).toEqual(['night-train-ai', 'night-train-posts']);
    const shown = await stand.json<{ slug: string; searches: Saved[] }>('topic', 'show', 'night-train');
    expect([shown.slug, shown.searches.length]).toEqual(['night-train', 2]);
    const links = await stand.json<{ url: string }[]>('links', 'list', '--topic', 'night-train');
    expect(links.map(({ url }) => url)).toEqual(['https://harbour.example/a']);
  });

  it('pauses, resumes and removes the topic with its searches', async () => {
    const paused = await stand.json<{ searches: { state: string }[] }>('topic', 'pause', 'night-train');
    expect(paused.searches.map(({ state }) => state)).toEqual(['paused', 'paused']);
    await stand.json('topic', 'resume', 'night-train');
    await stand.json('topic', 'remove', 'night-train');
    const topics = await stand.json<{ slug: string }[]>('topic', 'list');
    expect(topics.map(({ slug }) => slug)).not.toContain('night-train');
  });

  it.each([[['watch', 'Night Train!']], [add('x9', '--topic', 'night-train')]])(
    'refuses to create the topic again: %j',
    async (argv) => {
      const { code, stdout, stderr } = await stand.run(argv);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(
        /^error: the topic "night-train" was removed on 2026-\S+ and keeps its history under this slug/,
      );
      expect(stderr).toContain(
        'under this slug; choose another slug, such as night-train-2 (--slug night-train-2), or delete',
      );
    },
  );

  it('refuses a topic that is already watched', async () => {
    await stand.run(['watch', 'Day Train']);
    const { code, stderr } = await stand.run(['watch', 'Day Train']);
    expect([code, stderr]).toEqual([
      1,
      'error: the topic "day-train" already exists ("Day Train"); choose another slug, such as day-train-2 (--slug day-train-2)\n',
    ]);
  });
});

describe('search edit and preview', () => {
  it('prints what changed, and whether the request changed', async () => {
    const schedule = await stand.run(['search', 'edit', 'ferry', '--every', '1h', '--json']);
    expect([schedule.stderr, JSON.parse(schedule.stdout)]).toMatchObject([
      'ferry: schedule: every 15m → every 1h\n',
      { every_seconds: 3_600, request_version: 1 },
    ]);
    const request = await stand.run(['search', 'edit', 'ferry', '--prompt', 'ferry strike', '--json']);
    expect(request.stderr).toContain('so the next run is a new baseline');
  });

  it('shows when a schedule runs, with zone and offset, before anything is saved', async () => {
    const { stdout } = await stand.run([
      'search',
      'preview',
      '--cron',
      '0 8 * * *',
      '--tz',
      'Europe/Berlin',
      '--count',
      '2',
      '--json',
    ]);
    const preview = JSON.parse(stdout) as { words: string; next: { at: string; local: string }[] };
    expect(preview).toMatchObject({
      words: 'at 08:00, Europe/Berlin time',
      runs_per_day: 1,
      most_calls_per_day: 2,
    });
    expect(preview.next).toHaveLength(2);
    expect(preview.next[0]?.local).toMatch(/ 08:00 \+0[12]:00 Europe\/Berlin$/);
  });
});

describe('a removed search', () => {
  it('is shown as removed, with the time', async () => {
    await stand.run(add('short'));
    await stand.run(['search', 'remove', 'short']);
    for (const argv of [
      ['search', 'resume', 'short'],
      ['search', 'run', 'short'],
      ['search', 'edit', 'short'],
    ]) {
      const { code, stderr } = await stand.run(argv);
      expect([code, stderr]).toEqual([1, expect.stringContaining('"short" was removed on 2026-')]);
    }
    expect((await stand.run(['search', 'show', 'later'])).stdout).toMatch(
      /^next run +\w{3} 2026-\S+ \S+ UTC$/m,
    );
    const { stdout } = await stand.run(['search', 'show', 'short']);
    expect(stdout).toMatch(/^removed +2026-\d\d-\d\d /m);
  });
});

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
