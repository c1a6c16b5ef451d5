/** `topic purge` and `search purge`: delete what was found, too. */

import type { PurgeTarget } from '../monitor/topics/purge-topic.ts';
import type { PurgeCounts } from '../store/erase/orphans.ts';
import type { Cli } from './command-context.ts';
import { EXIT_USAGE } from './command-input.ts';
import { formatQuantity } from './value-formatting.ts';
import type { Command } from 'commander';

type PurgeOptions = { yes?: boolean; dryRun?: boolean; json?: boolean };

export function registerPurge(group: Command, cli: Cli, kind: PurgeTarget['kind']): void {
  group
    .command('purge')
    .description(`remove a ${kind} and delete what only it found, for good`)
    .argument(`<${kind}>`, `${kind} slug; a removed one, too`)
    .option('--dry-run', 'only show what would be deleted')
    .option('--yes', 'do not ask')
    .option('--json', 'print JSON')
    .action((slug: string, { yes, dryRun, json }: PurgeOptions) =>
      cli.withProgram(async ({ ctx }, stopping) => {
        const [{ finishPurge, previewPurge, requestPurge }, { confirm }] = await Promise.all([
          import('../monitor/topics/purge-topic.ts'),
          import('./questions.ts'),
        ]);
        const target = { kind, slug };
        const preview = await previewPurge(ctx.db, target);
        if (dryRun === true) {
          await cli.show(json, { [kind]: slug, purged: false, ...preview }, () => []);
          cli.say(`Would delete ${describeCounts(target, preview)}.`);
          return;
        }
        cli.say(`Deletes ${describeCounts(target, preview)}. This cannot be undone.`);
        const isConfirmed = await confirm(cli, `Purge ${slug}?`, yes);
        if (isConfirmed !== true) {
          cli.say(isConfirmed === null ? 'Nothing deleted. To delete, add --yes.' : 'Nothing deleted.');
          cli.exitCode = EXIT_USAGE;
          return;
        }
        const requested = await requestPurge(ctx, target);
        const isDone = await finishPurge(ctx.db, requested, {
          stopping,
          onWait: () => cli.say('Waiting for a run in progress…'),
        });
        await cli.show(json, { [kind]: slug, purged: isDone, ...requested.counts }, () => []);
        cli.say(isDone ? `${slug}: deleted; its name is free` : `${slug}: not finished. Workers continue.`);
      }),
    );
}

function describeCounts({ kind, slug }: PurgeTarget, counts: PurgeCounts): string {
  const searches = kind === 'search' ? [] : [formatQuantity(counts.searches, 'search', 'searches')];
  const parts = [
    formatQuantity(counts.runs, 'run'),
    formatQuantity(counts.completions, 'completion'),
    formatQuantity(counts.posts, 'post'),
    formatQuantity(counts.links, 'link'),
  ];
  const all = [...searches, ...parts];
  return `${slug} with ${all.slice(0, -1).join(', ')} and ${all.at(-1)}; keeps what other searches found`;
}
