/** A server with its own database and a few routes of every kind, for tests of access. */
import { z } from 'zod';
import type { Limits } from '../../../src/monitor/http/server-limits.ts';
import { buildHttpServer, type ServerRoutes } from '../../../src/app/http-server.ts';
import type { App, RouteContext } from '../../../src/monitor/http/route-types.ts';
import { InvalidInput, Refused, RunError } from '../../../src/model/errors.ts';
import { createToken, OPERATOR } from '../../../src/monitor/access/manage-tokens.ts';
import type { Scope } from '../../../src/monitor/access/visitor-scopes.ts';
import { makeWorld, type World, type WorldOptions } from '../../world.ts';

export type Stand = {
  world: World;
  home: RouteContext;
  /** A server of this test's own; closed with the stand. */
  serve(doors?: ServerRoutes, limits?: Partial<Limits>): Promise<App>;
  token(...scopes: Scope[]): Promise<string>;
  close(): Promise<void>;
};

/** Routes that say what they were given, one of each kind. */
export const PROBES: ServerRoutes = {
  api: [
    (app) => {
      app.get('/api/v1/things', { config: { scope: 'read' } }, ({ visitor }) => ({
        kind: visitor.kind,
        id: 12345678901234567890n,
        scopes: [...visitor.scopes],
      }));
      app.post(
        '/api/v1/things',
        { schema: { body: z.strictObject({ prompt: z.string().min(2) }) }, config: { scope: 'write' } },
        ({ body }) => body,
      );
      app.post(
        '/api/v1/choice',
        {
          schema: {
            body: z.strictObject({
              kind: z.enum(['posts', 'links']),
              n: z.int(),
              own: z.string('a name of ours').optional(),
              size: z
                .literal('')
                .or(z.enum(['small', 'large']))
                .or(z.literal(7))
                .optional(),
            }),
          },
          config: { scope: 'write' },
        },
        ({ body }) => body,
      );
      app.post('/api/v1/anything', { config: { scope: 'write' } }, ({ body }) => ({ body: body ?? null }));
      app.post('/api/v1/things/run', { config: { scope: ['write', 'run'] } }, () => ({ ran: true }));
      app.post('/api/v1/others/run', { config: { scope: 'run' } }, () => ({ ran: true }));
      app.get('/api/v1/tokens', { config: { scope: 'admin' } }, () => ({ items: [] }));
      app.get(
        '/api/v1/search/:id',
        {
          schema: {
            querystring: z.strictObject({ limit: z.coerce.number().int().max(200).default(50) }),
            params: z.object({ id: z.string().regex(/^\d+$/, 'an id') }),
          },
          config: { scope: 'read' },
        },
        ({ query }) => query,
      );
      app.get('/api/v1/fails/:how', { config: { scope: 'read' } }, ({ params }) => {
        throw ERRORS[(params as { how: string }).how]; // a path of one part
      });
    },
  ],
  pages: [
    (app) => {
      app.get('/', { config: { scope: 'read' } }, ({ formToken }, reply) =>
        reply.type('text/html; charset=utf-8').send(`<p>${formToken}</p>`),
      );
      app.get('/explore', { config: { scope: 'read' } }, (_request, reply) =>
        reply.type('text/html').send(''),
      );
      app.post('/new', { config: { scope: 'write' } }, ({ body }) => body);
      app.get('/sign-in', { config: { scope: 'open' } }, (_request, reply) => reply.send('sign in'));
    },
  ],
};

/** What a route may throw, by name. */
export const ERRORS: Readonly<Record<string, unknown>> = {
  invalid: new InvalidInput([{ path: 'cron', given: 'x', expected: 'five fields' }]),
  missing: new Refused('not_found', 'there is no such topic'),
  conflict: new Refused('conflict', 'the search is removed'),
  away: Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:5432'), { code: 'ECONNREFUSED' }),
  tooLong: Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' }),
  noConnection: new Error('Failed query', { cause: new Refused('unavailable', 'requests of others hold') }),
  slow: new RunError('rate_limited', { retryAfterMs: 7_000 }),
  upstream: new RunError('upstream_5xx', { detail: 'we are down' }),
  late: new RunError('timeout_body'),
  ours: new Error('the secret path /var/lib/strandline'),
};

export async function openStand(options: WorldOptions = {}): Promise<Stand> {
  const world = await makeWorld(options);
  // Of a home only the context is asked for here, and by the figures how sources are: there are none.
  const home = { ctx: world.ctx, services: { health: () => Promise.resolve([]) } } as unknown as RouteContext;
  const opened: App[] = [];
  return {
    world,
    home,
    serve: async (doors = PROBES, limits) => {
      const app = await buildHttpServer(home, doors, limits);
      opened.push(app);
      return app;
    },
    token: async (...scopes) => (await createToken(world.ctx, { name: 'of a test', scopes }, OPERATOR)).key,
    close: async () => {
      await Promise.all(opened.map((app) => app.close()));
      await world.close();
    },
  };
}
