/** Members of later answers: what they say, what they say is empty, and what they leave unknown; and that it is kept. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseResponse } from '../../src/monitor/parse/parse-response.ts';
import type { ParsedLink, ParsedResults } from '../../src/model/parsed-results.ts';
import { loadDialect } from '../../src/protocol/dialect.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { makeWorld, type World } from '../world.ts';

type Members = Readonly<Record<string, unknown>>;
const NOON = new Date('2026-11-21T12:00:00.000Z');

function readAnswer(answer: Members, operation: 'ai' | 'microblog', receivedAt = NOON): ParsedResults {
  const body = JSON.stringify(answer);
  return parseResponse({ operation, body, contentType: null, dialect: loadDialect('named'), receivedAt });
}

function readAuthor(user: Members) {
  return readAnswer({ miner_tweets: [{ id: '1', user: { id: '2', ...user } }] }, 'microblog').authors[0];
}

function readResult(result: Members, receivedAt = NOON): ParsedLink | undefined {
  return readAnswer({ search: [{ link: 'https://a.example/1', ...result }] }, 'ai', receivedAt).links[0];
}

describe('an empty text of an author', () => {
  const empty = { url: '', description: '', location: '', name: '', username: '' };

  test.each<[string, Members]>([
    ['followings_count', { followings_count: 0 }],
    ['profile_banner_url', { profile_banner_url: null }],
    ['pinned_tweet_ids', { pinned_tweet_ids: [] }],
    ['professional', { professional: null }],
    ['entities', { entities: {} }],
  ])('is known to be empty where the author has %s; a name is never empty', (_, later) => {
    expect(readAuthor({ ...empty, ...later })).toMatchObject({
      url: '',
      description: '',
      location: '',
      name: null,
      username: null,
    });
  });

  test('is unknown where the author has the specification’s members only', () => {
    expect(readAuthor({ ...empty, verified: false })).toMatchObject({
      url: null,
      description: null,
      location: null,
    });
  });

  test('that is absent, null or no address is unknown', () => {
    expect(readAuthor({ followings_count: 1, url: 'javascript:1', description: null })).toMatchObject({
      url: null,
      description: null,
      location: null,
    });
  });
});

test.each<[Members, Members]>([
  [{ followings_count: 0 }, { followings_count: 0 }],
  [{ followings_count: null }, { followings_count: null }],
  [{ pinned_tweet_ids: ['1', 2, '', null] }, { pinned_post_ids: ['1', '2'] }],
  [{ pinned_tweet_ids: null }, { pinned_post_ids: null }],
  [{ profile_banner_url: 'https://i.example/b.jpg' }, { profile_banner_url: 'https://i.example/b.jpg' }],
  [{ profile_banner_url: 'data:x' }, { profile_banner_url: null }],
  [{ professional: { professional_type: 'Creator' } }, { professional: { professional_type: 'Creator' } }],
  [
    { professional: 'Creator', entities: [] },
    { professional: null, entities: null },
  ],
])('author %j', (user, expected) => {
  expect(readAuthor(user)).toMatchObject(expected);
});

describe('a post', () => {
  const video = {
    type: 'video',
    video_info: { variants: [{ bitrate: 2_176_000, url: 'https://v.example/1.mp4' }] },
  };

  test.each<[Members, Members]>([
    [{ display_text_range: [11, 45] }, { display_text_range: [11, 45] }],
    [{ display_text_range: [45, 11] }, { display_text_range: null }],
    [{ display_text_range: [0, null] }, { display_text_range: null }],
    [{ extended_entities: { media: [video] } }, { entities: { media: [video] }, hashtags: null }],
    [
      { entities: { media: [{}], urls: [] }, extended_entities: { media: [video] } },
      { entities: { media: [video], urls: [] } },
    ],
    [{ entities: { media: [video] }, extended_entities: { media: [] } }, { entities: { media: [video] } }],
    [{ entities: { media: [video] }, extended_entities: null }, { entities: { media: [video] } }],
    [
      { entities: { urls: null }, extended_entities: {} },
      { entities: null, urls: null },
    ],
    [{ media: null }, { media: null }],
    [{ media: [] }, { media: [] }],
    [{ summary_description: '' }, { summary_description: null }],
  ])('%j', (members, expected) => {
    const { posts } = readAnswer({ miner_tweets: [{ id: '1', ...members }] }, 'microblog');
    expect(posts[0]).toMatchObject(expected);
  });
});

describe('the time of a result', () => {
  test.each([
    ['17 hours ago', '2026-11-20T19:00:00.000Z', 'hour'],
    ['1 hour ago', '2026-11-21T11:00:00.000Z', 'hour'],
    ['an hour ago', '2026-11-21T11:00:00.000Z', 'hour'],
    ['2 hrs ago', '2026-11-21T10:00:00.000Z', 'hour'],
    ['5 mins ago', '2026-11-21T11:55:00.000Z', 'minute'],
    ['30 seconds ago', '2026-11-21T11:59:30.000Z', 'minute'],
    ['just now', '2026-11-21T12:00:00.000Z', 'minute'],
    [' 3d ago ', '2026-11-18T12:00:00.000Z', 'day'],
    ['Yesterday', '2026-11-20T12:00:00.000Z', 'day'],
    ['2 weeks ago', '2026-11-07T12:00:00.000Z', 'week'],
    ['a month ago', '2026-10-22T12:00:00.000Z', 'month'],
    ['3mo ago', '2026-08-23T12:00:00.000Z', 'month'],
    ['2 years ago', '2024-11-21T12:00:00.000Z', 'year'],
    ['2026-11-20', '2026-11-20T00:00:00.000Z', 'exact'],
  ])('%j', (date, published_at, published_precision) => {
    expect(readResult({ date })).toMatchObject({ published_at, published_precision });
  });

  test.each([
    'in 3 hours',
    '17 hours',
    'ago',
    '1.5 hours ago',
    '99999 days ago',
    '9999 years ago',
    'soon',
    17,
    null,
  ])('%j is unknown', (date) => {
    expect(readResult({ date })).toMatchObject({ published_at: null, published_precision: null });
  });

  test('is the most precise one that the result says', () => {
    const result = { date: '17 hours ago', published_date: '2 days ago' };
    expect(readResult(result)).toMatchObject({ published_precision: 'hour' });
    expect(readResult({ ...result, published_at: '2026-11-19' })).toMatchObject({
      published_at: '2026-11-19T00:00:00.000Z',
      published_precision: 'exact',
    });
  });
});

test.each<[Members, Members]>([
  [{ source: 'The Tide' }, { publisher: 'The Tide' }],
  [{ source: { name: 'The Tide' } }, { publisher: 'The Tide' }],
  [{ source: '' }, { publisher: null }],
  [{ highlights: ['one', '', 2, {}] }, { highlights: ['one', '2'] }],
  [{ highlights: [] }, { highlights: [] }],
  [{ highlights: null }, { highlights: null }],
  [{ summary: 'short' }, { summary_description: 'short' }],
  [{ summary: 'short', summary_description: 'long' }, { summary_description: 'long' }],
  [
    { title: '', snippet: '' },
    { title: null, snippet: null },
  ],
])('result %j', (result, expected) => {
  expect(readResult(result)).toMatchObject(expected);
});

describe('in the database', () => {
  let world: World;
  let search: Search;
  beforeAll(async () => {
    world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
    ({ search } = await createSearch(world.ctx, {
      slug: 'tide',
      operation: 'ai',
      prompt: 'tide',
      every: '15m',
    }));
    await world.db.pool.query('DELETE FROM strandline.runs WHERE search_id = $1', [search.id]);
  });
  afterAll(() => world.close());

  async function save(answer: Members, minutes: number): Promise<void> {
    const at = new Date(NOON.getTime() + minutes * 60_000);
    const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: at });
    const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: at });
    if (leased === null) throw new Error('not leased');
    const diff = await saveFindings(world.db, {
      runId,
      fence: leased.fence,
      searchId: search.id,
      serviceId: search.service_id,
      findings: readAnswer(answer, 'ai', at),
      observedAt: at,
      endedAt: at,
    });
    if (diff === null) throw new Error('not saved');
  }
  const rowOf = async (sql: string) => (await world.db.pool.query<Members>(sql)).rows[0];

  test('what later responses leave out stays; what they say is empty becomes empty', async () => {
    const user = {
      id: 'a',
      username: 'tove',
      description: 'sails',
      location: 'Harbour',
      followings_count: 12,
      followers_count: 3,
      pinned_tweet_ids: ['9'],
      professional: { professional_type: 'Creator' },
    };
    const entities = { hashtags: [{ text: 'tide' }], urls: [], user_mentions: [{ screen_name: 'ida' }] };
    const post = {
      id: '1',
      text: 'the tide',
      media: [{ type: 'photo' }],
      entities,
      display_text_range: [0, 8],
      user,
    };
    await save({ tweets: [post], text: 'more about it', completion: 'The tide.' }, 0);
    await save(
      { tweets: [{ ...post, entities: null, media: null, display_text_range: null, user: { id: 'a' } }] },
      1,
    );
    const postSql = `SELECT p.*, k.hashtags AS stored FROM strandline_analytics.posts p
      JOIN strandline.posts k ON k.id = p.id WHERE p.external_id = '1'`;
    const authorSql = `SELECT * FROM strandline_analytics.authors WHERE external_id = 'a'`;
    expect(await rowOf(postSql)).toMatchObject({
      hashtags: ['tide'],
      urls: [],
      mentions: ['ida'],
      media: [{ type: 'photo' }],
      entities,
      display_text_range: [0, 8],
    });
    expect(await rowOf(authorSql)).toMatchObject({
      description: 'sails',
      location: 'Harbour',
      followings_count: 12n,
      pinned_post_ids: ['9'],
      professional: { professional_type: 'Creator' },
    });

    await save(
      {
        tweets: [
          {
            ...post,
            media: [],
            entities: { hashtags: [], urls: [] },
            user: { ...user, description: '', location: '', followings_count: 13, pinned_tweet_ids: [] },
          },
        ],
      },
      2,
    );
    expect(await rowOf(postSql)).toMatchObject({ hashtags: [], mentions: ['ida'], media: [] });
    expect(await rowOf(authorSql)).toMatchObject({ description: '', location: '', pinned_post_ids: [] });
    expect(
      (
        await world.db.pool.query(
          'SELECT followings_count FROM strandline_analytics.author_snapshots ORDER BY observed_at',
        )
      ).rows,
    ).toEqual([{ followings_count: 12n }, { followings_count: 13n }]);
    expect(await rowOf('SELECT text, summary FROM strandline_analytics.completions')).toEqual({
      text: 'more about it',
      summary: 'The tide.',
    });
  });

  test('a post whose lists nobody mentioned has none in the view, and unknown ones in the table', async () => {
    await save({ tweets: [{ id: '2', text: 'x' }] }, 3);
    expect(
      await rowOf(
        `SELECT hashtags, mentions, urls, media, entities FROM strandline_analytics.posts WHERE external_id = '2'`,
      ),
    ).toEqual({ hashtags: [], mentions: [], urls: [], media: [], entities: {} });
    expect(
      await rowOf(
        `SELECT hashtags, mentions, urls, media, entities FROM strandline.posts WHERE external_id = '2'`,
      ),
    ).toEqual({ hashtags: null, mentions: null, urls: null, media: null, entities: null });
  });

  test('the age of a link gives way to a more precise time only, and of two alike the earlier stays', async () => {
    const link = 'https://a.example/1';
    const published = async () =>
      rowOf(
        `SELECT published_at, published_precision, publisher, highlights FROM strandline_analytics.links`,
      );
    const first = { publisher: 'The Tide', highlights: ['one'] };
    await save(
      { search: [{ link, title: 'a', date: '2 days ago', source: 'The Tide', highlights: ['one'] }] },
      10,
    );
    const day = { ...first, published_at: new Date('2026-11-19T12:10:00.000Z'), published_precision: 'day' };
    expect(await published()).toEqual(day);
    await save({ search: [{ link, title: 'b', date: '2 days ago' }] }, 20);
    expect(await published()).toEqual(day);
    await save({ search: [{ link, title: 'c', date: 'a week ago' }] }, 30);
    expect(await published()).toEqual(day);
    await save({ search: [{ link, title: 'd', date: '47 hours ago' }] }, 40);
    const hour = {
      ...first,
      published_at: new Date('2026-11-19T13:40:00.000Z'),
      published_precision: 'hour',
    };
    expect(await published()).toEqual(hour);
    await save({ search: [{ link, title: 'e', date: '2026-11-19T13:02:00Z' }] }, 50);
    const exact = {
      ...first,
      published_at: new Date('2026-11-19T13:02:00.000Z'),
      published_precision: 'exact',
    };
    expect(await published()).toEqual(exact);
    await save({ search: [{ link, title: 'f', date: '5 minutes ago' }] }, 60);
    expect(await published()).toEqual(exact);
    await save({ search: [{ link, title: 'g', date: '2026-11-19T14:00:00Z' }] }, 70);
    expect(await published()).toMatchObject({ published_at: new Date('2026-11-19T14:00:00.000Z') });
  });
});
