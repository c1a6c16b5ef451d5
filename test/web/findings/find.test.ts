import { afterAll, beforeAll, expect, test } from 'vitest';
import { executeRun } from '../../../src/monitor/runs/execute.ts';
import { createSearch } from '../../../src/monitor/topics/save-search.ts';
import { fillArchive } from '../../../src/store/archive/index-archive.ts';
import { type Stand, makeStand } from '../../cli/stand.ts';
import { json, wirePost } from '../../stub-service.ts';
import { addSearch, serve } from './stand.ts';

type Piece = { text: string; match: boolean };
type Hit = {
  kind: string;
  services: string[];
  found_by: { search: string; topic: string }[];
  excerpt: Piece[];
  post: { id: string; external_id: string; author_username: string | null; lang: string | null } | null;
};

let stand: Stand;
let address: string;
let close: () => Promise<void>;
beforeAll(async () => {
  stand = await makeStand();
  const { world, stub } = stand;
  const served = await serve(world);
  address = served.address;
  close = () => served.app.close();
  const texts = [
    'The crane at the harbour fell <b>tonight</b>',
    'Cranes are birds, and some stand at the pier',
    'Nothing at the harbour today',
  ];
  stub.answers(
    json({
      miner_tweets: texts.map((text, n) => ({ ...wirePost(String(n + 1)), text })),
    }),
  );
  const { firstRunId } = await createSearch(world.ctx, {
    slug: 'harbour',
    topic: 'harbour',
    operation: 'microblog',
    prompt: 'harbour',
    service: 'hosted',
    every: '1h',
  });
  await executeRun(world.ctx, firstRunId);
  while (!(await fillArchive(world.db, { batches: 5 })));
});
afterAll(async () => {
  await close();
  await stand.close();
});

async function find(query: Record<string, string>): Promise<Hit[]> {
  const response = await fetch(`${address}/api/v1/find?${new URLSearchParams(query).toString()}`);
  const body = (await response.json()) as { items: Hit[] };
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body.items;
}
const shown = ({ excerpt }: Hit) => excerpt.map(({ text, match }) => (match ? `[${text}]` : text)).join('');

test('words match their inflections and are highlighted as text', async () => {
  const hits = await find({ text: 'crane OR harbour' });
  expect(hits.map(({ services }) => services)).toEqual([['hosted'], ['hosted'], ['hosted']]);
  expect(hits[0] && shown(hits[0])).toBe('The [crane] at the [harbour] fell <b>tonight</b>');
  expect(hits.map(shown)).toContain('[Cranes] are birds, and some stand at the pier');
  expect(hits[0]?.found_by).toEqual([{ search: 'harbour', topic: 'harbour', service: 'hosted' }]);
});

test('all words must match; counts are true, and pages follow each other', async () => {
  expect((await find({ text: 'crane harbour' })).map(shown)).toEqual([
    'The [crane] at the [harbour] fell <b>tonight</b>',
  ]);
  const whole = await find({ text: 'crane OR harbour' });
  const paged: Hit[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = new URLSearchParams({
      text: 'crane OR harbour',
      limit: '1',
      ...(cursor === '' ? {} : { cursor }),
    });
    const response = await fetch(`${address}/api/v1/find?${query.toString()}`);
    const page = (await response.json()) as {
      items: Hit[];
      next_cursor: string | null;
      total: number;
      not_indexed: number;
    };
    expect(page).toMatchObject({ total: whole.length, not_indexed: 0 });
    paged.push(...page.items);
    cursor = page.next_cursor;
  }
  expect(paged).toEqual(whole);
});

test.each<[Record<string, string>, number]>([
  [{ kind: 'link' }, 0],
  [{ kind: 'post' }, 2],
  [{ lang: 'EN' }, 2],
  [{ lang: 'de' }, 0],
  [{ author: 'nobody' }, 0],
  [{ service: 'sandbox' }, 0],
  [{ search: 'harbour' }, 2],
  [{ since: '2100-01-01T00:00:00Z' }, 0],
  [{ until: '2000-01-01T00:00:00Z' }, 0],
  [{ limit: '1' }, 1],
])('finds crane with %o %i times', async (filter, times) => {
  expect(await find({ text: 'crane', ...filter })).toHaveLength(times);
});

test.each([
  ['text=', 400],
  ['text=%3F%21', 400],
  ['text=crane+lnag:en', 400],
  ['text=crane&lang=e/n', 400],
  ['text=crane&limit=101', 400],
  ['text=crane&colour=red', 400],
  ['text=crane&simulated=1', 400],
  ['text=crane&topic=nothing', 404],
])('%s gets a %i', async (query, status) => {
  const response = await fetch(`${address}/api/v1/find?${query}`);
  expect(response.status).toBe(status);
  await response.body?.cancel();
});

