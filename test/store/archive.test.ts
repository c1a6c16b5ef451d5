import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openArchive } from '../../src/app/service-ports.ts';
import type { Source } from '../../src/model/enumerations.ts';
import type { ParsedResults, ParsedLink, ParsedPost } from '../../src/model/parsed-results.ts';
import { parseQuery } from '../../src/model/search-query.ts';
import { findText } from '../../src/store/archive/find-text.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import type { ArchiveQuestion } from '../../src/store/archive/archive-candidates.ts';
import { type ArchiveHit, searchArchive } from '../../src/store/archive/search-archive.ts';
import { inTransaction } from '../../src/store/db/database.ts';
import { leaseRun } from '../../src/store/runs/run-leases.ts';
import { insertRun } from '../../src/store/runs/run-states.ts';
import { saveFindings } from '../../src/store/save/save.ts';
import { insertSearch, type Search } from '../../src/store/topics/searches.ts';
import { ensureService, type Service } from '../../src/store/services/services.ts';
import { ensureTopic } from '../../src/store/topics/topics.ts';
import { makeWorld, type World } from '../world.ts';

let world: World;
let hosted: Service;
beforeAll(async () => {
  world = await makeWorld();
  hosted = await service('hosted', 'hosted');
});
afterAll(() => world.close());

const at = (minutes: number) => new Date(Date.UTC(2026, 10, 21, 12, minutes));
const rows = async (sql: string, values: unknown[] = []) => (await world.db.pool.query(sql, values)).rows;

const service = (name: string, kind: 'hosted') =>
  ensureService(world.db, { name, kind, address: null, dialect: 'neutral', now: at(0) });

async function newSearch(
  slug: string,
  { id: serviceId }: Service,
  topic = slug,
): Promise<Pick<Search, 'id' | 'service_id'>> {
  const id = await inTransaction(world.db, async (tx) => {
    const { id: topicId } = await ensureTopic(tx, { slug: topic, name: topic, sample: false, now: at(0) });
    return insertSearch(tx, {
      slug,
      topicId,
      serviceId,
      operation: 'ai',
      labels: [],
      definition: {
        prompt: slug,
        tools: [],
        model: 'NOVA',
        date_filter: null,
        streaming: false,
        extra: {},
        cron: null,
        auto: null,
        every_seconds: 900,
        tz: 'UTC',
      },
      nextDueAt: at(0),
      now: at(0),
    });
  });
  return { id, service_id: serviceId };
}

/** Saves what a run found, as runs do. */
async function found(
  search: Pick<Search, 'id' | 'service_id'>,
  what: Partial<ParsedResults>,
  when = at(0),
): Promise<void> {
  const runId = await insertRun(world.db.pool, { searchId: search.id, trigger: 'manual', now: when });
  const leased = await leaseRun(world.db, { runId, worker: 'test', leaseMs: 30_000, now: when });
  if (leased === null) throw new Error('not leased');
  const findings: ParsedResults = {
    posts: [],
    nestedPosts: [],
    authors: [],
    links: [],
    completion: null,
    rejects: [],
    warnings: [],
    tools: [],
    plan: null,
    pages: null,
    ownSources: [],
    itemsSeen: 1,
    ...what,
  };
  const diff = await saveFindings(world.db, {
    runId,
    fence: leased.fence,
    searchId: search.id,
    serviceId: search.service_id,
    findings,
    observedAt: when,
    endedAt: when,
  });
  if (diff === null) throw new Error('not saved');
}

function post(id: string, text: string, more: Partial<ParsedPost> = {}): ParsedPost {
  return {
    external_id: id,
    author_external_id: `of-${id}`,
    text,
    url: `https://posts.example/${id}`,
    created_at: at(0).toISOString(),
    lang: 'en',
    reply_count: 1,
    repost_count: 2,
    like_count: 3,
    view_count: 400,
    quote_count: 0,
    impression_count: 400,
    bookmark_count: 0,
    conversation_id: null,
    in_reply_to_screen_name: null,
    in_reply_to_status_id: null,
    in_reply_to_user_id: null,
    quoted_status_id: null,
    reposted_status_id: null,
    quote: null,
    is_quote_post: false,
    is_repost: false,
    summary_description: null,
    media: [],
    entities: {},
    hashtags: [],
    mentions: [],
    urls: [],
    display_text_range: null,
    is_partial: false,
    ...more,
  };
}

