import type { Command } from 'commander';
import { InvalidInput, Refused } from '../../errors.ts';
import { keyIdOf, makeKey } from '../../engine/keys.ts';
import { closeToken, insertToken, readTokens, SERVICE_SCOPE, type TokenRow } from '../../store/tokens.ts';
import { LIMIT_MAX } from './arguments.ts';
import type { Cli } from './cli.ts';
import type { Page } from './page.ts';
import { type Column, table } from './table.ts';
import { instant } from './words.ts';

const NAME_MAX = 60;

/** Adds `key` to the command `service`, which is made where nobody made it yet. */
export function registerServiceKey(program: Command, cli: Cli): void {
  const service =
    program.commands.find((command) => command.name() === 'service') ??
    program.command('service').description('The search service.');
  const key = service.command('key').description('Keys of the search service: create, list, revoke.');

  key
    .command('create')
    .description('make a key; it is shown once and never again')
    .option('--name <name>', 'who it is for', 'unnamed')
    .option('--json', 'print JSON')
    .action(({ name, json }: { name: string; json?: boolean }) => {
      if (name.trim() === '' || name.length > NAME_MAX)
        throw new InvalidInput([{ path: 'name', given: name, expected: `1 to ${NAME_MAX} characters` }]);
      return cli.withHome(async ({ ctx }) => {
        const { key: secret, id, hash } = makeKey('sk');
        const row = await insertToken(ctx.db, {
          prefix: id,
          name: name.trim(),
          scopes: [SERVICE_SCOPE],
          expires_at: null,
          hash,
          now: ctx.clock.now(),
        });
        await cli.show(json, { ...row, key: secret }, () => [secret]);
        cli.page.say(`the key ${id} ("${row.name}") is shown this once; keep it where secrets are kept`);
      });
    });

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
    .command('revoke')
    .description('close a key; whoever uses it is refused within seconds')
    .argument('<key>', 'the part that names it, or its id; see: service key list')
    .option('--json', 'print JSON')
    .action((given: string, { json }: { json?: boolean }) =>
      cli.withHome(async ({ ctx }) => {
        // Whoever pastes the whole key means that key.
        const prefix = keyIdOf(given, 'sk') ?? given;
        const row = await closeToken(ctx.db, 'service', prefix, ctx.clock.now());
        if (row === undefined)
          throw new Refused('not_found', 'there is no such key; see: strandline service key list');
        await cli.show(json, row, () => []);
        cli.page.say(`${row.prefix} ("${row.name}"): revoked ${instant(row.revoked_at, cli.page)}`);
      }),
    );
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
