/**
 * Nothing simulated is in a reply about real data, and the reverse: every GET route of the API and of the pages, every command
 * that lists, the event stream, the metrics, and the preview of rules, over a world with the same things on both sides.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiRoutes } from '../../src/api/api-routes.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { DATA, type Data } from '../../src/domain/data.ts';
import { backtestRule } from '../../src/monitor/alerts/backtest.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import { openFeed } from '../../src/monitor/events/live-feed.ts';
import type { App } from '../../src/monitor/http/route-types.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { readFeedBetween } from '../../src/store/alerts/feed-entries.ts';
import type { Id } from '../../src/store/database.ts';
import { addPageRoutes } from '../../src/web/page-routes.ts';
import { makeStand, type Stand } from '../cli/stand.ts';
import { findCommands, printHelp } from '../house/commands.ts';
import { json, wirePost } from '../stub-service.ts';

/** In every slug and text of a side, and nowhere else. */
const WORDS: Readonly<Record<Data, string>> = { real: 'narwhal', simulated: 'gryphon' };
const OTHER: Readonly<Record<Data, Data>> = { real: 'simulated', simulated: 'real' };
/** In the texts of both sides. */
const SHARED = 'lantern';

type Side = Record<'post' | 'link' | 'author' | 'completion' | 'run' | 'delivery', Id>;

let stand: Stand;
let app: App;
let sides: Record<Data, Side>;

beforeAll(async () => {
  stand = await makeStand();
  const { world } = stand;
  await createChannel(world.ctx, { slug: 'ops', webhook: 'https://hooks.example/x' });
  await createRule(world.ctx, { slug: 'everything', channels: ['ops'] });
  sides = { real: await plant('real', '1'), simulated: await plant('simulated', '2') };
  await world.derive();
  while (!(await fillArchive(world.db, { batches: 5 })));
  app = await buildHttpServer(
    { ...stand.home },
    { api: [apiRoutes], pages: [addPageRoutes] },
    { perMinute: 1_000_000, runsPerMinute: 1_000_000 },
  );
});
afterAll(async () => {
  await app.close();
  await stand.close();
});

/** A topic with a search of each kind, two runs of each, a rule and a message. Posts and links have the same addresses on both sides. */
async function plant(data: Data, id: string): Promise<Side> {
  const { world, stub } = stand;
  const word = WORDS[data];
  const service = data === 'real' ? 'hosted' : 'sandbox';
  const post = (n: number) =>
    wirePost(`${id}${n}`, {
      user: { id: `7${id}`, username: `${word}_author`, name: word, followers_count: 3 },
      text: `${SHARED} ${word} ${n} https://shared.example/page`,
      url: `https://x.example/same/status/77${n}`,
      entities: { hashtags: [{ text: word }], urls: [{ expanded_url: 'https://shared.example/page' }] },
    });
  const page = (n: number) => ({
    title: `${SHARED} ${word} ${n}`,
    link: `https://shared.example/page${n}`,
    snippet: `${word} snippet`,
  });
  const search = async (operation: 'microblog' | 'ai', answer: (n: number) => unknown) => {
    const slug = `${word}-${operation}`;
    stub.answers(json(answer(1)));
    const { firstRunId } = await createSearch(world.ctx, {
      slug,
      topic: word,
      operation,
      prompt: `${word} ${operation}`,
      service,
      every: '1h',
    });
    // The stub answers for the sandbox, too, in the same names.
    await world.db.pool.query("UPDATE strandline.services SET dialect = 'named' WHERE kind = 'sandbox'");
    await executeRun(world.ctx, firstRunId);
    world.clock.advance(60_000);
    stub.answers(json(answer(2)));
    const { runId } = await insertManualRun(world.ctx, slug);
    await executeRun(world.ctx, runId);
    world.clock.advance(60_000);
  };
  await search('microblog', (n) => ({ miner_tweets: [post(1), ...(n === 1 ? [] : [post(2)])] }));
  await search('ai', (n) => ({
    hacker_news_search_results: { organic_results: [page(1), ...(n === 1 ? [] : [page(2)])] },
    completion: { summary: `The ${SHARED} of the ${word} says ${n} things [1].` },
  }));
  const rule = await createRule(world.ctx, { slug: `${word}-rule`, topic: word, channels: ['ops'] });
  const { rows } = await world.db.pool.query<Side>(
    `WITH s AS (SELECT array_agg(id) AS ids FROM strandline.searches WHERE slug LIKE $1 || '-%'),
       d AS (
         INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, body, created_at, made_at, attempts)
         SELECT 'msg_' || $1, c.id, $2, 'dead', 'given up', '{"text":"' || $1 || '"}', $3, $3, 3 FROM strandline.channels c RETURNING id
       )
     SELECT (SELECT min(post_id) FROM strandline.post_sightings WHERE search_id = ANY (s.ids)) AS post,
       (SELECT min(link_id) FROM strandline.link_sightings WHERE search_id = ANY (s.ids)) AS link,
       (SELECT min(p.author_id) FROM strandline.posts p JOIN strandline.post_sightings g ON g.post_id = p.id WHERE g.search_id = ANY (s.ids)) AS author,
       (SELECT max(id) FROM strandline.completions WHERE search_id = ANY (s.ids)) AS completion,
       (SELECT max(id) FROM strandline.runs WHERE search_id = ANY (s.ids)) AS run, (SELECT id FROM d) AS delivery
     FROM s`,
    [word, rule.id, world.clock.now()],
  );
  const [side] = rows;
  if (side === undefined) throw new Error('nothing was planted');
  return side;
}

