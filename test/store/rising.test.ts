/** The views of rising hashtags and domains on planted names: what is flat, what rises by many authors, what one author spams. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/lib/time.ts';
import { readRisingDomains, readRisingHashtags } from '../../src/store/queries/rising.ts';
import type { Search } from '../../src/store/topics/searches.ts';
import { seeded } from '../faults/random.ts';
import { makeWorld, type World } from '../world.ts';
import { newSearch, NOON } from './live.ts';

let world: World;
beforeAll(async () => {
  world = await makeWorld({ hosted: 'http://127.0.0.1:1' });
});
afterAll(() => world.close());

const DAYS = 35;
const TODAY = NOON - (NOON % DAY);
const KINDS = ['hashtag', 'domain'] as const;
type Kind = (typeof KINDS)[number];
/** Counts of a name, of each day up to today. */
type Counts = ReadonlyMap<string, readonly number[]>;

const random = seeded(21);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
function poisson(mean: number): number {
  let n = 0;
  for (let at = -Math.log(1 - random()); at < mean; at -= Math.log(1 - random())) n += 1;
  return n;
}

/** Three hundred names as frequent as words are (Zipf), of which each varies from day to day by log-normal noise and none rises. */
function drawFlat(perDay: number, noise: number): Counts {
  const ranks = Array.from({ length: 300 }, (_, i) => i + 1);
  const all = ranks.reduce((sum, rank) => sum + 1 / rank, 0);
  return new Map(
    ranks.map((rank) => [
      `flat-${rank}.example`,
      Array.from({ length: DAYS }, () =>
        poisson((perDay / rank / all) * Math.exp(noise * normal() - noise ** 2 / 2)),
      ),
    ]),
  );
}

/** Every other day, and 63 times this week. */
const RISE = Array.from({ length: DAYS }, (_, i) => (i < DAYS - 7 ? i % 2 : 9));

const weekOf = (counts: readonly number[]) => counts.slice(-7).reduce((sum, n) => sum + n, 0);

/** The tables that the follower fills: days that were observed completely, and names by day. */
async function insertCounts(search: Search, kind: Kind, counts: Counts): Promise<void> {
  const rows = [...counts].flatMap(([name, days]) =>
    days.flatMap((posts, i) => (posts > 0 ? [{ name, posts, day: TODAY - (DAYS - 1 - i) * DAY }] : [])),
  );
  await world.db.pool.query(
    `INSERT INTO strandline.search_days (search_id, day_at, posts, topic_posts, topic_reposts, cut, exposure_ms, hours)
     SELECT $1, to_timestamp($2::float8 / 1000) - n * interval '1 day', 0, 0, 0, false, 86400000, 24 FROM generate_series(0, $3::int - 1) n`,
    [search.id, TODAY, DAYS],
  );
  await world.db.pool.query(
    'INSERT INTO strandline.latest_results (search_id, run_id, at) VALUES ($1, 1, $2)',
    [search.id, new Date(NOON)],
  );
  await world.db.pool.query(
    `INSERT INTO strandline.search_tops (search_id, kind, name, day_at, posts, topic_posts)
     SELECT $1, $2, name, to_timestamp(day / 1000), posts, posts
     FROM unnest($3::text[], $4::float8[], $5::int[]) AS r (name, day, posts)`,
    [
      search.id,
      kind,
      rows.map(({ name }) => name),
      rows.map(({ day }) => day),
      rows.map(({ posts }) => posts),
    ],
  );
}

/**
 * Posts of this week, of which each has many names: the n-th has those that occur n times or more.
 * @param author null: each post has its own
 */
async function insertPosts(
  searches: readonly Search[],
  weeks: ReadonlyMap<string, number>,
  author: bigint | null = null,
): Promise<void> {
  const most = Math.max(...weeks.values());
  const { rows } = await world.db.pool.query<{ id: bigint }>(
    `INSERT INTO strandline.posts (service_id, author_id, first_seen_at, observed_at, run_id, external_id, text, hashtags, urls)
     SELECT $1, $2, $3, $3, 1, gen_random_uuid()::text, 'a post', names, array(SELECT 'https://' || name || '/' FROM unnest(names) name)
     FROM generate_series(1, $4::int) n,
       LATERAL (SELECT array_agg(name) AS names FROM unnest($5::text[], $6::int[]) AS r (name, week) WHERE week >= n) of
     RETURNING id`,
    [searches[0]?.service_id, author, new Date(NOON), most, [...weeks.keys()], [...weeks.values()]],
  );
  await world.db.pool.query(
    `INSERT INTO strandline.post_sightings (search_id, post_id, first_run_id, first_seen_at)
     SELECT s, p, 1, $3 FROM unnest($1::bigint[]) s, unnest($2::bigint[]) p`,
    [searches.map(({ id }) => id), rows.map(({ id }) => id), new Date(NOON)],
  );
}