function author(id: string): ParsedResults['authors'][number] {
  return {
    external_id: `of-${id}`,
    username: `Writer_${id}`,
    name: `Writer ${id}`,
    url: null,
    created_at: null,
    description: null,
    location: null,
    profile_image_url: null,
    profile_banner_url: null,
    pinned_post_ids: null,
    professional: null,
    entities: null,
    verified: null,
    is_blue_verified: null,
    can_dm: null,
    can_media_tag: null,
    is_partial: false,
    followers_count: 10,
    favourites_count: null,
    listed_count: null,
    media_count: null,
    statuses_count: null,
    followings_count: null,
  };
}

function link(path: string, title: string, snippet: string, source: Source = 'web'): ParsedLink {
  const address = `https://pages.example/${path}`;
  return {
    canonical: address,
    addresses: [address],
    address,
    site: 'pages.example',
    source,
    title,
    snippet,
    summary_description: null,
    with_metadata: null,
    published_at: at(0).toISOString(),
    published_precision: 'exact',
    publisher: null,
    highlights: null,
  };
}

const posts = (...all: ParsedPost[]): Partial<ParsedResults> => ({
  posts: all,
  authors: all.map(({ external_id }) => author(external_id)),
});

async function ask(text: string, more: Partial<ArchiveQuestion> = {}): Promise<string[]> {
  while (!(await fillArchive(world.db, { batches: 10 })));
  return (await searchArchive(world.db, { text, limit: 50, ...more })).map(nameOf);
}

function nameOf(hit: ArchiveHit): string {
  return hit.kind === 'post' ? hit.post.external_id : hit.link.url.slice('https://pages.example/'.length);
}

test('a long query finds items with some of its words, the rarest first', async () => {
  const search = await newSearch('ferries', hosted);
  const harbour = Array.from({ length: 12 }, (_, n) =>
    link(`harbour-${n}`, 'Harbour news', `The harbour tonight, part ${n}`),
  );
  await found(search, {
    links: [...harbour, link('turbine', 'A tidal turbine', 'First power at the harbour')],
  });
  const names = await ask(
    'which companies plan to build tidal turbines near the harbour of a northern island before the end of this decade',
  );
  expect(names.length).toBeGreaterThanOrEqual(10);
  expect(names[0]).toBe('turbine');
});

test('one rare word ranks above two common ones', async () => {
  const search = await newSearch('rare', hosted);
  const common = Array.from({ length: 12 }, (_, n) =>
    link(`pier-${n}`, 'Pier', `The pier and its crane, part ${n}`),
  );
  await found(search, { links: [...common, link('dredger', 'A dredger', 'It came from far away')] });
  expect((await ask('pier crane dredger'))[0]).toBe('dredger');
});

test('words match their inflections, in the language of the post', async () => {
  const search = await newSearch('languages', hosted);
  await found(
    search,
    posts(
      post('en-1', 'Two lighthouses were repaired'),
      post('de-1', 'Die Leuchttürme wurden gestern repariert', { lang: 'de' }),
      post('ru-1', 'В ГОРОДЕ ОТКРЫЛИ НОВЫЕ МАЯКИ', { lang: 'ru' }),
      post('ja-1', '新しい灯台が完成しました', { lang: 'ja' }),
      post('xx-1', '„Zeppelin” over the bay', { lang: null }),
      post('fr-1', "À l'École des Phares", { lang: 'fr' }),
    ),
  );
  expect(await ask('lighthouse repairs')).toEqual(['en-1']);
  expect(await ask('Leuchtturm')).toEqual(['de-1']);
  expect(await ask('маяк')).toEqual(['ru-1']);
  expect(await ask('灯台')).toEqual(['ja-1']);
  expect(await ask('zeppelin')).toEqual(['xx-1']);
  expect(await ask('école')).toEqual(['fr-1']);
});

test('stop words of a query match nothing, and do not hide a word that matters in another language', async () => {
  const search = await newSearch('little', hosted);
  await found(
    search,
    posts(
      post('pl-1', 'was the and of in', { lang: 'pl' }),
      post('en-2', 'The war reached the peninsula'),
      post('de-2', 'Es war auf der Halbinsel', { lang: 'de' }),
    ),
  );
  expect(await ask('what was the cause of it and in which of the places')).toEqual([]);
  expect(await ask('war on the peninsula')).toEqual(['en-2']);
});

