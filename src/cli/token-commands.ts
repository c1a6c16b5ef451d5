/** `token`, for the API and the dashboard, and `service key`, for the search service: create, list, rotate, revoke. */

import {
  createServiceKey,
  createToken,
  isTokenActive,
  listTokens,
  MAX_GRACE_SECONDS,
  OPERATOR,
  revokeKey,
  revokeToken,
  rotateKey,
  rotateToken,
  type Token,
} from '../monitor/access/manage-tokens.ts';
import { parseIsoInstant, parseSpan } from '../domain/time-point.ts';
import { SECOND } from '../domain/time.ts';
import { SCOPES } from '../monitor/access/visitor-scopes.ts';
import { hasTokens, readTokens, type TokenRow } from '../store/tokens.ts';
import type { Cli } from './command-context.ts';
import { showRows } from './list-command.ts';
import { createInvalidOption, MAX_LIMIT, parseChoice } from './option-values.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderTable } from './terminal-table.ts';
import { formatInstant } from './value-formatting.ts';
import type { Command } from 'commander';

/** A time in the future: ISO 8601, or a duration from now. @throws InvalidInput also for a time in the past */
function parseUntil(path: string, given: string, now: Date): Date {
  const span = parseSpan(given) ?? 0;
  const at = span > 0 ? new Date(now.getTime() + span) : parseIsoInstant(given.trim());
  if (at === undefined || at <= now)
    throw createInvalidOption(
      path,
      given,
      'a time in the future such as 2027-03-01 (UTC), or a duration of at most 3660d such as 90d',
    );
  return at;
}

/** `0`, `30m`, `12h` or `7d` in seconds. @throws InvalidInput */
function parseGraceSeconds(given: string): number {
  if (given.trim() === '0') return 0;
  const seconds = (parseSpan(given) ?? Number.NaN) / SECOND;
  if (seconds <= MAX_GRACE_SECONDS) return seconds;
  throw createInvalidOption('grace', given, '0, or a duration of at most 7d such as 30m, 12h or 7d');
}

type CreateOptions = { name: string; scope: string; expires?: string; json?: boolean };

