/** `token`, for the API and the dashboard, and `service key`, for the search service: create, list, rotate, revoke. */

import {
  createServiceKey,
  createToken,
  isTokenActive,
  listTokens,
  OPERATOR,
  revokeKey,
  revokeToken,
  rotateKey,
  rotateToken,
  type Token,
} from '../monitor/access/manage-tokens.ts';
import { SCOPES } from '../monitor/access/visitor-scopes.ts';
import { hasTokens, readTokens, type TokenRow } from '../store/tokens.ts';
import type { Cli } from './command-context.ts';
import { MAX_LIMIT, parseChoice, parseGraceSeconds, parseUntil } from './option-values.ts';
import type { TerminalPage } from './terminal-io.ts';
import { type Column, renderTable } from './terminal-table.ts';
import { formatInstant } from './value-formatting.ts';
import type { Command } from 'commander';

type CreateOptions = { name: string; scope: string; expires?: string; json?: boolean };

export function registerToken(token: Command, cli: Cli): void {
  token.description(
    'Tokens of the API and the dashboard: create, list, rotate, revoke. While there is none, whoever is on this machine ' +
      'may do everything, and nobody else can come in.',
  );

  token
    .command('create')
    .description('make a token; it is shown once and never again')
    .option('--name <name>', 'who or what it is for', 'unnamed')
    .option('--scope <list>', `what it may do, with commas: ${SCOPES.join(', ')}`, 'read')
    .option('--expires <when>', 'when it ends: 90d, or a time such as 2027-03-01; never, where left out')
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
          `the token ${made.prefix} ("${made.name}": ${made.scopes.join(', ')}${end}) is shown this once; ` +
            'from now on the API and the dashboard ask for a token',
        );
        // Whoever was on this machine could do everything until now.
        if (first && scopes.every((granted) => granted === 'read'))
          cli.page.say('it may only read; for yourself: strandline token create --name NAME --scope admin');
      }),
    );

  token
    .command('list')
    .description('list tokens by the part that names them')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const rows = await listTokens(ctx, { limit: MAX_LIMIT });
        if (!(await hasTokens(ctx.db)))
          cli.page.say('no token opens anything: whoever is on this machine may do everything');
        await cli.show(json, rows, () =>
          renderTable(rows, tokenColumns(cli.page, ctx.clock.now()), cli.page),
        );
      }),
    );

  token
    .command('rotate')
    .description('give a token another key, printed once; its name, scopes and end stay')
    .argument('<token>', 'the part that names it, or its id; see: token list')
    .option('--grace <time>', 'how long the former key works too, such as 30m, 12h or 7d', '0')
    .option('--json', 'print JSON')
    .action((given: string, { grace, json }: { grace: string; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const { key, ...row } = await rotateToken(ctx, given, parseGraceSeconds(grace));
        await cli.show(json, { ...row, token: key }, () => [key]);
        cli.page.say(describeRotation(row, cli.page));
      }),
    );

  token
    .command('revoke')
    .description('close a token at once, and every session that was begun with it')
    .argument('<token>', 'the part that names it, or its id; see: token list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await revokeToken(ctx, given);
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${formatInstant(row.revoked_at, cli.page)}`);
        if (!(await hasTokens(ctx.db)))
          cli.page.say('it was the last one: from now on whoever is on this machine may do everything again');
      }),
    );
}

function tokenColumns(page: TerminalPage, now: Date): Column<Token>[] {
  return [
    { head: 'token', cell: ({ prefix }) => prefix },
    { head: 'name', cell: ({ name }) => name, elastic: 1, drop: 3 },
    { head: 'scopes', cell: ({ scopes }) => scopes.join(',') },
    { head: 'made', cell: ({ created_at }) => formatInstant(created_at, page), drop: 1 },
    { head: 'last used', cell: ({ last_used_at }) => formatInstant(last_used_at, page), drop: 2 },
    {
      head: 'ends',
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
  const key = service.command('key').description('Keys of the search service: create, list, rotate, revoke.');

  key
    .command('create')
    .description('make a key; it is shown once and never again')
    .option('--name <name>', 'who it is for', 'unnamed')
    .option('--json', 'print JSON')
    .action(({ name, json }: { name: string; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await createServiceKey(ctx, { name });
        await cli.show(json, row, () => [row.key]);
        cli.page.say(
          `the key ${row.prefix} ("${row.name}") is shown this once; keep it where secrets are kept`,
        );
      }),
    );

  key
    .command('list')
    .description('list keys by the part that names them')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const rows = await readTokens(ctx.db, 'service', { limit: MAX_LIMIT });
        if (rows.length === 0) cli.page.say('no keys; make one: strandline service key create');
        await cli.show(json, rows, () => renderTable(rows, serviceKeyColumns(cli.page), cli.page));
      }),
    );

  key
    .command('rotate')
    .description('give a key another secret, printed once; its name stays')
    .argument('<key>', 'the part that names it, or its id; see: service key list')
    .option('--grace <time>', 'how long the former one works too, such as 30m, 12h or 7d', '0')
    .option('--json', 'print JSON')
    .action((given: string, { grace, json }: { grace: string; json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await rotateKey(ctx, 'service', given, parseGraceSeconds(grace));
        await cli.show(json, row, () => [row.key]);
        cli.page.say(describeRotation(row, cli.page));
      }),
    );

  key
    .command('revoke')
    .description('close a key; whoever uses it is refused within seconds')
    .argument('<key>', 'the part that names it, or its id; see: service key list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withProgram(async ({ ctx }) => {
        const row = await revokeKey(ctx, 'service', given);
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${formatInstant(row.revoked_at, cli.page)}`);
      }),
    );
}

/** @param row after its key was replaced */
function describeRotation(
  { prefix, name, rotating_until: until }: Pick<TokenRow, 'prefix' | 'name' | 'rotating_until'>,
  page: TerminalPage,
): string {
  const former =
    until === null
      ? 'the former one no longer works'
      : `the former one works until ${formatInstant(until, page)}`;
  return `the new key of ${prefix} ("${name}") is shown this once; ${former}`;
}

function serviceKeyColumns(page: TerminalPage): Column<TokenRow>[] {
  return [
    { head: 'key', cell: ({ prefix }) => prefix },
    { head: 'name', cell: ({ name }) => name, elastic: 1, drop: 2 },
    { head: 'made', cell: ({ created_at }) => formatInstant(created_at, page), drop: 1 },
    { head: 'last used', cell: ({ last_used_at }) => formatInstant(last_used_at, page) },
    {
      head: 'revoked',
      cell: ({ revoked_at }) => (revoked_at === null ? '' : formatInstant(revoked_at, page)),
      paint: (shown) => page.colors.red(shown),
    },
  ];
}
