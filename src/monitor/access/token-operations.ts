/** Operations on tokens of the API and the dashboard, and on keys of the search service. */
import { z } from 'zod';
import { idParam } from '../../model/value-shapes.ts';
import type { Id } from '../../store/db/database.ts';
import { readTokens } from '../../store/access/tokens.ts';
import { type Call, declareOperation } from '../operation.ts';
import {
  createServiceKey,
  createToken,
  findOwnToken,
  listTokens,
  revokeKey,
  revokeToken,
  rotateKey,
  rotateToken,
} from './manage-tokens.ts';
import {
  namedKey,
  namedToken,
  newKey,
  NewToken,
  NewServiceKey,
  newToken,
  OwnToken,
  rotatedKey,
  rotatedToken,
  ServiceKey,
  Token,
} from './token-shapes.ts';
import { SCOPES, type Visitor } from './visitor-scopes.ts';

const about = { tag: 'tokens', scope: 'admin' } as const;
const list = { cursor: z.tuple([idParam]), key: ({ id }: { id: Id }) => [id] };
const pageOf = ({ page: { limit, after } }: Call) => ({
  limit,
  before: (after as [Id] | undefined)?.[0], // as `list` declares it
});

export const TOKEN_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'createToken',
    route: 'POST /api/v1/tokens',
    command: 'token create',
    does: 'Create a token, shown once',
    more: 'Only this reply contains the secret. A token cannot have scopes that its creator lacks. Once a token exists, every request needs one.',
    input: newToken,
    output: NewToken,
    once: 'key',
    idempotent: true,
    created: true,
    run: ({ ctx, visitor }, input) => createToken(ctx, input, visitor),
  }),
  declareOperation({
    ...about,
    id: 'listTokens',
    route: 'GET /api/v1/tokens',
    command: 'token list',
    does: 'List tokens',
    more: 'Newest first, without secrets. Includes revoked and expired tokens.',
    input: z.strictObject({}),
    output: Token,
    list,
    run: (call) => listTokens(call.ctx, pageOf(call)),
  }),
  declareOperation({
    ...about,
    id: 'getOwnToken',
    route: 'GET /api/v1/token',
    scope: 'read',
    does: 'Get your own token and scopes',
    more: 'While no token exists, anyone on this machine has every scope, and `token` is null.',
    input: z.strictObject({}),
    output: OwnToken,
    run: async ({ ctx, visitor }) => ({
      kind: getVisitorKind(visitor),
      scopes: SCOPES.filter((scope) => visitor.scopes.has(scope)),
      token: await findOwnToken(ctx, visitor),
    }),
  }),
  declareOperation({
    ...about,
    id: 'rotateToken',
    route: 'POST /api/v1/tokens/{token}/rotate',
    command: 'token rotate',
    does: 'Replace the secret of a token, shown once',
    more: 'Only this reply contains the new secret. Name, scopes and expiry stay the same. The previous secret, and sessions started with it, work for another `grace_seconds`.',
    input: rotatedToken,
    output: NewToken,
    once: 'key',
    idempotent: true,
    run: ({ ctx }, { token, grace_seconds }) => rotateToken(ctx, token, grace_seconds),
  }),
  declareOperation({
    ...about,
    id: 'revokeToken',
    route: 'DELETE /api/v1/tokens/{token}',
    command: 'token revoke',
    does: 'Revoke a token and its sessions immediately',
    more: 'Cannot be undone. Ends all sessions started with the token. The token stays listed.',
    input: namedToken,
    output: Token,
    run: ({ ctx }, { token }) => revokeToken(ctx, token),
  }),
];

export const SERVICE_KEY_OPERATIONS = [
  declareOperation({
    ...about,
    id: 'createServiceKey',
    route: 'POST /api/v1/service-keys',
    command: 'service key create',
    does: 'Create a key of the search service, shown once',
    more: 'Clients of the search service send it with each request.',
    input: newKey,
    output: NewServiceKey,
    once: 'key',
    idempotent: true,
    created: true,
    run: ({ ctx }, input) => createServiceKey(ctx, input),
  }),
  declareOperation({
    ...about,
    id: 'listServiceKeys',
    route: 'GET /api/v1/service-keys',
    command: 'service key list',
    does: 'List keys of the search service',
    more: 'Newest first, without secrets. Includes revoked keys.',
    input: z.strictObject({}),
    output: ServiceKey,
    list,
    run: (call) => readTokens(call.ctx.db, 'service', pageOf(call)),
  }),
  declareOperation({
    ...about,
    id: 'rotateServiceKey',
    route: 'POST /api/v1/service-keys/{key}/rotate',
    command: 'service key rotate',
    does: 'Replace a key of the search service, shown once',
    more: 'Keeps its name. The previous key works for another `grace_seconds`.',
    input: rotatedKey,
    output: NewServiceKey,
    once: 'key',
    idempotent: true,
    run: ({ ctx }, { key, grace_seconds }) => rotateKey(ctx, 'service', key, grace_seconds),
  }),
  declareOperation({
    ...about,
    id: 'revokeServiceKey',
    route: 'DELETE /api/v1/service-keys/{key}',
    command: 'service key revoke',
    does: 'Revoke a key of the search service; takes effect within seconds',
    more: 'Cannot be undone. The key stays listed.',
    input: namedKey,
    output: ServiceKey,
    run: ({ ctx }, { key }) => revokeKey(ctx, 'service', key),
  }),
];

/** @throws Error for `nobody` and `shared`, whom the gate does not let through to a route with a scope */
function getVisitorKind({ kind }: Visitor): 'token' | 'session' | 'local' {
  if (kind === 'nobody' || kind === 'shared') throw new Error('a visitor without a scope passed the gate');
  return kind === 'command_line' ? 'local' : kind;
}
