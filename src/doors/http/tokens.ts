import { z } from 'zod';
import { SCOPES } from '../../monitor/access/scopes.ts';
import { createToken, listTokens, revokeToken } from '../../monitor/access/tokens.ts';
import { idShape, timeShape } from '../../store/shapes.ts';
import type { App, WebHome } from '../routes.ts';
import { idCursor } from './cursor.ts';
import { givenId, givenText, givenTime } from './given.ts';
import { listOf, listQuery, noQuery, pageOf } from './listing.ts';

const tags = ['tokens'];
const cursor = idCursor('tokens');

const members = {
  id: idShape,
  prefix: z.string().describe('The eight characters that name it.'),
  name: z.string(),
  scopes: z.array(z.enum(SCOPES)).describe('What it may do.'),
  created_at: timeShape,
  last_used_at: timeShape.nullable().describe('Null: never.'),
  expires_at: timeShape.nullable().describe('Null: it does not end by itself.'),
  revoked_at: timeShape.nullable().describe('Null: it was not revoked.'),
};
const Token = z.object(members).meta({ id: 'Token' });
const NewToken = z
  .object({
    ...members,
    key: z
      .string()
      .nullable()
      .describe('The token itself, shown this once; null in a reply that is replayed.'),
  })
  .meta({ id: 'NewToken' });

const newToken = z
  .strictObject({
    name: givenText(60).min(1).describe('What it is for.'),
    scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
    expires_at: givenTime.nullable().optional().describe('Null or left out: it does not end by itself.'),
  })
  .meta({ examples: [{ name: 'reports', scopes: ['read'], expires_at: '2030-01-01T00:00:00Z' }] });

export function tokenRoutes(app: App, { ctx }: WebHome): void {
  app.get(
    '/api/v1/tokens',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listTokens',
        summary: 'Tokens, the newest first, also those that open nothing any more',
        tags,
        querystring: listQuery(cursor, {}),
        response: { 200: listOf(Token) },
      },
    },
    async ({ query: { limit, cursor: before } }) => {
      const rows = await listTokens(ctx, { limit: limit + 1, before: before?.[0] });
      return pageOf(rows, limit, ({ id }) => z.encode(cursor, [id]));
    },
  );

  app.post(
    '/api/v1/tokens',
    {
      config: { scope: 'admin', idempotent: { secret: 'key' } },
      schema: {
        operationId: 'createToken',
        summary: 'Make a token; from then on everybody needs one',
        tags,
        querystring: noQuery,
        body: newToken,
        response: { 201: NewToken },
      },
    },
    async ({ body, visitor }, reply) =>
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(await createToken(ctx, body, visitor)),
  );

  app.delete(
    '/api/v1/tokens/:token',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'revokeToken',
        summary: 'Close a token for good, and every session that was begun with it',
        tags,
        params: z.strictObject({ token: givenId }),
        querystring: noQuery,
        response: { 200: Token },
      },
    },
    ({ params: { token } }) => revokeToken(ctx, token),
  );
}
