/** `topic remove --purge` and `search remove --purge`: delete what was found, too. */

import type { PurgeTarget } from '../monitor/topics/purge-topic.ts';
import type { PurgeCounts } from '../store/erase/orphans.ts';
import type { Cli } from './command-context.ts';
import { EXIT_USAGE } from './command-input.ts';
import type { Alternative } from './reply-view.ts';
import { formatQuantity } from './value-formatting.ts';

type PurgeOptions = { purge?: boolean; yes?: boolean; dryRun?: boolean; json?: boolean };

/** What `remove` does instead if `--purge` is given. */
export function purgeInstead(cli: Cli, kind: PurgeTarget['kind']): Alternative {
  return {
    declare: (command) =>
      command
        .option('--purge', 'also delete what only it found, for good; of a removed one, too')
        .option('--dry-run', 'with --purge: only show what would be deleted')
        .option('--yes', 'with --purge: do not ask'),
    act: async (command) => {
      const { purge, ...options } = command.opts<PurgeOptions>();
      if (purge !== true) {
        if (options.yes === true || options.dryRun === true)
          command.error('error: --dry-run and --yes need --purge', { exitCode: EXIT_USAGE });
        return false;
      }
      const [slug = ''] = command.args;
      await purgeTarget(cli, { kind, slug }, options);
      return true;
    },
  };
}

async function purgeTarget(
  cli: Cli,
  target: PurgeTarget,
  { yes, dryRun, json }: PurgeOptions,
): Promise<void> {
  const { kind, slug } = target;
  await cli.withProgram(async ({ ctx }, stopping) => {
    const [{ finishPurge, previewPurge, requestPurge }, { confirm }] = await Promise.all([
      import('../monitor/topics/purge-topic.ts'),
      import('./questions.ts'),
    ]);
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
  });
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