test('an edited post and a changed title are found by their new words only', async () => {
  const search = await newSearch('edits', hosted);
  const before = {
    ...posts(post('edit-1', 'the obelisk is closed')),
    links: [link('edit', 'Obelisk', 'closed')],
  };
  await found(search, before);
  expect(await ask('obelisk')).toHaveLength(2);
  const after = {
    ...posts(post('edit-1', 'the pyramid is closed')),
    links: [link('edit', 'Pyramid', 'closed')],
  };
  await found(search, after, at(1));
  expect(await ask('obelisk')).toEqual([]);
  expect((await ask('pyramid')).toSorted()).toEqual(['edit', 'edit-1']);
});

test('two processes that fill the archive concurrently write each item once', async () => {
  const search = await newSearch('at-once', hosted);
  await found(
    search,
    posts(...Array.from({ length: 30 }, (_, n) => post(`once-${n}`, `quicksilver number ${n}`))),
  );
  await Promise.all(Array.from({ length: 4 }, () => fillArchive(world.db, { batches: 10 })));
  expect(await ask('quicksilver')).toHaveLength(30);
});

test('nested posts are found', async () => {
  const search = await newSearch('nested', hosted);
  await found(search, {
    posts: [post('outer', 'Look at this', { quoted_status_id: 'inner' })],
    nestedPosts: [post('inner', 'A marzipan cathedral')],
    authors: [author('outer'), author('inner')],
  });
  expect(await ask('marzipan')).toEqual(['inner']);
});

describe('filters', () => {
  beforeAll(async () => {
    const first = await newSearch('comets-a', hosted, 'comets');
    const second = await newSearch('comets-b', await service('other', 'hosted'));
    await found(first, {
      ...posts(
        post('comet-1', 'A comet tonight', { created_at: at(-600).toISOString() }),
        post('comet-2', 'Ein Komet, a comet', { lang: 'de', created_at: at(-10).toISOString() }),
      ),
      links: [link('comet', 'Comet', 'seen', 'preprint')],
    });
    await found(second, posts(post('comet-3', 'Another comet', { created_at: at(-5).toISOString() })));
  });
  test.each<[string, Partial<ArchiveQuestion>, string[]]>([
    ['none', {}, ['comet', 'comet-1', 'comet-2', 'comet-3']],
    ['kind', { kind: 'link' }, ['comet']],
    ['source', { source: 'preprint' }, ['comet']],
    ['the microblog', { source: 'microblog' }, ['comet-1', 'comet-2', 'comet-3']],
    ['from, included', { from: at(-10) }, ['comet', 'comet-2', 'comet-3']],
    ['to, included', { to: at(-10) }, ['comet-1', 'comet-2']],
    ['both ends of a range', { from: at(-30), to: at(-6) }, ['comet-2']],
    ['several filters at once', { source: 'microblog', kind: 'post', from: at(-60) }, ['comet-2', 'comet-3']],
  ])('%s', async (_name, filter, expected) => {
    expect((await ask('comet', filter)).toSorted()).toEqual(expected);
  });
  test('the limit keeps the best matches', async () => {
    const all = await ask('another comet');
    expect(await ask('another comet', { limit: 1 })).toEqual(all.slice(0, 1));
    expect(all[0]).toBe('comet-3');
  });
});

