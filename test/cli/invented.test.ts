/** Notices about simulated data: fallback to the sandbox, and results that are all simulated. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, wirePost } from '../stub-service.ts';
import { collector, makeStand, type Stand } from './stand.ts';

const CHOSEN = 'No public source is reachable, so this uses simulated data. When you are online, ';
const NOTE = 'Simulated data (sandbox)\n';

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

describe('fallback to the sandbox', () => {
  it('watch announces it, with the command for real sources', async () => {
    const { code, stderr } = await stand.run(['watch', 'Tide pools']);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        `${CHOSEN}run: strandline watch "Tide pools" --service own --slug tide-pools-2\n`,
      ),
    ]);
  });

  it('search add announces it', async () => {
    expect((await add('one')).stderr).toContain(
      `${CHOSEN}repeat this command as one-2 with --service own.\n`,
    );
  });

  it('is not announced with --service sandbox, or without sources', async () => {
    expect((await add('asked', '--service', 'sandbox')).stderr).not.toContain('simulated');
    const { ctx } = stand.world;
    const before = ctx.ownSources;
    ctx.ownSources = () => Promise.resolve('none');
    expect((await add('none')).stderr).not.toContain('simulated');
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
    '%s %s marks simulated data on a terminal',
    async (...argv) => {
      expect(await looking(...argv)).toEqual([0, NOTE]);
      expect(await looking(...argv, '--json')).toEqual([0, '']);
      expect((await stand.run(argv)).stderr).toBe('');
    },
  );

  it('posts growth marks simulated posts', async () => {
    stand.world.clock.advance(3_600_000);
    stand.stub.answers(json({ miner_microblog_posts: [wirePost('1', { like_count: 4_000 })] }));
    await stand.run(['search', 'run', 'one', '--wait']);
    const [code, stderr] = await looking('posts', 'growth');
    expect([code, stderr]).toEqual([0, NOTE]);
  });

  it.each(LISTS)('%s %s marks nothing if one of the rows is real', async (...argv) => {
    const { ctx } = stand.world;
    ctx.ownSources = () => Promise.resolve('answering');
    stand.stub.answers(json({ miner_microblog_posts: [wirePost('2')] }));
    await add('real', '--service', 'own');
    expect(await looking(...argv)).toEqual([0, '']);
  });
});
