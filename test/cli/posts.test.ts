import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/lib/time.ts';
import { json, wirePost } from '../stub-service.ts';
import { makeStand, type Stand } from './stand.ts';
import { serve } from '../web/findings/stand.ts';
import { POST_ORDERS } from '../../src/store/queries/post-pages.ts';

let stand: Stand;
/** Three observations in two hours: one post grows, one loses likes in between, one is dropped. */
beforeAll(async () => {
  stand = await makeStand();
  const look = async (...posts: unknown[]) => {
    stand.stub.answers(json({ miner_tweets: posts }));
    await stand.run(['search', 'run', 'ferry', '--wait']);
    stand.world.clock.advance(40 * MINUTE);
  };
  stand.stub.answers(
    json({
      miner_tweets: [
        wirePost('1', { like_count: 10, view_count: 900, quote_count: 3 }),
        wirePost('2', { like_count: 100, view_count: 400, quote_count: 9 }),
        wirePost('3', { like_count: 5, view_count: 70, quote_count: null }),
      ],
    }),
  );
  await stand.run(['search', 'add', 'ferry', '--operation', 'microblog', '--prompt', 'p', '--every', '15m']);
  stand.world.clock.advance(40 * MINUTE);
  const grown = wirePost('1', { like_count: 50, view_count: 1_900, quote_count: 3 });
  await look(
    grown,
    wirePost('2', { like_count: 80, view_count: 500, quote_count: 9 }),
    wirePost('3', { like_count: 6, quote_count: null }),
  );
  await look(grown, wirePost('2', { like_count: 90, view_count: 500, quote_count: 9 }));
});
afterAll(() => stand.close());

describe('posts top', () => {
  it.each([
    ['likes', ['2', '1', '3']],
    ['views', ['1', '2', '3']],
    ['quotes', ['2', '1', '3']],
  ])('sorts by %s, highest first and unknown last', async (by, order) => {
    const rows = await stand.json<{ external_id: string }[]>('posts', 'top', '--by', by);
    expect(rows.map(({ external_id: id }) => id)).toEqual(order);
  });

  it('shows the sort column first', async () => {
    const { stdout } = await stand.run(['posts', 'top', '--by', 'views', '--limit', '1']);
    expect(stdout).toMatch(/^views +likes .*\n1,900 +50 /);
  });

  it('refuses an unknown counter', async () => {
    const { code, stderr } = await stand.run(['posts', 'top', '--by', 'stars']);
    expect([code, stderr]).toEqual([
      2,
      'error: by (--by): got "stars"; one of likes, reposts, replies, quotes, views, engagement, growth\n',
    ]);
  });
});

describe('posts list', () => {
  const filters: Record<string, string>[] = [
    {},
    { author: 'USER_2' },
    { lang: 'EN' },
    { lang: 'de' },
    { author: 'user_1', lang: 'en' },
    { text: 'post -3' },
    { text: 'post', author: 'user_3' },
    { since: '2026-11-21T11:00:00Z' },
    { until: '2026-11-21T11:00:00Z' },
  ];
  it.each(filters)('has the posts of the API in every order, page by page: %j', async (filter) => {
    const { app, address } = await serve(stand.world);
    try {
      for (const order of POST_ORDERS) {
        const ofApi: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const asked = new URLSearchParams({
            ...filter,
            sort: order,
            limit: '1',
            ...(cursor && { cursor }),
          });
          const reply = await fetch(`${address}/api/v1/posts?${asked}`);
          const page = (await reply.json()) as { items: { id: string }[]; next_cursor: string | null };
          ofApi.push(...page.items.map(({ id }) => id));
          cursor = page.next_cursor;
        }
        const { text, ...options } = filter;
        const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
        const listed: string[] = [];
        for (let after: string[] | undefined = []; after !== undefined; ) {
          const argv = ['posts', 'list', ...(text === undefined ? [] : [text]), ...given];
          const { stdout, stderr } = await stand.run([
            ...argv,
            '--sort',
            order,
            '--limit',
            '1',
            '--json',
            ...after,
          ]);
          listed.push(...(JSON.parse(stdout) as { id: string }[]).map(({ id }) => id));
          const place = /^Next page: --after (\S+)$/m.exec(stderr)?.[1];
          after = place === undefined ? undefined : ['--after', place];
        }
        expect(listed, order).toEqual(ofApi);
      }
    } finally {
      await app.close();
    }
  });

  it('finds what the filters say, and refuses the place of another order', async () => {
    const ids = async (...argv: string[]) =>
      (await stand.json<{ external_id: string }[]>('posts', 'list', ...argv)).map((row) => row.external_id);
    expect(await ids()).toEqual(['3', '2', '1']);
    expect(await ids('--author', 'USER_2')).toEqual(['2']);
    expect(await ids('--author', '@user_2')).toEqual(['2']);
    expect(await ids('--lang', 'de')).toEqual([]);
    expect(await ids('--until', '2026-11-21T11:00Z')).toEqual([]);
    expect(await ids('--sort', 'growth')).toEqual(['1', '2', '3']);
    for (const place of ['likes.5.1', 'newest.5', 'newest.5.1.2', '', 'newest.9999999999999999999.1'])
      expect(await stand.run(['posts', 'list', '--after', place]), place).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('the previous page') as unknown,
      });
  });
});