describe('queries', () => {
  beforeAll(async () => {
    const search = await newSearch('queries', hosted);
    await found(search, {
      posts: [
        post('q-1', 'The ferry to Zürich is late', {
          hashtags: ['NightLine'],
          urls: ['https://www.news.example/a'],
        }),
        post('q-2', 'Two ferries were cancelled', { is_repost: true, like_count: 500, lang: 'en' }),
        post('q-3', 'Die Fähren fahren nachts', {
          lang: 'de',
          is_quote_post: true,
          in_reply_to_status_id: '7',
        }),
        post('q-4', 'A ferryman rows', {
          lang: null,
          created_at: at(-60 * 24 * 3).toISOString(),
          like_count: null,
          repost_count: null,
          reply_count: null,
          quote_count: null,
        }),
      ],
      authors: ['q-1', 'q-2', 'q-3', 'q-4'].map(author),
      links: [
        {
          ...link('q-link', 'Ferry timetable', 'Night line from the pier', 'news_forum'),
          address: 'https://sub.news.example/q-link',
          addresses: ['https://sub.news.example/q-link'],
          canonical: 'https://sub.news.example/q-link',
          site: 'sub.news.example',
        },
        link('q-other', 'Night of the ferry line', 'seen'),
      ],
    });
  });
  test.each<[string, string[]]>([
    ['ferry', ['q-1', 'q-2', 'q-link', 'q-other']],
    ['ferries', ['q-1', 'q-2', 'q-link', 'q-other']],
    ['"ferry"', ['q-1', 'q-link', 'q-other']],
    ['fähre', ['q-3']],
    ['"fahren"', ['q-3']],
    ['zurich the', ['q-1']],
    ['the', ['q-1', 'q-link', 'q-other']],
    ['ferry -late', ['q-2', 'q-link', 'q-other']],
    ['ferry -lang:en', ['q-link', 'q-other']],
    ['"night line"', ['q-link']],
    ['night line', ['q-link', 'q-other']],
    ['"late nightline"', []],
    ['ferryman OR fähre', ['q-3', 'q-4']],
    ['(ferryman OR ferry) -(is:link OR cancelled)', ['q-1', 'q-4']],
    ['#nightline', ['q-1']],
    ['hashtag:night', []],
    ['author:WRITER_q-2', ['q-2']],
    ['writer ferry', ['q-1', 'q-2']],
    ['domain:news.example', ['q-1', 'q-link']],
    ['domain:sub.news.example', ['q-link']],
    ['domain:ews.example', []],
    ['source:news-forum', ['q-link']],
    ['source:microblog ferry', ['q-1', 'q-2']],
    ['is:repost', ['q-2']],
    ['is:quote is:reply', ['q-3']],
    ['min-engagement:100', ['q-2']],
    ['is:post -min-engagement:1', ['q-4']],
    ['is:post to:2026-11-18', ['q-4']],
    ['is:post ferryman from:2d', []],
    ['ferry from:2026-11-21 to:2026-11-21', ['q-1', 'q-2', 'q-link', 'q-other']],
    ['ferry to:2026-11-21T00:00Z', []],
    ['https://news.example', []],
  ])('%s', async (text, names) => {
    while (!(await fillArchive(world.db, { batches: 10 })));
    const query = parseQuery(text);
    const { hits, total } = await findText(world.db, {
      query,
      search: 'queries',
      now: at(0),
      limit: 50,
    });
    const foundNames = hits.map(
      ({ post: one, link: other }) => one?.external_id ?? other?.url.split('/').at(-1),
    );
    expect(new Set(foundNames)).toEqual(new Set(names));
    expect(total).toBe(names.length);
  });

  test('an author is found by the new name after it changed', async () => {
    await world.db.pool.query(
      `UPDATE strandline.authors SET username = 'Renamed' WHERE username = 'Writer_q-3'`,
    );
    while (!(await fillArchive(world.db, { batches: 10 })));
    const names = async (text: string) =>
      (await findText(world.db, { query: parseQuery(text), now: at(0), limit: 5 })).hits.map(
        ({ post: one }) => one?.external_id,
      );
    expect(await names('renamed fähre')).toEqual(['q-3']);
  });
});

test('a post dated ahead is found in its place by its first sighting, not first', async () => {
  const search = await newSearch('dated-ahead', hosted);
  await found(search, posts(post('zephyr-ahead', 'zephyr', { created_at: at(60 * 24 * 365).toISOString() })));
  while (!(await fillArchive(world.db, { batches: 10 })));
  const { hits } = await findText(world.db, {
    query: parseQuery('zephyr'),
    now: at(0),
    limit: 5,
  });
  expect(hits.map((hit) => [hit.post?.external_id, hit.at])).toEqual([
    ['zephyr-ahead', hits[0]?.post?.first_seen_at],
  ]);
  expect(
    await rows(`SELECT count(*)::int AS n FROM strandline.archive_documents WHERE at > $1`, [
      at(60 * 24 * 30),
    ]),
  ).toEqual([{ n: 0 }]);
});

test.each([
  ['query syntax', `comet' | !('x' & 'y') <-> :* \\ ) ( "`],
  ['10,000 characters', 'comet '.repeat(1_667)],
  ['10,000 different words', Array.from({ length: 10_000 }, (_, n) => `w${n}`).join(' ') + ' comet'],
  ['a very long word', 'x'.repeat(10_000)],
  ['NUL and half a character', 'com\u0000et \ud800 comet'],
  ['stop words only', 'the and of to in'],
  ['nothing', ''],
  ['signs', '💥 … !? %s $1'],
  ['an SQL injection', `'; DROP TABLE strandline.posts; --`],
])('a query of %s is harmless', async (_name, text) => {
  await expect(ask(text)).resolves.toBeInstanceOf(Array);
  expect(await ask('comet')).not.toEqual([]);
});

