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
import { operation } from './operation.ts';
import { createIdCursor, defineListQuery, defineListReply } from './pagination.ts';
import { idParam, textParam, timeParam } from './request-shapes.ts';

const tags = ['tokens'];
const cursor = createIdCursor('tokens');
const params = z.strictObject({ token: idParam });

const tokenMembers = {
  id: idShape,
  prefix: z.string().describe('The eight characters that identify the token.'),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)).describe('Permissions.'),
  created_at: timeShape,
  last_used_at: timeShape.nullable().describe('Null: never.'),
  expires_at: timeShape.nullable().describe('Null: does not expire.'),
  revoked_at: timeShape.nullable().describe('Null: not revoked.'),
  rotating_until: timeShape
    .nullable()
    .describe('End of the grace period in which the previous secret also works; null if there is none.'),
};
const Token = z.object(tokenMembers).meta({ id: 'Token' });
const NewToken = z
  .object({
    ...tokenMembers,
    key: z.string().nullable().describe('The token itself, shown once; null in a replayed reply.'),
  })
  .meta({ id: 'NewToken' });

const OwnToken = z
  .object({
    kind: z
      .enum(['token', 'session', 'local'])
      .describe(
        'token: sent with the request; session: signed in; local: from this machine while no token exists.',
      ),
    scopes: z.array(z.enum(SCOPES)).describe('Your permissions, including implied ones.'),
    token: Token.nullable().describe('Your token; null for local.'),
  })
  .meta({ id: 'OwnToken' });

const rotationBody = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(MAX_GRACE_SECONDS)
      .default(0)
      .describe('Seconds for which the previous secret also works, at most 7 days. 0: ends immediately.'),
  })
  .meta({ examples: [{ grace_seconds: 3600 }] });

const newTokenBody = z
  .strictObject({
    name: textParam(60).min(1).describe('Purpose of the token.'),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
    expires_at: timeParam.nullable().optional().describe('Expiry. Null or omitted: does not expire.'),
  })
  .meta({ examples: [{ name: 'reports', scopes: ['read'], expires_at: '2030-01-01T00:00:00Z' }] });

export function tokenRoutes(app: App, { ctx }: RouteContext): void {
  app.get(
    '/api/v1/tokens',
    operation({
      scope: 'admin',
      operationId: 'listTokens',
      summary: 'List tokens',
      description: 'Newest first, without secrets. Includes revoked and expired tokens.',
      tags,
      querystring: defineListQuery(cursor, {}),
      response: { 200: defineListReply(Token) },
    }),
    async ({ query }) => {
      const { limit, after, reply } = cursor.pageOf(query);
      const rows = await listTokens(ctx, { limit, before: after?.[0] });
      return reply(rows, ({ id }) => [id]);
    },
  );

  app.post(
    '/api/v1/tokens',
    operation({
      scope: 'admin',
      idempotent: { secret: 'key' },
      operationId: 'createToken',
      summary: 'Create a token',
      description:
        'Only this reply contains the secret. A token cannot have scopes that its creator lacks. Once a token exists, every request needs one.',
      tags,
      body: newTokenBody,
      response: { 201: NewToken },
    }),
    async ({ body, visitor, acting }, reply) =>
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(await createToken(acting, body, visitor)),
  );

  app.get(
    '/api/v1/token',
    operation({
      scope: 'read',
      operationId: 'getOwnToken',
      summary: 'Get your own token and scopes',
      description: 'While no token exists, anyone on this machine has every scope, and `token` is null.',
      tags,
      response: { 200: OwnToken },
    }),
    async ({ visitor }) => ({
      kind: getVisitorKind(visitor),
      scopes: SCOPES.filter((scope) => visitor.scopes.has(scope)),
      token: await findOwnToken(ctx, visitor),
    }),
  );

  app.post(
    '/api/v1/tokens/:token/rotate',
    operation({
      scope: 'admin',
      idempotent: { secret: 'key' },
      operationId: 'rotateToken',
      summary: 'Rotate the secret of a token',
      description:
        'Only this reply contains the new secret. Name, scopes and expiry stay the same. The previous secret, and sessions started ' +
        'with it, work for another `grace_seconds`.',
      tags,
      params,
      body: rotationBody,
      response: { 200: NewToken },
    }),
    async ({ params: { token }, body, acting }, reply) =>
      reply.header('cache-control', 'no-store').send(await rotateToken(acting, token, body.grace_seconds)),
  );

  app.delete(
    '/api/v1/tokens/:token',
    operation({
      scope: 'admin',
      operationId: 'revokeToken',
      summary: 'Revoke a token',
      description:
        'Cannot be undone. Takes effect immediately and ends all sessions started with the token. The token stays listed.',
      tags,
      params,
      response: { 200: Token },
    }),
    ({ params: { token }, acting }) => revokeToken(acting, token),
  );
}

/** @throws Error for `nobody`, whom the gate does not let through to a route with a scope */
function getVisitorKind({ kind }: Visitor): 'token' | 'session' | 'local' {
  if (kind === 'nobody') throw new Error('a visitor without a scope passed the gate');
  return kind;
}
