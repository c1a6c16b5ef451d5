import type { Command } from 'commander';
import { rebuildTrends, type Rebuilt } from '../../store/volume/rebuild-trends.ts';
import type { Cli } from './cli.ts';
import { findSearches } from '../../monitor/topic/find.ts';
import { counted } from './words.ts';

export function registerRebuild(trends: Command, cli: Cli): void {
  trends
    .command('rebuild')
    .description(
      'count volume and coverage again, from runs and sightings, and fill in gains that are missing',
    )
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
          const one = await rebuildTrends(ctx.db, id, ctx.clock.now());
          rebuilt.push({ search: slug, ...one });
          const filled = one.posts === 0 ? '' : `; gains of ${counted(one.posts, 'post')} filled in`;
          cli.page.say(`${slug}: counted again from ${counted(one.runs, 'run')}${filled}`);
        }
        await cli.show(json, rebuilt, () => []);
      });
    });
}