test('as a source, the archive returns results in wire names, without counters', async () => {
  const search = await newSearch('source', hosted);
  await found(search, {
    ...posts(
      post('gannet-1', 'A gannet colony was counted'),
      post('gannet-2', 'A gannet without an address', { url: null }),
      post('gannet-3', 'A gannet that is too old', { created_at: at(-600).toISOString() }),
    ),
    links: [link('gannet', 'Gannets', 'On the cliff', 'news_forum')],
  });
  const archive = openArchive(world.db);
  const asked = {
    prompt: 'gannets',
    newestWith: [['gannets']],
    onFull: () => expect.unreachable('everything is returned'),
    from: at(-60),
    to: at(1),
    limit: 10,
    signal: AbortSignal.timeout(10_000),
  };
  const microblog = await archive.find({ ...asked, source: 'microblog' });
  expect(microblog).toHaveLength(1);
  expect(microblog[0]).toMatchObject({
    source: 'microblog',
    link: 'https://posts.example/gannet-1',
    snippet: 'A gannet colony was counted',
    publishedAt: at(0),
    engagement: 6,
    post: {
      id: 'gannet-1',
      user: { username: 'Writer_gannet-1', followers_count: null },
      like_count: null,
      reply_count: null,
      view_count: null,
      created_at: at(0).toISOString(),
    },
  });
  expect(await archive.find({ ...asked, source: 'news_forum' })).toEqual([
    {
      source: 'news_forum',
      title: 'Gannets',
      link: 'https://pages.example/gannet',
      snippet: 'On the cliff',
      summaryDescription: '',
      publishedAt: at(0),
    },
  ]);
  expect(await archive.find({ ...asked, source: 'web' })).toEqual([]);
  await expect(archive.find({ ...asked, source: 'web', signal: AbortSignal.abort() })).rejects.toThrow(
    /abort/i,
  );
});

test('as a source, the archive returns the newest with the best words besides the most relevant, and says that it was full', async () => {
  const search = await newSearch('newest', hosted);
  const relevant = Array.from({ length: 130 }, (_, n) =>
    post(`petrel-${n}`, 'Storm petrel, storm petrel', { created_at: at(-50).toISOString() }),
  );
  const newest = ['a', 'b'].map((name, n) =>
    post(
      `petrel-${name}`,
      `Among many other birds that were seen on the long way from the harbor to the island, a petrel and a storm, ${name}`,
      { created_at: at(-2 + n).toISOString() },
    ),
  );
  const other = post(
    'petrel-other',
    'A petrel without wind, much later than all others of its kind on that day',
    {
      created_at: at(0).toISOString(),
    },
  );
  await found(search, posts(...relevant, ...newest, other));
  const archive = openArchive(world.db);
  let full = 0;
  const find = async (limit: number, newestWith: string[][]) => {
    full = 0;
    const items = await archive.find({
      prompt: 'storm petrel',
      newestWith,
      onFull: () => (full += 1),
      source: 'microblog',
      from: at(-60),
      to: at(1),
      limit,
      signal: AbortSignal.timeout(60_000),
    });
    return items.map(({ post: one }) => one?.id ?? '');
  };
  const ten = await find(10, [['storm', 'petrel']]);
  expect(ten).toEqual(expect.arrayContaining(['petrel-a', 'petrel-b']));
  expect(ten).not.toContain('petrel-other');
  expect(ten.length).toBeLessThanOrEqual(20);
  expect(full).toBe(1);
  expect(
    await find(10, [
      ['storm', 'petrel', 'albatross'],
      ['storm', 'petrel'],
    ]),
    'fewer words',
  ).toEqual(ten);
  expect(await find(10, [['petrel']])).toContain('petrel-other');
  expect(
    (await find(200, [['storm', 'petrel']])).length,
    'of 133, the most that are ranked',
  ).toBeGreaterThanOrEqual(100);
  expect(full).toBe(1);
  expect(await find(10, [['storm', 'albatross']]), 'no words').toHaveLength(10);
});
