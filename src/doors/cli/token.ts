import type { Command } from 'commander';
import {
  createToken,
  isOpen,
  listTokens,
  OPERATOR,
  revokeToken,
  rotateToken,
  type Token,
} from '../../monitor/access/tokens.ts';
import { SCOPES } from '../../monitor/access/scopes.ts';
import { hasTokens } from '../../store/tokens.ts';
import { LIMIT_MAX, readGrace, readOneOf, readUntil } from './arguments.ts';
import type { Cli } from './cli.ts';
import type { Page } from './page.ts';
import { rotatedWords } from './service-key.ts';
import { type Column, table } from './table.ts';
import { instant } from './words.ts';

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
      cli.withHome(async ({ ctx }) => {
        const scopes = scope.split(',').map((one) => readOneOf('scope', one, SCOPES));
        const expiresAt = expires === undefined ? null : readUntil('expires', expires, ctx.clock.now());
        const first = !(await hasTokens(ctx.db));
        const { key, ...made } = await createToken(ctx, { name, scopes, expires_at: expiresAt }, OPERATOR);
        await cli.show(json, { ...made, token: key }, () => [key]);
        const end = made.expires_at === null ? '' : `, until ${instant(made.expires_at, cli.page)}`;
        cli.page.say(
          `the token ${made.prefix} ("${made.name}": ${made.scopes.join(', ')}${end}) is shown this once; ` +
            'from now on the API and the dashboard ask for a token',
        );
        // Whoever was on this machine could do everything until now.
        if (first && scopes.every((one) => one === 'read'))
          cli.page.say('it may only read; for yourself: strandline token create --name NAME --scope admin');
      }),
    );

  token
    .command('list')
    .description('list tokens by the part that names them')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const rows = await listTokens(ctx, { limit: LIMIT_MAX });
        if (!(await hasTokens(ctx.db)))
          cli.page.say('no token opens anything: whoever is on this machine may do everything');
        await cli.show(json, rows, () => table(rows, columns(cli.page, ctx.clock.now()), cli.page));
      }),
    );

  token
    .command('rotate')
    .description('give a token another key, printed once; its name, scopes and end stay')
    .argument('<token>', 'the part that names it, or its id; see: token list')
    .option('--grace <time>', 'how long the former key works too, such as 30m, 12h or 7d', '0')
    .option('--json', 'print JSON')
    .action((given: string, { grace, json }: { grace: string; json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const { key, ...row } = await rotateToken(ctx, given, readGrace(grace));
        await cli.show(json, { ...row, token: key }, () => [key]);
        cli.page.say(rotatedWords(row, cli.page));
      }),
    );

  token
    .command('revoke')
    .description('close a token at once, and every session that was begun with it')
    .argument('<token>', 'the part that names it, or its id; see: token list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const row = await revokeToken(ctx, given);
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${instant(row.revoked_at, cli.page)}`);
        if (!(await hasTokens(ctx.db)))
          cli.page.say('it was the last one: from now on whoever is on this machine may do everything again');
      }),
    );
}

function columns(page: Page, now: Date): Column<Token>[] {
  return [
    { head: 'token', cell: ({ prefix }) => prefix },
    { head: 'name', cell: ({ name }) => name, elastic: 1, drop: 3 },
    { head: 'scopes', cell: ({ scopes }) => scopes.join(',') },
    { head: 'made', cell: ({ created_at }) => instant(created_at, page), drop: 1 },
    { head: 'last used', cell: ({ last_used_at }) => instant(last_used_at, page), drop: 2 },
    {
      head: 'ends',
      cell: ({ expires_at }) => (expires_at === null ? 'never' : instant(expires_at, page)),
      paint: (shown, row) => (isOpen(row, now) ? shown : page.colors.red(shown)),
    },
    {
      head: 'revoked',
      cell: ({ revoked_at }) => (revoked_at === null ? '' : instant(revoked_at, page)),
      paint: (shown) => page.colors.red(shown),
    },
  ];
}
