/** The deployed image: built, run as docker-compose.yml runs it, and every page of it opened. */
import { access, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { WEB } from '../../src/app/web-server.ts';
import { SAMPLE_TOPIC } from '../../src/service/sandbox/simulated-topic.ts';
import { freePort } from '../redis.ts';
import { until } from '../processes.ts';
import { openStand } from '../web/access/stand.ts';
import { buildImage, type Container, findDriver, type Image, startContainer } from './image.ts';

/** Two installations by npm and the compiler, on a machine that does other things as well. */
const BUILD_MS = 12 * 60_000;
const START_MS = 120_000;

/** The topic that is created here, beside the sample topic. */
const TOPIC = { slug: 'harbour-ferry', prompt: 'harbour ferry' };
const TOPIC_SLUG = new RegExp([TOPIC, SAMPLE_TOPIC].map(({ slug }) => slug).join('|'));

const driver = findDriver();

describe.skipIf(driver === undefined)('the image', () => {
  let image: Image;
  let volume: string;
  beforeAll(async () => {
    image = await buildImage(driver ?? '');
    volume = await image.makeVolume();
  }, BUILD_MS);
  afterAll(() => image?.remove(), START_MS);

  test('contains the program and the files it reads, owned by root, and nothing of the build machine', async () => {
    const at = (...parts: string[]) => path.join(image.root, ...parts);
    expect((await readdir(at('app'))).toSorted()).toEqual(
      ['LICENSE', 'dist', 'healthy.sh', 'migrations', 'node_modules', 'package.json'].toSorted(),
    );
    for (const absent of ['esbuild', 'typescript', 'vitest', '.cache'])
      await expect(access(at('app/node_modules', absent)), absent).rejects.toThrow('ENOENT');
    for (const left of ['root/.npmrc', 'root/.npm', 'run/authority.pem'])
      await expect(access(at(left)), left).rejects.toThrow('ENOENT');
    expect(image.config.Env.join('\n')).not.toMatch(/npm|registry|proxy/i);
    expect(image.config.User).toBe('node');
  });

  describe('with `up` and no settings', () => {
    let container: Container;
    let door: string;
    const ask = (address: string) => fetch(new URL(address, door), { redirect: 'manual' });
    /** Addresses that were asked, and how each was answered. */
    const answered = new Map<string, number>();

    beforeAll(async () => {
      const port = String(await freePort());
      door = `http://127.0.0.1:${port}`;
      container = await startContainer(image, {
        command: ['up'],
        volume,
        env: {
          HOST: '127.0.0.1',
          PORT: port,
          SERVICE_PORT: String(await freePort()),
          // Other hosts are no part of this.
          SERVICE_SOURCES: 'sandbox',
          LOG_LEVEL: 'info',
        },
      });
      await Promise.race([
        until('it is ready', async () => (await ask('/readyz').catch(() => undefined))?.ok, START_MS),
        container.ended.then((code): never => {
          throw new Error(`it ended with ${code}:\n${container.said.join('\n')}`);
        }),
      ]);
    }, START_MS);
    afterAll(() => container?.stop(), START_MS);

    test('runs as its user, with write access only to its volume and /tmp', async () => {
      expect((await container.exec('id', '-u')).stdout.trim()).toBe('1000');
      for (const closed of ['/app/x', '/app/dist/x', '/etc/x', '/home/node/x'])
        expect((await container.exec('touch', closed)).code, closed).not.toBe(0);
      for (const open of ['/tmp/x', '/data/strandline/x'])
        expect((await container.exec('touch', open)).code, open).toBe(0);
      const { stdout } = await container.exec(
        'grep',
        '-E',
        '^(CapEff|CapBnd|NoNewPrivs)',
        '/proc/self/status',
      );
      expect(stdout.split('\n').map((line) => line.split('\t')[1])).toEqual([
        '0000000000000000',
        '0000000000000000',
        '1',
        undefined,
      ]);
    });

    test(
      'a topic is created, and its first runs succeed',
      async () => {
        const made = await container.exec(...image.config.Entrypoint, 'watch', '--sandbox', TOPIC.prompt);
        expect(made, made.stderr).toMatchObject({ code: 0 });
        const page = z.object({ items: z.array(z.object({ status: z.string() })) });
        await until(
          'its runs succeed',
          async () => {
            const reply = await ask(`/sandbox/api/v1/runs?topic=${TOPIC.slug}&status=succeeded`);
            return page.parse(await reply.json()).items.length >= 2;
          },
          START_MS,
        );
        const channel = await fetch(new URL('/sandbox/api/v1/channels', door), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ slug: 'ops', webhook: 'https://93.184.216.34/hook' }),
        });
        expect(channel.status, await channel.clone().text()).toBe(201);
        const rule = await fetch(new URL('/sandbox/api/v1/rules', door), {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            slug: 'ferries',
            name: 'Ferries',
            topic: TOPIC.slug,
            channels: ['ops'],
          }),
        });
        expect(rule.status, await rule.clone().text()).toBe(201);
      },
      START_MS,
    );

    test(
      'every page link resolves',
      async () => {
        const waiting = [
          '/',
          '/sign-in',
          '/openapi.json',
          '/metrics',
          '/livez',
          '/readyz',
          '/readyz?verbose',
        ];
        /** One of each kind of page is asked for: others differ in their rows only. */
        const kinds = new Set<string>();
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          if (answered.has(next)) continue;
          const reply = await ask(next);
          answered.set(next, reply.status);
          const text = await reply.text();
          if (reply.headers.get('content-type')?.startsWith('text/html') !== true) continue;
          for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"#]+)/g)) {
            const url = new URL(href.replaceAll('&amp;', '&'), new URL(next, door));
            if (url.origin !== new URL(door).origin || /^(\/sandbox)?\/api\//.test(url.pathname)) continue;
            const address = url.pathname + url.search;
            const kind = address
              .replaceAll(/\d+/g, '0')
              .replaceAll(/=[^&]*/g, '')
              .replace(TOPIC_SLUG, ':topic');
            if (kinds.has(kind) || answered.has(address) || waiting.includes(address)) continue;
            kinds.add(kind);
            waiting.push(address);
          }
        }
        const wrong = [...answered].filter(([, status]) => status !== 200 && status !== 303);
        expect(wrong, container.said.slice(-20).join('\n')).toEqual([]);
        expect(answered.size).toBeGreaterThan(40);
        expect(answered.get('/explore/sql')).toBe(200);
      },
      START_MS,
    );

    test(
      'every route responds, including those that no page links to',
      async () => {
        const stand = await openStand();
        const { routeTable } = await stand.serve(WEB);
        await stand.close();
        const routes = routeTable.filter(({ method }) => method === 'GET').map(({ url }) => url);
        expect(routes.length).toBeGreaterThan(60);
        // What an empty real database has no page for, the sandbox has.
        const asked = [...answered.keys()].map(
          (address) => (address.split('?')[0] ?? '').replace(/^\/sandbox(?=\/|$)/, '') || '/',
        );
        const failed: string[] = [];
        const unseen: string[] = [];
        for (const route of routes) {
          const pattern = new RegExp(`^${route.replace(/:\w+(\([^)]*\))?/g, '[^/]+').replace('*', '.+')}$`);
          if (asked.some((address) => pattern.test(address))) continue;
          if (!route.startsWith('/api/')) unseen.push(route);
          const reply = await ask(route.replace(/:\w+(\([^)]*\))?/g, '1').replace('*', 'x'));
          await reply.body?.cancel();
          if (reply.status >= 500) failed.push(`${route}: ${reply.status}`);
        }
        expect(failed, container.said.slice(-20).join('\n')).toEqual([]);
        // Asked for by scripts, by a form, or under another name, or not there before something was found or sent, before a second answer, without a feed, or without a link to share.
        expect(
          unseen.filter(
            (route) =>
              !/forecast|readyz|selection|deliveries|digests\/:|dismissed|completions|^\/shared\/|^\/feeds\/|^\/feed\.rss/.test(
                route,
              ),
          ),
        ).toEqual([]);
      },
      START_MS,
    );

    test('a reader query returns rows, with examples next to it', async () => {
      const page = await (await ask('/explore/sql')).text();
      expect(page).toContain('Use this query');
      const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(page) ?? [];
      const reply = await fetch(new URL('/explore/sql', door), {
        method: 'POST',
        headers: { origin: door, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ form_token: token, sql: `select 'harbour ' || 40 + 2 as found` }),
      });
      expect(await reply.text()).toContain('harbour 42');
    });

    test('the health check of docker-compose.yml passes, fails on another port, and the log has no error', async () => {
      const healthy = (...args: string[]) => container.exec('bash', '/app/healthy.sh', ...args);
      const { port } = new URL(door);
      expect(await healthy(port)).toMatchObject({ code: 0 });
      expect(await healthy(port, '/livez')).toMatchObject({ code: 0 });
      expect(await healthy(port, '/nowhere')).toMatchObject({ code: 1 });
      expect(await healthy('9')).toMatchObject({ code: 1 });
      const logged = z.object({ level: z.string() });
      const lines = container.said.filter((line) => line.startsWith('{'));
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter((line) => /error|fatal/.test(logged.parse(JSON.parse(line)).level))).toEqual([]);
      expect(container.said.join('\n')).not.toMatch(/ENOENT|EROFS|EACCES|Warning:/);
    });

    test(
      'drains on SIGTERM',
      async () => {
        expect(await container.stop(), container.said.slice(-5).join('\n')).toBe(0);
      },
      START_MS,
    );
  });

  test(
    'is one container for one person: `up --create-token` shows a token once, and is healthy',
    async () => {
      const port = String(await freePort());
      const own = await image.makeVolume();
      const start = () =>
        startContainer(image, {
          command: ['up', '--create-token'],
          volume: own,
          env: {
            PORT: port,
            SERVICE_PORT: '0',
            METRICS_PORT: '9',
            SERVICE_SOURCES: 'sandbox',
          },
        });
      const first = await start();
      const healthy = async (container: Container) =>
        until(
          'it is healthy',
          async () => (await container.exec(...image.config.Healthcheck.Test.slice(1))).code === 0,
          START_MS,
        );
      try {
        await healthy(first);
        const [key = ''] = first.said.join('\n').match(/st_\w+/) ?? [];
        const status = async (headers: Record<string, string>) =>
          (await fetch(`http://127.0.0.1:${port}/api/v1/topics`, { headers })).status;
        expect([await status({}), await status({ authorization: `Bearer ${key}` })]).toEqual([401, 200]);
      } finally {
        expect(await first.stop(), first.said.slice(-5).join('\n')).toBe(0);
      }
      const second = await start();
      try {
        await healthy(second);
        expect(second.said.join('\n')).not.toMatch(/st_\w/);
      } finally {
        await second.stop();
      }
    },
    2 * START_MS,
  );

  test(
    'runs a worker by default, and its own health check passes',
    async () => {
      expect(image.config.Cmd).toEqual(['worker']);
      const port = String(await freePort());
      const container = await startContainer(image, {
        command: image.config.Cmd,
        volume,
        env: { METRICS_PORT: port, STRANDLINE_DATA_DIR: '/data/strandline', SERVICE_SOURCES: 'sandbox' },
      });
      try {
        const [kind, ...check] = image.config.Healthcheck.Test;
        expect(kind).toBe('CMD');
        await until('it is healthy', async () => (await container.exec(...check)).code === 0, START_MS);
        expect(await container.stop(), container.said.slice(-5).join('\n')).toBe(0);
      } catch (error) {
        throw new Error(container.said.slice(-20).join('\n'), { cause: error });
      } finally {
        await container.stop();
      }
    },
    START_MS * 2,
  );
});
