/** `token`, for the API and the dashboard, and `service key`, for the search service. */
import type { Command } from 'commander';
import type { Token } from '../monitor/access/manage-tokens.ts';
import type { Cli } from './command-context.ts';
import { addOperations } from './operation-commands.ts';
import { formatTime, type JsonOf, type OperationView, type ReplyColumn, type Terms } from './reply-view.ts';

type Row = JsonOf<Token>;

/** Whether it is neither revoked nor expired. */
const isActive = ({ revoked_at, expires_at }: Row, now: Date) =>
  revoked_at === null && (expires_at === null || new Date(expires_at) > now);

const red = (shown: string, _row: Row, { page }: Terms) => page.colors.red(shown);
const NAME: ReplyColumn<Row> = { of: 'name', elastic: 1, drop: 3 };
const USED: readonly ReplyColumn<Row>[] = [
  { of: 'created_at', head: 'created', drop: 1 },
  { of: 'last_used_at', head: 'last used', drop: 2 },
];
const REVOKED: ReplyColumn<Row> = {
  of: 'revoked_at',
  head: 'revoked',
  as: ({ revoked_at }, { page }) => (revoked_at === null ? '' : formatTime(revoked_at, page)),
  paint: red,
};

const isOpen = async ({ ask }: Terms) => {
  const tokens = (await ask('listTokens')) as Row[]; // as that operation replies
  return tokens.every(({ revoked_at }) => revoked_at !== null);
};

const VIEW: OperationView<Row> = {
  columns: [
    { of: 'prefix', head: 'token' },
    NAME,
    { of: 'scopes', as: ({ scopes }) => scopes.join(',') },
    ...USED,
    {
      of: 'expires_at',
      head: 'expires',
      as: ({ expires_at }, { page }) => (expires_at === null ? 'never' : formatTime(expires_at, page)),
      paint: (shown, row, terms) => (isActive(row, terms.now) ? shown : red(shown, row, terms)),
    },
    REVOKED,
  ],
  replies: {
    createToken: {
      says: async ({ prefix, name, scopes, expires_at }, { page, ask }) => {
        const end = expires_at === null ? '' : `, until ${formatTime(expires_at, page)}`;
        const tokens = (await ask('listTokens')) as Row[]; // as that operation replies
        const isFirst = tokens.filter(({ revoked_at }) => revoked_at === null).length === 1;
        return [
          `Token ${prefix} ("${name}": ${scopes.join(', ')}${end}), shown once. The API and the dashboard now require a token.`,
          // Until now, anyone on this machine had full access.
          ...(isFirst && scopes.every((scope) => scope === 'read')
            ? ['This token is read-only. For full access: strandline token create --name NAME --scope admin']
            : []),
        ];
      },
    },
    listTokens: {
      says: async (_rows, terms) =>
        (await isOpen(terms)) ? ['No tokens exist: anyone on this machine has full access.'] : [],
    },
    rotateToken: { says: (row, terms) => [describeRotation('secret', row, terms)] },
    revokeToken: {
      says: async (row, terms) => [
        describeRevocation(row, terms),
        ...((await isOpen(terms))
          ? ['No tokens are left: anyone on this machine has full access again.']
          : []),
      ],
    },
  },
};

const KEY_VIEW: OperationView<Row> = {
  columns: [{ of: 'prefix', head: 'key' }, NAME, ...USED, REVOKED],
  none: 'No keys. Create one: strandline service key create',
  replies: {
    createServiceKey: {
      says: ({ prefix, name }) => [`Key ${prefix} ("${name}"), shown once. Store it as a secret.`],
    },
    rotateServiceKey: { says: (row, terms) => [describeRotation('key', row, terms)] },
    revokeServiceKey: { says: (row, terms) => [describeRevocation(row, terms)] },
  },
};

function describeRotation(what: 'secret' | 'key', row: Row, { page }: Terms): string {
  const { prefix, name, rotating_until: until } = row;
  const former =
    until === null ? 'The old one no longer works.' : `The old one works until ${formatTime(until, page)}.`;
  return `New ${what} for ${prefix} ("${name}"), shown once. ${former}`;
}

function describeRevocation({ prefix, name, revoked_at }: Row, { page }: Terms): string {
  return `${prefix} ("${name}"): revoked ${formatTime(revoked_at, page)}`;
}

export function registerToken(token: Command, cli: Cli): void {
  token.description(
    'Tokens for the API and the dashboard: create, list, rotate, revoke. Until the first token exists, anyone on this ' +
      'machine has full access, and other machines have none.',
  );
  addOperations(token, cli, VIEW);
}

export function registerServiceKey(service: Command, cli: Cli): void {
  const key = service
    .command('key')
    .description('Keys for the search service: create, list, rotate, revoke.');
  addOperations(key, cli, KEY_VIEW);
}