describe('posts growth', () => {
  it('shows gains, drops in between, and dropped posts', async () => {
    const { stdout } = await stand.run(['posts', 'growth', '--by', 'likes']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ *likes +views +likes\/h +last returned +by +text +address$/);
    expect(lines[1]).toMatch(/^ *10 > 50 +900 > 1,900 /);
    expect(lines[2]).toMatch(/^100 > 90 \(fell by 20\) +400 > 500 /);
    expect(lines[3]).toMatch(/^ *5 > 6 .* 2026-11-21 12:40:00Z /);
    expect(lines).toHaveLength(4);
  });

  it('prints the same as JSON, with the names of the view', async () => {
    const rows = await stand.json<Record<string, unknown>[]>('posts', 'growth', '--by', 'likes');
    expect(rows).toMatchObject([
      { gained_like_count: 40, lost_like_count: 0, likes_fell: false, not_seen_since: null, at_age: null },
      { gained_like_count: 10, lost_like_count: 20, likes_fell: true, gained_view_count: 100 },
      { gained_like_count: 1, not_seen_since: '2026-11-21T12:40:00.000Z', last_seen_by: 'ferry' },
    ]);
  });

  it('compares with posts of the same age', async () => {
    const many = Array.from({ length: 6 }, (_, i) => `${i + 10}`);
    const written = new Date(stand.world.clock.now().getTime() - 30 * MINUTE).toISOString();
    for (const factor of [1, 2]) {
      const posts = many.map((id, i) =>
        wirePost(id, {
          like_count: (i === 5 ? 80 : 8) * factor,
          repost_count: 0,
          reply_count: 0,
          quote_count: 0,
          created_at: written,
        }),
      );
      stand.stub.answers(json({ miner_tweets: posts }));
      await stand.run(['search', 'run', 'ferry', '--wait']);
      stand.world.clock.advance(HOUR);
    }
    const [first] = await stand.json<{ at_age: Record<string, unknown> }[]>(
      'posts',
      'growth',
      '--limit',
      '1',
    );
    expect(first?.at_age).toMatchObject({
      search: 'ferry',
      hours: 1,
      engagement_ratio: 10,
      compared_with: 6,
    });
    const { stdout } = await stand.run(['posts', 'growth', '--limit', '1']);
    expect(stdout).toMatch(/ vs\. typical .*\n.* 10x at 1 h /);
  });

  it('leaves out posts that have not changed since', async () => {
    expect(await stand.json('posts', 'growth', '--since', '2026-11-22')).toEqual([]);
    expect((await stand.run(['posts', 'growth', '--since', '2026-11-22'])).stderr).toMatch(/^No posts grew/);
  });
});

describe('find', () => {
  it('counts all matches, and continues where the last page ended', async () => {
    const all = await stand.json<{ post: { id: string } }[]>('find', 'source:microblog');
    expect(all.length).toBeGreaterThan(2);
    const first = await stand.run(['find', 'source:microblog', '--limit', '2', '--json']);
    expect(first.stderr).toMatch(new RegExp(`^${all.length} matches, 2 shown\\. Next page: --after \\S+\n$`));
    const place = /--after (\S+)/.exec(first.stderr)?.[1] ?? '';
    const rest = await stand.json<{ post: { id: string } }[]>('find', 'source:microblog', '--after', place);
    expect(rest.map(({ post }) => post.id)).toEqual(all.slice(2).map(({ post }) => post.id));
    expect((await stand.run(['find', 'source:microblog', '--after', '1.2.3'])).code).toBe(2);
  });

  it('shares its language with posts list', async () => {
    const [one] = await stand.json<{ post: { id: string; text: string } }[]>(
      'find',
      'source:microblog',
      '--limit',
      '1',
    );
    const [word = ''] = /\p{L}+/u.exec(one?.post.text ?? '') ?? [];
    const found = await stand.json<{ post: { id: string } }[]>('find', `"${word}" OR zeppelin`);
    const listed = await stand.json<{ id: string }[]>('posts', 'list', `"${word}" OR zeppelin`);
    expect(listed.map(({ id }) => id).toSorted()).toEqual(found.map(({ post }) => post.id).toSorted());
    for (const command of [['find'], ['posts', 'list']])
      expect((await stand.run([...command, 'ferry lnag:en'])).stderr).toContain(
        'at character 7: one of the fields author:',
      );
  });

  it('says that the index is behind instead of reporting no matches', async () => {
    const { pool } = stand.world.db;
    expect((await stand.run(['find', 'zeppelin'])).stderr).toBe('No matches.\n');
    const client = await pool.connect();
    try {
      // Another process fills the index, and has not finished.
      await client.query('BEGIN; UPDATE strandline.archive_progress SET discovery_id = 0; COMMIT; BEGIN');
      await client.query('SELECT FROM strandline.archive_progress FOR UPDATE');
      const { stderr } = await stand.run(['find', 'zeppelin']);
      expect(stderr).toMatch(
        /^No matches in what is indexed\.\n\d+ items are not indexed yet\. Indexing continues; try again\.\n$/,
      );
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});
