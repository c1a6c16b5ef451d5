/** Simulated data is asked for, and marked: new searches without a reachable source, and results that are all simulated. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Readable } from 'node:stream';
import { json, wirePost } from '../stub-service.ts';
import { collector, makeStand, type Stand } from './stand.ts';

const NOTE = 'Simulated data (sandbox)\n';
const STARTS = 'no public source is reachable; starts when a source is reachable';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(
    json({
      miner_microblog_posts: [wirePost('1')],
      completion: 'A claim [1](https://a.example/1).',
      search: [],
    }),
  );
  const { ctx } = stand.world;
  // Nothing hosted, and no public source that responds: a laptop without a network.
  Object.assign(ctx, {
    config: { ...ctx.config, hosted: undefined },
    ownSources: () => Promise.resolve('silent'),
  });
});
afterAll(() => stand.close());

const add = (slug: string, ...more: string[]) =>
  stand.run([
    'search',
    'add',
    slug,
    '--operation',
    'microblog',
    '--prompt',
    'ferry',
    '--every',
    '15m',
    ...more,
  ]);

describe('without a reachable source', () => {
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
    expect((await add('one')).code).toBe(0);
    expect(await stand.json('runs', 'list', '--status', 'failed')).toEqual([]);
    const { rows } = await stand.world.db.pool.query('SELECT FROM strandline.calls');
    expect(rows).toEqual([]);
    for (const slug of ['tide-pools', 'kelp-forest', 'one'])
      expect((await stand.run(['topic', 'purge', slug, '--yes'])).code).toBe(0);
    expect(await slugs()).toEqual([]);
  });

  it('tries a search without a word about saving', async () => {
    const { code, stderr } = await stand.run(['search', 'try', '--operation', 'microblog', '--prompt', 'p']);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('saved')]);
  });

  it('simulates only if asked, or if public sources are turned off', async () => {
    expect((await stand.run(['watch', 'Tide pools', '--service', 'sandbox'])).code).toBe(0);
    expect((await add('one', '--service', 'sandbox')).code).toBe(0);
    const { ctx } = stand.world;
    const before = ctx.ownSources;
    ctx.ownSources = () => Promise.resolve('none');
    expect((await add('none')).code).toBe(0);
    expect(await stand.json('search', 'show', 'none')).toMatchObject({ service: 'sandbox' });
    ctx.ownSources = before;
  });
});

describe('lists', () => {
  const looking = async (...argv: string[]) => {
    const stderr = collector();
    const { code } = await stand.run(argv, { stderr: Object.assign(stderr.stream, { isTTY: true }) });
    return [code, stderr.text()];
  };
  const LISTS = [['new'], ['posts', 'list'], ['posts', 'top'], ['trends']];

  it.each([...LISTS, ['completions', 'show', 'tide-pools-ai']])(
    '%s %s marks simulated data, on a terminal and in a pipe; rows of JSON say it themselves',
    async (...argv) => {
      expect(await looking(...argv)).toEqual([0, NOTE]);
      expect(await looking(...argv, '--json')).toEqual([0, '']);
      expect((await stand.run(argv)).stderr).toBe(NOTE);
      expect((await stand.run([...argv, '--json'])).stderr).toBe('');
    },
  );

  it('posts growth marks simulated posts', async () => {
    stand.world.clock.advance(3_600_000);
    stand.stub.answers(json({ miner_microblog_posts: [wirePost('1', { like_count: 4_000 })] }));
    await stand.run(['search', 'run', 'one', '--wait']);
    const [code, stderr] = await looking('posts', 'growth');
    expect([code, stderr]).toEqual([0, NOTE]);
  });

  it.each(LISTS)(
    '%s %s shows real data, without a mark, as soon as there is a real topic',
    async (...argv) => {
      const { ctx } = stand.world;
      ctx.ownSources = () => Promise.resolve('answering');
      stand.stub.answers(json({ miner_microblog_posts: [wirePost('2')] }));
      await add('real', '--service', 'own');
      expect(await looking(...argv)).toEqual([0, '']);
    },
  );

  it('deliveries of a rule on a simulated search are marked, beside real data', async () => {
    const done = async (...argv: string[]) => expect((await stand.run(argv)).code).toBe(0);
    await done('channels', 'add', 'ops', '--webhook', 'https://93.184.215.14/hook');
    await done('rules', 'add', 'simulated-ferry', '--search', 'one', '--channel', 'ops');
    await done('rules', 'add', 'real-ferry', '--search', 'real', '--channel', 'ops');
    const list = ['deliveries', 'list', '--rule'];
    expect(await looking(...list, 'simulated-ferry')).toEqual([0, `${NOTE}No deliveries yet.\n`]);
    expect(await looking(...list, 'real-ferry')).toEqual([0, 'No deliveries yet.\n']);
  });
});

describe('beside the other side', () => {
  it('a list or statement without rows says how to read it', async () => {
    const HINT = 'These are the real data; for simulated data, add --simulated.\n';
    const stderr = async (...argv: string[]) => (await stand.run(argv)).stderr;
    const sql = "select * from posts where text = 'no such text'";
    expect(await stderr('sql', sql)).toMatch(
      /^0 rows in \d+ ms\nThese are the real data; for simulated data, add --simulated\.\n$/,
    );
    expect(await stderr('find', 'nosuchword')).toBe(`No matches.\n${HINT}`);
    expect(await stderr('links', 'list')).toBe(`No links.\n${HINT}`);
    expect(await stderr('export', 'links', '--format', 'ndjson')).toBe(`No rows.\n${HINT}`);
    expect(await stderr('sql', '--simulated', sql)).toContain('for real data, leave --simulated out.');
    // A list with rows, and one of a named topic, say nothing of it.
    expect(await stderr('posts', 'list')).toBe('');
    expect(await stderr('find', 'nosuchword', '--topic', 'tide-pools')).not.toContain('--simulated');
  });

  it('an export of a topic of the other side names the option', async () => {
    expect((await stand.run(['export', 'posts', '--topic', 'tide-pools', '--format', 'ndjson'])).stderr).toBe(
      'error: the topic "tide-pools" has simulated data, not real data: add --simulated (in the API: simulated=true); see: strandline topic list\n',
    );
  });
});
