import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import {
  computeRate,
  computeUsualPerHour,
  findPlantedEvent,
  listLongChanges,
  listPlanted,
  listPlantedBursts,
  listPlantedOthers,
  type PlantedOther,
  toPlantedBurst,
} from '../../../src/service/sandbox/planted-events.ts';
import { isShowTime } from '../../../src/service/sandbox/usual-volume.ts';
import { createDocuments } from '../../../src/service/sandbox/simulated-documents.ts';
import { matchTopic, TOPICS } from '../../../src/service/sandbox/built-in-topics.ts';
import { createSeedStore } from '../../../src/service/sandbox/post-seeds.ts';
import { computeTruth } from '../../../src/service/sandbox/ground-truth.ts';
import { createPostLister } from './every-post.ts';
import { type Client, KEY, startForTest } from '../running.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const worlds = TOPICS.map(({ phrases }) => matchTopic('truth', phrases[0] ?? ''));
const DAYS = Array.from({ length: 120 }, (_, i) => Math.floor(NOON / DAY) - i);

describe('simulated topics', () => {
  test('are forty, with 3 to 3,000 posts a day, in eight languages, each found by its own phrases', () => {
    const rates = TOPICS.map(({ postsPerDay }) => postsPerDay);
    expect(TOPICS).toHaveLength(40);
    expect([Math.min(...rates), Math.max(...rates)]).toEqual([3, 3_000]);
    expect(rates.filter((rate) => rate < 30).length).toBeGreaterThanOrEqual(14);
    expect(rates.filter((rate) => rate >= 30 && rate <= 300).length).toBeGreaterThanOrEqual(14);
    expect(rates.filter((rate) => rate > 300).length).toBeGreaterThanOrEqual(12);
    expect(new Set(TOPICS.flatMap(({ languages }) => Object.keys(languages))).size).toBe(8);
    for (const topic of TOPICS) {
      for (const phrase of topic.phrases) expect(matchTopic('x', phrase).topic.slug).toBe(topic.slug);
      const shares = Object.values(topic.languages).reduce((sum, share) => sum + share, 0);
      expect(shares).toBeCloseTo(1, 9);
      for (const language of Object.keys(topic.languages)) expect(topic.sentences).toHaveProperty(language);
    }
  });

  test('keep their numbers: the first eight are part of stored ids', () => {
    expect(TOPICS.slice(0, 8).map(({ slug }) => slug)).toEqual([
      'harbour-festival',
      'lunar-lander',
      'sourdough',
      'night-trains',
      'tidal-power',
      'cargo-bikes',
      'seed-bank',
      'lighthouse-restoration',
    ]);
  });
});

describe('planted bursts', () => {
  test('are all worth a report, and nothing else is', () => {
    let bursts = 0;
    let candidates = 0;
    for (const world of worlds) {
      for (const day of DAYS) {
        const stir = findPlantedEvent(world, day);
        if (stir === undefined) continue;
        const burst = toPlantedBurst(world, stir);
        if (stir.kind === 'burst') candidates += 1;
        else expect(burst, `${world.topic.slug}, day ${day}`).toBeUndefined();
        if (burst === undefined) continue;
        bursts += 1;
        expect(burst.extraPostsSixHours).toBeGreaterThanOrEqual(5);
        expect(burst.end).toBeGreaterThan(burst.onset);
        expect(burst.peak).toBeGreaterThanOrEqual(burst.onset);
      }
    }
    // Some come to nothing, during a weekly show or while the source is silent.
    expect(bursts / candidates).toBeGreaterThan(0.9);
    // One in two weeks, more or less.
    const everyDays = (worlds.length * DAYS.length) / bursts;
    expect(everyDays).toBeGreaterThan(10);
    expect(everyDays).toBeLessThan(20);
  });

  test('never overlap', () => {
    for (const world of worlds.slice(0, 12)) {
      const bursts = listPlantedBursts(world, NOON - 120 * DAY, NOON);
      for (const [i, burst] of bursts.entries()) {
        const before = bursts[i - 1];
        if (before !== undefined) expect(burst.peak - before.peak).toBeGreaterThan(2 * DAY);
      }
    }
  });

  test('contain the promised posts', () => {
    const seeds = createSeedStore();
    let there = 0;
    let expected = 0;
    for (const world of worlds) {
      for (const burst of listPlantedBursts(world, NOON - 30 * DAY, NOON)) {
        const until = burst.onset + 6 * HOUR;
        there += seeds.within(world, burst.onset, until).length;
        expected += burst.extraPostsSixHours;
        for (let at = burst.onset; at < until; at += HOUR)
          expected += computeUsualPerHour(world, at + HOUR / 2);
      }
    }
    expect(expected).toBeGreaterThan(1_000);
    // Other events add some; chance, the noise of hours and the delays of cascades are some in a hundred of so many.
    expect(there / expected).toBeGreaterThan(0.93);
    expect(there / expected).toBeLessThan(1.1);
  });
});

