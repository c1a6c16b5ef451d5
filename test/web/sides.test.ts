/**
 * Nothing simulated is in a reply about real data, and the reverse: every GET route of the API and of the pages, every command
 * that lists, the event stream, the metrics, and the preview of rules, over a world with the same things on both sides.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiRoutes } from '../../src/api/api-routes.ts';
import { buildHttpServer } from '../../src/app/http-server.ts';
import { MINUTE } from '../../src/domain/time.ts';
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
import { openStand } from './access/stand.ts';
import { personAt } from './pages/person.ts';

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
  sides = { real: await plant('1'), simulated: await plant('2') };
  await deriveAll();
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

async function deriveAll(): Promise<void> {
  await stand.world.derive();
  while (!(await fillArchive(stand.world.db, { batches: 5 })));
}

/**
 * A topic with a search of each kind, two runs of each, a rule and a message. Posts and links have the same addresses on both
 * sides.
 * @param size of posts and links in the second response
 */
async function plant(id: string, word = WORDS[data], size = 2): Promise<Side> {
  const { world, stub } = stand;
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
  const upTo = (n: number) => Array.from({ length: n === 1 ? 1 : size }, (_, i) => i + 1);
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
  await search('microblog', (n) => ({ miner_tweets: upTo(n).map(post) }));
  await search('ai', (n) => ({
    hacker_news_search_results: { organic_results: upTo(n).map(page) },
    completion: { summary: `The ${SHARED} of the ${word} says ${n} things [1].` },
  }));
  const rule = await createRule(world.ctx, { slug: `${word}-rule`, topic: word, channels: ['ops'] });
  const { rows } = await world.db.pool.query<Side>(
    `WITH s AS (SELECT array_agg(id) AS ids FROM strandline.searches WHERE slug LIKE $1 || '-%'),
       d AS (
         INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, body, created_at, made_at, attempts)
         SELECT 'msg_' || $1, c.id, $2, 'dead', 'given up', '{"text":"' || $1 || '"}', $3, $3, 3 FROM strandline.channels c
         RETURNING id
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
function fillPath(url: string): string {
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

type Shown = { failed: boolean; text: string };

/** All that a side shows: replies of every GET route, by `GET <route>`, and of every command that lists. */
async function showEverything(): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  for (const url of listGetRoutes()) {
    const { statusCode, body } = await app.inject({ method: 'GET', url: writeAddress(url) });
    shown.set(`GET ${url}`, { failed: statusCode >= 500, text: body });
  }
  const choice = data === 'simulated' ? ['--simulated'] : [];
  for (const command of await listListCommands())
    for (const form of [[], ['--json']]) {
      const argv = [...command, ...(ARGUMENTS[command.join(' ')] ?? []), ...choice, ...form];
      const { code, stdout, stderr } = await stand.run(argv);
      shown.set(`strandline ${argv.join(' ')}`, { failed: code !== 0, text: `${stdout}${stderr}` });
    }
  return shown;
}

/** What a route says of a side: chosen by the query for lists, by the path for one thing. */
function writeAddress(url: string): string {
  const own = QUERIES[url]?.(data) ?? '';
  const isNamed = url.includes(':') && !/\/(?:channels|exports|tokens)\/:/.test(url);
  const choice = data === 'simulated' && !isNamed ? 'simulated=1' : '';
  const query = [own, choice].filter((part) => part !== '').join('&');
  return `${fillPath(url)}${query === '' ? '' : `?${query}`}`;
}

/** Without the names of simulated topics that could be real: overview, status and the list of topics name them on purpose. */
function withoutAdvice(text: string): string {
  return text
    .replace(/Simulated, although real sources.*?<\/div>/s, '')
    .replace(/^.*although real sources .*$/m, '')
    .replace(/"to_rewatch": ?\[[^\]]*\]/, '');
}

/** Routes that show more when either side grows, and why. */
const OF_BOTH: Readonly<Record<string, string>> = {
  '/api/v1/services': 'the calls of each service',
  '/new': 'the calls of the service that a new search would use',
  '/system': 'the calls and the storage of the installation',
  '/new/forecast': 'the calls of the service that a new search would use',
};

/** Counters of each side have its service, or the side, as a label; those of processes and of requests are of neither. */
const COUNTED_OF: Readonly<Record<Data, RegExp>> = {
  real: /(?:service="hosted"|data="real")/,
  simulated: /(?:service="sandbox"|data="simulated")/,
};

/** Without what depends on the moment of a request, cursors of the feed, which is one of both sides, and calls of each service. */
function withoutMoment(name: string, text: string): string {
  if (OF_BOTH[name.slice('GET '.length)] !== undefined) return '';
  if (name === 'GET /metrics')
    return text
      .split('\n')
      .filter((line) => !/^(?:process|nodejs|strandline_http)_|_age_seconds /.test(line))
      .filter((line) => !COUNTED_OF[OTHER[data]].test(line))
      .join('\n');
  return withoutAdvice(text)
    .replaceAll(/ data-seen="\d+"| value="[\w-]{22}\.[\w-]{43}"/g, '')
    .replace(/urn:strandline:request:[\w-]+/, '')
    .replace(/"age_seconds": ?[\d.]+/, '')
    .replace(/"services": ?\[.*?\}\s*\]/s, '')
    .replaceAll(/^(?:services)? +\w+: \d+ active search.*$/gm, '');
}

/** Where two texts differ, with a few characters before. */
function describeChange(name: string, was: string, is: string): string {
  let at = 0;
  while (at < was.length && was[at] === is[at]) at += 1;
  const show = (text: string) => text.slice(Math.max(0, at - 60), at + 60);
  return `${name}: ${show(was)} BECAME ${show(is)}`;
}

describe.each(DATA)('about %s data', (data) => {
  let before: Map<string, Shown>;

  test('no route and no command has a text of the other side', async () => {
    before = await showEverything();
    const leaks: string[] = [];
    const own: Record<string, number> = { GET: 0, strandline: 0 };
    for (const [name, { failed, text }] of before) {
      expect(failed, `${name}: ${text.slice(0, 300)}`).toBe(false);
      const said = withoutAdvice(text).toLowerCase();
      if (said.includes(WORDS[OTHER[data]])) leaks.push(name);
      const notices = text.split('The sandbox made up everything on this page.').length - 1;
      const isPage = text.startsWith('<!doctype html>') && WITHOUT_NOTICE[name.slice(4)] === undefined;
      if (isPage || notices > 1) expect(notices, name).toBe(data === 'simulated' ? 1 : 0);
      const [kind = ''] = name.split(' ');
      if (said.includes(WORDS[data])) own[kind] = (own[kind] ?? 0) + 1;
    }
    expect(leaks).toEqual([]);
    // So that the walk cannot pass because nothing was found.
    expect(own['GET']).toBeGreaterThan(50);
    expect(own['strandline']).toBeGreaterThan(15);
  }, 600_000);

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
    const feed = openFeed(stand.world.ctx, ({ row }) => ({
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

  test('not one byte changes when the other side grows', async () => {
    const { clock } = stand.world;
    const now = clock.now();
    clock.set(new Date(now.getTime() - 30 * MINUTE));
    await plant(data === 'real' ? '3' : '4', `${WORDS[OTHER[data]]}-grown`, 7);
    clock.set(now);
    await deriveAll();
    const changed = [...(await showEverything())].flatMap(([name, { text }]) => {
      const [was, is] = [before.get(name)?.text ?? '', text].map((side) => withoutMoment(name, side));
      return was === is ? [] : [describeChange(name, was ?? '', is ?? '')];
    });
    expect(changed).toEqual([]);
  }, 600_000);
});

/** Addresses of pages that are about neither side, and why. */
const OF_NEITHER: Readonly<Record<string, string>> = {
  '/docs': 'the reference of the API',
  '/new': 'a new topic is of the side of the service that is chosen there',
  '/system/audit': 'what was changed, on both sides',
  '/system/tokens': 'tokens are about the installation',
};

/** Routes of pages without a notice of their side, and why. */
const WITHOUT_NOTICE: Readonly<Record<string, string>> = {
  ...OF_NEITHER,
  '/alerts/channels/new': 'a channel is of both sides',
  '/alerts/channels/:slug/remove': 'removing a channel cancels messages of both sides',
  '/assets/:file': 'no such file',
  '/explore/sql': 'its form says which side a query reads',
  '/system': 'about the installation',
};

/** Pages that no route shows by itself: nothing matches. */
const EMPTY_PAGES = [
  '/?label=nothing&simulated=1',
  '/runs?status=cancelled&simulated=1',
  '/alerts/deliveries?state=cancelled&simulated=1',
  '/explore?q=nowhere&simulated=1',
];

test('no link of a page about simulated data leads to a page about real data', async () => {
  const get = async (url: string) => {
    const { body } = await app.inject(url);
    // The navigation of every page keeps its side.
    return {
      html: body.startsWith('<!doctype html>') ? body : '',
      kept: body.includes('href="/runs?simulated=1"'),
    };
  };
  const routes = listGetRoutes().filter(
    (url) => !/^\/(?:api|metrics|assets)\b/.test(url) && OF_NEITHER[url] === undefined,
  );
  /** One of each shape: the bars of a chart differ in their hours only, and the views of the contract in their names. */
  const links = new Map<string, { link: string; page: string }>();
  const actions = new Set<string>();
  for (const page of [...routes.map((url) => writeAddress(url)), ...EMPTY_PAGES]) {
    const { html, kept } = await get(page);
    if (!kept) continue;
    for (const [, action = ''] of html.matchAll(/<form method="post" action="([^"]*)"/g)) actions.add(action);
    for (const [, href = '', words] of html.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>([^<]*)/g)) {
      const { origin, pathname, search } = new URL(
        href.replaceAll('&amp;', '&'),
        `http://own.example${page}`,
      );
      const isOwn = origin === 'http://own.example' && OF_NEITHER[pathname] === undefined;
      if (!isOwn || words === 'Show real data') continue;
      const link = `${pathname}${search}`;
      links.set(link.replaceAll(/(?<!simulated=)\d+|(?<=[?&]view=)\w+/g, ''), { link, page });
    }
  }
  expect(links.size).toBeGreaterThan(100);
  const lost: string[] = [];
  for (const { link, page } of links.values()) {
    const { html, kept } = await get(link);
    if (html !== '' && !kept) lost.push(`${page}: ${link}`);
  }
  expect(lost).toEqual([]);
  expect(actions.size).toBeGreaterThan(10);
  const ofOne = /^\/(?:topics|searches|posts|links|authors|runs|alerts\/rules|alerts\/deliveries)\//;
  expect([...actions].filter((action) => !ofOne.test(action) && !action.includes('simulated=1'))).toEqual([]);
}, 600_000);

