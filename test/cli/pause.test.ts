/** Stop and go by commands: everything, a topic, a search; and what `new` says right after `watch`. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await makeStand();
  stand.stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('2')] }));
});
afterAll(() => stand.close());

const add = (slug: string, topic: string) =>
  stand.run([
    'search',
    'add',
    slug,
    '--operation',
    'microblog',
    '--prompt',
    slug,
    '--every',
    '15m',
    '--topic',
    topic,
  ]);

describe('pause and resume', () => {
  // The clock stands at noon of a Saturday.
  beforeAll(async () => {
    await add('ferry-posts', 'ferry');
    await add('tram-posts', 'tram');
  });
  beforeEach(async () => {
    await stand.run(['topic', 'resume', 'ferry']);
    await stand.run(['topic', 'resume', 'tram']);
  });

  test('everything until a weekday, without quotes; resume only what it paused', async () => {
    await stand.run(['search', 'pause', 'tram-posts']);
    expect(await stand.run(['pause', '--until', 'friday', '9:00'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr:
        '1 search paused until Fri 2026-11-27 09:00Z; 1 search paused before, and at least until Fri 2026-11-27 09:00Z\n',
    });
    const { stdout } = await stand.run(['status']);
    expect(stdout).toMatch(/paused +2 searches with all searches until Fri 2026-11-27 09:00Z/);
    expect((await stand.run(['topic', 'list'])).stdout).toContain('paused until Fri 2026-11-27 09:00Z');
    expect((await stand.run(['search', 'show', 'ferry-posts'])).stdout).toMatch(
      /status +paused until Fri 2026-11-27 09:00Z since 2026-11-21 12:00Z: paused with all searches/,
    );
    expect(await stand.json('status')).toMatchObject({
      pause_of_all: { searches: 2, until: '2026-11-27T09:00:00.000Z' },
    });
    expect((await stand.run(['resume'])).stderr).toBe(
      '1 search resumed; 1 search still paused, alone or with the topic: strandline search list --state paused\n',
    );
    expect((await stand.run(['resume'])).stderr).toMatch(/^Nothing to resume; 1 search still paused/);
    expect(await stand.json('status')).toMatchObject({ pause_of_all: null });
  });

  test('a topic and a search until a time', async () => {
    expect((await stand.run(['topic', 'pause', 'ferry', '--until', '2h'])).stderr).toBe(
      'ferry-posts: paused until Sat 2026-11-21 14:00Z\n',
    );
    expect(await stand.json('topic', 'resume', 'ferry')).toMatchObject({
      slug: 'ferry',
      searches: [{ slug: 'ferry-posts', state: 'active', paused_until: null }],
    });
    expect(await stand.json('search', 'pause', 'tram-posts', '--until', 'tomorrow')).toMatchObject({
      state: 'paused',
      paused_until: '2026-11-22T00:00:00.000Z',
      pauses: ['search'],
    });
  });

  test.each([
    [['pause', '--until', 'later'], 'a duration of at most 3660d'],
    [['pause', '--until', '2020-01-01'], 'a time after now, 2026-11-21T12:00:00.000Z'],
    [['topic', 'pause', 'ferry', '--until', 'friday', '25:00'], 'got "friday 25:00"'],
    [['search', 'pause', 'ferry-posts', '--until', 'yesterday'], 'a time such as 9:00'],
    [['pause', 'ferry'], 'too many arguments'],
    [['pause', '--until'], 'argument missing'],
  ])('%j is refused, and changes nothing', async (argv, words) => {
    const { code, stderr } = await stand.run(argv);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(words) as unknown });
    expect(await stand.json('search', 'show', 'ferry-posts')).toMatchObject({ state: 'active' });
  });
});

describe('new', () => {
  test('hides what was there at the start, and says how much that was', async () => {
    await add('pier-posts', 'pier');
    expect(await stand.run(['new', '--topic', 'pier'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'Nothing new since 12:00:00Z; 2 were there at the start: --baseline\n',
    });
    expect(await stand.json('new', '--topic', 'pier')).toEqual([]);
    expect(await stand.json('new', '--topic', 'pier', '--baseline')).toHaveLength(2);
    expect((await stand.run(['new', '--topic', 'pier', '--since', '1h', '--until', 'today'])).stderr).toBe(
      'No discoveries.\n',
    );

    stand.stub.answers(json({ miner_tweets: [wirePost('1'), wirePost('3')] }));
    stand.world.clock.advance(60_000);
    const { runId } = await insertManualRun(stand.world.ctx, 'pier-posts');
    await executeRun(stand.world.ctx, runId);
    expect(await stand.json('new', '--topic', 'pier')).toMatchObject([
      { baseline: false, at: '2026-11-21T12:01:00.000Z' },
    ]);
    expect(await stand.json('new', '--topic', 'pier', '--until', '2026-11-21T12:01Z')).toEqual([]);
    expect(await stand.json('new', '--topic', 'pier', '--until', '2026-11-21T12:02Z')).toHaveLength(1);
  });

  test('is refused an end while it follows', async () => {
    expect(await stand.run(['new', '--follow', '--until', '1h'])).toMatchObject({ code: 2 });
  });
});
