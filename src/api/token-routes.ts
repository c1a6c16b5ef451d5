import { z } from 'zod';
import { SCOPES, type Visitor } from '../monitor/access/visitor-scopes.ts';
import {
  createToken,
  listTokens,
  MAX_GRACE_SECONDS,
  findOwnToken,
  revokeToken,
  rotateToken,
} from '../monitor/access/manage-tokens.ts';
import { idShape, timeShape } from '../store/row-shapes.ts';
import type { App, RouteContext } from '../monitor/http/route-types.ts';
import { createIdCursor, defineListQuery, defineListReply, emptyQuery } from './pagination.ts';
import { idParam, textParam, timeParam } from './request-shapes.ts';

const tags = ['tokens'];
const cursor = createIdCursor('tokens');
const params = z.strictObject({ token: idParam });

const tokenMembers = {
  id: idShape,
  prefix: z.string().describe('The eight characters that name it.'),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)).describe('What it may do.'),
  created_at: timeShape,
  last_used_at: timeShape.nullable().describe('Null: never.'),
  expires_at: timeShape.nullable().describe('Null: it does not end by itself.'),
  revoked_at: timeShape.nullable().describe('Null: it was not revoked.'),
  rotating_until: timeShape
    .nullable()
    .describe(
      'Until when the key before the present one works, too; null: it was not rotated, or not with a grace.',
    ),
};
const Token = z.object(tokenMembers).meta({ id: 'Token' });
const NewToken = z
  .object({
    ...tokenMembers,
    key: z
      .string()
      .nullable()
      .describe('The token itself, shown this once; null in a reply that is replayed.'),
  })
  .meta({ id: 'NewToken' });

const OwnToken = z
  .object({
    kind: z
      .enum(['token', 'session', 'local'])
      .describe(
        'How you came: with a token, signed in with one, or from this machine while no token exists.',
      ),
    scopes: z.array(z.enum(SCOPES)).describe('What you may do, with what it implies.'),
    token: Token.nullable().describe('The token; null for local.'),
  })
  .meta({ id: 'OwnToken' });

const rotationBody = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .default(0)
      .describe('How long the former key works, too: at most 7 days. 0: it ends at once.'),
  })
  .meta({ examples: [{ grace_seconds: 3600 }] });

const newTokenBody = z
  .strictObject({
    name: textParam(60).min(1).describe('What it is for.'),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
    expires_at: timeParam.nullable().optional().describe('Null or left out: it does not end by itself.'),
  })
  .meta({ examples: [{ name: 'reports', scopes: ['read'], expires_at: '2030-01-01T00:00:00Z' }] });

export function tokenRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/tokens',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listTokens',
        summary: 'Tokens, the newest first, also those that open nothing any more',
        description: 'Tokens are shown without their secrets, also those that were revoked or have expired.',
        tags,
        querystring: defineListQuery(cursor, {}),
        response: { 200: defineListReply(Token) },
      },
    },
    async ({ query }) => {
      const { limit, after, reply } = cursor.pageOf(query);
      const rows = await listTokens(ctx, { limit: limit + 1, before: after?.[0] });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.post(
    '/api/v1/tokens',
    {
      config: { scope: 'admin', idempotent: { secret: 'key' } },
      schema: {
        operationId: 'createToken',
        summary: 'Make a token; from then on everybody needs one',
        description:
          'The key is only in this reply. A token can have no scope that its creator lacks. Once a token exists, every request needs one.',
        tags,
        querystring: emptyQuery,
        body: newTokenBody,
        response: { 201: NewToken },
      },
    },
    async ({ body, visitor, acting }, reply) =>
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(await createToken(acting, body, visitor)),
  );

  app.get(
    '/api/v1/token',
    {
      config: { scope: 'read' },
      schema: {
        operationId: 'getOwnToken',
        summary: 'Who you are: the token that asks, and what it may do',
        description: 'Where no token exists everybody on this machine has every scope, and no token.',
        tags,
        querystring: emptyQuery,
        response: { 200: OwnToken },
      },
    },
    async ({ visitor }) => ({
      kind: getVisitorKind(visitor),
      scopes: SCOPES.filter((scope) => visitor.scopes.has(scope)),
      token: await findOwnToken(ctx, visitor),
    }),
  );

  app.post(
    '/api/v1/tokens/:token/rotate',
    {
      config: { scope: 'admin', idempotent: { secret: 'key' } },
      schema: {
        operationId: 'rotateToken',
        summary: 'Give a token another key; its name, scopes and end stay',
        description:
          'The new key is shown in this reply and never again. The former one works for grace_seconds more. Sessions that ' +
          'were begun with it end with it.',
        tags,
        params,
        querystring: emptyQuery,
        body: rotationBody,
        response: { 200: NewToken },
      },
    },
    async ({ params: { token }, body, acting }, reply) =>
      reply.header('cache-control', 'no-store').send(await rotateToken(acting, token, body.grace_seconds)),
  );

  app.delete(
    '/api/v1/tokens/:token',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'revokeToken',
        summary: 'Close a token for good, and every session that was begun with it',
        description: 'It is refused at once, and sessions that were begun with it end. Its row stays listed.',
        tags,
        params,
        querystring: emptyQuery,
        response: { 200: Token },
      },
    },
    ({ params: { token }, acting }) => revokeToken(acting, token),
  );
}

/** Nobody else passes the gate of a route with a scope. */
function getVisitorKind({ kind }: Visitor): 'token' | 'session' | 'local' {
  if (kind === 'nobody') throw new Error('a visitor without a scope passed the gate');
  return kind;
}
