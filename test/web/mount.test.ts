/**
 * One server, two applications: that of real data at the root, and the sandbox's below /sandbox, over two databases in which
 * topics, searches, rules and channels have the same names, and rows the same ids.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildHttpServer, startHttpServer, type WebServer } from '../../src/app/http-server.ts';
import { WEB } from '../../src/app/web-server.ts';
import { createToken, OPERATOR } from '../../src/monitor/access/manage-tokens.ts';
import { composeDigests } from '../../src/monitor/alerts/compose-digests.ts';
import { createChannel } from '../../src/monitor/alerts/manage-channels.ts';
import { createRule } from '../../src/monitor/alerts/manage-rules.ts';
import type { RouteContext } from '../../src/monitor/http/route-types.ts';
import { executeRun } from '../../src/monitor/runs/execute.ts';
import { insertManualRun } from '../../src/monitor/topics/run-now.ts';
import { createSearch } from '../../src/monitor/topics/save-search.ts';
import { renameTopic } from '../../src/monitor/topics/save-topic.ts';
import { fillArchive } from '../../src/store/archive/index-archive.ts';
import { followStories } from '../../src/store/stories/follow-stories.ts';
import { homeOf } from '../cli/stand.ts';
import { json, startStub, type StubService, wirePost } from '../stub-service.ts';
import { makeWorld, type World } from '../world.ts';
import { fillPath, type StepNames } from './page-addresses.ts';

/** In the texts of one database each, and nowhere else. */
const WORDS = { real: 'narwhal', sandbox: 'gryphon' } as const;
type Kind = keyof typeof WORDS;
const MOUNTS = { real: '', sandbox: '/sandbox' } as const;
const UNLIMITED = { perMinute: 1_000_000, runsPerMinute: 1_000_000 };

let stub: StubService;
let worlds: Record<Kind, World>;
let web: WebServer;
/** Patterns of all GET routes of the application. */
let routes: string[];

beforeAll(async () => {
  stub = await startStub();
  worlds = { real: await plant('real'), sandbox: await plant('sandbox') };
  const app = await buildHttpServer(homeOf(worlds.real), WEB, UNLIMITED);
  routes = [...new Set(app.routeTable.filter(({ method }) => method === 'GET').map(({ url }) => url))];
  await app.close();
  web = await serve();
}, 120_000);
afterAll(async () => {
  await web.close();
  await stub.close();
  await worlds.real.close();
  await worlds.sandbox.close();
});

/** @param over changes both applications */
async function serve(over: Partial<RouteContext> = {}, limits = UNLIMITED): Promise<WebServer> {
  const home = (kind: Kind): RouteContext => ({ ...homeOf(worlds[kind]), ...over });
  return startHttpServer(home('real'), WEB, { limits, sandbox: home('sandbox') });
}

