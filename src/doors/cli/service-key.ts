import type { Command } from 'commander';
import { createServiceKey, revokeKey, rotateKey } from '../../monitor/access/tokens.ts';
import { readTokens, type TokenRow } from '../../store/tokens.ts';
import { LIMIT_MAX, readGrace } from './arguments.ts';
import type { Cli } from './cli.ts';
import type { Page } from './page.ts';
import { type Column, table } from './table.ts';
import { instant } from './words.ts';

export function registerKey(service: Command, cli: Cli): void {
  const key = service.command('key').description('Keys of the search service: create, list, rotate, revoke.');

  key
    .command('create')
    .description('make a key; it is shown once and never again')
    .option('--name <name>', 'who it is for', 'unnamed')
    .option('--json', 'print JSON')
    .action(({ name, json }: { name: string; json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
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
      cli.withHome(async ({ ctx }) => {
        const rows = await readTokens(ctx.db, 'service', { limit: LIMIT_MAX });
        if (rows.length === 0) cli.page.say('no keys; make one: strandline service key create');
        await cli.show(json, rows, () => table(rows, columns(cli.page), cli.page));
      }),
    );

  key
    .command('rotate')
    .description('give a key another secret, printed once; its name stays')
    .argument('<key>', 'the part that names it, or its id; see: service key list')
    .option('--grace <time>', 'how long the former one works too, such as 30m, 12h or 7d', '0')
    .option('--json', 'print JSON')
    .action((given: string, { grace, json }: { grace: string; json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const row = await rotateKey(ctx, 'service', given, readGrace(grace));
        await cli.show(json, row, () => [row.key]);
        cli.page.say(rotatedWords(row, cli.page));
      }),
    );

  key
    .command('revoke')
    .description('close a key; whoever uses it is refused within seconds')
    .argument('<key>', 'the part that names it, or its id; see: service key list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        const row = await revokeKey(ctx, 'service', given);
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${instant(row.revoked_at, cli.page)}`);
      }),
    );
}

/** @param row after its key was replaced */
export function rotatedWords(
  { prefix, name, rotating_until: until }: Pick<TokenRow, 'prefix' | 'name' | 'rotating_until'>,
  page: Page,
): string {
  const former =
    until === null ? 'the former one no longer works' : `the former one works until ${instant(until, page)}`;
  return `the new key of ${prefix} ("${name}") is shown this once; ${former}`;
}

function columns(page: Page): Column<TokenRow>[] {
  return [
    { head: 'key', cell: ({ prefix }) => prefix },
    { head: 'name', cell: ({ name }) => name, elastic: 1, drop: 2 },
    { head: 'made', cell: ({ created_at }) => instant(created_at, page), drop: 1 },
    { head: 'last used', cell: ({ last_used_at }) => instant(last_used_at, page) },
    {
      head: 'revoked',
      cell: ({ revoked_at }) => (revoked_at === null ? '' : instant(revoked_at, page)),
      paint: (shown) => page.colors.red(shown),
    },
  ];
}
