/** The sample topic pauses for what is real; simulated topics are named, and continue on real sources. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { OwnSources } from '../../src/monitor/context.ts';
import { rewatchTopic } from '../../src/monitor/topics/rewatch-topic.ts';
import { pauseSampleBesideReal } from '../../src/monitor/topics/pause-sample.ts';
import { findPausedSample } from '../../src/monitor/topics/sample-topic.ts';
import { createSampleTopic, createTopic, watchTopic } from '../../src/monitor/topics/save-topic.ts';
import { changeTopic } from '../../src/monitor/topics/search-state.ts';
import { listTopicsToRewatch } from '../../src/monitor/topics/simulated-topics.ts';
import { listSearches } from '../../src/store/searches.ts';
import { stubbedWorld } from '../stubbed-world.ts';

const { world, rows } = await stubbedWorld();
const SAMPLE = { slug: 'festival', name: 'Festival', prompt: 'festival' };
const states = async (topic: string) =>
  (await listSearches(world.db.pool)).filter((search) => search.topic === topic).map(({ state }) => state);

describe('the sample', () => {
  beforeAll(() => createSampleTopic(world.ctx, SAMPLE));

  test('runs beside what is simulated', async () => {
    await watchTopic(world.ctx, { text: 'Tide pools', service: 'sandbox' });
    expect(await pauseSampleBesideReal(world.ctx)).toBeNull();
    expect(await states('festival')).toEqual(['active', 'active']);
    expect(await findPausedSample(world.db.pool)).toBeNull();
  });

  test('is paused by the first real search, once, however many are added at the same time', async () => {
    const made = await Promise.all(
      ['one', 'two', 'three'].map((text) => watchTopic(world.ctx, { text, service: 'hosted' })),
    );
    const paused = made.flatMap(({ created }) => created.flatMap(({ pausedSample }) => pausedSample ?? []));
    expect(paused).toEqual(['festival']);
    expect(await states('festival')).toEqual(['paused', 'paused']);
    expect(await states('tide-pools')).toEqual(['active', 'active']);
    expect(await findPausedSample(world.db.pool)).toMatchObject({ slug: 'festival' });
    // Nobody is told to resume a topic that continues in another one.
    const setSuccessor = (slug: string) =>
      rows(
        `UPDATE strandline.topics SET successor_id = (SELECT id FROM strandline.topics WHERE slug = $1) WHERE slug = 'festival'`,
        [slug],
      );
    await setSuccessor('one');
    expect(await findPausedSample(world.db.pool)).toBeNull();
    await setSuccessor('none');
    expect(
      await rows(
        `SELECT actor, name, changes FROM strandline.audit_log WHERE subject = 'festival' AND action = 'topic.paused'`,
      ),
    ).toEqual([
      {
        actor: 'program',
        name: 'sample topic',
        changes: { searches: { after: ['festival-ai', 'festival-posts'] } },
      },
    ]);
  });

  test('keeps running if it is resumed', async () => {
    await changeTopic(world.ctx, 'festival', 'resume');
    await watchTopic(world.ctx, { text: 'four', service: 'hosted' });
    expect(await pauseSampleBesideReal(world.ctx)).toBeNull();
    expect(await states('festival')).toEqual(['active', 'active']);
    expect(await findPausedSample(world.db.pool)).toBeNull();
  });
});

describe('topics with simulated data', () => {
  const standing = (sources: OwnSources) => ({
    ...world.ctx,
    config: { ...world.ctx.config, hosted: undefined },
    ownSources: () => Promise.resolve(sources),
  });

  test('are named once real sources are reachable, except the sample', async () => {
    expect(await listTopicsToRewatch(standing('answering'))).toEqual(['tide-pools']);
    expect(await listTopicsToRewatch(standing('silent'))).toEqual([]);
    expect(await listTopicsToRewatch(standing('none'))).toEqual([]);
    expect(await listTopicsToRewatch(world.ctx)).toEqual(['tide-pools']);
  });

  test('continue with the same searches on another service; the old topic is paused and linked', async () => {
    await createTopic(world.ctx, {
      name: 'Kelp',
      service: 'sandbox',
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
    expect(await listTopicsToRewatch(standing('answering'))).toEqual(['tide-pools']);
  });

  test.each([
    ['kelp', {}, 'already continues as "kelp-2"'],
    ['kelp-2', { service: 'own' }, 'already uses the service own'],
    ['tide-pools', { service: 'sandbox' }, 'own or hosted'],
    ['tide-pools', { slug: 'kelp' }, 'the topic "kelp" already exists'],
    ['tide-pools', { slug: 'No Slug' }, 'lowercase letters'],
    ['nowhere', {}, 'there is no topic "nowhere"'],
  ])('%s cannot continue with %o: %s', async (slug, options, words) => {
    const before = await rows('SELECT count(*)::int AS n FROM strandline.searches');
    await expect(rewatchTopic(standing('answering'), slug, options)).rejects.toThrow(words);
    expect(await rows('SELECT count(*)::int AS n FROM strandline.searches')).toEqual(before);
  });

  test('continue on public sources that are not reachable yet', async () => {
    const { created } = await rewatchTopic(standing('silent'), 'tide-pools', { slug: 'rock-pools' });
    expect(created.map(({ search: { slug, service } }) => [slug, service])).toEqual([
      ['rock-pools-ai', 'own'],
      ['rock-pools-posts', 'own'],
    ]);
  });
});