test('the command finds the same, and highlights on a terminal only', async () => {
  const found = await stand.json<Hit[]>('find', 'crane OR harbour');
  expect(found.map(shown)).toEqual((await find({ text: 'crane OR harbour' })).map(shown));
  const { stdout } = await stand.run(['find', 'crane', '--search', 'harbour']);
  expect(stdout).toContain('The crane at the harbour fell <b>tonight</b>');
  const painted = await stand.run(['find', 'crane', '--search', 'harbour'], { isTTY: true });
  expect(painted.stdout).toContain('\u001b[1mcrane\u001b[22m');
  const listed = await stand.run(['posts', 'list', 'cranes', '--search', 'harbour'], { isTTY: true });
  expect(listed.stdout, 'in lists, too, in any inflected form').toContain('\u001b[1mcrane\u001b[22m');
  expect((await stand.run(['find', '?!'])).code).toBe(2);
  expect((await stand.run(['find', 'zeppelins'])).stderr).toContain('No matches.');
});

test('posts are listed page by page, newest or most liked first, each once', async () => {
  for (const sort of ['newest', 'likes']) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = new URLSearchParams({
        sort,
        limit: '2',
        ...(cursor === '' ? {} : { cursor }),
      }).toString();
      const response = await fetch(`${address}/api/v1/posts?${query}`);
      const page = (await response.json()) as {
        items: { external_id: string }[];
        next_cursor: string | null;
      };
      expect(page.items.length).toBeLessThanOrEqual(2);
      seen.push(...page.items.map(({ external_id }) => external_id));
      cursor = page.next_cursor;
    }
    expect(seen.toSorted()).toEqual(['1', '2', '3']);
  }
  const words = await fetch(`${address}/api/v1/posts?text=crane+harbour`);
  expect(
    ((await words.json()) as { items: { external_id: string }[] }).items.map((one) => one.external_id),
  ).toEqual(['1']);
});

test('refuses a cursor of another list or another order', async () => {
  const first = (await (await fetch(`${address}/api/v1/posts?limit=1`)).json()) as { next_cursor: string };
  const wrong = await fetch(`${address}/api/v1/links?cursor=${first.next_cursor}`);
  expect(wrong.status).toBe(400);
  await wrong.body?.cancel();
  const turned = await fetch(`${address}/api/v1/posts?sort=likes&cursor=${first.next_cursor}`);
  expect(turned.status).toBeGreaterThanOrEqual(400);
  await turned.body?.cancel();
});

test('a program that continues after the last cursor gets every discovery once, in order', async () => {
  const seen: string[] = [];
  let after = '0';
  for (let more = true; more; ) {
    const response = await fetch(`${address}/api/v1/discoveries/feed?after=${after}&limit=3`);
    const page = (await response.json()) as { items: { id: string }[]; next_after: string; more: boolean };
    seen.push(...page.items.map(({ id }) => id));
    ({ next_after: after, more } = page);
  }
  const { rows } = await stand.world.db.pool.query<{ id: bigint }>(
    `SELECT d.id FROM strandline.discoveries d ORDER BY 1`,
  );
  expect(seen).toEqual(rows.map(({ id }) => String(id)));
  const again = await fetch(`${address}/api/v1/discoveries/feed?after=${after}`);
  expect(await again.json()).toEqual({ items: [], next_after: after, more: false });
});

test('an export is complete, with a file name of ours', async () => {
  const response = await fetch(`${address}/api/v1/exports/posts?format=ndjson&search=harbour`);
  expect(response.headers.get('content-disposition')).toBe('attachment; filename="strandline-posts.ndjson"');
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const rows = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { external_id: string });
  expect(rows.map(({ external_id }) => external_id).toSorted()).toEqual(['1', '2', '3']);
});

test('a failing export breaks the connection instead of ending like a complete one', async () => {
  const { pool } = stand.world.db;
  const { serviceId } = await addSearch(stand.world, 'large', { topic: 'large' });
  await pool.query(
    `INSERT INTO strandline.posts (service_id, external_id, text, first_seen_at, observed_at, hashtags, mentions, urls, media, entities)
     SELECT $1, 'large-' || n, repeat('x', 5000), $2, $2, '{}', '{}', '{}', '[]', '{}' FROM generate_series(1, 5000) n`,
    [serviceId, stand.world.clock.now()],
  );
  const response = await fetch(`${address}/api/v1/exports/posts?format=csv`);
  const reader = response.body?.getReader();
  await reader?.read();
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'strandline export' AND datname = current_database()`,
  );
  const rest = async () => {
    for (;;) if ((await reader?.read())?.done !== false) return 'ended';
  };
  await expect(rest()).rejects.toThrow();
});
