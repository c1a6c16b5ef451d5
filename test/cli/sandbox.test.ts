/** Nothing is simulated unasked: real searches wait for a source, and simulated ones are in the sandbox, which commands name. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Readable } from 'node:stream';
import { json, wirePost } from '../stub-service.ts';
import { listCalls } from './every-command.ts';
import { collector, makeStand, type Stand } from './stand.ts';

const STARTS = 'no public source is reachable; starts when a source is reachable';

const ADD = ['search', 'add', 'one', '--operation', 'microblog', '--prompt', 'ferry', '--every', '15m'];

describe('without a reachable source', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await makeStand();
    stand.stub.answers(json({ miner_microblog_posts: [] }));
    const { ctx } = stand.world;
    // Nothing hosted, and no public source that responds: a laptop without a network.
    Object.assign(ctx, {
      config: { ...ctx.config, hosted: undefined },
      ownSources: () => Promise.resolve('unreachable'),
    });
  });
  afterAll(() => stand.close());

  const slugs = async () => (await stand.json<{ slug: string }[]>('topic', 'list')).map(({ slug }) => slug);
  /** A person at a terminal, whose next line is the next command. */
  const typing = async (...argv: string[]) => {
    const stderr = collector();
    const stdin = Object.assign(Readable.from(['2\n']), { isTTY: true });
    const io = { stdin, stderr: Object.assign(stderr.stream, { isTTY: true }) };
    return { code: (await stand.run(argv, io)).code, stderr: stderr.text() };
  };

  it('saves the topic on the own service, in a pipe and on a terminal, asks nothing, and says when it starts', async () => {
    const piped = await stand.run(['watch', 'Tide "pools"', '--every', '5m']);
    expect([piped.code, piped.stderr]).toEqual([0, expect.stringContaining(`not run yet: ${STARTS}`)]);
    const typed = await typing('watch', 'Kelp forest');
    expect([typed.code, typed.stderr]).toEqual([0, expect.stringContaining(`not run yet: ${STARTS}`)]);
    for (const slug of ['tide-pools-posts', 'kelp-forest-ai'])
      expect(await stand.json('search', 'show', slug)).toMatchObject({ service: 'own', state: 'active' });
    expect((await stand.run(ADD)).code).toBe(0);
    expect(await stand.json('runs', 'list', '--status', 'failed')).toEqual([]);
    const { rows } = await stand.world.db.pool.query('SELECT FROM strandline.calls');
    expect(rows).toEqual([]);
    for (const slug of ['tide-pools', 'kelp-forest', 'one'])
      expect((await stand.run(['topic', 'remove', slug, '--purge', '--yes'])).code).toBe(0);
    expect(await slugs()).toEqual([]);
  });

  it('tries a search without a word about saving', async () => {
    const { code, stderr } = await stand.run(['search', 'try', '--operation', 'microblog', '--prompt', 'p']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('saved')]);
  });

  it.each(['unreachable', 'none'] as const)(
    'refuses the sandbox as a service with sources %s',
    async (sources) => {
      const { ctx } = stand.world;
      ctx.ownSources = () => Promise.resolve(sources);
      for (const argv of [['watch', 'Tide pools'], ADD])
        expect(await stand.run([...argv, '--service', 'sandbox'])).toEqual({
          code: 2,
          stdout: '',
          stderr: expect.stringMatching(
            /^error: service \(--service\): .*simulated topics are in the sandbox \(--sandbox/,
          ),
        });
      expect(await slugs()).toEqual([]);
    },
  );

  it('refuses a search if public sources are turned off, and names the sandbox', async () => {
    const { ctx } = stand.world;
    ctx.ownSources = () => Promise.resolve('none');
    for (const argv of [['watch', 'Tide pools'], ADD])
      expect(await stand.run(argv)).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/SERVICE_SOURCES turns off all public sources.*--sandbox/s),
      });
    expect(await slugs()).toEqual([]);
  });
});

describe('in the sandbox', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await makeStand('sandbox');
    stand.stub.answers(
      json({
        miner_microblog_posts: [wirePost('1')],
        completion: 'A claim [1](https://a.example/1).',
        search: [],
      }),
    );
  });
  afterAll(() => stand.close());

  it("a topic of one's own runs at once on its only service, and the hint continues there", async () => {
    const { code, stderr } = await stand.run(['watch', 'Tide pools', '--sandbox']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('See what is new: strandline --sandbox new --topic tide-pools\n'),
    ]);
    expect(await stand.json('--sandbox', 'search', 'show', 'tide-pools-posts')).toMatchObject({
      service: 'sandbox',
      topic: 'tide-pools',
    });
    expect(await stand.run(['goal', 'set', 'tide-pools', 'rulings', '--sandbox'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no language model is asked about simulated texts'),
    });
    expect(await stand.run([...ADD, '--sandbox', '--service', 'own'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the sandbox has no other service'),
    });
  });

  it.each([
    ['tide-pools', ['new', '--baseline']],
    ['@user_1', ['posts', 'list']],
    ['@user_1', ['posts', 'top']],
    ['tide-pools', ['trends']],
    ['A claim', ['completions', 'show', 'tide-pools-ai']],
  ])('%s is printed by %j without a notice: who asked for the sandbox knows', async (found, argv) => {
    expect(await stand.run([...argv, '--sandbox'])).toEqual({
      code: 0,
      stdout: expect.stringContaining(found) as string,
      stderr: '',
    });
  });

  it('an error names the command with its option', async () => {
    expect(await stand.run(['--sandbox', 'search', 'show', 'nothing'])).toMatchObject({
      code: 1,
      stderr: 'error: there is no search "nothing"; see: strandline --sandbox search list\n',
    });
  });
});

it('--sandbox is refused by commands that serve both databases, or none', async () => {
  const stand = await makeStand('sandbox');
  try {
    const both = ['up', 'worker', 'api', 'service', 'doctor', 'config', 'autocomplete'];
    const calls = (await listCalls()).filter(({ argv: [top = ''] }) => both.includes(top));
    expect(new Set(calls.map(({ argv: [top] }) => top))).toEqual(new Set(both));
    for (const { argv } of calls)
      expect({ argv, ...(await stand.run([...argv, '--sandbox'])) }).toMatchObject({
        argv,
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(`error: --sandbox does not apply to ${argv[0]}`),
      });
  } finally {
    await stand.close();
  }
});