export function registerToken(token: Command, cli: Cli): void {
  token.description(
    'Tokens for the API and the dashboard: create, list, rotate, revoke. Until the first token exists, anyone on this ' +
      'machine has full access, and other machines have none.',
  );

  token
    .command('create')
    .description('create a token and print it once')
    .option('--name <name>', 'user or purpose', 'unnamed')
    .option('--scope <list>', `scopes, comma-separated: ${SCOPES.join(', ')}`, 'read')
    .option('--expires <when>', 'expiry: 90d, or a time such as 2027-03-01 (default: never)')
    .option('--json', 'print JSON')
    .action(({ name, scope, expires, json }: CreateOptions) =>
      cli.withProgram(async ({ ctx }) => {
        const scopes = scope.split(',').map((word) => parseChoice('scope', word, SCOPES));
        const expiresAt = expires === undefined ? null : parseUntil('expires', expires, ctx.clock.now());
        const first = !(await hasTokens(ctx.db));
        const { key, ...made } = await createToken(ctx, { name, scopes, expires_at: expiresAt }, OPERATOR);
        await cli.show(json, { ...made, token: key }, () => [key]);
        const end = made.expires_at === null ? '' : `, until ${formatInstant(made.expires_at, cli.page)}`;
        cli.page.say(
          `Token ${made.prefix} ("${made.name}": ${made.scopes.join(', ')}${end}), shown once. ` +
            'The API and the dashboard now require a token.',
        );
        // Until now, anyone on this machine had full access.
        if (first && scopes.every((granted) => granted === 'read'))
          cli.page.say(
            'This token is read-only. For full access: strandline token create --name NAME --scope admin',
          );
      }),
    );

  token
    .command('list')
    .description('list tokens')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const rows = await listTokens(ctx, { limit: MAX_LIMIT });
        if (!(await hasTokens(ctx.db)))
          cli.page.say('No tokens exist: anyone on this machine has full access.');
        await cli.show(json, rows, () =>
          renderTable(rows, tokenColumns(cli.page, ctx.clock.now()), cli.page),
        );
      }),
    );

  token
    .command('rotate')
    .description('replace the secret of a token, printed once; keeps its name, scopes and expiry')
    .argument('<token>', 'token prefix or id; see: token list')
    .option('--grace <time>', 'how long the old secret stays valid, such as 30m, 12h or 7d', '0')
    .option('--json', 'print JSON')
    .action((given: string, { grace, json }: { grace: string; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { key, ...row } = await rotateToken(ctx, given, parseGraceSeconds(grace));
        await cli.show(json, { ...row, token: key }, () => [key]);
        cli.page.say(describeRotation('secret', row, cli.page));
      }),
    );

  token
    .command('revoke')
    .description('revoke a token and its sessions immediately')
    .argument('<token>', 'token prefix or id; see: token list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await revokeToken(ctx, given);
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${formatInstant(row.revoked_at, cli.page)}`);
        if (!(await hasTokens(ctx.db)))
          cli.page.say('No tokens are left: anyone on this machine has full access again.');
      }),
    );
}

function tokenColumns(page: TerminalPage, now: Date): Column<Token>[] {
  return [
    { head: 'token', cell: ({ prefix }) => prefix },
    { head: 'name', cell: ({ name }) => name, elastic: 1, drop: 3 },
    { head: 'scopes', cell: ({ scopes }) => scopes.join(',') },
    { head: 'created', cell: ({ created_at }) => formatInstant(created_at, page), drop: 1 },
    { head: 'last used', cell: ({ last_used_at }) => formatInstant(last_used_at, page), drop: 2 },
    {
      head: 'expires',
      cell: ({ expires_at }) => (expires_at === null ? 'never' : formatInstant(expires_at, page)),
      paint: (shown, row) => (isTokenActive(row, now) ? shown : page.colors.red(shown)),
    },
    {
      head: 'revoked',
      cell: ({ revoked_at }) => (revoked_at === null ? '' : formatInstant(revoked_at, page)),
      paint: (shown) => page.colors.red(shown),
    },
  ];
}

export function registerServiceKey(service: Command, cli: Cli): void {
  const key = service
    .command('key')
    .description('Keys for the search service: create, list, rotate, revoke.');

  key
    .command('create')
    .description('create a key and print it once')
    .option('--name <name>', 'user or purpose', 'unnamed')
    .option('--json', 'print JSON')
    .action(({ name, json }: { name: string; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await createServiceKey(ctx, { name });
        await cli.show(json, row, () => [row.key]);
        cli.page.say(`Key ${row.prefix} ("${row.name}"), shown once. Store it as a secret.`);
      }),
    );

  key
    .command('list')
    .description('list keys')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const rows = await readTokens(ctx.db, 'service', { limit: MAX_LIMIT });
        const none = 'No keys. Create one: strandline service key create';
        await showRows(cli, json, rows, { columns: serviceKeyColumns(cli.page), none });
      }),
    );

  key
    .command('rotate')
    .description('replace a key, printed once; keeps its name')
    .argument('<key>', 'key prefix or id; see: service key list')
    .option('--grace <time>', 'how long the old key stays valid, such as 30m, 12h or 7d', '0')
    .option('--json', 'print JSON')
    .action((given: string, { grace, json }: { grace: string; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await rotateKey(ctx, 'service', given, parseGraceSeconds(grace));
        await cli.show(json, row, () => [row.key]);
        cli.page.say(describeRotation('key', row, cli.page));
      }),
    );

  key
    .command('revoke')
    .description('revoke a key; takes effect within seconds')
    .argument('<key>', 'key prefix or id; see: service key list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await revokeKey(ctx, 'service', given);
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${formatInstant(row.revoked_at, cli.page)}`);
      }),
    );
}

function describeRotation(
  what: 'secret' | 'key',
  { prefix, name, rotating_until: until }: Pick<TokenRow, 'prefix' | 'name' | 'rotating_until'>,
  page: TerminalPage,
): string {
  const former =
    until === null
      ? 'The old one no longer works.'
      : `The old one works until ${formatInstant(until, page)}.`;
  return `New ${what} for ${prefix} ("${name}"), shown once. ${former}`;
}

function serviceKeyColumns(page: TerminalPage): Column<TokenRow>[] {
  return [
    { head: 'key', cell: ({ prefix }) => prefix },
    { head: 'name', cell: ({ name }) => name, elastic: 1, drop: 2 },
    { head: 'created', cell: ({ created_at }) => formatInstant(created_at, page), drop: 1 },
    { head: 'last used', cell: ({ last_used_at }) => formatInstant(last_used_at, page) },
    {
      head: 'revoked',
      cell: ({ revoked_at }) => (revoked_at === null ? '' : formatInstant(revoked_at, page)),
      paint: (shown) => page.colors.red(shown),
    },
  ];
}