test('a rule on everything reports real data only, one on a simulated topic that', async () => {
  const { ctx, db } = stand.world;
  const all = await backtestRule(ctx, 'everything', 14);
  expect(all.found.length).toBeGreaterThan(0);
  expect(all.found.map(({ topic }) => topic)).not.toContain(WORDS.simulated);
  const one = await backtestRule(ctx, `${WORDS.simulated}-rule`, 14);
  expect(new Set(one.found.map(({ topic }) => topic))).toEqual(new Set([WORDS.simulated]));
  const since = new Date(0);
  const { found } = await readFeedBetween(db.pool, { since, until: ctx.clock.now(), after: 0n, limit: 100 });
  expect(new Set(found.map(({ topic }) => topic?.split('-')[0]))).toEqual(new Set(Object.values(WORDS)));
});

test('messages of a rule on everything are of the chosen side, and those of an unknown rule are refused', async () => {
  const list = async (query: string) => {
    const { body } = await app.inject(`/api/v1/deliveries?${query}`);
    return (JSON.parse(body) as { items: unknown[] }).items.length; // as the API replies
  };
  const { db, clock } = stand.world;
  await db.pool.query(
    `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, created_at, attempts)
     SELECT 'msg_everything', c.id, r.id, 'dead', 'x', $1, 1 FROM strandline.channels c, strandline.rules r WHERE r.slug = 'everything'`,
    [clock.now()],
  );
  expect(await list('rule=everything')).toBe(1);
  expect(await list('rule=everything&simulated=1')).toBe(0);
  expect(await list(`rule=${WORDS.simulated}-rule`)).toBe(1);
  const page = async (query: string) => (await app.inject(`/alerts/deliveries?${query}`)).body;
  expect(await page('rule=everything&simulated=1')).toContain('Simulated data.');
  expect(await page('rule=everything')).toContain('Show simulated data');
  const ofTopic = await page(`rule=${WORDS.simulated}-rule`);
  expect(ofTopic).toContain('Simulated data.');
  expect(ofTopic).not.toContain('Show real data');
  // A removed rule of the other side had the same slug.
  await db.pool.query(
    `INSERT INTO strandline.rules OVERRIDING SYSTEM VALUE
     SELECT (jsonb_populate_record(r, jsonb_build_object('id', 1000000, 'slug', $1::text, 'archived_at', $2::text))).*
     FROM strandline.rules r WHERE slug = 'everything'`,
    [`${WORDS.simulated}-rule`, clock.now().toISOString()],
  );
  expect(await list(`rule=${WORDS.simulated}-rule`)).toBe(1);
  await db.pool.query('DELETE FROM strandline.rules WHERE id = 1000000');
  expect((await app.inject('/api/v1/deliveries?rule=nothing')).statusCode).toBe(404);
  const { code, stderr } = await stand.run(['deliveries', 'list', '--rule', 'nothing']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('there is no rule "nothing"')]);
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

test('an action on a page about simulated data leads to one', async () => {
  await createChannel(stand.world.ctx, { slug: 'quiet', webhook: 'https://hooks.example/quiet' });
  const person = personAt(app);
  for (const change of ['pause', 'resume'])
    expect(await person.post(`/alerts/channels/quiet/${change}?simulated=1`)).toMatchObject({
      to: '/alerts/channels/quiet?simulated=1',
    });
  expect(await person.post('/alerts/channels/quiet/resend')).toMatchObject({ to: '/alerts/channels/quiet' });
  const { status, html } = await person.post('/alerts/channels/quiet/edit?simulated=1', {
    webhook: 'ftp://x',
  });
  expect([status, html.includes('href="/runs?simulated=1"')]).toEqual([400, true]);
});

test('the page of a channel resends the failed messages that it counts, those of its side', async () => {
  const readDead = async () => {
    const { rows } = await stand.world.db.pool.query<{ message_id: string }>(
      "SELECT message_id FROM strandline.deliveries WHERE state = 'dead' ORDER BY id",
    );
    return rows.map(({ message_id: id }) => id);
  };
  const isReal = (id: string) => !id.startsWith(`msg_${WORDS.simulated}`);
  const dead = await readDead();
  expect(new Set(dead.map(isReal))).toEqual(new Set([true, false]));
  const person = personAt(app);
  await person.post('/alerts/channels/ops/resend?simulated=1');
  expect(await readDead()).toEqual(dead.filter(isReal));
  await person.post('/alerts/channels/ops/resend');
  expect(await readDead()).toEqual([]);
});

/** What a command needs besides options. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  find: [SHARED],
  'posts show': ['https://x.example/same/status/771'],
  export: ['posts'],
  sql: ['select slug from topics'],
  'authors show': ['@nobody'],
  'channels show': ['ops'],
};

/** Commands with the option `--simulated`, but for those that are about one thing or tested elsewhere. */
async function listListCommands(): Promise<string[][]> {
  const found = (await helps).filter(({ help }) => /^ {2}--simulated\b/m.test(help));
  return found.map(({ command }) => command).filter((command) => !NOT_LISTS.has(command.join(' ')));
}

/** Of every command, with those above it. */
const helps = readHelps([]);

async function readHelps(command: string[]): Promise<{ command: string[]; help: string }[]> {
  const help = await printHelp(command);
  const below = await Promise.all(findCommands(help).map((name) => readHelps([...command, name])));
  return [{ command, help }, ...below.flat()];
}

const NOT_LISTS = new Set(['sql', 'export', 'authors show', 'posts show']);

/** Lists that have no side, and why. */
const WITHOUT_SIDE: Readonly<Record<string, string>> = {
  'service key list': 'a key is about the installation',
  'token list': 'a token is about the installation',
};

test('every command that lists chooses a side, but for those that have none', async () => {
  const lists = (await helps).filter(
    ({ command, help }) => command.at(-1) === 'list' && !/^ {2}--simulated\b/m.test(help),
  );
  expect(lists.map(({ command }) => command.join(' ')).toSorted()).toEqual(
    Object.keys(WITHOUT_SIDE).toSorted(),
  );
});

test('without real topics, a reply says so, unless a parameter chose the other side', async () => {
  const simulated = await openStand();
  try {
    const { ctx } = simulated.world;
    const search = {
      slug: 'ferry',
      operation: 'microblog',
      prompt: 'ferry',
      every: '15m',
      service: 'sandbox',
    };
    await createSearch(ctx, search);
    await createChannel(ctx, { slug: 'ops', webhook: 'https://hooks.example/x' });
    await createRule(ctx, { slug: 'ferries', channels: ['ops'], topic: 'ferry' });
    await createRule(ctx, { slug: 'all', channels: ['ops'] });
    const server = await simulated.serve({ api: [apiRoutes], pages: [] });
    const readNotice = async (url: string) => {
      const { statusCode, headers } = await server.inject({ url: `/api/v1/${url}` });
      return [url, statusCode, headers['strandline-notice']];
    };
    const lists = [
      'searches',
      'searches?service=own',
      'find?text=ferry',
      'find?text=ferry&sandbox=false',
      'deliveries',
      'deliveries?rule=all',
      'searches?service=sandbox&simulated=0',
      'find?text=ferry&sandbox=true&simulated=0',
      'find?text=ferry&service=sandbox',
    ];
    for (const url of lists)
      expect(await readNotice(url)).toEqual([
        url,
        200,
        'There are only simulated topics. To read them, add simulated=true.',
      ]);
    const choices = [
      'searches?service=sandbox',
      'find?text=ferry&sandbox=true',
      'deliveries?rule=ferries',
      'deliveries?rule=all&simulated=1',
    ];
    for (const url of choices) expect(await readNotice(url)).toEqual([url, 200, undefined]);
    expect((await server.inject({ url: '/api/v1/deliveries?rule=none' })).statusCode).toBe(404);
  } finally {
    await simulated.close();
  }
});

test('without simulated topics, a reply says so, whatever parameter chose them', async () => {
  const real = await openStand({ hosted: 'http://127.0.0.1:1' });
  try {
    await createSearch(real.world.ctx, {
      slug: 'ferry',
      operation: 'microblog',
      prompt: 'ferry',
      every: '15m',
      service: 'hosted',
    });
    const server = await real.serve({ api: [apiRoutes], pages: [] });
    for (const url of ['searches?service=sandbox', 'find?text=ferry&sandbox=true', 'posts?simulated=1'])
      expect((await server.inject({ url: `/api/v1/${url}` })).headers['strandline-notice'], url).toBe(
        'There are only real topics. To read them, leave simulated=true out.',
      );
  } finally {
    await real.close();
  }
});
