/** Input and replies of operations on tokens. Pure. */
import { z } from 'zod';
import { idOrPrefixParam, idShape, textParam, timeParam, timeShape } from '../../model/value-shapes.ts';
import { commandWords } from '../operation.ts';
import { MAX_GRACE_SECONDS } from '../typed-values.ts';
import { SCOPES } from './visitor-scopes.ts';

const MAX_TOKEN_NAME = 60;

const EXPECTED_NAME = `1 to ${MAX_TOKEN_NAME} characters`;
const name = textParam(MAX_TOKEN_NAME, EXPECTED_NAME)
  .trim()
  .min(1, EXPECTED_NAME)
  .describe('User or purpose.')
  .default('unnamed');

const graceSeconds = z
  .int()
  .min(0)
  .max(MAX_GRACE_SECONDS)
  .default(0)
  .describe('Seconds for which the previous secret also works, at most 7 days. 0: ends immediately.')
  .register(commandWords, {
    flag: '--grace <time>',
    help: 'how long the old secret stays valid, such as 30m, 12h or 7d (default: 0)',
    read: 'grace',
    expected: '0, or a duration of at most 7d such as 30m, 12h or 7d',
  });

export const newToken = z
  .strictObject({
    name,
    scopes: z
      .array(z.enum(SCOPES))
      .min(1)
      .max(SCOPES.length)
      .describe('Permissions.')
      .default(['read'])
      .register(commandWords, { flag: '--scope <list>', help: 'scopes, comma-separated' }),
    expires_at: timeParam
      .nullable()
      .optional()
      .describe('Expiry. Null or omitted: does not expire.')
      .register(commandWords, {
        flag: '--expires <when>',
        help: 'expiry: 90d, or a time such as 2027-03-01 (default: never)',
        read: 'expiry',
        expected: 'a time in the future such as 2027-03-01 (UTC), or a duration of at most 3660d such as 90d',
      }),
  })
  .meta({ examples: [{ name: 'reports', scopes: ['read'], expires_at: '2030-01-01T00:00:00Z' }] });

const named = idOrPrefixParam.meta({ description: 'Id or prefix of a token.', examples: ['1'] });
export const namedToken = z.strictObject({
  token: named.register(commandWords, { argument: 'token', help: 'token prefix or id; see: token list' }),
});
export const rotatedToken = z
  .strictObject({ ...namedToken.shape, grace_seconds: graceSeconds })
  .meta({ examples: [{ grace_seconds: 3600 }] });

export const newKey = z.strictObject({ name }).meta({ examples: [{ name: 'partner' }] });
export const namedKey = z.strictObject({
  key: named
    .meta({ description: 'Id or prefix of a key.', examples: ['3'] })
    .register(commandWords, { argument: 'key', help: 'key prefix or id; see: service key list' }),
});
export const rotatedKey = z
  .strictObject({ ...namedKey.shape, grace_seconds: graceSeconds })
  .meta({ examples: [{ grace_seconds: 3600 }] });

const members = {
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
const key = z.string().nullable().describe('The token itself, shown once; null in a replayed reply.');
export const Token = z.object(members).meta({ id: 'Token' });
export const NewToken = z.object({ ...members, key }).meta({ id: 'NewToken' });
const keyMembers = { ...members, scopes: z.array(z.string()).describe('None.') };
export const ServiceKey = z.object(keyMembers).meta({ id: 'ServiceKey' });
export const NewServiceKey = z.object({ ...keyMembers, key }).meta({ id: 'NewServiceKey' });

export const OwnToken = z
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