/** A topic with a search of each kind, two runs of each, a rule, a channel and a message. */
async function plant(kind: Kind): Promise<World> {
  const world = await makeWorld({ hosted: stub.url, kind, env: { PORT: '0', WEBHOOK_ALLOW: '127.0.0.1' } });
  const word = WORDS[kind];
  const { ctx, db } = world;
  const search = async (operation: 'microblog' | 'ai', answer: (n: number) => unknown) => {
    const slug = `pier-${operation}`;
    const service = kind === 'real' ? 'hosted' : 'sandbox';
    const { firstRunId } = await createSearch(ctx, {
      slug,
      topic: 'pier',
      operation,
      prompt: `${word} ${operation}`,
      service,
      every: '1h',
    });
    // The stub answers for the sandbox, too, in the same names.
    await db.pool.query("UPDATE strandline.services SET dialect = 'named'");
    stub.answers(json(answer(1)));
    await executeRun(ctx, firstRunId);
    world.clock.advance(60_000);
    stub.answers(json(answer(2)));
    await executeRun(ctx, (await insertManualRun(ctx, slug)).runId);
    world.clock.advance(60_000);
  };
  const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);
  const post = (n: number) =>
    wirePost(String(n), {
      user: { id: '7', username: `${word}_author`, name: word, followers_count: 3 },
      text: `lantern ${word} ${n} https://shared.example/news/lantern-of-the-pier`,
      entities: {
        hashtags: [{ text: word }],
        urls: [{ expanded_url: 'https://shared.example/news/lantern-of-the-pier' }],
      },
    });
  const page = (n: number) => ({
    title: `lantern ${word} ${n}`,
    link: `https://shared.example/page${n}`,
    snippet: `${word} snippet`,
  });
  await search('microblog', (n) => ({ miner_tweets: upTo(n).map(post) }));
  await search('ai', (n) => ({
    hacker_news_search_results: { organic_results: upTo(n).map(page) },
    completion: { summary: `The lantern of the ${word} says ${n} things [1].` },
  }));
  const { channel } = await createChannel(ctx, { slug: 'ops', webhook: stub.url });
  const rule = await createRule(ctx, { slug: 'pier-rule', topic: 'pier', channels: ['ops'] });
  await db.pool.query(
    `INSERT INTO strandline.deliveries (message_id, channel_id, rule_id, state, reason, body, created_at, made_at, attempts)
     VALUES ('msg_1', $1, $2, 'dead', 'given up', $4, $3, $3, 11)`,
    [channel.id, rule.id, ctx.clock.now(), JSON.stringify({ text: word })],
  );
  const digest = await createRule(ctx, {
    slug: 'pier-digest',
    topic: 'pier',
    digest: '0 8 * * *',
    channels: ['ops'],
  });
  await db.pool.query(
    `INSERT INTO strandline.digests (rule_id, due_at, created_at, state) VALUES ($1, $2, $3, 'planned')`,
    [digest.id, ctx.clock.now(), new Date(ctx.clock.now().getTime() - 3_600_000)],
  );
  await composeDigests(ctx);
  await world.derive();
  while (!(await fillArchive(db, { batches: 5 })));
  while (!(await followStories(db, { batches: 5 })));
  return world;
}

const get = (kind: Kind, path: string, init: RequestInit = {}) =>
  fetch(`${web.url}${MOUNTS[kind]}${path}`, { redirect: 'manual', ...init });

/** Ids are the same in both databases: one, or that of the first row. */
const NAMES: StepNames = {
  topics: 'pier',
  searches: 'pier-ai',
  rules: 'pier-rule',
  channels: 'ops',
  exports: 'posts',
  evidence: 'post',
};
/** A stream, files that are the same, and what needs a key (`test/web/feeds/feeds.test.ts`, `test/web/shares/shares.test.ts`). */
const UNREAD = new Set(['/api/v1/events', '/assets/:file', '/feeds/:file', '/shared/:key']);
/** Of the process, at the root only. */
const OF_PROCESS = new Set(['/livez', '/readyz', '/readyz/parts', '/metrics']);

const BANNER = /Sample:<\/strong> everything here is simulated/g;