/** Routes that are about both sides, or have no text of either, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  '/api/v1/audit-log': 'what was changed, on both sides',
  '/system/audit': 'what was changed, on both sides',
  '/api/v1/events': 'a stream, which is tested below',
};

/** What the parameters of a path are on a side; the value of each depends on the part before it. */
function fillPath(url: string, data: Data): string {
  const side = sides[data];
  const word = WORDS[data];
  const values: Readonly<Record<string, string | bigint>> = {
    topics: word,
    searches: `${word}-ai`,
    rules: `${word}-rule`,
    channels: 'ops',
    exports: 'posts',
    posts: side.post,
    links: side.link,
    authors: side.author,
    completions: side.completion,
    runs: side.run,
    deliveries: side.delivery,
    tokens: 1n,
    assets: 'style.css',
  };
  return url
    .split('/')
    .map((step, i, all) =>
      step.startsWith(':') || step === '*' ? String(values[all[i - 1] ?? ''] ?? step) : step,
    )
    .join('/');
}

/** Without these, a route refuses the request, or has nothing to show. */
const QUERIES: Readonly<Record<string, (data: Data) => string>> = {
  '/api/v1/find': () => `text=${SHARED}`,
  '/explore': () => `q=${SHARED}`,
  '/api/v1/trends/voices': (data) => `topics=${WORDS[data]}`,
  '/api/v1/searches/:search/completion-diff': () => '',
};

const listGetRoutes = () => [
  ...new Set(
    app.routeTable
      .filter(({ method, url }) => method === 'GET' && EXCEPTIONS[url] === undefined)
      .map(({ url }) => url),
  ),
];

/** What a route says of a side: chosen by the query for lists, by the path for one thing. */
async function ask(url: string, data: Data): Promise<{ status: number; body: string; address: string }> {
  const own = QUERIES[url]?.(data) ?? '';
  const isNamed = url.includes(':') && !/\/(?:channels|exports|tokens)\/:/.test(url);
  const choice = data === 'simulated' && !isNamed ? 'simulated=1' : '';
  const query = [own, choice].filter((part) => part !== '').join('&');
  const address = `${fillPath(url, data)}${query === '' ? '' : `?${query}`}`;
  const { statusCode, body } = await app.inject({ method: 'GET', url: address });
  return { status: statusCode, body, address };
}

/** Without the names of simulated topics that could be real: overview, status and the list of topics name them on purpose. */
function withoutAdvice(text: string): string {
  return text
    .replace(/Simulated, although real sources.*?<\/div>/s, '')
    .replace(/^.*although real sources .*$/m, '')
    .replace(/"to_rewatch": ?\[[^\]]*\]/, '');
}

