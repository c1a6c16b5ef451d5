import type { Command } from 'commander';
import { rebuildVolume } from '../../store/volume/rebuild.ts';
import type { Cli } from './cli.ts';
import { findSearches } from '../../monitor/topic/find.ts';
import { counted } from './words.ts';

export function registerRebuild(trends: Command, cli: Cli): void {
  trends
    .command('rebuild')
    .description('count volume and coverage again, from runs and sightings')
    .option('--topic <topic>', 'only of its searches')
    .option('--search <search>', 'only of this search')
    .option('--json', 'print JSON')
    .action((_options: object, command: Command) => {
      // What stands in front of `rebuild` is read by `trends`, which has the same options.
      const { topic, search, json } = command.optsWithGlobals<{
        topic?: string;
        search?: string;
        json?: boolean;
      }>();
      return cli.withHome(async ({ ctx }) => {
        const rebuilt: { search: string; runs: number }[] = [];
        for (const { id, slug } of await findSearches(ctx.db, { topic, search })) {
          rebuilt.push({ search: slug, runs: await rebuildVolume(ctx.db, id) });
          cli.page.say(`${slug}: counted again from ${counted(rebuilt.at(-1)?.runs ?? 0, 'run')}`);
        }
        await cli.show(json, rebuilt, () => []);
      });
    });
}