const readRising = async (kind: Kind, search: string) =>
  kind === 'hashtag'
    ? (await readRisingHashtags(world.db, { search, limit: 400 })).map((row) => ({
        ...row,
        name: row.hashtag,
      }))
    : (await readRisingDomains(world.db, { search, limit: 400 })).map((row) => ({
        ...row,
        name: row.domain,
      }));

test.each([
  { perDay: 300, noise: 0.7, looks: 16 },
  { perDay: 2_000, noise: 0.5, looks: 6 },
])(
  'of 300 flat names at $perDay posts a day, at most one in ten looks reports one that rises',
  async ({ perDay, noise, looks }) => {
    const searches: Search[] = [];
    const weeks = new Map<string, number>();
    let excesses = 0;
    for (let look = 0; look < looks; look += 1) {
      const search = await newSearch(world, `flat-${perDay}-${look}`);
      const counts = drawFlat(perDay, noise);
      searches.push(search);
      await insertCounts(search, KINDS[look % 2] ?? 'hashtag', new Map([...counts, ['many.example', RISE]]));
      for (const [name, days] of counts) {
        weeks.set(name, Math.max(weeks.get(name) ?? 0, weekOf(days)));
        const before = days.slice(0, -7).reduce((sum, n) => sum + n, 0) / 4;
        if (weekOf(days) >= 5 && weekOf(days) - before >= 2 * Math.sqrt(before + 1)) excesses += 1;
      }
    }
    // At least as many authors as posts: what suppresses a name is that its count is chance.
    await insertPosts(searches, weeks);
    await insertPosts(searches, new Map([['many.example', weekOf(RISE)]]));
    expect(excesses, 'counts alone would report many').toBeGreaterThan(2 * looks);
    const looked = await Promise.all(
      searches.map(({ slug }, look) => readRising(KINDS[look % 2] ?? 'hashtag', slug)),
    );
    const rising = looked.flat().map(({ name }) => name);
    expect(
      rising.filter((name) => name === 'many.example'),
      'what rises',
    ).toHaveLength(looks);
    expect(rising.length - looks, 'what is flat').toBeLessThanOrEqual(looks / 10);
  },
);

test.each(KINDS)('a %s rises by many authors and not by one, among 300 flat ones', async (kind) => {
  const search = await newSearch(world, `rise-${kind}`);
  const flat = drawFlat(300, 0.7);
  await insertCounts(
    search,
    kind,
    new Map([...flat, ['many.example', RISE], ['one.example', RISE], ['few.example', RISE]]),
  );
  await insertPosts([search], new Map([...flat].map(([name, days]) => [name, Math.max(1, weekOf(days))])));
  await insertPosts([search], new Map([['many.example', 63]]));
  const {
    rows: [author],
  } = await world.db.pool.query<{ id: bigint }>(
    `INSERT INTO strandline.authors (service_id, first_seen_at, observed_at, run_id, external_id, username)
     VALUES ($1, $2, $2, 1, $3, $3) RETURNING id`,
    [search.service_id, new Date(NOON), `spammer-${kind}`],
  );
  if (author === undefined) throw new Error('no author');
  await insertPosts([search], new Map([['one.example', 63]]), author.id);
  await insertPosts([search], new Map([['few.example', 60]]), author.id);
  await insertPosts([search], new Map([['few.example', 3]]));
  const rising = await readRising(kind, search.slug);
  expect(
    rising.map(({ name, posts, posts_before, authors }) => ({ name, posts, posts_before, authors })),
  ).toEqual([{ name: 'many.example', posts: 63, posts_before: 14, authors: 63 }]);
});