test('the cache of posts keeps to its size, also with one hour of each topic', () => {
  const seeds = createSeedStore(100);
  const hours = worlds.map((world) => seeds.hour(world, NOON / HOUR));
  expect(hours.flat().length).toBeGreaterThan(500);
  const kept = hours.filter(
    (posts, i) => posts === seeds.hour(worlds[i] as (typeof worlds)[number], NOON / HOUR),
  );
  expect(kept.flat().length).toBeLessThanOrEqual(Math.max(100, ...kept.map(({ length }) => length)));
});

describe('planted beside the bursts', () => {
  const from = NOON - 120 * DAY;
  const seeds = createSeedStore();
  const others = worlds.flatMap((world) =>
    listPlantedOthers(world, from, NOON)
      .filter((other) => other.from > from && other.until < NOON)
      .map((other) => ({ world, ...other })),
  );
  const every = (kind: PlantedOther['kind']) => others.filter((other) => other.kind === kind);
  const postsOf = ({ world, ...span }: ReturnType<typeof every>[number]) =>
    seeds.within(world, span.from, span.until - 1);

  test('floods are of one author, campaigns of one text', () => {
    const listPosts = createPostLister('truth');
    const [floods, campaigns] = [every('flood'), every('campaign')];
    expect(Math.min(floods.length, campaigns.length)).toBeGreaterThan(10);
    const largest = (list: readonly string[]) =>
      Math.max(...[...new Set(list)].map((one) => list.filter((other) => other === one).length));
    for (const { world, ...flood } of floods.slice(0, 8)) {
      const posts = postsOf({ world, ...flood });
      const spam = posts.filter(({ role }) => role === 'spam');
      expect(spam.length, world.topic.slug).toBeGreaterThan(0.25 * posts.length);
      expect(largest(spam.map(({ author }) => `${author}`))).toBeGreaterThan(0.9 * spam.length);
    }
    for (const { world, ...span } of campaigns.slice(0, 5)) {
      const posts = postsOf({ world, ...span });
      const copies = posts.filter(({ role }) => role === 'campaign');
      expect(copies.length, world.topic.slug).toBeGreaterThan(0.25 * posts.length);
      expect(new Set(copies.map(({ author }) => author)).size).toBeGreaterThan(0.9 * copies.length);
      const phrase = world.topic.phrases[0] ?? '';
      const shown = listPosts(phrase, { from: span.from, at: span.until - 1 });
      expect(largest(shown.filter(({ is_repost }) => !is_repost).map(({ text }) => text))).toBeGreaterThan(
        0.9 * copies.length,
      );
    }
  });

  test('a silent source has no posts, and a level or drift has as many as it says', () => {
    expect(every('silence').length).toBeGreaterThan(2);
    for (const silence of every('silence')) expect(postsOf(silence)).toEqual([]);
    for (const kind of ['level', 'drift'] as const) {
      let [there, expected, plain] = [0, 0, 0];
      const changes = every(kind).filter(({ world }) => world.topic.postsPerDay < 200);
      expect(changes.length).toBeGreaterThan(2);
      for (const { world, ...span } of changes) {
        there += postsOf({ world, ...span }).length;
        for (let at = span.from; at < span.until; at += HOUR) {
          const planted = listPlanted(world, Math.floor(at / DAY));
          expected += (world.topic.postsPerDay / 24) * computeRate(world.topic, at, planted);
          plain += world.topic.postsPerDay / 24;
        }
        expect(listLongChanges(world, span.from, span.until)).toMatchObject([{ kind }]);
      }
      expect(there / expected).toBeGreaterThan(0.9);
      expect(there / expected).toBeLessThan(1.1);
      expect(there / plain).toBeGreaterThan(1.2);
    }
  });

  test.each([
    ['Sunday 23:00', 0, '2026-11-22T22:59Z 2026-11-22T23:00Z 2026-11-23T00:59Z 2026-11-23T01:00Z'],
    ['Saturday 23:00', 6, '2026-11-21T22:59Z 2026-11-21T23:00Z 2026-11-22T00:59Z 2026-11-22T01:00Z'],
  ])('a weekly show of two hours from %s ends after midnight', (_, weekday, times) => {
    const habits = { show: { weekday, hour: 23, hours: 2, factor: 4 } };
    const isOn = (time: string) => isShowTime(habits, Date.parse(time));
    expect(times.split(' ').map(isOn)).toEqual([false, true, true, false]);
  });

  test('a weekly show is on each week, and ambiguous events are 1.3 to 2 times the usual', () => {
    const shows = every('show');
    expect(new Set(shows.map(({ world }) => world.topic.slug)).size).toBe(5);
    expect(shows.length).toBe(5 * 17);
    for (const world of worlds) {
      for (const day of DAYS) {
        const event = findPlantedEvent(world, day);
        if (event?.kind !== 'ambiguous') continue;
        const most = event.size / (1 + world.topic.daily.share);
        expect(most).toBeGreaterThan(0.25);
        expect(most).toBeLessThan(4);
      }
    }
  });
});