describe.each(['real', 'sandbox'] as const)('the %s application', (kind) => {
  const other = WORDS[kind === 'real' ? 'sandbox' : 'real'];

  test('shows rows of its own database only, on every route, and says what it is', async () => {
    let own = 0;
    for (const url of routes) {
      if (UNREAD.has(url)) continue;
      const reply = await get(kind, fillPath(url, NAMES));
      const text = await reply.text();
      const isServed = kind === 'real' || !OF_PROCESS.has(url);
      expect(reply.status < 500 && (reply.status !== 404) === isServed, `${url}: ${reply.status}`).toBe(true);
      expect(text.toLowerCase().includes(other), url).toBe(false);
      if (text.includes(WORDS[kind])) own += 1;
      if (text.startsWith('<!doctype html>'))
        expect(text.match(BANNER)?.length ?? 0, url).toBe(kind === 'sandbox' ? 1 : 0);
    }
    // So that the walk cannot pass because nothing was found.
    expect(own).toBeGreaterThan(40);
  }, 120_000);

  test('every address of every page that links lead to stays in the application', async () => {
    const [seen, left, outside] = [new Set<string>(), ['/'], new Set<string>()];
    const mount = MOUNTS[kind];
    for (let path = left.shift(); path !== undefined; path = left.shift()) {
      const reply = await get(kind, path);
      const to = reply.headers.get('location');
      const html = await reply.text();
      expect(reply.status, path).toBeLessThan(400);
      const isPage = html.startsWith('<!doctype html>');
      const found = isPage
        ? [...html.matchAll(/ ([a-z-]+)="(\/(?!\/)[^"]*)"/g)].map(([, name = '', address = '']) => [
            name,
            address,
          ])
        : [];
      if (to !== null) found.push(['href', to]);
      for (const [name = '', address = ''] of found) {
        if (name === 'content' || name === 'value') continue; // texts
        const isOwn = mount === '' ? !address.startsWith('/sandbox') : address.startsWith(`${mount}/`);
        if (!isOwn) outside.add(`${name} ${address}`);
        const within = address.slice(mount.length).replaceAll('&amp;', '&').split('#')[0] ?? '';
        const isPlain =
          name === 'href' &&
          isOwn &&
          !/^\/api|^\/assets|answer$|[?&](?:q|from|after|cursor|tag|schema|address)=/.test(within);
        if (!isPlain || seen.has(within)) continue;
        seen.add(within);
        left.push(within);
      }
    }
    expect(seen.size).toBeGreaterThan(40);
    expect([...outside]).toEqual(kind === 'sandbox' ? ['href /'] : ['href /sandbox']);
  }, 300_000);
});

test('what a reply says about addresses is below the mount: redirects, created things, the document', async () => {
  const sent = {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'mount-1' },
    body: JSON.stringify({
      name: 'Quay',
      slug: 'quay',
      searches: [{ operation: 'microblog', prompt: 'quay', every: '1h' }],
    }),
  };
  for (const kind of ['sandbox', 'real'] as const)
    for (const replayed of [null, 'true']) {
      const made = await get(kind, '/api/v1/topics', sent);
      expect(made.headers.get('idempotency-replayed')).toBe(replayed);
      expect([made.status, made.headers.get('location')]).toEqual([
        201,
        `${MOUNTS[kind]}/api/v1/topics/quay`,
      ]);
    }
  await renameTopic(worlds.sandbox.ctx, 'quay', { slug: 'wharf' });
  expect(await (await get('sandbox', '/topics/quay?range=7d')).text()).toContain('/sandbox/topics/wharf/');
  expect(await (await get('sandbox', '/api/v1/topics/quay')).json()).toMatchObject({ slug: 'wharf' });
  expect((await get('real', '/topics/quay')).status).toBe(200);

  for (const kind of ['sandbox', 'real'] as const) {
    const document: unknown = await (await get(kind, '/openapi.json')).json();
    expect(document).toMatchObject({ servers: [{ url: MOUNTS[kind] === '' ? '/' : MOUNTS[kind] }] });
    expect(await (await get(kind, '/docs?tag=topics')).text()).toContain(
      `${web.url}${MOUNTS[kind]}/api/v1/topics`,
    );
  }
});

test.each([
  ['/sandbox', 200],
  ['/sandbox/', 200],
  ['/sandbox?sort=name', 200],
  ['/sandbox/sandbox', 404],
  ['/sandbox//topics/pier', 404],
  ['/sandboxes', 404],
  ['/%73andbox/topics/pier', 404],
  ['/sandbox/%00', 400],
  ['/sandbox/api/v1/nothing', 404],
  ['/sandbox/metrics', 404],
  ['/sandbox/livez', 404],
  ['/sandbox/readyz?verbose', 404],
  ['/readyz', 200],
])('%s gets %i', async (path, status) => {
  const reply = await fetch(`${web.url}${path}`);
  expect(reply.status).toBe(status);
  await reply.body?.cancel();
});