describe.each(DATA)('about %s data', (data) => {
  test('no route has a text of the other side', async () => {
    const leaks: string[] = [];
    const own: string[] = [];
    for (const url of listGetRoutes()) {
      const { status, body, address } = await ask(url, data);
      expect(status, `${address}: ${body.slice(0, 300)}`).toBeLessThan(500);
      const text = withoutAdvice(body).toLowerCase();
      if (text.includes(WORDS[OTHER[data]])) leaks.push(address);
      if (text.includes(WORDS[data])) own.push(url);
    }
    expect(leaks).toEqual([]);
    // So that the walk cannot pass because nothing was found.
    expect(own.length).toBeGreaterThan(50);
  });

  test('no command that lists has a text of the other side', async () => {
    const choice = data === 'simulated' ? ['--simulated'] : [];
    const shown: string[] = [];
    for (const command of await listListCommands()) {
      const argv = [...command, ...(ARGUMENTS[command.join(' ')] ?? []), ...choice];
      for (const form of [[], ['--json']]) {
        const { code, stdout, stderr } = await stand.run([...argv, ...form]);
        const name = [...argv, ...form].join(' ');
        expect(code, `${name}: ${stderr}`).toBe(0);
        const said = withoutAdvice(`${stdout}${stderr}`).toLowerCase();
        expect(said, name).not.toContain(WORDS[OTHER[data]]);
        if (stdout.includes(WORDS[data])) shown.push(name);
      }
    }
    expect(shown.length).toBeGreaterThan(15);
  });

  test('naming a topic decides, whatever is chosen', async () => {
    const choice = data === 'real' ? 'simulated=1' : 'simulated=0';
    for (const list of [
      'posts',
      'links',
      'discoveries',
      'completions',
      'runs',
      'trends',
      'trends/tops/authors',
    ]) {
      const { body } = await app.inject(`/api/v1/${list}?topic=${WORDS[data]}&${choice}`);
      expect(body, list).toContain(WORDS[data]);
      expect(body, list).not.toContain(WORDS[OTHER[data]]);
    }
  });

  test('the event stream has the discoveries of one side', async () => {
    const leaving = new AbortController();
    const feed = openFeed(stand.world.ctx, data, ({ row }) => ({
      search: row.search,
      simulated: row.simulated,
    }));
    const heard: { search: string; simulated: boolean }[] = [];
    const listener = {
      filter: {},
      replay: async (events: readonly { search: string; simulated: boolean }[]) => void heard.push(...events),
      tell: () => {},
    };
    await feed.listen(listener, { after: 0n, signal: leaving.signal });
    leaving.abort();
    await feed.close();
    expect(heard.length).toBeGreaterThan(4);
    expect(heard.filter((row) => !row.search.startsWith(WORDS[data]))).toEqual([]);
    expect(heard.filter(({ simulated }) => simulated !== (data === 'simulated'))).toEqual([]);
  });

  test('metrics count the searches of one side', async () => {
    const query = data === 'simulated' ? '?simulated=1' : '';
    const { body } = await app.inject(`/metrics${query}`);
    expect(body).toContain('strandline_searches{state="active"} 2');
  });
});

test('a rule on everything reports real data only, one on a simulated topic that', async () => {
  const { ctx, db } = stand.world;
  const all = await backtestRule(ctx, 'everything', 14);
  expect(all.found.length).toBeGreaterThan(0);
  expect(all.found.map(({ topic }) => topic)).not.toContain(WORDS.simulated);
  const one = await backtestRule(ctx, `${WORDS.simulated}-rule`, 14);
  expect(new Set(one.found.map(({ topic }) => topic))).toEqual(new Set([WORDS.simulated]));
  const since = new Date(0);
  const { found } = await readFeedBetween(db.pool, { since, until: ctx.clock.now(), after: 0n, limit: 100 });
  expect(new Set(found.map(({ topic }) => topic))).toEqual(new Set(Object.values(WORDS)));
});

test('real and simulated topics are not compared', async () => {
  const topics = Object.values(WORDS).join(',');
  const api = await app.inject(`/api/v1/trends/voices?topics=${topics}`);
  expect(api.statusCode).toBe(400);
  expect(api.body).toContain('topics that are all real or all simulated');
  expect((await app.inject(`/compare?topics=${topics}`)).statusCode).toBe(400);
  const { code, stderr } = await stand.run(['trends', '--compare', topics]);
  expect(code).toBe(2);
  expect(stderr).toContain(`${WORDS.real} real, ${WORDS.simulated} simulated`);
});

test('a cursor of one side is refused by the other', async () => {
  const first = JSON.parse((await app.inject('/api/v1/posts?limit=1')).body) as { next_cursor: string };
  const { statusCode } = await app.inject(`/api/v1/posts?limit=1&simulated=1&cursor=${first.next_cursor}`);
  expect(statusCode).toBe(400);
});

/** What a command needs besides options. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  find: [SHARED],
  'posts show': ['https://x.example/same/status/771'],
  export: ['posts'],
  sql: ['select slug from topics'],
  'authors show': ['@nobody'],
};

/** Commands with the option `--simulated`, but for those that are about one thing or tested elsewhere. */
async function listListCommands(): Promise<string[][]> {
  const found: string[][] = [];
  const visit = async (command: readonly string[]): Promise<void> => {
    const help = await printHelp(command);
    if (/^ {2}--simulated\b/m.test(help)) found.push([...command]);
    for (const name of findCommands(help)) await visit([...command, name]);
  };
  await visit([]);
  return found.filter((command) => !NOT_LISTS.has(command.join(' ')));
}

const NOT_LISTS = new Set(['sql', 'export', 'authors show', 'posts show']);

/** Lists that have no side, and why. */
const WITHOUT_SIDE: Readonly<Record<string, string>> = {
  'channels list': 'a channel gets messages of both sides',
  'service key list': 'a key is about the installation',
  'token list': 'a token is about the installation',
};

test('every command that lists chooses a side, but for those that have none', async () => {
  const lists: string[] = [];
  const visit = async (command: readonly string[]): Promise<void> => {
    const help = await printHelp(command);
    if (command.at(-1) === 'list' && !/^ {2}--simulated\b/m.test(help)) lists.push(command.join(' '));
    for (const name of findCommands(help)) await visit([...command, name]);
  };
  await visit([]);
  expect(lists.toSorted()).toEqual(Object.keys(WITHOUT_SIDE).toSorted());
});