describe('the truth of a time span', () => {
  const from = new Date(NOON - 2 * DAY);
  const to = new Date(NOON);

  test('lists every post of the microblog, and the deleted ones', () => {
    const truth = computeTruth('truth', 'night trains', from, to);
    const posts = truth.posts ?? [];
    const shown = createPostLister('truth')('night trains', { from: from.getTime(), at: to.getTime() });
    const alive = posts.filter(({ deleted_at }) => deleted_at === null || Date.parse(deleted_at) > NOON);
    expect(alive.map(({ id }) => id)).toEqual(shown.map(({ id }) => id));
    expect(posts.length).toBeGreaterThan(alive.length);
  });

  test('marks relevance: posts off topic never use its sentences', () => {
    const truth = computeTruth('truth', 'harbour festival', from, to);
    const role = new Map(truth.posts?.map((post) => [post.id, post]));
    const shown = createPostLister('truth')('harbour festival', {
      from: from.getTime(),
      at: to.getTime(),
    });
    const roles = new Set(truth.posts?.map((post) => post.role));
    expect([...roles].toSorted()).toEqual(
      ['copy', 'distractor', 'injection', 'long', 'plain', 'sarcasm', 'spam'].toSorted(),
    );
    for (const { id, text } of shown) {
      const post = role.get(id);
      if (post?.role === 'injection') expect(text).toMatch(/PELICAN-\d/);
      if (post?.role === 'long') expect(text.length).toBeGreaterThan(500);
      if (post?.role === 'spam') expect(text).toContain('https://deals-');
      if (post?.relevant === true) expect(text).not.toMatch(/PELICAN|deals-\d/);
    }
    const irrelevant = shown.filter(({ id }) => role.get(id)?.relevant === false).length;
    expect(irrelevant / shown.length).toBeGreaterThan(0.02);
    expect(irrelevant / shown.length).toBeLessThan(0.12);
  });

  test('dates every link of every source, some of them off topic', async () => {
    const { links } = computeTruth('truth', 'lunar lander', new Date(NOON - 30 * DAY), to);
    const documents = createDocuments('truth');
    for (const source of ['web', 'news_forum', 'discussion_board', 'video', 'preprint'] as const) {
      const window = { from: NOON - 30 * DAY, at: NOON };
      const found = await documents.find(source, 'lunar lander', window, Number.POSITIVE_INFINITY);
      const all = found.toSorted((a, b) => Number(a.publishedAt) - Number(b.publishedAt));
      const told = links.filter((one) => one.source === source);
      expect(told.map(({ link }) => link)).toEqual(all.map(({ link }) => link));
      expect(told.map(({ first_at }) => first_at)).toEqual(
        all.map(({ publishedAt }) => publishedAt?.toISOString()),
      );
      expect(new Set(told.map(({ relevant }) => relevant)).size).toBe(2);
    }
    expect(links.some(({ source, first_at }) => source === 'encyclopedia' && first_at === null)).toBe(true);
  });
});

describe('GET /sandbox/truth', () => {
  let service: Client;
  beforeAll(async () => {
    service = await startForTest({ sandboxSeed: 'truth' });
  });
  afterAll(() => service.close());
  const get = (query: string) =>
    fetch(`${service.url}/sandbox/truth?${query}`, { headers: { authorization: KEY } });

  test('returns the truth of its own world, by default for the last seven days', async () => {
    const response = await get('topic=Night%20Trains');
    expect(response.headers.get('x-sandbox')).toBe('true');
    expect(await response.json()).toEqual(
      computeTruth('truth', 'night trains', new Date(NOON - 7 * DAY), new Date(NOON), DAY),
    );
    const long = await get('topic=sourdough&from=2026-10-21T00:00:00Z&to=2026-11-20T00:00:00Z');
    expect(await long.json()).toMatchObject({ topic: 'sourdough', posts: null });
  });

  test.each([
    '',
    'topic=',
    'topic=x&from=yesterday',
    'topic=x&from=2020-01-01',
    'topic=x&to=2026-01-01&from=2026-01-02',
  ])('refuses "%s"', async (query) => {
    const response = await get(query);
    expect(response.status).toBe(422);
    expect(await response.json()).toHaveProperty('detail.0.msg');
  });
});
