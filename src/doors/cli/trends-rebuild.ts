import type { Command } from 'commander';
import { rebuildTrends, type Rebuilt } from '../../monitor/derive/follow.ts';
import type { Cli } from './cli.ts';
import { findSearches } from '../../monitor/topic/find.ts';
import { counted } from './words.ts';

export function registerRebuild(trends: Command, cli: Cli): void {
  trends
    .command('rebuild')
    .description('derive volume, coverage, growth and tallies again, from runs, sightings and snapshots')
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
        const rebuilt: (Rebuilt & { search: string })[] = [];
        for (const { id, slug } of await findSearches(ctx.db, { topic, search })) {
          const one = await rebuildTrends(ctx, id);
          rebuilt.push({ search: slug, ...one });
          const filled =
            one.posts === 0 ? '' : `; gains of ${counted(one.posts, 'post')} from their snapshots`;
          cli.page.say(`${slug}: counted again from ${counted(one.runs, 'run')}${filled}`);
        }
        await cli.show(json, rebuilt, () => []);
      });
    });
}
