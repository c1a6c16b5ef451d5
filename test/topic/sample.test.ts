/** The sample topic is created once in the sandbox; topics continue on another service. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSandboxWorker } from '../../src/app/sandbox-worker.ts';
import type { Program } from '../../src/app/program.ts';
import type { OwnSources } from '../../src/monitor/context.ts';
import { rewatchTopic } from '../../src/monitor/topics/rewatch-topic.ts';
import { createSampleTopic, createTopic, watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { changeTopic } from '../../src/monitor/topics/search-state.ts';
import { listSearches } from '../../src/store/topics/searches.ts';
import { until } from '../processes.ts';
import { stubbedWorld } from '../stubbed-world.ts';
import { makeWorld, type World } from '../world.ts';

const { world, rows } = await stubbedWorld();
const SAMPLE = { slug: 'festival', name: 'Festival', prompt: 'festival' };
const states = async (topic: string) =>
  (await listSearches(world.db.pool)).filter((search) => search.topic === topic).map(({ state }) => state);

describe('the sandbox', () => {
  let sandbox: World;
  beforeAll(async () => {
    sandbox = await makeWorld({ kind: 'sandbox' });
  });
  afterAll(() => sandbox.close());

  test('gets a sample topic once', async () => {
    expect(await createSampleTopic(sandbox.ctx, SAMPLE)).toMatchObject({ topic: 'festival' });
    expect(await createSampleTopic(sandbox.ctx, SAMPLE)).toBeNull();
    await changeTopic(sandbox.ctx, 'festival', 'remove');
    expect(await createSampleTopic(sandbox.ctx, SAMPLE)).toBeNull();
  });

  test('works until something real is watched, and for a topic of its own always', async () => {
    const programs = [world, sandbox].map(({ ctx }) => ({ ctx }) as unknown as Program); // all that is read of them
    const [real, simulated] = programs as [Program, Program]; // of two
    const log: string[] = [];
    const worker = await runSandboxWorker(real, simulated, { everyMs: 5 }, () => {
      log.push('started');
      return Promise.resolve({
        abort: () => {},
        idle: () => null,
        drain: async () => void log.push('drained'),
      });
    });
    expect(log).toEqual(['started']);
    await watchTopic(world.ctx, { text: 'first real', service: 'hosted' });
    await until('it rests', () => Promise.resolve(log.length === 2));
    await watchTopic(sandbox.ctx, { text: 'tide pools' });
    await until('it works again', () => Promise.resolve(log.length === 3));
    await worker.drain();
    expect(log).toEqual(['started', 'drained', 'started', 'drained']);
  });

  test('refuses to continue a topic for real, and says how to', async () => {
    await expect(rewatchTopic(sandbox.ctx, 'tide-pools', {})).rejects.toThrow('strandline watch');
  });
});

describe('topics of one service', () => {
  const standing = (sources: OwnSources) => ({
    ...world.ctx,
    config: { ...world.ctx.config, hosted: undefined },
    ownSources: () => Promise.resolve(sources),
  });
  beforeAll(() => watchTopic(world.ctx, { text: 'Tide pools', service: 'hosted' }));

  test('continue with the same searches on another service; the old topic is paused and linked', async () => {
    await createTopic(world.ctx, {
      name: 'Kelp',
      service: 'hosted',
      searches: [
        {
          operation: 'microblog',
          prompt: 'kelp "forest"',
          every: '90s',
          labels: ['sea'],
          sensitivity: 'high',
        },
        {
          slug: 'seaweed',
          operation: 'ai',
          prompt: 'kelp',
          tools: ['web'],
          model: 'ORBIT',
          date_filter: 'PAST_WEEK',
          extra: '{"x":1}',
          cron: '0 8 * * 1',
          tz: 'Europe/Berlin',
        },
      ],
    });
    const { topic, created } = await rewatchTopic(standing('answering'), 'kelp', {});
    expect([topic, created.map(({ search }) => search.slug)]).toEqual([
      'kelp-2',
      ['kelp-2-posts', 'kelp-2-seaweed'],
    ]);
    const members = async (of: string) =>
      (await listSearches(world.db.pool))
        .filter((search) => search.topic === of)
        .map(
          ({
            operation,
            prompt,
            tools,
            model,
            date_filter,
            extra,
            cron,
            every_seconds,
            tz,
            labels,
            sensitivity,
          }) => ({
            operation,
            prompt,
            tools,
            model,
            date_filter,
            extra,
            cron,
            every_seconds,
            tz,
            labels,
            sensitivity,
          }),
        );
    expect(await members('kelp-2')).toEqual(await members('kelp'));
    expect(created.every(({ search }) => search.service_kind === 'own' && search.state === 'active')).toBe(
      true,
    );
    expect(await states('kelp')).toEqual(['paused', 'paused']);
    expect(
      await rows(
        `SELECT t.slug, t.name, s.slug AS successor FROM strandline.topics t
         LEFT JOIN strandline.topics s ON s.id = t.successor_id WHERE t.slug LIKE 'kelp%' ORDER BY 1`,
      ),
    ).toEqual([
      { slug: 'kelp', name: 'Kelp', successor: 'kelp-2' },
      { slug: 'kelp-2', name: 'Kelp', successor: null },
    ]);
    expect(world.enqueued.slice(-2).map(({ runId }) => runId)).toEqual(
      created.map(({ firstRunId }) => firstRunId),
    );
  });

  test.each([
    ['kelp', {}, 'already continues as "kelp-2"'],
    ['kelp-2', { service: 'own' }, 'already uses the service own'],
    ['tide-pools', { service: 'sandbox' }, '--sandbox'],
    ['tide-pools', { slug: 'kelp' }, 'the topic "kelp" already exists'],
    ['tide-pools', { slug: 'No Slug' }, 'lowercase letters'],
    ['nowhere', {}, 'there is no topic "nowhere"'],
  ])('%s cannot continue with %o: %s', async (slug, options, words) => {
    const before = await rows('SELECT count(*)::int AS n FROM strandline.searches');
    await expect(rewatchTopic(standing('answering'), slug, options)).rejects.toThrow(words);
    expect(await rows('SELECT count(*)::int AS n FROM strandline.searches')).toEqual(before);
  });

  test('continue on public sources that are not reachable yet', async () => {
    const { created } = await rewatchTopic(standing('unreachable'), 'tide-pools', { slug: 'rock-pools' });
    expect(created.map(({ search: { slug, service } }) => [slug, service])).toEqual([
      ['rock-pools-ai', 'own'],
      ['rock-pools-posts', 'own'],
    ]);
  });
});
