import type { Command } from 'commander';
import { rotateReader } from '../../store/reader/rotate.ts';
import type { Cli } from './cli.ts';

export function registerReader(command: Command, cli: Cli): void {
  command
    .description(
      'The login of `strandline sql`, dashboards and notebooks: it reads the views and nothing else.',
    )
    .command('rotate')
    .description("give the reader's role a new password; its new address is printed once")
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) =>
      cli.withHome(async ({ ctx, databaseUrl: url, readerUrl, embedded }) => {
        const address = await rotateReader(ctx, { url, readerUrl: readerUrl(), embedded });
        await cli.show(json, { reader_url: address }, () => [address]);
        cli.page.say(
          embedded === null
            ? 'the former password no longer works: set DATABASE_READER_URL to this address wherever strandline runs, and restart it'
            : 'the former password no longer works; what runs here uses the new one from the next statement on',
        );
        cli.page.say('Grafana, notebooks and other programs that read the views need the new password, too');
      }),
    );
}