test('the System page of the sandbox lists no public source as asked', async () => {
  const [real, sandbox] = await Promise.all(
    (['real', 'sandbox'] as const).map(async (kind) => (await get(kind, '/system')).text()),
  );
  expect(real).toContain('Sources of your own service');
  expect(sandbox).not.toContain('Sources of your own service');
  expect(sandbox).toContain('answers are made up, and no public source is asked');
});

test('services are those of the database, and a refusal names the other way', async () => {
  const create = async (kind: Kind, service: string) => {
    const reply = await get(kind, '/api/v1/searches', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        slug: `of-${service}`,
        topic: 'pier',
        operation: 'microblog',
        prompt: 'x',
        every: '1h',
        service,
      }),
    });
    return [reply.status, await reply.text()] as const;
  };
  const [simulated, words] = await create('real', 'sandbox');
  expect(simulated).toBe(400);
  expect(words).toContain('/sandbox');
  expect((await create('sandbox', 'hosted'))[0]).toBe(400);
  expect(await (await get('real', '/new')).text()).not.toContain('value="sandbox"');
  expect((await create('sandbox', 'sandbox'))[0]).toBe(201);
});

test('each application counts requests for itself', async () => {
  const small = await serve({}, { ...UNLIMITED, perMinute: 3 });
  try {
    const statuses = async (path: string) => {
      const all: number[] = [];
      for (let n = 0; n < 4; n += 1) all.push((await fetch(`${small.url}${path}`)).status);
      return all;
    };
    expect(await statuses('/api/v1/topics')).toEqual([200, 200, 200, 429]);
    expect(await statuses('/sandbox/api/v1/topics')).toEqual([200, 200, 200, 429]);
  } finally {
    await small.close();
  }
});

test('streams of both end when the server closes, and what is malformed below the mount is refused', async () => {
  const server = await serve();
  const socket = connect(server.port, '127.0.0.1');
  socket.end('GET /sandbox/ nonsense\r\n\r\n');
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 400 [^]*application\/problem\+json/);
  const streams = await Promise.all(
    ['', '/sandbox'].map((mount) => fetch(`${server.url}${mount}/api/v1/events`)),
  );
  for (const { headers } of streams) expect(headers.get('content-type')).toContain('text/event-stream');
  const texts = streams.map((reply) => reply.text());
  await server.close();
  expect(await Promise.all(texts)).toEqual([
    expect.stringContaining('retry:'),
    expect.stringContaining('retry:'),
  ]);
});

test('only the empty overview and the System page of real data lead to the sandbox', async () => {
  const empty = await makeWorld({ hosted: stub.url, env: { PORT: '0' } });
  const sample = () =>
    Promise.resolve({
      topic: 'pier',
      name: 'Pier <b>',
      lines: [{ at: empty.clock.now(), text: 'A gull', url: null }],
    });
  const beside = await startHttpServer({ ...homeOf(empty), sample }, WEB, {
    sandbox: homeOf(worlds.sandbox),
  });
  const alone = await startHttpServer(homeOf(empty), WEB);
  try {
    const html = await (await fetch(beside.url)).text();
    const places = ['What should be watched?', 'See a sample', '/sandbox/topics/pier', 'A gull'];
    const at = places.map((words) => html.indexOf(words));
    expect(at.every((place, i) => place > (at[i - 1] ?? 0))).toBe(true);
    expect(html).toContain('Pier &lt;b>');
    expect(await (await fetch(`${beside.url}/system`)).text()).toContain('href="/sandbox"');
    for (const path of ['/', '/system'])
      expect(await (await fetch(`${alone.url}${path}`)).text()).not.toContain('/sandbox');
    expect((await fetch(`${alone.url}/sandbox`)).status).toBe(404);
  } finally {
    await beside.close();
    await alone.close();
    await empty.close();
  }
});

// Last: with a token, nobody on this machine is let in without one.
describe('visitors of a server that is reachable from elsewhere', () => {
  let open: WebServer;
  let keys: Record<Kind, string>;
  beforeAll(async () => {
    const make = async (kind: Kind) =>
      (await createToken(worlds[kind].ctx, { name: 'same', scopes: ['admin'] }, OPERATOR)).key;
    keys = { real: await make('real'), sandbox: await make('sandbox') };
    const http = { ...worlds.real.ctx.config.http, baseUrl: 'https://watch.example' };
    const home = (kind: Kind): RouteContext => {
      const { ctx, ...rest } = homeOf(worlds[kind]);
      return { ...rest, ctx: { ...ctx, config: { ...ctx.config, http } } };
    };
    open = await startHttpServer(home('real'), WEB, { limits: UNLIMITED, sandbox: home('sandbox') });
  });
  afterAll(() => open.close());

  const ask = (path: string, cookie = '', form?: Record<string, string>) =>
    fetch(`${open.url}${path}`, {
      redirect: 'manual',
      headers: { cookie, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) },
      ...(form && { method: 'POST', body: new URLSearchParams(form).toString() }),
    });
  const formTokenAt = async (path: string, cookie = '') =>
    /name="form_token" value="([^"]+)"/.exec(await (await ask(path, cookie)).text())?.[1] ?? 'none';
  const signIn = async (mount: string, token: string) => {
    const form_token = await formTokenAt(`${mount}/sign-in`);
    const reply = await ask(`${mount}/sign-in`, '', { form_token, token, next: '/system' });
    return { to: reply.headers.get('location'), set: reply.headers.getSetCookie(), status: reply.status };
  };

  test('a token, a session and a form of one application are nothing to the other', async () => {
    const turnedAway = await ask('/sandbox/topics/pier');
    expect([turnedAway.status, turnedAway.headers.get('location')]).toEqual([
      303,
      '/sandbox/sign-in?next=%2Ftopics%2Fpier',
    ]);
    expect((await signIn('/sandbox', keys.real)).status).toBe(403);
    expect((await signIn('', keys.sandbox)).status).toBe(403);
    const real = await signIn('', keys.real);
    const sandbox = await signIn('/sandbox', keys.sandbox);
    expect([real.to, sandbox.to]).toEqual(['/system', '/sandbox/system']);
    expect(real.set).toEqual([expect.stringMatching(/^__Host-strandline=[^;]+;.* Path=\/;/)]);
    expect(sandbox.set).toEqual([
      expect.stringMatching(/^__Secure-strandline-sandbox=[^;]+;.* Path=\/sandbox;/),
    ]);
    const cookies = { real: real.set[0]?.split(';')[0] ?? '', sandbox: sandbox.set[0]?.split(';')[0] ?? '' };
    expect((await ask('/system', cookies.real)).status).toBe(200);
    expect((await ask('/sandbox/system', cookies.sandbox)).status).toBe(200);
    expect((await ask('/sandbox/system', cookies.real)).status).toBe(303);
    expect((await ask('/system', cookies.sandbox)).status).toBe(303);
    // The secret of one session under the name of the other.
    const [, secret = ''] = cookies.sandbox.split('=');
    expect((await ask('/system', `__Host-strandline=${secret}`)).status).toBe(303);
    // A form of one application, sent to the other by somebody who is signed in to both.
    const both = `${cookies.sandbox}; ${cookies.real}`;
    const form_token = await formTokenAt('/sandbox/new', both);
    expect((await ask('/topics/pier/pause', both, { form_token })).status).toBe(403);
    const paused = await ask('/sandbox/topics/pier/pause', both, { form_token });
    expect([paused.status, paused.headers.get('location')]).toEqual([303, '/sandbox/topics/pier']);
    const flash = paused.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ');
    expect(await (await ask('/topics/pier', `${both}; ${flash}`)).text()).not.toContain('Paused. Queued');
    expect(await (await ask('/sandbox/topics/pier', `${both}; ${flash}`)).text()).toContain('Paused. Queued');
    const out = await ask('/sandbox/sign-out', both, { form_token });
    expect(out.headers.get('location')).toBe('/sandbox/sign-in');
    expect((await ask('/system', both)).status).toBe(200);
  });
});
